"""Laws of physics on arms with the values that real files have (special_arms.py)."""

from dataclasses import replace

import numpy as np
import pytest
from laws import all_broken
from oracle import robot_of
from special_arms import special_chain

import manip_dynamics as md
from manip_dynamics.model.chain import Placement

# (joints, how many arms): in C as users have it, and in Python, which is traced the same way.
FAST = [(n, seed, backend) for n, arms in ((1, 16), (2, 16), (3, 14), (4, 4))
        for backend in ("c", "python") for seed in range(arms)]
SLOW = [(n, 1000 + seed, backend)
        for backend, counts in (("c", ((1, 20), (2, 30), (3, 20), (4, 10), (6, 8), (8, 2))),
                                ("python", ((1, 100), (2, 120), (3, 100), (4, 60), (5, 20), (6, 12),
                                            (7, 4), (8, 4), (10, 2), (12, 2))))
        for n, arms in counts for seed in range(arms)]


def test_the_laws_hold_on_a_hundred_arms_of_special_values():
    assert len(FAST) >= 100
    assert all_broken(FAST) == []


@pytest.mark.slow
def test_the_laws_hold_on_five_hundred_more():
    assert len(SLOW) >= 500
    assert all_broken(SLOW) == []


# Constant columns in a batch (zeros and ones of a Jacobian) were once miscompiled: eight of them,
# of which the first four are ones. A planar arm of five joints that turn about x has such.
ABOUT_Z, ABOUT_X = Placement(), Placement(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))


def numbers(dyn: md.Dynamics, quantity: str, *inputs: np.ndarray) -> np.ndarray:
    """A result as one array; the parts of derivatives side by side."""
    result = getattr(dyn, quantity)(*inputs)
    return np.concatenate(result, -1) if isinstance(result, tuple) else result


@pytest.mark.parametrize("base", [ABOUT_Z, ABOUT_X], ids=["about z", "about x"])
@pytest.mark.parametrize("kinds", ["RRRRR", "RRRP", "PPP", "R"])
def test_a_batch_of_any_size_is_what_its_states_are_one_by_one(kinds, base):
    rng = np.random.default_rng(len(kinds))
    chain = special_chain(rng, len(kinds))
    joints = tuple(replace(joint, kind="revolute" if kind == "R" else "prismatic", alpha=0.0, a=0.5)
                   for joint, kind in zip(chain.joints, kinds))
    dyn = md.Dynamics(robot_of(replace(chain, joints=joints, base=base)))
    states = {"q": 2.0, "qd": 2.0, "qdd": 3.0, "tau": 5.0, "w": 1.0}
    states = {name: rng.uniform(-size, size, (40, dyn.n)) for name, size in states.items()}
    for quantity, signature in dyn._compiled.signatures.items():
        if not hasattr(dyn, quantity):
            continue
        inputs = [states[name] for name, _ in signature.inputs]
        try:
            alone = np.array([numbers(dyn, quantity, *state) for state in zip(*inputs)])
        except md.ModelError:
            continue  # no forward dynamics
        for count in range(1, 41):
            batch = numbers(dyn, quantity, *(array[:count] for array in inputs))
            np.testing.assert_allclose(batch, alone[:count], rtol=1e-14,
                                       atol=1e-14 * np.abs(alone).max(), err_msg=quantity)
