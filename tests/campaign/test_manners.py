"""What tools/check_manners.py reads from object files."""
# once
import importlib.util
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("manners", ROOT / "tools/check_manners.py")
manners = importlib.util.module_from_spec(spec)
spec.loader.exec_module(manners)


def library(folder, code):
    """The sentences on an archive of one object."""
    (folder / "part.c").write_text(code)
    subprocess.run(["gcc", "-c", "-fPIC", "-O1", "part.c"], cwd=folder, check=True)
    (folder / "libpart.a").unlink(missing_ok=True)
    subprocess.run(["ar", "rc", "libpart.a", "part.o"], cwd=folder, check=True)
    return list(manners.wrong_with(folder / "libpart.a"))


def test_constant_tables_and_sums_are_harmless(tmp_path):
    assert library(tmp_path, "#include <math.h>\nstatic const char *const word[] = {\"a\", \"b\"}; "
                             "const char *f(int i, double *x) { *x = pow(*x, 3); "
                             "return word[i]; }\n") == []


def test_data_that_changes_is_found_wherever_it_is(tmp_path):
    for code in ("static int n; int f(void) { return ++n; }", "int f(void) { static int n = 3; "
                 "return n++; }", "int count = 7;", "_Thread_local int mine; int *f(void) "
                 "{ return &mine; }", "const char *word = \"a\"; "):
        [sentence] = library(tmp_path, code + "\n")
        assert "which can change" in sentence, code


def test_calls_that_a_library_must_not_make_are_found(tmp_path):
    for call, reason in (("exit(1)", "ends the process"), ("abort()", "ends the process"),
                         ("(void)getenv(\"HOME\")", "environment"),
                         ("(void)setlocale(LC_ALL, \"\")", "locale"),
                         ("(void)signal(SIGINT, SIG_IGN)", "signals"),
                         ("assert(f != 0 && time(0))", "ends the process"),
                         ("(void)rand()", "keeps something")):
        code = ("#include <assert.h>\n#include <locale.h>\n#include <signal.h>\n"
                f"#include <stdlib.h>\n#include <time.h>\nvoid f(void) {{ {call}; }}\n")
        assert any(reason in sentence for sentence in library(tmp_path, code)), call


def test_what_jansson_asserts_in_is_found(tmp_path):
    code = "void *json_pack(const char *f, ...);\nvoid *f(void) { return json_pack(\"{}\"); }\n"
    assert "json_pack" in library(tmp_path, code)[0]
