"""Text tables for a terminal: every column as wide as its widest cell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def text_table(
    rows: Iterable[Sequence[object] | str], left: Collection[int] = (0,), number: str = ".4g",
    indent: str = "",
) -> str:
    """Lay out rows of equal length in columns, two spaces apart.

    rows: cells of text or numbers. A string in place of a row is a line of its own.
    left: the columns aligned to the left; all others are aligned to the right.
    number: the format of floats.
    """
    cells = [row if isinstance(row, str) else [
        f"{cell:{number}}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in rows]
    widths = [max(map(len, column))
              for column in zip(*(row for row in cells if not isinstance(row, str)))]
    lines = [row if isinstance(row, str) else indent + "  ".join(
        cell.ljust(width) if i in left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths)))
        for row in cells]
    return "\n".join(line.rstrip() for line in lines)
