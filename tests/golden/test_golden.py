"""The answers to several hundred commands are those that were recorded; see tools/golden.py."""
# long
# once
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import golden  # noqa: E402

RECORDED = Path(__file__).with_name("golden.txt")


def test_every_answer_is_the_recorded_one():
    answers = golden.answers_of(os.environ["SONDE_COMMAND"])
    wrong = golden.check(RECORDED, answers, golden.SECTIONS[:-1])
    assert wrong == [], "tools/golden.py compare OLD NEW shows how they differ"


def test_the_record_has_every_kind_of_answer():
    recorded = golden.read(RECORDED)
    commands = {command for section, command in recorded if section == "results"}
    assert len(commands) > 400
    for name in golden.SEARCHES + golden.EMBEDDINGS + golden.DIFFERENCES + golden.LIKE:
        assert any(f" {name} " in f"{command} " for command in commands), name
    for verb in ("plan", "simulate", "efe", "embed", "cluster", "graph", "model", "study"):
        assert any(command.startswith(verb + " ") for command in commands), verb
    assert {section for section, _ in recorded} == set(golden.SECTIONS)
    assert sum(section == "words" for section, _ in recorded) > 80


def test_a_number_that_changed_is_seen_in_its_section_alone(tmp_path):
    document = ('{"sonde": "1", "command": "c", "best": 1.5, "certificate": {"tv": %s}, '
                '"seconds": %s}')
    old = golden.answer_json("plan", 0, document % (0.1, 3), "")
    golden.record(tmp_path / "record.txt", old, None)
    later = golden.answer_json("plan", 0, document % (0.1, 4), "")
    assert golden.check(tmp_path / "record.txt", later, golden.SECTIONS) == []
    new = golden.answer_json("plan", 0, document % (0.2, 3), "")
    assert golden.check(tmp_path / "record.txt", new, golden.SECTIONS) == [("certificates", "plan")]
    assert list(golden.differences(old["certificates", "plan"], new["certificates", "plan"])) == [
        ("[0][1].tv", 0.1, 0.2)]
    golden.record(tmp_path / "record.txt", new, "certificates")
    assert golden.check(tmp_path / "record.txt", new, golden.SECTIONS) == []
    assert golden.check(tmp_path / "record.txt", old, ["results", "settings"]) == []


def test_an_answer_that_is_missing_is_seen(tmp_path):
    answers = golden.answer_json("plan", 2, "", "sonde plan: no")
    golden.record(tmp_path / "record.txt", answers, None)
    assert golden.check(tmp_path / "record.txt", {}, golden.SECTIONS) == [("results", "plan")]
