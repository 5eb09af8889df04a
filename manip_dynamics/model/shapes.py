"""Links and shapes of a URDF, for displaying the arm.

Nothing here affects the dynamics, so a shape that cannot be read is left out without an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from xml.etree.ElementTree import Element

import numpy as np

from .chain import Placement
from .mdh import rotation_from_rpy
from .pose import Pose

_SIZES = {  # attributes of each kind and how many numbers they have
    "box": {"size": 3}, "cylinder": {"radius": 1, "length": 1}, "sphere": {"radius": 1},
    "mesh": {"scale": 3},
}
Color = tuple[float, ...]


@dataclass(frozen=True)
class Shape:
    """A visual or collision shape of a URDF link.

    `size` is (x, y, z) of a "box", (radius, length) of a "cylinder" along z, (radius,) of a
    "sphere", all in m, or the scale (x, y, z) of a "mesh".
    """

    kind: str
    size: tuple[float, ...]
    pose: Placement  # in the link
    filename: str = ""  # of a mesh, as the URDF has it
    rgba: Color | None = None  # 0 to 1 each


@dataclass(frozen=True)
class LinkBody:
    """A URDF link, fixed to a moving link of the arm or to its base."""

    name: str
    carrier: int  # 0: the base link; i: link i, which joint i moves
    pose: Placement  # in the base link, or in the modified DH frame i
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()


Shapes = tuple[tuple[Shape, ...], tuple[Shape, ...]]  # visual, collision


def shapes_by_link(document: Element) -> dict[str, Shapes]:
    """The shapes of every link of a URDF document."""
    colors: dict[str, Color] = {}
    for material in [*document.findall("material"), *document.iter("material")]:
        color = _numbers(material.find("color"), "rgba", 4)
        if color:
            colors.setdefault(material.get("name", ""), color)
    shapes: dict[str, Shapes] = {}
    for link in document.findall("link"):
        shapes.setdefault(link.get("name", ""), (
            tuple(_shapes(link, "visual", colors)), tuple(_shapes(link, "collision", colors))))
    return shapes


def _shapes(link: Element, role: str, colors: dict[str, Color]) -> Iterator[Shape]:
    for element in link.findall(role):
        shape, origin, material = map(element.find, ("geometry/*", "origin", "material"))
        if shape is None or shape.tag not in _SIZES:
            continue
        sizes = [_numbers(shape, name, count, (1.0,) * 3 if name == "scale" else ())
                 for name, count in _SIZES[shape.tag].items()]
        xyz, rpy = (_numbers(origin, name, 3, (0.0,) * 3) for name in ("xyz", "rpy"))
        filename = shape.get("filename", "")
        if not all((*sizes, xyz, rpy, shape.tag != "mesh" or filename)):
            continue
        rgba = None if material is None else (
            _numbers(material.find("color"), "rgba", 4) or colors.get(material.get("name", "")))
        pose = Pose(rotation_from_rpy(rpy), np.array(xyz)).placement()
        yield Shape(shape.tag, tuple(chain(*sizes)), pose, filename, rgba)


def _numbers(element: Element | None, name: str, count: int,
             missing: tuple[float, ...] = ()) -> tuple[float, ...]:
    """The finite numbers of an attribute, `missing` if it is not there, () if they are wrong."""
    text = None if element is None else element.get(name)
    try:
        numbers = missing if text is None else tuple(map(float, text.split()))
    except ValueError:
        return ()
    return numbers if len(numbers) == count and np.isfinite(numbers).all() else ()
