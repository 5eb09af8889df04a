"""Which arm of a URDF is meant where no tip is named.

From the base, joint by joint, to where no movable joint follows. Where several follow, the one with
most joints beyond it is the arm; what else hangs there is held. An arm ends where only a gripper
follows: fingers are no joints of the arm. Two chains of equal length are two arms, and the user
must choose.

Fingers are told by

- their names: joints called gripper, finger, jaw ... or links called finger, jaw ...;
- mimic joints: one finger copies another;
- their shape: several short chains that part at the end of an arm of three joints or more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from urdf_parser_py.urdf import Joint

from .errors import ModelError
from .tree import Tree
from .urdf import MOVABLE
from .wording import listed, option

_FINGER = re.compile(r"finger|thumb|jaw|claw|knuckle|pincer|pinky", re.IGNORECASE)
_GRIPPER = re.compile(r"gripper|grip\b|grip_|clamp", re.IGNORECASE)
# A gripper as a whole is turned by a joint of the arm, whatever the link beyond is called.
_WRIST = re.compile(r"roll|pitch|yaw|rot|turn|wrist|twist", re.IGNORECASE)

FEWEST_ARM_JOINTS = 2  # before something called a finger: else it is a hand, or the arm itself
FEWEST_BEFORE_PARTING = 3  # before short chains that nobody calls fingers
LONGEST_FINGER = 4  # joints
LONGEST_CHAIN = 100  # joints


@dataclass(frozen=True)
class Choice:
    """Where an arm ends, and what the user should know about it."""

    tip: str
    remarks: tuple[str, ...] = ()


class SeveralArms(ModelError):
    """The user must choose; `tips` are the ends of the arms."""

    def __init__(self, base: str, tips: list[str]) -> None:
        self.base, self.tips = base, tips
        super().__init__(
            f"there are several arms below '{base}' and none has more joints than the others; "
            f"choose one: {', '.join(option('tip', tip) for tip in tips)}")


def choose_arm(tree: Tree, base: str) -> Choice:
    """The end of the arm that begins at `base`; SeveralArms if that is not clear."""
    tree.path(base, base)  # which says so if there is no such link
    return _Skeleton(tree, base).follow(base, 0)


def first_link_of_arm(tree: Tree) -> tuple[str, tuple[str, ...]]:
    """Where an arm begins: at the root, or after a joint by which a base floats or drives."""
    link, remarks = tree.root, []
    while True:
        below = tree.below[link]
        if len(below) != 1 or below[0].type not in ("fixed", "planar", "floating"):
            break
        link = below[0].child
        if below[0].type != "fixed":
            remarks.append(f"joint '{below[0].name}' is {below[0].type}: the arm begins after it, "
                           f"at {option('base', link)}, which is taken as standing still")
    if not remarks or not _Skeleton(tree, link).depth:
        return tree.root, ()
    return link, tuple(remarks)


class _Skeleton:
    """The movable joints below a link: which follow which."""

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

    def follow(self, link: str, joints: int) -> Choice:
        """The arm from `link` on, which has `joints` movable joints before it."""
        while arms := self._arms_after(link, joints):
            lengths = [self._arm_length(joint, joints) for joint in arms]
            longest = [joint for joint, length in zip(arms, lengths) if length == max(lengths)]
            if len(longest) > 1:
                raise SeveralArms(self.base, [tip for joint in longest
                                              for tip in self._tips(joint, joints)])
            link, joints = longest[0].child, joints + 1
        if self.after[link]:
            return self._end_before_gripper(link)
        return _deepest_link(self.tree, link)

    def _tips(self, joint: Joint, joints: int) -> list[str]:
        """The ends of the arms that begin with a joint."""
        try:
            return [self.follow(joint.child, joints + 1).tip]
        except SeveralArms as several:
            return several.tips

    def _arms_after(self, link: str, joints: int) -> list[Joint]:
        """The joints after a link that can be the next one of an arm with `joints` so far."""
        following = self.after[link]
        return [joint for joint in following
                if joint.mimic is None and not self._is_finger(joint, following, joints)]

    def _arm_length(self, joint: Joint, joints: int) -> int:
        """Joints of the longest arm from this joint on, without fingers."""
        return 1 + max((self._arm_length(each, joints + 1)
                        for each in self._arms_after(joint.child, joints + 1)), default=0)

    def _is_finger(self, joint: Joint, beside: list[Joint], joints: int) -> bool:
        """Whether a joint, after `joints` joints of an arm and with others beside it, moves a
        finger."""
        depths = [self.depth[each.name] for each in beside]
        if joints < FEWEST_ARM_JOINTS or self.depth[joint.name] > LONGEST_FINGER:
            return False
        if self._is_called_hand(joint) and not self._follows_a_finger(joint):
            return True
        if len(beside) < 2 or max(depths) > LONGEST_FINGER:
            return False
        if any(self._is_called_hand(each) for each in beside):
            return not self._follows_a_finger(joint)
        if joints < FEWEST_BEFORE_PARTING:
            return False
        if any(self._copies(joint, other) or self._copies(other, joint)
               for other in beside if other is not joint):
            actuated = [sum(each.mimic is None for each in self._from(other)) for other in beside]
            return max(actuated) == 1
        return max(depths) == 1 or min(depths) == max(depths) and (
            len(beside) > 2 or max(depths) == 2)

    def _is_called_hand(self, joint: Joint) -> bool:
        """Whether a joint and what follows it are called fingers or the like."""
        actuated = [each for each in self._from(joint) if each.mimic is None]
        return bool(actuated) and all(map(_is_called_finger, actuated))

    def _follows_a_finger(self, joint: Joint) -> bool:
        """Whether the joint before is called a finger, too: then a finger is all there is."""
        link = joint.parent
        while link in self.tree.above:
            before = self.tree.above[link]
            if before.type in MOVABLE:
                return _is_called_finger(before)
            link = before.parent
        return False

    def _copies(self, joint: Joint, other: Joint) -> bool:
        """Whether something from `joint` on mimics something from `other` on."""
        names = {each.name for each in self._from(other)}
        return any(each.mimic is not None and each.mimic.joint in names
                   for each in self._from(joint))

    def _from(self, joint: Joint) -> list[Joint]:
        """A movable joint and all movable ones beyond it."""
        found = [joint]
        for each in found:
            found += self.after[each.child]
        return found

    def _end_before_gripper(self, link: str) -> Choice:
        """The arm ends at the last link from which all joints of the gripper hang."""
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
        actuated = next((joint for joint in held if joint.mimic is None), None)
        if actuated is None:
            return Choice(tip, (f"the arm ends at {option('tip', tip)}: what follows, {names}, "
                                "copies other joints and is held in place",))
        return Choice(tip, (
            f"the arm ends at {option('tip', tip)}, before its gripper, of which {names} "
            f"{'is' if len(held) == 1 else 'are'} held in place; with "
            f"{option('tip', actuated.child)} the arm would have '{actuated.name}' as a joint",))


def _is_called_finger(joint: Joint) -> bool:
    if _FINGER.search(joint.name):
        return True
    called = _GRIPPER.search(joint.name) or _FINGER.search(joint.child)
    return bool(called) and not _WRIST.search(joint.name)


def _deepest_link(tree: Tree, link: str) -> Choice:
    """The end of the longest row of fixed links; the first of several."""
    ends: list[tuple[int, str]] = []
    pending = [(link, 0)]
    while pending:
        here, depth = pending.pop()
        if not tree.below[here]:
            ends.append((depth, here))
        pending += [(joint.child, depth + 1) for joint in reversed(tree.below[here])]
    deepest = max(depth for depth, _ in ends)
    tip = next(end for depth, end in ends if depth == deepest)
    others = [end for _, end in ends if end != tip]
    if not others:
        return Choice(tip)
    return Choice(tip, (f"tip link '{tip}' chosen; the arm could also end at {listed(others)}: "
                        f"name it, as in {option('tip', others[0])}, if you mean that",))
