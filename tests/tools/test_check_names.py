"""Every kind of name that tools/check_names.py looks for is found, and missed."""
# long
# once
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/check_names.py"

# a project in which everything that its pages name exists
GOOD = {
    "Makefile": "test: ## checks\n",
    "src/embed/embed_boe.c": "void sonde__boe_fill(void) {}\n",
    "cli/cmd_plan.c": 'static const char *const option[] = {"top"};\n',
    "tools/test.sh": "grep --quiet\n",
    "include/sonde.h": "#define SONDE_EVERYWHERE 1\nint sonde_graph_random(void);\n",
    "docs/walk.md": "`embed_boe.c`, `src/embed/embed_NAME.c`, `src/embed/`, `src/embed`,\n"
                    "`--top 3`, `sonde__boe_fill`, `sonde_graph_…`, `SONDE_EVERYWHERE`,\n"
                    "`make test`, `sonde plan world`, `--quiet`, `sonde_NOUN_VERB`,\n"
                    "`build/sonde`\n\n"
                    "```c\nsonde_nothing(); /* `nothing.c` */\n```\n\n    `sonde nothing`\n",
}

# words of a page, and what is said of them
BAD = [
    ("`embed_edm.c`", "no file embed_edm.c"),
    ("`src/embed/embed_edm.c`", "no file src/embed/embed_edm.c"),
    ("`src/report/`", "no file src/report/"),
    ("`search_NAME.c`", "no file search_NAME.c"),
    ("`sonde_graph_draw`", "no sonde_graph_draw in the code"),
    ("`sonde__boe_empty(x)`", "no sonde__boe_empty in the code"),
    ("`sonde_model_…`", "no sonde_model_* in the code"),
    ("`SONDE_NOWHERE`", "no SONDE_NOWHERE in the code"),
    ("`--bottom 3`", "no option --bottom"),
    ("`make coffee`", "no make coffee"),
    ("`sonde dance`", "no sonde dance"),
]


def check(tree, root):
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run([sys.executable, SCRIPT, "--root", root], capture_output=True, text=True)


def test_pages_that_name_what_exists_pass(tmp_path):
    result = check(GOOD, tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("words, said", BAD)
@pytest.mark.parametrize("page", ["docs/walk.md", "CONTRIBUTING.md", "docs/decisions/one.md"])
def test_a_name_of_nothing_is_told_with_its_line(tmp_path, page, words, said):
    result = check({**GOOD, page: f"one\n{words}\n"}, tmp_path)
    assert result.returncode == 1
    assert result.stdout == f"{page}:2: there is {said}\n"


def test_the_pages_of_this_project_name_what_exists():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
