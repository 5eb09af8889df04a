"""Where the robots that come with the package are."""

from __future__ import annotations

from pathlib import Path

from .errors import ModelError


def share_directory() -> Path:
    """The folder with urdf/, config/ and launch/: the source tree, or the installed share."""
    for parent in Path(__file__).resolve().parents:
        if (parent / "package.xml").is_file() and (parent / "urdf").is_dir():
            return parent
        share = parent / "share" / "manip_dynamics"
        if (share / "urdf").is_dir():
            return share
    raise ModelError("the bundled robots are not installed with this copy of manip_dynamics")


def bundled_robots() -> tuple[str, ...]:
    """Names of the bundled robots."""
    return tuple(sorted(path.stem for path in (share_directory() / "urdf").glob("*.urdf")))


def bundled_urdf(name: str) -> Path:
    return share_directory() / "urdf" / f"{name}.urdf"
