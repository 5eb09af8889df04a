"""End-effector-space dynamics against the definition of Tsai 9.10 and against the motion itself."""

import numpy as np
import pytest
from oracle import assert_close, random_chain, random_state

from manip_dynamics.algorithms import kinematics, lin1991
from manip_dynamics.algorithms.task_space import task_space_terms

# Mx is as large as 1 / (smallest singular value of J)^2; the arms below keep the condition number
# under this bound, and rounding under the usual tolerance.
WELL_CONDITIONED = 30.0


class Arm:
    """A random arm away from singular positions, and its joint-space terms."""

    def __init__(self, kinds, rows=slice(0, 6)):
        rng = np.random.default_rng(len(kinds))
        chain = random_chain(rng, kinds)
        for _ in range(1000):
            q, qd, _ = random_state(rng, len(kinds))
            self.J = np.array(kinematics.jacobian(chain, q))[rows]
            if np.linalg.cond(self.J) < WELL_CONDITIONED:
                break
        self.M = np.array(lin1991.mass_matrix(chain, q))
        self.G = np.array(lin1991.bias(chain, q, 0 * q))
        self.V = np.array(lin1991.bias(chain, q, qd)) - self.G
        self.Jdot_qd = np.array(kinematics.jacobian_rate_times_velocity(chain, q, qd))[rows]
        self.terms = task_space_terms(*(
            term.tolist() for term in (self.M, self.V, self.G, self.J, self.Jdot_qd)))


@pytest.mark.parametrize("kinds", ["RRRRRR", "RRPRRR", "PRRPRR", "PPPRRR"])
def test_six_joints_follow_the_print(kinds):
    arm = Arm(kinds)
    inverse = np.linalg.inv(arm.J)
    assert_close(arm.terms.inertia, inverse.T @ arm.M @ inverse)  # (9.175)
    assert_close(arm.terms.velocity, inverse.T @ (arm.V - arm.M @ inverse @ arm.Jdot_qd))
    assert_close(arm.terms.gravity, inverse.T @ arm.G)  # (9.178)


@pytest.mark.parametrize(("kinds", "rows"), [
    ("RRPRRR", slice(0, 6)), ("RRRRRRR", slice(0, 6)), ("RPRRRRRPRR", slice(0, 6)),
    ("RRP", slice(0, 3)), ("RRRRR", slice(0, 3)), ("RRPRRR", slice(3, 6)),
])
def test_a_force_at_the_tip_accelerates_it_as_the_terms_say(kinds, rows):
    arm = Arm(kinds, rows)
    force = np.arange(1.0, len(arm.J) + 1)
    qdd = np.linalg.solve(arm.M, arm.J.T @ force - arm.V - arm.G)
    xdd = arm.J @ qdd + arm.Jdot_qd  # (9.176)
    terms = [np.array(term) for term in arm.terms]
    assert_close(terms[0] @ xdd + terms[1] + terms[2], force, tolerance=1e-9)
    assert_close(terms[0], terms[0].T)
    assert np.linalg.eigvalsh(terms[0]).min() > 0.0


def test_more_coordinates_than_joints_is_refused():
    J = [[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]]
    with pytest.raises(ValueError, match="3 task coordinates need at least 3 joints"):
        task_space_terms([[2.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [0.0, 0.0], J, [0.0, 0.0, 0.0])
