"""How stiff friction and stops may be for a step length, and what else they need.

An explicit method follows a decay or an oscillation only if its rate times the step stays within
the method's limits. The rates follow from the mobility, the inverse of the inertia matrix, which
is sampled over the positions that the arm can take.

- Viscous friction on a link so light that its speed decays within a step: the joint is given the
  inertia with which it decays in about one step. Where forces balance, and at all slower motions,
  nothing changes; what changes is too fast to be seen.
- Coulomb friction: the speed within which it rises, and substeps.
- Stops: their stiffness.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..dynamics import Dynamics
from ..model.chain import Joint
from .integrators import Integrator
from .joints import JointPhysics

Array = np.ndarray

# Coulomb friction is fully developed above this share of a joint's greatest velocity.
FRICTION_VELOCITY_SHARE = 0.01
DEFAULT_VELOCITY = 1.0  # rad/s or m/s, where the robot states no limit
MOST_SUBSTEPS = 16  # if more were needed, friction rises more slowly
# A joint is light if the inertia that slows its decay is more than this share of its own.
LIGHT = 0.1
# Of a method's limit of stability, for viscous and for Coulomb friction each. At half the limit
# together nothing overshoots; and between the sampled positions rates may be higher.
STABILITY_SHARE = 0.25
# A stop alone oscillates by this many rad per step: a bounce takes some 16 steps.
STOP_RESOLUTION = 0.2
# Depth over which a stop becomes stiff, as a share of that of an impact at greatest velocity.
STOP_SOFTNESS = 0.5
# An inertia matrix with a smaller ratio of eigenvalues lacks the inertia of a joint.
SINGULAR = 1e-12
SAMPLES = 200


@dataclass(frozen=True)
class StepPlan:
    """What `Simulator` integrates with: each dt in so many substeps, and this at the joints."""

    substeps: int
    joints: JointPhysics


def plan_steps(
    dyn: Dynamics, dt: float, method: type[Integrator], limits: bool, stop_damping: float = 0.0
) -> StepPlan:
    """The stiffest friction and stops that `method` follows safely with steps of dt.

    limits: whether effort limits and stops act. stop_damping: see `JointPhysics`, s/rad or s/m.
    """
    joints = dyn.robot.joints
    damping = np.array([joint.friction.viscous for joint in joints])
    velocity = np.array([_velocity_scale(joint) for joint in joints])
    fastest = STABILITY_SHARE * method.decay_limit / dt  # rate that one step follows

    q = _sampled_positions(dyn)
    inertia = _inertia(dyn, q)
    coulomb = np.array([joint.friction.coulomb for joint in joints]) + np.array(
        [joint.friction.load for joint in joints]) * np.abs(dyn.gravity(q)).max(0)
    mobility = np.linalg.inv(inertia)
    added_inertia: Array = np.zeros(len(joints))
    if _fastest_rate(mobility, damping) > fastest:
        enough = damping / fastest
        light = enough * mobility.diagonal(0, 1, 2).max(0) > LIGHT
        added_inertia = np.where(light, enough, 0.0)
        mobility = np.linalg.inv(inertia + np.diag(added_inertia))

    friction_velocity = np.maximum(FRICTION_VELOCITY_SHARE * velocity,
                                   [joint.friction.width for joint in joints])
    rate = _fastest_rate(mobility, coulomb / friction_velocity)
    substeps = min(max(1, math.ceil(rate / fastest)), MOST_SUBSTEPS)
    friction_velocity *= max(1.0, rate / (fastest * substeps))

    frequency = min(STOP_RESOLUTION, method.oscillation_limit / 3) * substeps / dt
    return StepPlan(substeps, JointPhysics(
        arm=dyn.robot.chain,
        friction_velocity=friction_velocity,
        max_effort=_limit([joint.max_effort for joint in joints], limits, np.inf),
        lower=_limit([joint.lower for joint in joints], limits, -np.inf),
        upper=_limit([joint.upper for joint in joints], limits, np.inf),
        stop_stiffness=frequency**2 / mobility.diagonal(0, 1, 2).max(0),
        stop_softness=STOP_SOFTNESS * velocity / frequency,
        stop_damping=np.full(len(joints), float(stop_damping)),
        added_inertia=added_inertia,
    ))


def _velocity_scale(joint: Joint) -> float:
    return joint.max_velocity if 0.0 < joint.max_velocity < math.inf else DEFAULT_VELOCITY


def _limit(values: list[float], acts: bool, otherwise: float) -> Array:
    return np.array(values) if acts else np.full(len(values), otherwise)


def _sampled_positions(dyn: Dynamics) -> Array:
    """All over the range of the joints, (SAMPLES, n)."""
    joints = dyn.robot.joints
    reach = np.array([math.pi if joint.revolute else 1.0 for joint in joints])
    lower = np.maximum([joint.lower for joint in joints], -reach)
    upper = np.minimum([joint.upper for joint in joints], reach)
    return np.random.default_rng(0).uniform(lower, np.maximum(lower, upper),
                                            (SAMPLES, len(joints)))


def _inertia(dyn: Dynamics, q: Array) -> Array:
    """M, (SAMPLES, n, n); ValueError if a joint moves no inertia."""
    inertia = dyn.mass_matrix(q)
    eigenvalues, vectors = np.linalg.eigh(inertia)
    worst = int(np.argmin(eigenvalues[:, 0] / eigenvalues[:, -1]))
    if not eigenvalues[worst, 0] > SINGULAR * eigenvalues[worst, -1]:
        joint = dyn.robot.joints[int(np.argmax(abs(vectors[worst, :, 0])))]
        raise ValueError(f"joint '{joint.name}' moves no inertia, so its acceleration has no "
                         "bound: give its link an inertia or the joint a rotor_inertia")
    return inertia


def _fastest_rate(mobility: Array, damping: Array) -> float:
    """The greatest eigenvalue of M^-1 diag(damping), 1/s."""
    root = np.sqrt(damping)
    return float(np.linalg.eigvalsh(root[:, None] * mobility * root).max(initial=0.0))
