"""Commands of agents that learn, of replays and of fits (golden.py).

What they read is made from the recorded runs of tests/data/learning and the examples, and the
tables from agents that the program itself lets live: prepare() writes all of it into a folder. Fits
use Newton's steps alone: NLopt is not the same everywhere.
"""
import json
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "replay"))
os.environ.setdefault("SONDE_TEST_DATA", str(ROOT / "tests" / "data"))
os.environ.setdefault("SONDE_COMMAND", "sonde")
import tables  # noqa: E402

# agents that learn: an example, or the model of a recorded run
EXAMPLES = ["bandit", "grid", "tmaze", "habit", "reversal"]
RECORDED = {"multi": "multi-AB.pymdp-1.0.4", "coupled": "coupled-AB.pymdp-1.0.4",
            "first": "two-ABD.pymdp-0.0.7.1", "three": "three-AB.pymdp-0.0.7.1"}
HORIZON = {"bandit": 1, "habit": 1, "reversal": 1}
SPM = ["one-ab", "three-ce", "tmaze-abcde", "tmaze-ade", "two-abde"]
# two factors, of which one does not move, and counts of everything
ALL = {"format": "sonde-model", "version": 1, "name": "all", "horizon": 2, "gamma": 2,
       "factors": [{"name": "place", "states": 3, "actions": 3}, {"name": "rule", "states": 2,
                                                                  "actions": 1}],
       "modalities": [{"name": "place", "outcomes": 3}, {"name": "sign", "outcomes": 3}],
       "counts": {"A": [[[[4, 4], [1, 1], [0, 1]], [[1, 1], [4, 4], [1, 1]],
                         [[0, 1], [1, 1], [4, 4]]],
                        [[[3, 1], [3, 1], [1, 1]], [[1, 3], [1, 3], [1, 1]],
                         [[1, 1], [0, 0], [3, 3]]]],
                  "B": [[[[5, 1, 1], [5, 1, 1], [5, 2, 1]], [[1, 5, 1], [1, 5, 0], [1, 4, 1]],
                         [[0, 1, 5], [1, 1, 5], [1, 1, 5]]], [[[9], [1]], [[1], [9]]]],
                  "C": [[1, 1, 1], [4, 1, 1]], "D": [[2, 1, 1], [1, 1.5]],
                  "E": [2, 1, 1]}}
NEWTON = "--optimiser newton"
RULES = ["", "--when step-before --omega 0.1", "--when episode", "--until 1",
         "--when episode --beliefs filtered --decay 0.3", "--omega 0.2 --toward zero --least 0.1",
         "--support grow --eta-A 0.5 --eta-B 0.4 --eta-C 0.3 --eta-D 0.2 --eta-E 0.6",
         "--when episode --omega 0.3 --decay 0.1 --support grow", "--beliefs-D filtered",
         "--beliefs-D last", "--novelty joint", "--novelty half --nu-A 0.5",
         "--precision expected --search full"]
FREE = {"bandit": "gamma,eta_A", "tmaze": "gamma,eta_A", "all": "gamma,eta_A,eta_B",
        "habit": "alpha,eta_E", "grid": "eta_B,omega", "first": "eta_D,lapse"}
PARAMETERS = {
    "per": [{"name": "gamma", "target": "gamma", "per": "session"},
            {"name": "loss", "target": "C[reward]", "add": [-1, 1], "shared": True}],
    "session": [{"name": "gamma", "target": "gamma", "per": "session"}],
    "many": [{"name": "gamma", "target": "gamma", "prior": [0.5, 0.7]},
             {"name": "scale", "target": "scale of counts.A[reward]"},
             {"name": "win", "target": "C[reward][win]", "start": 0.4}],
    "first": [{"name": "win", "target": "C[reward][win]", "shared": True},
              {"name": "eta", "target": "eta_A"}],
    "some": [{"name": "first", "target": "D[1]"}, {"name": "sure", "target": "precision of A[1]"},
             {"name": "sign", "target": "omega[sign][1]"}, {"name": "like", "target":
                                                            "scale of C[0]"}]}


def write(path, value):
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def without_actions(model, table):
    """A table without the actions of every fourth row."""
    n = sum(tables.actions_of(factor) > 1 for factor in json.loads(model.read_text())["factors"])
    lines = [line.split(",") for line in table.splitlines()]
    for line in lines[2::4]:
        line[-n:] = [""] * n
    return "".join(f"{','.join(line)}\n" for line in lines)


def people(folder):
    """Forty players of a bandit: some of them, with sessions, groups and missed trials."""
    bandit = tables.recorded("fit-bandit")
    write(folder / "arms.json", bandit["model"])
    lines = [(one["subject"], 1 + at // 15, at, arm, reward) for one in bandit["subjects"][:6]
             for at, (arm, reward) in enumerate(zip(one["arm"][:30], one["reward"]))]
    head = "subject,session,step,arm,reward\n"
    write(folder / "people.csv", head + "".join(f"{','.join(map(str, line))}\n" for line in lines))
    write(folder / "missed.csv", head + "".join(
        f"{','.join(map(str, line[:3]))},{line[3] if at % 7 else ''},{line[4] if at % 7 else ''}\n"
        for at, line in enumerate(lines)))
    names = [one["subject"] for one in bandit["subjects"][:6]]
    write(folder / "who.csv", "subject,group,age\n" + "".join(
        f"{name},{'abb'[at % 3]},{20 + at * at}\n" for at, name in enumerate(names)))
    write(folder / "evidence.csv", "subject,one,two,three\n" + "".join(
        f"{at},{-20 - at},{-22 + at % 3},{-19.5 - 1.5 * (at % 4)}\n" for at in range(9)))


def prepare(folder, sonde):
    """Writes what the commands read; `sonde` runs a command there."""
    for path in (ROOT / "examples/learning").glob("*.json"):
        shutil.copy(path, folder)
    for name, fixture in RECORDED.items():
        path, _, _, fixture = tables.pymdp(folder, fixture)
        model = json.loads(path.read_text())
        write(folder / f"{name}.json", model)
        write(folder / f"{name}-world.json", {
            **{key: value for key, value in model.items() if key != "counts"},
            **{key: value for key, value in fixture["process"].items() if key in "ABD"}})
    for name in SPM:
        fixture = tables.recorded(f"{name}.spm")
        write(folder / f"spm-{name}.json", {
            "format": "sonde-spm", "version": 1, "model": fixture["model"],
            "trials": [{"o": one["o"], "u": one["u"]} for one in fixture["trials"]]})
    write(folder / "all.json", ALL)
    write(folder / "all-world.json", ALL)
    for name, one in PARAMETERS.items():
        write(folder / f"{name}-parameters.json", one)
    people(folder)
    for name in (*EXAMPLES, *RECORDED, "all"):
        for subject in (1, 2):
            sonde(f"{life(name)} --seed {subject} --subject {subject} --data {name}-{subject}.csv "
                  f"--learned {name}-learned.json")
        first, second = ((folder / f"{name}-{subject}.csv").read_text() for subject in (1, 2))
        write(folder / f"{name}.csv", first + second.split("\n", 1)[1])
        write(folder / f"{name}-missed.csv", without_actions(folder / f"{name}.json", first))
        shutil.copy(folder / f"{name}-1.csv.json", folder / f"{name}.csv.json")
    for name, free in (("one", "gamma,eta_A"), ("two", "gamma")):
        sonde(f"fit arms.json people.csv --timing after --learn --free {free} {NEWTON} "
              f"-o fit-{name}.json")


def life(name):
    return (f"simulate {name}.json --process {name}-world.json --learn --episodes 3 --steps 4 "
            f"--horizon {HORIZON.get(name, 2)}")


def lives():
    for name in (*EXAMPLES, *RECORDED, "all"):
        for rule in RULES:
            yield f"{life(name)} {rule} --seed 3"
    yield f"{life('all')} --seed 3 --modalities 0 --factors none"
    yield f"{life('multi')} --seed 3 --modalities none --factors 1"
    yield f"{life('bandit')} --seed 3 --eta-outcome reward.win=0.3 --omega-outcome reward.loss=0.2"


def replays():
    for name in (*EXAMPLES, *RECORDED, "all"):
        for more in ("", "--timing after", "--fixed --lapse 0.1", "--action softmax --alpha 2",
                     "--per-factor --alpha 0.5", "--learn --when episode --beliefs smoothed",
                     "--learn --omega 0.1 --eta-A 0.5 --eta-B 0.3 --novelty joint",
                     "--learn --precision expected", "--novelty half --gamma 1.5"):
            yield f"replay {name}.json {name}.csv {more}"
        yield (f"replay {name}.json {name}-missed.csv --learn --missing predict --horizon "
               f"{HORIZON.get(name, 2)}")
    for more in ("", "--learn --timing after", "--learn --set gamma=2,eta_A=0.3"):
        yield f"replay arms.json people.csv {more}"
        yield f"replay arms.json missed.csv --missing predict {more}"


def fits():
    for name, free in FREE.items():
        yield f"fit {name}.json {name}.csv --free {free} --starts 2 {NEWTON}"
    arms = f"fit arms.json people.csv --timing after --learn {NEWTON}"
    yield f"{arms} --free gamma,eta_A --posterior 3"
    yield f"{arms} --free gamma --group eb --covariates who.csv"
    yield f"{arms} --free gamma --train session=1 --test session=2"
    yield f"{arms} --parameters per-parameters.json"
    yield f"{arms} --parameters session-parameters.json --group eb --starts 1"
    yield f"{arms} --parameters many-parameters.json --novelty joint"
    yield f"fit all.json all.csv --parameters some-parameters.json --starts 1 {NEWTON}"
    for more in ("fit-one.json fit-two.json", "evidence.csv",
                 "evidence.csv --family few=one --family many=two,three"):
        yield f"compare {more}"


def recoveries():
    arms = (f"recover arms.json --timing after --learn --subjects 4 --steps 20 --starts 1 "
            f"{NEWTON}")
    for more in ("--free gamma,eta_A", "--free gamma,eta_A --grid", "--free gamma --sessions 2",
                 "--parameters many-parameters.json --parameters per-parameters.json",
                 "--parameters per-parameters.json --sessions 2 --lapse 0.1",
                 "--parameters first-parameters.json"):
        yield f"{arms} {more}"
    yield (f"recover arms.json --timing after --learn --steps 20 --starts 1 --free gamma {NEWTON} "
           "--groups gamma=1 --subjects 6,10 --repeats 4")
    yield (f"recover arms.json --timing after --learn --steps 8 --starts 1 --free gamma,eta_A "
           f"{NEWTON} --groups eta_A=2 --subjects 4,6 --repeats 30")
    yield ("recover reversal.json --process reversal-world.json --learn --free gamma,omega "
           f"--subjects 3 --steps 20 --starts 1 {NEWTON}")


def others():
    for name in SPM:
        yield f"replay spm-{name}.json --scheme spm"
        yield f"fit spm-{name}.json --scheme spm --free alpha,beta,eta --starts 1 {NEWTON}"
    for name in ("all", "multi", "coupled"):
        yield f"model {name}-learned.json --reduce {name}.json"
        yield f"model {name}-learned.json --reduce {name}.json --reduced {name}-learned.json"


def commands():
    every = [command for made in (lives, replays, fits, recoveries, others) for command in made()]
    return list(dict.fromkeys(" ".join(f"{command} --json".split()) for command in every))
