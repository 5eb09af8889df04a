"""Tsai's closed forms: the planar 2R arm of 9.7 and 9.8 and the SCARA arm of 9.8.

His frames are standard DH; in modified DH alpha and a move to the next joint, and frame i sits at
the near end of link i.
"""

import math

import numpy as np
import pytest
from oracle import assert_close
from registry import INVERSE_DYNAMICS, MASS_MATRICES

from manip_dynamics.algorithms.newton_euler import reaction_wrenches
from manip_dynamics.model.chain import Chain, Joint, RigidLink

G = 9.81
A1, A2, M1, M2, M3, LENGTH3 = 0.7, 0.5, 4.0, 3.0, 2.0, 0.6

STATES = np.random.default_rng(0).uniform(-2, 2, (10, 3, 3))  # q, qd, qdd


def every(functions):
    return pytest.mark.parametrize("function", functions.values(), ids=functions.keys())


def rod(mass, length):
    """A slender homogeneous rod along x from the origin (9.72), (9.104)."""
    I = mass * length**2 / 12  # noqa: E741
    return RigidLink(
        mass, (length / 2, 0.0, 0.0), ((0.0, 0.0, 0.0), (0.0, I, 0.0), (0.0, 0.0, I)))


def planar_2r():
    joints = (Joint("revolute"), Joint("revolute", a=A1))
    return Chain(joints, (rod(M1, A1), rod(M2, A2)), gravity=(0.0, -G, 0.0))


def scara():
    """Links 1 and 2 horizontal rods, the third a vertical rod along the axis that points down."""
    I = M3 * LENGTH3**2 / 12  # noqa: E741
    quill = RigidLink(
        M3, (0.0, 0.0, -LENGTH3 / 2), ((I, 0.0, 0.0), (0.0, I, 0.0), (0.0, 0.0, 0.0)))
    joints = (Joint("revolute", d=0.4), Joint("revolute", a=A1),
              Joint("prismatic", alpha=math.pi, a=A2))
    return Chain(joints, (rod(M1, A1), rod(M2, A2), quill), gravity=(0.0, 0.0, -G))


@every(INVERSE_DYNAMICS)
def test_planar_arm(function):
    for (t1, t2, _), (w1, w2, _), (e1, e2, _) in STATES:
        c2, s2 = M2 * A1 * A2 * math.cos(t2), M2 * A1 * A2 * math.sin(t2)
        far = M2 * A2**2 / 3
        tau1 = (((M1 / 3 + M2) * A1**2 + c2 + far) * e1 + (c2 / 2 + far) * e2
                - s2 * (w1 * w2 + w2**2 / 2)
                + G * ((M1 / 2 + M2) * A1 * math.cos(t1) + M2 * A2 / 2 * math.cos(t1 + t2)))
        tau2 = ((c2 / 2 + far) * e1 + far * e2 + s2 * w1**2 / 2
                + G * M2 * A2 / 2 * math.cos(t1 + t2))
        assert_close(function(planar_2r(), [t1, t2], [w1, w2], [e1, e2]),
                     [tau1, tau2])  # (9.73), (9.74)


def test_planar_arm_reaction_of_joint_2():
    """2f21 and 2n21 of Example 9.7.1."""
    for (t1, t2, _), (w1, w2, _), (e1, e2, _) in STATES:
        c2, s2, c12, s12 = math.cos(t2), math.sin(t2), math.cos(t1 + t2), math.sin(t1 + t2)
        fx = A1 * (e1 * s2 - w1**2 * c2) - A2 / 2 * (w1 + w2)**2 + G * s12
        fy = A1 * (e1 * c2 + w1**2 * s2) + A2 / 2 * (e1 + e2) + G * c12
        nz = (M2 * A2**2 / 3 * (e1 + e2) + M2 * A1 * A2 / 2 * (e1 * c2 + w1**2 * s2)
              + M2 * G * A2 / 2 * c12)
        force, moment = reaction_wrenches(planar_2r(), [t1, t2], [w1, w2], [e1, e2])[1]
        assert_close([*force, *moment], [M2 * fx, M2 * fy, 0.0, 0.0, 0.0, nz])


@every(MASS_MATRICES)
def test_scara_inertia_matrix(function):
    for (t1, t2, d3), _, _ in STATES:
        c2 = A1 * A2 * math.cos(t2)
        M = (M1 * np.diag([A1**2 / 3, 0, 0])
             + M2 * np.array([[A1**2 + c2 + A2**2 / 3, c2 / 2 + A2**2 / 3, 0],
                              [c2 / 2 + A2**2 / 3, A2**2 / 3, 0], [0, 0, 0]])
             + M3 * np.array([[A1**2 + 2 * c2 + A2**2, c2 + A2**2, 0],
                              [c2 + A2**2, A2**2, 0], [0, 0, 1]]))  # (9.139)
        assert_close(function(scara(), [t1, t2, d3]), M)


@every(INVERSE_DYNAMICS)
def test_scara_efforts(function):
    for q, (w1, w2, w3), (e1, e2, e3) in STATES:
        c2, s2 = A1 * A2 * math.cos(q[1]), A1 * A2 * math.sin(q[1])
        near = (M2 / 2 + M3) * c2 + (M2 / 3 + M3) * A2**2
        tau1 = (((M1 / 3 + M2 + M3) * A1**2 + (M2 + 2 * M3) * c2 + (M2 / 3 + M3) * A2**2) * e1
                + near * e2 - (M2 + 2 * M3) * s2 * (w1 * w2 + w2**2 / 2))  # (9.146)
        tau2 = near * e1 + (M2 / 3 + M3) * A2**2 * e2 + (M2 / 2 + M3) * s2 * w1**2  # (9.147)
        tau3 = M3 * e3 - M3 * G  # (9.148)
        assert_close(function(scara(), list(q), [w1, w2, w3], [e1, e2, e3]), [tau1, tau2, tau3])
