"""Whatever a file says, no terminal obeys it and no spreadsheet calculates it."""
import csv
import json
import os
import pathlib
import re
import sqlite3
import subprocess

import pytest

COMMAND = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = json.loads((ROOT / "examples/models/bandit.json").read_text())
WORLD = {"format": "sonde-graph", "version": 1, "nodes": 2,
         "edges": [[0, 1, 5], [1, 0, 5]]}
PLAN = {"format": "sonde-plan", "version": 1, "name": "small",
        "worlds": {"models": [{"model": "bandit", "name": "bandit"}], "graphs": 1},
        "conditions": [{"search": "bounded", "group": "all"}]}
# what clears a screen, in seven bits and in eight, what deletes, what turns directions
EVIL = ["\x1b[2J", "\x9b2J", "\x7f", "\u202e", "\u2066"]


def sonde(folder, *words):
    return subprocess.run([COMMAND, *words], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)


def put(folder, document, name="file.json"):
    (folder / name).write_text(json.dumps(document, ensure_ascii=False).replace("\x1b", "\\u001b"))
    return name


def refused(done, status=3):
    """One sentence that a terminal shows as it is."""
    assert (done.returncode, done.stdout) == (status, b"")
    text = done.stderr.decode()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text), text
    assert text.count("\n") == 1
    return text


@pytest.mark.parametrize("evil", EVIL)
def test_unknown_keys_are_shown_as_escapes(tmp_path, evil):
    for verb, document in [("graph", WORLD), ("model", MODEL), ("study", PLAN)]:
        name = put(tmp_path, {**document, f"key{evil}": 1})
        words = ["--db", "x.sqlite"] if verb == "study" else []
        assert "unknown key" in refused(sonde(tmp_path, verb, name, *words))


@pytest.mark.parametrize("evil", EVIL)
def test_what_the_parser_was_near_is_shown_as_escapes(tmp_path, evil):
    near = evil if evil.startswith("\x1b") else f'"{evil}"'
    (tmp_path / "bad.json").write_text(f'{{"nodes" {near}')
    assert "near" in refused(sonde(tmp_path, "graph", "bad.json"))


@pytest.mark.parametrize("evil", EVIL)
def test_names_of_files_are_shown_as_escapes(tmp_path, evil):
    refused(sonde(tmp_path, "graph", f"no{evil}"))
    name = put(tmp_path, WORLD, f"two{evil}.json")
    done = sonde(tmp_path, "graph", name)
    assert done.returncode == 0 and evil.encode() not in done.stdout
    # and the line that makes it again still does
    again = done.stdout.decode().splitlines()[-1].removeprefix("again: sonde ")
    command = ["bash", "-c", f"'{COMMAND}' {again}"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).stdout == done.stdout


@pytest.mark.parametrize("evil", EVIL)
def test_words_of_the_command_line_are_shown_as_escapes(tmp_path, evil):
    refused(sonde(tmp_path, f"verb{evil}"), 2)
    refused(sonde(tmp_path, "help", f"verb{evil}", "more"), 2)
    refused(sonde(tmp_path, "graph", f"--option{evil}"), 2)


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize("where", ["plan", "group", "model", "file"])
def test_names_of_plans_have_no_control_characters(tmp_path, where, evil):
    plan = json.loads(json.dumps(PLAN))
    if where == "plan":
        plan["name"] += evil
    elif where == "group":
        plan["conditions"][0]["group"] += evil
    elif where == "model":
        plan["worlds"]["models"][0]["name"] += evil
    else:
        plan["worlds"]["models"] = [f"bandit{evil}"]
    done = sonde(tmp_path, "study", put(tmp_path, plan), "--db", "x.sqlite")
    assert "expected a name without control characters" in refused(done)
    assert not (tmp_path / "x.sqlite").exists()


@pytest.mark.parametrize("evil", EVIL)
def test_a_database_of_another_schema_is_shown_as_escapes(tmp_path, evil):
    assert sonde(tmp_path, "study", put(tmp_path, PLAN), "--db", "x.sqlite").returncode == 0
    with sqlite3.connect(tmp_path / "x.sqlite") as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [f"2{evil}"])
    refused(sonde(tmp_path, "report", "x.sqlite", "-o", "out"))
    refused(sonde(tmp_path, "study", "file.json", "--db", "x.sqlite"))


def test_words_in_tables_are_no_formulas(tmp_path):
    model = json.loads(json.dumps(MODEL))
    model["factors"][0]["name"] = "@place"
    for modality in model["modalities"]:
        modality["factors"] = ["@place" if f == "choice" else f for f in modality["factors"]]
    model["factors"][0]["actions"] = ["=1+1", "+2", "-3", "@SUM(A1,B1)"]
    name = put(tmp_path, model)
    done = sonde(tmp_path, "embed", name, "--embedding", "occupancy", "--csv", "-")
    assert done.returncode == 0, done.stderr
    head, *lines = csv.reader(done.stdout.decode().splitlines())
    assert "'@place_start" in head
    assert {line[1][:3] for line in lines} == {"'=1", "'+2", "'-3", "'@S"}
    # numbers stay numbers, those below zero included
    assert any(float(field) < 0 for line in lines for field in line[2:])
