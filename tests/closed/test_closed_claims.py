"""What is claimed of closed loop in general, on models that chance makes: what conditioning on
outcomes does to G, what the backups can differ by, and where the value is concave."""
import json
import math
import os
import subprocess

import numpy as np
import pytest

COMMAND = os.environ["SONDE_COMMAND"]


def document(*words):
    done = subprocess.run([COMMAND, *map(str, words), "--json"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def columns(rng, *shape):
    table = rng.random(shape) ** 2 + 1e-3
    return table / table.sum(axis=0)


class Chance:
    """One factor, one modality, so that everything can be worked out again."""

    def __init__(self, path, seed, **keys):
        rng = np.random.default_rng(seed)
        self.n, self.u, self.T = (int(rng.integers(2, high)) for high in (5, 4, 4))
        self.A = columns(rng, self.n, self.n)
        self.B = columns(rng, self.n, self.n, self.u)
        self.C = rng.uniform(-2, 2, self.n)
        self.D = columns(rng, self.n)
        self.path, self.keys = path, keys
        self.off = keys.get("information") == "off"
        self.write(self.D)

    def write(self, belief):
        self.path.write_text(json.dumps({
            "format": "sonde-model", "version": 1, "horizon": self.T, "policies": "all",
            "factors": [{"states": self.n, "actions": self.u}],
            "modalities": [{"outcomes": self.n}], "A": [self.A.tolist()], "B": [self.B.tolist()],
            "C": [self.C.tolist()], "D": [list(belief)], "preferences": "utility", **self.keys}))

    def value(self, belief, backup, *options):
        self.write(belief)
        answer = document("plan", self.path, "--loop", "closed", "--search", "full",
                          "--backup", backup, *options)
        return sum(answer["value"]) / 2

    def step(self, q):
        """G of a step that ends in q, and what it tells about the state."""
        seen = self.A @ q
        told = -np.sum(seen * np.log(seen)) + np.sum(q * np.sum(self.A * np.log(self.A), axis=0))
        return -seen @ self.C - (0.0 if self.off else told), told

    def conditioned(self, q, sequence):
        """G and information of a fixed sequence, each step given what was seen before."""
        if not sequence:
            return 0.0, 0.0
        next_ = self.B[:, :, sequence[0]] @ q
        g, told = self.step(next_)
        for o, p in enumerate(self.A @ next_):
            rest = self.conditioned(self.A[o] * next_ / p, sequence[1:])
            g, told = g + p * rest[0], told + p * rest[1]
        return g, told


def entropy(q):
    return -sum(p * math.log(p) for p in q if p > 0)


def test_conditioning_on_outcomes_never_lowers_g_of_a_sequence(tmp_path):
    """Fact 3: g is convex in the belief."""
    for seed in range(20):
        made = Chance(tmp_path / "m.json", seed)
        for policy in document("efe", tmp_path / "m.json")["policies"]:
            sequence = [step[0] for step in policy["actions"]]
            assert made.conditioned(made.D, sequence)[0] >= policy["efe"] - 1e-12


def test_what_outcomes_tell_is_at_most_what_was_not_known(tmp_path):
    """Fact 8: information along a plan is at most H(b) and what transitions add to it."""
    for seed in range(20):
        made = Chance(tmp_path / "m.json", seed)
        rng = np.random.default_rng(seed)
        for _ in range(10):
            sequence = rng.integers(0, made.u, made.T).tolist()
            most, q = entropy(made.D), made.D
            for u in sequence:
                most += sum(p * entropy(made.B[:, s, u]) for s, p in enumerate(q))
                q = made.B[:, :, u] @ q
            assert made.conditioned(made.D, sequence)[1] <= most + 1e-12


def test_closed_is_below_open_for_certain_with_information_off_alone(tmp_path):
    """Fact 3: with information the best sequence may have the smaller G."""
    above = 0
    for seed in range(40):
        off = Chance(tmp_path / "m.json", seed, information="off")
        best = document("plan", off.path, "--search", "full")["best"]["efe"]
        assert off.value(off.D, "min") <= best + 1e-9
        made = Chance(tmp_path / "m.json", seed)
        best = document("plan", made.path, "--search", "full")["best"]["efe"]
        above += made.value(made.D, "min") > best + 1e-9
    assert above >= 10


def test_the_average_is_above_the_minimum_by_at_most_w_a_step(tmp_path):
    """Fact 4: w = W((1 - E) / (e E)) / gamma with the least prior E, Lambert's W."""
    for seed in range(15):
        made = Chance(tmp_path / "m.json", 100 + seed)
        for gamma in 0.5, 4.0:
            x = (made.u - 1) / math.e
            w = math.log1p(x)
            for _ in range(50):
                w -= (w * math.exp(w) - x) / (math.exp(w) * (1 + w))
            least = made.value(made.D, "min", "--gamma", gamma)
            average = made.value(made.D, "average", "--gamma", gamma)
            soft = made.value(made.D, "free-energy", "--gamma", gamma)
            assert least - 1e-9 <= average <= least + made.T * w / gamma + 1e-9
            assert average - 1e-9 <= soft <= least + made.T * math.log(made.u) / gamma + 1e-9


@pytest.mark.parametrize("backup", ["min", "free-energy"])
def test_value_and_entropy_together_are_concave(tmp_path, backup):
    """Facts 4 and 8: V + kappa H is concave in the belief for these, kappa 1 with one modality."""
    convex = 0
    for seed in range(12):
        made = Chance(tmp_path / "m.json", 200 + seed)
        rng = np.random.default_rng(seed)
        one, two = columns(rng, made.n), columns(rng, made.n)
        V = [made.value(q, backup) for q in (one, two, (one + two) / 2)]
        W = [v + entropy(q) for v, q in zip(V, (one, two, (one + two) / 2))]
        assert W[2] >= (W[0] + W[1]) / 2 - 1e-8
        convex += V[2] < (V[0] + V[1]) / 2 - 1e-8
    assert convex > 0  # the value alone is not
