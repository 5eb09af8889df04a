"""Compare the operation counts printed in the papers with what this package executes."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Sequence
from functools import partial

from manip_dynamics.algorithms import uicker_kahn
from manip_dynamics.codegen.program import count_operations
from manip_dynamics.codegen.programs import cheapest_program
from manip_dynamics.codegen.trace import Counts
from manip_dynamics.model.loading import load_robot
from manip_dynamics.model.mlc import minimal_combinations
from manip_dynamics.model.text_table import text_table
from manip_dynamics.papers.cheapest import cheaper_of_formulations_1_and_2
from manip_dynamics.papers.counted_algorithms import ALGORITHMS, ARMS, as_written, general_arm
from manip_dynamics.papers.polynomial import Polynomial, fit
from manip_dynamics.papers.printed_tables import TABLES, PrintedCounts, PrintedRow, PrintedTable

SUMMARY = "compare the papers' operation counts with what this code executes"
EXAMPLE = "manip_dynamics counts --table lin-fang-8"

JOINTS = range(2, 13)
OPERATIONS = {"M": "multiplications", "A": "additions"}
FLEXIBLE_ROBOT = "flexible-robot"
WIDTH = 110  # characters of a remark


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--table", choices=[*(table.key for table in TABLES), FLEXIBLE_ROBOT],
                        help="one table (default: all)")
    parser.add_argument("--arm", choices=list(ARMS), help="one kind of arm (default: both)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    tables = [table for table in TABLES if args.table in (None, table.key)]
    arms = [arm for arm in ARMS if args.arm in (None, arm)]
    counted = [counted_table(table, arm) for table in tables for arm in arms]
    robot = flexible_robot_counts() if args.table in (None, FLEXIBLE_ROBOT) else []
    if args.json:
        print(json.dumps({"tables": counted, "flexible_robot": robot}, indent=2))
        return 0
    print(LEGEND)
    for table in counted:
        print(table_text(table))
    if robot:
        print(flexible_robot_text(robot))
    return 0


def counted_table(table: PrintedTable, arm: str) -> dict:
    """Printed, executed and live counts of one table, for one kind of arm with 2 to 12 joints."""
    rows = [counted_row(row, arm) for row in table.rows if row.code or arm in row.printed]
    return {"table": table.key, "title": table.title, "arm": arm, "rows": rows}


def counted_row(row: PrintedRow, arm: str) -> dict:
    joints = [n for n in JOINTS if n > 2 or arm != "prismatic"]
    counted = {n: ALGORITHMS[row.code](general_arm(n, arm)) for n in joints} if row.code else {}
    printed = row.printed.get(arm, PrintedCounts())
    operations = {}
    for i, (letter, name) in enumerate(OPERATIONS.items()):
        formula = getattr(printed, name)
        values = ({n: formula(n) for n in joints} if formula else
                  {n: pair[i] for n, pair in printed.values.items() if n in joints})
        operations[letter] = {"printed": _entry(formula, values)}
        for kind in ("executed", "live"):
            values = {n: getattr(getattr(c, kind), name) for n, c in counted.items()}
            operations[letter][kind] = _entry(fit(values) or fit(values, degree=3), values)
    return {"method": row.method, "code": row.code, "operations": operations,
            "remark": row.remark}


def _entry(formula: Polynomial | None, values: dict[int, int]) -> dict:
    return {"formula": formula and str(formula), "counts": values}


def flexible_robot_counts() -> list[dict]:
    """The robot of Bansevicius et al. 2005: printed counts and those of this package."""
    chain = load_robot("flexible_6dof").chain
    matrix = partial(uicker_kahn.mass_matrix, chain)
    formulation = cheaper_of_formulations_1_and_2(minimal_combinations(chain))
    counts = {
        "printed: symbolic Uicker & Kahn": Counts(144, 186),
        "Uicker & Kahn, as written": as_written(matrix, chain.n, ("q",)).live,
        "Uicker & Kahn, common subexpressions shared": count_operations(matrix, chain.n),
        f"{formulation.name}, common subexpressions shared": formulation.counts,
        "compiled kernel": cheapest_program("mass_matrix", chain).counts(),
    }
    return [{"method": method, "M": c.multiplications, "A": c.additions}
            for method, c in counts.items()]


LEGEND = f"""\
M multiplications, A additions; sine, cosine and constants are free, as in the papers.
printed    the paper's formula
executed   the operations of this code, sharing only what the algorithm itself shares
live       those of them that the result depends on
The arms have general parameters (full inertia tensors, no right angles) and {JOINTS[0]} to \
{JOINTS[-1]} joints."""


def table_text(table: dict) -> str:
    """A table for one kind of arm, with a line per operation and the remarks."""
    rows: list[Sequence[object] | str] = [
        "", table["title"], ARMS[table["arm"]], ("n =", *JOINTS, "")]
    for row in table["rows"]:
        rows.append(f"  {row['method']}")
        for letter, kinds in row["operations"].items():
            rows += [(f"{letter} {kind}", *(entry["counts"].get(n, "-") for n in JOINTS),
                      entry["formula"] or "")
                     for kind, entry in kinds.items() if entry["counts"]]
        rows += _remark(row["remark"])
    return text_table(rows, left=(0, len(JOINTS) + 1), indent="    ")


def flexible_robot_text(rows: list[dict]) -> str:
    return "\n".join([
        "", "Bansevicius et al. 2005: inertia matrix of the flexible robot, 6 joints",
        text_table([("", "M", "A"), *((row["method"], row["M"], row["A"]) for row in rows)],
                   indent="  "),
        *_remark("The paper gives no inertial data; diagonal tensors and centres of mass on frame "
                 "axes are assumed. Its symbolic expansion shares monomials; a recursion shares "
                 "more.")])


def _remark(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
