"""What a newcomer has: the README, and the URDF of an arm."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """Return the one code block of a language in which something is written."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (found,) = (text for text in blocks if containing in text)
    return found


def command(beginning: str) -> list[str]:
    """Return the words of the one command that begins so; what follows a # is a remark."""
    lines = [line for line in README.splitlines() if line.startswith(beginning)]
    (found,) = lines
    return shlex.split(found, comments=True)
