"""What docs/walk.md says of adding an embedding, a search and a setting is all there is to do.

A fenced block of a recipe whose first line names a file is that file, or goes into it:

    ```c new FILE               the file, which is new
    ```c FILE after TEXT        lines that go below the first line that has this text
    ```c FILE instead of TEXT   lines that take the place of that line

Each recipe is put into a copy of the project, built with its test, and run. What differs from the
project is the files that it names, and nothing else.
"""
# slow
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^( *)```\w+ (new )?(\S+)(?: (after|instead of) ([^\n]+))?\n(.*?)^ *```$",
                   re.M | re.S)
RECIPES = {
    "Add an embedding": (
        "embed.test_embed_changes",
        ["cluster", "tests/data/worlds/two.json", "--embedding", "changes", "--json"]),
    "Add a search method": (
        "search.test_search_guess",
        ["plan", "tests/data/worlds/two.json", "--search", "guess", "--json"]),
    "Add a setting": (
        "search.test_search_draws",
        ["plan", "tests/data/worlds/two.json", "--search", "random", "--draws", "3", "--json"]),
}


def blocks(title):
    """The blocks of a recipe: (how, file, text of a line, lines)."""
    page = (ROOT / "docs" / "walk.md").read_text()
    section = page[page.index(f"\n## {title}\n"):].split("\n## ")[1]
    for margin, new, file, how, mark, text in BLOCK.findall(section):
        lines = [line[len(margin):] for line in text.splitlines()]
        yield new.strip() or how, file, mark, "".join(line + "\n" for line in lines)


def apply(copy, how, file, mark, text):
    path = copy / file
    if how == "new":
        assert not path.exists(), f"{file} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return
    lines = path.read_text().splitlines(keepends=True)
    at = next((i for i, line in enumerate(lines) if mark in line), None)
    assert at is not None, f"{file} has no line with {mark!r}"
    path.write_text("".join(lines[:at + (how == "after")] + [text] + lines[at + 1:]))


def git(folder, *words):
    done = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=folder,
                          capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def copy(tmp_path):
    to = tmp_path / "sonde"
    for name in git(ROOT, "ls-files", "-z").split("\0"):
        if name and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    git(to, "init", "-q")
    git(to, "add", "-A")
    git(to, "commit", "-qm", "as it is")
    return to


def run(*words, cwd):
    done = subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_is_all_there_is_to_do(title, copy):
    test, words = RECIPES[title]
    steps = list(blocks(title))
    assert len(steps) >= 4
    for step in steps:
        apply(copy, *step)
    changed = {line[3:] for line in git(copy, "status", "--porcelain", "-uall").splitlines()}
    assert changed == {file for _, file, _, _ in steps}
    assert "CHANGELOG.md" in changed
    run("cmake", "-S", ".", "-B", "build", "-DSONDE_TESTS=ON", cwd=copy)
    run("cmake", "--build", "build", "-j", os.cpu_count(), "--target", "sonde", test, cwd=copy)
    run("ctest", "--test-dir", "build", "--output-on-failure", "-R", f"^{test}$",
        "--no-tests=error", cwd=copy)
    document = json.loads(run("build/sonde", *words, cwd=copy))
    flag, value = words[-3:-1]  # the last setting
    assert str(document["settings"][flag.strip("-")]) == value
