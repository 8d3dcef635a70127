"""What mutants are made of: the files of each row, what may notice a change of one, and survivors.

An area is the files that one row of the campaign changes (mutate.py), with the tests and commands
that are run against its mutants, in which order, and the file that its survivors are kept in.
"""
import pathlib
import random
import re
import sys

import rows

sys.path.insert(0, str(rows.ROOT / "tools"))
import golden  # noqa: E402
import golden_lives  # noqa: E402


class Area:
    """What rows that change files share; what is set to None must be said by each."""
    row = None       # its name
    files_in = None  # patterns of the files that are changed
    others = None    # but those whose names have this
    kept = None      # where survivors are kept
    folder = None    # where mutants are made, within the campaign's own
    # tests in C of these folders are checks, and tests in Python: folders, or files
    in_c = None
    in_python = None
    # tests in C with the plain way of scoring
    plain = []
    # those that break the library themselves, write where every seat would, or are about other
    # things
    left_out = []
    # with memory refused; these are linked again with each mutant that comes so far
    refusing = []
    # other programs, by the name of the check: a target and its words
    programs = {}
    # whether tests in Python have their seconds measured, as those in C have
    measured = False
    # of the measured, whatever takes more seconds is for `try` and `again`
    long = 6

    def files(self):
        """The files that are changed."""
        return [str(path.relative_to(rows.ROOT)) for pattern in self.files_in
                for path in sorted(rows.ROOT.glob(pattern)) if not self.others.search(path.name)]

    def prepare(self, folder, sonde):
        """Puts what the commands read into a folder; `sonde` runs a command there."""

    def order(self, name, checks, first, thorough):
        """The checks of a file in the order in which they are made: quick ones, and longer ones.

        `first` has caught mutants of that file; `thorough` is "", "stage" or "all".
        """
        raise NotImplementedError

    def commands(self, name, all_of_them=False):
        """Commands about the file, whose answers must stay."""
        raise NotImplementedError

    def in_c_by_time(self, checks):
        return sorted((check for check in checks.values() if not check.python
                       and check.name not in self.refusing and check.name not in self.programs),
                      key=lambda check: check.seconds)

    def refused(self, checks):
        return [checks[name] for name in self.refusing if name in checks]


def is_own(check, stem):
    """Whether a test in C has the name of a file."""
    return check.name.split(".")[1].removeprefix("test_") == stem


def apart(soon, slow):
    """Both lists without what comes twice."""
    soon = list(dict.fromkeys(soon))
    return soon, [check for check in dict.fromkeys(slow) if check not in soon]


class Core(Area):
    """Searches, bounds, beliefs and scores."""
    row = "mutation"
    files_in = [f"src/{stage}/*.c" for stage in ("search", "efe", "closed", "belief", "policy")]
    # what reads documents and writes words for people has other checks: fuzzers, golden words
    others = re.compile(r"_(read|explain|like|own|again|plan)\.c$")
    kept = rows.ROOT / "campaign" / "survivors.json"
    folder = "mutants"
    in_c = ["search", "efe", "closed", "belief", "policy", "planner", "agent", "pipeline", "learn"]
    in_python = ["closed", "efe", "oracle"]
    plain = ["search.test_search_models.plain", "search.test_search_scores.plain"]
    left_out = ["learn.test_learn_truth", "learn.test_learn_bounds", "test_closed_mutations.py",
                "test_mutations.py", "test_fit_oracle.py", "test_networkx.py",
                "policy.test_policy_read"]
    refusing = ["memory.test_closed", "memory.test_limit", "memory.test_failures"]
    programs = {f"certificates {first} {count}": ("campaign_certificates", [first, count, "1e9"])
                for first, count in (("0", "400"), ("400", "4000"))}
    # tests that know most about files whose names they do not have
    about = {"infinite": ["closed.test_infinite", "closed.test_infinite_policy.py",
                          "closed.test_infinite_values.py"],
             "closed_pruned": ["closed.test_closed_like.py"],
             "closed_spm": ["closed.test_closed_like.py"],
             "closed_factors": ["closed.test_closed_factorised.py"],
             "closed": ["closed.test_closed_again", "agent.test_agent_follow",
                        "closed.test_closed_backup", "closed.test_action_prior.py",
                        "closed.test_closed_values.py", "closed.test_closed_facts.py"],
             "policy_weigh": ["search.test_search_weights", "learn.test_learn"],
             "search": ["search.test_search_models", "search.test_search_certificates",
                        "search.test_search_cluster", "search.test_search_explain"],
             "efe": ["search.test_search_models", "efe.test_efe_fan", "search.test_search_weights"]}

    def order(self, name, checks, first, thorough):
        stage, stem = name.split("/")[1], pathlib.Path(name).stem
        in_c = [check for check in self.in_c_by_time(checks)
                if not check.name.endswith(".plain") or stage == "efe"]
        own = [check for check in in_c if is_own(check, stem)]
        mine = [check for check in in_c if check.name.startswith(f"{stage}.")]
        also = [check for check in in_c if check.name.startswith("learn.")]
        few, many = (checks[name] for name in self.programs)
        about = ("closed.", ) if stage == "closed" else ("oracle.", "efe.")
        python = [check for check in checks.values()
                  if check.python and check.name.startswith(about)]
        quick = [check for check in (*mine, *(also if stage == "belief" else ()))
                 if check.seconds < 1]
        # most tests of closed loop are of the command
        soon = ["golden", few, *first, *own, *quick] if stage == "closed" else [
            *first, *own, few, *quick, "golden"]
        knowing = [checks[one] for part, some in self.about.items() if stem.startswith(part)
                   for one in some if one in checks]
        rest = [check for check in mine if check.seconds < self.long or thorough == "all"]
        slow = ["watched", *knowing, *rest, many, "all golden"]
        if thorough == "all":
            slow += [*in_c, *python, *self.refused(checks)]
        return apart(soon, slow if thorough else [])

    def commands(self, name, all_of_them=False):
        """Golden commands that are about the file, and some others."""
        every = list(dict.fromkeys(golden.results()))
        if all_of_them:
            return every
        closed = [one for one in every if "--loop closed" in one]
        stem = pathlib.Path(name).stem
        if "smooth" in stem:
            return [one for one in every if one.startswith("smooth ")]
        about = [word for word in ("bounded", "beam", "surrogate", "tree", "cluster", "full",
                                   "random") if word in stem] or (
                                       ["bounded"] if "frontier" in stem else [])
        if "/closed/" in name:
            inf = [one for one in closed if "--horizon inf" in one]
            return [*inf, *(one for one in closed if one not in inf)] if "infinite" in stem \
                else closed
        mine = [one for one in every if any(word in one for word in about) and one not in closed]
        rest = [one for one in every if one not in mine and one not in closed]
        random.Random(1).shuffle(rest)
        return [*mine, *rest[:100], *closed[::6]]


class Learning(Area):
    """What agents learn, and what is made of what people did."""
    row = "learning"
    files_in = ["src/learn/*.c", "src/replay/*.c", "lab/fit/*.c", "src/spm/spm_learn.c",
                "src/spm/spm_states.c"]
    # what reads tables and documents, writes them, or keeps files
    others = re.compile(r"_(write|cells|data|parameters|table|candidates|kept)\.c$")
    kept = rows.ROOT / "campaign" / "survivors_learning.json"
    folder = "mutants-learning"
    in_c = ["learn", "replay", "fit", "spm", "belief", "agent", "simulate", "planner", "pipeline"]
    in_python = ["fit", "replay", "oracle/test_fit_oracle.py", "oracle/test_replay_oracle.py",
                 *(f"cli/test_{name}.py" for name in ("learn", "learn_examples", "replay", "smooth",
                                                      "reduce", "compare", "recover",
                                                      "recover_coverage", "resume"))]
    left_out = ["test_fit_resumed.py"]  # it needs MPI
    refusing = ["memory.test_learning", "memory.test_compare", "memory.test_recover",
                "memory.test_spm", "memory.test_every_function"]
    measured = True
    # whose tests are about which stage
    knowing = {"learn": ("learn.", "simulate.test_scene", "simulate.test_saved", "cli.test_learn",
                         "cli.test_reduce.py", "cli.test_resume.py", "replay.",
                         "oracle.test_replay"),
               "replay": ("replay.", "fit.", "cli.test_learn.py", "cli.test_recover.py", "oracle."),
               "fit": ("fit.", "cli.test_compare.py", "cli.test_recover", "replay.", "oracle."),
               "spm": ("cli.test_replay.py", "fit.test_fit_spm.py", "replay.")}

    def order(self, name, checks, first, thorough):
        stage, stem = name.split("/")[1], pathlib.Path(name).stem
        in_c = self.in_c_by_time(checks)
        python = sorted((check for check in checks.values() if check.python),
                        key=lambda check: check.seconds)
        own = [check for check in in_c if is_own(check, stem)]
        mine = [check for check in (*in_c, *python) if check.name.startswith(self.knowing[stage])]
        quick = [check for check in mine if check.seconds < (3 if check.python else 1)]
        soon = [*first, *own, "golden", *quick]
        slow = ["watched", "all golden", *self.refused(checks), *mine]
        if thorough == "all":
            slow += [*in_c, *python]
        return apart(soon, slow if thorough else [])

    def prepare(self, folder, sonde):
        golden_lives.prepare(folder, sonde)

    def commands(self, name, all_of_them=False):
        every = golden_lives.commands()
        stage, stem = name.split("/")[1:3]
        verbs = {"learn": ("simulate ", "model "), "spm": ("replay spm", "fit spm"),
                 "replay": ("replay ", "fit "), "fit": ("fit ", "recover ", "compare ")}[stage]
        verb = next((verb for verb in ("recover", "compare") if verb in stem),
                    "model" if "reduce" in stem else "recover" if "draw" in stem else None)
        mine = [one for one in every if one.startswith((verb,) if verb else verbs)]
        return [*mine, *(one for one in every if one not in mine)] if all_of_them else mine


CORE, LEARNING = Core(), Learning()
AREAS = {area.row: area for area in (CORE, LEARNING)}
