"""Pinocchio, from its Python package: the baseline."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arms import Arm, States
from ..entry import BATCH, CALL, FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX, Code, Entry

TITLE = "Pinocchio"
HOW_TO_GET = "it is in script/requirements.txt as `pin`: run script/bootstrap"
LOOP = "Python loop"
OWN_BATCH = "own batch, 1 thread"

CALLS = {
    INVERSE_DYNAMICS: "rnea(model, data, {q}, {qd}, {qdd})",
    MASS_MATRIX: "crba(model, data, {q})",
    FORWARD_DYNAMICS: "aba(model, data, {q}, {qd}, {tau})",
}
ARGUMENTS = ("q", "qd", "qdd", "tau")


def version() -> str:
    """The version, if it is installed."""
    import pinocchio

    return pinocchio.__version__


def entries(arm: Arm, states: States) -> list[Entry]:
    """One call; a loop of calls; and rneaInParallel and abaInParallel with one thread."""
    import pinocchio as pin

    model = pin.buildModelFromXML(arm.urdf)
    names: dict[str, Any] = {
        "model": model, "data": model.createData(), "rnea": pin.rnea, "crba": pin.crba,
        "aba": pin.aba, "both_triangles": both_triangles,
    }  # fmt: skip
    found = []
    for quantity, call in CALLS.items():
        text = f"answer = {call.format(**{name: name for name in ARGUMENTS})}"
        answer = "both_triangles(answer)" if quantity == MASS_MATRIX else "answer"
        single = Code(text, answer, {**names, **vars(states[0])})
        found.append(Entry(TITLE, "", CALL, quantity, single))
        loop = f"for i in rows:\n    answer[i] = {call.format(**{x: f'{x}[i]' for x in ARGUMENTS})}"
        width = (model.nv, model.nv) if quantity == MASS_MATRIX else (model.nv,)
        batch = {"rows": range(len(states)), "answer": np.empty((len(states), *width))}
        code = Code(loop, answer, {**names, **vars(states), **batch}, len(states))
        found.append(Entry(TITLE, LOOP, BATCH, quantity, code))
    return [*found, *_own_batches(pin, model, states)]


def _own_batches(pin: Any, model: Any, states: States) -> list[Entry]:
    # Its arrays are (n, N), one state per column: the transposes of ours, without a copy.
    columns = {name: np.asfortranarray(values.T) for name, values in vars(states).items()}
    names = {
        **columns, "pool": pin.ModelPool(model), "answer": np.empty_like(columns["q"]),
        "rneaInParallel": pin.rneaInParallel, "abaInParallel": pin.abaInParallel,
    }  # fmt: skip
    calls = {INVERSE_DYNAMICS: "rneaInParallel(1, pool, q, qd, qdd, answer)",
             FORWARD_DYNAMICS: "abaInParallel(1, pool, q, qd, tau, answer)"}  # fmt: skip
    return [
        Entry(TITLE, OWN_BATCH, BATCH, quantity, Code(call, "answer.T", names, len(states)))
        for quantity, call in calls.items()
    ]


def both_triangles(M: np.ndarray) -> np.ndarray:
    """`crba` fills only the upper triangle, but all of M is compared."""
    upper = np.triu(M)
    return upper + np.swapaxes(np.triu(M, 1), -1, -2)
