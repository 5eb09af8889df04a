"""Trajectories: what they promise at their ends, and that qd and qdd are derivatives of q."""

from types import SimpleNamespace

import numpy as np
import pytest
from reference import REFERENCE

import manip_dynamics as md
from manip_dynamics.control import (
    CartesianLine,
    Cycloidal,
    Quintic,
    Sinusoidal,
    Trapezoidal,
    Waypoints,
)
from manip_dynamics.papers import examples
from manip_dynamics.simulation import Simulator

START, END = np.array([0.1, -0.5, 0.3]), np.array([1.0, 0.5, 0.25])
TIMES = [0.0, 0.5, 1.2, 2.0]
POINTS = np.array([[0.0, 0.1, 0.3], [0.4, 0.0, 0.2], [0.1, -0.3, 0.0], [1.0, 0.5, 0.2]])

# Every kind, with whether it starts and ends at rest.
TRAJECTORIES = {
    "cycloidal": (Cycloidal(START, [0.1, 0.2, -0.3], 2.0), True),
    "quintic": (Quintic(START, END, 2.0), True),
    "quintic with ends in motion": (Quintic(START, END, 2.0, [1, 0, 2], [0, 1, 0], 0.5), False),
    "trapezoidal": (Trapezoidal(START, END, [0.8, 1.0, 1.0], 2.0), True),
    "triangular": (Trapezoidal(START, END, 10.0, 2.0), True),
    "sinusoidal": (Sinusoidal(START, END, [1.0, 0.5, 0.2], 0.3, duration=2.0), False),
    "waypoints": (Waypoints(TIMES, POINTS), True),
    "cubic waypoints": (Waypoints(TIMES, POINTS, POINTS / 2), False),
    "quintic waypoints": (Waypoints(TIMES, POINTS, POINTS / 2, POINTS), False),
    "line": (examples.six_axis(39.6).trajectory, True),
}


@pytest.fixture(params=TRAJECTORIES, ids=lambda name: name)
def trajectory(request):
    return TRAJECTORIES[request.param]


def test_velocity_and_acceleration_are_derivatives(trajectory):
    trajectory, _ = trajectory
    t, h = np.linspace(0.07, 0.93, 24) * trajectory.duration, 1e-5
    q, qd, qdd = trajectory(t)
    (before, rate_before, _), (after, rate_after, _) = trajectory(t - h), trajectory(t + h)
    np.testing.assert_allclose(qd, (after - before) / (2 * h), atol=1e-7)
    smooth = abs(trajectory(t + h)[2] - trajectory(t - h)[2]).max(1) < 0.01  # no change of phase
    assert smooth.sum() > 20
    np.testing.assert_allclose(qdd[smooth], ((rate_after - rate_before) / (2 * h))[smooth],
                               atol=1e-5)


def test_one_instant_is_the_same_as_many(trajectory):
    trajectory, _ = trajectory
    t = np.linspace(0.0, trajectory.duration, 7)
    for k, part in enumerate(trajectory(t)):
        assert part.shape == (7, trajectory.n)
        for i in (0, 3, 6):
            one = trajectory(float(t[i]))[k]
            assert one.shape == (trajectory.n,)
            np.testing.assert_allclose(one, part[i], atol=1e-12)


def test_before_and_after_it_stands_still(trajectory):
    trajectory, rests = trajectory
    for outside, end in ((-1.0, 0.0), (trajectory.duration + 1.0, trajectory.duration)):
        q, qd, qdd = trajectory(outside)
        np.testing.assert_allclose(q, trajectory(end)[0], atol=1e-12)
        assert not qd.any()
        assert not qdd.any()
        if rests:
            np.testing.assert_allclose(trajectory(end)[1], 0.0, atol=1e-12)


def test_quintic_meets_all_that_is_asked_of_its_ends():
    trajectory = Quintic(START, END, 1.5, 1.0, -2.0, 3.0, -4.0)
    for t, q, rate, acceleration in ((0.0, START, 1.0, 3.0), (1.5, END, -2.0, -4.0)):
        np.testing.assert_allclose(trajectory(t)[0], q, atol=1e-12)
        np.testing.assert_allclose(trajectory(t)[1], rate, atol=1e-12)
        np.testing.assert_allclose(trajectory(t)[2], acceleration, atol=1e-11)


def test_trapezoidal_is_as_fast_as_it_may_be():
    limit = np.array([0.8, 1.0, 1.0])
    trajectory = Trapezoidal(START, END, limit, 2.0)
    _, qd, qdd = trajectory(np.linspace(0.0, trajectory.duration, 1001))
    assert (abs(qd).max(0) / limit).max() == pytest.approx(1.0)
    assert abs(qdd).max() == pytest.approx(2.0)
    np.testing.assert_allclose(trajectory(trajectory.duration)[0], END, atol=1e-12)


def test_trapezoidal_from_a_point_to_itself_stands_still():
    q, qd, qdd = Trapezoidal(START, START, 1.0, 1.0)(0.3)
    np.testing.assert_array_equal(q, START)
    assert not qd.any()
    assert not qdd.any()


# ---- the papers ------------------------------------------------------------------------------


def test_the_stanford_example_has_the_torques_of_the_reference():
    example = examples.stanford()
    reference = REFERENCE["stanford_example1"]["A_literal"]
    tau = md.Dynamics(example.robot).inverse_dynamics(*example.trajectory(reference["t"]))
    np.testing.assert_allclose(tau, reference["tau"], atol=1e-12)


@pytest.mark.parametrize(("angle", "variant"), [(39.6, "printed_39.6"), (93.6, "theta4_93.6")])
def test_the_six_axis_example_has_the_motion_and_torques_of_the_reference(angle, variant):
    example = examples.six_axis(angle)
    reference = REFERENCE["six_axis_example2"][variant]
    motion = example.trajectory(reference["t"])
    for part, name in zip(motion, ("q", "qd", "qdd")):
        np.testing.assert_allclose(part, reference[name], atol=1e-10)
    tau = md.Dynamics(example.robot).inverse_dynamics(*motion)
    np.testing.assert_allclose(tau, reference["tau"], atol=1e-7)


@pytest.mark.parametrize("name", ["scara", "planar_2r"])
def test_the_closed_forms_of_tsai_are_the_torques(name):
    example = examples.EXAMPLES[name]()
    t = np.linspace(0.0, example.trajectory.duration, 50)
    motion = example.trajectory(t)
    np.testing.assert_allclose(md.Dynamics(example.robot).inverse_dynamics(*motion),
                               example.closed_form(*motion), atol=1e-12)


# ---- lines -----------------------------------------------------------------------------------


def test_the_tip_stays_on_its_line_and_keeps_its_orientation():
    example = examples.six_axis(93.6)
    line, dyn = example.trajectory, md.Dynamics(example.robot)
    poses = dyn.forward_kinematics(line(np.linspace(0.0, 1.0, 33))[0])
    np.testing.assert_allclose(poses[:, :3, :3], np.tile(line.start[:3, :3], (33, 1, 1)),
                               atol=1e-11)
    np.testing.assert_allclose(poses[:, [0, 2], 3], np.tile([1.33, 1.80], (33, 1)), atol=1e-11)
    assert poses[-1, 1, 3] - poses[0, 1, 3] == pytest.approx(0.5)


def test_an_arm_with_two_joints_follows_two_components():
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    guess = [0.3, 0.9]
    line = CartesianLine(dyn, dyn.forward_kinematics(guess), [-0.1, 0.0, -0.2], 1.0, guess,
                         components=("x", "z"))
    end = dyn.forward_kinematics(line(1.0)[0])[:3, 3]
    np.testing.assert_allclose(end - dyn.forward_kinematics(guess)[:3, 3], [-0.1, 0.0, -0.2],
                               atol=1e-11)


def test_a_line_that_cannot_be_followed_says_where_it_ends():
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    start = dyn.forward_kinematics([0.3, 0.9])
    with pytest.raises(ValueError, match=r"no joint positions found for the tip at t = 0\.\d+ s"):
        CartesianLine(dyn, start, [3.0, 0.0, 0.0], 1.0, [0.3, 0.9], ("x", "z"))
    with pytest.raises(ValueError, match="has 2 joints, so that 2 components"):
        CartesianLine(dyn, start, [0.1, 0.0, 0.0], 1.0, [0.3, 0.9])
    with pytest.raises(ValueError, match="up is none of x, y"):
        CartesianLine(dyn, start, [0.1, 0.0, 0.0], 1.0, [0.3, 0.9], ("x", "up"))


def test_half_a_turn_away_from_its_orientation_a_guess_still_leads_there():
    dyn = md.Dynamics(md.load_robot("six_axis"))
    q = np.array([0.2, 1.2, -2.0, 0.9, 1.3, 0.4])
    line = CartesianLine(dyn, dyn.forward_kinematics(q), [0.0, 0.1, 0.0], 1.0,
                         q + [0, 0, 0, 0, 0, np.pi])
    np.testing.assert_allclose(dyn.forward_kinematics(line(0.0)[0]), dyn.forward_kinematics(q),
                               atol=1e-11)


# ---- waypoints -------------------------------------------------------------------------------


def test_waypoints_are_met():
    for trajectory in (Waypoints(TIMES, POINTS), Waypoints(TIMES, POINTS, POINTS / 2)):
        np.testing.assert_allclose(trajectory(TIMES)[0], POINTS, atol=1e-12)
    quintic = Waypoints(TIMES, POINTS, POINTS / 2, POINTS)
    inner = [0.0, 0.5, 1.2]
    np.testing.assert_allclose(quintic(inner)[1], POINTS[:3] / 2, atol=1e-9)
    np.testing.assert_allclose(quintic(inner)[2], POINTS[:3], atol=1e-9)


def test_points_like_those_of_trajectory_msgs_in_any_joint_order():
    durations = [SimpleNamespace(sec=int(t), nanosec=round(t % 1 * 1e9)) for t in TIMES]
    points = [SimpleNamespace(positions=[*row[::-1]], velocities=[], accelerations=[],
                              time_from_start=duration)
              for duration, row in zip(durations, POINTS)]
    trajectory = Waypoints.from_points(points, ["a", "b", "c"], ["c", "b", "a"])
    np.testing.assert_allclose(trajectory(1.7)[0], Waypoints(TIMES, POINTS)(1.7)[0])
    as_dicts = [{"positions": row, "velocities": row, "time_from_start": t}
                for t, row in zip(TIMES, POINTS)]
    np.testing.assert_allclose(Waypoints.from_points(as_dicts, ["a", "b", "c"])(TIMES[1])[1],
                               POINTS[1], atol=1e-12)


def test_a_saved_history_is_a_trajectory(tmp_path):
    dyn = md.Dynamics(md.load_robot("planar_2r"))
    history = Simulator(dyn).run(0.2, every=4)
    history.save(tmp_path / "motion.csv")
    trajectory = Waypoints.from_csv(tmp_path / "motion.csv", ["joint2", "joint1"])
    q, qd, _ = trajectory(history.t)
    np.testing.assert_allclose(q, history.q[:, ::-1], atol=1e-12)
    np.testing.assert_allclose(qd[1:-1], history.qd[1:-1, ::-1], atol=1e-9)


def test_a_file_that_a_spreadsheet_wrote_is_read(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("time,joint1\n0,0\n1,2\n", encoding="utf-8-sig")  # a byte order mark first
    q, _, _ = Waypoints.from_csv(path, ["joint1"])(1.0)
    np.testing.assert_allclose(q, [2.0])


@pytest.mark.parametrize(("text", "complaint"), [
    ("", "has no column time, joint1.position"),
    ("time,joint1\n0,0\n1,1\n", "has no column joint2.position"),
    ("time,joint1,joint2\n0,0,0\n1,x,1\n", "cells that contain no numbers"),
    ("time,joint1,joint2\n0,0,0\n1,1\n", "rows of unequal length"),
    ("time,joint1,joint2\n0,0,0\n", "two points or more"),
    ("time,joint1,joint2\n0,0,0\n0,1,1\n", "times must increase: point 1 is at 0 s"),
    ("time,joint1,joint2\n0,0,0\n1,nan,1\n", "NaN or infinity"),
])  # fmt: skip
def test_a_bad_file_of_waypoints_says_what_is_wrong(tmp_path, text, complaint):
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint):
        Waypoints.from_csv(path, ["joint1", "joint2"])


def test_bad_points_say_what_is_wrong():
    point = {"positions": [0.0, 1.0], "time_from_start": 0.0}
    with pytest.raises(ValueError, match="point 1 has 1 positions for 2 joints"):
        Waypoints.from_points([point, {"positions": [1.0], "time_from_start": 1.0}], "ab")
    with pytest.raises(ValueError, match="the points are for joints a, c; the arm has a, b"):
        Waypoints.from_points([point, point], "ab", "ac")
    with pytest.raises(ValueError, match="a point needs time_from_start"):
        Waypoints.from_points([{"positions": [0.0, 1.0]}] * 2, "ab")
    with pytest.raises(ValueError, match="points with accelerations need velocities too"):
        Waypoints([0, 1], [[0], [1]], accelerations=[[0], [1]])


@pytest.mark.parametrize(("make", "complaint"), [
    (lambda: Quintic(0.0, 1.0, 1.0), "start must have one value for each joint"),
    (lambda: Quintic([0.0, 1.0], [1.0], 1.0), r"end must have shape \(2,\), not \(1,\)"),
    (lambda: Quintic([0.0], [np.nan], 1.0), "end contains NaN"),
    (lambda: Cycloidal([0.0], [1.0], 0.0), "duration must be positive, not 0"),
    (lambda: Trapezoidal([0.0], [1.0], 0.0, 1.0), "must be positive"),
])  # fmt: skip
def test_trajectories_refuse_what_they_cannot_do(make, complaint):
    with pytest.raises(ValueError, match=complaint):
        make()
