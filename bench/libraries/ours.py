"""manip_dynamics itself, through its public API."""

from __future__ import annotations

from typing import Any

import numpy as np

import manip_dynamics as md

from ..arms import Arm, States
from ..entry import BATCH, CALL, FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX, Code, Entry

TITLE = "manip_dynamics"
HOW_TO_GET = ""
FALLBACK = "without a compiler"
OUT = "out="

CALLS = {
    INVERSE_DYNAMICS: "inverse_dynamics(q, qd, qdd{out})",
    MASS_MATRIX: "mass_matrix(q{out})",
    FORWARD_DYNAMICS: "forward_dynamics(q, qd, tau{out})",
}


def version() -> str:
    """The version."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("manip_dynamics")
    except PackageNotFoundError:
        return "source tree"


def entries(arm: Arm, states: States) -> list[Entry]:
    """Compiled, with a new array and with `out=`; and the Python fallback."""
    dyn = md.Dynamics(arm.robot)
    forms = [(dyn, "", CALL, states[0]), (dyn, OUT, CALL, states[0]),
             (dyn, "", BATCH, states), (dyn, OUT, BATCH, states)]  # fmt: skip
    if dyn.backend != "python":
        forms.append((md.Dynamics(arm.robot, backend="python"), FALLBACK, CALL, states[0]))
    return [
        Entry(TITLE, form, kind, quantity, _code(dyn, quantity, form == OUT, given))
        for dyn, form, kind, given in forms
        for quantity in CALLS
    ]


def _code(dyn: md.Dynamics, quantity: str, reuse: bool, given: States) -> Code:
    call = CALLS[quantity].format(out=", out=out" if reuse else "")
    method = call[: call.index("(")]
    names: dict[str, Any] = {**vars(given), method: getattr(dyn, method)}
    if reuse:
        shape = (*given.q.shape, dyn.n) if quantity == MASS_MATRIX else given.q.shape
        names["out"] = np.empty(shape)
    return Code(f"answer = {call}", "answer", names, len(given) if given.q.ndim > 1 else 1)
