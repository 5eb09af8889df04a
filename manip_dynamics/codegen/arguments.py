"""Convert what users pass to what kernels and algorithms take; errors name the argument."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from .trace import flatten

Array = np.ndarray

SMALLEST_SHARE = 64  # states: fewer are not worth a thread


def states(lengths: dict[str, int], names: Sequence[str], **values: Any) -> list[Array]:
    """Arguments as float64 arrays in C order, all (length,) or all (N, length), and finite.

    lengths: entries of each argument per state; names: of the joints. Every argument except a
    wrench has one entry per joint.
    """
    arrays: list[Array] = []
    for name, value in values.items():
        array = _numbers(name, value)
        length = lengths[name]
        if array.ndim not in (1, 2) or array.shape[-1] != length:
            raise ValueError(f"{name} must have shape ({length},) or (N, {length}), "
                             f"not {array.shape}")
        if arrays and array.shape[:-1] != arrays[0].shape[:-1]:
            raise ValueError(f"{name} has shape {array.shape}, which does not fit "
                             f"{next(iter(values))} with shape {arrays[0].shape}")
        if not np.isfinite(array).all():
            raise ValueError(_not_finite(name, array, names))
        arrays.append(array)
    return arrays


def _numbers(name: str, value: Any) -> Array:
    try:
        given = np.asarray(value)
        if given.dtype.kind == "c":  # numpy would drop the imaginary part
            raise TypeError("it is complex")
        array = np.asarray(given, dtype=float, order="C")
        return array if array.flags.aligned else array.copy()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error


def _not_finite(name: str, array: Array, names: Sequence[str]) -> str:
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
    entry = (f"{name}[{index[-1]}]" if name == "tip_wrench"
             else f"{name} of joint '{names[index[-1]]}'")
    state = f" in state {index[0]}" if array.ndim == 2 else ""
    return f"{entry}{state} is {array[index]}: numbers must be finite"


def result_array(out: Array | None, shape: tuple[int, ...], inputs: Sequence[Array]) -> Array:
    """Where a kernel writes: `out` itself if possible, else an array to be copied to it."""
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.shape != shape:
        raise ValueError(f"out must be an array of shape {shape}, not "
                         f"{getattr(out, 'shape', type(out).__name__)}")
    if not np.can_cast(float, out.dtype, "same_kind"):
        raise ValueError(f"out must be an array of float64, not {out.dtype}")
    if not out.flags.writeable:
        raise ValueError("out must be writeable")
    plain = type(out) is np.ndarray and out.dtype == float and out.flags.carray
    if plain and not any(np.may_share_memory(out, array) for array in inputs):
        return out
    return np.empty(shape)


def run(kernel: Callable[..., Array], inputs: Sequence[Array], shape: tuple[int, ...],
        out: Array | None, threads: int) -> Array:
    """Run a kernel on states; `shape` is that of one result. Threads may share a batch."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ValueError(f"threads must be a whole number from 1 on, not {threads!r}")
    batch = inputs[0].shape[:-1]
    target = result_array(out, (*batch, *shape), inputs)
    shares = min(int(threads), target.shape[0] // SMALLEST_SHARE) if batch else 1
    if shares <= 1:
        kernel(*inputs, out=target)
    else:
        bounds = np.linspace(0, batch[0], shares + 1).astype(int)
        parts = [slice(*pair) for pair in zip(bounds, bounds[1:])]
        tasks = [_pool().submit(kernel, *(array[part] for array in inputs), out=target[part])
                 for part in parts[1:]]
        kernel(*(array[parts[0]] for array in inputs), out=target[parts[0]])
        for task in tasks:
            task.result()
    if out is None or target is out:
        return target
    out[...] = target
    return out


def evaluated(function: Callable[..., Any], inputs: Sequence[Array],
              shape: tuple[int, ...]) -> Array:
    """Evaluate a generic algorithm: each entry of a state is one scalar, float or array."""
    batch = inputs[0].shape[:-1]
    columns = [list(array.T) if batch else array.tolist() for array in inputs]
    return stacked(function(*columns), batch, shape)


def stacked(results: Any, batch: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """The nested results of a generic algorithm as one array (*batch, *shape)."""
    entries = [np.broadcast_to(entry, batch) for entry in flatten(results)]
    return np.stack(entries, -1).reshape((*batch, *shape))


def last_axes_first(array: Array, batch_axes: int) -> Any:
    """Nested lists of scalars: floats, or arrays over the batch."""
    if not batch_axes:
        return array.tolist()
    moved = np.moveaxis(array, 0, -1)
    return [list(row) for row in moved] if moved.ndim == 3 else list(moved)


def copied(result: Array, out: Array | None) -> Array:
    """The result, copied to `out` if that is given."""
    if out is None:
        return result
    target = result_array(out, result.shape, ())
    target[...] = result
    if target is not out:
        out[...] = target
    return out


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="manip_dynamics")


# A forked process inherits the pool but not its threads, and would wait for them forever.
os.register_at_fork(after_in_child=_pool.cache_clear)
