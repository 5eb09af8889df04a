"""The papers' tables of operation counts, beside what this package executes."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator, Mapping
from functools import partial

from manip_dynamics.algorithms import uicker_kahn
from manip_dynamics.codegen.program import count_operations
from manip_dynamics.codegen.programs import cheapest_program
from manip_dynamics.codegen.trace import Counts
from manip_dynamics.model.loading import load_robot
from manip_dynamics.model.mlc import minimal_combinations
from manip_dynamics.papers.cheapest import cheaper_of_formulations_1_and_2
from manip_dynamics.papers.counted_algorithms import (
    ALGORITHMS,
    ARMS,
    Counted,
    as_written,
    general_arm,
)
from manip_dynamics.papers.polynomial import Polynomial, fit
from manip_dynamics.papers.printed_tables import TABLES, PrintedCounts, PrintedRow, PrintedTable

SUMMARY = "show the papers' tables of operation counts beside what this code executes"
EXAMPLE = "manip_dynamics counts --table lin-fang-8"

JOINTS = range(2, 13)
OPERATIONS = {"M": "multiplications", "A": "additions"}
FLEXIBLE_ROBOT = "flexible-robot"
LABEL, CELL, WIDTH = 15, 6, 110  # characters


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--table", choices=[*(table.key for table in TABLES), FLEXIBLE_ROBOT],
                        help="one table (default: all)")
    parser.add_argument("--arm", choices=list(ARMS), help="one kind of arm (default: both)")
    parser.add_argument("--json", action="store_true", help="print JSON for a program to read")


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
        print("\n".join(table_lines(table)))
    if robot:
        print("\n".join(flexible_robot_lines(robot)))
    return 0


def counted_table(table: PrintedTable, arm: str) -> dict:
    """One table for one kind of arm: printed, executed and live counts for 2 to 12 joints."""
    rows = [counted_row(row, arm) for row in table.rows if row.code or arm in row.printed]
    return {"table": table.key, "title": table.title, "arm": arm, "rows": rows}


def counted_row(row: PrintedRow, arm: str) -> dict:
    joints = [n for n in JOINTS if n > 2 or arm != "prismatic"]
    counted = {n: ALGORITHMS[row.code](general_arm(n, arm)) for n in joints} if row.code else {}
    operations = {}
    for letter, name in OPERATIONS.items():
        operations[letter] = {
            "printed": _printed(row.printed.get(arm, PrintedCounts()), letter, joints),
            "executed": _measured({n: getattr(c.executed, name) for n, c in counted.items()}),
            "live": _measured({n: getattr(c.live, name) for n, c in counted.items()}),
        }
    return {"method": row.method, "code": row.code, "operations": operations,
            "remark": row.remark}


def _printed(printed: PrintedCounts, letter: str, joints: list[int]) -> dict:
    formula = printed.multiplications if letter == "M" else printed.additions
    values = {n: pair["MA".index(letter)] for n, pair in printed.values.items() if n in joints}
    if formula is not None:
        values = {n: formula(n) for n in joints}
    return _entry(formula, values)


def _measured(values: Mapping[int, int]) -> dict:
    return _entry(fit(values) or fit(values, degree=3), values)


def _entry(formula: Polynomial | None, values: Mapping[int, int]) -> dict:
    return {"formula": None if formula is None else str(formula), "counts": dict(values)}


def flexible_robot_counts() -> list[dict]:
    """The robot of Bansevicius et al. 2005: what is printed, and what this package needs."""
    chain = load_robot("flexible_6dof").chain
    uicker_kahn_matrix = partial(uicker_kahn.mass_matrix, chain)
    written: Counted = as_written(uicker_kahn_matrix, chain.n, ("q",))
    formulation = cheaper_of_formulations_1_and_2(minimal_combinations(chain))
    counts = {
        "printed: symbolic Uicker & Kahn": Counts(144, 186),
        "Uicker & Kahn, as written": written.live,
        "Uicker & Kahn, equal operations shared": count_operations(uicker_kahn_matrix, chain.n),
        f"{formulation.name}, equal operations shared": formulation.counts,
        "the compiled kernel": cheapest_program("mass_matrix", chain).counts(),
    }
    return [{"method": method, "M": c.multiplications, "A": c.additions}
            for method, c in counts.items()]


LEGEND = f"""\
M multiplications, A additions; sin, cos and constants are free, as in the papers.
printed    what the paper's formula gives
executed   every operation of this code, nothing shared beyond what the algorithm shares
live       those that a result depends on
Arms have general parameters (full inertia tensors, no right angles), {JOINTS[0]} to {JOINTS[-1]} \
joints."""


def table_lines(table: dict) -> Iterator[str]:
    """A table as text."""
    yield ""
    yield table["title"]
    yield f"{ARMS[table['arm']]}"
    yield f"{'n =':>{LABEL}}" + "".join(f"{n:{CELL}}" for n in JOINTS)
    for row in table["rows"]:
        yield f"  {row['method']}"
        yield from _row_lines(row["operations"])
        yield from textwrap.wrap(row["remark"], WIDTH, initial_indent="    ",
                                 subsequent_indent="    ")


def _row_lines(operations: dict) -> Iterator[str]:
    for letter, kinds in operations.items():
        for kind, entry in kinds.items():
            if entry["counts"]:
                counts = "".join(f"{entry['counts'].get(n, '-'):>{CELL}}" for n in JOINTS)
                formula = f"   {entry['formula']}" if entry["formula"] else ""
                yield f"    {letter} {kind:<{LABEL - 6}}{counts}{formula}"


def flexible_robot_lines(rows: list[dict]) -> Iterator[str]:
    yield ""
    yield "Bansevicius et al. 2005: inertia matrix of the flexible robot, 6 joints"
    for row in rows:
        yield f"  {row['method']:<75}{row['M']:{CELL}} M{row['A']:{CELL}} A"
    yield from textwrap.wrap(
        "The paper gives no inertial data; diagonal tensors and mass centres on frame axes are "
        "assumed. Its symbolic expansion shares monomials, a recursion shares more.",
        WIDTH, initial_indent="    ", subsequent_indent="    ")
