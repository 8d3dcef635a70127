"""The engine of the page answers as the command does, to the last digit; and the page around it."""
# page
import base64
import gzip
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import golden  # noqa: E402
from engine import Engine  # noqa: E402

BUILD = Path(os.environ["SONDE_COMMAND"]).parent
RECORDED = ROOT / "tests/golden/golden.txt"
# studies and benches need what a page has not; the page itself says what it is made of
NOT_IN_THE_PAGE = re.compile(r"help|study|report|bench|view|model|$")
# two commands take 3 GB, and WebAssembly has 2; and a model has pointers, which are smaller there
TOO_LARGE = re.compile("--ngram 3 ")
TELLS_BYTES = re.compile("model .*--json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("golden")
    golden.prepare(made)
    for name, command in golden.DRAWN.items():
        golden.run(os.environ["SONDE_COMMAND"], f"{command} -o {name}", made)
    return made


@pytest.fixture(scope="module")
def engine(tmp_path_factory, folder):
    assert (BUILD / "engine/engine.wasm").is_file(), "make page builds the engine"
    made = Engine(tmp_path_factory.mktemp("node"), BUILD)
    files = {str(path.relative_to(folder)): base64.b64encode(path.read_bytes()).decode()
             for path in sorted(folder.rglob("*")) if path.is_file()}
    made.ask("run", words=["--version"], packed=files)
    for name, command in golden.DRAWN.items():  # by the engine, over those of the command
        made.run(f"{command} -o {name}")
    yield made
    made.close()


def native(command, folder):
    """What the command itself says now, for what it did not say when its answers were recorded."""
    return golden.run(os.environ["SONDE_COMMAND"], command, folder)


def test_documents_are_those_of_the_command_to_the_last_digit(engine, folder):
    recorded = golden.read(RECORDED)
    commands = [command for command in dict.fromkeys(golden.results())
                if not TOO_LARGE.search(command) and not TELLS_BYTES.match(command)]
    assert len(commands) > 400
    wrong = []
    for command in commands:
        answers = golden.answer_json(command, *engine.run(command))
        assert answers, command
        if any(recorded.get(key) != golden.digest(value) for key, value in answers.items()):
            told = golden.answer_json(command, *native(command, folder))
            wrong += [command] if told != answers else []
    assert wrong == []


def test_a_model_is_the_same_but_for_its_bytes(engine, folder):
    def described(out):
        return {key: value for key, value in json.loads(out).items() if key != "memory"}

    commands = [command for command in dict.fromkeys(golden.results())
                if TELLS_BYTES.match(command)]
    assert len(commands) > 10
    for command in commands:
        _, out, err = golden.run(os.environ["SONDE_COMMAND"], command, folder)
        assert described(engine.run(command)[1]) == described(out), command


def test_what_is_too_large_for_the_page_is_said(engine):
    for command in golden.results():
        if TOO_LARGE.search(command):
            status, out, err = engine.run(command)
            assert (status, out) == (4, "")
            assert re.search("expected at most [0-9.]+ [kMG]B|memory", err), err


def test_words_for_people_are_those_of_the_command(engine, folder):
    recorded = golden.read(RECORDED)
    commands = [command for command in dict.fromkeys(golden.words())
                if not NOT_IN_THE_PAGE.match(command)]
    assert len(commands) > 60
    wrong = []
    for command in commands:
        def answer(status, out, err):
            return {"exit": status, "out": golden.mask(out), "err": golden.mask(err)}

        said = answer(*engine.run(command))
        if recorded.get(("words", command)) != golden.digest(said):
            wrong += [command] if answer(*native(command, folder)) != said else []
    assert wrong == []


def test_policies_that_begin_alike_are_those_of_the_command(engine, folder):
    """In a world, a product of actions and a list, with and without limits."""
    for command in ("three.json --prefix all", "four.json --prefix all --search full",
                    "models/tmaze.json --prefix 3/0", "models/tmaze.json --prefix 3/0,1/0",
                    "models/grid5.json --horizon 6 --prefix 1,1 --epsilon 1e-6",
                    "models/grid5.json --horizon 30 --prefix 1,2 --budget 500",
                    "three.json --prefix 9"):
        command = f"plan {command} --brief --json"
        answer = golden.answer_json(command, *engine.run(command))
        assert answer == golden.answer_json(command, *native(command, folder)), command


@pytest.mark.parametrize("world", ["plain", "named", "selves", "open"])
def test_a_world_that_is_held_is_the_world_that_is_read(engine, folder, world):
    """Commands on the same file, one after the other, with all that can be said of a world."""
    document = json.loads((folder / "three.json").read_text())
    document |= {"named": {"names": ["1", "0", "b"]}, "open": {}, "plain": {}, "selves": {
        "edges": [*document["edges"], [1, 1, 7]]}}[world]
    document = {key: value for key, value in document.items()
                if world != "open" or key not in ("start", "destination")}
    (folder / "held.json").write_text(json.dumps(document))
    put = {"held.json": json.dumps(document)}
    a, b = document["edges"][0][:2]
    for options in ("", "", "--destination 1", f"--start {a},{b}", "--horizon 2", "--lambda 3",
                    "--idle 9", "--seed 5", "--destination 9", "--preferences log",
                    "--start 0,0 --destination 2", ""):
        command = f"simulate held.json --search full --steps 3 --json {options}"
        answer = golden.answer_json(command, *engine.run(command, files=put))
        assert answer == golden.answer_json(command, *native(command, folder)), options
        put = {}


@pytest.mark.parametrize("blank", [0, 17 << 20])
def test_a_packed_world_is_unpacked_and_one_that_unpacks_to_too_much_is_not(engine, folder, blank):
    text = (folder / "three.json").read_bytes()
    packed = gzip.compress(text + blank * b" ", mtime=0)
    (folder / "packed.json.gz").write_bytes(packed)
    command = "plan packed.json.gz --json"
    ran = engine.ask("run", words=shlex.split(command),
                     packed={"packed.json.gz": base64.b64encode(packed).decode()})
    assert ran["status"] == (4 if blank else 0)
    answer = golden.answer_json(command, ran["status"], ran["out"], ran["err"])
    assert answer == golden.answer_json(command, *native(command, folder))


def test_what_a_page_cannot_do_is_said(engine):
    for verb in ("study table", "report three.json", "replay three.json", "bench cluster",
                 "replay three.json three.json", "fit three.json three.json three.json"):
        status, out, err = engine.run(verb)
        assert (status, out) == (2, "")
        assert "is not in the page; run sonde" in err


def test_a_map_has_the_numbers_of_the_documents(engine):
    words = "three.json --embedding aboe --k 4 --seed 3"
    status, out, _ = engine.run(f"cluster {words} --json")
    document = json.loads(out)
    lists = {key: list(value.values()) for key, value in
             engine.ask("map", words=shlex.split(words))["map"].items() if key != "actions"}
    scored = json.loads(engine.run("efe three.json --steps --json")[1])["policies"]
    assert status == 0 and len(scored) == len(lists["efe"]) > 10
    assert [policy["efe"] for policy in scored] == lists["efe"]
    assert document["clusters"]["labels"] == lists["cluster"]
    assert document["clusters"]["representatives"] == lists["representative"]
    assert (document["row_of"], document["weight"]) == (lists["rowOf"], lists["weight"])
    assert [number for point in document["xy"] for number in point] == lists["xy"]
    for i in (0, 7):
        assert engine.ask("policy", policy=i)["policies"][0] == scored[i]
    near = engine.ask("nearest", policy=0, n=3)
    assert [distance for _, distance in near] == sorted(distance for _, distance in near)


def test_words_that_ask_for_something_else_than_a_map_make_none(engine):
    assert "map" in engine.ask("map", words=["three.json"])
    asked = engine.ask("map", words=["three.json", "--help"])
    assert (asked["status"], "map" in asked) == (2, False)
    assert "--embedding" in asked["out"]


def test_a_map_of_a_model_calls_its_first_actions_by_their_names(engine, folder):
    factors = json.loads((folder / "models/tmaze.json").read_text())["factors"]
    [names] = [factor["actions"] for factor in factors if len(factor["actions"]) > 1]
    found = engine.ask("map", words=["models/tmaze.json"])["map"]
    assert found["actions"] == {str(i): name for i, name in enumerate(names)}


def test_the_page_is_small_and_carries_the_notices():
    page = (BUILD / "page.html").read_bytes()
    assert len(page) <= 700_000
    for name in (b"Mike Bostock", b"Petri Lehtinen", b"Jean-loup Gailly", b"Rich Felker",
                 b"The Emscripten Authors"):
        assert name in page
    assert b"connect-src 'none'" in page
