"""The five examples of agents that learn do what their pages say."""
# long
import json
import os
import subprocess
import sys
from pathlib import Path

COMMAND = os.environ["SONDE_COMMAND"]
HERE = Path(__file__).resolve().parents[2] / "examples" / "learning"
sys.path.insert(0, str(HERE))


def lived(name, world, *words, seeds=8):
    runs = []
    for seed in range(seeds):
        done = subprocess.run([COMMAND, "simulate", f"{name}.json", "--learn", "--process",
                               f"{world}-world.json", *words, "--seed", str(seed), "--json"],
                              cwd=HERE, capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    return runs


def actions(run):
    return [step["action"]["actions"][0] for step in run["steps"]]


def share(runs, first, end, action):
    taken = [a == action for run in runs for a in actions(run)[first:end]]
    return sum(taken) / len(taken)


def test_documents_are_what_make_writes():
    import make
    for function in (make.tmaze, make.grid, make.bandit, make.reversal, make.habit):
        for name, document in function().items():
            assert json.loads((HERE / f"{name}.json").read_text()) == document


def test_every_page_has_a_figure_that_was_drawn():
    for name in ("tmaze", "grid", "bandit", "reversal", "habit"):
        assert f"]({name}.svg)" in (HERE / f"{name}.md").read_text()
        assert "nats from where it began" in (HERE / f"{name}.svg").read_text()


def test_novelty_looks_at_the_light_before_anybody_knows_what_it_means():
    words = ["--when", "episode", "--steps", "3", "--episodes", "60"]
    looks, finds = {}, {}
    for form in ("joint", "none"):
        runs = lived("tmaze", "tmaze", *words, "--novelty", form)
        looks[form] = [sum(e["actions"][0] == 3 for r in runs for e in r["episodes"][a:b])
                       / (len(runs) * (b - a)) for a, b in ((0, 10), (40, 60))]
        finds[form] = sum(any(o[1] == 1 for o in e["outcomes"]) for r in runs
                          for e in r["episodes"][10:40]) / (30 * len(runs))
    assert looks["joint"][0] > looks["none"][0] + 0.25
    assert looks["joint"][1] > 0.7
    assert finds["joint"] > finds["none"] + 0.05


def test_novelty_tries_more_moves():
    def tried(form):
        runs = lived("grid", "grid", "--steps", "150", "--novelty", form)
        return sum(run["learned"]["B"][0]["kl"] for run in runs) / len(runs)
    assert tried("joint") > 1.2 * tried("none")


def test_the_best_arm_is_found():
    assert share(lived("bandit", "bandit", "--novelty", "joint", "--steps", "100"), 50, 100,
                 2) > 0.7


def test_forgetting_follows_a_reversal():
    for omega, low, high in (("0", 0.0, 0.7), ("0.1", 0.8, 1.0)):
        runs = lived("reversal", "reversal", "--novelty", "joint", "--omega", omega, "--steps",
                     "120")
        assert share(runs, 30, 60, 0) > 0.8
        assert low <= share(runs, 90, 120, 1) <= high


def test_a_habit_stays_for_a_while_and_breaks():
    words = ["--steps", "200", "--omega-outcome", "reward=0.05"]
    habit, none = (lived(name, "habit", *words) for name in ("habit", "habit-none"))
    assert share(habit, 50, 100, 0) > 0.9
    assert share(habit, 100, 130, 0) > share(none, 100, 130, 0) + 0.15
    assert share(habit, 185, 200, 1) > 0.5
