"""The stiffest friction and stops that an explicit integrator can follow with a given time step.

An explicit method is stable only if the rate of a decay or an oscillation times the step stays
within the method's limits. The rates follow from the mobility (the inverse of the mass matrix),
sampled over the joint ranges. From them follow

- inertia added to links so light that viscous friction stops them within a step: their velocity
  then decays in about one step, and equilibria and all slower motions are unaffected;
- the velocity at which Coulomb friction saturates, and the number of substeps;
- the stiffness of the stops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..dynamics import Dynamics
from ..model.robot import Robot
from .integrators import Integrator
from .joints import JointPhysics

Array = np.ndarray

# Velocity at which Coulomb friction saturates, as a fraction of the joint's velocity limit.
FRICTION_VELOCITY_FRACTION = 0.01
DEFAULT_VELOCITY = 1.0  # rad/s or m/s, for joints without a velocity limit
MAX_SUBSTEPS = 16  # if more were needed, friction is made to rise more slowly
# A joint is light if the inertia that slows its decay exceeds this fraction of its own.
LIGHT = 0.1
# Fraction of a method's stability limit, for viscous and Coulomb friction each: at half the limit
# in total nothing overshoots, with a margin for higher rates between the sampled positions.
STABILITY_FRACTION = 0.25
# Phase advance of an undamped stop per step, rad: a bounce takes about 16 steps.
STOP_RESOLUTION = 0.2
# Softness of a stop, as a fraction of the penetration by an impact at the velocity limit.
STOP_SOFTNESS = 0.5
# Ratio of eigenvalues of the mass matrix below which some joint has no inertia.
SINGULAR = 1e-12
SAMPLES = 200


@dataclass(frozen=True)
class StepPlan:
    """The number of substeps per dt, and what acts at the joints."""

    substeps: int
    joints: JointPhysics


def plan_steps(
    dyn: Dynamics, dt: float, method: type[Integrator], limits: bool, stop_damping: float = 0.0
) -> StepPlan:
    """The stiffest friction and stops that `method` follows safely with time step dt, s.

    limits: whether effort limits and stops apply. stop_damping: s/rad or s/m, see `JointPhysics`.
    Raises ValueError if a joint has no inertia.
    """
    robot = dyn.robot
    friction = [joint.friction for joint in robot.joints]
    damping = np.array([f.viscous for f in friction])
    bounded = (robot.max_velocity > 0.0) & np.isfinite(robot.max_velocity)
    velocity = np.where(bounded, robot.max_velocity, DEFAULT_VELOCITY)
    max_rate = STABILITY_FRACTION * method.decay_limit / dt  # of a decay, 1/s

    q = _sampled_positions(robot)
    inertia = _inertia(dyn, q)
    coulomb = (np.array([f.coulomb for f in friction])
               + np.array([f.load for f in friction]) * np.abs(dyn.gravity(q)).max(0))
    mobility = np.linalg.inv(inertia)
    added_inertia: Array = np.zeros(robot.n)
    if _fastest_rate(mobility, damping) > max_rate:
        enough = damping / max_rate
        light = enough * mobility.diagonal(0, 1, 2).max(0) > LIGHT
        added_inertia = np.where(light, enough, 0.0)
        mobility = np.linalg.inv(inertia + np.diag(added_inertia))

    friction_velocity = np.maximum(FRICTION_VELOCITY_FRACTION * velocity,
                                   [f.width for f in friction])
    rate = _fastest_rate(mobility, coulomb / friction_velocity)
    substeps = min(max(1, math.ceil(rate / max_rate)), MAX_SUBSTEPS)
    friction_velocity *= max(1.0, rate / (max_rate * substeps))

    frequency = min(STOP_RESOLUTION, method.oscillation_limit / 3) * substeps / dt
    return StepPlan(substeps, JointPhysics(
        arm=robot.chain,
        friction_velocity=friction_velocity,
        max_effort=robot.max_effort if limits else np.full(robot.n, np.inf),
        lower=robot.lower if limits else np.full(robot.n, -np.inf),
        upper=robot.upper if limits else np.full(robot.n, np.inf),
        stop_stiffness=frequency**2 / mobility.diagonal(0, 1, 2).max(0),
        stop_softness=STOP_SOFTNESS * velocity / frequency,
        stop_damping=np.full(robot.n, float(stop_damping)),
        added_inertia=added_inertia,
    ))


def _sampled_positions(robot: Robot) -> Array:
    """Random positions within the joint ranges, (SAMPLES, n)."""
    reach = np.array([math.pi if joint.revolute else 1.0 for joint in robot.joints])
    lower, upper = np.maximum(robot.lower, -reach), np.minimum(robot.upper, reach)
    return np.random.default_rng(0).uniform(lower, np.maximum(lower, upper), (SAMPLES, robot.n))


def _inertia(dyn: Dynamics, q: Array) -> Array:
    """Mass matrices at q, (SAMPLES, n, n); ValueError if a joint has no inertia."""
    inertia = dyn.mass_matrix(q)
    eigenvalues, vectors = np.linalg.eigh(inertia)
    worst = int(np.argmin(eigenvalues[:, 0] / eigenvalues[:, -1]))
    if not eigenvalues[worst, 0] > SINGULAR * eigenvalues[worst, -1]:
        joint = dyn.robot.joints[int(np.argmax(abs(vectors[worst, :, 0])))]
        raise ValueError(f"joint '{joint.name}' moves no inertia, so its acceleration is "
                         "unbounded: give its link an inertia or the joint a rotor_inertia")
    return inertia


def _fastest_rate(mobility: Array, damping: Array) -> float:
    """The largest eigenvalue of M^-1 diag(damping), 1/s."""
    root = np.sqrt(damping)
    return float(np.linalg.eigvalsh(root[:, None] * mobility * root).max(initial=0.0))
