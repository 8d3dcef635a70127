#!/usr/bin/env python3
"""Checks that what the pages about the code name exists: files, functions, types and options.

    tools/check_names.py [--root FOLDER]    prints page:line: what is missing, and fails

It looks at everything between backticks in CONTRIBUTING.md, docs/walk.md and docs/decisions/*.md,
code that is set apart left out. A name with a placeholder in capitals (`cmd_NAME.c`) stands for any
that fits, and so does one that ends in … or *.
"""
import argparse
import re
import sys
from pathlib import Path

PAGES = ["CONTRIBUTING.md", "docs/walk.md", "docs/decisions/*.md"]
FOLDERS = ["include", "src", "lab", "cli", "python", "tests", "tools", "bench", "examples", "fuzz",
           "campaign", "cmake", "docs", "web"]
SOURCES = {".c", ".h", ".py", ".sh", ".cmake", ".json", ".txt", ".md", ".pyi", ".case", ""}
# the names of things that a recipe in docs/walk.md makes up
RECIPES = re.compile(r"changes")

FILE = re.compile(r"[\w./*-]+\.(?:cmake|case|json|txt|pc|py|sh|md|c|h)\b|(?:[\w.-]+/)+[\w*.-]*")
NAME = re.compile(r"(?:sonde|SONDE)_\w+\*?")
OPTION = re.compile(r"--[a-z][a-zA-Z-]*")
TARGET = re.compile(r"make ([a-z]+)")
VERB = re.compile(r"sonde ([a-z]+)")


def quoted(text):
    """What stands between backticks, as (line, words)."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            for match in re.finditer(r"`([^`]+)`", line):
                yield number, match.group(1)


class Project:
    """What there is to name."""

    def __init__(self, root):
        self.root = root
        paths = [path for folder in FOLDERS for path in (root / folder).rglob("*")
                 if "build" not in path.parts and "__pycache__" not in path.parts]
        paths += [path for path in root.iterdir() if path.name not in ("build", ".git")]
        self.files = {path.relative_to(root).as_posix() + ("/" if path.is_dir() else "")
                      for path in paths}
        texts = {path: path.read_text(errors="replace") for path in paths
                 if path.is_file() and path.suffix in SOURCES and path.suffix != ".md"}
        code = "\n".join(text for path, text in texts.items() if path.suffix in (".c", ".h"))
        self.words = set(re.findall(r"\w+", code))
        scripts = "\n".join(text for path, text in texts.items() if path.suffix not in (".c", ".h"))
        self.options = set(re.findall(r"--[a-z][a-zA-Z-]*", scripts))
        self.options |= {f"--{name}" for path, text in texts.items()
                         if path.suffix in (".c", ".h")
                         for name in re.findall(r'"([a-z][a-zA-Z-]*)"', text)}
        makefile = root / "Makefile"
        self.targets = set(re.findall(r"^([a-z]+):", makefile.read_text(), flags=re.M)
                           if makefile.is_file() else [])
        self.verbs = {path.stem[4:] for path in (root / "cli").glob("cmd_*.c")} | {"help"}

    def has_file(self, name):
        wild = re.sub(r"\\\*|[A-Z]{4,}", r"[^/]*", re.escape(name))
        pattern = re.compile(f"(?:.*/)?{wild}$")
        return {name, name + "/"} & self.files or any(pattern.match(path) for path in self.files)

    def has_name(self, name):
        if name.endswith(("*", "_")) or "NOUN" in name:
            beginning = re.split(r"\*|NOUN", name)[0]
            return any(word.startswith(beginning) for word in self.words)
        return name in self.words


def missing(project, words):
    """What is named in some words and is not there, as sentences."""
    words = words.replace("…", "*")
    if RECIPES.search(words):
        return
    for name in FILE.findall(words):
        plain = re.sub(r"^(?:\.\./)+|^\./", "", name)
        if not name.startswith(("/", "http", "build/")) and not project.has_file(plain):
            yield f"there is no file {name}"
    for name in NAME.findall(words):
        if not project.has_name(name):
            yield f"there is no {name} in the code"
    for name in OPTION.findall(words):
        if name not in project.options:
            yield f"there is no option {name}"
    for pattern, known, what in ((TARGET, project.targets, "make"), (VERB, project.verbs, "sonde")):
        found = pattern.match(words)
        if found and found.group(1) not in known:
            yield f"there is no {what} {found.group(1)}"


def check(root):
    project = Project(root)
    return [f"{page.relative_to(root)}:{line}: {sentence}"
            for pattern in PAGES for page in sorted(root.glob(pattern))
            for line, words in quoted(page.read_text())
            for sentence in missing(project, words)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    complaints = check(parser.parse_args().root.resolve())
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
