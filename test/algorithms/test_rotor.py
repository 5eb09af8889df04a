"""Rotors: Tsai's geared arm, the rotors as bodies of their own, and energy."""

import math
from dataclasses import replace

import numpy as np
import pytest
from oracle import assert_close, counting_chain, random_chain, random_kinds, random_state

from manip_dynamics.algorithms import newton_euler, rotor
from manip_dynamics.codegen.trace import Graph
from manip_dynamics.model.chain import Chain, Joint, RigidLink

pin = pytest.importorskip("pinocchio")


def geared_chain(rng, n, own_axes):
    """A random arm with a rotor at every joint, about the joint's axis or any other."""
    chain = random_chain(rng, random_kinds(rng, n))
    joints = []
    for joint in chain.joints:
        axis = rng.normal(size=3)
        joints.append(replace(
            joint, rotor_inertia=rng.uniform(1e-3, 1e-2), gear_ratio=rng.uniform(-80, 80),
            rotor_axis=None if own_axes else tuple(axis / np.linalg.norm(axis))))
    return replace(chain, joints=tuple(joints))


def rotors_as_bodies(chain, q, qd, qdd):
    """tau of Pinocchio with every rotor a body on its own joint, driven through the gear.

    The rotors are massless sticks with inertia about their axes; what they would add to their
    carriers without spinning is taken off again.
    """
    tau = np.zeros(chain.n)
    for i, geared in enumerate(chain.joints):
        axis = np.array(geared.rotor_axis or (0, -geared.sin_alpha, geared.cos_alpha))
        inertia = geared.rotor_inertia * np.outer(axis, axis)
        for spins, sign in ((True, 1.0), (False, -1.0)):
            model = pin.Model()
            model.gravity.linear = np.zeros(3)
            parent = 0
            for k in range(i):
                joint = chain.joints[k]
                parent = model.addJoint(parent, kind(joint), placement(joint), f"joint{k}")
                model.appendBodyToJoint(parent, pin.Inertia.Zero(), pin.SE3.Identity())
            speed = geared.gear_ratio if spins else 0.0
            parent = model.addJoint(parent, pin.JointModelRevoluteUnaligned(axis),
                                    pin.SE3.Identity(), "rotor")
            model.appendBodyToJoint(parent, pin.Inertia(0.0, np.zeros(3), inertia),
                                    pin.SE3.Identity())
            efforts = pin.rnea(model, model.createData(), np.append(q[:i], 0.3),
                               np.append(qd[:i], speed * qd[i]),
                               np.append(qdd[:i], speed * qdd[i]))
            tau[:i] += sign * efforts[:i]
            tau[i] += sign * speed * efforts[i]
    return tau


def kind(joint):
    return pin.JointModelRZ() if joint.revolute else pin.JointModelPZ()


def placement(joint):
    turn_x = pin.utils.rotate("x", joint.alpha)
    offset = np.array([joint.a, 0, 0]) + turn_x @ np.array([0, 0, joint.d])
    return pin.SE3(turn_x @ pin.utils.rotate("z", joint.theta), offset)


@pytest.mark.parametrize("own_axes", [True, False], ids=["joint axes", "any axes"])
@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("seed", range(5))
def test_rotors_equal_bodies_that_turn_with_the_gear(own_axes, n, seed):
    rng = np.random.default_rng([n, seed])
    chain = geared_chain(rng, n, own_axes)
    q, qd, qdd = random_state(rng, n)
    assert_close(rotor.inverse_dynamics(chain, q, qd, qdd), rotors_as_bodies(chain, q, qd, qdd))


@pytest.mark.parametrize("n", range(1, 9))
def test_inverse_dynamics_is_mass_matrix_and_bias(n):
    rng = np.random.default_rng(n)
    chain = geared_chain(rng, n, own_axes=n % 2 == 0)
    q, qd, qdd = random_state(rng, n)
    M, b = np.array(rotor.mass_matrix(chain, q)), np.array(rotor.bias(chain, q, qd))
    assert_close(M @ qdd + b, rotor.inverse_dynamics(chain, q, qd, qdd))
    assert_close(M, M.T)


@pytest.mark.parametrize("n", range(2, 9))
def test_gyroscopic_efforts_are_the_christoffel_terms_of_the_mass_matrix(n):
    rng = np.random.default_rng(n)
    chain = geared_chain(rng, n, own_axes=n % 2 == 0)
    q, qd, _ = random_state(rng, n)
    step = 1e-6
    dM = np.array([
        (np.array(rotor.mass_matrix(chain, q + step * unit))
         - np.array(rotor.mass_matrix(chain, q - step * unit))) / (2 * step)
        for unit in np.eye(n)
    ])  # dM[k] = dM / dq_k
    V = np.einsum("kij,j,k->i", dM, qd, qd) - 0.5 * np.einsum("ijk,j,k->i", dM, qd, qd)  # (9.101)
    assert_close(rotor.bias(chain, q, qd), V, tolerance=1e-7)  # central differences


def test_geared_planar_arm_equals_tsai():
    """(9.171): motor 1 on the base, motor 2 and shaft 5 across link 1, so that omega . e = 0."""
    a1, b1, b2, m1, m2, I1z, I2z = 0.8, 0.35, 0.25, 5.0, 3.0, 0.4, 0.2
    I3, I4, I5, N13, N54, N25 = 2e-3, 1e-3, 3e-3, 60.0, 20.0, 3.0
    t2, w1, w2, qdd = 0.7, 1.3, -0.9, np.array([2.0, -3.0])
    across = (1.0, 0.0, 0.0)
    chain = Chain(
        (Joint("revolute", rotor_inertia=I3, gear_ratio=-N13),  # (9.149)
         # shaft 5, which turns N54 times slower than rotor 4, counts as part of the rotor
         Joint("revolute", a=a1, rotor_inertia=I4 + I5 / N54**2, gear_ratio=N54 * N25,  # (9.152)
               rotor_axis=across)),
        (RigidLink(m1, (b1, 0.0, 0.0), ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, I1z))),
         RigidLink(m2, (b2, 0.0, 0.0), ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, I2z)))),
        gravity=(0.0, 0.0, -9.81))

    k4, k3 = I2z + m2 * b2**2, I1z + m1 * b1**2
    k1 = k3 + k4 + N13**2 * I3 + m2 * a1**2
    k2 = k4 + N54**2 * N25**2 * I4 + N25**2 * I5
    c, s = m2 * a1 * b2 * math.cos(t2), m2 * a1 * b2 * math.sin(t2)
    M = np.array([[k1 + 2 * c, k4 + c], [k4 + c, k2]])
    V = np.array([-s * w2 * (2 * w1 + w2), s * w1**2])

    state = [0.4, t2], [w1, w2], qdd
    tau = np.add(newton_euler.inverse_dynamics(chain, *state),
                 rotor.inverse_dynamics(chain, *state))
    assert_close(tau, M @ qdd + V)


def test_a_rotor_along_a_turning_axis_couples_the_joints():
    """Parallel axes: M_12 = N I, which adding N^2 I to the diagonal leaves out (9.157)."""
    links = (RigidLink(1.0, (0.0, 0.0, 0.0), ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))),) * 2
    joints = (Joint("revolute"), Joint("revolute", a=0.5, rotor_inertia=2e-3, gear_ratio=50.0))
    M = rotor.mass_matrix(Chain(joints, links), [0.3, 0.4])
    assert_close(M, [[0.0, 0.1], [0.1, 5.0]])


@pytest.mark.parametrize("n", range(4, 9))
def test_operations(n):
    joints = tuple(replace(joint, rotor_inertia=1e-3, gear_ratio=50.0)
                   for joint in counting_chain("R" * n).joints)
    chain = replace(counting_chain("R" * n), joints=joints)
    graph = Graph(share=False)
    tau = rotor.inverse_dynamics(chain, *(graph.inputs(name, n) for name in ("q", "qd", "qdd")))
    counts = graph.count(tau)
    assert (counts.multiplications, counts.additions) == (38 * n - 87, 25 * n - 62)
