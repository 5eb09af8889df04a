"""Forward kinematics, the Jacobian of the tip, and its time derivative.

    x = f(q),   xd = J qd,   xdd = J qdd + Jdot qd                              (Tsai 9.173, 9.176)

The tip velocity xd is (linear velocity of the tip's origin; angular velocity), both in the axes of
the base link: linear rows first, then angular ones. Columns of J by the screws of the joints
(Tsai 9.81, 9.82). Cost for n revolute joints, any base and any tip: placement of the tip
30 n + 12 multiplications and 18 n + 15 additions, J 36 n - 15 and 24 n - 3, Jdot 57 n - 27 and
48 n - 24, Jdot qd 57 n - 27 and 45 n - 24; counted in test/algorithms/test_kinematics.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain, Placement

from .vectors import (
    ZERO,
    Scalar,
    Vector,
    add,
    column,
    cross,
    frames_at,
    homogeneous,
    matvec,
    rotate_transposed,
    scale,
    sub,
    transposed_matvec,
)


def forward_kinematics(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The tip in the base link, 4 x 4: rotation and position (m)."""
    return homogeneous(*tip_pose(chain, link_poses(chain, q)))


def link_placements(chain: Chain, q: Sequence[Scalar]) -> list[list[list[Scalar]]]:
    """The modified DH frames 1 to n in the base link, n matrices of 4 x 4."""
    return [homogeneous(*pose) for pose in link_poses(chain, q)]


def link_poses(chain: Chain, q: Sequence[Scalar]) -> list[Placement]:
    """Frames 1 to n in the base link."""
    rotation, position = chain.base
    poses: list[Placement] = []
    for frame in frames_at(chain, q):
        position = add(position, scale(frame.a, column(rotation, 0)))  # along x_{i-1}
        rotation = (rotate_transposed(frame, rotation[0]), rotate_transposed(frame, rotation[1]),
                    rotate_transposed(frame, rotation[2]))  # each row times R_i
        position = add(position, scale(frame.d, column(rotation, 2)))  # along z_i
        poses.append(Placement(rotation, position))
    return poses


def tip_pose(chain: Chain, poses: Sequence[Placement]) -> Placement:
    """The tip, fixed to link n, in the base link."""
    tip, (rotation, position) = chain.tip, poses[-1]
    turned = (transposed_matvec(tip.rotation, rotation[0]),
              transposed_matvec(tip.rotation, rotation[1]),
              transposed_matvec(tip.rotation, rotation[2]))
    return Placement(turned, add(position, matvec(rotation, tip.translation)))


def jacobian(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """J, 6 x n: xd = J qd at the tip's origin, in the base link's axes."""
    poses = link_poses(chain, q)
    _, tip = tip_pose(chain, poses)
    columns: list[tuple[Vector, Vector]] = []
    for joint, (rotation, position) in zip(chain.joints, poses):
        z = column(rotation, 2)
        columns.append((cross(z, sub(tip, position)), z) if joint.revolute else (z, ZERO))
    return _rows(columns)


def jacobian_rate(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Jdot, 6 x n: the time derivative of J at joint velocities qd."""
    poses = link_poses(chain, q)
    _, tip = tip_pose(chain, poses)
    axes = [column(rotation, 2) for rotation, _ in poses]

    # Velocities of the axes z_i, of the origins O_i and of the tip.
    omega: Vector = ZERO
    velocity: Vector = ZERO
    origin = poses[0][1]
    axis_rates: list[Vector] = []
    velocities: list[Vector] = []
    for joint, (_, position), z, rate in zip(chain.joints, poses, axes, qd):
        velocity = add(velocity, cross(omega, sub(position, origin)))
        axis_rates.append(cross(omega, z))
        if joint.revolute:
            omega = add(omega, scale(rate, z))
        else:
            velocity = add(velocity, scale(rate, z))
        velocities.append(velocity)
        origin = position
    tip_velocity = add(velocity, cross(omega, sub(tip, origin)))

    columns: list[tuple[Vector, Vector]] = []
    for i, joint in enumerate(chain.joints):
        if joint.revolute:
            turning = cross(axis_rates[i], sub(tip, poses[i][1]))
            moving = cross(axes[i], sub(tip_velocity, velocities[i]))
            columns.append((add(turning, moving), axis_rates[i]))
        else:
            columns.append((axis_rates[i], ZERO))
    return _rows(columns)


def jacobian_rate_times_velocity(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> list[Scalar]:
    """Jdot qd, 6: the acceleration of the tip that velocities alone cause (qdd = 0)."""
    poses = link_poses(chain, q)
    _, tip = tip_pose(chain, poses)
    omega, omegad, acceleration = ZERO, ZERO, ZERO
    origin = poses[0][1]
    for joint, (rotation, position), rate in zip(chain.joints, poses, qd):
        acceleration = add(acceleration, _arm_acceleration(omega, omegad, sub(position, origin)))
        motion = scale(rate, column(rotation, 2))
        if joint.revolute:
            omegad = add(omegad, cross(omega, motion))
            omega = add(omega, motion)
        else:
            acceleration = add(acceleration, scale(2.0, cross(omega, motion)))
        origin = position
    acceleration = add(acceleration, _arm_acceleration(omega, omegad, sub(tip, origin)))
    return [*acceleration, *omegad]


def _arm_acceleration(omega: Vector, omegad: Vector, arm: Vector) -> Vector:
    """Acceleration of one end of an arm relative to the other."""
    return add(cross(omegad, arm), cross(omega, cross(omega, arm)))


def _rows(columns: Sequence[tuple[Vector, Vector]]) -> list[list[Scalar]]:
    linear = [[column[0][i] for column in columns] for i in range(3)]
    angular = [[column[1][i] for column in columns] for i in range(3)]
    return linear + angular
