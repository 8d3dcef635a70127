"""The notebooks of examples/ run from top to bottom."""
import ast
import json
import os

import pytest
from conftest import ROOT

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


def show(value):
    """What a notebook does with the last value of a cell."""
    for name in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, name) and not hasattr(value, "savefig"):  # (figures are drawn)
            assert getattr(value, name)()
            return
    repr(value)


def run(source, names):
    """Runs a cell, and shows its last value if it is an expression without a semicolon."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        if value is not None and not source.rstrip().endswith(";"):
            show(value)
    else:
        exec(compile(tree, "cell", "exec"), names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["nbformat"] == 4
    names = {"__name__": "__main__"}
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            run("".join(cell["source"]), names)
    pyplot.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_the_notebook_shows_is_kept(path):
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
             if cell["cell_type"] == "code"]
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert len(outputs) >= 5, "tools/notebooks.py runs them"
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for output in outputs:
        assert output["output_type"] in ("stream", "execute_result", "display_data")
        assert set(output.get("data", {})) <= {"text/plain", "image/png", "image/svg+xml"}


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4 or not os.path.isdir(ROOT / "examples/notebooks")
