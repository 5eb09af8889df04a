"""The same functions run unchanged on floats, on arrays of states and on traced scalars."""

import numpy as np
import pytest
from oracle import assert_close, random_chain
from registry import ALGORITHMS

from manip_dynamics.codegen.trace import Expr, Graph, flatten

STATES = 4

ALL = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS.keys())
ARMS = pytest.mark.parametrize("kinds", ["R", "P", "RRR", "RPR", "PRRPR", "RRPRRR"])


def arm(kinds):
    """Right angles and missing offsets in the longer ones; no Jacobian is singular (seed 30)."""
    return random_chain(np.random.default_rng(30), kinds, right_angles=len(kinds) > 3)


def states(algorithm, n):
    """One array (n, STATES) for each argument."""
    rng = np.random.default_rng(n)
    return [rng.uniform(-2, 2, (n, STATES)) for _ in algorithm.arguments]


def on_floats(algorithm, chain, arguments, k):
    return flatten(algorithm.function(chain, *[x[:, k].tolist() for x in arguments]))


@ALL
@ARMS
def test_arrays_give_what_floats_give(algorithm, kinds):
    chain = arm(kinds)
    arguments = states(algorithm, chain.n)
    batch = flatten(algorithm.function(chain, *[list(x) for x in arguments]))
    for k in range(STATES):
        expected = on_floats(algorithm, chain, arguments, k)
        assert_close([np.broadcast_to(x, STATES)[k] for x in batch], expected)


@ALL
@ARMS
@pytest.mark.parametrize("share", [True, False], ids=["shared", "as written"])
def test_traced_program_gives_what_floats_give(algorithm, kinds, share):
    chain = arm(kinds)
    arguments = states(algorithm, chain.n)
    graph = Graph(share=share)
    traced = [graph.inputs(name, chain.n) for name in algorithm.arguments]
    outputs = flatten(algorithm.function(chain, *traced))
    given = {
        f"{name}[{i}]": x[i]
        for name, x in zip(algorithm.arguments, arguments)
        for i in range(chain.n)
    }
    program = run(graph, given)
    for k in range(STATES):
        actual = [
            np.sign(out.ref) * np.broadcast_to(program[abs(out.ref) - 1], STATES)[k]
            if isinstance(out, Expr) else out
            for out in outputs
        ]
        assert_close(actual, on_floats(algorithm, chain, arguments, k))


def run(graph, given):
    """Values of all nodes: a plain interpreter, on purpose not the package's own emitter."""
    values = []

    def value(operand):
        if isinstance(operand, int):
            return np.sign(operand) * values[abs(operand) - 1]
        return operand

    operations = {
        "input": lambda name, _: given[name],
        "add": lambda a, b: value(a) + value(b),
        "mul": lambda a, b: value(a) * value(b),
        "div": lambda a, b: value(a) / value(b),
        "sin": lambda a, _: np.sin(value(a)),
        "cos": lambda a, _: np.cos(value(a)),
        "sign": lambda a, _: np.sign(value(a)),
    }
    for node in graph.nodes:
        values.append(operations[node.op](node.left, node.right))
    return values
