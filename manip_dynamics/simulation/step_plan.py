"""How stiff friction and stops may be for a step length, and how many substeps they need.

An explicit method follows a decay or an oscillation only if its rate times the step stays within
the method's limits. The rates follow from the mobility, the inverse of the inertia matrix, which
is sampled over the positions that the arm can take.
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
# Heavy friction on light links needs short steps; more than this is a mistake in the model.
MOST_SUBSTEPS = 64
# Rates between the sampled positions may be higher, and the arm adds rates of its own.
STABILITY_SHARE = 0.5
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
    joints, n = dyn.robot.joints, dyn.robot.n
    mobility = _sampled_mobility(dyn)
    damping = np.array([joint.damping for joint in joints])
    coulomb = np.array([joint.friction for joint in joints])
    velocity = np.array([_velocity_scale(joint) for joint in joints])
    friction_velocity = FRICTION_VELOCITY_SHARE * velocity

    longest = STABILITY_SHARE * method.decay_limit  # of a step times a rate
    viscous_rate = _fastest_rate(mobility, damping)
    coulomb_rate = _fastest_rate(mobility, coulomb / friction_velocity)
    if dt * viscous_rate > longest * MOST_SUBSTEPS / 2:
        worst = int(np.argmax(damping * mobility.diagonal(0, 1, 2).max(0)))
        raise ValueError(
            f"joint '{joints[worst].name}' has a damping of {damping[worst]:g} and so little "
            f"inertia that its speed decays at {viscous_rate:.2g} per second: give it a "
            f"rotor_inertia, or take dt below {longest * MOST_SUBSTEPS / 2 / viscous_rate:.1g} s")
    wanted = dt * (viscous_rate + coulomb_rate) / longest
    substeps = min(max(1, math.ceil(wanted)), MOST_SUBSTEPS)
    if wanted > MOST_SUBSTEPS:
        friction_velocity *= coulomb_rate / (longest * substeps / dt - viscous_rate)

    frequency = min(STOP_RESOLUTION, method.oscillation_limit / 3) * substeps / dt
    return StepPlan(substeps, JointPhysics(
        damping=damping,
        coulomb=coulomb,
        friction_velocity=friction_velocity,
        max_effort=_limit([joint.max_effort for joint in joints], limits, np.inf),
        lower=_limit([joint.lower for joint in joints], limits, -np.inf),
        upper=_limit([joint.upper for joint in joints], limits, np.inf),
        stop_stiffness=frequency**2 / mobility.diagonal(0, 1, 2).max(0),
        stop_softness=STOP_SOFTNESS * velocity / frequency,
        stop_damping=np.full(n, float(stop_damping)),
    ))


def _velocity_scale(joint: Joint) -> float:
    return joint.max_velocity if 0.0 < joint.max_velocity < math.inf else DEFAULT_VELOCITY


def _limit(values: list[float], acts: bool, otherwise: float) -> Array:
    return np.array(values) if acts else np.full(len(values), otherwise)


def _sampled_mobility(dyn: Dynamics) -> Array:
    """M^-1 at positions all over the range of the joints, (SAMPLES, n, n)."""
    joints = dyn.robot.joints
    reach = np.array([math.pi if joint.revolute else 1.0 for joint in joints])
    lower = np.maximum([joint.lower for joint in joints], -reach)
    upper = np.minimum([joint.upper for joint in joints], reach)
    q = np.random.default_rng(0).uniform(lower, np.maximum(lower, upper), (SAMPLES, len(joints)))
    inertia = dyn.mass_matrix(q)
    eigenvalues, vectors = np.linalg.eigh(inertia)
    worst = int(np.argmin(eigenvalues[:, 0] / eigenvalues[:, -1]))
    if not eigenvalues[worst, 0] > SINGULAR * eigenvalues[worst, -1]:
        joint = joints[int(np.argmax(abs(vectors[worst, :, 0])))]
        raise ValueError(f"joint '{joint.name}' moves no inertia, so its acceleration has no "
                         "bound: give its link an inertia or the joint a rotor_inertia")
    return np.linalg.inv(inertia)


def _fastest_rate(mobility: Array, damping: Array) -> float:
    """The greatest eigenvalue of M^-1 diag(damping), 1/s."""
    root = np.sqrt(damping)
    return float(np.linalg.eigvalsh(root[:, None] * mobility * root).max(initial=0.0))
