"""The library in another's program: what it calls and keeps, read from the object files."""
import subprocess
import sys

import rows


class Manners(rows.Row):
    name = "manners"
    what = "The libraries in another's program"
    how = ("`tools/check_manners.py` reads the object files: no data that changes, nothing that "
           "ends the process, touches signals, the locale or the environment, prints, starts "
           "programs or opens connections, and nothing of jansson whose assertions can be reached.")
    unit = "libraries"
    goal = 3
    once = True

    def prepare(self):
        self.build = self.build or rows.build("gcc", "sonde_shared", "sonde_lab")

    def step(self, start, seconds):
        done = subprocess.run([sys.executable, str(rows.ROOT / "tools" / "check_manners.py"),
                               str(self.build)], capture_output=True, text=True, check=False)
        wrong = done.stdout.splitlines() if done.returncode != 0 else []
        return rows.Step(3, 0, wrong or done.stderr.splitlines()[-1:])
