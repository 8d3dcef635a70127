"""Small tables for notebooks."""
from __future__ import annotations

from html import escape
from typing import Any, Iterable, Sequence


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """An HTML table with a caption."""
    def line(tag: str, cells: Iterable[Any]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return (f"<table><caption>{escape(title)}</caption><thead>{line('th', head)}</thead><tbody>"
            + "".join(line("td", row) for row in rows) + "</tbody></table>")
