"""Inertia matrix by 4 x 4 matrices, the Uicker-Kahn method: Bansevicius et al. 2005.

    H_ij = sum_{k = max(i, j)}^{n} trace( dW_k/dq_i  P_k  (dW_k/dq_j)^T )                       (2)

W_k is the homogeneous transform of frame k in frame 0, P_k the pseudo inertia of link k about O_k.
The paper's rotation (5) is standard DH; here W_k is built of modified DH transforms. The method is
meant for computer algebra, where zeros, ones and common factors disappear; executed as written,
six revolute joints take 2000 multiplications and 1501 additions; counted in
test/algorithms/test_lagrange.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain, Joint, Link

from .vectors import Frame, Scalar, frames_at, sum_of_products

Rows = list[list[Scalar]]


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """H, (n, n), symmetric."""
    n = chain.n
    H: Rows = [[0.0] * n for _ in range(n)]
    W: Rows = [[float(i == j) for j in range(4)] for i in range(4)]
    dW: list[Rows] = []  # dW_k/dq_i for i <= k
    for k, (joint, link, frame) in enumerate(zip(chain.joints, chain.links, frames_at(chain, q))):
        A = transform(frame)
        dW = [multiply(derivative, A) for derivative in dW]
        dW.append(multiply(W, transform_derivative(joint, frame)))
        W = multiply(W, A)  # (3)
        P = pseudo_inertia(link)
        for i in range(k + 1):  # link k counts for i, j <= k, and dW_j is transposed:
            moment = multiply(dW[i], P)  # misprints in (2)
            for j in range(i, k + 1):
                H[i][j] = H[i][j] + _trace_of_product(moment, dW[j])
    return [[H[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]


def transform(frame: Frame) -> Rows:
    """A: frame i in frame i-1, 4 x 4  (4)."""
    C, S, ca, sa, a, d = frame.C, frame.S, frame.ca, frame.sa, frame.a, frame.d
    return [
        [C, -S, 0.0, a],
        [ca * S, ca * C, -sa, -(sa * d)],
        [sa * S, sa * C, ca, ca * d],
        [0.0, 0.0, 0.0, 1.0],
    ]


def transform_derivative(joint: Joint, frame: Frame) -> Rows:
    """dA/dq_i, 4 x 4."""
    C, S, ca, sa = frame.C, frame.S, frame.ca, frame.sa
    if joint.revolute:
        rows: Rows = [[-S, -C, 0.0, 0.0], [ca * C, -(ca * S), 0.0, 0.0],
                      [sa * C, -(sa * S), 0.0, 0.0]]
    else:
        rows = [[0.0] * 4, [0.0, 0.0, 0.0, -sa], [0.0, 0.0, 0.0, ca]]
    return [*rows, [0.0] * 4]


def pseudo_inertia(link: Link) -> list[list[float]]:
    """P = integral of (x, y, z, 1)^T (x, y, z, 1) dm, 4 x 4, about O_i."""
    J, m = link.origin_inertia, link.first_moment
    half = 0.5 * (J[0][0] + J[1][1] + J[2][2])
    rows = [[(half if i == j else 0.0) - J[i][j] for j in range(3)] + [m[i]] for i in range(3)]
    return [*rows, [*m, link.mass]]


def multiply(a: Rows, b: Rows) -> Rows:
    """a b."""
    return [[sum_of_products(row, column) for column in zip(*b)] for row in a]


def _trace_of_product(a: Rows, b: Rows) -> Scalar:
    """trace(a b^T)."""
    return sum((sum_of_products(x, y) for x, y in zip(a, b)), 0.0)
