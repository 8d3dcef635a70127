"""The same bytes as the command line, for the same seed."""
import json

import numpy as np
import pytest
from conftest import MODELS, ROOT, command, timeless

import sonde

GENERAL = [path for path in MODELS if json.loads(path.read_text())["format"] == "sonde-model"]
small = pytest.mark.parametrize("path", [
    path for path in GENERAL if path.stem in ("tmaze", "bandit", "weights", "grid")],
    ids=lambda path: path.stem)


def lines(text):
    """The lines of a document that do not depend on the clock or on who asked."""
    return [line for line in text.splitlines()
            if '"command"' not in line and "seconds" not in line]


@pytest.fixture
def world_file(world, tmp_path):
    world.save(tmp_path / "world.json")
    return tmp_path / "world.json"


def test_a_drawn_world_is_the_same(world):
    drawn = json.loads(command("graph", "--nodes", 6, "--seed", 30, "--json"))
    assert world.to_dict() == drawn["world"]
    assert timeless(world.report()) == timeless(drawn)


@pytest.mark.parametrize("search", sonde.searches())
@pytest.mark.parametrize("seed", [1, 7])
def test_a_plan_of_a_graph_world_has_the_same_bytes(world_file, search, seed):
    more = {"k": 5} if search in ("cluster", "surrogate", "tree") else {}
    world = sonde.Graph.from_file(world_file, seed=seed)
    ours = sonde.plan(world, search=search, seed=seed, **more)
    theirs = command("plan", world_file, "--search", search, "--seed", seed, "--json",
                     *(word for key in more for word in (f"--{key}", more[key])))
    assert lines(ours.to_json()) == lines(theirs)


@small
@pytest.mark.parametrize("search", sonde.searches())
def test_a_plan_of_a_model_has_the_same_bytes(path, search):
    action = "marginal" if search == "bounded" else "full"
    ours = sonde.plan(path, search=search, action=action, seed=3)
    theirs = command("plan", path, "--search", search, "--action", action, "--seed", 3, "--json")
    assert lines(ours.to_json()) == lines(theirs)


def test_a_plan_after_an_observation_has_the_same_bytes(tmaze):
    ours = sonde.plan(tmaze, observation=[0, 0, 0], search="full")
    theirs = command("plan", ROOT / "examples/models/tmaze.json", "--observe", "0,0,0",
                     "--search", "full", "--json")
    assert lines(ours.to_json()) == lines(theirs)


@small
def test_efe_has_the_same_bytes(path):
    model = sonde.Model.from_file(path)
    if model.n_policy > 5000:
        pytest.skip("too many to print")
    assert lines(model.efe().to_json()) == lines(command("efe", path, "--json"))


@pytest.mark.parametrize("scope", ["local", "global"])
def test_efe_of_a_graph_world_has_the_same_bytes(scope, tmp_path):
    graph = sonde.Graph.random(4, seed=3)
    graph.save(tmp_path / "four.json")
    theirs = command("efe", tmp_path / "four.json", "--scope", scope, "--json")
    assert lines(graph.efe(scope=scope).to_json()) == lines(theirs)


@small
def test_a_simulation_has_the_same_bytes(path):
    if path.stem == "grid":
        pytest.skip("takes long")
    ours = sonde.simulate(path, steps=4, search="full", seed=5)
    theirs = command("simulate", path, "--steps", 4, "--search", "full", "--seed", 5, "--json")
    assert timeless(ours.to_json()) == timeless(theirs)


def test_a_walk_has_the_same_bytes(world, world_file):
    ours = sonde.simulate(world, search="cluster", seed=1)
    theirs = command("simulate", world_file, "--search", "cluster", "--seed", 1, "--json")
    assert timeless(ours.to_json()) == timeless(theirs)
    assert ours["path"] == ours.path.tolist()


@pytest.mark.parametrize("embedding", ["boe", "aboe", "edm"])
def test_embedding_and_clusters_have_the_same_bytes(embedding, tmp_path):
    path = tmp_path / "four.json"
    graph = sonde.Graph.random(4, seed=3)
    graph.save(path)
    rows = sonde.embed(graph, embedding, seed=3)
    theirs = command("embed", path, "--seed", 3, "--embedding", embedding, "--json")
    assert lines(rows.to_json()) == lines(theirs)
    clusters = sonde.cluster(rows, k=4, seed=3)
    theirs = command("cluster", path, "--seed", 3, "--embedding", embedding, "--k", 4,
                     "--json")
    assert timeless(clusters.to_json()) == timeless(theirs)


def test_a_model_written_and_read_back_is_the_same(tmaze, tmp_path):
    tmaze.save(tmp_path / "again.json")
    again = sonde.Model.from_file(tmp_path / "again.json")
    assert again.to_json() == tmaze.to_json()
    assert np.array_equal(again.efe().efe, tmaze.efe().efe)
    assert timeless(again.report()) == timeless(command("model", tmp_path / "again.json", "--json"))


def test_the_command_comes_with_the_package():
    assert command("--version").splitlines()[0] == f"sonde {sonde.__version__}"


def test_versions_are_those_of_the_command_and_pythons_own(capsys):
    sonde.show_versions()
    said = capsys.readouterr().out
    assert said.startswith(command("--version"))
    lines = dict(line.split(": ") for line in said.splitlines()[1:])
    assert list(lines) == ["compiler", "jansson", "zlib", "SQLite", "MPI", "page", "Python",
                           "numpy", "matplotlib", "networkx", "scipy"]
    assert lines["numpy"] == np.__version__ and lines["SQLite"][0] == "3"
