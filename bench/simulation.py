"""RK4 at 1 ms: derivative evaluations per second, compared with MuJoCo.

Both integrate the same swinging arm on one core. MuJoCo is called in its fastest ways from Python:
`mj_step` with many steps per call, and `rollout`, which records all states. The final states are
checked to agree before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

import manip_dynamics as md

from . import agreement
from .arms import ARMS, Arm
from .calls import median_ratio
from .entry import CALL, Code, Entry
from .libraries import mujoco, ours
from .timing import Effort, interleaved

DT = 1e-3  # s
STEPS = 2000  # in one call
STAGES = 4  # evaluations of the derivative in a step
QUANTITY = "free motion"


@dataclass(frozen=True)
class Throughput:
    """One line of the table."""

    arm: str
    library: str
    form: str
    derivatives_per_second: float
    ours_times: float  # speedup of ours, recording as many states


def measure(
    arm_names: Sequence[str], with_mujoco: bool, effort: Effort,
    say: Callable[[str], None] = lambda text: None,
) -> list[Throughput]:  # fmt: skip
    """Simulate free motion from one initial state; all must reach the same final state."""
    found = []
    for name in arm_names:
        arm = _nearly_weightless(ARMS[name]())
        say(f"{arm.title}: {QUANTITY}")
        # In pairs: only the last state is recorded, or all of them.
        entries = _ours(arm) + (_mujoco(arm) if with_mujoco else [])
        agreement.check(entries)
        times = interleaved([entry.code for entry in entries], effort)
        for i, entry in enumerate(entries):
            per_second = float(1e9 / np.median(times[:, i]))
            times_more = median_ratio(times[:, i], times[:, i % 2])
            found.append(
                Throughput(arm.title, entry.library, entry.form, per_second, times_more)
            )
    return found


def table(throughputs: Sequence[Throughput]) -> list[list[str]]:
    """A row per library and form."""
    rows = [["free motion, RK4 at 1 ms", "million derivatives/s", "speedup of ours"]]
    for t in throughputs:
        rows.append([f"{t.arm}: {t.library}, {t.form}", f"{t.derivatives_per_second / 1e6:.2f}",
                     f"{t.ours_times:.1f}x" if t.library != ours.TITLE else "-"])  # fmt: skip
    return rows


def _nearly_weightless(arm: Arm) -> Arm:
    """The arm in a twentieth of the gravity, at the same cost.

    Its motion stays slow for two seconds. A freely falling arm soon moves chaotically, and rounding
    errors grow until two correct programs disagree.
    """
    chain = arm.robot.bare_chain
    gravity = (0.05 * chain.gravity[0], 0.05 * chain.gravity[1], 0.05 * chain.gravity[2])
    return replace(arm, robot=replace(arm.robot, bare_chain=replace(chain, gravity=gravity)))


def _start(arm: Arm) -> dict[str, np.ndarray]:
    n = arm.robot.n
    return {"q": np.linspace(0.4, 0.2, n), "qd": np.linspace(-0.2, 0.2, n)}


def _entry(library: str, form: str, text: str, answer: str, names: dict) -> Entry:
    code = Code(text, answer, names, evaluations=STAGES * STEPS)
    return Entry(library, form, CALL, QUANTITY, code)


def _ours(arm: Arm) -> list[Entry]:
    simulator = md.Simulator(md.Dynamics(arm.robot), DT, "rk4", limits=False)
    names = {"simulator": simulator, **_start(arm), "duration": DT * STEPS, "steps": STEPS}
    reset, answer = "simulator.reset(q, qd)\n", "[simulator.q, simulator.qd]"
    last = f"{reset}simulator.run(duration, every=steps)"
    return [
        _entry(ours.TITLE, "last state", last, answer, names),
        _entry(ours.TITLE, "all states", f"{reset}simulator.run(duration)", answer, names),
    ]


def _mujoco(arm: Arm) -> list[Entry]:
    import mujoco as mj
    from mujoco import rollout

    start, n = _start(arm), arm.robot.n
    model, data = mujoco.build(arm.robot.chain)
    model.opt.timestep, model.opt.integrator = DT, mj.mjtIntegrator.mjINT_RK4
    names = {
        **start, "model": model, "data": data, "qpos": data.qpos, "qvel": data.qvel,
        "mj_step": mj.mj_step, "steps": STEPS, "rollout": rollout.Rollout(nthread=0).rollout,
        "initial": np.concatenate([[0.0], *start.values()])[None],
        "after": np.empty((1, STEPS, 1 + 2 * n)),
    }  # fmt: skip
    stepping = "qpos[:] = q\nqvel[:] = qd\nmj_step(model, data, steps)"
    rolling = "rollout(model, data, initial, None, nstep=steps, state=after)"
    return [
        _entry(mujoco.TITLE, "mj_step, last state", stepping, "[qpos, qvel]", names),
        _entry(mujoco.TITLE, "rollout, all states", rolling, "after[0, -1, 1:]", names),
    ]
