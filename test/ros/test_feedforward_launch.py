"""`feedforward.launch.py` as a user launches it; runs wherever launch_testing is installed."""

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
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from manip_dynamics.nodes.streams import LATCHED

SHARE = get_package_share_path("manip_dynamics")


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    arguments = {"namespace": "arm", "commands": "controller/commands", "terms": "gravity"}
    return LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(SHARE / "launch" / "feedforward.launch.py")),
            launch_arguments=arguments.items(),
        ),
        launch_testing.actions.ReadyToTest(),
    ])


class TestLaunchedNode(unittest.TestCase):
    def test_it_takes_the_robot_from_the_topic_and_commands_a_controller(self):
        client = Client()
        self.addCleanup(client.close)
        urdf = (SHARE / "urdf" / "planar_2r.urdf").read_text()
        description = client.publisher(String, "/arm/robot_description", LATCHED)
        description.publish(String(data=urdf))
        commands = client.collect(Float64MultiArray, "/arm/controller/commands")
        references = client.publisher(JointTrajectory, "/arm/dynamics/reference")
        point = JointTrajectoryPoint(positions=[0.0, 0.0], accelerations=[100.0, 100.0])

        def commanded():
            references.publish(JointTrajectory(points=[point]))
            return commands

        # Held out horizontally, both links pull the same way; the accelerations do not count.
        shoulder, elbow = client.spin_until(commanded, "commands")[-1].data
        assert 0.0 < abs(elbow) < abs(shoulder) < 100.0


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    def test_the_node_ended_cleanly(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
