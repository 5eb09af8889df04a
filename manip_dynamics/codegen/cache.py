"""Compiled files in the user's cache directory, keyed by a hash of what they were built from.

A file is `<key>-<digest of its content>.so`. An atomic rename creates it, so it is complete or
absent; it is loaded only if the digest matches, we own it and nobody else can write it. Several
processes may build the same file at once; each succeeds and the last rename wins.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

SUFFIX = ".so"
KEY_LENGTH = 32
MOST_FILES = 256  # some 100 kB each
MOST_LINKS = 40  # the limit of the Linux kernel
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def find(key: str) -> Path | None:
    """The file for this key, if present and intact; a damaged one is removed."""
    for path in sorted(cache_folder().glob(f"{key}-*{SUFFIX}")):
        with suppress(OSError):  # another process may remove it at any time
            if _intact(path):
                os.utime(path)  # mark as used: the oldest are dropped first
                return path
            path.unlink()
    return None


def cached(key: str, build: Callable[[Path], None]) -> Path:
    """The file for this key; `build(path)` makes it if it is missing or damaged."""
    path = find(key)
    if path is not None:
        return path
    folder = cache_folder()
    descriptor, name = tempfile.mkstemp(dir=folder, prefix="building-", suffix=SUFFIX)
    os.close(descriptor)
    try:
        build(Path(name))
        os.chmod(name, 0o700)
        path = folder / f"{key}-{_digest(Path(name))}{SUFFIX}"
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)
    _drop_oldest(folder)
    return path


def is_shared() -> bool:
    """Whether other processes of this user see the same files."""
    return cache_folder() == _user_folder()


def _drop_oldest(folder: Path) -> None:
    """Keep the most recently used files. A process that has loaded another keeps it."""
    files = sorted(folder.glob(f"*{SUFFIX}"), key=_last_use)
    for path in files[:-MOST_FILES]:
        with suppress(OSError):
            path.unlink()


def _last_use(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process removed it
        return 0.0


def key_of(*parts: object) -> str:
    """A key from everything that the content depends on."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:KEY_LENGTH]


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/manip_dynamics`, or a private folder of this process if that is not safe."""
    folder = _user_folder()
    if folder is None:
        return _folder_of_this_process()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _only_ours(folder) and os.access(folder, os.W_OK | os.X_OK):
            return folder
    except OSError:  # no home, a read-only home, a file in the way
        pass
    return _folder_of_this_process()


def _user_folder() -> Path | None:
    """None if this user's home is unknown."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(home):  # XDG specification: ignore relative paths
        home = os.path.expanduser("~/.cache")
    return Path(home) / "manip_dynamics" if os.path.isabs(home) else None


@lru_cache(maxsize=1)
def _folder_of_this_process() -> Path:
    folder = tempfile.mkdtemp(prefix="manip_dynamics-")  # nobody else can enter it
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _only_ours(folder: Path) -> bool:
    """Nobody else can put a file there, neither directly nor by replacing a parent folder."""
    state = folder.stat()
    if state.st_uid != os.getuid() or state.st_mode & _OTHERS_WRITE:
        return False
    for parent in _folders_on_the_way(folder):
        state = parent.stat()
        if state.st_uid not in (0, os.getuid()):
            return False
        if state.st_mode & _OTHERS_WRITE and not state.st_mode & stat.S_ISVTX:
            return False
    return True


def _folders_on_the_way(path: Path) -> set[Path]:
    """Every folder in which resolving this path looks up a name, symbolic links included."""
    found: set[Path] = set()
    here, names = Path("/"), list(path.absolute().parts[1:])
    links = 0
    while names:
        found.add(here)
        step = here / names.pop(0)
        if step.is_symlink():
            links += 1
            if links > MOST_LINKS:
                raise OSError(f"too many symbolic links on the way to {path}")
            target = Path(os.readlink(step))
            names = [*target.parts[1:], *names] if target.is_absolute() else [*target.parts, *names]
            here = Path("/") if target.is_absolute() else here
        else:
            here = step.parent.parent if step.name == ".." else step
    return found


def _intact(path: Path) -> bool:
    state = path.lstat()
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.getuid():
        return False
    if state.st_mode & _OTHERS_WRITE:
        return False
    return path.stem.rpartition("-")[2] == _digest(path)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:KEY_LENGTH]
