#!/usr/bin/env python3
"""Writes lab/study/study_examples.c: the example models that plans know by name.

    python3 tools/examples.py [FILE]

A study runs wherever sonde is installed, so the documents are part of the library.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = ["bandit", "chaining", "grid", "grid5", "tmaze", "weights"]
HEAD = """/* study_examples.c: the example models that plans know by name.
 *
 * Written by tools/examples.py from examples/models/; change them there. */
#include "study/study_internal.h"

/* clang-format off */
"""
FOOT = """static const struct {
    const char *name;
    const char *const *line;
} list[] = {
%s};
/* clang-format on */
#define N_EXAMPLE ((int32_t)(sizeof list / sizeof *list))

const char *sonde__example_name(int32_t i) {
    return i < N_EXAMPLE ? list[i].name : NULL;
}

const char *const *sonde__example_lines(int32_t i) {
    return list[i].line;
}
"""


def quoted(line):
    """A line as a C string."""
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else ROOT / "lab/study/study_examples.c"
    text = HEAD
    for name in NAMES:
        document = (ROOT / "examples/models" / f"{name}.json").read_text(encoding="utf-8")
        lines = "".join(f"    {quoted(line)},\n" for line in document.splitlines())
        text += f"static const char *const {name}[] = {{\n{lines}    NULL}};\n\n"
    text += FOOT % "".join(f'    {{"{name}", {name}}},\n' for name in NAMES)
    pathlib.Path(target).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
