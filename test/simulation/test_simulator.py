"""The simulator: state, histories, controllers and errors."""

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.simulation import INTEGRATORS, History, Simulator
from manip_dynamics.simulation.simulator import SimulationError

DYN = md.Dynamics(md.load_robot("stanford_arm"))
WEIGHTLESS = md.Dynamics(md.load_robot("stanford_arm", gravity=(0, 0, 0)))


def hold_still(t, q, qd):
    return DYN.gravity(q)


# ---- state and histories ---------------------------------------------------------------------


def test_the_efforts_of_gravity_hold_the_arm_still():
    simulator = Simulator(DYN)
    q = np.full(6, 0.3)
    simulator.reset(q)
    for _ in range(20):
        simulator.step(DYN.gravity(q))
    np.testing.assert_allclose(simulator.q, q, atol=1e-12)
    assert simulator.time == pytest.approx(0.02)


def test_a_run_is_the_same_as_its_steps():
    stepped, run = Simulator(DYN), Simulator(DYN)
    efforts = np.random.default_rng(0).uniform(-5, 5, (50, 6))
    for tau in efforts:
        stepped.step(tau)
    history = run.run(0.05, efforts)
    np.testing.assert_allclose(run.q, stepped.q, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(history.tau, efforts[[*range(50), 49]])
    assert run.time == stepped.time == pytest.approx(0.05)


def test_a_history_has_the_first_and_the_last_state_and_every_so_many_between():
    simulator = Simulator(DYN)
    every_step = simulator.run(0.01)
    simulator.reset()
    history = simulator.run(0.01, every=4)
    np.testing.assert_allclose(history.t, [0.0, 0.004, 0.008, 0.01])
    np.testing.assert_array_equal(history.q, every_step.q[[0, 4, 8, 10]])
    np.testing.assert_array_equal(history.q[-1], simulator.q)
    following = simulator.run(0.004, every=2)
    np.testing.assert_allclose(following.t, [0.01, 0.012, 0.014])
    np.testing.assert_array_equal(following.q[0], history.q[-1])


def test_a_run_of_no_length_is_a_history_of_one_state():
    assert len(Simulator(DYN).run(0.0)) == 1


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_a_history_can_be_saved(tmp_path, suffix):
    history = Simulator(DYN).run(0.01, every=5)
    path = tmp_path / f"motion{suffix}"
    history.save(path)
    if suffix == ".npz":
        again = History.load(path)
        for name, value in vars(history).items():
            np.testing.assert_array_equal(getattr(again, name), value)
    else:
        header, *rows = path.read_text().splitlines()
        assert header.split(",")[:3] == ["time", "joint1.position", "joint2.position"]
        expected = np.column_stack([history.t, history.q, history.qd, history.tau])
        np.testing.assert_array_equal([line.split(",") for line in rows], expected.astype(str))


def test_a_history_is_saved_as_csv_or_npz_only(tmp_path):
    with pytest.raises(ValueError, match=r"saved as \.npz or \.csv, not as 'motion\.xlsx'"):
        Simulator(DYN).run(0.0).save(tmp_path / "motion.xlsx")


def test_time_does_not_gather_rounding():
    simulator = Simulator(md.Dynamics(md.load_robot("planar_2r", gravity=(0, 0, 0))), 1e-3)
    history = simulator.run(1000.0, every=10**5)
    assert history.t[-1] == 1000.0


# ---- controllers -----------------------------------------------------------------------------


def test_a_controller_acts_all_the_time_or_at_its_period():
    calls = []

    def controller(t, q, qd):
        calls.append(t)
        return hold_still(t, q, qd)

    Simulator(DYN, 1e-3, controller=controller).run(0.01, every=10)
    assert len(calls) == 10 * 4 + 2  # four stages in each step, and two instants kept
    calls.clear()
    Simulator(DYN, 1e-3, controller=controller, control_period=5e-3).run(0.012, every=12)
    np.testing.assert_allclose(calls, [0.0, 0.005, 0.01])


def test_held_efforts_are_those_of_the_last_call():
    simulator = Simulator(DYN, 1e-3, controller=lambda t, q, qd: np.full(6, 1 + t),
                          control_period=4e-3)
    history = simulator.run(0.01)
    np.testing.assert_allclose(history.tau[:, 0] - 1, 4e-3 * (np.arange(11) // 4), atol=1e-15)
    simulator.step()
    assert simulator.time == pytest.approx(0.011)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_runs_under_a_controller(integrator):
    simulator = Simulator(DYN, 1e-3, integrator, hold_still)
    simulator.reset(np.full(6, 0.3))
    simulator.run(0.02)
    np.testing.assert_allclose(simulator.q, np.full(6, 0.3), atol=1e-9)


# ---- failures --------------------------------------------------------------------------------


@pytest.mark.parametrize("controller", [None, lambda t, q, qd: np.zeros(6)])
def test_an_unstable_step_is_reported_with_time_joint_and_history(controller):
    simulator = Simulator(WEIGHTLESS, 0.2, controller=controller, limits=False)
    simulator.reset(np.full(6, 0.3), np.full(6, 3.0))
    with pytest.raises(SimulationError,
                       match=r"blew up at t = .* s, joint 'joint\d': .*smaller dt than 0\.2 s"
                       ) as caught:
        simulator.run(1000.0)
    history = caught.value.history
    assert caught.value.joint in DYN.robot.joint_names
    assert 0.0 < caught.value.time == simulator.time == history.t[-1]
    assert np.isfinite(history.q).all()
    assert len(history) == round(simulator.time / 0.2) + 1
    np.testing.assert_array_equal(history.q[-1], simulator.q)


def test_no_time_takes_no_efforts():
    assert len(Simulator(DYN).run(0.0, np.zeros((0, 6)))) == 1


def test_a_step_that_blows_up_leaves_the_state_before_it():
    simulator = Simulator(DYN, dt=0.5, limits=False)
    with pytest.raises(SimulationError, match=r"blew up at t = 0 s, joint 'joint\d'") as caught:
        simulator.step(np.full(6, 1e6))
    assert len(caught.value.history) == 1
    np.testing.assert_array_equal(simulator.q, np.zeros(6))


@pytest.mark.filterwarnings("ignore:lsoda")
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_reports_a_motion_that_it_cannot_follow(integrator):
    simulator = Simulator(DYN, 1e-3, integrator, limits=False)
    with pytest.raises(SimulationError, match=r"blew up at t = 0 s, joint 'joint\d'") as caught:
        simulator.run(1.0, np.full(6, 1e12))
    assert len(caught.value.history) == 1


@pytest.mark.parametrize("period", [None, 1e-3])
def test_a_controller_that_returns_nan_is_named_as_the_cause(period):
    def controller(t, q, qd):
        return np.where(np.arange(6) == 2, np.nan, 0.0) if t > 0.0105 else np.zeros(6)

    simulator = Simulator(DYN, 1e-3, controller=controller, control_period=period)
    with pytest.raises(SimulationError, match="joint 'joint3': the controller returned nan"
                       ) as caught:
        simulator.run(1.0)
    assert caught.value.time == pytest.approx(0.0105, abs=6e-4)
    assert len(caught.value.history) >= 11


def test_a_history_of_a_blow_up_can_be_read_though_few_states_were_kept():
    simulator = Simulator(WEIGHTLESS, 0.2, limits=False)
    simulator.reset(np.full(6, 0.3), np.full(6, 3.0))
    with pytest.raises(SimulationError) as caught:
        simulator.run(1000.0, every=3)
    steps = round(caught.value.time / 0.2)
    assert len(caught.value.history) == -(-steps // 3) + 1


def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="dt must be a positive"):
        Simulator(DYN, dt=0.0)
    with pytest.raises(ValueError, match="integrator must be one of rk4"):
        Simulator(DYN, integrator="magic")
    with pytest.raises(ValueError, match=r"tau must have shape \(6,\), not \(2,\)"):
        Simulator(DYN).step([1.0, 2.0])
    with pytest.raises(ValueError, match=r"tau must have shape \(6,\) or \(10, 6\), not \(9, 6\)"):
        Simulator(DYN).run(0.01, np.zeros((9, 6)))
    with pytest.raises(ValueError, match="tau contains NaN"):
        Simulator(DYN).run(0.01, np.full((10, 6), np.nan))
    with pytest.raises(ValueError, match="q contains NaN"):
        Simulator(DYN).reset([np.nan] * 6)
    with pytest.raises(ValueError, match="tau cannot be given: this simulator has a controller"):
        Simulator(DYN, controller=hold_still).step(np.zeros(6))
    with pytest.raises(ValueError, match=r"control_period must be a multiple of dt = 0\.001 s"):
        Simulator(DYN, controller=hold_still, control_period=1.5e-3)
    with pytest.raises(ValueError, match="the controller must return shape"):
        Simulator(DYN, controller=lambda t, q, qd: 0.0).step()
    with pytest.raises(ValueError, match="duration must be a number of seconds"):
        Simulator(DYN).run(float("nan"))
    with pytest.raises(ValueError, match="stop_damping must be finite and not negative, not -1"):
        Simulator(DYN, stop_damping=-1)
    with pytest.raises(ValueError, match="every must be a positive number"):
        Simulator(DYN).run(1.0, every=0)
    with pytest.raises(ValueError, match="this motion followed no reference"):
        _ = Simulator(DYN).run(0.0).error
