"""History: a recorded motion, as arrays that can be saved, loaded and plotted."""

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
    """A motion of n joints at N instants; `len(history)` is N.

    joint_names: the joints in the order of the arrays, (n,).
    joint_kinds: "revolute" or "prismatic", (n,).
    t: time, (N,), s.
    q: positions, (N, n), rad or m.
    qd: velocities, (N, n), rad/s or m/s.
    tau: motor efforts applied from this instant on, (N, n), N m or N.
    reference: positions that the controller followed, (N, n), rad or m, if any.
    """

    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    tau: Array
    reference: Array | None = None

    def __len__(self) -> int:
        return len(self.t)

    @property
    def error(self) -> Array:
        """Tracking error q - reference, (N, n), rad or m; ValueError without a reference."""
        if self.reference is None:
            raise ValueError("this motion followed no reference: use a controller with a "
                             "trajectory")
        return self.q - self.reference

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .npz file, or a .csv file in the units of the arrays.

        Columns of the CSV file are time, <joint>.position, <joint>.velocity and <joint>.effort;
        `Waypoints.from_csv` reads it as a trajectory.
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
        """Load an .npz file that `save` has written."""
        with np.load(path) as data:
            arrays: dict[str, Any] = dict(data)
        for name in ("joint_names", "joint_kinds"):
            arrays[name] = tuple(arrays[name].tolist())
        return History(**arrays)

    def plot(self, path: str | os.PathLike[str] | None = None, title: str = "") -> Any:
        """Plot positions (with the reference, if any), velocities and efforts over time.

        Returns the matplotlib figure; with a path (.png, .svg, .pdf), also writes it there.
        """
        from .plotting import plot_history, save_figure

        figure = plot_history(self, title)
        if path is not None:
            save_figure(figure, path)
        return figure
