"""Every rule of tools/check_layers.py holds for a tree in order, and can be broken."""
# once
# long
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools/check_layers.py"

# a tree in order, which uses everything in the place where it is allowed
GOOD = {
    "src/LAYERS": "base\ngraph\nmodel\n",
    "lab/LAYERS": "study\ndraw\n",
    "include/sonde.h": "int sonde_version(void);\n",
    "include/sonde_lab.h": "int sonde_study(void);\n",
    "src/base/memory.h": "void *sonde__get(void);\nvoid sonde__free(void *);\n",
    "src/base/memory.c": '#include "base/memory.h"\nvoid *sonde__get(void) { return malloc(1); }\n',
    "src/base/parallel.c": "#include <pthread.h>\nstatic pthread_t worker;\n",
    "src/graph/graph_internal.h": "int hidden;\n",
    "src/graph/graph.h": "#include <sonde.h>\n",
    "src/graph/graph.c": '#include "graph_internal.h"\n#include "base/memory.h"\n'
                         '/* never free(p) here, nor exit(1) */\n'
                         'const char *hint = "printf(stderr) and \\"malloc(1)\\"";\n'
                         'void f(void *p) { sonde__free(p); snprintf(0, 0, ""); fputs("", p); }\n'
                         'void g(struct s *p) { p->free(p); }\n',
    "src/model/model.c": '#include "sonde.h"\n#include "graph/graph.h"\n'
                         'int f(M *model) { return model->horizon; }\n',
    "src/graph/horizon.c": "int f(P *policies, A *a) { return policies->horizon + a->horizon; }\n",
    "lab/study/study_sqlite.c": "#include <sqlite3.h>\n",
    "lab/study/study.h": '#include "sonde_lab.h"\ntypedef struct sonde__run sonde__run;\n'
                         "struct sonde__run {\n    int n;\n};\n",
    "lab/study/study_internal.h": "int hidden;\n",
    "lab/draw/draw.c": '#include "sonde.h"\n#include "base/memory.h"\n#include "study/study.h"\n',
    "cli/main.c": '#include "sonde.h"\n#include "sonde_lab.h"\n#include "cli.h"\n'
                  'int main(void) { puts("x"); exit(0); }\n',
    "cli/cli.h": "#include <jansson.h>\n",
    "cli/mpi.c": "#include <mpi.h>\n",
    "src/base/json.h": "#include <jansson.h>\n",
    "cli/document.c": '#include "base/json.h"\n',
    "examples/01_walk.c": "#include <sonde.h>\nint main(void) { abort(); }\n",
    "python/sonde/_build.py": 'source = """\n#include "sonde.h"\n"""\n',
}

# one file that breaks a rule, and a piece of what is said about it
BAD = [
    ("src/graph/late.c", '#include "model/model.h"\n', "later stage model"),
    ("src/graph/late.c", '  #  include "../model/model.h"\n', "later stage model"),
    ("src/graph/late.c", "#include <model/model.h>\n", "later stage model"),
    ("src/model/curious.c", '#include "graph/graph_internal.h"\n', "private to graph"),
    ("src/model/lost.c", '#include "../../cli/cli.h"\n', "no part of the library"),
    ("src/attic/old.c", "int x;\n", "no folder that src/LAYERS lists"),
    ("src/stray.c", "int x;\n", "no folder that src/LAYERS lists"),
    ("src/base/deep/down.c", "int x;\n", "no folder that src/LAYERS lists"),
    ("src/LAYERS", "base\ngraph\nmodel\nbase\n", "listed more than once"),
    ("src/model/memory.c", "void *f(void) { return malloc(8); }\n", "malloc: memory"),
    ("src/model/memory.c", "void *f(void) { return calloc (1, 8); }\n", "calloc: memory"),
    ("src/model/memory.c", "void *f(void *p) { return realloc(p, 8); }\n", "realloc: memory"),
    ("src/model/memory.c", "void f(void *p) { free(p); }\n", "free: memory"),
    ("src/model/memory.c", "void *p = aligned_alloc(64, 64);\n", "aligned_alloc: memory"),
    ("src/model/memory.c", "char *f(char *s) { return strdup(s); }\n", "strdup: memory"),
    ("src/graph/ahead.c", "int f(M *model) { return model->horizon; }\n",
     "model->horizon: the horizon is that of policies"),
    ("lab/study/ahead.c", "int f(W *w) { return w->input.model->horizon; }\n",
     "model->horizon: the horizon is that of policies"),
    ("src/model/ask.c", "int x = SONDE_SEARCH_FULL;\n", "SONDE_SEARCH_FULL: one search is named"),
    ("lab/study/ask.c", "int x = SONDE_SEARCH_TREE;\n", "SONDE_SEARCH_TREE: one search is named"),
    ("cli/ask.c", "int x = SONDE_SEARCH_BEAM;\n", "SONDE_SEARCH_BEAM: one search is named"),
    ("src/model/thread.c", "#include <pthread.h>\n", "pthread.h is for src/base/parallel.c"),
    ("src/model/thread.c", "#include <threads.h>\n", "threads.h is for src/base/parallel.c"),
    ("src/model/thread.c", "void f(void) { pthread_yield(); }\n", "pthread_yield: threads"),
    ("src/model/loud.c", 'void f(void) { printf("x"); }\n', "printf: the library does not"),
    ("src/model/loud.c", 'void f(void) { puts("x"); }\n', "puts: the library does not"),
    ("src/model/loud.c", 'void f(void) { fputs("x", stderr); }\n', "stderr: the library does not"),
    ("src/model/loud.c", "FILE *f(void) { return stdout; }\n", "stdout: the library does not"),
    ("src/model/loud.c", "void f(void) { exit(1); }\n", "exit: the library does not"),
    ("src/model/loud.c", "void f(void) { abort(); }\n", "abort: the library does not"),
    ("src/model/table.c", "#include <sqlite3.h>\n", "sqlite3.h is for lab/study/study_sqlite.c"),
    ("cli/table.c", "#include <sqlite3.h>\n", "sqlite3.h is for lab/study/study_sqlite.c"),
    ("lab/study/study_results.c", "#include <sqlite3.h>\n", "sqlite3.h is for lab/study/"),
    ("lab/study/study.c", '#include "draw/draw.c"\n', "later stage draw"),
    ("lab/draw/curious.c", '#include "study/study_internal.h"\n', "private to study"),
    ("lab/draw/deep.c", '#include "graph/graph.h"\n', "of src/ it may know base/ alone"),
    ("lab/attic/old.c", "int x;\n", "no folder that lab/LAYERS lists"),
    ("lab/LAYERS", "study\ndraw\nstudy\n", "listed more than once"),
    ("lab/draw/loud.c", "void f(void) { exit(1); }\n", "exit: the library does not"),
    ("src/model/up.c", '#include "study/study.h"\n', "no part of the library"),
    ("src/model/up.c", '#include "sonde_lab.h"\n', "no part of the library"),
    ("lab/study/twice.h", "typedef struct {\n    int x;\n} sonde__run;\n",
     "sonde__run is a type of"),
    ("lab/study/twice.h", "typedef void (*sonde__run)(int x);\n", "sonde__run is a type of"),
    ("lab/study/twice.h", "typedef int sonde__run;\n", "sonde__run is a type of"),
    ("lab/study/mpi.c", "#include <mpi.h>\n", "mpi.h is for cli/mpi.c"),
    ("cli/cmd_study.c", "#include <mpi.h>\n", "mpi.h is for cli/mpi.c"),
    ("cli/cmd_plan.c", '#include "../src/graph/graph.h"\n', "include/ alone"),
    ("cli/cmd_plan.c", '#include "graph/graph.h"\n', "include/ alone"),
    ("cli/cmd_plan.c", '#include "base/json.h"\n', "include/ alone"),
    ("cli/cmd_plan.c", "json_t *f(void) { return json_loads(0, 0, 0); }\n", "json_loads: JSON is"),
    ("web/bridge.c", "json_t *f(void) { return json_load_file(0, 0, 0); }\n", "json_load_file:"),
    ("examples/02_more.c", "#include <graph/graph.h>\n", "include/ alone"),
    ("python/sonde/_more.c", '#include "base/memory.h"\n', "include/ alone"),
    ("python/sonde/_more.py", 'source = """\n#include "base/memory.h"\n"""\n', "include/ alone"),
]


def check(tree, root):
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run([sys.executable, SCRIPT, "--root", root], capture_output=True, text=True)


def test_a_tree_in_order_passes(tmp_path):
    result = check({**GOOD, "src/model/model.h": ""}, tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_tree_of_one_stage_passes(tmp_path):
    assert check({"src/LAYERS": "base\n"}, tmp_path).returncode == 0


@pytest.mark.parametrize("name, text, said", BAD)
def test_a_broken_rule_is_named_with_its_file(tmp_path, name, text, said):
    result = check({**GOOD, "src/model/model.h": "", name: text}, tmp_path)
    assert result.returncode == 1
    assert len(result.stdout.splitlines()) == 1
    assert result.stdout.startswith(name + ":")
    assert said in result.stdout


def test_the_line_is_counted_through_comments(tmp_path):
    text = "/* one\n two */\nint x; /* three */\nvoid f(void) { exit(1); }\n"
    result = check({**GOOD, "src/model/late.c": text}, tmp_path)
    assert result.stdout.startswith("src/model/late.c:4:")
