"""Lapses come to every first action that starts some policy, and parameters have to change
something."""
import math

import pytest

from tables import document, sonde, write_model, write_table

# three actions of one step, whose E is given for each
MODEL = {"format": "sonde-model", "version": 1, "horizon": 1,
         "factors": [{"name": "place", "states": 3, "actions": 3}],
         "modalities": [{"name": "seen", "outcomes": ["no", "yes"]}],
         "A": [[[.9, .5, .2], [.1, .5, .8]]],
         "B": [[[[1, 0, 0]] * 3, [[0, 1, 0]] * 3, [[0, 0, 1]] * 3]],
         "C": [[0, 1]], "D": [[.4, .3, .3]], "policies": [[[0]], [[1]], [[2]]]}


def files(tmp_path, E, *actions, **more):
    name = f"{len(list(tmp_path.iterdir()))}.json"
    model = write_model(tmp_path, {**MODEL, "E": E, **more}, name)
    rows = [["s", i, 0, a] for i, a in enumerate(actions)]
    return model, write_table(tmp_path, "subject,episode,o0,u0", rows)


def steps(*words):
    return document("replay", *words, "--json")["subjects"][0]["steps"]


@pytest.mark.parametrize("options", [[], ["--per-factor"], ["--alpha", 2]], ids=str)
def test_lapses_come_to_actions_whose_policies_have_no_probability(options, tmp_path):
    words = ["--lapse", .1, *options]
    none, nearly = ([step["p"] for step in steps(*files(tmp_path, E, 0, 1, 2), *words)]
                    for E in ([1, 1, 0], [1, 1, 1e-30]))
    assert none == pytest.approx(nearly, abs=1e-12)
    assert none[2] == pytest.approx(.1 / 3, abs=1e-12) and sum(none) == pytest.approx(1)


def test_lapses_do_not_come_to_actions_that_start_no_policy(tmp_path):
    model, table = files(tmp_path, [1, 1], 0, 1, policies=[[[0]], [[1]]])
    assert sum(step["p"] for step in steps(model, table, "--lapse", .1)) == pytest.approx(1)
    table = write_table(tmp_path, "subject,episode,o0,u0", [["s", 0, 0, 2]])
    run = sonde("replay", model, table, "--lapse", .1)
    assert run.returncode == 3 and "since no policy begins with it" in run.stderr


def test_an_action_without_probability_in_E_is_told_of_E(tmp_path):
    run = sonde("replay", *files(tmp_path, [1, 1, 0], 2))
    assert run.returncode == 3 and "has a probability in E" in run.stderr
    assert "let the agent lapse" in run.stderr


def test_a_very_precise_A_is_its_limit(tmp_path):
    model, table = files(tmp_path, [1, 1, 1], 0, 1, 2)
    many, more = (document("replay", model, table, "--set", f"precision of A={x}",
                           "--json")["log_likelihood"] for x in (300, 1e6))
    assert math.isfinite(more) and more == pytest.approx(many, abs=1e-9)


IDLE = {"nu_A=5": "novelty does not count", "lambda=9": "nothing costs anything",
        "alpha_g=3": "gamma is not expected", "eta_A=.1": "does not learn",
        "lapse=1": "from 0 on and below 1"}


@pytest.mark.parametrize("words,why", IDLE.items(), ids=str)
def test_a_set_of_parameters_that_change_nothing_is_refused(words, why, tmp_path):
    run = sonde("replay", *files(tmp_path, [1, 1, 1], 0), "--set", words)
    assert run.returncode == 3 and run.stdout == "" and why in run.stderr, run.stderr


@pytest.mark.parametrize("name", ["eta_C", "eta_E", "eta_B"])
def test_a_rate_of_what_has_no_counts_is_no_parameter(name, tmp_path):
    model, table = files(tmp_path, [1, 1, 1], 0, 1, 2,
                         counts={"A": [[[2, 1, 1], [1, 1, 2]]]}, A=[None])
    run = sonde("fit", model, table, "--learn", "--free", name, "--starts", 1)
    assert run.returncode == 3 and "no counts that it is a rate of" in run.stderr, run.stderr
    for words in (["--free", "eta_A"], ["--free", "omega"]):
        run = sonde("fit", model, table, "--learn", *words, "--starts", 1, "--quiet")
        assert run.returncode == 0, run.stderr
