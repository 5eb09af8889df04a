"""Random arms, and the same arms in Pinocchio: the independent oracle of the tests."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from manip_dynamics.model.chain import Chain, Joint, Link, Placement, RigidLink
from manip_dynamics.model.mlc import minimal_combinations
from manip_dynamics.model.robot import Robot

# Two ways to the same rigid-body quantity differ by rounding alone: a few hundred operations on
# doubles, on arms whose terms cancel. Relative to the largest entry of the result.
ROUNDING = 1e-10

# Singular values of the stacked regressor, relative to the largest: on thousands of arms those
# that belong to an MLC were above 1e-6 and those that do not below 1e-14.
RANK_TOLERANCE = 1e-10

PINOCCHIO_ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # its inertias: xx, xy, yy, xz, yz, zz


def random_link(rng: np.random.Generator) -> Link:
    """A physical link with a full inertia tensor."""
    density = rng.normal(size=(3, 3))
    second_moment = density @ density.T * rng.uniform(0.01, 0.5)  # positive definite
    inertia = np.trace(second_moment) * np.eye(3) - second_moment  # obeys the triangle inequality
    return RigidLink(
        rng.uniform(0.2, 5.0), tuple(rng.uniform(-0.5, 0.5, 3)), tuple(map(tuple, inertia))
    )


def random_chain(
    rng: np.random.Generator,
    kinds: str,
    right_angles: bool = False,
    gravity: tuple[float, float, float] | None = None,
) -> Chain:
    """An arm with joints like "RRP"; `right_angles`: alpha in quarter turns, some a, d zero."""
    joints = []
    for kind in kinds:
        alpha, theta = rng.uniform(-math.pi, math.pi, 2)
        a, d = rng.uniform(-0.7, 0.7, 2)
        if right_angles:
            alpha = math.pi / 2 * rng.integers(-1, 3)
            theta = math.pi / 2 * rng.integers(-1, 3)
            a, d = a * rng.integers(0, 2), d * rng.integers(0, 2)
        joints.append(Joint("revolute" if kind == "R" else "prismatic", alpha, a, theta, d))
    if gravity is None:
        gravity = tuple(rng.normal(size=3) * 5.0)
    links = tuple(random_link(rng) for _ in kinds)
    return Chain(tuple(joints), links, gravity, random_placement(rng), random_placement(rng))


def random_placement(rng: np.random.Generator) -> Placement:
    """Any rotation and a translation of the order of a link."""
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    rotation *= np.linalg.det(rotation)  # no mirror image
    return Placement(tuple(map(tuple, rotation.tolist())), tuple(rng.uniform(-0.5, 0.5, 3)))


def random_kinds(rng: np.random.Generator, n: int) -> str:
    """A joint pattern, revolute more often than prismatic."""
    return "".join(rng.choice(["R", "R", "P"], n))


def robot_of(chain: Chain) -> Robot:
    """An arm as a robot, whose joints have names."""
    joints = tuple(replace(joint, name=f"joint{i + 1}") for i, joint in enumerate(chain.joints))
    gravity = tuple((np.array(chain.base.rotation) @ chain.gravity).tolist())
    return Robot("random", "", "base", "tip", gravity, replace(chain, joints=joints))


def random_state(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd, qdd of order one."""
    return rng.uniform(-3, 3, n), rng.uniform(-2, 2, n), rng.uniform(-5, 5, n)


# 200 arms: n = 1..10; up to n = 4 every pattern of joints, beyond all revolute, all prismatic, any.
CASES = [(n, seed) for n in range(1, 11) for seed in range(20)]


class Case(NamedTuple):
    """An arm in a state, here and in Pinocchio."""

    chain: Chain
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    model: Any  # pinocchio.Model
    data: Any  # pinocchio.Data


def random_case(n: int, seed: int) -> Case:
    """The arm and state of one entry of CASES; half of them have right angles and zeros."""
    rng = np.random.default_rng([n, seed])
    if n <= 4:
        kinds = "".join("RP"[seed >> i & 1] for i in range(n))
    else:
        kinds = {0: "R" * n, 1: "P" * n}.get(seed) or random_kinds(rng, n)
    chain = random_chain(rng, kinds, right_angles=rng.random() < 0.5)
    return Case(chain, *random_state(rng, n), *pinocchio_model(chain))


def counting_chain(kinds: str) -> Chain:
    """An arm with all parameters general, as the papers count it: no offset beside q."""
    chain = random_chain(np.random.default_rng(len(kinds)), kinds)
    zero = {"R": {"theta": 0.0}, "P": {"d": 0.0}}
    joints = tuple(replace(joint, **zero[kind]) for joint, kind in zip(chain.joints, kinds))
    return replace(chain, joints=joints)


def pinocchio_model(chain: Chain):
    """The chain as a Pinocchio model whose joint frames are the modified DH frames.

    Its world is frame 0; frame "tip" is the chain's tip.
    """
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array(chain.gravity)
    parent = 0
    for i, (joint, link) in enumerate(zip(chain.joints, chain.links)):
        rotation = _rotation_x(joint.alpha) @ _rotation_z(joint.theta)
        translation = np.array(
            [joint.a, -joint.d * math.sin(joint.alpha), joint.d * math.cos(joint.alpha)]
        )
        kind = pin.JointModelRZ() if joint.revolute else pin.JointModelPZ()
        parent = model.addJoint(parent, kind, pin.SE3(rotation, translation), f"joint{i + 1}")
        body = pin.Inertia(link.mass, np.array(link.com), np.array(link.inertia))
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
    tip = pin.SE3(np.array(chain.tip.rotation), np.array(chain.tip.translation))
    model.addFrame(pin.Frame("tip", parent, tip, pin.FrameType.OP_FRAME))
    return model, model.createData()


def stacked_regressor(chain: Chain, rng: np.random.Generator) -> np.ndarray:
    """Pinocchio's regressor of natural parameters, in our order, at many random states."""
    import pinocchio as pin

    model, data = pinocchio_model(chain)
    n = chain.n
    rows = []
    for _ in range(10 * n + 10):
        Y = pin.computeJointTorqueRegressor(model, data, *random_state(rng, n))
        rows.append(Y.reshape(n, n, 10)[:, :, PINOCCHIO_ORDER].reshape(n, 10 * n))
    return np.vstack(rows)


def assert_minimal_and_sufficient(chain: Chain, rng: np.random.Generator) -> None:
    """As many MLCs as the rank of the regressor, and K has its row space."""
    mlc = minimal_combinations(chain)
    Y = stacked_regressor(chain, rng)
    singular_values = np.linalg.svd(Y, compute_uv=False)
    assert len(mlc.values) == np.sum(singular_values > RANK_TOLERANCE * singular_values[0])
    assert_close(Y @ mlc.lift @ mlc.K, Y)  # the row space of Y is in that of K; ranks are equal
    assert_close(mlc.K @ mlc.lift, np.eye(len(mlc.values)))


def assert_close(actual, expected, tolerance: float = ROUNDING) -> None:
    """Equal within `tolerance` relative to the largest entry expected."""
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    assert actual.shape == expected.shape
    scale = max(1e-3, np.abs(expected).max(initial=0.0))
    error = np.abs(actual - expected).max(initial=0.0) / scale
    assert error <= tolerance, f"relative error {error:.2e}\n{actual}\n{expected}"


def _rotation_x(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _rotation_z(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
