"""Update the tables in docs/benchmarks.md.

A section is enclosed by `<!-- bench: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .report import Table, as_markdown


def write_section(
    page: Path, name: str, tables: Sequence[Table], notes: Sequence[str] = ()
) -> None:
    """Replace the contents of a section."""
    begin, end = f"<!-- bench: {name} -->", "<!-- end -->"
    text = page.read_text(encoding="utf-8")
    pattern = re.compile(f"({re.escape(begin)}\n).*?({re.escape(end)})", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"{page} has no section between '{begin}' and '{end}'")
    parts = [as_markdown(table) for table in tables]
    body = "\n\n".join([*parts, "\n".join(f"- {note}" for note in notes)]).strip()
    text = pattern.sub(lambda match: f"{match[1]}\n{body}\n\n{match[2]}", text)
    page.write_text(text, encoding="utf-8")
