"""Random arms with the values that real files have: whole numbers, zeros, equal links.

A random float hides what such values do: a constant that equals a small integer, a quotient that
becomes whole (9.81 / 0.006), terms that cancel, links that are one and the same to a compiler.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from manip_dynamics.model.chain import Chain, Friction, Joint, Link, Placement, RigidLink

LENGTHS = (0.0, 0.0, 1e-3, 0.006, 0.1, 0.25, 0.5, 1.0, 2.0)  # m
MASSES = (0.0, 1e-3, 0.006, 0.5, 1.0, 2.0, 3.0, 16.0, 1e3)  # kg
RADII = (0.0, 1e-3, 0.01, 0.1, 0.5, 1.0)  # m, of gyration
QUARTER = math.pi / 2


def special_chain(rng: np.random.Generator, n: int) -> Chain:
    """An arm of n joints made of special values; its last link has a mass and an inertia."""
    links = [_link(rng) for _ in range(n)]
    if rng.random() < 0.3:  # equal links
        links = [links[0]] * n
    if not _turns(links[-1]):
        links[-1] = RigidLink(1.0, (0.1, 0.0, 0.0), _diagonal(0.01, 0.02, 0.02))
    joints = [_joint(rng) for _ in range(n)]
    if rng.random() < 0.3:  # equal joints
        joints = [joints[0]] * n
    chain = Chain(tuple(joints), tuple(links), rng.choice([
        (0.0, 0.0, -9.81), (0.0, 0.0, 9.81), (0.0, -9.81, 0.0), (0.0, 0.0, -10.0), (0.0, 0.0, 0.0),
    ], p=[0.6, 0.1, 0.1, 0.1, 0.1]).tolist(), tip=Placement(translation=_lengths(rng)))
    chain = replace(chain, gravity=tuple(chain.gravity))
    return _mirrored(chain) if rng.random() < 0.2 else chain


def _joint(rng: np.random.Generator) -> Joint:
    def some(*values: float) -> float:
        return float(rng.choice(values))

    return Joint(
        "prismatic" if rng.random() < 0.2 else "revolute", QUARTER * int(rng.integers(-1, 3)),
        some(*LENGTHS), QUARTER * int(rng.integers(-1, 3)), some(*LENGTHS),
        friction=Friction(some(0.0, 0.0, 1.0, 0.5), some(0.0, 0.0, 2.0)),
        rotor_inertia=some(0.0, 0.0, 0.0, 1e-4), gear_ratio=some(1.0, 100.0))


def _link(rng: np.random.Generator) -> Link:
    mass = float(rng.choice(MASSES))
    com = [0.0, 0.0, 0.0]
    for axis in rng.choice(3, int(rng.integers(0, 3)), replace=False):  # on an axis, often
        com[axis] = float(rng.choice(LENGTHS)) * rng.choice([-1.0, 1.0])
    # mass times squared radii: any three of them are the second moments of some body
    xx, yy, zz = (mass * float(rng.choice(RADII))**2 for _ in range(3))
    return RigidLink(mass, tuple(com), _diagonal(yy + zz, xx + zz, xx + yy))


def _turns(link: Link) -> bool:
    return link.mass > 0 and min(link.origin_inertia[i][i] for i in range(3)) > 0


def _lengths(rng: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = rng.choice(LENGTHS, 3).tolist()
    return x, y, z


def _diagonal(x: float, y: float, z: float) -> tuple:
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))


def _mirrored(chain: Chain) -> Chain:
    """The arm seen in a mirror: the same efforts up to signs."""
    joints = tuple(replace(joint, alpha=-joint.alpha, theta=-joint.theta) for joint in chain.joints)
    links = tuple(RigidLink(link.mass, (link.com[0], -link.com[1], link.com[2]), link.inertia)
                  for link in chain.links)
    return replace(chain, joints=joints, links=links)
