"""The pages for those who come from pymdp and SPM: every line of ours is true."""
import inspect
import re

import numpy as np
import pytest
import sonde
from conftest import ROOT
from test_crossing import RECORDS, REFUSED

PYMDP = (ROOT / "docs/from-pymdp.md").read_text()
SPM = (ROOT / "docs/from-spm.md").read_text()
SETTINGS = set(sonde.SearchSettings.__annotations__)
#: what the names in the pages stand for
OBJECTS = {PYMDP: {"agent": sonde.pymdp.Agent, "own": sonde.Agent, "model": sonde.Model,
                   "plan": sonde.Plan, "episode": sonde.Episode},
           SPM: {"agent": sonde.Agent, "model": sonde.Model, "plan": sonde.Plan,
                 "episode": sonde.Episode}}
CALLS = [sonde.Model.__init__, sonde.pymdp.Agent.__init__, sonde.plan, sonde.simulate, sonde.Agent,
         sonde.simulate_many, sonde.from_spm,
         sonde.Agent.reset, sonde.pymdp.Agent.infer_states]


def ours(page):
    """What stands between backticks in every column but the first."""
    for line in page.splitlines():
        cells = re.split(r"(?<!\\)\|", line)[2:-1] if line.startswith("|") else [line]
        for cell in cells:
            yield from re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("page", [PYMDP, SPM], ids=["pymdp", "spm"])
def test_every_name_of_ours_exists(page):
    known = OBJECTS[page]
    example = sonde.plan(sonde.Model.from_file(ROOT / "examples/models/tmaze.json"), keep=1)
    seen = 0
    for code in ours(page):
        for root, rest in re.findall(r"\b(sonde|agent|own|model|plan|episode)((?:\.\w+)+)", code):
            thing = sonde if root == "sonde" else known[root]
            for name in rest.split(".")[1:]:
                if thing is sonde.Plan and name in example.keys():
                    break
                assert hasattr(thing, name), code
                thing = getattr(thing, name)
                if thing is sonde.Model.efe:
                    thing = sonde.Efe
            seen += 1
    assert seen > 30


@pytest.mark.parametrize("page", [PYMDP, SPM], ids=["pymdp", "spm"])
def test_every_argument_of_ours_is_taken(page):
    taken = SETTINGS.union(*(inspect.signature(call).parameters for call in CALLS))
    taken |= {"distr_obs", "categorical_obs", "like", "trial"}
    for code in ours(page):
        for name in re.findall(r"(?:^|[(, ])([a-z]\w*)=", code):
            assert name in taken, code


def test_every_argument_and_verb_of_both_agents_of_pymdp_has_a_line():
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", PYMDP))))
    arguments = set(REFUSED).union(*(record["arguments"] for record in RECORDS.values()))
    assert arguments <= told, arguments - told
    verbs = ("infer_states infer_policies sample_action reset step_time get_future_qs update_A "
             "update_B update_D set_latest_beliefs infer_parameters update_empirical_prior "
             "process_obs make_categorical encode_multi_actions decode_multi_actions "
             "unique_multiactions multiaction_probabilities get_model_dimensions")
    assert set(verbs.split()) <= told


def test_every_field_that_from_spm_reads_has_a_line():
    source = inspect.getsource(sonde.from_spm)
    fields = set(re.findall(r'"(\w+)"', " ".join(re.findall(r"(?:get|need)\(([^)]*)\)", source))))
    assert len(fields) >= 14
    for field in fields:
        assert re.search(rf"`MDP\.{field}\b", SPM), field


def test_lines_about_beliefs_and_outcomes_are_true():
    model = sonde.Model.from_file(ROOT / "examples/models/tmaze.json")
    own, other = sonde.Agent(model), sonde.Agent(model)
    own.observe([0, 0, None])
    other.observe([0, 0, np.ones(3)])
    np.testing.assert_allclose(own.belief, other.belief, atol=1e-15)
    own.reset(model.predict(own.belief, [3, 0]))
    assert own.belief[3] == 1
    assert own.decide().certificate and len(own.plan.probabilities) == 4
    assert len(sonde.plan(model, search="full", keep=10).kept) == 10


def test_the_rules_of_pymdp_are_the_settings_that_the_page_says():
    for row in re.findall(r'^\| `action_selection="(\w+)"`, `sampling_mode="(\w+)"` \| `([^`]+)`',
                          PYMDP, re.M):
        said = dict(re.findall(r"(\w+)=\"?(\w+)", row[2]))
        rule = sonde.pymdp._rule(row[0], row[1], 1.0)
        assert rule["action"] == said["action"]
        assert str(rule["per_factor"]) == said.get("per_factor", "False")
