"""Time of one call from Python, beside Pinocchio's Python bindings, on the bundled robots."""

from __future__ import annotations

import timeit
import warnings
from collections.abc import Callable

import numpy as np
import pinocchio as pin

import manip_dynamics as md

REPEATS = 5
SECONDS_PER_REPEAT = 0.1


def microseconds(call: Callable[[], object]) -> float:
    """Return the time of one call: the best of several repeats, which others disturbed least."""
    timer = timeit.Timer(call)
    number, taken = timer.autorange()
    number = max(1, int(number * SECONDS_PER_REPEAT / taken))
    return min(timer.repeat(REPEATS, number)) / number * 1e6


def rows_of(name: str) -> list[tuple[str, float, float]]:
    """Return (function, ours, Pinocchio's) in microseconds for one robot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        robot = md.load_robot(name)
    dyn = md.Dynamics(robot)
    model = pin.buildModelFromXML(robot.urdf)
    data = model.createData()
    q, qd, qdd, tau = np.random.default_rng(0).uniform(-1, 1, (4, robot.n))
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "inverse_dynamics": (
            lambda: dyn.inverse_dynamics(q, qd, qdd),
            lambda: pin.rnea(model, data, q, qd, qdd),
        ),
        "mass_matrix": (lambda: dyn.mass_matrix(q), lambda: pin.crba(model, data, q)),
        "bias": (lambda: dyn.bias(q, qd), lambda: pin.nonLinearEffects(model, data, q, qd)),
        "forward_dynamics": (
            lambda: dyn.forward_dynamics(q, qd, tau),
            lambda: pin.aba(model, data, q, qd, tau),
        ),
    }
    return [
        (function, microseconds(ours), microseconds(theirs))
        for function, (ours, theirs) in pairs.items()
    ]


def main() -> None:
    """Print the table."""
    print(f"{'robot':<14} {'function':<18} {'ours [us]':>10} {'Pinocchio [us]':>15} {'ratio':>7}")
    for name in md.bundled_robots():
        for function, ours, theirs in rows_of(name):
            print(f"{name:<14} {function:<18} {ours:10.2f} {theirs:15.2f} {ours / theirs:7.2f}")


if __name__ == "__main__":
    main()
