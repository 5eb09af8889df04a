"""Properties of the model: lumping, payload, drives, locked joints, tables and back."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import assert_close, random_chain, random_kinds, random_state
from random_urdf import random_urdf

import manip_dynamics as md
from manip_dynamics.algorithms import kane, newton_euler
from manip_dynamics.model.chain import Chain, Placement, cos_sin
from manip_dynamics.model.dh_table import Table, read_table, write_table
from manip_dynamics.model.inertia import Body, combined
from manip_dynamics.model.mdh import rotation_from_rpy, rpy_from_rotation
from manip_dynamics.model.urdf_writer import urdf_of_table

seeds = st.integers(0, 2**32 - 1)
angles = st.floats(-10, 10, allow_nan=False)


def quietly_loaded(source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(source, **options)


def torques(chain, state):
    return kane.inverse_dynamics(chain, *state)


def allowed_error(robot):
    """Rounding alone, unless an angle fell near a right one and snapping says so."""
    return 1e-4 if robot.mdh_deviation.angle else 1e-9


def test_a_robot_prints_as_a_line():
    arm = quietly_loaded("scara")
    assert repr(arm) == "<Robot 'scara': 3 joints from 'base_link' to 'link3'>"


@given(seeds, st.integers(1, 7), st.booleans())
def test_a_table_survives_urdf_and_back(seed, n, right_angles):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, random_kinds(rng, n), right_angles)
    joints = tuple(replace(joint, name=f"joint{i}") for i, joint in enumerate(chain.joints))
    text = urdf_of_table(Table("arm", replace(chain, joints=joints)))
    robot = md.load_robot(text, gravity=np.array(chain.base.rotation) @ chain.gravity)
    state = random_state(rng, n)
    assert_close(torques(robot.chain, state), torques(chain, state), allowed_error(robot))
    if robot.mdh_deviation.angle:
        return
    for before, after in zip(joints[1:], robot.mdh.joints[1:]):
        # a coaxial or parallel neighbour may share an offset, so only what is unique is compared
        assert math.cos(after.alpha) == pytest.approx(math.cos(before.alpha), abs=1e-9)
        assert abs(after.a) == pytest.approx(abs(before.a), abs=1e-9)


@given(seeds, st.integers(1, 6))
def test_the_written_table_is_the_same_robot(seed, n):
    rng = np.random.default_rng(seed)
    text, _, positions = random_urdf(rng, n)
    robot = quietly_loaded(text, tip="tip", joint_positions=positions)
    again = md.load_robot(urdf_of_table(read_table(write_table(robot))))
    state = random_state(rng, n)
    allowed = allowed_error(again)
    assert_close(torques(again.chain, state), torques(robot.chain, state), allowed)
    assert_close(again.chain.tip.translation, robot.chain.tip.translation, allowed)
    assert_close(again.chain.tip.rotation, robot.chain.tip.rotation, allowed)
    assert_close(again.chain.base.rotation, robot.chain.base.rotation, allowed)


def standard_dh_transform(alpha, a, theta, d):
    (ct, st_), (ca, sa) = cos_sin(theta), cos_sin(alpha)
    return np.array([[ct, -st_ * ca, st_ * sa, a * ct], [st_, ct * ca, -ct * sa, a * st_],
                     [0, sa, ca, d], [0, 0, 0, 1]])


@given(seeds)
def test_a_standard_dh_table_keeps_every_mass_where_it_was(seed):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-2, 2, (4, 4))
    coms = rng.uniform(-1, 1, (4, 3))
    text = "convention: standard\njoints:\n" + "".join(
        f"  - {{kind: R, alpha: {al!r}, a: {a!r}, theta: {th!r}, d: {d!r}, mass: 1.0,"
        f" com: {c.tolist()}}}\n" for (al, a, th, d), c in zip(rows.tolist(), coms))
    chain = read_table(text).chain
    T, modified = np.eye(4), np.eye(4)
    for (alpha, a, theta, d), com, joint, link in zip(rows, coms, chain.joints, chain.links):
        T = T @ standard_dh_transform(alpha, a, theta, d)
        turn = rotation_from_rpy((joint.alpha, 0, 0), snap=False)
        step = np.eye(4)
        step[:3, :3] = turn @ rotation_from_rpy((0, 0, joint.theta), snap=False)
        step[:3, 3] = np.array([joint.a, 0, 0]) + turn @ np.array([0, 0, joint.d])
        modified = modified @ step
        assert_close((modified @ [*link.com, 1])[:3], (T @ [*com, 1])[:3])
    tip = np.array(chain.tip.translation)
    assert_close((modified @ [*tip, 1])[:3], T[:3, 3])


@given(angles, angles, angles)
def test_rpy_and_rotation_are_inverse(roll, pitch, yaw):
    rotation = rotation_from_rpy((roll, pitch, yaw), snap=False)
    again = rotation_from_rpy(rpy_from_rotation(rotation), snap=False)
    assert_close(again, rotation, 1e-8)


@given(seeds)
def test_lumped_bodies_have_the_momentum_of_their_parts(seed):
    rng = np.random.default_rng(seed)
    bodies = [Body(rng.uniform(0.1, 2), rng.normal(size=3), np.diag(rng.uniform(1, 1.5, 3)))
              for _ in range(3)]
    whole = combined(bodies)
    omega, velocity = rng.normal(size=3), rng.normal(size=3)

    def energy(body):
        v = velocity + np.cross(omega, body.com)
        return body.mass * v @ v / 2 + omega @ body.inertia @ omega / 2

    assert energy(whole) == pytest.approx(sum(map(energy, bodies)))


@given(seeds, st.integers(1, 5))
def test_a_payload_is_a_link_welded_to_the_tip(seed, n):
    rng = np.random.default_rng(seed)
    text, _, positions = random_urdf(rng, n)
    body = Body(1.7, rng.normal(size=3) * 0.1, np.diag([0.02, 0.03, 0.04]))
    loaded = quietly_loaded(text, tip="tip", joint_positions=positions, payload=body)
    x, y, z = body.com.tolist()
    welded = text.replace("</robot>", (
        '<link name="tool"><inertial>'
        f'<origin xyz="{x!r} {y!r} {z!r}"/><mass value="1.7"/>'
        '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>'
        '<joint name="weld" type="fixed"><parent link="tip"/><child link="tool"/></joint></robot>'))
    state = random_state(rng, n)
    expected = quietly_loaded(welded, tip="tip", joint_positions=positions)
    assert_close(torques(loaded.chain, state), torques(expected.chain, state))
    bare = quietly_loaded(text, tip="tip", joint_positions=positions)
    assert loaded.with_payload(None).chain == bare.chain


def test_payload_in_every_form_is_the_same_body():
    arm = md.load_robot("planar_2r")
    forms = (2.0, (2.0,), {"mass": 2.0}, (2.0, (0, 0, 0), np.zeros((3, 3))), Body.create(2.0))
    chains = [arm.with_payload(form).chain for form in forms]
    assert all(chain == chains[0] for chain in chains)
    assert chains[0].links[-1].mass == 4.0


@given(seeds)
def test_gravity_turns_with_the_mounting(seed):
    """Turning the base and gravity alike changes nothing."""
    rng = np.random.default_rng(seed)
    rpy = rng.uniform(-3, 3, 3)
    text, _, positions = random_urdf(rng, 3)
    roll, pitch, yaw = rpy.tolist()
    turned = text.replace("</robot>", (
        '<link name="world"/><joint name="mount" type="fixed"><parent link="world"/>'
        f'<child link="base"/><origin rpy="{roll!r} {pitch!r} {yaw!r}"/></joint></robot>'))
    gravity = np.array([0.0, 0.0, -9.81])
    in_base = rotation_from_rpy(rpy).T @ gravity
    state = random_state(rng, 3)
    assert_close(
        torques(quietly_loaded(turned, tip="tip", joint_positions=positions).chain, state),
        torques(quietly_loaded(text, tip="tip", joint_positions=positions, gravity=in_base).chain,
                state))


def test_drives_come_by_name():
    arm = md.load_robot("stanford_arm", rotor_inertia={"joint2": 1e-4}, gear_ratio={"joint2": 80})
    assert [joint.rotor_inertia for joint in arm.joints] == [0, 1e-4, 0, 0, 0, 0]
    assert arm.joints[1].gear_ratio == 80.0


def test_friction_limits_and_reduction_of_the_urdf_are_kept():
    text = md.load_robot("stanford_arm").urdf.replace(
        '<axis xyz="0 0 1" />', '<axis xyz="0 0 1" /><dynamics damping="0.3" friction="0.7"/>'
    ).replace("</robot>", (
        '<transmission name="t"><joint name="joint1"/><actuator name="m">'
        "<mechanicalReduction>50</mechanicalReduction></actuator></transmission></robot>"))
    first = md.load_robot(text).joints[0]
    assert (first.friction.viscous, first.friction.coulomb, first.gear_ratio) == (0.3, 0.7, 50.0)
    assert (first.lower, first.upper) == pytest.approx((math.radians(-170), math.radians(170)))
    assert first.max_effort == 60.0


def test_a_reduction_for_no_joint_is_told():
    text = md.load_robot("planar_2r").urdf.replace("</robot>", (
        '<transmission name="t"><joint name="nose"/><actuator name="m">'
        "<mechanicalReduction>50</mechanicalReduction></actuator></transmission></robot>"))
    with pytest.warns(md.ModelWarning, match="a joint that does not exist: 'nose'"):
        md.load_robot(text)


def test_the_tip_that_was_chosen_is_told():
    text = md.load_robot("planar_2r").urdf.replace("</robot>", (
        '<link name="camera"/><joint name="eye" type="fixed"><parent link="link2"/>'
        '<child link="camera"/></joint></robot>'))
    with pytest.warns(md.ModelWarning, match="'tip' chosen; the arm could also end at 'camera'"):
        robot = md.load_robot(text)
    assert robot.tip == "tip"
    assert md.load_robot(text, tip="camera").chain.tip == Placement()


def test_mdh_prints_as_a_table():
    lines = str(md.load_robot("stanford_arm").mdh).splitlines()
    assert len(lines) == 8
    assert lines[0].split() == ["i", "joint", "kind", "alpha", "a", "theta", "d"]
    assert lines[4].split() == ["3", "joint3", "prismatic", "90", "0", "0", "q3"]


def test_a_robot_cannot_be_changed():
    robot = md.load_robot("planar_2r")
    with pytest.raises(AttributeError):
        robot.name = "other"
    with pytest.raises(AttributeError):
        robot.chain.joints[0].a = 1.0


def test_a_chain_needs_as_many_links_as_joints():
    chain = md.load_robot("planar_2r").chain
    with pytest.raises(md.ModelError, match="1 links for 2 joints"):
        Chain(chain.joints, chain.links[:1])


BAD_TABLES = {
    "[]": "mapping with a list of `joints`",
    "joints: []": "no joint",
    "joints: [{kind: R, alpha: x}]": "joint 1 .*: alpha must be a finite number, not 'x'",
    "joints: [{kind: R}, {kind: Q}]": "joint 2 of the DH table: kind must be revolute or prismatic",
    "joints: [{kind: R, colour: red}]": "joint 1 .* unknown entries colour",
    "joints: [{kind: R, mass: -1}]": "joint 1 of the DH table: mass is negative",
    "joints: [{kind: R, com: [1, 2]}]": "joint 1 of the DH table: com must be 3 finite numbers",
    "joints: [{kind: R, inertia: [1, 2]}]": "inertia .*must be 6 finite numbers",
    "joints: [{kind: R, upper: 1}]": "joint 1 .* lower and upper limits belong together",
    "joints: [{kind: R, d: .inf}]": "joint 1 of the DH table: d must be a finite number, not inf",
    "convention: craig\njoints: [{kind: R}]": "convention must be modified or standard",
    "angles: gon\njoints: [{kind: R}]": "angles must be degrees or radians",
    "convention: standard\ntip: [0, 0, 0]\njoints: [{kind: R}]": "remove `tip`",
    "joints: [": "not valid YAML",
}


@pytest.mark.parametrize("text", BAD_TABLES)
def test_bad_table(text):
    with pytest.raises(md.ModelError, match=BAD_TABLES[text]):
        read_table(text)


def a_hand_with_a_finger(axis="0 0 1", inertial_rpy="0 0 0", finger_rpy="0 0 0"):
    inertial = ('<inertial><origin rpy="{}"/><mass value="1"/>'
                '<inertia ixx="2" ixy="0" ixz="0" iyy="3" iyz="0" izz="4"/></inertial>')
    return (f'<robot name="r"><link name="base"/><link name="hand">{inertial.format(inertial_rpy)}'
            f'</link><link name="finger">{inertial.format("0 0 0")}</link>'
            '<joint name="wrist" type="continuous"><parent link="base"/><child link="hand"/>'
            f'<axis xyz="{axis}"/></joint><joint name="weld" type="fixed"><parent link="hand"/>'
            f'<child link="finger"/><origin rpy="{finger_rpy}"/></joint></robot>')


@pytest.mark.parametrize("where", ["axis", "inertial_rpy", "finger_rpy"])
def test_whatever_snapping_changes_is_reported(where):
    tilted = {"axis": "1e-5 0 1"}.get(where, "1e-5 0 0")
    robot = md.load_robot(a_hand_with_a_finger(**{where: tilted}), tip="hand")
    assert robot.mdh_deviation.angle == pytest.approx(1e-5)
    exact = md.load_robot(a_hand_with_a_finger(), tip="hand")
    assert exact.mdh_deviation.angle == 0.0
    assert robot.chain == exact.chain


def test_robots_are_equal_if_they_move_alike():
    text = a_hand_with_a_finger()
    loaded = md.load_robot(text, payload=(1.0, (0.0, 0.0, 0.1)))
    assert loaded == md.load_robot(text, payload=(1.0, (0.0, 0.0, 0.1)))
    assert loaded != md.load_robot(text, payload=2.0)
    assert len({loaded, loaded.with_payload(None), md.load_robot(text)}) == 2


def test_the_reduction_of_ros2_control_is_read():
    transmission = (
        '<ros2_control name="c" type="system"><joint name="wrist"/><transmission name="t">'
        '<plugin>transmission_interface/SimpleTransmission</plugin><actuator name="motor"/>'
        '<joint name="wrist"><mechanical_reduction>-30</mechanical_reduction></joint>'
        "</transmission></ros2_control></robot>")
    text = a_hand_with_a_finger().replace("</robot>", transmission)
    assert md.load_robot(text).joints[0].gear_ratio == -30.0


def test_a_joint_of_a_table_may_have_any_name(tmp_path):
    table = tmp_path / "arm.yaml"
    table.write_text("""
tip: [0, 0, 1]
joints: [{name: tip_joint, kind: R, mass: 1}, {name: 'a <b> & "c"', kind: P, mass: 1}]
""")
    assert md.load_robot(table).joint_names == ("tip_joint", 'a <b> & "c"')


def test_limits_are_arrays_in_the_order_of_the_joints():
    robot = md.load_robot("scara")
    for name in ("lower", "upper", "max_velocity", "max_effort"):
        np.testing.assert_array_equal(
            getattr(robot, name), [getattr(joint, name) for joint in robot.joints])


@pytest.mark.parametrize("name", ["puma560", "scara"])
def test_another_gravity_is_that_of_a_robot_read_with_it(name):
    gravity = (1.0, -2.0, 3.0)
    turned, read = quietly_loaded(name).with_gravity(gravity), quietly_loaded(name, gravity=gravity)
    assert turned.base_gravity == read.base_gravity == gravity
    np.testing.assert_allclose(turned.chain.gravity, read.chain.gravity, atol=1e-14)
    with pytest.raises(md.ModelError, match="gravity must be three"):
        turned.with_gravity((1.0, 2.0))


def test_a_payload_on_moments_alone_counts():
    """Virtual links, which stand for MLCs, have no centre of mass that could be averaged."""
    robot = quietly_loaded("puma560")
    virtual = replace(robot, bare_chain=robot.mlc.virtual_chain("Sigma33"))
    state = np.random.default_rng(3).normal(size=(3, 6)).tolist()
    loaded = [newton_euler.inverse_dynamics(arm.with_payload((2.0, (0.1, 0.0, 0.2), (
        0.01, 0.02, 0.02))).chain, *state) for arm in (robot, virtual)]
    assert_close(loaded[1], loaded[0])
