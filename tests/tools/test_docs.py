"""The pages that tools/docs.py writes for the site are complete."""
# once
import importlib.util
import json
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = sorted(path.name for path in (ROOT / "include").glob("*.h"))
spec = importlib.util.spec_from_file_location("docs", ROOT / "tools/docs.py")
docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs)


@pytest.mark.parametrize("header", HEADERS)
def test_the_reference_has_a_heading_for_every_function_and_every_type(header):
    text = (ROOT / "include" / header).read_text()
    headings = " ".join(line for line in docs.reference(header).splitlines()
                        if line.startswith("### "))
    functions = re.findall(r"^SONDE_API [^;(]*?\b(sonde_\w+)\(", text, re.M)
    types = re.findall(r"^\} (sonde_\w+);", text, re.M)
    assert len(functions) > 2 and types
    assert set(functions + types) <= set(re.findall(r"`(\w+)`", headings))


@pytest.mark.parametrize("header", HEADERS)
def test_the_reference_leaves_out_no_word_of_the_header(header):
    page = set(re.findall(r"\w+", docs.reference(header).replace("\\", "")))
    assert set(re.findall(r"\w+", (ROOT / "include" / header).read_text())) <= page


def test_a_notebook_is_shown_with_what_its_cells_print_draw_and_return(tmp_path):
    pytest.importorskip("matplotlib")
    cells = [("markdown", "# A title"), ("code", "print('printed')\n6 * 7"), ("code", "8 * 9;"),
             ("code", "from matplotlib import pyplot\npyplot.plot([1, 2]);")]
    source = tmp_path / "small.ipynb"
    source.write_text(json.dumps({"cells": [{"cell_type": kind, "source": [text]}
                                            for kind, text in cells]}))
    (tmp_path / "site/examples/notebooks").mkdir(parents=True)
    docs.notebook(source, sys.executable, tmp_path / "site", tmp_path / "work")
    page = (tmp_path / "site/examples/notebooks/small.md").read_text()
    assert page.startswith("# A title") and "```text\nprinted\n42\n```" in page
    assert "72" not in page
    picture = re.search(r"!\[.*\]\((small-3-0.png)\)", page)[1]
    assert (tmp_path / "site/examples/notebooks" / picture).read_bytes()[1:4] == b"PNG"
