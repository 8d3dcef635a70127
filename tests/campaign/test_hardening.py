"""What tools/check_hardening.py reads from programs."""
# once
import importlib.util
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("hardening", ROOT / "tools/check_hardening.py")
hardening = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hardening)

CODE = "#include <stdio.h>\n#include <string.h>\n" + "".join(
    f"void f{i}(char *to, const char *from) {{ char a[64]; strcpy(a, from); "
    f"sprintf(to, \"%s%d\", a, {i}); }}\n" for i in range(20)) + (
    "int main(int n, char **v) { char a[99]; f1(a, v[0]); return n + a[0]; }\n")


def missing(folder, *flags):
    (folder / "a.c").write_text(CODE)
    subprocess.run(["gcc", "-O2", "-w", *flags, "a.c", "-o", "a"], cwd=folder, check=True)
    return {name for name, there in hardening.qualities(str(folder / "a")).items() if not there}


HARD = ["-fPIE", "-pie", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
        "-fcf-protection=full", "-Wl,-z,relro,-z,now"]


def test_a_program_that_has_everything_has_everything(tmp_path):
    assert missing(tmp_path, *HARD) == set()


def test_whatever_is_left_out_is_missed(tmp_path):
    for more, what in ((["-no-pie", "-fno-pie"], "position independent"),
                       (["-fno-stack-protector"], "stack protected"),
                       (["-U_FORTIFY_SOURCE"], "fortified"),
                       (["-Wl,-z,norelro"], "read-only relocations"),
                       (["-Wl,-z,lazy"], "bound at once"),
                       (["-fcf-protection=none"], "control flow protected"),
                       (["-Wl,-z,execstack"], "stack not executable")):
        assert what in missing(tmp_path, *HARD, *more), what
