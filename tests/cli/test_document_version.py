"""Documents of a later Sonde are refused by every reader, with what to do (docs/formats.md)."""
import json
import os
import pathlib
import subprocess

import pytest

COMMAND = pathlib.Path(os.environ["SONDE_COMMAND"]).resolve()
ROOT = pathlib.Path(os.environ["SONDE_TEST_DATA"]).resolve().parents[1]
DOCUMENTS = {"model": ROOT / "examples/models/tmaze.json",
             "graph": ROOT / "tests/data/worlds/two.json",
             "study": ROOT / "lab/study/plans/paper.json"}


def refusal(verb, document, folder):
    path = folder / "document.json"
    path.write_text(json.dumps(document))
    more = ["--dry-run"] if verb == "study" else []
    done = subprocess.run([COMMAND, verb, path, *more], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (3, "")
    return done.stderr.removeprefix(f"sonde {verb}: {path}: ")


@pytest.mark.parametrize("verb", DOCUMENTS)
def test_a_document_of_a_later_version_was_made_for_a_later_sonde(verb, tmp_path):
    document = {**json.loads(DOCUMENTS[verb].read_text()), "version": 2}
    wanted = "expected 1, found 2; it was made for a later sonde: read it with that one"
    assert refusal(verb, document, tmp_path) == f"version: {wanted}\n"
    # the version is looked at first: another one may have other keys
    assert refusal(verb, {**document, "xylophone": 1}, tmp_path) == f"version: {wanted}\n"


@pytest.mark.parametrize("verb", DOCUMENTS)
def test_a_key_of_a_later_sonde_is_refused_by_its_name(verb, tmp_path):
    document = {**json.loads(DOCUMENTS[verb].read_text()), "xylophone": 1}
    assert refusal(verb, document, tmp_path) == (
        'unknown key "xylophone"; leave it out, or read the document with a later sonde that '
        "knows it\n")


def test_a_key_within_a_list_is_refused_with_its_place(tmp_path):
    document = json.loads(DOCUMENTS["model"].read_text())
    document["factors"][1]["xylophone"] = 1
    assert refusal("model", document, tmp_path).startswith(
        'factors[1]: unknown key "xylophone"; leave it out, or ')
