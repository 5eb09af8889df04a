"""Random arms as URDF text: arbitrary axes, fixed joints in between, side branches."""

from __future__ import annotations

import numpy as np


def random_urdf(rng: np.random.Generator, joints: int) -> tuple[str, list[str], dict[str, float]]:
    """URDF text, names of the arm's joints, and positions of the side joints."""
    writer = _Writer(rng)
    writer.link("base")
    parent = "base"
    arm: list[str] = []
    for i in range(joints):
        while rng.random() < 0.3:  # a fixed joint in between
            parent = writer.joint(parent, "fixed")
        kind = rng.choice(["revolute", "continuous", "prismatic"], p=[0.5, 0.2, 0.3])
        parent = writer.joint(parent, kind, name=f"arm{i}")
        arm.append(f"arm{i}")
        if rng.random() < 0.4:  # something that hangs on the link
            side = writer.joint(parent, rng.choice(["fixed", "revolute", "prismatic"]))
            if rng.random() < 0.5:
                writer.joint(side, "fixed")
    writer.joint(parent, "fixed", child="tip")
    return writer.text(), arm, writer.side_positions


class _Writer:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.parts: list[str] = []
        self.number = 0
        self.side_positions: dict[str, float] = {}

    def text(self) -> str:
        return '<robot name="random">\n' + "\n".join(self.parts) + "\n</robot>\n"

    def _numbers(self, scale: float = 1.0) -> str:
        return " ".join(repr(float(x)) for x in self.rng.uniform(-scale, scale, 3))

    def link(self, name: str) -> None:
        spread = self.rng.normal(size=(3, 3))
        second = spread @ spread.T * self.rng.uniform(0.001, 0.1)
        tensor = np.trace(second) * np.eye(3) - second
        entries = {f"i{a}{b}": tensor["xyz".index(a), "xyz".index(b)]
                   for a, b in ("xx", "xy", "xz", "yy", "yz", "zz")}
        inertia = " ".join(f'{key}="{float(value)!r}"' for key, value in entries.items())
        self.parts.append(
            f'<link name="{name}"><inertial><origin xyz="{self._numbers(0.3)}" '
            f'rpy="{self._numbers(3)}"/><mass value="{self.rng.uniform(0.1, 4)!r}"/>'
            f"<inertia {inertia}/></inertial></link>")

    def joint(self, parent: str, kind: str, name: str = "", child: str = "") -> str:
        self.number += 1
        child = child or f"link{self.number}"
        if not name:
            name = f"side{self.number}"
            if kind != "fixed":
                self.side_positions[name] = float(self.rng.uniform(-1, 1))
        self.link(child)
        axis = self._numbers() if self.rng.random() < 0.5 else self.rng.choice(
            ["1 0 0", "0 1 0", "0 0 1", "0 0 -1"])
        rpy = self._numbers(3) if self.rng.random() < 0.6 else " ".join(
            repr(float(x)) for x in np.pi / 2 * self.rng.integers(-1, 3, 3))
        limit = ('<limit lower="-2" upper="2" effort="10" velocity="3"/>'
                 if kind in ("revolute", "prismatic") else "")
        self.parts.append(
            f'<joint name="{name}" type="{kind}"><origin xyz="{self._numbers(0.5)}" rpy="{rpy}"/>'
            f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>{limit}</joint>')
        return child
