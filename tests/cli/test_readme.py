"""What the README shows of the command is what the command prints.

Every block that begins with `$ build/sonde` is run, in the order of the page; the lines below it
come in the same order in what is printed, with anything in place of `…`.
"""
# once
# long
import json
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


def test_the_share_of_the_grid_is_told_without_and_with_what_is_worked_out_once_before():
    done = subprocess.run([COMMAND, "plan", ROOT / "examples/models/grid.json", "--json"],
                          check=True, capture_output=True, text=True)
    plan = json.loads(done.stdout)
    work = plan["evaluations"]
    share = 100 * work["equivalent"] / plan["policy_space"]
    once = 100 * work["setup_steps"] / plan["horizon"] / plan["policy_space"]
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert (f"a grid of {plan['policy_space']:,} policies from {share:.2f} % of them "
            f"({share + once:.2f} % with what it works out once before)") in readme


def test_what_the_readme_says_of_pymdp_is_of_the_versions_that_the_bench_names():
    pinned = dict(line.split("==") for line in
                  (ROOT / "bench/peers/requirements.txt").read_text().splitlines() if "==" in line)
    assert (f"| pymdp {pinned['inferactively-pymdp']} (JAX {pinned['jax']}) |"
            in (ROOT / "README.md").read_text())


def test_the_readme_shows_the_paper_table_that_make_run_ends_with(tmp_path):
    """The rows of local scope; their first words stand in a column of their own there."""
    readme = (ROOT / "README.md").read_text().splitlines()
    begin = next(i for i, line in enumerate(readme) if line.startswith("    Scope  Emb."))
    shown = [line[4:] for line in readme[begin - 1:begin + 5]]
    for arguments in (["study", "paper", "--db", "paper.sqlite"],
                      ["report", "paper.sqlite", "-o", "page"]):
        done = subprocess.run([COMMAND, *arguments], cwd=tmp_path, check=True,
                              capture_output=True, text=True, timeout=280)
    printed = done.stdout.splitlines()
    local = [line[7:] for line in printed[[line[:5] for line in printed].index("Local"):]]
    assert set(shown[:2]) <= set(printed)
    for line in shown[2:]:
        assert line[7:] in local, line
