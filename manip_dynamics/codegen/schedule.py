"""The scheduling pass: places each operation as late as its first use allows, so that few values
are live at a time and they fit into registers."""

from __future__ import annotations

from .program import Program


def schedule(program: Program) -> Program:
    """The same program, ordered depth first from its outputs."""
    order: list[int] = []
    done: set[int] = set()
    for out in program.outputs:
        stack = [abs(out) - 1] if isinstance(out, int) else []
        while stack:
            k = stack[-1]
            missing = [j for j in program.nodes[k].operands if j not in done]
            if missing:
                stack.extend(missing[::-1])
                continue
            stack.pop()
            if k not in done:
                done.add(k)
                order.append(k)
    return program.with_nodes(order)
