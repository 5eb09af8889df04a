"""The progress bar: for people who wait at a terminal, and for nobody else."""

import io

import pytest

import manip_dynamics as md
from manip_dynamics.simulation import Simulator, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "REFRESH", 0.0)


def long_run() -> None:
    Simulator(md.Dynamics(md.load_robot("planar_2r")), 1e-4).run(10.0, every=10**5)


def test_a_terminal_sees_how_far_a_run_is_and_gets_its_line_back(monkeypatch, impatient):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    long_run()
    shown = terminal.getvalue()
    assert "simulating [######........................]  20%  t = 2 s" in shown
    assert "100%" in shown
    assert shown.endswith("\r\033[K")


def test_a_file_sees_nothing(monkeypatch, impatient):
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    long_run()
    assert log.getvalue() == ""


def test_a_short_run_shows_nothing(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    long_run()
    assert terminal.getvalue() == ""
