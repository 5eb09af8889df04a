"""Every test process has a ROS domain of its own, seen on this machine only."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Tests run on the sources, whatever directory pytest was started in.
sys.path.insert(0, str(ROOT))

from manip_dynamics.nodes.own_domain import take_own_domain

_claim = take_own_domain()


def pytest_unconfigure():
    _claim.close()
