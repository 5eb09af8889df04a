"""Draws the e-graph of x y + x z and x (y + z) into docs/figures/egraph.png.

    script/run python docs/draw_egraph.py

E-classes, sampled values and the chosen e-nodes are those that codegen/optimise finds.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch

from manip_dynamics.codegen.optimise import HOT
from manip_dynamics.codegen.optimise.egraph import EGraph, ENode
from manip_dynamics.codegen.optimise.extraction import cheapest_extraction
from manip_dynamics.codegen.program import Program, Signature

SIGNATURE = Signature("f", (("x", 1), ("y", 1), ("z", 1)), "r", (1,))
SAMPLES = {"x[0]": (1.5, 0.7, 1.1), "y[0]": (0.4, 1.3, 0.9), "z[0]": (1.2, 0.5, 1.6)}
PLACES = {  # the middle of each e-class, by its first e-node
    "x": (1.6, 0.0), "y": (4.9, 0.0), "z": (8.2, 0.0),
    "x y": (1.6, 2.1), "x z": (4.9, 2.1), "y + z": (8.2, 2.1), "x y + x z": (4.9, 4.3),
}
WIDTH, HEIGHT, GAP = 1.15, 0.55, 0.35
CHOSEN, OTHER, CLASS = "#f4a950", "white", "#eef2f7"


def egraph_of_both() -> tuple[EGraph, list[int], list[int]]:
    """The e-graph of both programs, its result, and the chosen e-node of each e-class."""
    egraph = EGraph()
    programs = [Program.traced(SIGNATURE, lambda x, y, z: [x[0] * y[0] + x[0] * z[0]]),
                Program.traced(SIGNATURE, lambda x, y, z: [x[0] * (y[0] + z[0])])]
    first, second = (egraph.add_program(program, SAMPLES) for program in programs)
    assert first == second, "both programs end in one e-class"
    start = [0] * len(egraph.nodes)
    _, choice = cheapest_extraction(egraph, first, start, 1000, HOT, seed=0)
    return egraph, [abs(out) - 1 for out in first], choice


def name(egraph: EGraph, node: ENode) -> str:
    """The expression of an e-node, by the first e-nodes of its operands."""
    if node.op == "input":
        return str(node.left)[0]
    parts = [name(egraph, egraph.nodes[c][0]) for c in node.operands]
    if node.op == "add":
        return " + ".join(parts)
    return " ".join(f"({part})" if "+" in part else part for part in parts)


def middles(x: float, y: float, count: int) -> list[tuple[float, float]]:
    """Where the e-nodes of an e-class at (x, y) are."""
    step = WIDTH + GAP
    return [(x + (k - (count - 1) / 2) * step, y) for k in range(count)]


def box(axes: Axes, x: float, y: float, width: float, height: float, **style: object) -> None:
    axes.add_patch(FancyBboxPatch((x - width / 2, y - height / 2), width, height,
                                  boxstyle="round,pad=0.06", **style))


def main() -> None:
    egraph, results, choice = egraph_of_both()
    needed = egraph.needed([c + 1 for c in results], choice)
    places = [PLACES[name(egraph, nodes[0])] for nodes in egraph.nodes]
    figure, axes = plt.subplots(figsize=(9.0, 5.6))
    for c, (nodes, (x, y)) in enumerate(zip(egraph.nodes, places)):
        width = len(nodes) * WIDTH + (len(nodes) - 1) * GAP + 0.35
        box(axes, x, y + 0.14, width, HEIGHT + 0.62, facecolor=CLASS, edgecolor="#7f8fa6",
            linestyle="--", linewidth=1.2, zorder=1)
        values = ", ".join(f"{value:.3f}" for value in egraph.samples[c])
        axes.text(x, y + 0.48, values, ha="center", va="center", fontsize=8.5, color="#44505f",
                  zorder=4)
        for k, (node, (a, b)) in enumerate(zip(nodes, middles(x, y, len(nodes)))):
            chosen = k == choice[c] and c in needed
            box(axes, a, b, WIDTH, HEIGHT - 0.12, facecolor=CHOSEN if chosen else OTHER,
                edgecolor="black", linewidth=1.3 if chosen else 0.8, zorder=3)
            label = name(egraph, node)
            axes.text(a, b, label, ha="center", va="center", zorder=4,
                      fontsize=12 if len(label) < 5 else 10,
                      fontweight="bold" if chosen else "normal")
            for side, child in zip((-0.3, 0.3), node.operands):
                to_x, to_y = places[child]
                axes.annotate("", (to_x + 0.25 * (a > to_x) - 0.25 * (a < to_x), to_y + 0.80),
                              (a + side, b - 0.26), zorder=2,
                              arrowprops={"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0,
                                          "linewidth": 2.0 if chosen else 1.0,
                                          "color": "#c87410" if chosen else "#7a7a7a"})
    figure.legend(
        handles=[
            Patch(facecolor=CLASS, edgecolor="#7f8fa6", linestyle="--",
                  label="e-class: one value, with its samples"),
            Patch(facecolor=OTHER, edgecolor="black", label="e-node: a way to compute it"),
            Patch(facecolor=CHOSEN, edgecolor="black", label="chosen e-node"),
            Line2D([], [], color="#7a7a7a", marker=">", label="needs this e-class"),
        ], loc="lower center", ncols=2, fontsize=9.5, frameon=False)
    axes.set_xlim(0.0, 9.8)
    axes.set_ylim(-0.6, 5.3)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.subplots_adjust(left=0.01, right=0.99, top=0.99, bottom=0.1)
    folder = Path(__file__).parent / "figures"
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "egraph.png", dpi=120)


if __name__ == "__main__":
    main()
