"""The links and shapes of a URDF, as a view of the moving arm needs them."""

import warnings
from math import cos, sin

import numpy as np
import pytest

import manip_dynamics as md
from manip_dynamics.algorithms.kinematics import link_placements

INERTIAL = ('<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
            'izz="1"/></inertial>')
URDF = f"""<robot name="shapes">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="world"/>
  <joint name="stand" type="fixed">
    <parent link="world"/><child link="base"/><origin xyz="0 0 0.5"/></joint>
  <link name="base"><visual><geometry><box size="0.2 0.3 0.4"/></geometry>
    <material name="red"/></visual></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0.1 0 0.4" rpy="0.3 0 0.2"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="upper">{INERTIAL}
    <visual><origin xyz="0 0 0.1" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.05" length="0.6"/></geometry>
      <material name="own"><color rgba="0 1 0 0.5"/></material></visual>
    <visual><geometry><sphere radius="nan"/></geometry></visual>
    <visual><geometry><box size="1 2"/></geometry></visual>
    <visual><origin xyz="a b c"/><geometry><sphere radius="1"/></geometry></visual>
    <visual><geometry><teapot/></geometry></visual><visual/>
    <visual><geometry><mesh scale="1 1 1"/></geometry></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="rail" type="prismatic"><parent link="upper"/><child link="carriage"/>
    <origin xyz="0.2 0.1 0" rpy="0 0.7 0"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="carriage">{INERTIAL}</link>
  <joint name="weld" type="fixed"><parent link="carriage"/><child link="hand"/>
    <origin xyz="0 0.3 0" rpy="0.1 0.2 0.3"/></joint>
  <link name="hand">
    <visual><geometry><mesh filename="package://arm/hand.stl" scale="1e-3 1e-3 1e-3"/></geometry>
      <material name="own"/></visual>
    <visual><geometry><mesh filename="palm.dae"/></geometry></visual></link>
</robot>"""


def matrix(rotation, translation):
    return np.block([[np.array(rotation), np.array(translation)[:, None]],
                     [np.zeros((1, 3)), np.ones((1, 1))]])


def about(axis, angle):
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + sin(angle) * cross + (1 - cos(angle)) * cross @ cross


def origin(xyz, rpy=(0, 0, 0)):
    roll, pitch, yaw = rpy
    return matrix(about((0, 0, 1), yaw) @ about((0, 1, 0), pitch) @ about((1, 0, 0), roll), xyz)


@pytest.fixture(scope="module")
def robot():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(URDF)


def body(robot, name):
    found, = (body for body in robot.bodies if body.name == name)
    return found


def test_every_link_is_carried_by_the_base_or_a_moving_link(robot):
    assert {body.name: body.carrier for body in robot.bodies} == {
        "world": 0, "base": 0, "upper": 1, "carriage": 2, "hand": 2}


@pytest.mark.parametrize("q", [(0.0, 0.0), (0.7, -0.2)])
def test_links_are_where_the_urdf_puts_them(robot, q):
    carriers = [np.eye(4), *map(np.array, link_placements(robot.chain, q))]
    base = origin((0, 0, 0.5))
    upper = base @ origin((0.1, 0, 0.4), (0.3, 0, 0.2)) @ matrix(about((0, 0, 1), q[0]), (0, 0, 0))
    carriage = upper @ origin((0.2, 0.1, 0), (0, 0.7, 0)) @ origin((q[1], 0, 0))
    hand = carriage @ origin((0, 0.3, 0), (0.1, 0.2, 0.3))
    for name, expected in (("world", np.eye(4)), ("base", base), ("upper", upper),
                           ("carriage", carriage), ("hand", hand)):
        link = body(robot, name)
        np.testing.assert_allclose(carriers[link.carrier] @ matrix(*link.pose), expected,
                                   atol=1e-12)


def test_shapes_have_their_sizes_poses_and_colours(robot):
    box, = body(robot, "base").visuals
    assert (box.kind, box.size, box.rgba) == ("box", (0.2, 0.3, 0.4), (1, 0, 0, 1))
    cylinder, = body(robot, "upper").visuals  # what cannot be read is left out
    assert (cylinder.kind, cylinder.size) == ("cylinder", (0.05, 0.6))
    assert cylinder.rgba == (0, 1, 0, 0.5)
    np.testing.assert_allclose(matrix(*cylinder.pose), origin((0, 0, 0.1), (0, np.pi / 2, 0)),
                               atol=1e-15)
    sphere, = body(robot, "upper").collisions
    assert (sphere.kind, sphere.size, sphere.rgba) == ("sphere", (0.1,), None)
    hand, palm = body(robot, "hand").visuals
    assert (hand.filename, hand.size) == ("package://arm/hand.stl", (1e-3, 1e-3, 1e-3))
    assert hand.rgba == (0, 1, 0, 0.5)  # a material of that name
    assert (palm.kind, palm.filename, palm.size) == ("mesh", "palm.dae", (1, 1, 1))


def test_broken_places_of_the_base_are_left_out():
    text = URDF.replace('<link name="world"/>', '<link name="world"/><link name="lamp"/>'
                        '<joint name="cord" type="fixed"><parent link="world"/>'
                        '<child link="lamp"/><origin xyz="0 0 inf"/></joint>')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        assert "lamp" not in {body.name for body in md.load_robot(text).bodies}


def test_a_dh_table_and_copies_of_a_robot_have_shapes():
    robot = md.load_robot("stanford_arm")
    table = md.load_robot(md.model.bundled.share_directory() / "urdf/tables/stanford_arm.yaml")
    assert table.bodies == robot.bodies == robot.with_payload(1.0).bodies
    assert [body.carrier for body in robot.bodies] == list(range(robot.n + 1))
    assert all(body.visuals for body in robot.bodies)
