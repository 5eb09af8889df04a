"""Forward kinematics and Jacobian by 4 x 4 matrices: the textbook way, to check the fast one.

    T = B A_1 A_2 .. A_n E,   J_i = (d_i; w_i),   (dT/dq_i) T^-1 = [[w_i x], v_i; 0 0]

with B the base and E the tip placement, and d_i the last column of dT/dq_i. Only the sines and
cosines of the frames are shared with kinematics.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain

from .uicker_kahn import Rows, multiply, transform, transform_derivative
from .vectors import Scalar, frames_at, homogeneous


def forward_kinematics(chain: Chain, q: Sequence[Scalar]) -> Rows:
    """The tip in the base link, 4 x 4."""
    return _product(chain, [transform(frame) for frame in frames_at(chain, q)])


def jacobian(chain: Chain, q: Sequence[Scalar]) -> Rows:
    """J, 6 x n: linear, then angular velocity of the tip, in the base link's axes."""
    frames = frames_at(chain, q)
    steps = [transform(frame) for frame in frames]
    T = _product(chain, steps)
    columns = []
    for i, joint in enumerate(chain.joints):
        dT = _product(chain, [*steps[:i], transform_derivative(joint, frames[i]), *steps[i + 1:]])
        # [w x] = (dR/dq) R^T
        w = [sum((dT[a][k] * T[b][k] for k in range(3)), 0.0) for a, b in ((2, 1), (0, 2), (1, 0))]
        columns.append([dT[0][3], dT[1][3], dT[2][3], *w])
    return [list(row) for row in zip(*columns)]


def _product(chain: Chain, steps: Sequence[Rows]) -> Rows:
    product = homogeneous(*chain.base)
    for step in (*steps, homogeneous(*chain.tip)):
        product = multiply(product, step)
    return product
