"""Writes the table of compiled quantities into docs/kernels.md, from codegen/quantities.py.

    script/run python docs/write_quantities.py

The table stands between `<!-- quantities -->` and `<!-- end -->`.
"""

import re
from pathlib import Path

from manip_dynamics.codegen.quantities import QUANTITIES

PAGE = Path(__file__).parent / "kernels.md"


def table() -> str:
    """The quantities as a Markdown table."""
    rows = ["| quantity | inputs | result | meaning | in the C export |", "|---|---|---|---|---|"]
    for quantity in QUANTITIES.values():
        inputs = ", ".join(f"`{name}`" for name in quantity.inputs)
        shape = "&nbsp;x&nbsp;".join(map(str, quantity.shape))
        exported = "yes" if quantity.exported else "on request"
        rows.append(f"| `{quantity.name}` | {inputs} | `{quantity.result}`: {shape} | "
                    f"{quantity.meaning} | {exported} |")
    return "\n".join(rows)


def with_table(page: str) -> str:
    """The text of the page with the table of today."""
    pattern = re.compile(r"(<!-- quantities -->\n).*?(<!-- end -->)", re.DOTALL)
    text, count = pattern.subn(lambda match: f"{match[1]}\n{table()}\n\n{match[2]}", page)
    if count != 1:
        raise ValueError(f"{PAGE.name} has no section for the quantities")
    return text


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
