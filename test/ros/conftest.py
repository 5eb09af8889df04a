"""Fixtures of the tests with real nodes."""

import pytest

try:
    import rclpy  # noqa: F401

    import manip_dynamics_msgs.srv  # noqa: F401
except ImportError as error:
    raise pytest.UsageError(
        f"{error}. These tests need ROS 2 and the built packages: run them by script/test, "
        "or source install/setup.bash first."
    ) from error

from node_process import Client


@pytest.fixture
def client():
    """A node of the test's own."""
    client = Client()
    yield client
    client.close()


def pytest_collection_modifyitems(items):
    for item in items:
        if "/ros/" in str(item.path):
            item.add_marker(pytest.mark.ros)
