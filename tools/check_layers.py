#!/usr/bin/env python3
"""Checks that the house is in order: who may include whom, and what may be used where.

Folders of src/ are stages, in the order of src/LAYERS, and data walks through them once; those of
lab/ are, in the order of lab/LAYERS. A stage includes itself and earlier stages; another stage's
*_internal.h it leaves alone. Of src/ the laboratory knows base/, and the headers of include/.
Memory, threads, SQLite and MPI have one place each, and the horizon is read from policies, not
from their model; the libraries never print or exit. What one
search is, its table says: nobody else asks for one by its enumerator.
The command line, the Python package and the examples know the headers of include/ alone; one file
of the command reads JSON as the libraries do. jansson's own reader and json_dumps, which do not
survive memory that is refused, are used nowhere.
A type between our own files has one definition in all of src/ and lab/.

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
    "lab": (".c", ".h"),
    "cli": (".c", ".h"),
    "web": (".c",),
    "examples": (".c", ".h"),
    "python": (".c", ".h", ".py", ".pyx"),
}

# what may be used in some places only: (what, pattern of code, files and folders that may)
HOMES = [
    ("memory is asked for and given back",
     re.compile(r"(?<![\w.>])((?:m|c|re|aligned_)alloc|free|posix_memalign|strn?dup)\s*\("),
     ("src/base/memory.c",)),
    ("threads are used",
     re.compile(r"\b((?:pthread|thrd|mtx|cnd)_\w+)"),
     ("src/base/parallel.c",)),
    ("the horizon is that of policies; a model's, which they may have, is read",
     re.compile(r"\b(model->horizon)\b"),
     ("src/model/", "src/policy/", "src/document/document_about.c")),
]

# a search by its enumerator, but for a program's own, which is in no table; and their table
SEARCH = re.compile(r"\b(SONDE_SEARCH_(?!OWN)[A-Z]+)\b")
NAME_SEARCHES = ("src/search/search.c",)

# headers with one home: (header, file or folder that may include it)
HEADERS = [
    ("pthread.h", "src/base/parallel.c"),
    ("threads.h", "src/base/parallel.c"),
    ("sqlite3.h", "lab/study/study_sqlite.c"),
    ("mpi.h", "cli/mpi.c"),
]

# what one file outside of the libraries may know of them besides
KNOWN = {"cli/document.c": "src/base/json.h"}

# what nobody uses: jansson's reader, and its writer of whole texts
READER = re.compile(r"\b(json_load\w*|json_dump[sb])\s*\(")

# the folders that are libraries, and the public header of each
LIBRARIES = {"src": "include/sonde.h", "lab": "include/sonde_lab.h"}
# what the laboratory may know of the library
SHARED = "base"

# what the libraries never do
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


def read_stages(root, folder, complain):
    """The stages of a library with their places; none where there is no such library."""
    layers = root / folder / "LAYERS"
    stages = layers.read_text().split() if layers.is_file() else []
    for stage in sorted(set(stages)):
        if stages.count(stage) > 1:
            complain(f"{folder}/LAYERS", 0, f"stage {stage} is listed more than once")
    return {stage: stages.index(stage) for stage in stages}


def included(root, path, name):
    """The file of the project that an include names, relative to root, or None."""
    for folder in (path.parent, root / "src", root / "lab", root / "include"):
        target = Path(os.path.normpath(folder / name))
        if target.is_file() and target.is_relative_to(root):
            return target.relative_to(root)
    return None


def is_public(target, folder):
    """Whether a file is a public header for `folder`: that of the laboratory is none for src/."""
    laboratory = target.as_posix() == LIBRARIES["lab"]
    return target.parts[0] == "include" and (folder != "src" or not laboratory)


def check_include_in_library(stages, folder, own, target):
    """What is wrong with a file of a library's stage including the project's file `target`."""
    if is_public(target, folder):
        return None
    stage = target.parts[1] if target.parts[0] in LIBRARIES and len(target.parts) > 2 else None
    if folder == "lab" and target.parts[0] == "src":
        if stage != SHARED:
            return f"lab/ includes {target}; of src/ it may know {SHARED}/ alone"
        own, folder = None, "src"
    elif target.parts[0] != folder or stage not in stages[folder]:
        return f"includes {target}, which is no part of the library"
    elif stages[folder][stage] > stages[folder][own]:
        return f"stage {own} includes {target} of the later stage {stage}"
    if stage != own and target.name.endswith("_internal.h"):
        return f"stage {own or 'of lab/'} includes {target}, which is private to {stage}"
    return None


def check_include_outside(place, folder, target):
    """What is wrong with a file of cli/, python/ or examples/ including `target`, or None."""
    if is_public(target, folder) or target.parts[0] == folder or \
            KNOWN.get(place.as_posix()) == target.as_posix():
        return None
    return f"{folder}/ includes {target}; it may know the headers of include/ alone"


TYPE = re.compile(r"^\}\s*(sonde__\w+);"
                  r"|^typedef\b[^;{]*?(?:\(\*)?\b(sonde__\w+)\)?\s*(?:\([^;]*\))?;"
                  r"|\b(?:struct|enum|union)\s+(sonde__\w+)\s*\{", re.M)


def check_types(root, complain):
    """Complains about every type sonde__NAME that is defined in more than one place."""
    places = {}
    for folder in LIBRARIES:
        for path in sorted((root / folder).rglob("*.[ch]")):
            text = "\n".join(code_lines(path.read_text()))
            for match in TYPE.finditer(text):
                name = next(group for group in match.groups() if group)
                if re.fullmatch(rf"typedef\s+\w+\s+{name}\s+{name};", match.group()):
                    continue  # told that there is one, not what it is
                line = text.count("\n", 0, match.end()) + 1
                places.setdefault(name, {})[path.relative_to(root)] = line
    for name, found in sorted(places.items()):
        first, *others = found
        for place in others:
            complain(place, found[place], f"{name} is a type of {first}, too")


def check_file(root, path, stages, complain):
    """Complains about everything that is wrong with one file."""
    place = path.relative_to(root)
    folder = place.parts[0]
    in_library = folder in LIBRARIES
    own = place.parts[1] if in_library else None
    if in_library and (len(place.parts) != 3 or own not in stages[folder]):
        complain(place, 0, f"lies in no folder that {folder}/LAYERS lists")
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
            wrong = target and (check_include_in_library(stages, folder, own, target) if in_library
                                else check_include_outside(place, folder, target))
            if wrong:
                complain(place, number, wrong)
        found = SEARCH.search(line)
        if found and path.suffix in (".c", ".h") and folder != "examples" and \
                not place.as_posix().startswith(NAME_SEARCHES):
            complain(place, number, f"{found.group(1)}: one search is named in "
                                    f"{NAME_SEARCHES[0]} alone; ask for what it does")
        found = READER.search(line)
        if found:
            complain(place, number,
                     f"{found.group(1)}: JSON is read and written by src/base/json.h alone")
        if in_library and not match:
            for what, pattern, homes in HOMES:
                found = pattern.search(line)
                if found and not place.as_posix().startswith(homes):
                    complain(place, number, f"{found.group(1)}: {what} in {', '.join(homes)} alone")
            found = FORBIDDEN.search(line)
            if found:
                complain(place, number,
                         f"{found.group().rstrip('( ')}: the library does not print or exit")


def check(root):
    """Everything that is wrong under root, as sentences."""
    complaints = []

    def complain(place, line, sentence):
        complaints.append(f"{place}:{line}: {sentence}" if line else f"{place}: {sentence}")

    stages = {folder: read_stages(root, folder, complain) for folder in LIBRARIES}
    for folder, endings in FOLDERS.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in endings and "build" not in path.relative_to(root).parts:
                check_file(root, path, stages, complain)
    check_types(root, complain)
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
