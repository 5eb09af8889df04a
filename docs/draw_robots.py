"""Draws the bundled robots, their modified DH frames and their names, into docs/figures/.

    script/run python docs/draw_robots.py
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from xml.etree import ElementTree

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import manip_dynamics as md
from manip_dynamics.model.mdh import rotation_from_rpy
from manip_dynamics.model.pose import HERE, Pose

FIGURES = Path(__file__).parent / "figures"
POSTURES = {  # rad or m: chosen so that links do not hide each other
    "stanford_arm": (0.5, 1.2, 0.3, 0.4, 0.9, 0.0),
    "puma560": (0.3, -0.6, 0.2, 0.5, 0.7, 0.0),
    "six_axis": (0.2, 1.2, -2.35, 1.62, 1.57, 1.57),
    "scara": (0.4, 0.7, 0.15),
    "planar_2r": (0.9, -0.8),
    "flexible_6dof": (0.3, 0.4, 0.8, 0.5, 0.6, 0.3),
}


def link_poses(urdf: str, q: dict[str, float]) -> dict[str, Pose]:
    """Every link of a tree of joints about z, written by urdf_writer, in the base link."""
    robot = ElementTree.fromstring(urdf)
    poses = {"base_link": HERE}
    for joint in robot.findall("joint"):
        origin = joint.find("origin")
        xyz, rpy = (np.array(origin.get(key).split(), float) for key in ("xyz", "rpy"))
        x = q.get(joint.get("name"), 0.0)
        slides = joint.get("type") == "prismatic"
        move = Pose(rotation_from_rpy((0.0, 0.0, 0.0 if slides else x)),
                    np.array([0.0, 0.0, x if slides else 0.0]))
        parent = poses[joint.find("parent").get("link")]
        poses[joint.find("child").get("link")] = parent @ Pose(rotation_from_rpy(rpy), xyz) @ move
    return poses


def surface(geometry: ElementTree.Element) -> list[np.ndarray]:
    """Grids (3, m, k) of a cylinder or a box about the origin."""
    cylinder, box = geometry.find("cylinder"), geometry.find("box")
    if cylinder is not None:
        radius, length = float(cylinder.get("radius")), float(cylinder.get("length"))
        angle = np.linspace(0, 2 * math.pi, 25)
        rings = [(0, -0.5), (1, -0.5), (1, 0.5), (0, 0.5)]  # radius, height; with both lids
        return [np.array([[r * radius * np.cos(angle), r * radius * np.sin(angle),
                           np.full_like(angle, h * length)] for r, h in rings]).transpose(1, 0, 2)]
    half = np.array(box.get("size").split(), float) / 2
    faces = []
    for axis in range(3):
        for side in (-1, 1):
            a, b = [i for i in range(3) if i != axis]
            face = np.zeros((3, 2, 2))
            face[axis] = side * half[axis]
            face[a] = half[a] * np.array([[-1, -1], [1, 1]])
            face[b] = half[b] * np.array([[-1, 1], [-1, 1]])
            faces.append(face)
    return faces


def draw(name: str, axes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        robot = md.load_robot(name)
    poses = link_poses(robot.urdf, dict(zip(robot.joint_names, POSTURES[name])))
    document = ElementTree.fromstring(robot.urdf)
    paints = {m.get("name"): np.array(m.find("color").get("rgba").split(), float)
              for m in document.findall("material")}
    corners = []
    for link in document.findall("link"):
        for visual in link.findall("visual"):
            origin = visual.find("origin")
            xyz, rpy = (np.array(origin.get(key).split(), float) for key in ("xyz", "rpy"))
            pose = poses[link.get("name")] @ Pose(rotation_from_rpy(rpy), xyz)
            paint = paints[visual.find("material").get("name")]
            for grid in surface(visual.find("geometry")):
                points = np.einsum("ij,jmk->imk", pose.rotation, grid)
                points += pose.translation[:, None, None]
                corners.append(points.reshape(3, -1))
                axes.plot_surface(*points, color=paint, alpha=0.55, linewidth=0, shade=True)
    cloud = np.hstack(corners)
    centre = (cloud.max(axis=1) + cloud.min(axis=1)) / 2
    size = max((cloud.max(axis=1) - cloud.min(axis=1)).max() / 2, 1e-3)
    for i in range(1, robot.n + 1):
        pose = poses[f"link{i}"]
        for column, colour in enumerate(("#c02020", "#208020", "#2040c0")):
            tip = pose.translation + 0.3 * size * pose.rotation[:, column]
            axes.plot(*zip(pose.translation, tip), color=colour, linewidth=1.6)
        label = pose.translation + 0.36 * size * pose.rotation[:, 2]
        axes.text(*label, f"$z_{i}$", fontsize=9)
    for low, setter in zip(centre - size, (axes.set_xlim, axes.set_ylim, axes.set_zlim)):
        setter(low, low + 2 * size)
    axes.set_box_aspect((1, 1, 1))
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    axes.set_zlabel("z (m)")
    axes.tick_params(labelsize=7)
    axes.view_init(elev=22, azim=-58)
    axes.set_title(name)


def main() -> None:
    FIGURES.mkdir(exist_ok=True)
    figure = plt.figure(figsize=(13, 8.5))
    for i, name in enumerate(POSTURES, 1):
        draw(name, figure.add_subplot(2, 3, i, projection="3d"))
    figure.tight_layout()
    figure.savefig(FIGURES / "robots.png", dpi=110)
    figure = plt.figure(figsize=(6, 6))
    draw("stanford_arm", figure.add_subplot(projection="3d"))
    figure.tight_layout()
    figure.savefig(FIGURES / "stanford_frames.png", dpi=110)


if __name__ == "__main__":
    main()
