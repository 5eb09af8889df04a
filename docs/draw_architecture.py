"""Draws the rooms of the package and who uses whom into docs/figures/architecture.png.

    script/run python docs/draw_architecture.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

LEFT, STEP = 0.0, 4.75
TOP, MIDDLE, BOTTOM = 5.4, 2.7, 0.0
WIDTH, HEIGHT = 3.45, 1.5
ROOMS = {  # name: (x, y, what is in it)
    "model/": (LEFT, TOP, "URDF, modified DH,\ninertia, MLCs"),
    "algorithms/": (LEFT + STEP, TOP, "the papers, once,\nover generic scalars"),
    "codegen/": (LEFT + 2 * STEP, TOP, "trace, optimise, schedule,\nemit, check, cache"),
    "dynamics.py": (LEFT + 3 * STEP, TOP, "Dynamics:\nnumpy in, numpy out"),
    "control/": (LEFT + 3 * STEP, MIDDLE, "trajectories, control laws,\neffort policy"),
    "simulation/": (LEFT + 2 * STEP, MIDDLE, "integrators, simulator,\nhistory"),
    "papers/": (LEFT + STEP, MIDDLE, "tables and examples\nof the papers"),
    "cli/": (LEFT + STEP, BOTTOM, "manip_dynamics <verb>"),
    "nodes/": (LEFT + 2.5 * STEP, BOTTOM, "messages in,\nmessages out"),
}
USES_ROS = ("nodes/", "cli/")
USES = [  # from a room to one that uses it, and what it uses
    ("model/", "algorithms/", "Chain"), ("algorithms/", "codegen/", "functions"),
    ("codegen/", "dynamics.py", "kernels"), ("dynamics.py", "control/", "Dynamics"),
    ("control/", "simulation/", ""), ("simulation/", "nodes/", ""), ("control/", "nodes/", ""),
    ("simulation/", "cli/", ""), ("papers/", "cli/", ""), ("algorithms/", "papers/", ""),
]
GREY, ORANGE = "#eef2f7", "#fde3c8"


def middle(name: str) -> tuple[float, float]:
    x, y, _ = ROOMS[name]
    return x + WIDTH / 2, y + HEIGHT / 2


def on_border(name: str, other: str) -> tuple[float, float]:
    """Where the line between the middles of two rooms leaves the first."""
    (x, y), (ox, oy) = middle(name), middle(other)
    dx, dy = ox - x, oy - y
    share = min((WIDTH / 2 + 0.12) / abs(dx) if dx else 1.0,
                (HEIGHT / 2 + 0.12) / abs(dy) if dy else 1.0)
    return x + share * dx, y + share * dy


def main() -> None:
    figure, axes = plt.subplots(figsize=(9.8, 4.8))
    for name, (x, y, text) in ROOMS.items():
        axes.add_patch(FancyBboxPatch((x, y), WIDTH, HEIGHT, boxstyle="round,pad=0.07",
                                      facecolor=ORANGE if name in USES_ROS else GREY,
                                      edgecolor="black", linewidth=1.0, zorder=2))
        axes.text(x + WIDTH / 2, y + 1.12, name, ha="center", va="center", fontweight="bold",
                  fontsize=12, zorder=3)
        axes.text(x + WIDTH / 2, y + 0.45, text, ha="center", va="center", fontsize=10, zorder=3)
    for start, end, label in USES:
        a, b = on_border(start, end), on_border(end, start)
        axes.annotate("", b, a, zorder=1,
                      arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.2,
                                  "shrinkA": 0, "shrinkB": 0})
        if label and a[1] == b[1]:
            axes.text((a[0] + b[0]) / 2, a[1] + 0.15, label, ha="center", fontsize=9)
        elif label:
            axes.text(a[0] + 0.15, (a[1] + b[1]) / 2, label, va="center", fontsize=10)
    for name, text, height in (("model/", "robot.urdf", -1), ("codegen/", "C for a driver", 1)):
        x, y = middle(name)[0], TOP + HEIGHT + 0.1
        ends = ((x, y + 0.05), (x, y + 0.65))
        axes.annotate("", ends[height > 0], ends[height < 0],
                      arrowprops={"arrowstyle": "-|>", "color": "black"})
        axes.text(x, y + 0.8, text, ha="center", fontsize=10)
    y = BOTTOM + HEIGHT / 2
    for name, text, side in (("cli/", "terminal", -1), ("nodes/", "topics,\nservices", 1)):
        x = middle(name)[0] + side * (WIDTH / 2 + 0.12)
        axes.annotate("", (x + side * 0.85, y), (x, y),
                      arrowprops={"arrowstyle": "<|-|>", "color": "black"})
        axes.text(x + side * 0.95, y, text, va="center", fontsize=10,
                  ha="right" if side < 0 else "left")
    axes.text(LEFT - 0.05, MIDDLE + 0.2, "A → B: B uses A.\nOrange rooms\nmay use ROS.",
              fontsize=10, va="bottom")
    axes.set_xlim(-0.2, LEFT + 3 * STEP + WIDTH + 0.2)
    axes.set_ylim(-0.2, TOP + HEIGHT + 1.4)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.subplots_adjust(left=0.005, right=0.995, top=0.995, bottom=0.005)
    folder = Path(__file__).parent / "figures"
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "architecture.png", dpi=120)


if __name__ == "__main__":
    main()
