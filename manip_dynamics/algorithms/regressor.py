"""The regressor of the minimal linear combinations.

    tau = Y(q, qd, qdd) @ mlc.values

Efforts are linear in the moments of the links (m, m c, J about O_i), and these in the MLCs
(MinimalCombinations.lift). Column by column: a unit of one moment of link i requires the wrench
f, t at O_i, and contributes its power u_j . t + (u_j x s) . f to joint j, as in Formulation 3 of
Lin & Fang 1999. Only nonzero moments of the virtual links are used. Cost for 6 revolute joints: 777
multiplications, 563 additions; test/papers/test_counts.py counts it.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.mlc import PARAMETERS_PER_LINK, MinimalCombinations

from .formulation3 import AxisMotion, motion_in_child, power, unit_motion
from .newton_euler_mlc import LinkMotion, link_motions
from .vectors import ZERO, Scalar, Vector, column, frames_at


def regressor(
    mlc: MinimalCombinations,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
) -> list[list[Scalar]]:
    """The n x p matrix Y with tau = Y @ mlc.values."""
    chain = mlc.chain
    frames = frames_at(chain, q)
    Y: list[list[Scalar]] = [[0.0] * len(mlc.values) for _ in range(chain.n)]
    axes: list[AxisMotion] = []  # of the joints 1 to i, at O_i in frame i
    for i, link_motion in enumerate(link_motions(chain, frames, qd, qdd)):
        axes = [motion_in_child(frames[i], axis) for axis in axes] + [unit_motion(chain.joints[i])]
        lift = mlc.lift[PARAMETERS_PER_LINK * i: PARAMETERS_PER_LINK * (i + 1)]
        for coefficients, wrench in zip(lift, unit_wrenches(link_motion)):
            columns = [(p, float(c)) for p, c in enumerate(coefficients) if c]
            if columns:
                for j, axis in enumerate(axes):
                    effort = power(axis, *wrench)
                    for p, coefficient in columns:
                        Y[j][p] = Y[j][p] + coefficient * effort
    return Y


def unit_wrenches(motion: LinkMotion) -> list[tuple[Vector, Vector]]:
    """Force and moment at O_i for a unit of m, mx, my, mz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz."""
    (_, (dx, dy, dz), (yz, xz, xy), W), (ax, ay, az) = motion
    return [
        ((ax, ay, az), ZERO),
        (column(W, 0), (0.0, -az, ay)),  # W e_x, e_x x a
        (column(W, 1), (az, 0.0, -ax)),
        (column(W, 2), (-ay, ax, 0.0)),
        (ZERO, (dx, xz, -xy)),  # J omegad + omega x J omega
        (ZERO, (-W[2][0], W[2][1], W[0][0] - W[1][1])),
        (ZERO, (W[1][0], W[2][2] - W[0][0], -W[1][2])),
        (ZERO, (-yz, dy, xy)),
        (ZERO, (W[1][1] - W[2][2], -W[0][1], W[0][2])),
        (ZERO, (yz, -xz, dz)),
    ]
