"""How large the terms of a result can be: the scale of the error left where they cancel.

Each function takes an arm and states and returns sums of absolute values, (states, *shape).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from manip_dynamics.model.chain import Chain

Array = np.ndarray
States = Mapping[str, Array]  # by input name, (states, length) each


def efforts(chain: Chain, states: States) -> Array:
    """Inertia, Coriolis and gravity efforts."""
    mass, moment, inertia = _outward_moments(chain, states)
    rest = np.zeros_like(states["q"])
    # Bounds on the angular acceleration of any link and the linear acceleration of any joint.
    turning = np.sum(np.abs(states.get("qdd", rest)), 1) + np.sum(
        np.abs(states.get("qd", rest)), 1)**2
    moving = turning * (_steps(chain, states).sum(1) + 1.0) + math.hypot(*chain.gravity)
    turning, moving = turning[:, None], moving[:, None]
    return np.where(_revolute(chain), moment * moving + inertia * turning,
                    mass * moving + moment * turning)


def derivatives(chain: Chain, states: States) -> Array:
    """Derivatives of the efforts with respect to q, qd and qdd, (states, n, 3n)."""
    mass, moment, inertia = _outward_moments(chain, states)
    rates = np.sum(np.abs(states["qd"]), 1)[:, None]
    turning = np.sum(np.abs(states["qdd"]), 1)[:, None] + rates**2
    moving = turning * (_steps(chain, states).sum(1)[:, None] + 1.0) + math.hypot(*chain.gravity)
    turns = _revolute(chain)

    def pairs(both: Array, one: Array, none: Array) -> Array:
        """Magnitudes (states, n, n) of entries for two, one or no revolute joints."""
        return np.where(turns[:, None] & turns, both[:, :, None], np.where(
            turns[:, None] | turns, one[:, :, None], none[:, :, None]))

    return np.concatenate([
        pairs(moment * moving + inertia * turning, mass * moving + moment * turning,
              mass * turning),
        2.0 * rates[:, :, None] * pairs(inertia, moment, mass), mass_matrix(chain, states)], 2)


def coriolis_matrix(chain: Chain, states: States) -> Array:
    states = {**states, "qdd": np.zeros_like(states["q"])}
    return derivatives(chain, states)[..., chain.n:2 * chain.n] / 2


def products(chain: Chain, states: States) -> Array:
    """Products of weights with the derivatives of the efforts, (states, 3n)."""
    return np.einsum("si,sij->sj", np.abs(states["w"]), derivatives(chain, states))


def mass_matrix(chain: Chain, states: States) -> Array:
    mass, _, inertia = _outward_moments(chain, states)
    root = np.sqrt(np.where(_revolute(chain), inertia, mass))
    return root[:, :, None] * root[:, None, :]


def friction(chain: Chain, states: States) -> Array:
    """Friction, and the efforts that it is subtracted from or depends on."""
    parts = np.array([(f.viscous, f.coulomb + abs(f.offset)) for f in (
        joint.friction for joint in chain.joints)])
    size = parts[:, 0] * np.abs(states["qd"]) + parts[:, 1]
    return size + sum((np.abs(states[name]) for name in ("tau", "load") if name in states), 0.0)


def pose(chain: Chain, states: States) -> Array:
    size = np.ones((len(states["q"]), 4, 4))
    size[:, :, 3] = _reach(chain, states)[:, None]
    return size


def jacobian(chain: Chain, states: States) -> Array:
    """Differences of positions in the base link."""
    linear = np.tile(_reach(chain, states)[:, None, None], (1, 3, chain.n))
    return np.concatenate([linear, np.ones_like(linear)], 1)


def tip_efforts(chain: Chain, states: States) -> Array:
    force, moment = (part.sum(1)[:, None] for part in np.split(np.abs(states["wrench"]), 2, 1))
    return np.where(_revolute(chain), moment + force * _reach(chain, states)[:, None], force)


def tip_efforts_derivatives(chain: Chain, states: States) -> Array:
    turning = np.where(_revolute(chain), _reach(chain, states)[:, None] + 1.0, 1.0)
    size = np.abs(states["wrench"]).sum(1)[:, None] * turning
    return np.maximum(size[:, :, None], size[:, None, :])


def payload(chain: Chain, states: States) -> Array:
    size = np.abs(states["body"]).sum(1) * (1.0 + math.hypot(*chain.tip.translation))**2
    return np.repeat(size[:, None], states["body"].shape[1], 1)


def _revolute(chain: Chain) -> Array:
    return np.array([joint.revolute for joint in chain.joints])


def _steps(chain: Chain, states: States) -> Array:
    """Upper bound on |O_{i-1} O_i|, (states, n)."""
    return np.array([abs(joint.a) + abs(joint.d) for joint in chain.joints]) + np.where(
        _revolute(chain), 0.0, np.abs(states["q"]))


def _reach(chain: Chain, states: States) -> Array:
    """Upper bound on the distance from the base link to the tip, (states,)."""
    return _steps(chain, states).sum(1) + math.hypot(*chain.tip.translation) + math.hypot(
        *chain.base.translation)


def _outward_moments(chain: Chain, states: States) -> tuple[Array, Array, Array]:
    """Bounds on mass, first moment and inertia about O_i of all beyond joint i; (states, n)."""
    steps = _steps(chain, states)
    sizes = []
    nothing: Array = np.zeros(len(steps))
    mass, moment, inertia, step = nothing, nothing, nothing, nothing
    for i in reversed(range(chain.n)):
        joint, link = chain.joints[i], chain.links[i]
        rotor = joint.rotor_inertia * max(1.0, abs(joint.gear_ratio))**2
        inertia = inertia + 2.0 * moment * step + mass * step**2 + rotor + float(
            np.abs(link.origin_inertia).sum())
        moment = moment + mass * step + math.hypot(*link.first_moment)
        mass = mass + abs(link.mass) + (0.0 if joint.revolute else rotor)
        sizes.append((mass, moment, inertia))
        step = steps[:, i]
    mass, moment, inertia = (np.stack(values[::-1], 1) for values in zip(*sizes))
    return mass, moment, inertia
