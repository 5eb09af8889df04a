"""End-effector-space dynamics: Tsai 9.10.

    Mx xdd + Vx + Gx = F,   where tau = J^T F                                            (9.178)

    Mx = J^-T M J^-1,  Vx = J^-T (V - M J^-1 Jdot qd),  Gx = J^-T G             (9.175), (9.178)

J^-1 exists for n = 6 only. Written as Mx = (J M^-1 J^T)^-1, Vx = Mx (J M^-1 V - Jdot qd) and
Gx = Mx J M^-1 G, the same terms hold for every arm with at least as many joints as task
coordinates, take two factorisations L D L^T and no inverse of J. They grow without bound as J loses
rank; the caller must check its singular values first, which generic scalars cannot compute
(Dynamics does so with numpy).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .forward_dynamics import factor_ldl, substitute
from .vectors import Scalar, sum_of_products


class TaskSpaceTerms(NamedTuple):
    """Terms of the equation of motion at the tip, for m task coordinates."""

    inertia: list[list[Scalar]]  # Mx, (m, m)
    velocity: list[Scalar]  # Vx, (m)
    gravity: list[Scalar]  # Gx, (m)


def task_space_terms(
    mass_matrix: Sequence[Sequence[Scalar]],
    velocity: Sequence[Scalar],
    gravity: Sequence[Scalar],
    jacobian: Sequence[Sequence[Scalar]],
    jacobian_rate_times_velocity: Sequence[Scalar],
) -> TaskSpaceTerms:
    """From M (n, n), V (n), G (n) in joint space, J (m, n) and Jdot qd (m), m <= n.

    J may have all six rows of the tip velocity or only those of the task.
    """
    m, n = len(jacobian), len(mass_matrix)
    if m > n:
        raise ValueError(f"{m} task coordinates need at least {m} joints, but the arm has {n}: "
                         f"choose {n} or fewer rows of the Jacobian")
    joint_space = factor_ldl(mass_matrix)
    responses = [substitute(joint_space, row) for row in jacobian]  # columns of M^-1 J^T
    inverse_inertia = [[sum_of_products(jacobian[i], responses[j]) for j in range(i + 1)]
                       for i in range(m)]
    task_space = factor_ldl(inverse_inertia)
    columns = [substitute(task_space, [float(i == j) for j in range(m)]) for i in range(m)]
    inertia = [[columns[max(i, j)][min(i, j)] for j in range(m)] for i in range(m)]  # (9.175)
    free = [sum_of_products(response, velocity) - product
            for response, product in zip(responses, jacobian_rate_times_velocity)]
    falling = [sum_of_products(response, gravity) for response in responses]
    return TaskSpaceTerms(inertia, substitute(task_space, free), substitute(task_space, falling))
