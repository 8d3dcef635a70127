"""Failures are exceptions with the library's sentences."""
import contextlib
import pickle
import random
import sqlite3
import subprocess

import numpy as np
import pytest
from conftest import ROOT, command, random_arrays

import sonde
from sonde import _sonde


def sentence(*arguments):
    """What the command says went wrong."""
    with pytest.raises(subprocess.CalledProcessError) as failure:
        command(*arguments)
    return failure.value.stderr


@pytest.mark.parametrize("error, usual", [
    (sonde.BadInput, ValueError), (sonde.NoFile, FileNotFoundError), (sonde.NotWritten, OSError),
    (sonde.TooLarge, MemoryError), (sonde.NoPolicy, ValueError), (sonde.EmptyCluster, RuntimeError),
])
def test_one_error_stands_above_all_of_ours(error, usual):
    assert issubclass(error, sonde.Error) and issubclass(error, usual)
    assert error.__module__ == "sonde" and error.__doc__
    assert type(pickle.loads(pickle.dumps(error("why")))) is error
    assert not issubclass(sonde.Error, (ValueError, OSError, MemoryError, RuntimeError))


def test_whatever_sonde_refuses_is_an_error_of_its_own(tmaze, world, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    sonde.Study("paper", tmp_path / "a.sqlite").close()
    eye = np.eye(2)[:, :, None].repeat(2, axis=2)
    shut = sonde.Model(A=np.eye(2), B=eye, D=[1.0, 0.0], horizon=2, policies="allowed",
                       allowed=[[[1, 0]]])
    refused = {
        sonde.NoFile: [lambda: sonde.Model.from_file("nowhere.json"),
                       lambda: sonde.plan("nowhere.json"),
                       lambda: sonde.Study("paper", tmp_path / "no/folder/a.sqlite")],
        sonde.TooLarge: [lambda: sonde.plan(world, search="cluster", memory=1000)],
        sonde.NoPolicy: [lambda: sonde.plan(shut), lambda: sonde.Agent(shut).decide()],
        sonde.NotWritten: [lambda: sonde.report(tmp_path / "a.sqlite", tmp_path / "bad.json")],
        sonde.BadInput: [
            lambda: sonde.Model.from_file(tmp_path / "bad.json"),          # the library
            lambda: sonde.plan(tmaze, search="clusters"),                  # the extension
            lambda: sonde.plan(tmaze, gamma="high"),
            lambda: sonde.plan(tmaze, search="full", k=3),                 # the package
            lambda: sonde.plan(tmaze, [0.5, 0.5]), lambda: sonde.plan(tmaze, memory="2 apples"),
            lambda: sonde.Agent(tmaze).observe([9, 0, 0]), lambda: sonde.Agent(tmaze).act(),
            lambda: sonde.pymdp.Agent(model=tmaze).sample_action(),
            lambda: sonde.embed(tmaze, ngram=3), lambda: sonde.like("matlab")],
    }
    for error, calls in refused.items():
        for call in calls:
            with pytest.raises(error) as failure:
                call()
            assert type(failure.value) is error


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError) as failure:
        sonde.Model.from_file("nowhere.json")
    assert str(failure.value) in sentence("plan", "nowhere.json")


def test_a_file_that_says_something_else(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"format": "sonde-model", "version": 1}')
    with pytest.raises(ValueError) as failure:
        sonde.Model.from_file(path)
    assert str(failure.value) in sentence("plan", path)
    with pytest.raises(ValueError, match="bad.json"):
        sonde.Graph.from_file(path)


def test_more_than_is_allowed(world, tmp_path):
    world.save(tmp_path / "w.json")
    with pytest.raises(sonde.TooLarge) as failure:
        sonde.plan(world, search="cluster", memory=1000)
    assert isinstance(failure.value, MemoryError)
    said = sentence("plan", tmp_path / "w.json", "--search", "cluster", "--memory", "1000")
    assert str(failure.value) in said


def test_what_nobody_means_is_said_in_a_sentence(tmaze, tmp_path):
    """Where, what was expected, and what was found; never a word about the package's inside."""
    eye, A = np.eye(2)[:, :, None], np.eye(2)
    scipy = pytest.importorskip("scipy")
    assert scipy
    (tmp_path / "h5.mat").write_bytes(b"\x89HDF\r\n\x1a\n" * 40)
    (tmp_path / "empty.mat").write_bytes(b"")
    (tmp_path / "text.json").write_text("subject,o0")
    table = tmp_path / "rows.csv"
    table.write_text("subject,o0,o1,o2,u0\n" + "s1,0,0,0,3\n" * 4)
    for words, call in [
        (r"steps: expected a whole number from 1 to 2147483647, found 10{12}$",
         lambda: sonde.simulate(tmaze, steps=10**12)),
        (r"steps: expected a whole number, found 2.5$", lambda: sonde.simulate(tmaze, steps=2.5)),
        (r"steps: .* found 10{12}$", lambda: sonde.simulate_many(tmaze, 2, steps=10**12)),
        (r"seeds: expected how many, from 1 to 10,000,000, or a list of them, found 0",
         lambda: sonde.simulate_many(tmaze, seeds=0)),
        (r"seeds: .* found 10{10}$", lambda: sonde.simulate_many(tmaze, seeds=10**10)),
        (r"seeds: expected how many, or a list of them, found 'a'",
         lambda: sonde.simulate_many(tmaze, seeds="a")),
        (r"seeds: .* found an empty one", lambda: sonde.simulate_many(tmaze, seeds=[])),
        (r"seeds: expected a whole number from 0 to 18446744073709551615, found -1",
         lambda: sonde.simulate_many(tmaze, seeds=[1, -1])),
        (r"expected two models or more to compare, found 0", sonde.compare),
        (r"names: expected 0, found 1", lambda: sonde.compare(names=["a"])),
        (r"^table: expected two subjects or more, found 1",
         lambda: sonde.compare(evidence=[[1.0, 2.0]])),
        (r"action: expected its number, or 2 numbers, found 1$",
         lambda: tmaze.predict(tmaze.belief(), [0])),
        (r"action: expected whole numbers, found 'up'", lambda: tmaze.action_number("up")),
        (r"A\[0\]: expected an array of numbers, found an array of complex128 with the shape",
         lambda: sonde.Model(A=[A.astype(complex)], B=[eye])),
        (r"A: expected a list of arrays, since factors and modalities have no names, found a dict",
         lambda: sonde.Model(A={0: A}, B=[eye])),
        (r"counts: expected a dict of A, B, C, D and E, found 3",
         lambda: sonde.Model(A=[A], B=[eye], counts=3)),
        (r"learn: expected True, or a dict of settings, found 3",
         lambda: sonde.Agent(tmaze, learn=3)),
        (r"learn: expected True, or a dict of settings, found 3",
         lambda: sonde.replay(tmaze, table, learn=3)),
        (r"A: expected arrays, found nothing", lambda: sonde.Model.from_dict({})),
        (r"version: expected 1, found 2",
         lambda: sonde.Model.from_dict({"format": "sonde-model", "version": 2})),
        (r"format: expected 'sonde-model', found 'sonde-graph'",
         lambda: sonde.Model.from_dict({"format": "sonde-graph"})),
        (r"edges: expected rows of three numbers, \(from, to, weight\), found the shape \(1, 2\)",
         lambda: sonde.Graph([(0, 1)])),
        (r"graph: expected 1 to 10000000 nodes", lambda: sonde.Graph([])),
        (r"h5.mat: expected a MAT file of version 4 to 7, found something else \(",
         lambda: sonde.from_spm(tmp_path / "h5.mat")),
        (r"empty.mat: expected a MAT file", lambda: sonde.from_spm(tmp_path / "empty.mat")),
        (r"free: expected targets .* found 1$", lambda: sonde.fit(tmaze, table, {"gamma": 1})),
        (r"text.json: line 1, column 1: expected a JSON document",
         lambda: sonde.figures.read(tmp_path / "text.json")),
    ]:
        with pytest.raises(sonde.BadInput, match=words):
            call()
    for words, call in [
        ("nowhere.mat: cannot be opened: No such file",
         lambda: sonde.from_spm(tmp_path / "nowhere.mat")),
        (": cannot be opened: Is a directory", lambda: sonde.from_spm(tmp_path)),
        ("nowhere.json: cannot be opened", lambda: sonde.figures.read(tmp_path / "nowhere.json")),
        ("nowhere.json: cannot be opened", lambda: sonde.Agent(tmaze).load("nowhere.json")),
    ]:
        with pytest.raises(sonde.NoFile, match=words):
            call()
    for words, call in [
        ("expected an Agent of pymdp, found int", lambda: sonde.from_pymdp(3)),
        ("expected a networkx graph, found int", lambda: sonde.Graph.from_networkx(3)),
        ("expected a pandas.DataFrame, found int", lambda: sonde.Data.from_frame(3)),
        ("document: expected a dict, found int", lambda: sonde.Model.from_dict(3)),
    ]:
        with pytest.raises(TypeError, match=words):
            call()


def test_what_is_of_another_kind_is_said_in_a_sentence_too(tmaze, tmp_path):
    eye, A = np.eye(2)[:, :, None].repeat(2, axis=2), np.eye(2)
    data, agent = sonde.draw(tmaze, 3), sonde.Agent(tmaze)
    fitted = sonde.Fit({"subjects": [], "parameters": [], "group": None, "optimiser": "newton"})
    target = {"name": "gamma", "target": "gamma"}
    for words, call in [
        (r"graph: expected 1 to 10000000 nodes .* found 1000000001",
         lambda: sonde.Graph([(0, 10**9, 5)])),
        (r"nodes: expected a whole number from 0 to 2147483647, found 2147483648",
         lambda: sonde.Graph([(0, 2**31 - 1, 5)])),
        (r"lapse: expected a number, found 'a'", lambda: sonde.replay(tmaze, data, lapse="a")),
        (r"free: expected targets .* found None", lambda: sonde.fit(tmaze, data, None)),
        (r"found <object object", lambda: sonde.Parameters(tmaze, [{**target, "prior": object()}])),
        (r"theta: expected numbers, found nan",
         lambda: sonde.replay(tmaze, data, free="gamma", theta=[np.nan])),
        (r"theta: expected numbers, found nan",
         lambda: sonde.draw(tmaze, 3, free="gamma", theta=[np.nan])),
        (r"covariates: expected columns of one length, found 1 of subject and 2 of x",
         lambda: sonde.fit(tmaze, data, "gamma", group="eb",
                           covariates={"subject": ["s1"], "x": [1, 2]})),
        (r"steps: expected a whole number from 1 to .* found -2", lambda: sonde.draw(tmaze, -2)),
        (r"steps: expected a whole number, found 5.5", lambda: sonde.draw(tmaze, 5.5)),
        (r"subjects: .* from 1 .* found -1", lambda: sonde.draw(tmaze, 3, subjects=-1)),
        (r"draws: .* found -1", lambda: fitted.posterior(-1)),
        (r"n: expected a whole number, found 1.5",
         lambda: sonde.Parameters(tmaze, "gamma").draw(1.5)),
        (r"trial: expected a whole number, found 1.5", lambda: agent.reset(trial=1.5)),
        (r"action: expected whole numbers, found \['a01', 'a10'\]",
         lambda: agent.take(["a01", "a10"])),
        (r"action: expected whole numbers, found \[0.5, 0\]", lambda: agent.take([0.5, 0])),
        (r"first: expected a whole number from 0 .* found -1", lambda: tmaze.policies(first=-1)),
        (r"n: expected a whole number from 0 .* found -1", lambda: tmaze.policies(0, -1)),
        (r"best_policy: a plan in closed loop has none",
         lambda: sonde.plan(tmaze, loop="closed").best_policy),
        (r"A\[0\]: expected numbers, found masked ones",
         lambda: sonde.Model(np.ma.array(A, mask=[[1, 0], [0, 0]]), eye)),
        (r"A\[0\]: expected numbers, found masked ones",
         lambda: sonde.Model(np.ma.array(A, mask=A, dtype=np.float32), eye)),
        (r"policies: expected one or more of the same length",
         lambda: sonde.Model(A, eye, horizon=2, policies=[[[0], [1]], [[0]]])),
    ]:
        with pytest.raises(sonde.BadInput, match=words):
            call()


def test_numpys_numbers_are_numbers(tmaze, tmp_path):
    agent, same = sonde.Agent(tmaze), sonde.Agent(tmaze)
    agent.take(np.int64(3))
    same.take(3)
    assert np.array_equal(agent.belief, same.belief)
    listed = [sonde.Parameters(tmaze, [{"name": "gamma", "target": "gamma", "prior": prior}])
              for prior in ([0.5, 1.0], np.array([0.5, 1.0]), [np.float32(0.5), np.int64(1)])]
    assert all(one.document == listed[0].document for one in listed)
    unmasked = np.ma.array(np.eye(2), mask=np.zeros((2, 2)))
    assert np.array_equal(sonde.Model(unmasked, np.eye(2)[:, :, None]).A[0], np.eye(2))
    tmaze.save(tmp_path / "m.json")
    worlds = [sonde.draw(tmaze, 4, process=process).rows(tmaze).outcome
              for process in (tmaze, tmp_path / "m.json")]
    assert np.array_equal(*worlds)


def test_files_are_written_whole_or_not_at_all(tmaze, world, tmp_path):
    """As the command does: what was there stays where the new file cannot be had."""
    for what in (tmaze, world, sonde.Agent(tmaze)):
        what.save(tmp_path / "kept.json")
        (tmp_path / "link.json").symlink_to("kept.json")
        what.save(tmp_path / "link.json")
        assert (tmp_path / "link.json").is_symlink()
        (tmp_path / "link.json").unlink()
        for path, why in (("/dev/full", "No space left on device"),
                          (tmp_path / "no" / "a.json", "No such file"), (tmp_path, "directory")):
            with pytest.raises(sonde.NotWritten, match=f"cannot be written: .*{why}"):
                what.save(path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.json"]


def test_a_column_that_does_not_sum_to_one():
    parts = random_arrays(np.random.default_rng(1))
    parts["B"][1][:, 1, 2] *= 1.5
    with pytest.raises(ValueError, match=r"B\[1\]\[:,1,2\]"):
        sonde.Model(**parts, horizon=2)


def test_numbers_that_are_none():
    parts = random_arrays(np.random.default_rng(1))
    parts["A"][0][1, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"A\[0\]"):
        sonde.Model(**parts, horizon=2)


def test_arguments_that_do_not_exist(tmaze):
    with pytest.raises(TypeError, match="kk"):
        sonde.plan(tmaze, kk=3)
    with pytest.raises(ValueError, match="did you mean cluster"):
        sonde.plan(tmaze, search="clusters")
    with pytest.raises(ValueError, match="k: expected auto or a whole number from 1"):
        sonde.plan(tmaze, search="cluster", k=0)
    with pytest.raises(ValueError, match="gamma"):
        sonde.plan(tmaze, gamma=float("nan"))
    with pytest.raises(TypeError, match="colour"):
        sonde.Model(**random_arrays(np.random.default_rng(1)), colour=1)
    with pytest.raises(TypeError, match="expected a Model or a Graph"):
        sonde.plan(3)
    with pytest.raises(ValueError, match="memory"):
        sonde.plan(tmaze, memory="2 apples")


def test_beliefs_that_are_none(tmaze):
    for bad in ([0.5, 0.5], np.full(6, 0.3), [np.ones(4), np.ones(2) / 2], "here",
                [np.array([2.0, -1.0, 0, 0]), np.array([1.0, 0])], np.full(6, np.nan)):
        with pytest.raises(ValueError, match="belief"):
            sonde.plan(tmaze, bad)


def test_policies_that_do_not_exist(tmaze, world):
    with pytest.raises(ValueError, match="policies"):
        tmaze.efe([[[0, 0]]])
    with pytest.raises(ValueError, match="factor 0"):
        tmaze.efe([[[9, 0], [0, 0]]])
    with pytest.raises(ValueError, match="no edge"):
        world.efe([[0, 0, 5, 5, 5, 5, 5, 5]])
    with pytest.raises(ValueError, match="nodes"):
        world.efe([[0, 0]])


def test_efe_of_too_many_policies():
    model = sonde.Model(**random_arrays(np.random.default_rng(1)), horizon=30)
    assert model.n_policy == 6.0**30
    with pytest.raises(sonde.TooLarge, match="policies"):
        model.efe()
    with pytest.raises(sonde.TooLarge, match="how many"):
        model.policies()
    assert model.policies(n=2).shape == (2, 30, 2)
    model.efe(np.zeros((1, 30, 2), int))


def test_no_policy_is_allowed():
    eye = np.eye(2)[:, :, None].repeat(2, axis=2)
    with pytest.raises(sonde.NoPolicy):
        sonde.plan(sonde.Model(A=np.eye(2), B=eye, D=[1.0, 0.0], horizon=2, policies="allowed",
                               allowed=[[[1, 0]]]))


def test_a_progress_function_that_raises(world):
    def fail(stage, done, total):
        raise ZeroDivisionError(stage)

    with pytest.raises(ZeroDivisionError):
        sonde.cluster(sonde.embed(world, scope="global"), k=12, progress=fail)


def test_studies_say_what_is_wrong(tmp_path):
    with pytest.raises(FileNotFoundError):
        sonde.study("no-such-plan", tmp_path / "a.sqlite")
    with pytest.raises(FileNotFoundError):
        sonde.report(tmp_path / "none.sqlite", tmp_path / "page")
    (tmp_path / "b.sqlite").write_text("this is no database, but long enough to look at" * 100)
    with pytest.raises(ValueError):
        sonde.report(tmp_path / "b.sqlite", tmp_path / "page")


def test_a_damaged_study_and_damaged_rows_are_refused(tmp_path):
    (tmp_path / "plan.json").write_text(
        '{"format": "sonde-plan", "version": 1, "worlds": {"sizes": [3], "graphs": 2},'
        ' "conditions": [{"group": "table", "k": 2}]}')
    with sonde.Study(tmp_path / "plan.json", tmp_path / "a.sqlite") as study:
        rows = study.work(study.next_task())
        with pytest.raises(ValueError, match="expected the work of version"):
            study.take(rows.replace('"version": "', '"version": "9'))
        with pytest.raises(ValueError, match="expected 1 runs, found 0"):
            study.take('{"task": 0, "version": "%s", "seconds": 0}' % sonde.__version__)
        assert study.done == 0
        study.take(rows)
    with contextlib.closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        connection.execute("UPDATE run SET path = '9-9-9-9-9-9'")
        connection.commit()
    with pytest.raises(ValueError, match="path: expected 11 nodes from 0 to 2"):
        sonde.report(tmp_path / "a.sqlite", tmp_path / "page")
    with pytest.raises(ValueError, match="path: expected 11 nodes from 0 to 2"):
        sonde.Study(tmp_path / "plan.json", tmp_path / "a.sqlite")
    with pytest.raises(ValueError, match="expected a file for the results"):
        sonde.Study(tmp_path / "plan.json", ":memory:")


def test_a_closed_study_is_not_used(tmp_path):
    plan = ROOT / "tests/data/study-small.json"
    study = sonde.Study("paper", tmp_path / "c.sqlite")
    assert not plan.exists() or study.n_task
    study.close()
    with pytest.raises(ValueError, match="closed"):
        study.done


IDLE = [
    dict(search="full", beam=2), dict(search="bounded", k=2), dict(k=2, budget=20),
    dict(probe="center", samples=2), dict(k=2, ngram=3), dict(k=2, members=3),
    dict(search="cluster", branch=2), dict(beam=2, depth=2), dict(method="ward", restarts=3),
    dict(action="deterministic", alpha=3.0), dict(policy_sample=4, members=2, beam=3),
    dict(search="tree", branch=2, k=3), dict(search="tree", budget=40, top=2),
]


@pytest.mark.parametrize("settings", IDLE)
def test_a_setting_without_effect_is_refused_like_the_command_does(settings):
    """The last one that was given is the idle one; both name it."""
    path = ROOT / "examples/models/tmaze.json"
    with pytest.raises(ValueError, match="goes with|gives way to") as failure:
        sonde.plan(sonde.Model.from_file(path), **settings)
    words = [w for key, value in settings.items()
             for w in (f"--{key.replace('_', '-')}", str(value))]
    said = sentence("plan", path, *words)
    assert "goes with" in said or "gives way to" in said
    name = str(failure.value).split(":")[0]
    assert f"--{name.replace('_', '-')}:" in said


def test_what_a_fallback_uses_is_not_without_effect():
    world = sonde.Graph.random(4, seed=1)
    plan = sonde.plan(world, search="tree", branch=3, fallback="cluster", k=5)
    assert plan.search == "tree"
    with pytest.raises(ValueError, match="k: gives way to branch"):
        sonde.plan(world, search="full", fallback="tree", branch=3, k=5)


def test_settings_of_embeddings_and_clusters_keep_company_too():
    world = sonde.Graph.random(4, seed=1)
    for wrong in (dict(ngram=3), dict(ends=3), dict(embedding="boe", dimension=3)):
        with pytest.raises(ValueError, match="goes with embedding "):
            sonde.embed(world, **wrong)
    with pytest.raises(ValueError, match="goes with method kmeans"):
        sonde.cluster(world, 3, method="ward", restarts=3)
    assert sonde.cluster(world, "auto").k > 1


def test_a_setting_of_one_search_means_it():
    model = sonde.Model.from_file(ROOT / "examples/models/tmaze.json")
    assert sonde.plan(model, beam=2).search == "beam"
    assert sonde.plan(model, k=2, depth=2).search == "tree"
    assert sonde.plan(model, fallback="beam", beam=2).search == "bounded"
    assert sonde.plan(model, budget=20).search == "bounded"
    assert sonde.plan(model, search="full", budget=0, members=0, differences=[]).search == "full"
    assert sonde.plan(model, policy_sample=0).search == "bounded"


def test_a_graph_world_wants_a_belief_that_is_certain_and_no_deadline():
    world = sonde.Graph.random(4, seed=1)
    belief = np.zeros(world.model.n_belief if hasattr(world, "model") else world.n_edge)
    belief[0] = 1.0
    assert sonde.plan(world, belief).certificate["tv"] < 1e-9
    belief[:2] = 0.5
    with pytest.raises(ValueError, match="knows the edge"):
        sonde.plan(world, belief)
    with pytest.raises(ValueError, match="concerns general models"):
        sonde.plan(world, deadline=1.0)


def strangers():
    """Objects of the library and others, as arguments that some function may not expect."""
    graph = _sonde.graph_random({"nodes": 3}, None, 1)
    model = _sonde.model_from_graph(graph)
    policies = _sonde.policies_count(model, None)
    belief = np.zeros(_sonde.model_fields(model)["n_belief"])
    embedder = _sonde.embedder_new(policies, {"embedding": "boe"}, belief, None)
    agent = _sonde.agent_new(policies, {}, None)
    zeros = [np.zeros(n, dtype) for n in (0, 1, 3, 4) for dtype in ("i4", "f8", "u8")]
    return [graph, model, policies, embedder, _sonde.embedding_new(embedder, 0, None), agent,
            None, 0, -1, 1, 2**40, 1.5, "", "boe", b"x", (), (None, None, None), (1, 2), [], [None],
            {}, {"k": 1}, {1: 2}, *zeros]


def test_whatever_a_function_is_given_it_answers_or_raises():
    rng = random.Random(1)
    some = strangers()
    functions = [getattr(_sonde, name) for name in dir(_sonde)]
    functions = [f for f in functions if callable(f) and not isinstance(f, type)]
    assert len(functions) > 60
    for function in functions:
        inside = function.__doc__.split("(", 1)[1].rsplit(")", 1)[0].split(") ->")[0]
        for _ in range(400):
            given = [rng.choice(some) for _ in range(inside.count(",") + 1 if inside else 0)]
            try:
                function(*given)
            except SystemError as failure:
                # what is given in place of a tuple's parts is Python's own affair
                assert "without setting an exception" not in str(failure), (function, given)
            except Exception:  # any other is an answer
                pass


def test_how_to_run_is_a_tuple():
    graph = _sonde.graph_random({"nodes": 3}, None, 1)
    with pytest.raises(TypeError, match="run: expected"):
        _sonde.policies_count(_sonde.model_from_graph(graph), 5)
