"""Which arm of a URDF is meant if no tip is given.

The arm is followed from the base, joint by joint. At a branch it continues along the longest chain;
everything else attached there is held. It ends before a gripper: fingers are not joints of the arm.
Two chains of equal length are two arms, between which the user must choose.

Fingers are recognised by

- name: joints called gripper, finger, jaw ..., links called finger, jaw ... (but a joint that turns
  a whole gripper is a wrist);
- mimic joints: one finger copies another;
- structure: several short chains that branch off at the end of an arm of three joints or more.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from urdf_parser_py.urdf import Joint

from .errors import ModelError
from .tree import Tree
from .urdf import MOVABLE
from .wording import listed, option

_FINGER = re.compile(r"finger|thumb|jaw|knuckle|pinky", re.IGNORECASE)
_GRIPPER = re.compile(r"gripper|grip(?![a-z])|clamp|claw|pincer", re.IGNORECASE)
# Beginnings of words, also in camelCase.
_WORD = r"(?:^|[_\W\d]|(?<=[a-z])(?=[A-Z]))"
_WRIST = re.compile(_WORD + r"(?i:roll|pitch|yaw|rot|turn|wrist|twist|spin)")
_BESIDE = re.compile(
    _WORD + r"(?i:cam(?:era)?(?![a-z])|head|neck|eye|wheel|caster|lidar|laser|sensor)")
_TOOL = re.compile(r"(?:^|[_\W\d])(?i:tool|tcp|flange|ee|eef|end_?effector|tip)(?![a-z])")
_NO_TOOL = re.compile(r"camera|optical|sensor|finger|depth|color", re.IGNORECASE)

FEWEST_ARM_JOINTS = 2  # before something called a finger; with fewer it is a hand, or the arm
FEWEST_BEFORE_BRANCHING = 3  # before short chains that are not called fingers
LONGEST_FINGER = 4  # joints
LONGEST_CHAIN = 100  # joints
MOST_FINGERS = 8
MOST_TIPS = 12  # named in an error
LONG_CHAIN = 3  # joints: could be an arm itself, so leaving it out is worth a remark


@dataclass(frozen=True)
class ArmEnd:
    """Where an arm ends, and what the user should know about it."""

    tip: str
    remarks: tuple[str, ...] = ()
    held: tuple[str, ...] = ()  # joints named in the remarks


class SeveralArms(ModelError):
    """The arm is ambiguous; `tips` are the possible ends."""

    def __init__(self, base: str, tips: list[str]) -> None:
        self.base, self.tips = base, tips
        super().__init__(
            f"there are several arms below '{base}' and none has more joints than the others; "
            f"choose one: {', '.join(option('tip', tip) for tip in tips)}")


def choose_arm(tree: Tree, base: str) -> ArmEnd:
    """The end of the arm that begins at `base`; SeveralArms if that is not clear."""
    tree.path(base, base)  # raises ModelError if there is no such link
    return _Skeleton(tree, base).follow(base, 0)


def first_link_of_arm(tree: Tree) -> tuple[str, tuple[str, ...]]:
    """Where an arm begins: at the root, or after the planar or floating joint of a mobile base."""
    skeleton, link, remarks = _Skeleton(tree, tree.root), tree.root, []
    while len(skeleton.after[link]) == 1 and skeleton.after[link][0].type in ("planar", "floating"):
        joint = skeleton.after[link][0]
        link = joint.child
        remarks.append(f"joint '{joint.name}' is {joint.type}: the arm begins after it, "
                       f"at {option('base', link)}, which is taken as stationary")
    if not remarks or not skeleton.after[link]:
        return tree.root, ()
    return link, tuple(remarks)


class _Skeleton:
    """The tree of movable joints below a link."""

    def __init__(self, tree: Tree, base: str) -> None:
        self.tree, self.base = tree, base
        self.after: dict[str, list[Joint]] = {}  # by link: the movable joints that follow it
        self.depth: dict[str, int] = {}  # by joint: movable joints in the longest chain from it on
        order: list[Joint] = []
        pending = self._next_joints(base)
        while pending:
            joint = pending.pop()
            order.append(joint)
            pending += self._next_joints(joint.child)
        for joint in reversed(order):
            following = self.after[joint.child]
            self.depth[joint.name] = 1 + max((self.depth[each.name] for each in following),
                                             default=0)
        self._prefixes = [_common_prefix([name(joint) for joint in order])
                          for name in (lambda joint: joint.name, lambda joint: joint.child)]
        longest = max(self.depth.values(), default=0)
        if longest > LONGEST_CHAIN:
            raise ModelError(f"the URDF has a chain of {longest} movable joints; at most "
                             f"{LONGEST_CHAIN} can be an arm")

    def _next_joints(self, link: str) -> list[Joint]:
        """The movable joints that follow a link, over fixed joints."""
        found: list[Joint] = []
        pending = [link]
        while pending:
            for joint in self.tree.below[pending.pop(0)]:
                if joint.type in MOVABLE:
                    found.append(joint)
                else:
                    pending.append(joint.child)
        self.after[link] = found
        return list(found)

    def follow(self, link: str, joints: int) -> ArmEnd:
        """The rest of the arm from `link` on, after `joints` movable joints."""
        remarks: list[str] = []
        while arms := self._arms_after(link, joints):
            lengths = {joint.name: self._arm_length(joint, joints) for joint in arms}
            most = max(lengths.values())
            longest = [joint for joint in arms if lengths[joint.name] == most]
            if len(longest) > 1:
                raise SeveralArms(self.base, [tip for joint in longest[:MOST_TIPS]
                                              for tip in self._tips(joint, joints)][:MOST_TIPS])
            remarks += [f"another chain of {lengths[joint.name]} joints is not part of the arm: "
                        f"{option('tip', self._tips(joint, joints)[0])}" for joint in arms
                        if LONG_CHAIN <= lengths[joint.name] < most]
            link, joints = longest[0].child, joints + 1
        choice = (self._end_before_gripper(link) if self.after[link]
                  else _deepest_link(self.tree, link))
        return ArmEnd(choice.tip, (*remarks, *choice.remarks), choice.held)

    def _tips(self, joint: Joint, joints: int) -> list[str]:
        """The ends of the arms that continue with a joint."""
        try:
            return [self.follow(joint.child, joints + 1).tip]
        except SeveralArms as several:
            return several.tips

    def _arms_after(self, link: str, joints: int) -> list[Joint]:
        """The joints after a link that can continue an arm of `joints` joints."""
        following = self.after[link]
        arms = [joint for joint in following if not self._is_finger(joint, following, joints)
                and any(each.mimic is None for each in self._from(joint))]
        single = [joint for joint in arms if joint.type not in ("planar", "floating")]
        if not single:
            return arms if joints == 0 else []
        return [joint for joint in single if not self._matches(_BESIDE, joint)] or single

    def _arm_length(self, joint: Joint, joints: int) -> int:
        """Number of joints of the longest arm from this joint on, without fingers."""
        return 1 + max((self._arm_length(each, joints + 1)
                        for each in self._arms_after(joint.child, joints + 1)), default=0)

    def _is_finger(self, joint: Joint, beside: list[Joint], joints: int) -> bool:
        """Whether a joint moves a finger, if it and those `beside` it follow `joints` joints."""
        if joints < FEWEST_ARM_JOINTS or self.depth[joint.name] > LONGEST_FINGER:
            return False
        if self._is_called_hand(joint):
            return True
        if not 2 <= len(beside) <= MOST_FINGERS:
            return False
        depths = [self.depth[each.name] for each in beside]
        if max(depths) > LONGEST_FINGER or any(self._matches(_BESIDE, each) for each in beside):
            return False
        if any(self._is_called_hand(each) for each in beside):
            return True
        if joints < FEWEST_BEFORE_BRANCHING or any(map(self._is_called_wrist, beside)):
            return False
        if any(self._copies(joint, other) or self._copies(other, joint)
               for other in beside if other is not joint):
            actuated = [sum(each.mimic is None for each in self._from(other)) for other in beside]
            return max(actuated) == 1
        return max(depths) == 1 or min(depths) == max(depths) and (
            len(beside) > 2 or max(depths) == 2)

    def _is_called_hand(self, joint: Joint) -> bool:
        """Whether a joint and all that follow it are called fingers or the like."""
        actuated = [each for each in self._from(joint) if each.mimic is None]
        return bool(actuated) and all(map(self._is_called_finger, actuated))

    def _is_called_finger(self, joint: Joint) -> bool:
        name, child = self._own_names(joint)
        if _FINGER.search(name):
            return True
        # A joint called gripper with fingers beyond it turns them as a whole: a wrist.
        whole = any(each.mimic is None for each in self._from(joint)[1:])
        called = _GRIPPER.search(name) or _FINGER.search(child)
        return bool(called) and not whole and not self._is_called_wrist(joint)

    def _is_called_wrist(self, joint: Joint) -> bool:
        return joint.type != "prismatic" and bool(_WRIST.search(self._own_names(joint)[0]))

    def _matches(self, pattern: re.Pattern, joint: Joint) -> bool:
        return any(pattern.search(name) for name in self._own_names(joint))

    def _own_names(self, joint: Joint) -> tuple[str, str]:
        """Names of a joint and its link, without the prefix common to all."""
        names = zip((joint.name, joint.child), self._prefixes)
        own, child = (name.removeprefix(prefix) for name, prefix in names)
        return own, child

    def _copies(self, joint: Joint, other: Joint) -> bool:
        """Whether something from `joint` on mimics something from `other` on."""
        names = {each.name for each in self._from(other)}
        return any(each.mimic is not None and each.mimic.joint in names
                   for each in self._from(joint))

    def _from(self, joint: Joint) -> list[Joint]:
        """A movable joint and all movable joints beyond it."""
        found = [joint]
        for each in found:
            found += self.after[each.child]
        return found

    def _end_before_gripper(self, link: str) -> ArmEnd:
        """The arm ends at the last link that carries all joints of the gripper."""
        following = self.after[link]
        paths = [[link, *(joint.child for joint in self.tree.path(link, each.parent))]
                 for each in following]
        tip = link
        for step in zip(*paths):
            if len(set(step)) > 1:
                break
            tip = step[0]
        held = [each for joint in following for each in self._from(joint)]
        names = listed([joint.name for joint in held])
        named = tuple(joint.name for joint in held)
        possible = [joint for joint in held if joint.type in ("revolute", "continuous", "prismatic")
                    and not any(step.mimic for step in self.tree.path(link, joint.child))]
        if not possible:
            return ArmEnd(tip, (f"the arm ends at {option('tip', tip)}; the joints beyond are held "
                                f"in place: {names}",), named)
        finger = next((joint for joint in possible if self._matches(_FINGER, joint)), possible[0])
        return ArmEnd(tip, (
            f"the arm ends at {option('tip', tip)}, before its gripper, which is held in place: "
            f"{names}; {option('tip', finger.child)} would make '{finger.name}' a joint of the "
            "arm",), named)


def _common_prefix(names: list[str]) -> str:
    """The common prefix of several names, up to a separator."""
    prefix = os.path.commonprefix(names) if len(names) > 1 else ""
    return re.sub(r"[^_/.:-]*$", "", prefix)


def _deepest_link(tree: Tree, link: str) -> ArmEnd:
    """The end of the fixed links: preferably a tool, not a camera, else the most distant one."""
    ends: list[tuple[int, str]] = []
    pending = [(link, 0)]
    while pending:
        here, depth = pending.pop()
        if not tree.below[here]:
            ends.append((depth, here))
        pending += [(joint.child, depth + 1) for joint in reversed(tree.below[here])]
    def rank(end: tuple[int, str]) -> tuple[bool, bool, int]:
        depth, name = end
        return not _NO_TOOL.search(name), bool(_TOOL.search(name)), depth

    _, tip = max(ends, key=rank)  # the first of equal ones
    others = [end for _, end in ends if end != tip]
    if not others:
        return ArmEnd(tip)
    return ArmEnd(tip, (f"tip link '{tip}' chosen; the arm could also end at {listed(others)}: "
                        f"to choose it, give {option('tip', others[0])}",))
