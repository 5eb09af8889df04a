"""Every test process has a ROS domain of its own, seen on this machine only."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Tests run on the sources, whatever directory pytest was started in.
sys.path.insert(0, str(ROOT))

from hypothesis import settings

from manip_dynamics.nodes.own_domain import take_own_domain

# How long an example takes says more about the machine than about the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

_claim = take_own_domain()


def pytest_unconfigure():
    _claim.close()
