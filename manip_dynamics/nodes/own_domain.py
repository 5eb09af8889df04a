"""Reserve a private ROS_DOMAIN_ID, so that tests, demos and benchmarks do not interfere."""

from __future__ import annotations

import os
import socket

# Above 101, DDS ports may collide with the ephemeral ports of Linux.
DOMAINS = range(1, 102)


def take_own_domain() -> socket.socket:
    """Move this process and its children to an unused domain, visible on this machine only.

    The domain is reserved until the returned socket is closed.
    """
    for domain in DOMAINS:
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            # An abstract socket name: no file, and released when the process ends.
            claim.bind(f"\0manip_dynamics_domain_{domain}")
        except OSError:
            claim.close()
            continue
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"  # since ROS 2 Iron
        os.environ["ROS_LOCALHOST_ONLY"] = "1" if os.environ.get("ROS_DISTRO") == "humble" else "0"
        return claim
    raise RuntimeError(f"all {len(DOMAINS)} ROS domains are in use by tests, demos or benchmarks")
