"""What the README shows of the command is what the command prints.

Every block that begins with `$ build/sonde` is run, in the order of the page; the lines below it
come in the same order in what is printed, with anything in place of `…`.
"""
import os
import pathlib
import shlex
import subprocess

COMMAND = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROMPT = "    $ build/sonde "


def sessions():
    """Command and the lines shown below it, in order."""
    found = []
    shown = None
    for line in (ROOT / "README.md").read_text().splitlines():
        if line.startswith(PROMPT):
            shown = []
            found.append((line[len(PROMPT):], shown))
        elif not line.startswith("    ") and line:
            shown = None
        elif shown is not None and line.strip() not in ("", "…"):
            shown.append(line[4:].rstrip())
    return found


def test_the_readme_shows_what_is_printed(tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    commands = sessions()
    assert len(commands) >= 8
    for command, shown in commands:
        done = subprocess.run([COMMAND, *shlex.split(command)], cwd=tmp_path, check=True,
                              capture_output=True, text=True, timeout=100)
        printed = iter(line.rstrip() for line in done.stdout.splitlines())
        for line in shown:
            assert any(line == other for other in printed), (command, line, done.stdout)
