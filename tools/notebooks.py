#!/usr/bin/env python3
"""Runs the notebooks of examples/ and keeps what they show, for readers who do not run them.

    tools/notebooks.py PYTHON [--check]

PYTHON has the package sonde and matplotlib. Outputs are text, PNG and SVG; a page of Sonde, which
carries d3, is never kept: its text stands for it. With --check nothing is written: it says which
notebooks have no outputs, or outputs of other kinds.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from docs import ROOT, RUNNER

KINDS = {"text/plain", "image/png", "image/svg+xml"}


def lines(text):
    """A text as notebooks keep it: a list of its lines."""
    return text.splitlines(keepends=True)


def outputs(shown, number):
    """What a cell showed, as a notebook keeps it."""
    kept = []
    if shown["text"]:
        kept.append({"name": "stdout", "output_type": "stream", "text": lines(shown["text"])})
    if shown["value"]:
        data = {"text/plain": lines(shown["value"])}
        if shown["html"].startswith("<svg") or shown["html"].startswith("<?xml"):
            data = {"image/svg+xml": lines(shown["html"]), **data}
        kept.append({"data": data, "execution_count": number, "metadata": {},
                     "output_type": "execute_result"})
    for drawn in shown["png"]:
        kept.append({"data": {"image/png": drawn + "\n", "text/plain": ["<Figure>"]},
                     "metadata": {}, "output_type": "display_data"})
    return kept


def run(path, python):
    document = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([python, "-c", RUNNER], cwd=work, check=True, text=True,
                              input=json.dumps(["".join(cell["source"]) for cell in code]),
                              stdout=subprocess.PIPE)
    for number, (cell, shown) in enumerate(zip(code, json.loads(done.stdout)), 1):
        cell["execution_count"] = number
        cell["outputs"] = outputs(shown, number)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def problems(path):
    """What is wrong with the outputs of a notebook."""
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
             if cell["cell_type"] == "code"]
    found = [] if any(cell["outputs"] for cell in cells) else ["has no outputs"]
    for cell in cells:
        for output in cell["outputs"]:
            if not set(output.get("data", {})) <= KINDS:
                found.append(f"has outputs of other kinds: {sorted(output['data'])}")
            if output["output_type"] == "error":
                found.append("has an error among its outputs")
    return found


def main():
    notebooks = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
    if "--check" in sys.argv:
        said = [f"{path.name}: {problem}" for path in notebooks for problem in problems(path)]
        print("\n".join(said))
        sys.exit(bool(said))
    for path in notebooks:
        run(path, pathlib.Path(sys.argv[1]).absolute())


if __name__ == "__main__":
    main()
