"""Recorded runs of tests/data/learning as models and tables, for tests of replays and fits."""
import gzip
import itertools
import json
import os
import pathlib
import subprocess

DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]) / "learning"
COMMAND = os.environ["SONDE_COMMAND"]


def sonde(*words, **more):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True,
                          timeout=400, **more)


def document(*words):
    run = sonde(*words)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def recorded(name):
    return json.loads(gzip.decompress((DATA / f"{name}.json.gz").read_bytes()))


def actions_of(factor):
    return len(factor["actions"]) if isinstance(factor["actions"], list) else factor["actions"]


def write_model(folder, model, name="model.json"):
    path = folder / name
    path.write_text(json.dumps(model))
    return path


def write_table(folder, header, rows, name="table.csv"):
    path = folder / name
    path.write_text("\n".join([header] + [",".join(map(str, row)) for row in rows]) + "\n")
    return path


def episodes_table(folder, model, outcomes, actions):
    """A table of one subject from lists [episode][step][modality or factor]."""
    controlled = [f for f, factor in enumerate(model["factors"]) if actions_of(factor) > 1]
    header = ",".join(["subject", "episode", "step"]
                      + [f"o{m}" for m in range(len(model["modalities"]))]
                      + [f"u{f}" for f in controlled])
    rows = [["s", e, t, *seen, *(done[f] for f in controlled)]
            for e, (all_seen, all_done) in enumerate(zip(outcomes, actions))
            for t, (seen, done) in enumerate(zip(all_seen, all_done))]
    return write_table(folder, header, rows)


def bench(folder, name):
    """Model and table of bench-tmaze or bench-bandit, and the fixture."""
    fixture = recorded(name)
    model = fixture["model"]
    return (write_model(folder, model),
            episodes_table(folder, model, fixture["outcomes"], fixture["actions"]), fixture)


def bandit(folder):
    """Model, table and parameters of fit-bandit, and the fixture."""
    fixture = recorded("fit-bandit")
    rows = [[s["subject"], arm, reward] for s in fixture["subjects"]
            for arm, reward in zip(s["arm"], s["reward"])]
    free = folder / "free.json"
    free.write_text(json.dumps(fixture["free"]))
    return (write_model(folder, fixture["model"]),
            write_table(folder, "subject,arm,reward", rows), free, fixture)


BANDIT = ["--timing", "after", "--learn", "--novelty", "joint"]


def pymdp(folder, name):
    """Model, table, options and fixture of a recorded agent of pymdp's."""
    fixture = recorded(name)
    given, settings = fixture["model"], fixture["settings"]

    def depth(array):
        while isinstance(array[0], list):
            array = array[0]
        return len(array)
    model = {"format": "sonde-model", "version": 1,
             "factors": [{"states": len(b), "actions": depth(b), "depends": d}
                         for b, d in zip(given["B"], given["B_dependencies"])],
             "modalities": [{"outcomes": len(a), "factors": d}
                            for a, d in zip(given["A"], given["A_dependencies"])],
             "A": given["A"], "B": given["B"], "C": given["C"], "D": given["D"],
             "gamma": settings["gamma"], "horizon": settings["policy_len"]}
    legacy = settings["rules"] == "pymdp-legacy"
    learned = [letter for letter in "ABD" if settings[f"learn_{letter}"]
               and given[f"p{letter}"] is not None and (legacy or letter != "D")]
    novel = settings["use_param_info_gain"] and (given["pA"], given["pB"]) != (None, None)
    if learned or novel:
        model["counts"] = {letter: given[f"p{letter}"] for letter in "ABD"
                           if given[f"p{letter}"] is not None and (legacy or letter != "D")}
    if given["E"] is not None:
        factors = [range(actions_of(f)) for f in model["factors"]]
        tuples = [list(step) for step in itertools.product(*factors)]
        model["policies"] = [list(policy) for policy in
                             itertools.product(tuples, repeat=model["horizon"])]
        model["E"] = given["E"]
    n = 1 + max(step["episode"] for step in fixture["steps"])
    by_episode = [[s for s in fixture["steps"] if s["episode"] == e] for e in range(n)]
    table = episodes_table(folder, model,
                           [[s["observation"] for s in e] for e in by_episode],
                           [[s["action"] for s in e] for e in by_episode])
    options = ["--like", settings["rules"], "--gamma", settings["gamma"], "--alpha",
               settings["alpha"]]
    if learned:
        eta = {letter: settings.get(f"lr_p{letter}", 1) if letter in learned else 0
               for letter in "ABD"}
        options += ["--learn", "--eta-A", eta["A"], "--eta-B", eta["B"], "--eta-D", eta["D"]]
        some = settings.get("modalities_to_learn", "all")
        if "A" not in learned:
            options += ["--modalities", "none"]
        elif isinstance(some, list):
            options += ["--modalities", ",".join(map(str, some))]
        some = settings.get("factors_to_learn", "all")
        if not {"B", "D"} & set(learned):
            options += ["--factors", "none"]
        elif isinstance(some, list):
            options += ["--factors", ",".join(map(str, some))]
        if settings.get("order", "").startswith("learn"):
            options += ["--when", "step-before"]
        if settings.get("D_from", "").startswith("last"):
            options += ["--beliefs-D", "last"]
        if not settings["use_param_info_gain"]:
            options += ["--novelty", "none"]
    elif novel:
        options += ["--novelty", "inverse" if legacy else "product"]
    return write_model(folder, model), table, options, fixture
