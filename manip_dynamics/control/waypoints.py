"""A trajectory through waypoints, from points like those of trajectory_msgs or a CSV file."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .trajectories import Motion, Trajectory

Array = np.ndarray

LARGEST_NUMBER = 1e9  # s, rad, m and their rates
SHORTEST_STEP = 1e-9  # s, the resolution of a ROS duration
LARGEST_CSV = 200_000_000  # bytes

QUANTITIES = ("positions", "velocities", "accelerations")


class Waypoints(Trajectory):
    """Interpolate waypoints by a cubic spline that starts and ends at rest.

    Given velocities, the motion between two points is cubic; given accelerations too, quintic.

    times: s, (N,), increasing; the first becomes t = 0.
    positions, velocities, accelerations: (N, n).
    """

    def __init__(self, times: Any, positions: Any, velocities: Any = None,
                 accelerations: Any = None) -> None:
        times = np.array(times, float)
        positions = np.array(positions, float)
        if times.ndim != 1 or len(times) < 2 or positions.shape[:1] != times.shape:
            raise ValueError("a trajectory needs two points or more, each with a time")
        if positions.ndim != 2:
            raise ValueError(f"positions must have shape ({len(times)}, n), "
                             f"not {positions.shape}")
        if accelerations is not None and velocities is None:
            raise ValueError("points with accelerations need velocities too")
        given = [positions]
        for name, values in (("velocities", velocities), ("accelerations", accelerations)):
            if values is not None:
                given.append(np.array(values, float))
                if given[-1].shape != positions.shape:
                    raise ValueError(f"{name} must have shape {positions.shape}, "
                                     f"not {given[-1].shape}")
        numbers = np.concatenate([times, *map(np.ravel, given)])
        if not np.isfinite(numbers).all():
            raise ValueError("the points contain NaN or infinity")
        if abs(numbers).max() > LARGEST_NUMBER:
            raise ValueError(f"the points contain numbers beyond {LARGEST_NUMBER:g}")
        late = np.diff(times) < SHORTEST_STEP
        if late.any():
            k = int(np.argmax(late)) + 1
            raise ValueError(f"times must increase: point {k} is at {times[k]:g} s, the previous "
                             f"one at {times[k - 1]:g} s; at least {SHORTEST_STEP:g} s apart")
        from scipy.interpolate import BPoly, CubicSpline  # here: importing it takes long

        times = times - times[0]
        self.n, self.duration = positions.shape[1], float(times[-1])
        self._curve = (CubicSpline(times, positions, bc_type="clamped") if len(given) == 1 else
                       BPoly.from_derivatives(times, np.stack(given, 1)))
        self._rate, self._acceleration = self._curve.derivative(), self._curve.derivative(2)

    def _motion(self, t: Array) -> Motion:
        return self._curve(t), self._rate(t), self._acceleration(t)

    @staticmethod
    def from_points(points: Iterable[Any], joint_names: Sequence[str],
                    point_names: Sequence[str] | None = None) -> Waypoints:
        """Read points like those of trajectory_msgs/JointTrajectory.

        points: mappings or objects with `positions`, `time_from_start` (s, or with sec and
            nanosec), and optionally `velocities` and `accelerations`.
        joint_names: the joint order of the result.
        point_names: the joint order of the points, if it differs.
        """
        points = list(points)
        order = _order(joint_names, point_names or joint_names)
        columns: list[Array | None] = []
        for name in QUANTITIES:
            rows = [_get(point, name) for point in points]
            if not any(len(row) for row in rows):
                columns.append(None)
                continue
            for k, row in enumerate(rows):
                if len(row) != len(point_names or joint_names):
                    raise ValueError(f"point {k} has {len(row)} {name} for "
                                     f"{len(point_names or joint_names)} joints")
            columns.append(np.array(rows, float)[:, order])
        times = [_seconds(_get(point, "time_from_start")) for point in points]
        return Waypoints(times, *columns)

    @staticmethod
    def from_csv(path: str | os.PathLike[str], joint_names: Sequence[str]) -> Waypoints:
        """Read a CSV file whose first line names its columns.

        Required: `time` (s) and, for every joint, `<joint>` or `<joint>.position`. Optional, for
        all joints or none: `<joint>.velocity`, `<joint>.acceleration`. Other columns are ignored.
        """
        header, table = _read_csv(path)
        cells = dict(zip(header, table.T))
        cells.update({f"{name}.position": cells[name] for name in joint_names if name in cells})
        missing = [name for name in ("time", *(f"{joint}.position" for joint in joint_names))
                   if name not in cells]
        if missing:
            raise ValueError(f"'{path}' has no column {', '.join(missing)}; the first line must "
                             "name the columns: time and the joints")
        columns = [
            np.column_stack([cells[f"{joint}.{quantity}"] for joint in joint_names])
            if all(f"{joint}.{quantity}" in cells for joint in joint_names) else None
            for quantity in ("position", "velocity", "acceleration")]
        return Waypoints(cells["time"], *columns)


def _read_csv(path: str | os.PathLike[str]) -> tuple[list[str], Array]:
    """Return the column names and the numbers (rows, columns)."""
    if (size := os.path.getsize(path)) > LARGEST_CSV:
        raise ValueError(f"'{path}' has {size:,} bytes; at most {LARGEST_CSV:,} are read")
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            header, *lines = [line for line in csv.reader(file) if line] or [[]]
    except (csv.Error, UnicodeError) as error:
        raise ValueError(f"'{path}' is not a CSV file: {error}") from None
    header = [name.strip() for name in header]
    for name in header:
        if name and header.count(name) > 1:
            raise ValueError(f"'{path}' has two columns called '{name}'")
    try:
        return header, np.array(lines, float).reshape(len(lines), len(header))
    except (ValueError, OverflowError):
        raise ValueError(f"'{path}' has cells that contain no numbers, or rows of unequal "
                         "length") from None


def _order(wanted: Sequence[str], given: Sequence[str]) -> list[int]:
    if sorted(wanted) != sorted(given):
        raise ValueError(f"the points are for joints {', '.join(given)}; "
                         f"the arm has {', '.join(wanted)}")
    return [list(given).index(name) for name in wanted]


def _get(point: Any, name: str) -> Any:
    value = point.get(name, ()) if isinstance(point, Mapping) else getattr(point, name, ())
    return () if value is None else value


def _seconds(time: Any) -> float:
    if hasattr(time, "sec"):
        return time.sec + 1e-9 * time.nanosec
    if isinstance(time, Mapping):
        return time.get("sec", 0) + 1e-9 * time.get("nanosec", 0)
    if np.ndim(time) != 0:
        raise ValueError("a point needs time_from_start")
    return float(time)
