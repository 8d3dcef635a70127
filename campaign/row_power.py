"""Commands that are killed at random moments, and go on."""
import shutil

import killed
import rows


class Power(rows.Row):
    name = "power"
    what = "No power"
    how = ("studies, fits, reports, pages and recoveries are killed (kill -9) at random moments "
           "and started again until they end (`campaign/killed.py`): rows and files byte for byte "
           "as undisturbed, seconds apart, and in between no file that is not whole.")
    unit = "kills"
    goal = 1_000
    ranks = False

    def prepare(self):
        self.build = self.build or rows.build("gcc", "sonde")

    def step(self, start, seconds):
        return killed.take(self.build / "sonde", start, seconds, self.ranks)


class Ranks(Power):
    name = "ranks"
    what = "Ranks without power"
    how = ("one rank of a study or a fit under mpirun is killed at a random moment, and the same "
           "command goes on with another number of ranks: rows and files as undisturbed, and no "
           "rank stays behind.")
    unreached = ["mpirun of Open MPI 4.1 stays now and then in its own end (PMIx_server_finalize "
                 "waits for a lock) after a rank was killed and all others have ended; it is "
                 "killed then, and counted apart."]
    unit = "killed ranks"
    step_seconds = 120.0
    goal = 100
    ranks = True

    def prepare(self):
        if shutil.which("mpirun") is None:
            raise RuntimeError("there is no mpirun")
        super().prepare()
