"""Dynamics as users meet it: shapes, terms, errors, out=, threads=, laws of physics."""

import inspect
import math
import multiprocessing
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import assert_close, pinocchio_model, random_chain, random_kinds, random_state, robot_of

import manip_dynamics as md
from manip_dynamics.dynamics import INVERSE_DYNAMICS, MASS_MATRIX, TERMS, Dynamics
from manip_dynamics.model.chain import Chain, Friction, RigidLink

pin = pytest.importorskip("pinocchio")


def geared_and_rough(chain: Chain) -> Chain:
    joints = tuple(replace(joint, friction=Friction(0.4, 0.3), rotor_inertia=1e-3, gear_ratio=20.0)
                   for joint in chain.joints)
    return replace(chain, joints=joints)


@pytest.fixture(params=["c", "python"], scope="module")
def stanford(request) -> Dynamics:
    return Dynamics(md.load_robot("stanford_arm"), request.param)


STATES = [np.random.default_rng(k).uniform(-2, 2, (200, 6)) for k in range(3)]
Q, QD, QDD = (x[0] for x in STATES)


# Laws of physics. --------------------------------------------------------------------------------

@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 8), rough=st.booleans())
def test_the_equation_of_motion_holds(seed, n, rough):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, random_kinds(rng, n), right_angles=seed % 2 == 0)
    dyn = Dynamics(robot_of(geared_and_rough(chain) if rough else chain), "python")
    q, qd, qdd = random_state(rng, n)
    wrench = rng.normal(size=6)
    tau = dyn.inverse_dynamics(q, qd, qdd, tip_wrench=wrench)
    M = dyn.mass_matrix(q)
    assert_close(tau, M @ qdd + dyn.bias(q, qd) + dyn.friction(qd) - dyn.jacobian(q).T @ wrench)
    assert_close(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0
    assert_close(dyn.forward_dynamics(q, qd, tau, tip_wrench=wrench), qdd, 1e-7)
    assert_close(dyn.bias(q, np.zeros(n)), dyn.gravity(q))


@pytest.mark.parametrize("seed", range(10))
def test_inverse_dynamics_mass_matrix_and_forward_dynamics_equal_pinocchio(seed):
    rng = np.random.default_rng([11, seed])
    chain = random_chain(rng, random_kinds(rng, 1 + seed % 8))
    dyn = Dynamics(robot_of(chain), "python")
    q, qd, qdd = random_state(rng, chain.n)
    model, data = pinocchio_model(chain)
    assert_close(dyn.inverse_dynamics(q, qd, qdd), pin.rnea(model, data, q, qd, qdd))
    assert_close(np.triu(dyn.mass_matrix(q)), np.triu(pin.crba(model, data, q)))
    assert_close(dyn.forward_dynamics(q, qd, qdd), pin.aba(model, data, q, qd, qdd), 1e-8)
    assert_close(dyn.gravity(q), pin.computeGeneralizedGravity(model, data, q))


def test_regressor_times_mlc_values_is_the_effort(stanford):
    expected = stanford.inverse_dynamics(Q, QD, QDD)
    assert_close(stanford.regressor(Q, QD, QDD) @ stanford.robot.mlc.values, expected)
    batch = stanford.regressor(*STATES)
    assert batch.shape == (200, 6, len(stanford.robot.mlc.values))
    assert_close(batch[7], stanford.regressor(*(x[7] for x in STATES)))


def test_reaction_wrenches_hold_the_joint_efforts(stanford):
    tau = stanford.inverse_dynamics(Q, QD, QDD)
    wrenches = stanford.reaction_wrenches(Q, QD, QDD)
    axis = [5 if joint.revolute else 2 for joint in stanford.robot.joints]
    assert_close([wrenches[i, k] for i, k in enumerate(axis)], tau)
    assert stanford.reaction_wrenches(*STATES).shape == (200, 6, 6)


def test_task_space_is_the_dynamics_of_the_tip(stanford):
    task = stanford.task_space(Q, QD)
    J = stanford.jacobian(Q)
    inverse = np.linalg.inv(J)
    assert_close(task.inertia, inverse.T @ stanford.mass_matrix(Q) @ inverse, 1e-8)
    assert_close(task.gravity, inverse.T @ stanford.gravity(Q), 1e-8)
    assert task.condition_number == pytest.approx(np.linalg.cond(J))
    batch = stanford.task_space(*STATES[:2])
    assert_close(batch.coriolis[0], task.coriolis, 1e-8)
    assert batch.inertia.shape == (200, 6, 6)


def test_task_space_of_no_states_is_empty(stanford):
    nothing = np.zeros((0, 6))
    assert stanford.task_space(nothing, nothing).inertia.shape == (0, 6, 6)


def test_task_space_refuses_a_singular_posture(stanford):
    with pytest.raises(ValueError, match="Jacobian is singular here"):
        stanford.task_space(np.zeros(6), np.zeros(6))


def test_task_space_refuses_an_arm_with_too_few_joints():
    with pytest.raises(ValueError, match="2 joints cannot move its tip in all six directions"):
        Dynamics(md.load_robot("planar_2r"), "python").task_space([0.1, 0.2], [0, 0])


# Terms, algorithms. ------------------------------------------------------------------------------

@pytest.mark.parametrize("backend", ["c", "python"])
def test_terms_add_up_to_the_whole(backend):
    rng = np.random.default_rng(2)
    dyn = Dynamics(robot_of(geared_and_rough(random_chain(rng, "RRPR"))), backend)
    state = random_state(rng, 4)
    parts = {term: dyn.inverse_dynamics(*state, terms=[term]) for term in TERMS}
    assert_close(sum(parts.values()), dyn.inverse_dynamics(*state))
    assert_close(parts["inertia"], dyn.mass_matrix(state[0]) @ state[2])
    assert_close(parts["gravity"], dyn.gravity(state[0]))
    assert_close(parts["friction"], dyn.friction(state[1]))
    assert_close(parts["inertia"] + parts["coriolis"],
                 dyn.inverse_dynamics(*state, terms=("inertia", "coriolis")))
    assert_close(dyn.inverse_dynamics(*state, terms="gravity"), parts["gravity"])
    assert_close(dyn.inverse_dynamics(*state, terms=[]), np.zeros(4))


def test_slow_coriolis_efforts_are_not_lost_beside_gravity(stanford):
    slow, fast = (stanford.inverse_dynamics(Q, s * QD, QDD, terms=["coriolis"]) for s in (1e-6, 1))
    assert_close(slow * 1e12, fast)


@pytest.mark.parametrize("name", INVERSE_DYNAMICS)
def test_every_inverse_dynamics_algorithm_gives_the_same_efforts(name):
    rng = np.random.default_rng(8)
    dyn = Dynamics(robot_of(geared_and_rough(random_chain(rng, "RPRR"))), "python")
    state = random_state(rng, 4)
    for terms in (TERMS, ("coriolis", "friction"), ("inertia", "gravity")):
        assert_close(dyn.inverse_dynamics(*state, algorithm=name, terms=terms),
                     dyn.inverse_dynamics(*state, terms=terms))


@pytest.mark.parametrize("name", MASS_MATRIX)
def test_every_mass_matrix_algorithm_gives_the_same_matrix(name):
    rng = np.random.default_rng(9)
    dyn = Dynamics(robot_of(geared_and_rough(random_chain(rng, "RPRRR"))), "python")
    q = rng.uniform(-2, 2, (7, 5))
    assert_close(dyn.mass_matrix(q, algorithm=name), dyn.mass_matrix(q))


# Shapes, out=, threads=. -------------------------------------------------------------------------

def quantities(dyn: Dynamics, *state):
    q, qd, qdd = state
    return {
        "inverse_dynamics": (q, qd, qdd), "mass_matrix": (q,), "bias": (q, qd), "gravity": (q,),
        "friction": (qd,), "forward_dynamics": (q, qd, qdd), "jacobian": (q,),
        "forward_kinematics": (q,),
    }


def test_a_batch_is_its_states_one_by_one(stanford):
    singles = [quantities(stanford, *(x[i] for x in STATES)) for i in range(9)]
    for name, inputs in quantities(stanford, *STATES).items():
        batch = getattr(stanford, name)(*inputs)
        for i, single in enumerate(singles):
            assert_close(batch[i], getattr(stanford, name)(*single[name]), 1e-12)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 511, 512, 513, 1025])
def test_batches_of_any_length(stanford, count):
    states = [np.tile(x, (6, 1))[:count] for x in STATES]
    expected = np.tile(stanford.inverse_dynamics(*STATES), (6, 1))[:count]
    tau = stanford.inverse_dynamics(*states)
    assert tau.shape == (count, 6)
    if count:
        assert_close(tau, expected)


@pytest.mark.parametrize("make", [
    list, tuple, lambda x: x.astype(np.float32).astype(float), np.asfortranarray,
    lambda x: np.repeat(x, 2, -1)[..., ::2], lambda x: x.astype(">f8"), np.ma.array,
    lambda x: np.frombuffer(b"-" + x.tobytes(), offset=1).reshape(x.shape),
], ids=["list", "tuple", "copy", "Fortran order", "strided", "big endian", "masked", "unaligned"])
def test_anything_that_numpy_understands_is_taken(stanford, make):
    for state in (STATES, [Q, QD, QDD]):
        exact = [np.asarray(make(x), float) for x in state]
        result = stanford.inverse_dynamics(*(make(x) for x in state))
        assert type(result) is np.ndarray
        assert_close(result, stanford.inverse_dynamics(*exact))


def test_whole_numbers_are_taken(stanford):
    assert_close(stanford.gravity([0, 1, 0, 2, 0, 0]), stanford.gravity([0., 1., 0., 2., 0., 0.]))


def test_keywords_are_taken(stanford):
    assert_close(stanford.inverse_dynamics(q=Q, qd=QD, qdd=QDD),
                 stanford.inverse_dynamics(Q, QD, QDD))


def test_keywords_with_their_default_values_change_nothing(stanford):
    expected = stanford.inverse_dynamics(Q, QD, QDD)
    for keywords in ({"algorithm": "auto", "terms": TERMS}, {"out": None, "threads": 1},
                     {"tip_wrench": None, "terms": list(TERMS)}):
        assert_close(stanford.inverse_dynamics(Q, QD, QDD, **keywords), expected)


def test_out_is_filled_and_returned(stanford):
    for state in (STATES, [Q, QD, QDD]):
        for name, inputs in quantities(stanford, *state).items():
            expected = getattr(stanford, name)(*inputs)
            out = np.full(expected.shape, np.nan)
            assert getattr(stanford, name)(*inputs, out=out) is out
            assert_close(out, expected)


def test_out_of_any_layout_is_filled(stanford):
    expected = stanford.inverse_dynamics(*STATES)
    for out in (np.zeros((6, 200)).T, np.zeros((200, 12))[:, ::2], np.zeros((200, 6), np.float32)):
        assert stanford.inverse_dynamics(*STATES, out=out) is out
        assert_close(out, expected, 1e-6)
        assert stanford.inverse_dynamics(*STATES, terms=("gravity",), out=out) is out


def test_out_may_be_an_input_or_overlap_one(stanford):
    expected = stanford.inverse_dynamics(*STATES)
    q, qd, qdd = (x.copy() for x in STATES)
    stanford.inverse_dynamics(q, qd, qdd, out=qdd)
    assert_close(qdd, expected)
    memory = np.zeros((203, 6))
    memory[:200] = STATES[0]
    stanford.inverse_dynamics(memory[:200], STATES[1], STATES[2], out=memory[3:])
    assert_close(memory[3:], expected)


def test_threads_share_a_batch(stanford):
    many = [np.tile(x, (30, 1)) for x in STATES]
    for name, inputs in quantities(stanford, *many).items():
        assert_close(getattr(stanford, name)(*inputs, threads=3),
                     getattr(stanford, name)(*inputs), 1e-12)


def test_threads_share_a_batch_in_a_forked_process_too(stanford):
    many = np.tile(Q, (1000, 1))
    expected = stanford.gravity(many, threads=2)
    child = multiprocessing.get_context("fork").Process(
        target=lambda: np.testing.assert_array_equal(stanford.gravity(many, threads=2), expected))
    child.start()
    child.join(timeout=30)
    child.kill()
    assert child.exitcode == 0


@pytest.mark.parametrize("name", ["mass_matrix", "jacobian", "forward_kinematics"])
def test_results_larger_than_the_cache(name):
    """Their memory is asked for ahead, eight rows at a time, but never beyond its end."""
    dyn = Dynamics(md.load_robot("stanford_arm"), "c")
    function = getattr(dyn, name)
    shape = function(Q).shape
    rows = (1 << 20) // (8 * math.prod(shape))  # what 1 MB holds
    for count in (rows, rows + 1, *range(rows + 8, rows + 26)):
        q = np.random.default_rng(count).uniform(-3, 3, (count, 6))
        memory = np.full((count + 2, *shape), np.pi)
        function(q, out=memory[1:-1])
        assert (memory[[0, -1]] == np.pi).all()
        small = [function(part) for part in np.array_split(q, 20)]
        assert_close(memory[1:-1], np.concatenate(small), 1e-12)
        q[-1, 0] = np.nan
        with pytest.raises(ValueError, match=f"in state {count - 1} is nan"):
            function(q)


def test_results_are_never_overwritten_by_later_calls(stanford):
    kept = [stanford.gravity(q) for q in STATES[0]]
    views = [stanford.gravity(q)[1:3] for q in STATES[0]]
    for q, whole, part in zip(STATES[0], kept, views):
        assert_close(whole, stanford.gravity(q))
        assert_close(part, whole[1:3])


def test_a_result_that_was_changed_and_dropped_does_no_harm(stanford):
    for change in ("shape = (2, 3)", "flags.writeable = False", "strides = (0,)",
                   "dtype = np.int64"):
        result = stanford.gravity(Q)
        exec(f"result.{change}", {"result": result, "np": np})
        del result
        fresh = stanford.gravity(Q)
        assert (fresh.shape, fresh.dtype, fresh.flags.writeable) == ((6,), float, True)
        assert_close(fresh, stanford.gravity(list(Q)))


# Errors. -----------------------------------------------------------------------------------------

@pytest.mark.parametrize(("arguments", "message"), [
    (([0] * 5, QD, QDD), r"q must have shape \(6,\) or \(N, 6\), not \(5,\)"),
    ((Q, 0.0, QDD), r"qd must have shape \(6,\) or \(N, 6\), not \(\)"),
    ((Q, QD, np.zeros((2, 2, 6))), r"qdd must have shape"),
    ((Q, STATES[1], QDD), r"qd has shape \(200, 6\), which does not fit q with shape \(6,\)"),
    ((STATES[0], STATES[1][:9], STATES[2]), r"qd has shape \(9, 6\), which does not fit q"),
    ((Q, QD, ["a"] * 6), "qdd must be an array of numbers"),
    ((None, QD, QDD), "q must"),
    (([[1, 2], [3]], QD, QDD), "q must be an array of numbers"),
    ((Q, QD * 1j, QDD), "qd must be an array of numbers: it is complex"),
])
def test_wrong_arguments_are_named(stanford, arguments, message):
    with pytest.raises(ValueError, match=message):
        stanford.inverse_dynamics(*arguments)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(3))
def test_numbers_that_are_not_finite_are_named(stanford, bad, place):
    name = ("q", "qd", "qdd")[place]
    joint = stanford.robot.joint_names[0]  # its position has no influence on the result
    state = [x.copy() for x in (Q, QD, QDD)]
    state[place][0] = bad
    with pytest.raises(ValueError, match=f"{name} of joint '{joint}' is {bad}"):
        stanford.inverse_dynamics(*state)
    states = [x.copy() for x in STATES]
    states[place][123, 0] = bad
    with pytest.raises(ValueError, match=f"{name} of joint '{joint}' in state 123 is {bad}"):
        stanford.inverse_dynamics(*states)


@pytest.mark.parametrize(("keywords", "message"), [
    ({"algorithm": "euler"}, "algorithm must be one of auto, kane, newton_euler"),
    ({"terms": ["weight"]}, "terms: unknown term 'weight'; choose among inertia"),
    ({"tip_wrench": [1, 2, 3]}, r"tip_wrench must have shape \(6,\) or \(N, 6\), not \(3,\)"),
    ({"tip_wrench": [0, 0, np.nan, 0, 0, 0]}, r"tip_wrench\[2\] is nan"),
    ({"out": np.zeros(5)}, r"out must be an array of shape \(6,\), not \(5,\)"),
    ({"out": [0.0] * 6}, r"out must be an array of shape \(6,\), not list"),
    ({"out": np.zeros(6, int)}, "out must be an array of float64, not int64"),
    ({"threads": 0}, "threads must be a whole number from 1 on, not 0"),
])
def test_wrong_options_are_named(stanford, keywords, message):
    with pytest.raises(ValueError, match=message):
        stanford.inverse_dynamics(Q, QD, QDD, **keywords)


def test_unknown_keywords_and_missing_arguments_are_type_errors(stanford):
    with pytest.raises(TypeError, match="torque"):
        stanford.inverse_dynamics(Q, QD, QDD, torque=1)
    with pytest.raises(TypeError, match="qdd"):
        stanford.inverse_dynamics(Q, QD)


def test_unknown_backend_is_named():
    with pytest.raises(ValueError, match="backend must be one of auto, c, python, not 'fortran'"):
        Dynamics(md.load_robot("planar_2r"), "fortran")


# The object. -------------------------------------------------------------------------------------

def test_methods_explain_themselves(stanford):
    assert "joint efforts" in stanford.inverse_dynamics.__doc__.lower()
    assert list(inspect.signature(stanford.inverse_dynamics).parameters)[:3] == ["q", "qd", "qdd"]


def test_dynamics_can_be_pickled(stanford):
    copy = pickle.loads(pickle.dumps(stanford))
    assert copy.backend == stanford.backend
    assert_close(copy.gravity(Q), stanford.gravity(Q))
    assert_close(pickle.loads(pickle.dumps(stanford.gravity))(Q), stanford.gravity(Q))


def test_another_payload_is_another_object_beside_this_one(stanford):
    before = stanford.gravity(Q)
    loaded = stanford.with_robot(stanford.robot.with_payload(2.0))
    assert loaded.backend == stanford.backend
    assert np.abs(loaded.gravity(Q) - before).max() > 1.0
    assert_close(stanford.gravity(Q), before)


@pytest.mark.parametrize("backend", ["c", "python"])
def test_an_arm_whose_last_joint_moves_nothing_has_all_but_forward_dynamics(backend):
    chain = random_chain(np.random.default_rng(3), "RPR")
    nothing = RigidLink(0.0, (0.0, 0.0, 0.0), 3 * ((0.0, 0.0, 0.0),))
    chain = replace(chain, links=(*chain.links[:-1], nothing))
    dyn = Dynamics(robot_of(chain), backend)
    q, qd, qdd = random_state(np.random.default_rng(4), 3)
    model, data = pinocchio_model(chain)
    assert_close(dyn.inverse_dynamics(q, qd, qdd), pin.rnea(model, data, q, qd, qdd))
    assert "mass_matrix" in dyn.operation_counts()
    assert "forward_dynamics" not in dyn.operation_counts()
    with pytest.raises(md.ModelError, match="moves nothing that has inertia"):
        dyn.forward_dynamics(q, qd, qdd)


def test_operation_counts_are_those_of_the_programs(stanford):
    counts = stanford.operation_counts()
    assert set(counts) >= set(quantities(stanford, Q, QD, QDD))
    assert set(counts["bias"]) == {"multiplications", "additions", "divisions", "sincos"}
    assert counts["friction"]["multiplications"] == 0  # the model has none, the kernel pays none
