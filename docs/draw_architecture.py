"""Draws the rooms and the way data flows into docs/figures/architecture.png.

    script/run python docs/draw_architecture.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

ROOMS = {  # name: (x, y, what it does)
    "model": (0.0, 2.0, "URDF → chain\nmodified DH, inertia, MLCs"),
    "algorithms": (3.6, 2.0, "the papers, once,\nover generic scalars"),
    "codegen": (7.2, 2.0, "trace → program\n→ C / Python kernel"),
    "dynamics": (10.8, 2.0, "Dynamics:\nnumpy in, numpy out"),
    "simulation": (10.8, 0.0, "integrators, simulator,\ntrajectories, controllers"),
    "nodes": (14.4, 1.0, "rclpy: services, topics,\nsimulator"),
    "cli": (14.4, 3.0, "manip_dynamics <verb>"),
}
WIDTH, HEIGHT = 2.9, 1.25
FLOWS = [("model", "algorithms", "Chain"), ("algorithms", "codegen", "traced"),
         ("codegen", "dynamics", "kernels"), ("dynamics", "simulation", ""),
         ("dynamics", "nodes", ""), ("simulation", "nodes", ""), ("dynamics", "cli", "")]


def side(name: str, other: str) -> tuple[float, float]:
    """The point of the room's border that looks at the other room."""
    x, y, _ = ROOMS[name]
    ox, oy, _ = ROOMS[other]
    if ox != x:
        return x + (WIDTH if ox > x else 0.0), y + HEIGHT / 2
    return x + WIDTH / 2, y + (HEIGHT if oy > y else 0.0)


def main() -> None:
    figure, axes = plt.subplots(figsize=(13.5, 3.9))
    for name, (x, y, text) in ROOMS.items():
        ros = name == "nodes"
        axes.add_patch(FancyBboxPatch((x, y), WIDTH, HEIGHT, boxstyle="round,pad=0.05",
                                      facecolor="#fde9d9" if ros else "#eef2f7",
                                      edgecolor="black", linewidth=1.0))
        axes.text(x + WIDTH / 2, y + 0.95, f"{name}{'.py' if name == 'dynamics' else '/'}",
                  ha="center", va="center", fontweight="bold", fontsize=11)
        axes.text(x + WIDTH / 2, y + 0.42, text, ha="center", va="center", fontsize=9)
    for start, end, label in FLOWS:
        axes.annotate("", side(end, start), side(start, end),
                      arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.2})
        if label:
            (x0, y0), (x1, y1) = side(start, end), side(end, start)
            axes.text((x0 + x1) / 2, (y0 + y1) / 2 + 0.22, label, ha="center", fontsize=8)
    axes.text(1.45, 3.75, "robot.urdf", ha="center", fontsize=10)
    axes.annotate("", (1.45, 3.3), (1.45, 3.65), arrowprops={"arrowstyle": "-|>"})
    axes.text(8.65, 0.85, "exported C\nfor a driver", ha="center", fontsize=10)
    axes.annotate("", (8.65, 1.35), (8.65, 1.95), arrowprops={"arrowstyle": "-|>"})
    axes.text(15.85, 0.25, "topics and services", ha="center", fontsize=10)
    axes.annotate("", (15.85, 0.45), (15.85, 0.95), arrowprops={"arrowstyle": "<|-|>"})
    axes.set_xlim(-0.2, 17.6)
    axes.set_ylim(-0.2, 4.4)
    axes.axis("off")
    figure.tight_layout()
    folder = Path(__file__).parent / "figures"
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "architecture.png", dpi=110)


if __name__ == "__main__":
    main()
