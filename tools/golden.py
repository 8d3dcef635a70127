#!/usr/bin/env python3
"""What Sonde answers to several hundred commands, compared with what it answered before.

    tools/golden.py compare OLD NEW [--python-old PY --python-new PY]
                            runs two binaries (and two Pythons that have the package) and shows
                            where their answers differ
    tools/golden.py record BINARY FILE [--python PY] [--only SECTION]
                            writes a digest of every answer; --only keeps the other sections
    tools/golden.py check BINARY FILE [--python PY]
                            fails where an answer has another digest, and says for what command
    tools/golden.py list    the commands
    tools/golden.py python  the answers of the package that this Python has, as lines of JSON

A change that must not change numbers leaves every digest alone; one that does it on purpose records
them again, with the old binary at hand to show what has changed. Numbers are the same on every
machine, so the digests are. The sections can be recorded apart:

    results       JSON documents and rows of studies, without what the next three have
    settings      "command", "settings" and the conditions of studies
    certificates  what a search says of its own exactness
    words         text for people: errors with their exit status, help, plain output
    learning      JSON documents of agents that learn, replays and fits, without settings
    python        calls of the Python package

Seconds and versions are in none of them.
"""
import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import golden_lives

ROOT = Path(__file__).resolve().parent.parent
SECTIONS = ["results", "settings", "certificates", "words", "learning", "python"]

SEARCHES = ["full", "cluster", "bounded", "random", "beam", "surrogate", "tree"]
EMBEDDINGS = ["boe", "boe-set", "aboe", "aboe-onehot", "aboe-edges", "edm", "boa", "boa-set",
              "timed", "occupancy", "ends", "value", "walk2vec", "ngram"]
OF_MODELS = ["edm", "boa", "boa-set", "timed", "occupancy", "ends", "value", "ngram"]
MOVING = ["occupancy", "value"]  # rows depend on where the agent is: local scope alone
DIFFERENCES = ["boe", "aboe", "lookup", "lag", "nearest", "empty", "order"]
ACTIONS = ["marginal", "deterministic", "full", "softmax", "best"]
LIKE = ["pymdp", "pymdp-legacy", "spm"]

# general models, with a horizon that keeps them small
MODELS = {"models/tmaze.json": 2, "models/bandit.json": 3, "models/weights.json": 2,
          "models/grid5.json": 3, "models/chaining.json": 2, "models/deep.json": 3,
          "small.npz": 2}

# made first, by the binary itself
DRAWN = {"four.json": "graph --nodes 4 --seed 102", "directed.json":
         "graph --nodes 5 --seed 7 --connect directed", "six.json": "graph --nodes 6 --seed 30",
         "tiger.json": "model --make tiger", "rocks.json": "model --make rocksample --size 3 "
         "--rocks 2", "maze.json": "model --make t-maze", "lake.json":
         "model --make frozenlake --size 4", "slip.json":
         "model --make grid --size 3 --slip 0.2 --noise 0.2"}

# outcomes and actions to smooth, by model
SEQUENCES = {"slip.json": ([[4], [1], [1], [0], [3]], [[0], [3], [2], [4]]),
             "maze.json": ([[0, 0], [3, 0], [1, 1], [2, 2]], [[3, 0], [1, 0], [2, 0]])}

# ---------------------------------------------------------------------------------- commands --


def plans_of_worlds():
    for world in ("three.json", "five.json", "house.json", "four.json", "directed.json"):
        for search in SEARCHES:
            for scope in ("local", "global"):
                yield f"plan {world} --search {search} --scope {scope} --horizon 3"
    for embedding in EMBEDDINGS:
        for scope in ("local", "global"):
            for semantics in ("text", "notebook"):
                if scope == "local" or embedding not in MOVING:
                    yield (f"plan four.json --search cluster --k 5 --embedding {embedding} "
                           f"--scope {scope} --semantics {semantics}")
    for name in DIFFERENCES:
        for scope in ("local", "global"):
            yield (f"plan three.json --search cluster --differences {name} --scope {scope} "
                   f"--embedding {'aboe' if name == 'aboe' else 'boe'} --k 3"
                   f"{' --k-before 4' if name == 'lag' else ''}")
    for action in ACTIONS:
        yield f"plan four.json --search full --action {action} --gamma 0.02 --seed 5"
    for search in SEARCHES:
        yield f"plan four.json --search {search} --explain"
        yield f"plan four.json --search {search} --seed 9 --gamma 0.05 --lambda 0.5"


def plans_of_clusters():
    for probe in ("center", "sample --samples 2", "adaptive --samples 4 --delta 0.2"):
        for world in ("six.json --horizon 3", "models/tmaze.json"):
            yield f"plan {world} --search cluster --probe {probe} --k 4"
    for more in ("--k auto", "--top 3", "--method ward", "--restarts 1", "--policy-sample 20",
                 "--policy-sample 20 --members 5", "--embedding aboe-onehot --onehot-weight 2",
                 "--embedding ngram --ngram 3", "--embedding ends --ends 1",
                 "--embedding walk2vec --dimension 3", "--gamma 0.1"):
        yield f"plan four.json --search cluster {more}"
        yield f"simulate four.json --search cluster {more} --steps 2"


def plans_of_settings():
    for more in ("--search bounded --epsilon 0.2", "--search bounded --epsilon 1e-9",
                 "--search bounded --budget 40", "--search random --budget 60",
                 "--search beam --beam 2", "--search beam --beam 7",
                 "--search surrogate --budget 90",
                 "--search tree --depth 3 --branch 2", "--search tree --depth 1 --k 4",
                 "--search tree --top 2 --k 3", "--alpha 4", "--horizon 1"):
        for world in ("four.json", "models/grid5.json"):
            yield f"plan {world} {more}"
    for fallback in SEARCHES:
        if fallback != "beam":
            yield f"plan models/tmaze.json --search beam --beam 2 --fallback {fallback}"


def plans_of_models():
    for model, horizon in MODELS.items():
        for search in SEARCHES:
            yield f"plan {model} --search {search} --horizon {horizon}"
        yield f"plan {model} --explain --gamma 2 --horizon {horizon}"
        yield f"plan {model} --per-factor --action deterministic --horizon {horizon}"
    for embedding in OF_MODELS:
        for model in ("models/tmaze.json", "models/weights.json"):
            yield f"plan {model} --search cluster --k 4 --embedding {embedding}"
    for name in LIKE:
        for model in ("models/tmaze.json", "models/bandit.json"):
            yield f"plan {model} --like {name}"
    for preferences in ("log", "probability", "utility"):
        for information in ("per-modality", "joint"):
            yield (f"plan positive.json --preferences {preferences} "
                   f"--information {information} --gamma 3")
    for observe in ("3,0,1", "cue,nothing,'says right'"):
        yield f"plan models/tmaze.json --observe {observe}"
    for search in SEARCHES:
        yield f"plan models/tmaze.json --search {search} --explain"
    for action in ACTIONS:
        yield f"plan models/bandit.json --search full --action {action} --seed 3 --gamma 1"


def simulations():
    for search in SEARCHES:
        for world in ("three.json", "four.json", "models/tmaze.json", "models/bandit.json"):
            yield f"simulate {world} --search {search} --steps 4 --seed 2"
        yield f"simulate three.json --search {search} --scope global --steps 3"
    for embedding in EMBEDDINGS:
        yield f"simulate three.json --search cluster --embedding {embedding} --steps 3 --k 4"
    yield "simulate three.json --search cluster --semantics notebook --steps 5 --k 3"
    yield "simulate models/tmaze.json --process models/tmaze-right.json --steps 4"
    yield "simulate models/bandit.json --process models/bandit-liar.json --steps 5"
    yield "simulate models/grid5.json --steps 5 --replan-every 2"
    yield "simulate models/grid5.json --steps 5 --replan-every 3 --replan-surprise 0.5"
    yield "simulate models/chaining.json --horizon 2 --steps 3 --like pymdp"


def lists():
    for world in ("three.json", "house.json", "four.json --horizon 2", "models/tmaze.json",
                  "models/weights.json --horizon 1", "small.npz --horizon 2"):
        for more in ("", "--steps", "--sort --first 5"):
            yield f"efe {world} {more}"
    yield "efe three.json --scope global"
    yield "efe three.json --policies policies.json"
    yield "efe models/tmaze.json --observe 3,0,1 --information joint"
    for embedding in EMBEDDINGS:
        yield f"embed three.json --embedding {embedding}"
        yield f"embed three.json --embedding {embedding} --scope global"
        yield f"cluster three.json --embedding {embedding} --k 4"
    for embedding in OF_MODELS:
        yield f"embed models/tmaze.json --embedding {embedding}"
        yield f"cluster models/bandit.json --horizon 2 --embedding {embedding} --k 3"
    yield "cluster four.json --method ward --k 5"
    yield "cluster four.json --k auto --restarts 3 --seed 4"
    yield "cluster four.json --scope global --k 6 --policy-sample 50"


def worlds():
    for seed in range(1, 7):
        for connect in ("symmetric", "directed"):
            yield f"graph --nodes {seed + 2} --connect {connect} --seed {seed}"
    yield "graph --nodes 5 --edge-probability 0.9 --weights 1,2,7 --idle 3 --seed 8"
    for name in ("one", "two", "three", "five", "house", "odd_names", "open", "rooms"):
        yield f"model {name}.json"
        if name != "rooms":
            yield f"graph {name}.json"
    for model in MODELS:
        yield f"model {model}"
    for model in ("tmaze", "bandit", "weights", "grid5"):
        yield f"model models/{model}.json -o -"
    yield "graph house.json -o -"
    yield "graph --nodes 6 --seed 3 -o -"


def plans_of_closed_loop():
    """Closed loop: every search, backup, belief and branching, pruning, and no horizon at all."""
    small = {"models/tmaze.json": 2, "models/bandit.json": 2, "models/weights.json": 2,
             "positive.json": 2, "maze.json": 3, "tiger.json": 3, "slip.json": 2, "rocks.json": 2}
    for model, horizon in small.items():
        closed = f"plan {model} --loop closed --horizon {horizon}"
        for backup in ("min", "average", "free-energy"):
            yield f"{closed} --search full --backup {backup}"
            yield f"{closed} --search bounded --epsilon 1e-6 --backup {backup} --discount 0.9"
        for search in ("bounded --epsilon 0.2", "bounded --budget 4", "bounded --gap 0.3",
                       "bounded --no-merge --gamma 0.5", "dpefe --gamma 2", "qmdp --discount 0.8",
                       "uct --budget 60", "uct --budget 40 --rollout --exploration 3",
                       "pruned", "pruned --belief factorised --pruning pymdp-legacy",
                       "pruned --pruning spm --prune-outcome 0.2",
                       "pruned --max-branching 7 --prune-outcome 0.01 --prune-action 0.01",
                       "pruned --pruning spm --max-branching 1 --prune-outcome 0.01",
                       "pruned --max-beliefs 30 --stop-entropy 0.5 --prune-penalty 3"):
            yield f"{closed} --search {search}"
    for model in ("models/tmaze.json", "positive.json", "maze.json"):
        for more in ("--belief factorised", "--information joint", "--information off --gamma 3",
                     "--belief factorised --branches marginal --backup min"):
            yield f"plan {model} --loop closed --search full --horizon 2 {more}"
        yield f"simulate {model} --loop closed --horizon 2 --steps 3"
        yield f"simulate {model} --loop closed --horizon 3 --steps 3 --replan shrinking"
    for model in ("tiger.json", "rocks.json", "lake.json", "maze.json", "slip.json"):
        for more in ("--backup min --gap 0.5 --budget 300", "--backup min --budget 40",
                     "--backup min --gap 2 --information off --budget 300",
                     "--gamma 2 --budget 90"):
            yield f"plan {model} --loop closed --horizon inf --discount 0.9 {more}"
        yield (f"simulate {model} --loop closed --horizon inf --discount 0.8 --backup min "
               f"--budget 100 --steps 3")


def plans_of_bounds():
    """What bounds stand on: weights of 0, other starts, a horizon that fills its arrays."""
    for model in ("models/tmaze.json", "models/bandit.json", "positive.json", "models/grid5.json"):
        for more in ("--weight-information 0", "--weight-utility 0 --gamma 2",
                     "--weight-information 0.3 --weight-utility 2 --per-factor"):
            yield f"plan {model} --search bounded --horizon 3 {more}"
    for start in ("1,2", "2,0", "3,1"):
        for search in ("bounded", "full", "beam", "surrogate"):
            yield f"plan four.json --start {start} --search {search} --explain"
    for model in ("tiger.json", "maze.json"):
        yield f"simulate {model} --loop closed --search bounded --horizon 8 --budget 60 --steps 3"
    for more in ("", "--branches marginal", "--search full --backup min"):
        yield f"plan rocks.json --loop closed --belief factorised --horizon 2 {more}"


def sequences():
    for model in SEQUENCES:
        for how in ("filtered", "smoothed", "mmp", "vmp"):
            yield f"smooth {model} --data seen-{model} --how {how}"
        for inference in ("pymdp", "pymdp-legacy"):
            yield f"smooth {model} --data seen-{model} --how filtered --inference {inference}"


def results():
    """The commands whose answers are documents, each with --json unless it writes a file."""
    for made in (plans_of_worlds, plans_of_clusters, plans_of_settings, plans_of_models,
                 plans_of_closed_loop, plans_of_bounds, sequences, simulations, lists, worlds):
        for command in made():
            command = " ".join(command.split())
            yield command if command.endswith(" -o -") else command + " --json"


PLANS = {
    "table": {"worlds": {"sizes": [3, 4], "graphs": 2}, "steps": 4, "conditions": [
        {"group": "table", "semantics": ["text", "notebook"], "search": "full",
         "scope": ["local", "global"]},
        {"group": "table", "semantics": ["text", "notebook"], "search": "cluster",
         "scope": ["local", "global"], "embedding": ["boe", "aboe"], "k": [3, 6],
         "probe": ["center", "sample"], "samples": 3, "k_before": 6},
        {"group": "difference", "differences": ["boe", "lookup", "order"], "search": "cluster",
         "embedding": "boe", "k": 3}]},
    "judged": {"worlds": {"sizes": [3], "graphs": 2, "models": [
        {"model": "tmaze", "steps": 1}, {"model": "bandit", "name": "short", "horizon": 2,
                                         "steps": 2}]},
               "steps": 3, "judge": 2, "conditions": [
        {"group": "quality", "search": ["full", "random", "beam"]},
        {"group": "quality", "search": ["surrogate", "tree"], "embedding": "boa"},
        {"group": "quality", "search": "bounded", "epsilon": [0.1, 0.001]},
        {"group": "quality", "search": "cluster", "k": 3, "embedding": ["boa", "edm"]}]},
    "one-way": {"worlds": {"sizes": [4], "graphs": 3}, "steps": 4, "conditions": [
        {"connect": "directed", "search": "full"},
        {"connect": "directed", "action": "softmax", "search": "cluster", "k": 4},
        {"search": "bounded", "horizon": [2, 3]}]},
}


def words():
    """The commands whose answers are for people, wrong ones above all."""
    for verb in ("", "graph", "model", "efe", "embed", "cluster", "plan", "simulate", "study",
                 "report", "bench"):
        yield f"help {verb}".strip()
    for world in ("three.json", "models/tmaze.json"):
        for verb in ("plan", "plan --explain", "simulate --steps 3", "efe", "embed",
                     "cluster --k 3"):
            yield f"{verb} {world}"
    yield from ("graph house.json", "model models/tmaze.json", "plan four.json --search cluster")
    for bad in sorted((ROOT / "tests/data/worlds/bad").glob("*.json")):
        yield f"plan bad/{bad.name}"
    yield from (
        "", "plam", "plan", "plan nowhere.json", "plan three.json --k 3x",
        "plan three.json --sead 1",
        "plan three.json --search fast", "plan three.json --embedding bow",
        "plan three.json --gamma nan", "plan three.json --epsilon 2 --search bounded",
        "plan three.json --search full --beam 3", "plan three.json --search beam --k 3",
        "plan three.json --semantics both", "plan three.json --differences none",
        "plan three.json --horizon 0", "plan three.json --horizon 60 --search full",
        "plan three.json --threads 0", "plan three.json --memory 1x", "plan three.json extra",
        "plan models/tmaze.json --embedding boe", "plan models/tmaze.json --scope global",
        "plan models/tmaze.json --observe 9,0,0", "plan three.json --observe 1",
        "plan three.json --like pymdp", "plan models/tmaze.json --start 0,1",
        "simulate three.json --steps -1", "simulate three.json --process models/tmaze.json",
        "efe three.json --policies bad/policies_short.json", "efe three.json --first 0",
        "plan three.json --search cluster --embedding value --scope global",
        "plan three.json --action full", "plan three.json --search beam --fallback beam",
        "plan three.json --differences boe --k-before 3", "graph rooms.json",
        "graph --nodes 1", "graph three.json --nodes 4", "graph --nodes 4 --edge-probability 2",
        "cluster three.json --k 0", "study", "study nowhere.json --db x.sqlite",
        "study table.json", "study --show quality", "report",
        "report nowhere.sqlite -o r", "report three.json -o r")


# ----------------------------------------------------------------------------------- answers --

MASKS = [(re.compile(r"^(time: +).*", re.M), r"\1*"),
         (re.compile(r'("(?:\w+_)?seconds": )[-+.e0-9]+'), r"\1*"),
         (re.compile(r"\bsonde [0-9]+\.[0-9]+\.[0-9]+"), "sonde *")]
CERTIFICATES = {"certificate", "trace", "bounds", "bound", "proven", "tv_unbounded"}
SETTINGS = {"command", "settings"}


def prepare(folder):
    """Puts what the commands read into a folder."""
    shutil.copytree(ROOT / "tests/data/worlds", folder, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples/models", folder / "models",
                    ignore=shutil.ignore_patterns("*.md", "*.py", "__pycache__"))
    shutil.copy(ROOT / "tests/data/models/small.npz", folder)
    positive = json.loads((folder / "models/tmaze.json").read_text())
    positive["C"] = [[value + 3 for value in row] for row in positive["C"]]
    (folder / "positive.json").write_text(json.dumps(positive))
    for name, (outcomes, actions) in SEQUENCES.items():
        (folder / f"seen-{name}").write_text(json.dumps(
            {"format": "sonde-sequence", "version": 1, "outcomes": outcomes, "actions": actions}))
    for name, plan in PLANS.items():
        document = {"format": "sonde-plan", "version": 1, "name": name, "seed": 1, **plan}
        (folder / f"{name}.json").write_text(json.dumps(document))


def run(binary, command, folder):
    done = subprocess.run([binary, *shlex.split(command)], cwd=folder, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, LC_ALL="C", COLUMNS="80"), capture_output=True,
                          text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def sort_out(value, parts):
    """A value without seconds and versions; what sections of their own have goes to `parts`."""
    if isinstance(value, list):
        return [sort_out(one, parts) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, one in value.items():
        if key == "sonde" or "seconds" in key:
            continue
        one = sort_out(one, parts)
        if key in SETTINGS:
            parts["settings"].append([key, one])
        elif key in CERTIFICATES:
            parts["certificates"].append([key, one])
        else:
            kept[key] = one
    return kept


def answer_json(command, status, out, err):
    parts = {"settings": [], "certificates": []}
    if status == 0 and out.startswith("{"):
        parts["results"] = sort_out(json.loads(out), parts)
    else:
        parts["results"] = {"exit": status, "out": out, "err": err}
    return {(section, command): value for section, value in parts.items() if value}


def answer_rows(command, database):
    """The rows of a study: conditions are settings, bounds are certificates."""
    with sqlite3.connect(database) as connection:
        tables = {}
        for table in ("world", "run", "condition"):
            cursor = connection.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            rows = sorted((dict(zip(names, row)) for row in cursor.fetchall()),
                          key=lambda row: json.dumps([row.get("condition"), row.get("connect"),
                                                      row["size"] if "size" in row else 0,
                                                      row.get("horizon"), row.get("graph")]))
            tables[table] = rows
    connection.close()
    parts = {"settings": [tables.pop("condition")], "certificates": []}
    for world in tables["world"]:
        world["document"] = json.loads(world["document"])
    parts["results"] = sort_out(tables, parts)
    return {(section, command): value for section, value in parts.items()}


def answer_life(command, status, out, err):
    """Of an agent that learns, a replay or a fit."""
    parts = {"settings": [], "certificates": []}
    value = sort_out(json.loads(out), parts) if status == 0 else {"exit": status, "err": err}
    return {("learning", command): value}


def timeless(table):
    """A table for people without its times, nor the room that they take."""
    return re.sub(r"[ ─-]+", " ", re.sub(r"[\d.]+ (µs|ms|s)\b", "", table))


def answer_study(binary, name, folder):
    command = f"study {name}.json --db {name}.sqlite --threads 1 --quiet"
    status, out, err = run(binary, command, folder)
    if status != 0:
        return {("results", command): {"exit": status, "out": out, "err": err}}
    answers = answer_rows(command, folder / f"{name}.sqlite")
    report = f"report {name}.sqlite -o {name} --quiet"
    status, out, err = run(binary, report, folder)
    answers["words", report] = {"exit": status, "out": timeless(out), "err": err}
    tables = folder / name / "tables"
    answers["results", report] = {path.name: path.read_text()
                                  for path in sorted(tables.glob("*.csv"))
                                  if path.stem in ("table1", "differences")}
    return answers


def mask(text):
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def answers_of(binary):
    """What a binary answers: {(section, command): value}."""
    binary = Path(binary).resolve()
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(2) as pool:
        folder = Path(place)
        prepare(folder)
        for name, command in DRAWN.items():
            run(binary, f"{command} -o {name}", folder)
        lives = folder / "lives"
        lives.mkdir()
        golden_lives.prepare(lives, lambda command: run(binary, command, lives))
        answers = {}
        studies = [pool.submit(answer_study, binary, name, folder) for name in PLANS]
        commands = [(command, pool.submit(run, binary, command, folder))
                    for command in dict.fromkeys(results())]
        lived = [(command, pool.submit(run, binary, command, lives))
                 for command in golden_lives.commands()]
        texts = [(command, pool.submit(run, binary, command, folder))
                 for command in dict.fromkeys(words())]
        for command, done in commands:
            answers.update(answer_json(command, *done.result()))
        for command, done in lived:
            answers.update(answer_life(command, *done.result()))
        for command, done in texts:
            status, out, err = done.result()
            answers["words", command] = {"exit": status, "out": mask(out), "err": mask(err)}
        for study in studies:
            answers.update(study.result())
    return answers


# ------------------------------------------------------------------------------------ Python --

def plain(value):
    """Arrays and their kin as lists. NumPy's exp differs in the last digits between machines."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return value


def python_plans(sonde, models, world):
    for name, model in models.items():
        for search in SEARCHES:
            yield f"plan {name} {search}", lambda m=model, s=search: sonde.plan(
                m, search=s).to_dict()
        yield f"plan {name} explain", lambda m=model: sonde.plan(m).explain().to_dict()
        yield f"plan {name} k", lambda m=model: sonde.plan(m, k=3, seed=4).to_dict()
        yield f"efe {name}", lambda m=model: {key: getattr(m.efe(), key) for key in
                                              ("efe", "risk", "ambiguity", "cost", "policies",
                                               "steps")}
        yield f"simulate {name}", lambda m=model: sonde.simulate(m, steps=3).to_dict()
        yield f"simulate {name} cluster", lambda m=model: sonde.simulate(m, steps=3, k=3).to_dict()
    for embedding in EMBEDDINGS:
        yield f"embed {embedding}", lambda e=embedding: {
            key: getattr(sonde.embed(world, e), key)
            for key in ("rows", "row_of", "weight", "plane")}
        yield f"cluster {embedding}", lambda e=embedding: {
            key: getattr(sonde.cluster(world, 4, embedding=e), key)
            for key in ("label", "center", "representative", "size", "inertia")}


def python_agents(sonde, models):
    def live(model, **settings):
        # the agent with pymdp's verbs has a module of its own now
        agent = getattr(sonde, "pymdp", sonde).Agent(model=model, **({"seed": 1} | settings))
        lived = []
        for _ in range(3):
            qs = agent.infer_states([0] * len(model.num_obs))
            q_pi, neg_efe = agent.infer_policies()
            lived.append([qs, q_pi, neg_efe, agent.sample_action()])
        return lived

    for name in ("tmaze", "bandit"):
        yield f"agent {name}", lambda m=models[name]: live(m)
        yield f"agent {name} cluster", lambda m=models[name]: live(m, search="cluster", k=3)
        yield f"agent {name} bounded", lambda m=models[name]: live(m, search="bounded")


def python_answers():
    """What the package of this Python answers: {name: value}."""
    import sonde
    folder = ROOT / "examples/models"
    world = sonde.Graph.random(4, seed=102)
    models = {name: sonde.Model.from_file(folder / f"{name}.json")
              for name in ("tmaze", "bandit", "weights")}
    models["world"] = world.model
    made = {}
    for cases in (python_plans(sonde, models, world), python_agents(sonde, models)):
        for name, call in cases:
            try:
                value = plain(call())
            except Exception as wrong:  # its sentence is the answer
                value = f"{type(wrong).__name__}: {wrong}"
            # without what the other sections have
            made[name] = sort_out(value, {"settings": [], "certificates": []})
    return made


def answers_of_python(python):
    done = subprocess.run([python, __file__, "python"], capture_output=True, text=True, check=True,
                          cwd=tempfile.gettempdir())
    return {("python", name): value for name, value in map(json.loads, done.stdout.splitlines())}


# ----------------------------------------------------------------------------------- digests --

def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(value):
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:8]


HEAD = """# A digest of every answer; tools/golden.py record BINARY FILE makes it again.
# SECTION DIGEST COMMAND
"""


def read(path):
    recorded = {}
    for line in Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            section, found, *command = line.split(" ", 2)
            recorded[section, command[0] if command else ""] = found
    return recorded


def record(path, answers, only):
    recorded = read(path) if only and Path(path).exists() else {}
    made = {key: digest(value) for key, value in answers.items()}
    kept = {key: value for key, value in recorded.items() if key[0] != only} if only else {}
    kept.update({key: value for key, value in made.items() if only in (None, key[0])})
    lines = [f"{section} {found} {command}".rstrip() for (section, command), found in
             sorted(kept.items(), key=lambda item: SECTIONS.index(item[0][0]))]
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(HEAD + "\n".join(lines) + "\n")


def check(path, answers, sections):
    """The commands, with their sections, whose answers are not as recorded."""
    recorded = {key: value for key, value in read(path).items() if key[0] in sections}
    made = {key: digest(value) for key, value in answers.items() if key[0] in sections}
    return [key for key in dict.fromkeys([*recorded, *made]) if recorded.get(key) != made.get(key)]


def differences(old, new, path=""):
    """Where two values differ: (path, old, new)."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new)):
            yield from differences(a, b, f"{path}[{i}]")
    elif canonical(old) != canonical(new):
        yield path, old, new


def compare(old, new):
    """Prints where answers differ, a few places of each; returns of how many commands."""
    n = 0
    for key in dict.fromkeys([*old, *new]):
        found = list(differences(old.get(key), new.get(key)))
        if found:
            n += 1
            print(f"{key[0]}: {key[1]}")
            for path, a, b in found[:5]:
                print(f"    {path or '(all)'}: {canonical(a)[:200]} -> {canonical(b)[:200]}")
            if len(found) > 5:
                print(f"    and {len(found) - 5} more")
    return n


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("compare")
    verb.add_argument("old")
    verb.add_argument("new")
    verb.add_argument("--python-old")
    verb.add_argument("--python-new")
    for name in ("record", "check"):
        verb = verbs.add_parser(name)
        verb.add_argument("binary")
        verb.add_argument("file")
        verb.add_argument("--python")
        verb.add_argument("--only", choices=SECTIONS)
    verbs.add_parser("list")
    verbs.add_parser("python")
    given = parser.parse_args()

    if given.verb == "list":
        print("\n".join([*dict.fromkeys(results()), *dict.fromkeys(words()), *PLANS,
                         *golden_lives.commands()]))
    elif given.verb == "python":
        for name, value in python_answers().items():
            print(json.dumps([name, value]))
    elif given.verb == "compare":
        old, new = answers_of(given.old), answers_of(given.new)
        if given.python_old and given.python_new:
            old.update(answers_of_python(given.python_old))
            new.update(answers_of_python(given.python_new))
        n = compare(old, new)
        print(f"{len(new)} answers, {n} differ")
        return 1 if n else 0
    else:
        answers = {} if given.only == "python" else answers_of(given.binary)
        if given.python:
            answers.update(answers_of_python(given.python))
        if given.verb == "record":
            if not given.python and not given.only and Path(given.file).exists():
                # without the package its section stays as it is
                kept = {key: value for key, value in read(given.file).items() if key[0] == "python"}
                record(given.file, answers, None)
                with open(given.file, "a") as file:
                    file.writelines(f"python {found} {command}\n"
                                    for (_, command), found in kept.items())
            else:
                record(given.file, answers, given.only)
            return 0
        sections = [given.only] if given.only else SECTIONS[:None if given.python else -1]
        wrong = check(given.file, answers, sections)
        for section, command in wrong:
            print(f"{section}: sonde {command}")
        n = sum(section in sections for section, _ in read(given.file))
        print(f"{n} answers, {len(wrong)} differ" + (
            f"; tools/golden.py compare OLD NEW shows how, tools/golden.py record BINARY "
            f"{given.file} takes them as they are" if wrong else ""))
        return 1 if wrong else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
