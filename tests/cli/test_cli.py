"""Command lines with expected output and exit status, one file each in cases/.

A case file holds comment lines, the command (run by sh in a folder with copies of
tests/data/worlds, and of the documents of examples/models in models/) and what is expected:

    # a number is read whole or not at all
    $ sonde plan three.json --k 3x
    --- exit 2
    --- stdout
    --- stderr
    sonde plan: --k: expected a whole number from 1, found "3x"

Adding a case is adding a file with its comment and its command, and letting it fill itself in:

    export SONDE_COMMAND=build/sonde SONDE_TEST_DATA=tests/data
    /usr/bin/python3 tests/cli/test_cli.py --accept NAME...

which also rewrites what a change has made wrong (all cases, without names). Read the diff.
Seconds and versions are masked.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
CASES = sorted((HERE / "cases").glob("*.case"))
COMMAND = pathlib.Path(os.environ["SONDE_COMMAND"]).resolve()
WORLDS = pathlib.Path(os.environ["SONDE_TEST_DATA"]).resolve() / "worlds"
MODELS = HERE.parents[1] / "examples" / "models"

MASKS = [
    (re.compile(r"^(time: +).*", re.M), r"\1*"),
    (re.compile(r'("(?:setup_)?seconds": )[-+.e0-9]+'), r"\1*"),
    (re.compile(r'("sonde": )"[0-9.]+"'), r'\1"*"'),
    (re.compile(r"\bsonde [0-9]+\.[0-9]+\.[0-9]+"), "sonde *"),
    (re.compile(r"^((?:compiler|jansson|zlib|SQLite|MPI|page): ).+", re.M), r"\1*"),
]


def mask(text):
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def read(path):
    """The comment, the command, and what is expected (exit, stdout, stderr)."""
    parts = re.split(r"^--- (exit -?\d+|stdout|stderr)\n", path.read_text(), flags=re.M)
    opening = parts[0].splitlines()
    comment = [line for line in opening if line.startswith("#")]
    command = [line[2:] for line in opening if line.startswith("$ ")]
    sections = dict(zip((name.split()[0] for name in parts[1::2]), parts[2::2]))
    status = [int(name.split()[1]) for name in parts[1::2] if name.startswith("exit")]
    return comment, command, (status[0] if status else None, sections.get("stdout"),
                              sections.get("stderr"))


def run(command, folder):
    """Runs the lines of a command in a folder that has the worlds, and `sonde` on its path."""
    shutil.copytree(WORLDS, folder, dirs_exist_ok=True)
    shutil.copytree(MODELS, pathlib.Path(folder) / "models",
                    ignore=shutil.ignore_patterns("*.md", "*.py", "__pycache__"))
    tools = pathlib.Path(folder) / ".bin"
    tools.mkdir()
    (tools / "sonde").symlink_to(COMMAND)
    environment = dict(os.environ, LC_ALL="C", PATH=f"{tools}:{os.environ['PATH']}")
    done = subprocess.run(["sh", "-c", "\n".join(command)], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    return done.returncode, mask(done.stdout.decode()), mask(done.stderr.decode())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path, tmp_path):
    _, command, expected = read(path)
    assert run(command, tmp_path) == expected


def accept(path):
    comment, command, _ = read(path)
    with tempfile.TemporaryDirectory() as folder:
        status, out, err = run(command, folder)
    lines = comment + [f"$ {line}" for line in command]
    path.write_text("\n".join(lines) + f"\n--- exit {status}\n--- stdout\n{out}--- stderr\n{err}")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--accept"]:
        sys.exit(__doc__)
    for name in sys.argv[2:] or [path.stem for path in CASES]:
        accept(HERE / "cases" / f"{name}.case")
