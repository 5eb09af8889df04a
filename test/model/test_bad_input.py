"""Every bad description gets a message that names the element, never a traceback from inside."""

import math

import pytest

import manip_dynamics as md

BASE = '<link name="base"/>'


def link(name, mass="1", inertia='ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"'):
    return (f'<link name="{name}"><inertial><mass value="{mass}"/>'
            f"<inertia {inertia}/></inertial></link>")


def joint(name, parent, child, kind="revolute", inside='<axis xyz="0 0 1"/>'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/>{inside}'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>')


def robot(*parts):
    return '<robot name="bad">' + "".join(parts) + "</robot>"


ARM = (BASE, link("hand"), joint("wrist", "base", "hand"))

ENTITY_BOMB = """<?xml version="1.0"?>
<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"/>"""
EXTERNAL_ENTITY = """<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<robot name="&x;"/>"""
XACRO = ('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
         '<xacro:macro name="arm"/><xacro:arm/></robot>')
STRICT = {"inertia_check": "error"}

CASES = {
    "malformed XML": ("<robot name='a'><link></robot>", "not well-formed XML.*line 1"),
    "entity bomb": (ENTITY_BOMB, "DOCTYPE.*refused"),
    "external entity": (EXTERNAL_ENTITY, "DOCTYPE.*refused"),
    "xacro": (XACRO, "xacro file.*expand it first"),
    "empty": ("", "empty"),
    "white space": ("  \n ", "empty"),
    "another XML": ("<sdf version='1.7'/>", "starts with <robot>, this XML starts with <sdf>"),
    "no link": (robot(), "no link"),
    "no joint": (robot(BASE), "no movable joint between base link 'base' and tip link 'base'"),
    "nameless link": (robot("<link/>"), "<link> without a name"),
    "two links of one name": (robot(BASE, link("base")), "two links named 'base' that differ"),
    "two joints of one name": (
        robot(*ARM, link("two"), joint("wrist", "hand", "two")),
        "two joints named 'wrist' that differ"),
    "missing child": (robot(BASE, joint("wrist", "base", "hand")),
                      "joint 'wrist': its child link 'hand' does not exist"),
    "missing parent": (robot(link("hand"), joint("wrist", "base", "hand")),
                       "joint 'wrist': its parent link 'base' does not exist"),
    "loop with a root": (
        robot(*ARM, joint("again", "base", "hand")),
        "'hand' is the child of two joints, 'wrist' and 'again'.*loop"),
    "loop beside the root": (
        robot(*ARM, link("a"), link("b"), joint("ab", "a", "b"), joint("ba", "b", "a")),
        "'a', 'b' form a closed kinematic loop"),
    "only a loop": (robot(link("a"), link("b"), joint("ab", "a", "b"), joint("ba", "b", "a")),
                    "no root link.*closed loop"),
    "two roots": (robot(*ARM, link("other")), "several root links, 'base', 'other'"),
    "negative mass": (robot(BASE, link("hand", mass="-1"), ARM[2]),
                      "link 'hand': mass is negative"),
    "mass is not a number": (robot(BASE, link("hand", mass="nan"), ARM[2]),
                             "link 'hand': mass is nan"),
    "mass is a word": (robot(BASE, link("hand", mass="heavy"), ARM[2]),
                       "<inertial> of link 'hand': .*heavy"),
    "mass without value": (
        robot(BASE, '<link name="hand"><inertial><mass/></inertial></link>', ARM[2]),
        "<inertial> of link 'hand': an attribute is missing"),
    "infinite inertia": (
        robot(BASE, link("hand", inertia='ixx="inf" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"'),
              ARM[2]), "link 'hand':.*not finite"),
    "negative inertia": (
        robot(BASE, link("hand", inertia='ixx="1" ixy="2" ixz="0" iyy="1" iyz="0" izz="1"'),
              ARM[2]), STRICT,
        "link 'hand': inertia is not positive semidefinite.*principal moments"),
    "triangle inequality": (
        robot(BASE, link("hand", inertia='ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"'),
              ARM[2]), STRICT, "link 'hand': inertia breaks the triangle inequality.*1, 1, 3"),
    "no tensor": (
        robot(BASE, '<link name="hand"><inertial><mass value="1"/></inertial></link>', ARM[2]),
        STRICT, "link 'hand': an <inertial> without <inertia>"),
    "no inertial": (robot(BASE, '<link name="hand"/>', ARM[2]),
                    "no moving link of the arm has an <inertial>: without masses there are no "
                    "dynamics$"),
    "one link without inertial": (
        robot(*ARM, '<link name="tool"/>', joint("spindle", "hand", "tool")), STRICT,
        "link 'tool': moved by joint 'spindle', but without <inertial>"),
    "a mass that overflows": (robot(BASE, link("hand", mass="1e150"), ARM[2]),
                              r"link 'hand': mass exceeds the largest allowed, 1e\+09 kg"),
    "an inertia that overflows": (
        robot(BASE, link("hand", inertia='ixx="1e200" ixy="0" ixz="0" iyy="1e200" iyz="0" '
                                         'izz="1e200"'), ARM[2]),
        "link 'hand': inertia tensor exceeds"),
    "an origin that overflows": (
        robot(*ARM[:2], joint("wrist", "base", "hand", inside='<origin xyz="0 1e160 0"/>')),
        "joint 'wrist': its <origin> has an entry that exceeds"),
    "gravity that overflows": (robot(*ARM), {"gravity": (0, 0, -1e300)}, "gravity exceeds"),
    "payload that overflows": (robot(*ARM), {"payload": 1e308}, "payload: mass exceeds"),
    "a large payload": (robot(*ARM), {"payload": 1e150}, "payload: mass exceeds"),
    "payload far away": (robot(*ARM), {"payload": (1.0, (1e200, 0, 0))},
                         "payload: centre of mass exceeds"),
    "rotor that overflows": (robot(*ARM), {"rotor_inertia": {"wrist": 1e300}},
                             "rotor_inertia of joint 'wrist' cannot be 1e"),
    "gear that overflows": (robot(*ARM), {"gear_ratio": {"wrist": 10**400}},
                            "gear_ratio of joint 'wrist' cannot be 1"),
    "friction that overflows": (
        robot(*ARM[:2], joint("wrist", "base", "hand", inside='<dynamics friction="1e300"/>')),
        "joint 'wrist': damping 0 and friction 1e"),
    "deep nesting": (robot("<a>" * 3000 + "</a>" * 3000), "nested more than 100 deep"),
    "a misspelt type": (robot(*ARM[:2], joint("wrist", "base", "hand", kind="continous")),
                        "unknown type 'continous'; did you mean 'continuous'"),
    "a value for xacro": (
        robot(*ARM[:2], joint("wrist", "base", "hand", inside='<origin xyz="${x} 0 0"/>')),
        r"a xacro file.*<origin xyz=\"\$\{x\} 0 0\">"),
    "a xacro include": (
        '<robot name="r" xmlns:x="http://ros.org/wiki/xacro"><x:include filename="a"/></robot>',
        "a xacro file.*<xacro:include>"),
    "a very long chain": (
        robot(BASE, *(link(f"l{i}") + joint(f"j{i}", f"l{i - 1}" if i else "base", f"l{i}")
                      for i in range(2000))), "a chain of 2000 movable joints; at most 100"),
    "axis without direction": (
        robot(*ARM[:2], joint("wrist", "base", "hand", inside='<axis xyz="0 0 0"/>')),
        "joint 'wrist': its axis .* has no direction"),
    "axis not finite": (
        robot(*ARM[:2], joint("wrist", "base", "hand", inside='<axis xyz="0 nan 1"/>')),
        "joint 'wrist': its axis .* has no direction"),
    "axis with two entries": (
        robot(*ARM[:2], joint("wrist", "base", "hand", inside='<axis xyz="0 1"/>')),
        "<axis> of joint 'wrist'"),
    "origin not finite": (
        robot(*ARM[:2], joint("wrist", "base", "hand", inside='<origin xyz="0 inf 0"/>')),
        "joint 'wrist': its <origin>.*not finite"),
    "unknown joint type": (robot(*ARM[:2], joint("wrist", "base", "hand", kind="screw")),
                           "wrist.*screw"),
    "type 'unknown'": (robot(*ARM[:2], joint("wrist", "base", "hand", kind="unknown")),
                       "joint 'wrist' has the unknown type 'unknown'"),
    "mimic on the chain": (
        robot(*ARM, link("finger"),
              joint("finger_joint", "hand", "finger", inside='<mimic joint="wrist"/>')),
        {"tip": "finger"}, "joint 'finger_joint' mimics joint 'wrist'"),
    "planar": (robot(*ARM[:2], joint("wrist", "base", "hand", kind="planar")),
               "joint 'wrist' is planar"),
    "floating": (robot(*ARM[:2], joint("wrist", "base", "hand", kind="floating")),
                 "joint 'wrist' is floating"),
    "negative damping": (
        robot(*ARM[:2], joint("wrist", "base", "hand", inside='<dynamics damping="-1"/>')),
        "joint 'wrist': damping -1"),
    "two arms": (
        robot(*ARM, link("other_hand"), joint("other_wrist", "base", "other_hand")),
        'several arms below \'base\'.*choose one: tip="hand", tip="other_hand"'),
    "unknown tip": (robot(*ARM), {"tip": "nose"}, "tip link 'nose' does not exist.*'base', 'hand'"),
    "unknown base": (robot(*ARM), {"base": "nose"}, "base link 'nose' does not exist"),
    "tip above base": (robot(*ARM), {"base": "hand", "tip": "base"},
                       "tip link 'base' is not below base link 'hand'"),
    "unknown locked joint": (robot(*ARM), {"joint_positions": {"toe": 1.0}},
                             "joint_positions: the URDF has no joint 'toe'"),
    "locked joint of the arm": (robot(*ARM), {"joint_positions": {"wrist": 1.0}},
                                "joint_positions: joint 'wrist' is part of the arm"),
    "gravity with two entries": (robot(*ARM), {"gravity": (0, 1)}, "gravity must be three"),
    "gravity not finite": (robot(*ARM), {"gravity": (0, 0, math.nan)}, "gravity must be three"),
    "unknown inertia check": (robot(*ARM), {"inertia_check": "never"}, 'inertia_check must be'),
    "negative payload": (robot(*ARM), {"payload": -1.0}, "payload: mass is negative"),
    "payload with a typing error": (robot(*ARM), {"payload": {"mass": 1, "cm": (0, 0, 0)}},
                                    "payload is given by mass, com and inertia, not cm"),
    "payload tensor of wrong shape": (robot(*ARM), {"payload": (1.0, (0, 0, 0), [1, 2])},
                                      "3 x 3"),
    "rotor of an unknown joint": (robot(*ARM), {"rotor_inertia": {"toe": 1e-4}},
                                  "rotor_inertia: the arm has no joint 'toe'.*wrist"),
    "rotors in a list": (robot(*ARM), {"rotor_inertia": [1e-4]},
                         "rotor_inertia is given by joint name, like {'.*': 1.0}, not as"),
    "negative rotor": (robot(*ARM), {"rotor_inertia": {"wrist": -1.0}},
                       "rotor_inertia of joint 'wrist' cannot be -1"),
    "rotor is a word": (robot(*ARM), {"rotor_inertia": {"wrist": "heavy"}},
                        "rotor_inertia of joint 'wrist' cannot be heavy"),
    "gear ratio of zero": (robot(*ARM), {"gear_ratio": {"wrist": 0.0}},
                           "gear_ratio of joint 'wrist' cannot be 0"),
    "payload is a word": (robot(*ARM), {"payload": "heavy"}, "a mass in kg.*not 'heavy'"),
    "payload mass is a word": (robot(*ARM), {"payload": {"mass": "heavy"}}, "not 'heavy'"),
    "payload with too many numbers": (robot(*ARM), {"payload": [1, 2, 3, 4]},
                                      "a mass in kg or .mass, com, inertia., not .1, 2, 3, 4"),
    "position is a word": (
        robot(*ARM, link("finger"), joint("grip", "hand", "finger")),
        {"tip": "hand", "joint_positions": {"grip": "open"}},
        "joint 'grip' is 'open', not a finite number"),
    "gravity is a word": (robot(*ARM), {"gravity": "down"}, "gravity must be three.*down"),
    "neither name nor file": ("terminator",
                              "'terminator' is neither a bundled robot .*stanford_arm"),
    "a typing mistake": ("pumma", "'pumma' is neither .*; did you mean puma560"),
    "a very long word": ("x" * 5000, "'xxx.*' is too long for a name"),
    "missing file": ("no/such/robot.urdf", "cannot read 'no/such/robot.urdf': No such file"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_description(case):
    source, *options, message = CASES[case]
    with pytest.raises(md.ModelError, match=f"(?s){message}"):
        md.load_robot(source, **(options[0] if options else {}))


def test_a_20_mb_file_is_refused_without_reading_it(tmp_path):
    path = tmp_path / "large.urdf"
    with path.open("wb") as file:
        file.truncate(20_000_000)
    with pytest.raises(md.ModelError, match="20,000,000 bytes; at most 10,000,000"):
        md.load_robot(path)


def test_20_mb_of_text_are_refused():
    with pytest.raises(md.ModelError, match="characters; at most"):
        md.load_robot(robot(*ARM, "<!-- " + "x" * 20_000_000 + " -->"))


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "empty.urdf"
    path.touch()
    with pytest.raises(md.ModelError, match="empty"):
        md.load_robot(path)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "noise.urdf"
    for content, encoding in ((b"\xff\xfe\x00\x80robot", "utf-16"), (b"\x80robot", "UTF-8"),
                              (b'<?xml version="1.0" encoding="ascii"?>\xe4', "ascii")):
        path.write_bytes(content)
        with pytest.raises(md.ModelError, match=f"not {encoding} text"):
            md.load_robot(path)
    path.write_bytes(b'<?xml version="1.0" encoding="klingon"?>')
    with pytest.raises(md.ModelError, match="unknown encoding 'klingon'"):
        md.load_robot(path)


def test_impossible_inertia_is_accepted_with_a_warning():
    text = CASES["triangle inequality"][0]
    with pytest.warns(md.ModelWarning, match="link 'hand': inertia breaks the triangle"):
        loaded = md.load_robot(text)
    assert any("triangle" in warning for warning in loaded.warnings)


def test_mimic_planar_and_floating_are_accepted_on_locked_branches():
    sides = "".join(
        link(f"side_{kind}") + joint(f"to_{kind}", "hand", f"side_{kind}", kind=kind, inside=inside)
        for kind, inside in (("planar", ""), ("floating", ""),
                             ("revolute", '<axis xyz="0 0 1"/><mimic joint="wrist"/>')))
    with pytest.warns(md.ModelWarning, match="held at 0"):
        loaded = md.load_robot(robot(*ARM, sides), tip="hand")
    assert loaded.joint_names == ("wrist",)
    assert loaded.links[0].mass == pytest.approx(4.0)


def nearly_parallel(angle):
    return robot(
        BASE, link("upper"), link("lower"),
        joint("shoulder", "base", "upper"),
        joint("elbow", "upper", "lower",
              inside=f'<origin xyz="0.5 -0.3 0" rpy="{angle} {angle} 0"/><axis xyz="0 0 1"/>'))


def test_axes_that_are_meant_to_be_parallel_are_taken_as_parallel():
    with pytest.warns(md.ModelWarning, match="'shoulder' and 'elbow' are 4.24e-05 rad from"):
        arm = md.load_robot(nearly_parallel(3e-5))
    assert arm.mdh.alpha == (0.0, 0.0)
    assert arm.mdh_deviation.angle == pytest.approx(4.24e-5, rel=0.01)


def test_almost_parallel_axes_are_refused_with_an_option_that_helps():
    text = nearly_parallel(1e-4)
    with pytest.raises(md.ModelError, match="'shoulder' and 'elbow' are almost parallel.*6 digits"
                                            ".*parallel_tolerance=0.00016"):
        md.load_robot(text)
    with pytest.warns(md.ModelWarning, match="taken as parallel"):
        arm = md.load_robot(text, parallel_tolerance=1.6e-4)
    assert arm.mdh_deviation.angle == pytest.approx(1.41e-4, rel=0.01)
