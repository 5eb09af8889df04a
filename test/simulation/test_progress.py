"""The progress bar of a run: on request, on a terminal, for long runs only."""

import io

import pytest
import tqdm

import manip_dynamics as md
from manip_dynamics.simulation import Simulator


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def no_delay(monkeypatch):
    """Show the bar at once and redraw it at every update."""
    original = tqdm.tqdm

    def impatient(**options):
        return original(**{**options, "delay": 0.0, "mininterval": 0.0, "ncols": 80})

    monkeypatch.setattr(tqdm, "tqdm", impatient)


def shown_by_a_long_run(monkeypatch, stderr: io.StringIO, **options) -> str:
    monkeypatch.setattr("sys.stderr", stderr)
    Simulator(md.Dynamics(md.load_robot("planar_2r")), 1e-4).run(10.0, every=10**5, **options)
    return stderr.getvalue()


def test_a_terminal_sees_how_far_a_run_is_and_gets_its_line_back(monkeypatch, no_delay):
    shown = shown_by_a_long_run(monkeypatch, Terminal(), progress=True)
    assert "simulating  20%|" in shown
    assert "| t = 2 of 10 s, " in shown
    assert "100%" in shown
    assert shown.endswith("\r" + " " * 80 + "\r")


def test_nothing_is_shown_unless_asked_for(monkeypatch, no_delay):
    assert shown_by_a_long_run(monkeypatch, Terminal()) == ""


def test_a_file_sees_nothing(monkeypatch, no_delay):
    assert shown_by_a_long_run(monkeypatch, io.StringIO(), progress=True) == ""


def test_a_short_run_shows_nothing(monkeypatch):
    assert shown_by_a_long_run(monkeypatch, Terminal(), progress=True) == ""
