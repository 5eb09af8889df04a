"""Drake's MultibodyPlant, from its Python package."""

from __future__ import annotations

from typing import Any

import numpy as np

from manip_dynamics.model.chain import Chain

from ..arms import Arm, States
from ..entry import BATCH, CALL, FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX, Code, Entry

TITLE = "Drake"
HOW_TO_GET = "install it with .venv/bench/bin/python -m pip install drake"
LOOP = "Python loop"
# At several microseconds per state, a part of them is enough.
LOOP_STATES = 10_000

# {q} and so on: the state.
CALLS = {
    INVERSE_DYNAMICS: (
        "set_state(context, concatenate(({q}, {qd})))",
        "inverse_dynamics(context, {qdd}, no_forces) - gravity(context)",
    ),
    MASS_MATRIX: ("set_positions(context, {q})", "mass_matrix(context)"),
    FORWARD_DYNAMICS: (
        "set_state(context, concatenate(({q}, {qd})))\napply(context, {tau})",
        "derivatives(context).CopyToVector()[n:]",
    ),
}


def version() -> str:
    """The version, if it is installed."""
    from importlib.metadata import version as installed

    import pydrake  # noqa: F401

    return installed("drake")


def entries(arm: Arm, states: States) -> list[Entry]:
    """One call, and a loop of calls."""
    from pydrake.multibody.tree import MultibodyForces

    plant = _plant(arm.robot.chain)
    context = plant.CreateDefaultContext()
    names: dict[str, Any] = {
        "context": context, "n": plant.num_positions(), "concatenate": np.concatenate,
        "set_state": plant.SetPositionsAndVelocities, "set_positions": plant.SetPositions,
        "inverse_dynamics": plant.CalcInverseDynamics, "no_forces": MultibodyForces(plant),
        "gravity": plant.CalcGravityGeneralizedForces, "mass_matrix": plant.CalcMassMatrix,
        "apply": plant.get_applied_generalized_force_input_port().FixValue,
        "derivatives": plant.EvalTimeDerivatives,
    }  # fmt: skip
    found = []
    part = states[:LOOP_STATES]
    for quantity, (before, call) in CALLS.items():
        width = (arm.robot.n, arm.robot.n) if quantity == MASS_MATRIX else (arm.robot.n,)
        state = {name: name for name in vars(states)}
        code = Code(f"{before}\nanswer = {call}".format(**state), "answer",
                    {**names, **vars(states[0])})  # fmt: skip
        found.append(Entry(TITLE, "", CALL, quantity, code))
        rows = {name: f"{name}[i]" for name in state}
        text = f"{before}\nanswer[i] = {call}".format(**rows).replace("\n", "\n    ")
        batch = {"rows": range(len(part)), "answer": np.empty((len(part), *width))}
        code = Code(f"for i in rows:\n    {text}", "answer", {**names, **vars(part), **batch},
                    len(part))  # fmt: skip
        found.append(Entry(TITLE, LOOP, BATCH, quantity, code))
    return found


def _plant(chain: Chain) -> Any:
    from pydrake.math import RigidTransform, RotationMatrix
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import (
        FixedOffsetFrame,
        PrismaticJoint,
        RevoluteJoint,
        SpatialInertia,
        UnitInertia,
    )

    plant = MultibodyPlant(0.0)
    parent = plant.world_frame()
    for i, (joint, link) in enumerate(zip(chain.joints, chain.rigid_links)):
        # Drake stores inertia per unit mass, and the PUMA's first link has no mass.
        mass = link.mass or 1e-12
        J = np.array(link.origin_inertia) / mass
        # The classical PUMA inertias are not physical, but the equations still apply.
        inertia = SpatialInertia(
            mass, np.array(link.com), UnitInertia(*J.diagonal(), J[0, 1], J[0, 2], J[1, 2]),
            skip_validity_check=True,
        )  # fmt: skip
        body = plant.AddRigidBody(f"link{i}", inertia)
        fixed = joint.placement_at_zero
        pose = RigidTransform(RotationMatrix(np.array(fixed.rotation)), np.array(fixed.translation))
        frame = plant.AddFrame(FixedOffsetFrame(f"joint{i}", parent, pose))
        kind = RevoluteJoint if joint.revolute else PrismaticJoint
        plant.AddJoint(kind(joint.name, frame, body.body_frame(), [0, 0, 1]))
        parent = body.body_frame()
    plant.mutable_gravity_field().set_gravity_vector(np.array(chain.gravity))
    plant.Finalize()
    return plant
