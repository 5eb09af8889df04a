"""Which arm is meant where no tip is named, on small trees with the traits of real files."""

import time
import warnings

import pytest

import manip_dynamics as md


def link(name):
    return (f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" '
            'iyy="1" iyz="0" izz="1"/></inertial></link>')


def tree(*rows):
    """A URDF from rows (joint, parent, child[, "fixed" or the joint that it mimics])."""
    parts = [link("base")]
    for name, parent, child, *more in rows:
        kind = "fixed" if more == ["fixed"] else "revolute"
        mimic = f'<mimic joint="{more[0]}"/>' if more and kind != "fixed" else ""
        parts.append(link(child) + f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
                     f'<child link="{child}"/><origin xyz="0.1 0 0.2"/><axis xyz="0 0 1"/>'
                     f'<limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint>')
    return '<robot name="tree">' + "".join(parts) + "</robot>"


def arm(joints, parent="base", prefix=""):
    rows = []
    for i in range(1, joints + 1):
        rows.append((f"{prefix}j{i}", parent, f"{prefix}link{i}"))
        parent = f"{prefix}link{i}"
    return rows


def loaded(*rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_robot(tree(*rows))


# What hangs on link6 of a six-joint arm, and where the arm ends.
GRIPPERS = {
    "two fingers by name": ([("left_finger_joint", "link6", "l"), ("right_finger_joint", "link6",
                                                                   "r")], "link6"),
    "two fingers without a name": ([("j7", "link6", "link7"), ("j8", "link6", "link8")], "link6"),
    "two fingers on a palm": ([("weld", "link6", "palm", "fixed"), ("a", "palm", "x"),
                               ("b", "palm", "y")], "palm"),
    "a finger and its copy": ([("f1", "link6", "x"), ("f2", "link6", "y", "f1")], "link6"),
    "coupled phalanges": ([("r1", "link6", "x"), ("r2", "x", "y", "r1"), ("l1", "link6", "z", "r1"),
                           ("l2", "z", "w", "r1")], "link6"),
    "three fingers of two joints": ([row for k in "abc" for row in
                                     ((f"{k}1", "link6", f"{k}x"), (f"{k}2", f"{k}x", f"{k}y"))],
                                    "link6"),
    "a hand of four joints each": ([row for k in "abcd" for i in range(4) for row in
                                    ((f"{k}{i}", f"{k}x{i - 1}" if i else "link6", f"{k}x{i}"),)],
                                   "link6"),
    "one jaw": ([("gripper", "link6", "moving_jaw")], "link6"),
    "a gripper that turns as a whole": ([("wrist_roll", "link6", "gripper_link"),
                                         ("gripper", "gripper_link", "jaw")], "gripper_link"),
    "a thumb beside fingers": ([("thumb_roll", "link6", "t"), ("index", "link6", "i"),
                                ("index2", "i", "i2")], "link6"),
    "a joint that copies one of the arm": ([("rod", "link6", "r", "j2")], "link6"),
    "a gripper joint that turns two claws": ([("gripper_joint", "link6", "clawbase"),
                                              ("a", "clawbase", "x"), ("b", "clawbase", "y")],
                                             "clawbase"),
    "a claw that spins": ([("claw_rotate_joint", "link6", "c"), ("claw_a", "c", "x"),
                           ("claw_b", "c", "y")], "c"),
    "a word in a word": ([("prototype_gripper", "link6", "x")], "link6"),
    "a prop that spins beside the fingers": ([("gripper", "link6", "prop"), ("left_finger", "link6",
                                                                             "l")], "link6"),
}
TURNING = {"a gripper that turns as a whole": "wrist_roll",
           "a claw that spins": "claw_rotate_joint",
           "a gripper joint that turns two claws": "gripper_joint"}


@pytest.mark.parametrize("case", GRIPPERS)
def test_an_arm_ends_before_its_gripper(case):
    rows, tip = GRIPPERS[case]
    robot = loaded(*arm(6), *rows)
    turning = (TURNING[case],) if case in TURNING else ()
    assert robot.joint_names == (*(f"j{i}" for i in range(1, 7)), *turning)
    assert robot.tip == tip
    assert robot.links[-1].mass == len(rows) + 1 - len(turning)  # the gripper is carried
    told, = (text for text in robot.warnings if "the arm ends at" in text)
    assert f'tip="{tip}"' in told


@pytest.mark.parametrize("case", ["two fingers by name", "one jaw", "coupled phalanges"])
def test_the_warning_names_a_tip_that_makes_the_finger_a_joint(case):
    robot = loaded(*arm(6), *GRIPPERS[case][0])
    told, = (text for text in robot.warnings if "the arm ends at" in text)
    other = told.rpartition('tip="')[2].partition('"')[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        assert md.load_robot(robot.urdf, tip=other).n == 7


def test_a_finger_alone_is_an_arm():
    robot = loaded(*(("finger_" + name, parent, child) for name, parent, child in arm(3)))
    assert robot.n == 3
    assert not any("the arm ends" in text for text in robot.warnings)


def test_the_longest_chain_is_the_arm_and_the_head_is_held():
    robot = loaded(("lift", "base", "torso"), *arm(7, "torso"), *arm(2, "torso", "head_"))
    assert robot.n == 8
    assert robot.tip == "link7"
    assert any("not part of the arm, held at 0: 'head_j1', 'head_j2'" in text
               for text in robot.warnings)


@pytest.mark.parametrize(("left", "right"), [([], []), (
    [("left_f1", "left_link6", "left_x"), ("left_f2", "left_link6", "left_y")],
    [("right_f1", "right_link6", "right_x"), ("right_f2", "right_link6", "right_y")])])
def test_two_arms_are_refused_and_each_tip_that_is_named_loads(left, right):
    text = tree(*arm(6, prefix="left_"), *arm(6, prefix="right_"), *left, *right)
    with pytest.raises(md.ModelError, match="several arms below 'base'") as error:
        md.load_robot(text)
    tips = [part.partition('"')[0] for part in str(error.value).split('tip="')[1:]]
    assert tips == ["left_link6", "right_link6"]
    for tip in tips:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.ModelWarning)
            assert md.load_robot(text, tip=tip).n == 6


def test_legs_are_not_fingers():
    with pytest.raises(md.ModelError, match="several arms"):
        md.load_robot(tree(*(row for leg in "abcd" for row in arm(3, prefix=leg))))


def test_an_arm_on_a_driving_base_begins_after_it():
    text = tree(("drive", "base", "platform"), *arm(3, "platform")).replace(
        'name="drive" type="revolute"', 'name="drive" type="planar"')
    with pytest.warns(md.ModelWarning, match="joint 'drive' is planar: the arm begins after it, at "
                                             'base="platform"'):
        robot = md.load_robot(text)
    assert robot.base == "platform"
    assert robot.n == 3


def test_a_held_joint_that_copies_a_joint_of_the_arm_is_told_to_falsify_the_efforts():
    robot = loaded(*arm(3), ("rod", "link1", "r", "j2"))
    assert any("mimics joint 'j2' of the arm, but is held at 0; the computed efforts ignore "
               "its motion: 'rod'" in text for text in robot.warnings)


@pytest.mark.parametrize("prefix", ["clawbot/", "gripper_arm_", "finger_"])
def test_a_name_that_all_joints_begin_with_says_nothing(prefix):
    rows = [*arm(5), ("jaw_l", "link5", "l"), ("jaw_r", "link5", "r", "jaw_l")]
    named = [tuple(prefix + part if part not in ("base", "fixed") else part for part in row)
             for row in rows]
    robot = loaded(*named)
    assert robot.joint_names == tuple(f"{prefix}j{i}" for i in range(1, 6))


def test_a_camera_beside_the_wrist_is_not_its_twin():
    robot = loaded(*arm(5), ("camera_tilt", "link5", "cam"), ("wrist_roll", "link5", "hand"))
    assert robot.joint_names[-1] == "wrist_roll"
    robot = loaded(*arm(5), ("cam_pan", "link5", "a"), ("cam_tilt", "a", "b"),
                   ("j6", "link5", "hand"))
    assert robot.joint_names[-1] == "j6"


def test_a_coupled_joint_in_the_middle_of_an_arm_is_an_error_with_a_way_out():
    rows = [("lift1", "base", "s1"), ("lift2", "s1", "s2", "lift1"), *arm(6, "s2")]
    for more in ([], arm(2, "base", "head_")):
        with pytest.raises(md.ModelError, match='joint \'lift2\' mimics.*base="s2"'):
            md.load_robot(tree(*rows, *more))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        assert md.load_robot(tree(*rows), base="s2").n == 6


def test_a_long_chain_that_is_passed_over_is_told():
    robot = loaded(*arm(7, prefix="left_"), *arm(6, prefix="right_"))
    assert robot.n == 7
    assert any('another chain of 6 joints is not part of the arm: tip="right_link6"' in text
               for text in robot.warnings)


def test_a_tool_is_a_better_tip_than_a_camera():
    robot = loaded(*arm(3), ("a", "link3", "camera_mount", "fixed"),
                   ("b", "camera_mount", "camera_optical_frame", "fixed"),
                   ("c", "link3", "tool0", "fixed"))
    assert robot.tip == "tool0"


def test_copies_of_copies_follow_and_nobody_copies_a_ghost():
    rows = [*arm(3), ("f1", "link3", "x"), ("f2", "link3", "y", "f1"), ("f3", "link3", "z", "f2")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        robot = md.load_robot(
            tree(*rows).replace('<mimic joint="f', '<mimic multiplier="2" joint="f'), tip="link3",
            joint_positions={"f1": 0.1})
    for name, position in (("f1", 0.1), ("f2", 0.2), ("f3", 0.4)):
        assert any(f"held at {position:g}" in text and f"'{name}'" in text
                   for text in robot.warnings)
    robot = loaded(*arm(3), ("wrist", "link3", "hand", "nobody"))
    assert robot.n == 4
    assert any("mimics 'nobody', which is not another joint" in text for text in robot.warnings)


def test_a_rod_on_the_base_that_copies_a_joint_of_the_arm_is_told():
    robot = loaded(*arm(3), ("rod", "base", "r", "j2"))
    assert any("mimics joint 'j2' of the arm" in text for text in robot.warnings)


def test_many_joints_on_one_link_take_no_time():
    start = time.process_time()
    with pytest.raises(md.ModelError, match="several arms"):
        md.load_robot(tree(*arm(3), *((f"k{i}", "link3", f"x{i}") for i in range(1000))))
    assert time.process_time() - start < 3.0
