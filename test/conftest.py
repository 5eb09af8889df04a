"""Every test process has a ROS domain of its own, seen on this machine only."""

import os
import socket
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Above 101 the DDS ports can meet those that Linux hands out for outgoing connections.
DOMAINS = range(1, 102)


def _own_domain() -> tuple[int, socket.socket]:
    """Return a domain nobody else tests in; it is ours as long as the socket lives."""
    for domain in DOMAINS:
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            # A name in the abstract namespace: no file, and free again when the process ends.
            claim.bind(f"\0manip_dynamics_test_domain_{domain}")
            return domain, claim
        except OSError:
            claim.close()
    raise RuntimeError(f"all {len(DOMAINS)} ROS domains are taken by other test processes")


_domain, _claim = _own_domain()
os.environ["ROS_DOMAIN_ID"] = str(_domain)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"  # since ROS 2 Iron
os.environ["ROS_LOCALHOST_ONLY"] = "1" if os.environ.get("ROS_DISTRO") == "humble" else "0"
# Tests run on the sources, whatever directory pytest was started in.
sys.path.insert(0, str(ROOT))
