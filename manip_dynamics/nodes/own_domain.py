"""A ROS domain of one's own: tests, demos and benchmarks on one machine do not meet."""

from __future__ import annotations

import os
import socket

# Above 101 the DDS ports can meet those that Linux hands out for outgoing connections.
DOMAINS = range(1, 102)


def take_own_domain() -> socket.socket:
    """Put this process and its children into a domain that is theirs while the socket lives.

    It is seen on this machine only.
    """
    for domain in DOMAINS:
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            # A name in the abstract namespace: no file, and free again when the process ends.
            claim.bind(f"\0manip_dynamics_domain_{domain}")
        except OSError:
            claim.close()
            continue
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"  # since ROS 2 Iron
        os.environ["ROS_LOCALHOST_ONLY"] = "1" if os.environ.get("ROS_DISTRO") == "humble" else "0"
        return claim
    raise RuntimeError(f"all {len(DOMAINS)} ROS domains are taken by tests, demos or benchmarks")
