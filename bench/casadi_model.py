"""RNEA, CRBA and ABA of an arm as CasADi expressions, as Pinocchio would build them.

Pinocchio's wheels do not include its CasADi bindings, so the expressions are built here: spatial
algebra with 3-vectors and one frame per joint, as in Featherstone, Rigid Body Dynamics Algorithms
(2008), tables 5.1, 6.2 and 7.1. CasADi gets the same constants as our code generator, with exact
zeros for parallel and perpendicular axes, which it can fold too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from manip_dynamics.model.chain import Chain, RigidLink

Z = np.array([0.0, 0.0, 1.0])


@dataclass
class Motion:
    """A spatial velocity or acceleration at the origin of its frame."""

    linear: Any
    angular: Any

    def __add__(self, other: Motion) -> Motion:
        return Motion(self.linear + other.linear, self.angular + other.angular)

    def cross(self, other: Motion) -> Motion:
        return Motion(
            cross(self.angular, other.linear) + cross(self.linear, other.angular),
            cross(self.angular, other.angular),
        )


@dataclass
class Force:
    """A force and its moment about the origin of its frame."""

    linear: Any
    angular: Any

    def __add__(self, other: Force) -> Force:
        return Force(self.linear + other.linear, self.angular + other.angular)


@dataclass
class Frame:
    """Rotation and origin of a frame in its parent frame."""

    rotation: Any
    origin: Any

    def into(self, motion: Motion) -> Motion:
        """A motion of the parent frame, expressed in this frame."""
        return Motion(
            self.rotation.T @ (motion.linear - cross(self.origin, motion.angular)),
            self.rotation.T @ motion.angular,
        )

    def out_of(self, force: Force) -> Force:
        """A force of this frame, expressed in the parent frame."""
        linear = self.rotation @ force.linear
        return Force(linear, self.rotation @ force.angular + cross(self.origin, linear))


@dataclass
class Body:
    """Mass, centre of mass, and inertia about the centre of mass."""

    mass: float
    com: Any
    inertia: Any

    def momentum(self, motion: Motion) -> Force:
        linear = self.mass * (motion.linear - cross(self.com, motion.angular))
        return Force(linear, self.inertia @ motion.angular + cross(self.com, linear))

    def seen_from_parent(self, frame: Frame) -> Body:
        inertia = frame.rotation @ self.inertia @ frame.rotation.T
        return Body(self.mass, frame.rotation @ self.com + frame.origin, symmetric(inertia))

    def joined(self, other: Body) -> Body:
        mass = self.mass + other.mass
        if mass == 0.0:
            return self
        apart = skew(self.com - other.com)
        reduced = self.mass * other.mass / mass
        return Body(
            mass,
            self.mass / mass * self.com + other.mass / mass * other.com,
            symmetric(self.inertia + other.inertia - reduced * apart @ apart),
        )


def inverse_dynamics(chain: Chain, q: Any, qd: Any, qdd: Any) -> Any:
    """tau by the recursive Newton-Euler algorithm."""
    frames, axes, bodies = _links(chain, q)
    velocity = Motion(ca.SX(3, 1), ca.SX(3, 1))
    acceleration = Motion(-constant(chain.gravity), ca.SX(3, 1))
    forces = []
    for i, (frame, axis, body) in enumerate(zip(frames, axes, bodies)):
        joint_velocity = Motion(axis.linear * qd[i], axis.angular * qd[i])
        velocity = frame.into(velocity) + joint_velocity
        acceleration = (
            frame.into(acceleration)
            + Motion(axis.linear * qdd[i], axis.angular * qdd[i])
            + velocity.cross(joint_velocity)
        )
        forces.append(body.momentum(acceleration) + _gyroscopic(velocity, body.momentum(velocity)))
    tau = ca.SX(chain.n, 1)
    for i in reversed(range(chain.n)):
        tau[i] = _along(axes[i], forces[i])
        if i:
            forces[i - 1] += frames[i].out_of(forces[i])
    return tau


def mass_matrix(chain: Chain, q: Any) -> Any:
    """M by the composite rigid-body algorithm, both triangles."""
    frames, axes, composite = _links(chain, q)
    M = ca.SX(chain.n, chain.n)
    for i in reversed(range(chain.n)):
        if i:
            composite[i - 1] = composite[i - 1].joined(composite[i].seen_from_parent(frames[i]))
        force = composite[i].momentum(axes[i])
        M[i, i] = _along(axes[i], force)
        for j in reversed(range(i)):
            force = frames[j + 1].out_of(force)
            M[i, j] = M[j, i] = _along(axes[j], force)
    return M


def forward_dynamics(chain: Chain, q: Any, qd: Any, tau: Any) -> Any:
    """qdd by the articulated-body algorithm, with 6 x 6 articulated inertias."""
    frames, axes, bodies = _links(chain, q)
    velocity = Motion(ca.SX(3, 1), ca.SX(3, 1))
    coriolis, inertias, biases = [], [], []
    for i, (frame, axis, body) in enumerate(zip(frames, axes, bodies)):
        joint_velocity = Motion(axis.linear * qd[i], axis.angular * qd[i])
        velocity = frame.into(velocity) + joint_velocity
        coriolis.append(velocity.cross(joint_velocity))
        inertias.append(_spatial_inertia(body))
        biases.append(stacked(_gyroscopic(velocity, body.momentum(velocity))))
    columns: list[Any] = [None] * chain.n
    pivots: list[Any] = [None] * chain.n
    residuals: list[Any] = [None] * chain.n
    for i in reversed(range(chain.n)):
        axis, inertia = stacked(axes[i]), inertias[i]
        columns[i] = inertia @ axis
        pivots[i] = 1 / (axis.T @ columns[i])
        residuals[i] = tau[i] - axis.T @ biases[i]
        if i:
            inertia = symmetric(inertia - columns[i] @ (columns[i].T * pivots[i]))
            bias = biases[i] + inertia @ stacked(coriolis[i])
            bias += columns[i] * (pivots[i] * residuals[i])
            to_parent = _force_transform(frames[i])
            inertias[i - 1] += symmetric(to_parent @ inertia @ to_parent.T)
            biases[i - 1] += to_parent @ bias
    acceleration = Motion(-constant(chain.gravity), ca.SX(3, 1))
    qdd = ca.SX(chain.n, 1)
    for i in range(chain.n):
        acceleration = frames[i].into(acceleration) + coriolis[i]
        qdd[i] = pivots[i] * (residuals[i] - columns[i].T @ stacked(acceleration))
        acceleration += Motion(axes[i].linear * qdd[i], axes[i].angular * qdd[i])
    return qdd


def _links(chain: Chain, q: Any) -> tuple[list[Frame], list[Motion], list[Body]]:
    """Frame, joint axis and body of every link; joints turn about z or slide along it."""
    frames, axes = [], []
    for i, joint in enumerate(chain.joints):
        fixed = joint.placement_at_zero
        rotation, origin = constant(fixed.rotation), constant(fixed.translation)
        if joint.revolute:
            c, s = ca.cos(q[i]), ca.sin(q[i])
            turn = ca.SX(3, 3)
            turn[0, 0], turn[0, 1], turn[1, 0], turn[1, 1], turn[2, 2] = c, -s, s, c, 1.0
            frames.append(Frame(rotation @ turn, origin))
            axes.append(Motion(ca.SX(3, 1), constant(Z)))
        else:
            frames.append(Frame(rotation, origin + rotation[:, 2] * q[i]))
            axes.append(Motion(constant(Z), ca.SX(3, 1)))
    return frames, axes, [_body(link) for link in chain.rigid_links]


def _body(link: RigidLink) -> Body:
    return Body(link.mass, constant(link.com), constant(link.inertia))


def _along(axis: Motion, force: Force) -> Any:
    return axis.linear.T @ force.linear + axis.angular.T @ force.angular


def _gyroscopic(velocity: Motion, momentum: Force) -> Force:
    return Force(
        cross(velocity.angular, momentum.linear),
        cross(velocity.angular, momentum.angular) + cross(velocity.linear, momentum.linear),
    )


def _spatial_inertia(body: Body) -> Any:
    offset = body.mass * skew(body.com)
    return ca.blockcat(
        [[body.mass * ca.SX.eye(3), -offset], [offset, body.inertia - offset @ skew(body.com)]]
    )


def _force_transform(frame: Frame) -> Any:
    return ca.blockcat(
        [[frame.rotation, ca.SX(3, 3)], [skew(frame.origin) @ frame.rotation, frame.rotation]]
    )


def stacked(pair: Motion | Force) -> Any:
    """Linear above angular, (6, 1)."""
    return ca.vertcat(pair.linear, pair.angular)


def constant(value: Any) -> Any:
    """A sparse CasADi matrix of numbers; zeros are not stored."""
    return ca.sparsify(ca.SX(np.asarray(value, float)))


def cross(a: Any, b: Any) -> Any:
    """a x b."""
    return skew(a) @ b


def skew(a: Any) -> Any:
    """The matrix of a x."""
    return ca.sparsify(ca.skew(a))


def symmetric(matrix: Any) -> Any:
    """The matrix with its lower triangle copied from the upper one, which is computed once."""
    return ca.triu2symm(ca.triu(matrix))
