"""Damaged files, thousands of them: all that a reader may do is refuse one, by name and soon."""

from __future__ import annotations

import random
import re
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import manip_dynamics as md
from manip_dynamics.algorithms import kane, lin1991
from manip_dynamics.control.waypoints import Waypoints
from manip_dynamics.model.dh_table import read_table
from manip_dynamics.model.urdf_writer import urdf_of_table

NUMBERS = ("0", "-0", "1", "-1", "1e-320", "1e-30", "1e-9", "16", "1635", "1e9", "1e15", "1e150",
           "1e308", "1e999", "-1e308", "nan", "inf", "-inf", "1_0", "0x10", "", " ", "a", "1,5",
           "9" * 400, "1e400000", "١", "true", "${x}", "1 2", "1e-400")
PIECES = ("<", ">", "/>", "&", "&amp;", "<!--", "]]>", "\0", "\ufeff", '"', "'", "{", "}", "[", "]",
          ":", "- ", "*a", "&a ", "!!python/object:os.system", "\n", "\t", ",", "#", "%", "|", "é",
          "\\",
          "<robot>", "</robot>", "<link name='base_link'/>", "<origin/>", "<inertial/>", "<mimic/>",
          "<a>" * 200, "[" * 200, "{a: " * 50, "x" * 3000)
SLOWEST = 1.0  # s


def mutated(text: str, rng: random.Random) -> str:
    """The text after one to four changes: numbers alone in half of the cases, so that the file
    stays well-formed; else characters, pieces and lines, too."""
    numbers_only = rng.random() < 0.5
    for _ in range(rng.randint(1, 4)):
        change = 0 if numbers_only else rng.randrange(6)
        if change <= 1:
            found = list(re.finditer(r"-?\d+\.?\d*(?:[eE][+-]?\d+)?", text))
            if found:
                place = rng.choice(found)
                text = text[:place.start()] + rng.choice(NUMBERS) + text[place.end():]
            continue
        a = rng.randrange(len(text) + 1)
        b = min(len(text), a + rng.choice((0, 1, 1, 2, 5, 20, 100)))
        if change == 2:
            text = text[:a] + text[b:]
        elif change == 3:
            text = text[:a] + rng.choice(PIECES) + text[a:]
        elif change == 4:
            text = text[:b] + text[a:b] + text[b:]
        else:
            lines = text.splitlines(keepends=True) or [""]
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i] * rng.choice((0, 1, 2))
            text = "".join(lines)
    return text


def read_urdf(text: str, folder: Path) -> None:
    """Read, and compute with what was read."""
    robot = md.load_robot(text if "<" in text else text + "<")
    state = [[0.3 + 0.1 * i for i in range(robot.n)] for _ in range(3)]
    numbers = kane.inverse_dynamics(robot.chain, *state) + [
        x for row in lin1991.mass_matrix(robot.chain, state[0]) for x in row]
    numbers += [x for link in robot.links for x in link.parameters] + robot.mlc.values.tolist()
    if not np.isfinite(numbers).all():
        raise ArithmeticError("accepted, but the dynamics are not finite")


def read_yaml(text: str, folder: Path) -> None:
    read_urdf(urdf_of_table(read_table(text)), folder)


def read_csv(text: str, folder: Path) -> None:
    path = folder / "motion.csv"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    motion = Waypoints.from_csv(path, ["joint1", "joint2"])
    times = np.linspace(0.0, motion.duration, 7)
    if not all(np.isfinite(part).all() for part in motion(times)):
        raise ArithmeticError("accepted, but the motion is not finite")


def failures(reader: Callable[[str, Path], None], original: str, seeds: range,
             folder: Path) -> list[str]:
    """What went wrong with the mutants of these seeds."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds:
            text = mutated(original, random.Random(seed))
            start = time.process_time()
            try:
                reader(text, folder)
            except ValueError:  # ModelError is one
                pass
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                found.append(f"seed {seed}: {type(error).__name__}: {error} "
                             f"({where.filename}:{where.lineno})"[:300])
            if time.process_time() - start > SLOWEST:
                found.append(f"seed {seed}: took {time.process_time() - start:.1f} s")
    return found


def originals() -> dict[str, str]:
    """A file of each kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        urdf = md.load_robot("stanford_arm").urdf
    table = """name: arm
convention: standard
angles: degrees
base: [0, 0, 0.4]
joints:
  - {name: waist, kind: revolute, alpha: 90, a: 0, d: 0.4, mass: 9.0, com: [0, 0, -0.1],
     inertia: [0.02, 0.01, 0.01], lower: -160, upper: 160, velocity: 2.0, effort: 100, damping: 0.1}
  - {name: slide, kind: prismatic, alpha: -90, theta: 30, mass: 3, inertia: [1, 0, 0, 1, 0, 1]}
  - {kind: R, a: 0.3, mass: 1e-3, inertia: [1.0e-6, 1.0e-6, 1.0e-6]}
"""
    rows = "\n".join(f"{0.1 * i:.2f},{0.3 * i:.3f},{-0.2 * i:.4f},{1e-3 * i},{2.5},{0}"
                     for i in range(12))
    csv = f"time,joint1,joint2,joint1.velocity,joint2.velocity,other\n{rows}\n"
    return {"urdf": urdf, "yaml": table, "csv": csv}


READERS = {"urdf": read_urdf, "yaml": read_yaml, "csv": read_csv}
