"""script/bench: benchmarks on this machine, as tables and a plot."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

# Benchmarks run on one core; this must be set before the libraries are loaded.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

from . import calls, instructions, libraries, machine, report, simulation, startup, timing
from .agreement import Disagreement
from .arms import ARMS
from .docs import write_section
from .entry import KINDS
from .libraries import casadi, mujoco
from .report import Table, status_line

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
PLOT = ROOT / "docs" / "figures" / "bench.png"


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="script/bench", description=__doc__,
        epilog="--with-peers first installs the libraries to compare with "
        "(script/requirements-bench.txt) into .venv/bench, separate from everything else.",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true",
                        help="one minute instead of five, less accurate")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS), metavar="ARM",
                        help=f"of {', '.join(ARMS)} (default: all)")  # fmt: skip
    parser.add_argument("--plot", type=Path, metavar="FILE", help="plot the calls (png, svg, pdf)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    parser.add_argument("--docs", action="store_true",
                        help="update the tables in docs/benchmarks.md and its plot")
    parser.add_argument("--ros", action="store_true",
                        help="measure the dynamics node instead, against a bare rclpy relay")
    return parser.parse_args()


def main() -> int:
    """Run the benchmarks and print the results."""
    args = arguments()
    if args.ros:
        from .ros import comparison

        return comparison.run(args.quick, args.json, PAGE if args.docs else None)
    core = machine.stay_on_one_core()
    found, missing = libraries.available()
    facts = machine.description()
    facts["core used"] = "any" if core is None else str(core)
    facts.update({library.TITLE: library.version() for library in found})
    for fact, value in facts.items():
        print(f"{fact:>16}: {value}")
    print()
    status = status_line()
    results: dict[str, Any] = {"machine": facts, "missing": [str(m) for m in missing]}
    try:
        for name, tables, notes, data in measured(args, found, missing, status.set_description_str):
            status.clear()
            print("\n\n".join([*map(report.as_text, tables), *notes]), end="\n\n", flush=True)
            results[name] = [asdict(row) for row in data]
            if args.docs:
                write_section(PAGE, name, tables, notes)
    except Disagreement as error:
        status.clear()
        print(f"script/bench: {error}; nothing was timed", file=sys.stderr)
        return 1
    if args.docs:
        write_section(PAGE, "machine", [[["measured on", ""], *map(list, facts.items())]])
    for file in [args.plot, PLOT if args.docs else None]:
        if file is not None:
            from .plot import draw

            figures = [calls.Figure(**row) for row in results["calls"]]
            draw(figures, file, f"{facts['processor']}, {facts['compiler']}")
            print(f"wrote {file}")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        print(f"wrote {args.json}")
    return 0


def measured(
    args: argparse.Namespace, found: list, missing: list, say: Callable[[str], None]
) -> Iterator[tuple[str, list[Table], list[str], list]]:
    """Yield name, tables, notes and data of each part as soon as it is done."""
    effort = timing.QUICK if args.quick else timing.THOROUGH
    figures = calls.measure(found, args.arms, effort, say=say)
    arms = dict.fromkeys(figure.arm for figure in figures)
    tables = [report.call_table(figures, arm, kind) for kind in KINDS for arm in arms]
    notes = [*report.NOTES, *map(str, missing)]
    yield "calls", [*tables, report.advantage_table(figures)], notes, figures

    absent = instructions.missing()
    if absent:
        yield "instructions", [], [f"Instructions were not counted: {absent}"], []
    else:
        counts = instructions.count_all(args.arms, casadi in found, say)
        yield "instructions", [instructions.table(counts)], [], counts

    throughputs = simulation.measure(args.arms, mujoco in found, effort, say)
    yield "simulation", [simulation.table(throughputs)], [], throughputs

    startups = startup.measure(args.arms, say)
    yield "startup", [startup.table(startups)], [], startups


if __name__ == "__main__":
    sys.exit(main())
