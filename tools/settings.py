"""Writes python/sonde/_settings.py from the library's table of settings.

    PYTHON tools/settings.py           writes the file
    PYTHON tools/settings.py --check   says whether the file is current, and writes nothing

PYTHON is one in which the sonde package of this tree is installed.
"""
import sys
import textwrap
from pathlib import Path

from sonde import _sonde

TARGET = Path(__file__).resolve().parent.parent / "python" / "sonde" / "_settings.py"

# what is done as the paper's notebook does it, which is no row of the table
PAPER = [
    {"key": "semantics", "type": "str", "choices": ["text", "notebook"], "default": "text",
     "searches": ["cluster", "surrogate", "tree"], "kinds": 1,
     "help": "the paper's text, or the authors' notebook"},
    {"key": "differences", "type": "Sequence[str]", "choices": _sonde.names("difference"),
     "searches": ["cluster", "surrogate", "tree"], "kinds": 1,
     "help": "do only these things as the notebook does"},
    {"key": "k_before", "type": "int", "searches": ["cluster", "surrogate", "tree"], "kinds": 1,
     "help": "k of the run before, for the difference lag"},
]


# what may be a function of your own: its type, and what it is
OWN = {"search": ("Search", "a generator function of your own (sonde.Space)"),
       "embedding": ("Rows", "a function of your own from policies to rows (sonde.embed)")}


def annotation(row):
    """`int | str | None`: a number may have a word for 0, and None says nothing."""
    also = " | str" if row.get("zero") else f" | {OWN[row['key']][0]}" if row["key"] in OWN else ""
    return f"{row['type']}{also} | None"


def head(row):
    """`probe : {"center", "sample"}, default "center"`"""
    if row.get("choices"):
        kind = "{" + ", ".join(f'"{name}"' for name in row["choices"]) + "}"
        kind = f"list of {kind}" if row["type"] == "Sequence[str]" else kind
        kind += " or callable" if row["key"] in OWN else ""
    else:
        kind = row["type"] + (f' or "{row["zero"]}"' if row.get("zero") else "")
    default = row.get("default")
    if default is None:
        return f"{row['key']} : {kind}"
    quoted = f'"{default}"' if row.get("choices") else {"false": "False"}.get(default, default)
    return f"{row['key']} : {kind}, default {quoted}"


def text(row):
    """The sentence of help, the unit, and who uses it."""
    words = row["help"][0].upper() + row["help"][1:]
    words += f", in {row['unit']}" if row.get("unit") and row["type"] == "float" else ""
    notes = []
    if row["key"] in OWN:
        words += f"; or {OWN[row['key']][1]}"
    if row["searches"]:
        notes.append("search " + ", ".join(row["searches"]))
    if row["kinds"]:
        notes.append("graph worlds" if row["kinds"] == 1 else "general models")
    return words + ("." if not notes else f" ({'; '.join(notes)}).")


def wrapped(line, indent):
    return textwrap.fill(line, 100, initial_indent=indent, subsequent_indent=indent + "    ",
                         break_long_words=False, break_on_hyphens=False)


def module():
    """The whole file."""
    rows = [*_sonde.settings_table(), *PAPER]
    lines = ['"""The settings of a search: what the library\'s table says of them.',
             "",
             "Written by tools/settings.py; a test says whether it is current.",
             '"""',
             "from __future__ import annotations",
             "",
             "from collections.abc import Sequence",
             "from typing import TYPE_CHECKING, TypedDict",
             "",
             "if TYPE_CHECKING:",
             "    from ._own import Rows, Search",
             "",
             "",
             "class SearchSettings(TypedDict, total=False):",
             '    """What plan, simulate and Agent may be told about a search; all of it optional.',
             "",
             "    Parameters",
             "    ----------"]
    for row in rows:
        lines.append(wrapped(head(row), "    "))
        lines.append(textwrap.fill(text(row), 100, initial_indent=" " * 8,
                                   subsequent_indent=" " * 8))
    lines += ['    """', ""]
    lines += [f"    {row['key']}: {annotation(row)}" for row in rows]
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--check"]:
        if TARGET.read_text() != module():
            sys.exit(f"{TARGET} is not what the table says; run tools/settings.py")
        return
    TARGET.write_text(module())


if __name__ == "__main__":
    main()
