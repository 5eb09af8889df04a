"""The verbs simulate and example: output, files and errors."""

import subprocess
import sys

import numpy as np
import pytest

from manip_dynamics.cli.main import main
from manip_dynamics.papers.examples import EXAMPLES
from manip_dynamics.simulation import History
from manip_dynamics.simulation.plotting import Panel, plot_panels

pytestmark = pytest.mark.filterwarnings("ignore::manip_dynamics.ModelWarning")


def test_a_free_arm_falls_and_keeps_its_energy(capsys, tmp_path):
    path = tmp_path / "fall.npz"
    assert main(["simulate", "planar_2r", "--start", "-1", "2", "--duration", "1", "--save",
                 str(path)]) == 0
    out = capsys.readouterr().out
    assert "planar_2r: 1 s simulated" in out
    assert "energy: -11.144 J at the start, -11.144 J at the end" in out
    history = History.load(path)
    np.testing.assert_array_equal(history.q[0], [-1.0, 2.0])
    assert len(history) == 1001


@pytest.mark.parametrize("options", [
    ["quintic", "--to", "1", "0.5"],
    ["cycloidal", "--to", "1", "0.5"],
    ["trapezoidal", "--to", "1", "0.5"],
    ["sinusoidal", "--amplitude", "0.1", "0.2", "--frequency", "1", "--start", "0.2", "0.1"],
    ["line", "--by", "-0.1", "0", "0.1", "--start", "0.3", "0.9", "--components", "x", "z"],
], ids=lambda options: options[0])  # fmt: skip
def test_every_kind_of_trajectory_is_followed(options, tmp_path):
    path = tmp_path / "motion.npz"
    assert main(["simulate", "planar_2r", "--trajectory", *options, "--duration", "1",
                 "--no-limits", "--save", str(path)]) == 0
    history = History.load(path)
    assert np.ptp(history.q, axis=0).min() > 0.01
    # A step across a jump of the acceleration is of first order.
    assert abs(history.error).max() < (1e-3 if options[0] == "trapezoidal" else 1e-6)


def test_an_end_alone_is_a_quintic_trajectory(tmp_path):
    path = tmp_path / "motion.npz"
    assert main(["simulate", "planar_2r", "--to", "1", "0.5", "--duration", "1", "--no-limits",
                 "--save", str(path)]) == 0
    np.testing.assert_allclose(History.load(path).q[-1], [1.0, 0.5], atol=1e-6)


def test_motors_slow_a_fall(tmp_path):
    falls = []
    for motors in ([], ["--rotor-inertia", "1e-3", "1e-3", "--gear-ratio", "100", "100"]):
        path = tmp_path / "fall.npz"
        main(["simulate", "planar_2r", "--duration", "0.1", "--save", str(path), *motors])
        falls.append(abs(History.load(path).q[-1]).max())
    assert falls[1] < falls[0] / 2


def test_a_saved_motion_is_a_trajectory(tmp_path):
    saved, again = tmp_path / "motion.csv", tmp_path / "again.npz"
    main(["simulate", "planar_2r", "--trajectory", "quintic", "--to", "1", "0.5", "--duration", "1",
          "--save", str(saved)])
    assert main(["simulate", "planar_2r", "--trajectory", str(saved), "--save", str(again)]) == 0
    np.testing.assert_allclose(History.load(again).q[-1], [1.0, 0.5], atol=1e-6)


def test_a_payload_that_the_controller_does_not_know_shows(tmp_path):
    errors = []
    for model in ([], ["--model-payload", "0"], ["--model", "planar_2r", "--model-payload", "0"]):
        path = tmp_path / "motion.npz"
        main(["simulate", "planar_2r", "--payload", "1", "--trajectory", "quintic", "--to", "1",
              "0.5", "--duration", "1", "--no-limits", "--save", str(path), *model])
        errors.append(abs(History.load(path).error).max())
    assert errors[0] < 1e-6
    assert errors[1] == pytest.approx(errors[2])
    assert errors[1] > 0.01


def test_a_controller_without_a_trajectory_holds_the_start(tmp_path):
    path = tmp_path / "motion.npz"
    main(["simulate", "puma560", "--controller", "gravity_compensation", "--start", *["0.2"] * 6,
          "--duration", "0.5", "--save", str(path)])
    np.testing.assert_allclose(History.load(path).q[-1], 0.2, atol=1e-9)


def test_a_blow_up_is_one_line_and_keeps_the_history(capsys, tmp_path):
    path = tmp_path / "motion.csv"
    assert main(["simulate", "stanford_arm", "--dt", "0.2", "--no-limits", "--velocity", "3", "3",
                 "0.3", "3", "3", "3", "--duration", "100", "--save", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("manip_dynamics simulate: the motion blew up at t = ")
    assert captured.err.count("\n") == 1
    assert len(path.read_text().splitlines()) > 2


@pytest.mark.parametrize(("options", "complaint"), [
    (["--start", "1"], "--start needs 2 values, for joint1, joint2; got 1"),
    (["--trajectory", "quintic"], "--trajectory quintic needs --to"),
    (["--trajectory", "line"], "--trajectory line needs --by X Y Z"),
    (["--trajectory", "zigzag"], "'zigzag' is neither one of cycloidal"),
    (["--trajectory", "missing.csv"], "missing.csv"),
    (["--controller", "computed_torque", "--model", "scara"], "--model has joints joint1, "),
    (["--save", "motion.xlsx"], "saved as .npz or .csv"),
    (["--trajectory", "sinusoidal", "--to", "1", "0"],
     "--to applies to --trajectory cycloidal or quintic or trapezoidal, not to sinusoidal"),
    (["--frequency", "2"], "--frequency applies to --trajectory sinusoidal, not to none"),
    (["--to", "1", "0", "--velocity", "1", "0"], "--velocity applies to --trajectory none, not"),
    (["--kp", "50"], "--kp needs a controller; choose one with --controller"),
    (["--to", "9", "0"], "the trajectory moves joint1 to 9 rad, but its limit is 3.142 (--no-lim"),
    (["--rotor-inertia", "1"], "--rotor-inertia needs 2 values, for joint1, joint2; got 1"),
    (["--plot", "motion.xlsx"], "figures are written as .png, .svg, .pdf, not 'motion.xlsx'"),
])  # fmt: skip
def test_refusals_are_one_line(capsys, options, complaint):
    assert main(["simulate", "planar_2r", *options]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figures_are_drawn(tmp_path, suffix):
    path = tmp_path / f"motion.{suffix}"
    assert main(["simulate", "scara", "--trajectory", "quintic", "--to", "1", "0.5", "0.2",
                 "--duration", "0.2", "--every", "10", "--plot", str(path)]) == 0
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)


def test_figures_have_units_on_their_axes_and_joints_in_their_legends():
    t = np.linspace(0.0, 1.0, 11)
    q = np.stack([t, -t, t / 10, t], 1)
    efforts = np.stack([t, 10 * t, t, 1e-3 * t], 1)
    figure = plot_panels([Panel("position", t, q), Panel("effort", t, efforts)],
                         ["joint1", "joint2", "joint3", "joint4"],
                         ["revolute", "revolute", "prismatic", "revolute"])
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["position [rad]", "position [m]", "effort [N m]", "effort [N m]",
                      "effort [N]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    legend = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert legend == ["joint1, joint4", "joint2"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_of_the_papers_runs_and_is_drawn(capsys, tmp_path, name):
    assert main(["example", name, "-o", str(tmp_path / "figures")]) == 0
    out = capsys.readouterr().out
    deviation = float(out.partition("largest deviation ")[2].split()[0])
    assert deviation < 1e-6
    if EXAMPLES[name]().closed_form:
        assert float(out.partition("closed form: ")[2].split()[0]) < 1e-12
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"{name}_joints.png", f"{name}_efforts.png", f"{name}_simulation.png"}


def test_without_matplotlib_a_figure_is_refused_before_the_work_with_advice():
    program = ("import sys; sys.modules['matplotlib'] = None\n"
               "from manip_dynamics.cli.main import main\n"
               "sys.exit(main(['simulate', 'planar_2r', '--plot', 'motion.png']))")
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr == ("manip_dynamics simulate: figures need matplotlib: "
                              "python3 -m pip install matplotlib\n")
