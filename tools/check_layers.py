#!/usr/bin/env python3
"""Checks that the house is in order: who may include whom, and what may be used where.

Folders of src/ are stages, in the order of src/LAYERS, and data walks through them once.
A stage includes itself and earlier stages; another stage's *_internal.h it leaves alone.
Memory, threads, SQLite and MPI have one place each; the library never prints or exits.
The command line, the Python package and the examples know sonde.h and nothing else of it.

    tools/check_layers.py [--root FOLDER]    prints file:line: what is wrong, and fails
"""
import argparse
import os
import re
import sys
from pathlib import Path

# what is looked at
FOLDERS = {
    "src": (".c", ".h"),
    "cli": (".c", ".h"),
    "examples": (".c", ".h"),
    "python": (".c", ".h", ".py", ".pyx"),
}

# what may be used in one place only: (what, pattern of code, where it is allowed)
HOMES = [
    ("memory is asked for and given back",
     re.compile(r"(?<![\w.>])((?:m|c|re|aligned_)alloc|free|posix_memalign|strn?dup)\s*\("),
     "src/base/memory.c"),
    ("threads are used",
     re.compile(r"\b((?:pthread|thrd|mtx|cnd)_\w+)"),
     "src/base/parallel.c"),
]

# headers with one home: (header, file or folder that may include it)
HEADERS = [
    ("pthread.h", "src/base/parallel.c"),
    ("threads.h", "src/base/parallel.c"),
    ("sqlite3.h", "src/study/"),
    ("mpi.h", "cli/mpi.c"),
]

# what the library never does
FORBIDDEN = re.compile(
    r"(?<![\w.>])(?:v?printf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort)\s*\("
    r"|\b(?:stdout|stderr)\b")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def code_lines(text):
    """The lines of a C file with comments and texts blanked, includes kept as they are."""
    def blank(match):
        found = match.group()
        if found[0] != "/":
            start = text.rfind("\n", 0, match.start()) + 1
            return found if INCLUDE.match(text[start:match.end()]) else '""'
        return "\n" * found.count("\n") or " "
    return COMMENT_OR_TEXT.sub(blank, text).split("\n")


def read_stages(root, complain):
    """The stages of src/LAYERS with their places."""
    stages = (root / "src/LAYERS").read_text().split()
    for stage in sorted(set(stages)):
        if stages.count(stage) > 1:
            complain("src/LAYERS", 0, f"stage {stage} is listed more than once")
    return {stage: stages.index(stage) for stage in stages}


def included(root, path, name):
    """The file of the project that an include names, relative to root, or None."""
    for folder in (path.parent, root / "src", root / "include"):
        target = Path(os.path.normpath(folder / name))
        if target.is_file() and target.is_relative_to(root):
            return target.relative_to(root)
    return None


def check_include_in_library(stages, own, target):
    """What is wrong with a file of stage `own` including the project's file `target`, or None."""
    if target.as_posix() == "include/sonde.h":
        return None
    stage = target.parts[1] if target.parts[0] == "src" else None
    if stage not in stages:
        return f"includes {target}, which is no part of the library"
    if stages[stage] > stages[own]:
        return f"stage {own} includes {target} of the later stage {stage}"
    if stage != own and target.name.endswith("_internal.h"):
        return f"stage {own} includes {target}, which is private to {stage}"
    return None


def check_include_outside(folder, target):
    """What is wrong with a file of cli/, python/ or examples/ including `target`, or None."""
    if target.as_posix() == "include/sonde.h" or target.parts[0] == folder:
        return None
    return f"{folder}/ includes {target}; of the library it may know sonde.h alone"


def check_file(root, path, stages, complain):
    """Complains about everything that is wrong with one file."""
    place = path.relative_to(root)
    folder = place.parts[0]
    in_library = folder == "src"
    own = place.parts[1] if in_library else None
    if in_library and (len(place.parts) != 3 or own not in stages):
        complain(place, 0, "lies in no folder that src/LAYERS lists")
        return

    text = path.read_text()
    lines = code_lines(text) if path.suffix in (".c", ".h") else text.split("\n")
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            name = match.group(2)
            for header, home in HEADERS:
                if name == header and not place.as_posix().startswith(home):
                    complain(place, number, f"{header} is for {home} alone")
            target = included(root, path, name)
            wrong = target and (check_include_in_library(stages, own, target) if in_library
                                else check_include_outside(folder, target))
            if wrong:
                complain(place, number, wrong)
        elif in_library:
            for what, pattern, home in HOMES:
                found = pattern.search(line)
                if found and place.as_posix() != home:
                    complain(place, number, f"{found.group(1)}: {what} in {home} alone")
            found = FORBIDDEN.search(line)
            if found:
                complain(place, number,
                         f"{found.group().rstrip('( ')}: the library does not print or exit")


def check(root):
    """Everything that is wrong under root, as sentences."""
    complaints = []

    def complain(place, line, sentence):
        complaints.append(f"{place}:{line}: {sentence}" if line else f"{place}: {sentence}")

    stages = read_stages(root, complain)
    for folder, endings in FOLDERS.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in endings and "build" not in path.relative_to(root).parts:
                check_file(root, path, stages, complain)
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    complaints = check(parser.parse_args().root.resolve())
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
