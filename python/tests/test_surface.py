"""Every public C function is reachable, or listed here with the reason why not."""
import ast
import inspect
import operator
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import sonde
from sonde import _sonde

#: what is deliberately not bound
LEFT_OUT = {
    "sonde_learn_write": "Agent.learned and counts are Python's own",
    "sonde_like_learn": "sonde.pymdp.Agent has these rules itself",
    "sonde_simulate": "the first of sonde_simulate_episode's",
    "sonde_simulate_in": "the command has worlds that change",
    "sonde_stage_read": "as sonde_simulate_in",
    "sonde_stage_table": "as sonde_simulate_in",
    "sonde_stage_free": "as sonde_simulate_in",
    "sonde_stage_model": "as sonde_simulate_in",
    "sonde_world_new_in": "as sonde_simulate_in",
    "sonde_world_episode": "as sonde_simulate_in",
    "sonde_draw_history": "the command draws it; counts are arrays",
    "sonde_agent_plan": "explain tells the best policy of each first action",
    "sonde_spm_counts": "in the document of a trial",
    "sonde_model_counts": "documents have them",
    "sonde_sequence_read": "sequences are lists",
    "sonde_sequence_free": "as sonde_sequence_read",
    "sonde_data_write_header": "frames and arrays are Python's own",
    "sonde_data_write_episode": "as sonde_data_write_header",
    "sonde_draw_recovery": "sonde.figures.recovery",
    "sonde_likelihood_new_spm": "sonde.fit(..., scheme=\"spm\") and Spm.replay",
    "sonde_spm_likelihood": "as sonde_likelihood_new_spm",
    "sonde_spm_number_name": "as sonde_likelihood_new_spm",
    "sonde_fit_posterior": "Fit.posterior draws with NumPy's generator",
    "sonde_fit_write_csv": "Fit.frame",
    "sonde_recovered_write_csv": "Recovery has the arrays",
    "sonde_replay_write_header": "Replay.frame(rows=True)",
    "sonde_replay_write_rows": "Replay.frame(rows=True)",
    "sonde_sets_read": "sets of values are arrays",
    "sonde_transform_out": "Parameters.out, in NumPy",
    "sonde_transform_in": "as sonde_transform_out",
    "sonde_text_add_quoted": "for writers of documents in C; the documents themselves are bound",
    "sonde_text_add_shown": "as sonde_text_add_quoted",
    "sonde_plan": "sonde.plan keeps the agent, whose explanation may be asked for",
    "sonde_model_say": "Python has names as strings, and documents say the rest",
    "sonde_policies_say": "as sonde_model_say",
    "sonde_scope_name": "in the table of settings",
    "sonde_loop_name": "in the table of settings",
    "sonde_belief_kind_name": "in documents",
    "sonde_draw_contingency_dot": "the command writes it; explain has the picture",
    "sonde_backup_range": "plans have the ranges; for programs that make their own",
    "sonde_stage_change": "called by sonde_task_read",
    "sonde_stage_outcome": "called by sonde_task_outcomes",
    "sonde_report_study": "called by sonde_report",
    "sonde_settings_settle": "called by sonde_differences_settle",
    "sonde_setting_counts": "what has no effect is refused",
    "sonde_differences_count": "as sonde_setting_counts",
    "sonde_difference_about": "for the help page of the command",
    "sonde_semantics_name": "in documents",
    "sonde_study_cost": "what the command's line of progress says",
}

sources = ROOT / "python/src"


def declared():
    text = "".join(path.read_text() for path in sorted((ROOT / "include").glob("*.h")))
    header = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"SONDE_API[^;]*?\b(sonde_\w+)\s*\(", header))


@pytest.mark.skipif(not sources.is_dir(), reason="the sources are not here")
def test_every_public_function_is_bound_or_left_out_on_purpose():
    text = "".join(path.read_text() for path in sources.glob("*.c"))
    # the kinds of handles name their functions by their nouns
    used = set(re.findall(r"\bsonde_\w+", text)) | {
        f"sonde_{noun}_free" for noun in re.findall(r"^KIND\((\w+)\)", text, flags=re.M)}
    functions = declared()
    assert len(functions) > 100
    assert functions - used - set(LEFT_OUT) == set()
    assert set(LEFT_OUT) & used == set()
    assert set(LEFT_OUT) - functions == set()


@pytest.mark.skipif(not sources.is_dir(), reason="the sources are not here")
def test_every_bound_function_is_used_by_the_package():
    text = "".join(path.read_text() for path in Path(sonde.__file__).parent.glob("*.py"))
    unused = [name for name in dir(_sonde) if not name.startswith("_") and name not in text]
    assert unused == ["model_read"]  # input_read reads whatever there is


def test_the_extension_gives_away_its_entry_alone():
    if shutil.which("nm") is None or "SONDE_SANITIZE" in os.environ:
        pytest.skip("there is no nm here, or the sanitizers have names of their own")
    names = subprocess.run(["nm", "-D", "--defined-only", _sonde.__file__], capture_output=True,
                           text=True, check=True)
    assert [line.split()[-1] for line in names.stdout.splitlines()] == ["PyInit__sonde"]


def public_calls():
    """(name, what is documented, what is called) of every public function and method."""
    spaces = [("sonde", sonde, sonde.__all__), ("sonde.pymdp", sonde.pymdp, sonde.pymdp.__all__),
              ("sonde.env", sonde.env, sonde.env.__all__)]
    for space, module, names in spaces:
        for name in names:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield f"{space}.{name}", thing, thing
            elif inspect.isclass(thing) and "__init__" in vars(thing):
                yield f"{space}.{name}", thing, thing.__init__
                for key, value in vars(thing).items():
                    function = getattr(value, "__func__", value)
                    if inspect.isfunction(function) and not key.startswith("_"):
                        yield f"{space}.{name}.{key}", function, function


def sections(text):
    """The sections of a docstring of NumPy's kind, by their titles."""
    parts = re.split(r"^ *(\w[\w ]*)\n *-{3,}$", inspect.cleandoc(text), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


@pytest.mark.parametrize("name, documented, function", public_calls(),
                         ids=[name for name, _, _ in public_calls()])
def test_every_call_says_what_it_takes_and_returns(name, documented, function):
    found = sections(documented.__doc__)
    heads = [line for line in found.get("Parameters", "").splitlines() if line and line[0] != " "]
    said = {word.strip("* ") for line in heads for word in line.split(" : ")[0].split(",")}
    signature = inspect.signature(function)
    taken = {key for key in signature.parameters if key.strip("_") and key not in ("self", "cls")}
    if name == "sonde.Model":
        taken -= {"more"}  # it is there to name what is not an argument
    assert said == taken
    gives = signature.return_annotation not in (inspect.Signature.empty, "None")
    assert ("Returns" in found) == gives


def test_everything_public_is_documented():
    for name in [*sonde.__all__, "pymdp.Agent"]:
        thing = operator.attrgetter(name)(sonde)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for key, value in vars(thing).items():
                if not key.startswith("_") and (callable(value) or hasattr(value, "__get__")):
                    assert value.__doc__, f"{name}.{key}"


def test_types_are_named():
    package = Path(sonde.__file__).parent
    assert (package / "py.typed").exists()
    text = "".join(path.read_text() for path in package.glob("*.py"))
    assert len(re.findall(r": Any\b|-> Any\b", text)) <= 40
    for name, _, function in public_calls():
        for key, parameter in inspect.signature(function).parameters.items():
            typed = parameter.annotation is not parameter.empty
            assert typed or key in ("self", "cls"), (name, key)


STUB = ast.parse((Path(sonde.__file__).parent / "_sonde.pyi").read_text())


def keys_said(name):
    """The keys that the types of the extension give a dictionary."""
    for node in STUB.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return {field.target.id for field in node.body}
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return {key.value for key in node.value.args[1].keys}
    raise KeyError(name)


def test_the_extension_is_what_its_types_say():
    said = {node.name: node for node in STUB.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    typed = {name for name, node in said.items()
             if isinstance(node, ast.ClassDef) and node.bases
             and getattr(node.bases[0], "id", "") == "TypedDict"}
    values = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    public = {name for name in dir(_sonde) if not name.startswith("_")}
    assert (set(said) - typed) | values == public


def test_dictionaries_of_the_extension_have_the_keys_of_their_types(tmaze, world, tmp_path):
    clusters = sonde.cluster(world, k=3)
    agent = sonde.Agent(world, search="cluster", k=3)
    study = sonde.Study("paper", tmp_path / "a.sqlite")
    found = {
        "GraphFields": world._fields, "FactorFields": tmaze._fields["factors"][0],
        "ModalityFields": tmaze._fields["modalities"][0], "TableFields": tmaze.table("A"),
        "ModelFields": tmaze._fields | world.model._fields, "PoliciesFields": tmaze._space,
        "EmbeddingFields": clusters.embedding.about,
        "PcaFields": _sonde.pca_fields(clusters.embedding._pca),
        "ClustersFields": clusters._fields, "SetupFields": agent.setup,
        "DecisionFields": agent.decide()._fields, "StudyFields": study._fields,
        "EpisodeFields": sonde.simulate(world, 1)._fields,
        "Conventions": sonde.like("spm") | sonde.like("pymdp", loop="closed"),
    }
    study.close()
    for name, fields in found.items():
        assert set(fields) == keys_said(name), name


def test_settings_are_those_of_the_library():
    names = {row["key"] for row in _sonde.settings_table()}
    assert names | {"semantics", "differences", "k_before"} \
        == set(sonde.SearchSettings.__annotations__)


@pytest.mark.skipif(not sources.is_dir(), reason="the sources are not here")
def test_the_settings_module_is_what_the_table_says():
    subprocess.run([sys.executable, ROOT / "tools/settings.py", "--check"], check=True)


def test_lists_come_from_the_library():
    assert {"full", "cluster"} <= set(sonde.searches())
    assert "boa" in sonde.embeddings() and sonde.embeddings()["boe"]
    assert sonde.like("pymdp-legacy")["gamma"] == 16


def test_matplotlib_scipy_jax_and_networkx_are_imported_when_used_only():
    code = ("import sys, sonde; sonde.plan(sonde.Graph.random(4), search='full'); "
            "print([m for m in ('matplotlib', 'scipy', 'jax', 'networkx') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
