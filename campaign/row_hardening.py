"""What was built, looked at for what makes a mistake in memory harder to use."""
import os
import subprocess
import sys

import rows


class Hardening(rows.Row):
    name = "hardening"
    what = "What makes a mistake in memory harder to use"
    how = ("`tools/check_hardening.py` reads the command, the shared library and Python's "
           "extension: position independent, stack protected, fortified, relocations read-only "
           "and bound at once, control flow protected, neither the stack executable nor the code "
           "writable.")
    unit = "files"
    goal = 3
    once = True

    def prepare(self):
        self.build = self.build or rows.build("gcc", "sonde", "sonde_shared", "sonde_lab")

    def extension(self):
        """Python's extension, linked with these libraries."""
        target = rows.WORK / "extension"
        environment = {**os.environ, "SONDE_LIBRARY": os.path.relpath(self.build, rows.ROOT)}
        subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(target),
                        "--build-temp", str(target / "temp")], cwd=rows.ROOT / "python",
                       check=True, env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return next(target.rglob("_sonde*.so"))

    def step(self, start, seconds):
        files = [self.build / "sonde", self.build / "libsonde.so", self.extension()]
        done = subprocess.run([sys.executable, str(rows.ROOT / "tools" / "check_hardening.py"),
                               *map(str, files)], capture_output=True, text=True, check=False)
        wrong = [line for line in done.stdout.splitlines() if "all yes" not in line]
        return rows.Step(len(files), 0, wrong + done.stderr.splitlines()[-1:])
