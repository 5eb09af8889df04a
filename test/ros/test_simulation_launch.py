"""`simulation.launch.py` as a user launches it; runs wherever launch_testing is installed."""

import unittest

import pytest

pytest.importorskip("launch_testing", reason="comes with an installed ROS 2")
pytest.importorskip("launch_ros", reason="comes with an installed ROS 2")

import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
from ament_index_python import get_package_share_path
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from node_process import Client
from sensor_msgs.msg import JointState

from manip_dynamics_msgs.srv import MassMatrix

LAUNCH_FILE = get_package_share_path("manip_dynamics") / "launch" / "simulation.launch.py"


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    return LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(LAUNCH_FILE)),
            launch_arguments={"robot": "stanford_arm", "namespace": "left"}.items(),
        ),
        launch_testing.actions.ReadyToTest(),
    ])


class TestLaunchedNodes(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.close)

    def test_the_dynamics_node_answers_in_its_namespace(self):
        answer = self.client.call(
            MassMatrix, "/left/dynamics/mass_matrix", positions=[0.0] * 6
        )
        assert answer.success, answer.message

    def test_the_two_nodes_hold_the_arm(self):
        states = self.client.collect(JointState, "/left/joint_states")
        state = self.client.next(states, "acting efforts", lambda s: any(s.effort))
        assert max(map(abs, state.position)) < 1e-2


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_both_nodes_ended_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
