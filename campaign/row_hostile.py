"""Files that ask for too much: each is refused at once, with little memory, and in words."""
import gzip
import io
import json
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib

import rows

# seconds of the processor, and bytes, that a refusal may take
MOST_SECONDS = 0.1
MOST_BYTES = 64 << 20
# what ends a program that does not refuse
GIVE_UP = 20
HUGE = 2 ** 31 - 1
TIME, SIZE = "seconds of the processor, most", "megabytes, most"


# ------------------------------------------------------------------------------------- the files --


def model(**changes):
    """A small model document, with changes."""
    document = {"format": "sonde-model", "version": 1, "factors": [{"states": 2, "actions": 2}],
                "modalities": [{"outcomes": 2}], "A": [[[1, 0], [0, 1]]],
                "B": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]], "C": [[0, 1]], "D": [[1, 0]],
                "horizon": 2}
    document.update(changes)
    return {key: value for key, value in document.items() if value is not None}


def graph(**changes):
    document = {"format": "sonde-graph", "version": 1, "nodes": 3,
                "edges": [[0, 1, 5], [1, 2, 5], [2, 0, 5]], "start": [0, 1], "destination": 2}
    document.update(changes)
    return document


def text(document):
    return json.dumps(document).encode()


def nested(key, depth=100_000):
    """A document with so many lists within each other."""
    return text(model(**{key: "HERE"})).replace(b'"HERE"', b"[" * depth + b"]" * depth)


def bomb(size):
    """So many bytes of blanks, compressed a thousandfold, a document at the end."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:
        for _ in range(size >> 20):
            file.write(b" " * (1 << 20))
        file.write(text(model()))
    return packed.getvalue()


def npy(shape, kind="<f8", data=b""):
    """An array of numpy's, whatever its data."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def archive(members):
    """A zip file: (name, bytes, packed, size that it claims)."""
    out, directory = b"", b""
    for name, data, packs, claimed in members:
        packed = data
        if packs:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = packer.compress(data) + packer.flush()
        size = len(data) if claimed is None else claimed
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8 if packs else 0, 0, 0, zlib.crc32(data),
                             len(packed), min(size, 0xFFFFFFFF), len(name), 0)
        directory += (b"PK\x01\x02" + struct.pack("<H", 20) + fields
                      + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name)
        out += b"PK\x03\x04" + fields + name + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(out), 0)
    return out + directory + b"PK\x05\x06" + end


def npz(**arrays):
    return archive([(f"{name}.npy".encode(), data, False, None) for name, data in arrays.items()])


def database(words):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "study.sqlite"
        with sqlite3.connect(path) as file:
            for word in words:
                file.execute(word)
        file.close()
        return path.read_bytes()


POMDP = """discount: 0.95
values: reward
states: {states}
actions: {actions}
observations: {observations}
T: * uniform
O: * uniform
R: * : * : * : * 1
"""

POMDPX = """<?xml version="1.0"?>
<pomdpx version="1.0"><Discount>0.95</Discount><Variable>
<StateVar vnamePrev="a0" vnameCurr="a1"><NumValues>{states}</NumValues></StateVar>
<ObsVar vname="o"><NumValues>{outcomes}</NumValues></ObsVar>
<ActionVar vname="u"><NumValues>{actions}</NumValues></ActionVar>
<RewardVar vname="r"/></Variable></pomdpx>
"""

HEADER = b"subject,session,episode,step,o0,u0\n"
ROWS = b"".join(b"1,1,1,%d,0,0\n" % i for i in range(1, 4))


def cases():
    """(reader, what is too much, the file's name, its bytes, the words of the command, what the
    sentence must say)."""
    big = "x" * (1 << 20)
    plan = ["plan", "FILE"]
    listed = model(policies=[[[0], [1]]] * 2)
    yield "model", "2^31 states", "m.json", text(model(
        factors=[{"states": HUGE, "actions": 2}])), plan, "B[0]"
    yield "model", "2^62 pairs of states and actions", "m.json", text(model(
        factors=[{"states": HUGE, "actions": HUGE}])), plan, "B[0]"
    yield "model", "64 factors of 2^31 states", "m.json", text(model(
        factors=[{"states": HUGE, "actions": 2}] * 64, B=[[]] * 64, D=[[]] * 64)), plan, "factors"
    yield "model", "more factors than there may be", "m.json", text(model(
        factors=[{"states": 2, "actions": 2}] * 20_000)), plan, "factors"
    yield "model", "a sparse array of 2^96 numbers", "m.json", text(model(
        B=[{"shape": [2 ** 32] * 3, "entries": []}])), plan, "B[0]"
    yield "model", "a sparse array of 2^62 numbers as asked for", "m.json", text(model(
        factors=[{"states": HUGE, "actions": 1}],
        B=[{"shape": [HUGE, HUGE, 1], "entries": []}])), plan, "B[0]"
    yield "model", "2^31 outcomes", "m.json", text(model(
        modalities=[{"outcomes": HUGE}])), plan, "A[0]"
    yield "model", "100,000 levels in A", "m.json", nested("A"), plan, "A[0]"
    yield "model", "100,000 levels in C", "m.json", nested("C"), plan, "C[0]"
    yield "model", "100,000 levels in policies", "m.json", nested("policies"), plan, "line 1"
    yield "model", "100,000 levels in names", "m.json", nested("names"), plan, "line 1"
    yield "model", "100,000 levels of objects", "m.json", (
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000), plan, "line 1"
    yield "model", "a name of a megabyte", "m.json", text(model(name=big)), plan, "name"
    yield "model", "a state's name of a megabyte", "m.json", text(model(
        factors=[{"states": [big, "b"], "actions": 2}])), plan, "factors[0].states"
    yield "model", "a key of a megabyte", "m.json", text(model(**{big: 1})), plan, "unknown key"
    yield "model", "a number of a million digits", "m.json", text(model(
        horizon="HERE")).replace(b'"HERE"', b"1" * (1 << 20)), plan, "line 1"
    yield "model", "a number of a million digits in A", "m.json", text(model(
        A="HERE")).replace(b'"HERE"', b"[[[" + b"1" * (1 << 20) + b"]]]"), plan, "line 1"
    yield "model", "a horizon of 2^31", "m.json", text(model(horizon=HUGE)), plan, "horizon"
    yield "model", "2^31 policies to be embedded", "m.json", text(model(horizon=31)), [
        "embed", "FILE"], "memory"
    yield "model", "2^31 policies in clusters", "m.json", text(model(horizon=31)), [
        "plan", "FILE", "--search", "cluster"], "memory"
    yield "model", "a joint state of 2^62", "m.json", text(model(
        factors=[{"states": 2, "actions": 1}] * 62, modalities=[{"outcomes": 2, "factors": [0]}],
        B=[[[[1], [0]], [[0], [1]]]] * 62, D=[[1, 0]] * 62)), [
        "plan", "FILE", "--loop", "closed"], "memory"
    blanks = bomb(1 << 28)
    yield "model, compressed", "256 megabytes of blanks", "m.json.gz", blanks, plan, (
        "200 times")
    yield "model, compressed", "64 gigabytes of blanks", "m.json.gz", blanks * 256, plan, (
        "200 times")
    yield "table, compressed", "256 megabytes of blanks", "t.csv.gz", blanks, [
        "replay", "MODEL", "FILE"], "200 times"
    yield "list of policies, compressed", "256 megabytes of blanks", "p.json.gz", blanks, [
        "efe", "MODEL", "--policies", "FILE"], "200 times"
    yield "npz", "an array of 2^62 numbers", "m.npz", npz(A_0=npy((HUGE, HUGE))), plan, "A_0"
    yield "npz", "axes whose product is 2^64", "m.npz", npz(
        A_0=npy((2 ** 32, 2 ** 32))), plan, "A_0"
    yield "npz", "axes whose product is 0 after overflow", "m.npz", npz(
        A_0=npy((2 ** 33, 2 ** 31))), plan, "A_0"
    yield "npz", "10,000 axes", "m.npz", npz(A_0=npy((1,) * 10_000)), plan, "A_0"
    yield "npz", "a member that says it is 4 gigabytes", "m.npz", archive(
        [(b"A_0.npy", npy((2, 2), data=b"\0" * 32), True, 0xFFFFFFFE)]), plan, "A_0"
    yield "npz", "a member that unpacks a thousandfold", "m.npz", archive(
        [(b"A_0.npy", npy((2 ** 27,), data=b"\0" * (1 << 27)), True, None)]), [
            "plan", "FILE", "--memory", "32M"], "A_0"
    yield "npz", "a member's name of 60,000 bytes", "m.npz", archive(
        [(b"x" * 60_000, npy((2, 2)), False, None)]), plan, "m.npz"
    yield "npz", "60,000 members", "m.npz", archive(
        [(b"x%d" % i, b"", False, None) for i in range(60_000)]), plan, "m.npz"
    yield ".POMDP", "2^31 states", "m.POMDP", POMDP.format(
        states=HUGE, actions=2, observations=2).encode(), plan, "states"
    yield ".POMDP", "2^62 pairs", "m.POMDP", POMDP.format(
        states=2 ** 20, actions=2 ** 20, observations=2 ** 20).encode(), plan, "memory"
    yield ".POMDP", "more digits than a number has", "m.POMDP", POMDP.format(
        states="9" * (1 << 20), actions=2, observations=2).encode(), plan, "line 3"
    yield ".POMDP", "a name of a megabyte", "m.POMDP", POMDP.format(
        states="a" + big, actions=2, observations=2).encode(), plan, "line 3"
    yield "POMDPX", "2^31 states", "m.pomdpx", POMDPX.format(
        states=HUGE, actions=2, outcomes=2).encode(), plan, "states"
    yield "POMDPX", "100,000 levels", "m.pomdpx", (
        b"<?xml version='1.0'?><pomdpx>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</pomdpx>"
    ), plan, "line 1"
    yield "POMDPX", "an attribute of a megabyte", "m.pomdpx", POMDPX.replace(
        '"a0"', f'"{big}"').format(states=2, actions=2, outcomes=2).encode(), plan, "line"
    yield "graph", "2^31 nodes", "g.json", text(graph(nodes=HUGE)), plan, "nodes"
    yield "graph", "a node that is not there", "g.json", text(graph(
        edges=[[0, HUGE, 5]])), plan, "edges[0]"
    yield "graph", "a horizon of 2^31", "g.json", text(graph(horizon=HUGE)), plan, "horizon"
    yield "graph", "a node's name of a megabyte", "g.json", text(graph(
        names=[big, "b", "c"])), plan, "names[0]"
    yield "graph", "100,000 levels", "g.json", text(graph(edges="HERE")).replace(
        b'"HERE"', b"[" * 100_000 + b"]" * 100_000), plan, "line 1"
    yield "list of policies", "100,000 levels", "p.json", b"[" * 100_000 + b"]" * 100_000, [
        "efe", "MODEL", "--policies", "FILE"], "line 1"
    yield "list of policies", "a policy of 100,000 steps", "p.json", text(
        [[[0]] * 100_000]), ["efe", "MODEL", "--policies", "FILE"], "[0]"
    yield "model's own list", "an action of 2^40", "m.json", text(
        {**listed, "policies": [[[2 ** 40], [1]]]}), plan, "policies[0]"
    yield "plan of a study", "100,000 levels", "p.json", b"[" * 100_000 + b"]" * 100_000, [
        "study", "FILE", "--db", "DB"], "line 1"
    yield "plan of a study", "2^62 runs", "p.json", text(
        {"format": "sonde-plan", "version": 1, "worlds": {"nodes": [5], "count": HUGE},
         "runs": HUGE}), ["study", "FILE", "--db", "DB"], "p.json"
    yield "database", "a text of a gigabyte", "d.sqlite", database(
        ["create table sonde (key text, value text)",
         "insert into sonde values ('format', 'sonde-study')"]), [
             "report", "FILE", "-o", "FOLDER"], "d.sqlite"
    yield "database", "half a page", "d.sqlite", b"SQLite format 3\0" + b"\xff" * 1000, [
        "report", "FILE", "-o", "FOLDER"], "d.sqlite"
    yield "table of behaviour", "a cell of a megabyte", "t.csv", (
        HEADER + b"1,1,1,1," + big.encode() + b",0\n"), ["replay", "MODEL", "FILE"], "row 1"
    yield "table of behaviour", "a heading of a megabyte", "t.csv", (
        big.encode() + b"," + HEADER + ROWS), ["replay", "MODEL", "FILE"], "row 1"
    yield "table of behaviour", "a million columns", "t.csv", (
        b",".join(b"c%d" % i for i in range(1_000_000)) + b"\n"), [
            "replay", "MODEL", "FILE"], "columns"
    yield "table of behaviour", "a step of 10^40", "t.csv", (
        HEADER + b"1,1,1,1" + b"0" * 40 + b",0,0\n"), ["replay", "MODEL", "FILE"], "row 1"
    yield "table of behaviour", "a quote that never ends", "t.csv", (
        HEADER + b'1,1,1,1,"' + b"\n" * (1 << 20)), ["replay", "MODEL", "FILE"], "row 1"
    yield "policy", "100,000 levels", "p.json", (
        b'{"format": "sonde-policy", "version": 1, "upper": ' + b"[" * 100_000 + b"]" * 100_000
        + b"}"), ["plan", "MODEL", "--loop", "closed", "--horizon", "inf", "--discount", "0.9",
                  "--use-policy", "FILE"], "line 1"
    yield "world of a simulation", "100,000 levels in its schedule", "w.json", nested(
        "schedule"), ["simulate", "MODEL", "--process", "FILE"], "line 1"
    yield "sets of parameters", "a heading of a megabyte", "s.csv", big.encode() + b"\n1\n", [
        "replay", "MODEL", "TABLE", "--sets", "FILE"], "s.csv"


# ---------------------------------------------------------------------------------------- trying --


# a process of little memory, which the programs begin as: what a process holds before it becomes
# another program counts as the other's
RUNNER = """
import json, os, signal, subprocess, sys
for line in sys.stdin:
    words, folder, give_up = json.loads(line)
    with open(folder + "/said", "wb") as said:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said, cwd=folder,
                                   stdin=subprocess.DEVNULL)
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.alarm(give_up)
        _, status, used = os.wait4(process.pid, 0)
        signal.alarm(0)
    print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime,
                      used.ru_maxrss * 1024]), flush=True)
"""


def run(runner, words, folder):
    """Exit status, what it said, seconds of the processor and the most bytes it held."""
    runner.stdin.write(json.dumps([words, str(folder), GIVE_UP]) + "\n")
    runner.stdin.flush()
    status, seconds, size = json.loads(runner.stdout.readline())
    return status, (folder / "said").read_bytes(), seconds, size


class Hostile(rows.Row):
    name = "hostile"
    what = "Files that ask for too much"
    how = ("every reader of the command with shapes that overflow, 2^31 policies, archives that "
           "unpack a thousandfold, 100,000 levels, names of megabytes: each is refused within "
           f"{MOST_SECONDS * 1000:.0f} ms of the processor and {MOST_BYTES >> 20} MB, with a "
           "sentence that names the field.")
    unit = "files"
    goal = 60
    once = True

    def prepare(self):
        self.build = self.build or rows.build("gcc", "sonde")

    def wrong_with(self, runner, folder, case, used):
        """Sentences on one file; what it took is kept in `used`."""
        reader, what, name, data, words, wanted = case
        (folder / name).write_bytes(data)
        places = {"FILE": name, "MODEL": "small.json", "TABLE": "table.csv", "DB": "new.sqlite",
                  "FOLDER": "report"}
        command = [str(self.build / "sonde"), *(places.get(word, word) for word in words)]
        status, said, seconds, size = run(runner, command, folder)
        for _ in range(4):  # a busy machine makes everything slower now and then
            if seconds > MOST_SECONDS:
                seconds = min(seconds, run(runner, command, folder)[2])
        (folder / name).unlink()
        used[TIME] = max(seconds, used[TIME])
        used[SIZE] = max(size / 2 ** 20, used[SIZE])
        if status not in (2, 3, 4):
            yield f"{reader}, {what}: status {status}: {said[-200:]!r}"
        if wanted.encode() not in said:
            yield f"{reader}, {what}: {wanted} is not in {said[:300]!r}"
        if len(said) > 2000:
            yield f"{reader}, {what}: the sentence has {len(said)} bytes"
        if seconds > MOST_SECONDS:
            yield f"{reader}, {what}: {seconds:.2f} s"
        if size > MOST_BYTES:
            yield f"{reader}, {what}: {size >> 20} MB"

    def step(self, start, seconds):
        wrong, count = [], 0
        used = {TIME: 0.0, SIZE: 0.0}
        with tempfile.TemporaryDirectory() as place, subprocess.Popen(
                [sys.executable, "-S", "-c", RUNNER], stdin=subprocess.PIPE, text=True,
                stdout=subprocess.PIPE) as runner:
            folder = pathlib.Path(place)
            (folder / "small.json").write_bytes(text(model()))
            (folder / "table.csv").write_bytes(HEADER + ROWS)
            for case in cases():
                wrong += self.wrong_with(runner, folder, case, used)
                count += 1
            runner.stdin.close()
        return rows.Step(count, 0, wrong, figures=used)
