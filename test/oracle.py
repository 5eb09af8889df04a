"""Random arms, and the same arms in Pinocchio: the independent oracle of the tests."""

from __future__ import annotations

import math

import numpy as np

from manip_dynamics.model.chain import Chain, Joint, Link

# Two ways to the same rigid-body quantity differ by rounding alone: a few hundred operations on
# doubles, on arms whose terms cancel. Relative to the largest entry of the result.
ROUNDING = 1e-10


def random_link(rng: np.random.Generator) -> Link:
    """A physical link with a full inertia tensor."""
    density = rng.normal(size=(3, 3))
    second_moment = density @ density.T * rng.uniform(0.01, 0.5)  # positive definite
    inertia = np.trace(second_moment) * np.eye(3) - second_moment  # obeys the triangle inequality
    return Link.of_body(
        rng.uniform(0.2, 5.0), tuple(rng.uniform(-0.5, 0.5, 3)), tuple(map(tuple, inertia))
    )


def random_chain(
    rng: np.random.Generator,
    kinds: str,
    right_angles: bool = False,
    gravity: tuple[float, float, float] | None = None,
) -> Chain:
    """An arm with joints like "RRP"; `right_angles`: alpha a multiple of 90 degrees, some a, d 0."""
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
    return Chain(tuple(joints), tuple(random_link(rng) for _ in kinds), gravity)


def random_kinds(rng: np.random.Generator, n: int) -> str:
    """A joint pattern, revolute more often than prismatic."""
    return "".join(rng.choice(["R", "R", "P"], n))


def random_state(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd, qdd of order one."""
    return rng.uniform(-3, 3, n), rng.uniform(-2, 2, n), rng.uniform(-5, 5, n)


def pinocchio_model(chain: Chain):
    """The chain as a Pinocchio model whose joint frames are the modified DH frames."""
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
    return model, model.createData()


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
