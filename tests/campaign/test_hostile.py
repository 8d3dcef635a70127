"""What files may ask for, up to the last byte that is allowed."""
# once
import gzip
import json
import os
import subprocess

import pytest

COMMAND = os.environ.get("SONDE_COMMAND")
pytestmark = pytest.mark.skipif(not COMMAND, reason="SONDE_COMMAND says which command")


def model(name="a", state="b"):
    return {"format": "sonde-model", "version": 1, "name": name,
            "factors": [{"states": [state, "c"], "actions": 2}], "modalities": [{"outcomes": 2}],
            "A": [[[1, 0], [0, 1]]], "B": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]], "C": [[0, 1]],
            "D": [[1, 0]], "horizon": 2}


def run(folder, *words, **files):
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True,
                          check=False)


def test_a_name_has_at_most_4096_bytes(tmp_path):
    longest = "x" * 4096
    graph = {"format": "sonde-graph", "version": 1, "nodes": 2, "edges": [[0, 1, 5], [1, 0, 5]]}
    fits = [model(longest), model("a", longest), {**graph, "names": [longest, "b"]}]
    too_long = [(model(longest + "x"), "name"), (model("a", longest + "x"), "factors[0].states[0]"),
                ({**graph, "names": ["a", longest + "x"]}, "names[1]")]
    for document in fits:
        assert run(tmp_path, "plan", "d", d=json.dumps(document).encode()).returncode == 0
    for document, field in too_long:
        done = run(tmp_path, "plan", "d", d=json.dumps(document).encode())
        assert done.returncode == 3
        assert f"d: {field}: expected a name of at most 4096 bytes, found one" in done.stderr


def test_compressed_text_past_16_megabytes_is_at_most_200_times_as_large_as_packed(tmp_path):
    document = json.dumps(model()).encode()
    little = gzip.compress(b" " * (1 << 23) + document)
    assert run(tmp_path, "plan", "d.gz", **{"d.gz": little}).returncode == 0
    much = gzip.compress(b" " * (1 << 27) + document, 1)
    done = run(tmp_path, "plan", "d.gz", **{"d.gz": much})
    assert done.returncode == 4
    assert "d.gz: unpacks to more than 200 times its size; unpack it first" in done.stderr


def test_a_table_of_behaviour_has_at_most_4096_columns(tmp_path):
    for n, status in ((4096, 0), (4097, 3)):
        names = ["subject", "o0", "u0", *(f"c{i}" for i in range(n - 3))]
        table = ",".join(names) + "\n" + ",".join(["1", "0", "0"] + ["0"] * (n - 3)) + "\n"
        done = run(tmp_path, "replay", "m", "t", m=json.dumps(model()).encode(), t=table.encode())
        assert done.returncode == status, done.stderr
    assert "t: header: expected at most 4096 columns, found 4097" in done.stderr


def test_a_pomdp_file_that_needs_too_much_is_told_what_of(tmp_path):
    text = (b"discount: 0.9\nvalues: reward\nstates: 2147483647\nactions: 2\nobservations: 2\n"
            b"T: * uniform\nO: * uniform\n")
    done = run(tmp_path, "plan", "m.POMDP", **{"m.POMDP": text})
    assert done.returncode == 4
    assert "m.POMDP: states, actions and observations: needs" in done.stderr
