"""Inertia matrix with wrenches and axes that meet in one frame: between Formulations 1 and 3.

    D_ji = u_j . t_i + (u_j x s) . f_i        in frame min(i, k)

Formulation 1 of Lin & Fang 1999 carries the wrench of composite body i inward to every joint j,
Formulation 3 carries the axis of joint j outward to every body i; each step costs 20M 12A. Here
they meet in frame k: wrenches of the bodies beyond it come inward as far as frame k, with entries
read off at the joints on the way, and axes before it go outward as far as frame k, where each pair
costs 6M 5A. k = 1 is Formulation 1, k = n is Formulation 3. Not in the papers.

Cost for 6 revolute joints on virtual links: 324 multiplications, 260 additions (Formulation 1 from
MLCs: 375, 284; printed 407, 301); for large n about 7 n^2 instead of 10 n^2.
test/papers/test_counts.py counts it.
"""

from __future__ import annotations

from collections.abc import Sequence

from manip_dynamics.model.chain import Chain, Joint

from .composite_body import CompositeBody, composite_bodies
from .formulation1 import unit_wrench
from .formulation3 import AxisMotion, motion_in_child, power, unit_motion
from .vectors import Frame, Scalar, frames_at, wrench_in_parent


def mass_matrix(chain: Chain, q: Sequence[Scalar], k: int | None = None) -> list[list[Scalar]]:
    """The n x n inertia matrix, from natural parameters or virtual links.

    `k`, from 1 to n, is the frame where wrenches and axes meet. The default, the middle, is best
    for an arm in general position; for a particular arm, count operations to find the best k.
    """
    frames = frames_at(chain, q)
    k = (chain.n + 1) // 2 if k is None else k
    return entries(chain.joints, frames, composite_bodies(chain, frames), k)


def entries(
    joints: Sequence[Joint], frames: Sequence[Frame], bodies: Sequence[CompositeBody], k: int
) -> list[list[Scalar]]:
    """The inertia matrix from composite bodies."""
    n, meeting = len(joints), k - 1
    D: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    motions: list[AxisMotion] = []  # of the axes before frame min(i, k), in that frame
    for i in range(n):
        f, t = unit_wrench(joints[i], bodies[i])
        D[i][i] = t[2] if joints[i].revolute else f[2]
        if i <= meeting:
            motions = [motion_in_child(frames[i], motion) for motion in motions]
        for j in reversed(range(meeting, i)):
            f, t = wrench_in_parent(frames[j + 1], f, t)
            D[j][i] = D[i][j] = t[2] if joints[j].revolute else f[2]
        for j, motion in enumerate(motions):
            D[j][i] = D[i][j] = power(motion, f, t)
        if i < meeting:
            motions.append(unit_motion(joints[i]))
    return D
