"""What a row of the campaign is, and what rows share.

A row is one way of trying to break Sonde: one file row_NAME.py in this folder, with one class that
is made from Row. It works in steps. The campaign calls step() again and again; each call tries
something new for about the seconds it is given, beginning at the number `start` (the end of the
step before, in this run or an earlier one), and returns what it has tried as a Step. Whatever
happens in the middle of a step (Ctrl-C, kill -9, no power), the steps before it are counted, and
the next run begins where they ended.
"""
import dataclasses
import fcntl
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# where the campaign builds and works, away from everybody else's builds
WORK = ROOT / "build" / "campaign"
# steps take about this long, so that little is lost when one is interrupted
STEP_SECONDS = 20.0


@dataclasses.dataclass
class Step:
    """What one step has tried."""
    count: int                     # how many of the row's unit
    next: int                      # where the next step begins
    # a sentence for each thing that was not as it must be
    violations: list = dataclasses.field(default_factory=list)
    # parts of the count, by name, which add up over steps
    tallies: dict = dataclasses.field(default_factory=dict)
    # figures worth telling, by name; of several steps the largest counts
    figures: dict = dataclasses.field(default_factory=dict)
    # of a row that has parts, those that were tried to their end, and how many each had
    parts: dict = dataclasses.field(default_factory=dict)


class Row:
    """One row; what is set to None must be said by each."""
    name = None      # on the command line: make campaign ROW=name
    what = None      # in the page's table: what is tried
    how = None       # and how
    unit = None      # what is counted, in the plural
    goal = None      # how many there should be at least
    # a check that looks at everything there is, so that it is made once for each commit
    once = False
    # how long a step takes at most, where it cannot be cut into short ones
    step_seconds = STEP_SECONDS
    # where there is an end to what can be tried, the names of its parts: all of them are the goal
    parts = []
    parts_are = "commands"
    # where a count of all does not say enough, how many of each there should be, by their tallies
    each = {}
    # sentences on what it does not reach, for the page
    unreached = []

    def __init__(self, build=None):
        # a folder that has been built already; None: the campaign's own, which prepare() makes
        self.build = pathlib.Path(build).resolve() if build is not None else None
        # tallies of all steps before the next one
        self.so_far = {}

    def prepare(self):
        """Called once before the first step: builds what the steps need."""

    @classmethod
    def told(cls, entries):
        """Lines that the page has besides, from the counts by commit."""
        return []

    def step(self, start, seconds):
        """Tries something for about so many seconds, from the number `start` on: a Step."""
        raise NotImplementedError


def build(name, *targets, compiler="gcc", options=()):
    """Builds targets in a folder of the campaign, and returns it."""
    folder = WORK / name
    folder.mkdir(parents=True, exist_ok=True)
    jobs = str(os.cpu_count() or 2)
    with open(WORK / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # campaigns on other rows build here, too
        configure_and_build(folder, targets, compiler, options, jobs)
    return folder


def configure_and_build(folder, targets, compiler, options, jobs):
    for command in (["cmake", "-S", str(ROOT), "-B", str(folder), f"-DCMAKE_C_COMPILER={compiler}",
                     *options],
                    ["cmake", "--build", str(folder), "-j", jobs, "--target", *targets]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def figure(value):
    """A figure as the page shows it."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
