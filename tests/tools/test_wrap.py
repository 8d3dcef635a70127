"""tools/wrap.py fills prose that is too wide, and leaves everything else alone."""
# once
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/wrap.py"
sys.path.insert(0, str(TOOL.parent))
import wrap  # noqa: E402

LONG = " ".join(f"word{i}" for i in range(40))


def lines_of(text):
    wrapped = wrap.wrapped(text)
    assert wrap.wrapped(wrapped) == wrapped
    assert wrap.complaints("page.md", wrapped) == []
    return wrapped.split("\n")


ALONE = {
    "table": f"| {LONG} |\n|---|\n| {LONG} |\n",
    "heading": f"# {LONG}\n",
    "fence": f"```\n{LONG}\n\n- {LONG}\n```\n",
    "fence in an item": f"1. one\n\n   ```\n   {LONG}\n   ```\n",
    "indented code": f"text\n\n    {LONG}\n",
    "indented code in an item": f"- one\n\n      {LONG}\n",
    "HTML": f"<p>{LONG}</p>\n",
    "quotation": f"> {LONG}\n",
    "definition": f"[x]: http://example.org/{'x' * 120}\n",
    "one word": "x" * 150 + "\n",
    "short lines": "these\nare short\n- as\n  is this\n",
}


@pytest.mark.parametrize("what", ALONE)
def test_what_is_no_prose_is_left_alone(what):
    assert "\n".join(lines_of(ALONE[what])) == ALONE[what]


def test_a_paragraph_is_filled():
    lines = lines_of(f"short\n\n{LONG}\n{LONG}\n\nshort\n")
    assert lines[:2] == ["short", ""] and lines[-3:] == ["", "short", ""]
    assert " ".join(lines[2:-3]) == f"{LONG} {LONG}"
    assert all(110 < len(line) <= 120 for line in lines[2:-4])


def test_items_of_lists_keep_their_depth():
    lines = lines_of(f"- {LONG}\n  - {LONG}\n\n    {LONG}\n12. {LONG}\n")
    assert max(map(len, lines)) <= 120
    starts = [line[:4] for line in lines if line]
    assert starts[:3] == ["- wo", "  wo", "  wo"] and starts[3:6] == ["  - ", "    ", "    "]
    assert starts[6:9] == ["    "] * 3 and starts[9:] == ["12. ", "    ", "    "]


@pytest.mark.parametrize("word", ["-", "+", "*", "1.", "2)", "#", ">", "=", "---", "|x|", "<p>"])
def test_no_line_begins_with_what_begins_something_else(word):
    for width in range(100, 125):
        lines = lines_of(f"{'x' * (width - 2)} y {word} {LONG}\n")
        assert not any(line.startswith(word) for line in lines)
        assert max(map(len, lines)) <= max(120, width - 2)


def test_code_and_links_are_not_torn_apart():
    for piece in "`some code here`", "[some words here](page.md)":
        for width in range(90, 125):
            assert piece in "\n".join(lines_of(f"{'x' * width} {piece}, {LONG}\n"))


def test_files_are_rewritten_or_checked(tmp_path):
    page, text = tmp_path / "page.md", f"short\n\nshort, too\n{LONG}\n"
    page.write_text(text)
    done = subprocess.run([TOOL, "--check", page], capture_output=True, text=True, timeout=60)
    assert (done.returncode, page.read_text()) == (1, text)
    assert done.stderr == f"{page}:4: more than 120 columns; run tools/wrap.py {page}\n"
    assert subprocess.run([TOOL, page], timeout=60).returncode == 0
    assert page.read_text() == wrap.wrapped(text) != text
    assert subprocess.run([TOOL, "--check", page], timeout=60).returncode == 0
