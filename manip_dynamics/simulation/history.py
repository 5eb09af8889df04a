"""History: what a simulated arm did, as arrays that can be saved, read back and drawn."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray

COLUMNS = ("position", "velocity", "effort")  # of a CSV file, for each joint


@dataclass(frozen=True)
class History:
    """A motion at N instants. Arrays are (N, n) in the order of `joint_names`, SI units."""

    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]  # "revolute" or "prismatic"
    t: Array  # (N,), s
    q: Array
    qd: Array
    tau: Array  # what the motors gave from this instant on
    reference: Array | None = None  # the positions that a controller followed

    def __len__(self) -> int:
        return len(self.t)

    @property
    def error(self) -> Array:
        """Deviation from the reference positions."""
        if self.reference is None:
            raise ValueError("this motion followed no reference: run it under a controller "
                             "with a trajectory")
        return self.q - self.reference

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write .npz, or .csv with a column `<joint>.position` and so on for each joint.

        The CSV file is a trajectory too: `Waypoints.from_csv` reads it.
        """
        path = Path(path)
        if path.suffix == ".npz":
            fields: dict[str, Any] = {name: value for name, value in vars(self).items()
                                      if value is not None}
            np.savez_compressed(path, **fields)
        elif path.suffix == ".csv":
            names = [f"{name}.{column}" for column in COLUMNS for name in self.joint_names]
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(["time", *names])
                writer.writerows(np.column_stack([self.t, self.q, self.qd, self.tau]).tolist())
        else:
            raise ValueError(f"a history is saved as .npz or .csv, not as '{path.name}'")

    @staticmethod
    def load(path: str | os.PathLike[str]) -> History:
        """Read what `save` wrote as .npz."""
        with np.load(path) as data:
            arrays: dict[str, Any] = dict(data)
        for name in ("joint_names", "joint_kinds"):
            arrays[name] = tuple(arrays[name].tolist())
        return History(**arrays)

    def plot(self, path: str | os.PathLike[str] | None = None, title: str = "") -> Any:
        """Draw positions (with the reference, if any), velocities and efforts over time.

        Returns the matplotlib figure, and writes it where a path is given.
        """
        from .plotting import plot_history, save_figure

        figure = plot_history(self, title)
        if path is not None:
            save_figure(figure, path)
        return figure
