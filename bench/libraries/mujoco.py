"""MuJoCo, called through its Python bindings in the fastest way for each quantity.

Contacts, constraints, limits and sensors are disabled, which leaves rigid-body dynamics.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manip_dynamics.model.chain import Chain, RigidLink

from ..arms import Arm, States
from ..entry import BATCH, CALL, FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX, Code, Entry

TITLE = "MuJoCo"
HOW_TO_GET = "install it with script/bench --with-peers"
LOOP = "Python loop"
ROLLOUT = "rollout"

NEEDLESS = ("CONSTRAINT", "CONTACT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "SENSOR", "ACTUATION",
            "WARMSTART", "AUTORESET")  # fmt: skip

# {q} and so on: the state; `answer` gets the result.
KINEMATICS = "qpos[:] = {q}\nmj_kinematics(model, data)\nmj_comPos(model, data)\n"
CALLS = {
    INVERSE_DYNAMICS: KINEMATICS + "qvel[:] = {qd}\nqacc[:] = {qdd}\nmj_comVel(model, data)\n"
    "mj_rne(model, data, 1, {answer})",
    MASS_MATRIX: KINEMATICS + "mj_crb(model, data)\nmj_fullM(model, data, {answer})",
    FORWARD_DYNAMICS: "qpos[:] = {q}\nqvel[:] = {qd}\napplied[:] = {tau}\n"
    "mj_forward(model, data)\n{answer}[:] = qacc",
}


def version() -> str:
    """The version, if it is installed."""
    import mujoco

    return mujoco.__version__


def entries(arm: Arm, states: States) -> list[Entry]:
    """One call; a loop of calls; and for forward dynamics also one step of `rollout`."""
    import mujoco

    model, data = build(arm.robot.chain)
    names: dict[str, Any] = {
        "model": model, "data": data, "qpos": data.qpos, "qvel": data.qvel, "qacc": data.qacc,
        "applied": data.qfrc_applied,
        **{name: getattr(mujoco, name) for name in (
            "mj_kinematics", "mj_comPos", "mj_comVel", "mj_rne", "mj_crb", "mj_fullM",
            "mj_forward")},
    }  # fmt: skip
    found = []
    for quantity, text in CALLS.items():
        width = (model.nv, model.nv) if quantity == MASS_MATRIX else (model.nv,)
        state = {name: name for name in ("q", "qd", "qdd", "tau", "answer")}
        single = {**names, **vars(states[0]), "answer": np.empty(width)}
        code = Code(text.format(**state), "answer", single)
        found.append(Entry(TITLE, "", CALL, quantity, code))
        rows = {name: f"{name}[i]" for name in state}
        body = "\n".join(f"    {line}" for line in text.format(**rows).splitlines())
        batch = {"rows": range(len(states)), "answer": np.empty((len(states), *width))}
        code = Code(f"for i in rows:\n{body}", "answer", {**names, **vars(states), **batch},
                    len(states))  # fmt: skip
        found.append(Entry(TITLE, LOOP, BATCH, quantity, code))
    found.append(Entry(TITLE, ROLLOUT, BATCH, FORWARD_DYNAMICS, _one_step(mujoco, arm, states)))
    return found


def build(chain: Chain) -> tuple[Any, Any]:
    """Model and data of an arm, with the frames and inertias of the chain."""
    import mujoco

    spec = mujoco.MjSpec()
    # The model compiler rejects or changes non-physical inertias, so it gets unit inertias and the
    # actual ones are set afterwards.
    body = spec.worldbody
    for joint in chain.joints:
        placement = joint.placement_at_zero
        body = body.add_body(
            pos=placement.translation, quat=_quaternion(mujoco, placement.rotation),
            mass=1.0, inertia=(1.0, 1.0, 1.0), explicitinertial=True,
        )  # fmt: skip
        kind = "mjJNT_HINGE" if joint.revolute else "mjJNT_SLIDE"
        body.add_joint(type=getattr(mujoco.mjtJoint, kind), axis=(0, 0, 1))
    model = spec.compile()
    for i, link in enumerate(chain.rigid_links, 1):
        _set_inertia(mujoco, model, i, link)
    model.opt.gravity = chain.gravity
    for name in NEEDLESS:
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", 0)
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)
    return model, data


def _set_inertia(mujoco: Any, model: Any, i: int, link: RigidLink) -> None:
    moments, axes = np.linalg.eigh(np.array(link.inertia))
    axes[:, 2] *= np.linalg.det(axes)  # right-handed
    model.body_mass[i] = link.mass
    model.body_ipos[i] = link.com
    model.body_inertia[i] = moments
    model.body_iquat[i] = _quaternion(mujoco, axes)


def _quaternion(mujoco: Any, rotation: Any) -> np.ndarray:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.asarray(rotation, float).ravel())
    return quaternion


def _one_step(mujoco: Any, arm: Arm, states: States) -> Code:
    """A step of explicit Euler with dt = 1 s adds qdd to qd; one call into C for all states."""
    from mujoco import rollout

    model, data = build(arm.robot.chain)
    model.opt.timestep = 1.0
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    n, count = model.nv, len(states)
    names = {
        "rollout": rollout.Rollout(nthread=0).rollout, "model": model, "data": data,
        "initial": np.hstack([np.zeros((count, 1)), states.q, states.qd]),
        "control": states.tau[:, None, :].copy(), "qd": states.qd,
        "spec": int(mujoco.mjtState.mjSTATE_QFRC_APPLIED),
        "after": np.empty((count, 1, 1 + 2 * n)),
    }  # fmt: skip
    text = "rollout(model, data, initial, control, control_spec=spec, nstep=1, state=after)"
    return Code(text, f"after[:, 0, {1 + n}:] - qd", names, count)
