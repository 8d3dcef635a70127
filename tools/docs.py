#!/usr/bin/env python3
"""Writes the pages of the site: those of the project, the reference of C and of Python, notebooks.

    tools/docs.py FOLDER [PYTHON]

FOLDER gets a copy of the project's pages at their own places, so that links between them hold,
and beside them reference/sonde.md (from the comments of sonde.h) and sonde_lab.md,
reference/python.md and pymdp.md (docstrings, which Sphinx fills in), examples/ (programs, and
notebooks with what they print, run by PYTHON) and docs/conf.py. tools/docs.sh turns it into a
site.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "CITATION.cff",
         "python/README.md", "docs/*.md", "docs/decisions/*.md", "docs/images/*",
         "examples/models/*.md", "examples/models/*.py", "examples/learning/*.md",
         "examples/learning/*.py", "examples/learning/*.svg", "examples/fitting/*.py",
         "include/*.h", "lab/TEXTS"]


def put(folder, path, text):
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def title(path):
    """The first heading of a page."""
    return next(line[2:] for line in path.read_text().splitlines() if line.startswith("# "))


# ------------------------------------------------------------------------------ C, by its header --

def blocks(text):
    """A header as (comment, code) in order: a comment that begins a line, and what follows it."""
    parts = re.split(r"(?ms)^(/\*.*?\*/)[ ]*\n", text)
    found = [("", parts[0])]
    for comment, code in zip(parts[1::2], parts[2::2]):
        found.append((comment, code.strip("\n")))
    return found


def prose(comment):
    """The words of a comment as Markdown; what is indented stays as it is."""
    lines = re.sub(r"^/\*[ ]?|[ ]?\*/$", "", comment).splitlines()
    lines = [re.sub(r"^ \*[ ]?", "", line) for line in lines]
    escaped = [line if line.startswith("    ") else re.sub(r"([*_<>`\[\]|#])", r"\\\1", line)
               for line in lines]
    return "\n".join(escaped).strip("\n")


def declared(code):
    """The names that code declares for everybody."""
    names = re.findall(r"SONDE_API[^;(]*?\b(sonde_\w+)\s*\(", code)
    names += re.findall(r"^\} (sonde_\w+);", code, re.M)
    names += re.findall(r"^typedef struct (sonde_\w+) sonde_\w+;", code, re.M)
    names += re.findall(r"^#define (SONDE_\w+)", code, re.M)
    return list(dict.fromkeys(names))


def reference(header):
    """A page of everything in a header, under the names that it declares."""
    text = (ROOT / "include" / header).read_text()
    lines = [f"# {header}", ""]
    for comment, code in blocks(text):
        section = re.match(r"/\* -{5,} (.*) -- \*/", comment)
        if section:
            lines += [f"## {section[1]}", ""]
        names = declared(code)
        if names:
            lines += ["### " + ", ".join(f"`{name}`" for name in names), ""]
        if comment and not section:
            lines += [prose(comment), ""]
        if code.strip():
            lines += ["```c", code.strip("\n"), "```", ""]
    return "\n".join(lines)


# -------------------------------------------------------------------------------------- Python --

def python_reference(python, module):
    """Each public name, for Sphinx to fill in; functions first, then classes with their members."""
    ask = (f"import {module} as m, inspect, json; from sonde import *\n"
           "names = getattr(m, '__all__', [n for n in vars(m) if not n.startswith('_')"
           " and getattr(vars(m)[n], '__module__', '') == m.__name__])\n"
           "print(json.dumps([(n, inspect.isclass(getattr(m, n))) for n in names"
           " if not inspect.ismodule(getattr(m, n))]))")
    told = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout
    lines = [f"# {module}", "", "```{eval-rst}", f".. automodule:: {module}", "   :no-members:",
             "```", ""]
    for name, is_class in sorted(json.loads(told), key=lambda pair: (pair[1], pair[0])):
        lines += [f"## {name}", "", "```{eval-rst}",
                  f".. auto{'class' if is_class else 'function'}:: {module}.{name}",
                  *(["   :members:"] if is_class else []), "```", ""]
    return "\n".join(lines)


# ----------------------------------------------------------------------------------- notebooks --

# runs in a Python with sonde and matplotlib: cells on standard input, what they show on output
RUNNER = r"""
import ast, base64, contextlib, io, json, sys
import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
names, shown = {"__name__": "__main__"}, []
for source in json.load(sys.stdin):
    tree, said, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    cell = {"text": said.getvalue(), "value": "", "html": "", "png": []}
    one = value[0] if isinstance(value, (list, tuple)) and value else value
    plotted = "matplotlib" in type(one).__module__
    if value is not None and not source.rstrip().endswith(";") and not plotted:
        cell["value"] = repr(value)
        cell["html"] = next((getattr(value, kind)() for kind in ("_repr_svg_", "_repr_html_")
                             if hasattr(value, kind)), "")
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    if hasattr(one, "savefig") and one not in figures:  # of sonde.figures
        figures.append(one)
    for figure in figures:
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png", bbox_inches="tight")
        cell["png"].append(base64.b64encode(drawn.getvalue()).decode())
    pyplot.close("all")
    shown.append(cell)
json.dump(shown, sys.__stdout__)
"""


def shown_lines(cell, image):
    """What a cell showed, and its pictures as (name, bytes)."""
    lines, pictures = [], []
    text = cell["text"] + ("" if cell["html"] else cell["value"])
    if text.strip():
        lines += ["```text", text.strip("\n"), "```", ""]
    if cell["html"]:
        lines += ["```{raw} html", cell["html"], "```", ""]
    for number, drawn in enumerate(cell["png"]):
        name = f"{image}-{number}.png"
        pictures.append((name, base64.b64decode(drawn)))
        lines += [f"![what the cell draws]({name})", ""]
    return lines, pictures


def notebook(path, python, folder, work):
    """A notebook as a page, with what its cells show when they run from top to bottom."""
    cells = json.loads(path.read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    work.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([python, "-c", RUNNER], input=json.dumps(sources), check=True, text=True,
                          stdout=subprocess.PIPE, cwd=work)
    shown, lines = iter(json.loads(done.stdout)), []
    for number, cell in enumerate(cells):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            lines += [source, ""]
            continue
        more, pictures = shown_lines(next(shown), f"{path.stem}-{number}")
        lines += ["```python", source, "```", "", *more]
        for name, data in pictures:
            (folder / "examples/notebooks" / name).write_bytes(data)
    put(folder, f"examples/notebooks/{path.stem}.md", "\n".join(lines))


# --------------------------------------------------------------------------------------- pages --

def tree(caption, names):
    heading = [f":caption: {caption}"] if caption else [":hidden:"]
    return ["```{toctree}", *heading, ":maxdepth: 1", "", *names, "```", ""]


def copy_pages(folder):
    """The project's pages; a link to a folder leads to the page that lists it."""
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            target = folder / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix != ".md":
                shutil.copy(path, target)
                continue
            text = path.read_text()
            for link in re.findall(r"\]\(([^)#:]+)\)", text):
                place = (path.parent / link).resolve()
                if place.is_dir():
                    page = "README.md" if (place / "README.md").exists() else "index.md"
                    text = text.replace(f"]({link})", f"]({link.rstrip('/')}/{page})")
            target.write_text(text)


def write_lists(folder, python):
    decisions = folder / "docs/decisions/README.md"
    pages = [p.stem for p in sorted(decisions.parent.glob("*.md")) if p != decisions]
    decisions.write_text("\n".join([decisions.read_text(), *tree(None, pages)]))
    notebooks = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
    put(folder, "examples/notebooks/index.md", "\n".join(
        ["# Notebooks", "", "With what they show.", "",
         *tree(None, [path.stem for path in notebooks])]))
    for path in notebooks:
        notebook(path, python, folder, folder.parent / "work" / path.stem)
    programs = ["# Programs", ""]
    for path in sorted((ROOT / "examples").glob("*.c")):
        programs += [f"## {path.name}", "", "```c", path.read_text().rstrip(), "```", ""]
    put(folder, "examples/index.md", "\n".join(programs))


def main(folder, python=sys.executable):
    folder = pathlib.Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    copy_pages(folder)
    write_lists(folder, python)
    headers = sorted(path.name for path in (ROOT / "include").glob("*.h"))
    for header in headers:
        put(folder, f"reference/{header.replace('.h', '')}.md", reference(header))
    put(folder, "reference/python.md", python_reference(python, "sonde"))
    put(folder, "reference/pymdp.md", python_reference(python, "sonde.pymdp"))
    put(folder, "reference/env.md", python_reference(python, "sonde.env"))
    shutil.copy(ROOT / "docs/conf.py", folder)
    coming = ["docs/from-pymdp", "docs/from-spm"]
    guides = [f"docs/{path.stem}" for path in sorted((ROOT / "docs").glob("*.md"))]
    models = [f"examples/{place}/{path.stem}" for place in ("models", "learning")
              for path in sorted((ROOT / "examples" / place).glob("*.md"))]
    put(folder, "index.md", "\n".join([
        "```{include} README.md", "```", "",
        *tree("Begin", ["Sonde <README>", "python/README", *coming]),
        *tree("Pages", [page for page in guides if page not in coming] + ["docs/decisions/README"]),
        *tree("Reference", [*(f"reference/{header.replace('.h', '')}" for header in headers),
                            "reference/python", "reference/pymdp", "reference/env"]),
        *tree("Examples", ["examples/index", "examples/notebooks/index", *models]),
        *tree("The project", ["CONTRIBUTING", "CHANGELOG", "SECURITY"])]))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
