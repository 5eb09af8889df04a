"""Laws of physics, and which of them an arm breaks; many arms side by side."""

import logging
import os
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from oracle import pinocchio_model, robot_of
from special_arms import special_chain

import manip_dynamics as md
from manip_dynamics.codegen.checking import check

RIGID = ("inertia", "coriolis", "gravity")
STATES = 11
# Two ways to one number, relative to the size of the terms that it is the sum of.
EXACT = 1e-11
# A central difference with a step of 1e-5 s.
DIFFERENCE = 1e-6


def sizes(dyn: md.Dynamics, q, qd, qdd) -> np.ndarray:
    """What the efforts are the sum of, joint by joint: (STATES, n)."""
    inertia = np.einsum("sij,sj->si", np.abs(dyn.mass_matrix(q)), np.abs(qdd))
    fast = np.abs(dyn.bias(q, qd)) + np.abs(dyn.gravity(q)) + np.abs(dyn.friction(qd))
    # Where everything cancels, a ten-thousandth of the largest effort of the arm.
    return inertia + fast + 1e-4 * (inertia + fast).max(1, keepdims=True) + 1e-12


def broken_laws(dyn: md.Dynamics, rng: np.random.Generator) -> list[str]:
    """The laws that the dynamics of an arm breaks, each with its error."""
    n = dyn.n
    q, qd, qdd = (rng.uniform(-s, s, (STATES, n)) for s in (2.0, 2.0, 3.0))
    rest = np.zeros_like(q)
    scale = sizes(dyn, q, qd, qdd)
    tau = dyn.inverse_dynamics(q, qd, qdd)
    errors = {
        "bias = inverse dynamics at qdd = 0": (
            dyn.inverse_dynamics(q, qd, rest, terms=RIGID) - dyn.bias(q, qd)) / scale,
        "gravity = bias at qd = 0": (dyn.bias(q, rest) - dyn.gravity(q)) / scale,
        "M qdd + bias + friction = inverse dynamics": (
            np.einsum("sij,sj->si", dyn.mass_matrix(q), qdd) + dyn.bias(q, qd)
            + dyn.friction(qd) - tau) / scale,
        "M is symmetric": (dyn.mass_matrix(q) - dyn.mass_matrix(q).swapaxes(1, 2)),
        "regressor @ mlc = rigid-body efforts": 0.0 if dyn.robot.chain.has_rotors else (
            dyn.regressor(q, qd, qdd) @ dyn.robot.mlc.values
            - dyn.inverse_dynamics(q, qd, qdd, terms=RIGID)) / scale,
    }
    for name, states in {
        "inverse_dynamics": (q, qd, qdd), "mass_matrix": (q,), "bias": (q, qd), "gravity": (q,),
        "friction": (qd,), "jacobian": (q,), "forward_kinematics": (q,),
    }.items():
        function = getattr(dyn, name)
        alone = np.array([function(*state) for state in zip(*states)])
        errors[f"{name}: a batch = one by one"] = function(*states) - alone
        errors[f"{name}: a batch = one by one"] /= max(1.0, np.abs(alone).max()) * 1e-3
    try:
        back = dyn.forward_dynamics(q, qd, tau)
        errors["inverse o forward = identity"] = (
            dyn.inverse_dynamics(q, qd, back) - tau) / sizes(dyn, q, qd, back)
    except md.ModelError as error:
        if "nothing that has inertia" not in str(error):
            raise
    broken = [f"{law}: {np.abs(error).max():.1e}" for law, error in errors.items()
              if not np.abs(error).max() <= EXACT]

    h = 1e-5

    def energy(t: float) -> np.ndarray:
        x, v = q + t * qd + t * t / 2 * qdd, qd + t * qdd
        return sum(dyn.energy(x, v))

    rate = (energy(h) - energy(-h)) / (2 * h)
    power = ((tau - dyn.friction(qd)) * qd).sum(1)
    size = (scale * (np.abs(qd) + 1e-3)).sum(1) + np.abs(energy(0.0)) + 1e-9
    error = np.abs((rate - power) / size).max()
    return broken if error <= DIFFERENCE else [*broken, f"energy rate = power: {error:.1e}"]


def disagreement_with_pinocchio(dyn: md.Dynamics, rng: np.random.Generator) -> list[str]:
    import pinocchio as pin

    if dyn.robot.chain.has_rotors:
        return []
    model, data = pinocchio_model(dyn.robot.chain)
    q, qd, qdd = (rng.uniform(-s, s, (STATES, dyn.n)) for s in (2.0, 2.0, 3.0))
    exact = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd)])
    found = dyn.inverse_dynamics(q, qd, qdd, terms=RIGID)
    error = np.abs((found - exact) / sizes(dyn, q, qd, qdd)).max()
    return [] if error <= EXACT else [f"Pinocchio: {error:.1e}"]


def examine(case: tuple[int, int, str]) -> str:
    """What is wrong with one arm, "" if nothing is."""
    n, seed, backend = case
    chain = special_chain(np.random.default_rng([n, seed]), n)
    refused: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: refused.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("manip_dynamics").addHandler(handler)
    try:
        dyn = md.Dynamics(robot_of(chain), backend=backend)
        rng = np.random.default_rng(seed)
        problems = broken_laws(dyn, rng) + disagreement_with_pinocchio(dyn, rng) + refused
    except Exception as error:
        problems = [f"{type(error).__name__}: {error}"]
    finally:
        logging.getLogger("manip_dynamics").removeHandler(handler)
        check.cache_clear()
    return f"{case}: " + "; ".join(problems) if problems else ""


def take_cache(folder: str) -> None:
    os.environ["XDG_CACHE_HOME"] = folder


def all_broken(cases: list[tuple[int, int, str]]) -> list[str]:
    folder = tempfile.mkdtemp()  # hundreds of arms would drive the user's own out of the cache
    try:
        with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), take_cache,
                                 (folder,)) as pool:
            return [found for found in pool.map(examine, cases, chunksize=4) if found]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
