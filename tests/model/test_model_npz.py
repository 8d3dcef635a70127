"""Models from .npz files: numpy's arrays mean what the same numbers mean as JSON, and whatever else
an archive says of itself is answered with a sentence."""
# long
import io
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest

COMMAND = os.environ["SONDE_COMMAND"]
DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"])


def sonde(*arguments, stdin=None):
    """Exit status, standard output and standard error of sonde model."""
    done = subprocess.run([COMMAND, "model", *map(str, arguments)], input=stdin,
                          capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def written(*arguments, stdin=None):
    """The document that sonde model -o makes."""
    status, out, err = sonde(*arguments, "-o", "-", stdin=stdin)
    assert status == 0, err
    return json.loads(out)


def refused(path, sentence):
    """The file is refused with exit status 3, its name and the sentence."""
    status, out, err = sonde(path)
    assert (status, out) == (3, b""), err
    assert err.startswith(f"sonde model: {path}: ")
    assert sentence in err
    assert len(err.splitlines()) == 1


def columns(rng, *shape):
    """Random numbers whose first axis sums to 1."""
    numbers = rng.random(shape)
    return numbers / numbers.sum(axis=0)


def small(rng=None):
    """The arrays of a model with two factors and two modalities."""
    rng = rng or np.random.default_rng(1)
    return {"A_0": columns(rng, 4, 3, 2), "A_1": columns(rng, 2, 3, 2),
            "B_0": columns(rng, 3, 3, 2), "B_1": columns(rng, 2, 2, 1),
            "C_0": rng.normal(size=4), "C_1": rng.normal(size=2),
            "D_0": columns(rng, 3), "D_1": columns(rng, 2)}


def document(arrays, horizon=1):
    """The same as JSON."""
    def some(letter):
        return [arrays[f"{letter}_{i}"] for i in range(64) if f"{letter}_{i}" in arrays]
    factors = [{"states": B.shape[0], "actions": B.shape[2]} for B in some("B")]
    return {"format": "sonde-model", "version": 1, "factors": factors,
            "modalities": [{"outcomes": A.shape[0]} for A in some("A")],
            **{letter: [array.tolist() for array in some(letter)] for letter in "ABCD"},
            "horizon": horizon}


def save(path, arrays, how=np.savez):
    how(path, **arrays)
    return path


# ------------------------------------------------------------------------------ what is right --


def test_an_npz_is_the_same_model_as_json(tmp_path):
    for seed in range(10):
        arrays = small(np.random.default_rng(seed))
        (tmp_path / "m.json").write_text(json.dumps(document(arrays)))
        wanted = written(tmp_path / "m.json")
        assert written(save(tmp_path / "m.npz", arrays)) == wanted
        assert written(save(tmp_path / "c.npz", arrays, np.savez_compressed)) == wanted
        # what cannot be read in any order is read whole
        assert written("-", stdin=(tmp_path / "m.npz").read_bytes()) == wanted


@pytest.mark.parametrize("name", sorted(path.stem for path in (DATA / "pomdp").glob("*.json")))
def test_fixtures_are_the_same_either_way(tmp_path, name):
    fixture = json.loads((DATA / "pomdp" / f"{name}.json").read_text())
    arrays = {f"{letter}_{i}": np.array(array) for letter, key in zip("ABCD", ("A", "B", "C", "qs"))
              for i, array in enumerate(fixture[key])}
    (tmp_path / "m.json").write_text(json.dumps(document(arrays)))
    assert written(save(tmp_path / "m.npz", arrays)) == written(tmp_path / "m.json")


def test_the_order_of_axes_and_bytes_changes_nothing(tmp_path):
    arrays = small()
    wanted = written(save(tmp_path / "m.npz", arrays))
    fortran = {key: np.asfortranarray(array) for key, array in arrays.items()}
    assert any(array.flags.f_contiguous and not array.flags.c_contiguous
               for array in fortran.values())
    assert written(save(tmp_path / "f.npz", fortran)) == wanted
    big = {key: array.astype(">f8") for key, array in arrays.items()}
    assert written(save(tmp_path / "b.npz", big)) == wanted
    both = {key: np.asfortranarray(array.astype(">f8")) for key, array in arrays.items()}
    assert written(save(tmp_path / "d.npz", both, np.savez_compressed)) == wanted


def test_rows_of_preferences_may_be_in_either_order(tmp_path):
    arrays = small()
    arrays["C_0"] = np.arange(12.0).reshape(3, 4)
    wanted = written(save(tmp_path / "m.npz", arrays), "--horizon", 3)
    assert wanted["C"][0] == arrays["C_0"].tolist()
    arrays["C_0"] = np.asfortranarray(arrays["C_0"])
    assert written(save(tmp_path / "f.npz", arrays), "--horizon", 3) == wanted


@pytest.mark.parametrize("kind", ["<f4", ">f4", "<i8", ">i8", "<i4", ">i2", "i1", "u1", "<u2",
                                  ">u4", "<u8", "?"])
def test_numbers_of_every_kind(tmp_path, kind):
    turn = np.zeros((3, 3, 2))
    turn[np.arange(3), np.arange(3), 0] = 1
    turn[(np.arange(3) + 1) % 3, np.arange(3), 1] = 1
    arrays = {"A_0": np.eye(3), "B_0": turn, "C_0": np.array([0.0, 1, 0]),
              "D_0": np.array([1.0, 0, 0])}
    wanted = written(save(tmp_path / "m.npz", arrays))
    other = {key: array.astype(kind) for key, array in arrays.items()}
    assert written(save(tmp_path / "o.npz", other)) == wanted


def test_single_precision_is_close_enough(tmp_path):
    arrays = {key: array.astype("f4") for key, array in small().items()}
    assert sonde(save(tmp_path / "m.npz", arrays))[0] == 0


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format(tmp_path, version):
    arrays = small()
    wanted = written(save(tmp_path / "m.npz", arrays))
    with zipfile.ZipFile(tmp_path / "v.npz", "w") as archive:
        for key, array in arrays.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array, version=version)
            archive.writestr(f"{key}.npy", file.getvalue())
    assert written(tmp_path / "v.npz") == wanted


def test_a_batch_of_one_is_dropped_and_another_is_an_error(tmp_path):
    arrays = small()
    wanted = written(save(tmp_path / "m.npz", arrays))
    batch = {key: array[None] for key, array in arrays.items()}
    assert written(save(tmp_path / "b.npz", batch)) == wanted
    for key, array in arrays.items():
        several = dict(batch)
        several[key] = np.stack([array, array, array])
        refused(save(tmp_path / "s.npz", several),
                f"{key}.npy: has a batch of 3 in its first axis; save one model, or a batch of 1")
    # a step's preferences inside a batch
    batch["C_0"] = np.ones((1, 2, 4))
    assert written(save(tmp_path / "t.npz", batch), "--horizon", 2)["C"][0] == [[1] * 4] * 2


def test_dependencies_that_arrays_cannot_tell_are_named_as_the_cause(tmp_path):
    cause = ("; a model in which it depends on some factors alone, or on others besides, is read "
             "from a document, as sonde.from_pymdp(agent).save(FILE) writes it in Python")
    arrays = small()
    for batch in (False, True):
        # a modality of one factor
        some = arrays | {"A_0": arrays["A_0"].sum(axis=2) / 2}
        # a transition of two
        both = arrays | {"B_0": np.stack([arrays["B_0"]] * 2, axis=2)}
        if batch:
            some, both = ({key: array[None] for key, array in one.items()} for one in (some, both))
        after = " after that of a batch of 1" if batch else ""
        refused(save(tmp_path / "a.npz", some), f"A_0.npy: expected 3 axes (outcome, state of each "
                f"factor){after}, found the shape {list(some['A_0'].shape)}{cause}")
        refused(save(tmp_path / "b.npz", both), cause)


def test_what_is_missing_is_as_in_pymdp(tmp_path):
    arrays = {key: array for key, array in small().items() if key[0] in "AB"}
    found = written(save(tmp_path / "m.npz", arrays))
    assert found["C"] == [[0, 0, 0, 0], [0, 0]]
    assert found["D"] == [[1 / 3, 1 / 3, 1 / 3], [0.5, 0.5]]
    assert (found["horizon"], found["gamma"], found["preferences"]) == (1, 1, "log")


def test_options_come_before_the_file(tmp_path):
    found = written(save(tmp_path / "m.npz", small()), "--horizon", 4, "--gamma", 16, "--lambda", 2,
                    "--preferences", "utility", "--information", "joint")
    assert (found["horizon"], found["gamma"], found["lambda"]) == (4, 16, 2)
    assert (found["preferences"], found["information"]) == ("utility", "joint")


def test_sizes_past_32_bits_are_understood(tmp_path):
    # 64-bit fields where 32 bits would do, as a writer may have it that does not know the size
    arrays = small()
    wanted = written(save(tmp_path / "m.npz", arrays))
    plain = (tmp_path / "m.npz").read_bytes()
    end = plain.rindex(b"PK\5\6")
    count, size, at = struct.unpack("<HII", plain[end + 10:end + 20])
    directory = b""
    for i in range(count):
        record = bytearray(plain[at:at + 46])
        name, extra, comment = struct.unpack("<HHH", record[28:34])
        packed, unpacked = struct.unpack("<II", record[20:28])
        start, = struct.unpack("<I", record[42:46])
        record[20:28] = b"\xff" * 8
        record[42:46] = b"\xff" * 4
        field = struct.pack("<HHHHQQQ", 0x9999, 0, 1, 24, unpacked, packed, start)
        record[30:32] = struct.pack("<H", len(field))
        directory += bytes(record) + plain[at + 46:at + 46 + name] + field
        at += 46 + name + extra + comment
    where = struct.unpack("<I", plain[end + 16:end + 20])[0]
    record64 = struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, count, count,
                           len(directory), where)
    locator = struct.pack("<IIQI", 0x07064b50, 0, where + len(directory), 1)
    last = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
    (tmp_path / "l.npz").write_bytes(plain[:where] + directory + record64 + locator + last)
    assert written(tmp_path / "l.npz") == wanted


# ------------------------------------------------------------------------------ what is wrong --


def changed(tmp_path, **arrays):
    """A small model with some arrays changed, added or, with None, left out."""
    all_arrays = {**small(), **arrays}
    return save(tmp_path / "m.npz", {key: array for key, array in all_arrays.items()
                                     if array is not None})


def test_arrays_that_do_not_fit_are_told_by_name(tmp_path):
    rng = np.random.default_rng(2)
    for arrays, sentence in [
        ({"A_0": columns(rng, 4, 2, 3)},
         "A[0]: expected the shape [4, 3, 2] (outcome, states), found [4, 2, 3]"),
        ({"A_0": columns(rng, 4, 3)},
         "A_0.npy: expected 3 axes (outcome, state of each factor), found the shape [4, 3]"),
        ({"A_0": np.float64(1)},
         "A_0.npy: expected 3 axes (outcome, state of each factor), found the shape []"),
        ({"B_0": columns(rng, 3, 2, 2)},
         "B[0]: expected the shape [3, 3, 2] (next, previous, action), found [3, 2, 2]"),
        ({"B_0": columns(rng, 3, 3)},
         "B_0.npy: expected 3 axes (next, previous, action), found the shape [3, 3]"),
        ({"B_0": np.zeros((0, 0, 2))},
         "B_0.npy: expected axes of 1 to 2147483647, found the shape [0, 0, 2]"),
        ({"C_0": np.zeros(5)}, "C[0]: expected the shape [4] (outcome)"),
        ({"C_0": np.zeros((2, 4))},
         "C[0]: expected the shape [4] (outcome) or [1, 4] (step, outcome), found [2, 4]"),
        ({"D_0": np.ones(2) / 2}, "D[0]: expected the shape [3] (state), found [2]"),
        ({"D_1": np.zeros((2, 1, 1))},
         "D_1.npy: expected 1 axes (state), found the shape [2, 1, 1]"),
        ({"A_0": columns(rng, 4, 3, 2) * 0.9},
         "A[0][:,0,0]: expected probabilities that sum to 1, found 0.9"),
        ({"A_0": columns(rng, 4, 3, 2) * np.nan},
         "A[0][0,0,0]: expected a probability, found nan"),
        ({"B_1": -columns(rng, 2, 2, 1)}, "B[1][0,0,0]: expected a probability, found -"),
        ({"C_1": np.array([0, np.inf])},
         "C[1][1]: expected a number from -1e+100 to 1e+100, found inf"),
        ({"D_1": np.array([0.5, 0.4])}, "D[1]: expected probabilities that sum to 1, found 0.9"),
        ({"A_3": columns(rng, 4, 3, 2)}, "has A_3, but no A_2"),
        ({"C_2": np.zeros(4)}, "has C_2, but no A_2"),
        ({"D_2": np.ones(4)}, "has D_2, but no B_2"),
        ({"A_0": None, "A_1": None, "C_0": None, "C_1": None},
         "expected an array A_0, found none"),
        ({"B_0": None, "B_1": None}, "expected an array B_0, found none"),
        ({"E": np.ones(4)}, 'unknown array "E.npy"; expected A_0, A_1, ..., B_0, '),
        ({"A_00": columns(rng, 4, 3, 2)}, 'unknown array "A_00.npy"'),
        ({"pE": np.ones((2, 2))}, "pE.npy: has a batch of 2 in its first axis"),
        ({"pE": np.ones(64)}, "counts.E"),
        ({"A_64": columns(rng, 4, 3, 2)}, 'unknown array "A_64.npy"'),
        ({"A_0": columns(rng, 4, 3, 2).astype(complex)},
         'A_0.npy: expected float64, float32, whole numbers or bool, found "<c16"'),
        ({"A_0": np.array(["x"])}, 'A_0.npy: expected float64, float32, whole numbers or bool'),
        ({"A_0": np.zeros(3, dtype=[("x", "f8")])},
         "A_0.npy: is an array of records; save plain numbers"),
        ({"A_0": columns(rng, 4, 3, 2).astype("f2")}, 'whole numbers or bool, found "<f2"'),
    ]:
        refused(changed(tmp_path, **arrays), sentence)


def test_pickles_are_not_read(tmp_path):
    class Trap:
        def __reduce__(self):
            return (os.system, (f"touch {tmp_path}/sprung",))
    for name in ("A", "A_0"):
        objects = np.empty(1, dtype=object)
        objects[0] = Trap()
        refused(changed(tmp_path, **{name: objects}),
                f"{name}.npy: holds Python objects (a pickle), which are not read; save every "
                "array under a name of its own, as np.savez(file, A_0=A[0], A_1=A[1], ...)")
    assert not (tmp_path / "sprung").exists()


def npy(header, body=b"", version=1):
    """An .npy file with a header of one's own."""
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + body


@pytest.mark.parametrize("content, sentence", [
    (b"", "A_0.npy: is cut short"),
    (b"\x93NUMPY", "A_0.npy: is cut short"),
    (b"PK\3\4 is no array", "A_0.npy: is no array that numpy saved"),
    (b"\x93NUMPY\x04\0" + bytes(20), "A_0.npy: is no array that numpy saved"),
    (b"\x93NUMPY\x01\0\xff\xff", "A_0.npy: is cut short"),
    (b"\x93NUMPY\x02\0\xff\xff\xff\xff", "A_0.npy: its header is damaged"),
    (b"\x93NUMPY\x02\0\xff\xff", "A_0.npy: is cut short"),
    (npy(""), "A_0.npy: its header is damaged"),
    (npy("{}"), "A_0.npy: its header is damaged"),
    (npy("{'descr': '<f8'}"), "A_0.npy: its header is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)"), "its header is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': Fals, 'shape': (1,)}"), "its header is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1"), "its header is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"), "its header is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1;)}"), "its header is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x"), "its header is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}"), "header is damaged"),
    (npy("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"), "is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (" + "1," * 65 + ")}"), "is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,)}"),
     "its header is damaged"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", bytes(16)),
     "A_0.npy: expected 3 numbers of 8 bytes, found 16 bytes"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", bytes(16)),
     "A_0.npy: expected 1 numbers of 8 bytes, found 16 bytes"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}"),
     "A_0.npy: expected 18446744073709551615 numbers of 8 bytes, found 0 bytes"),
    (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000, 2000000000, 3)}"),
     "A_0.npy: expected 12000000000000000000 numbers of 8 bytes, found 0 bytes"),
    (npy("{'descr': '<x8', 'fortran_order': False, 'shape': ()}"), 'found "<x8"'),
    (npy("{'descr': '" + "f" * 1000 + "', 'fortran_order': False, 'shape': ()}"), "found \"ffff"),
])
def test_headers_that_lie_are_found_out(tmp_path, content, sentence):
    for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / "m.npz", "w", packing) as archive:
            archive.writestr("A_0.npy", content)
        refused(tmp_path / "m.npz", sentence)


def patched(tmp_path, *patches):
    """A small archive with bytes changed: (where it begins, offset from there, new bytes)."""
    data = bytearray(save(tmp_path / "m.npz", small()).read_bytes())
    for mark, offset, new in patches:
        at = data.index(mark) + offset
        data[at:at + len(new)] = new
    (tmp_path / "p.npz").write_bytes(data)
    return tmp_path / "p.npz"


@pytest.mark.parametrize("patches, sentence", [
    # the directory's first record: flags, method, checksum, sizes, names, place
    ([(b"PK\1\2", 8, b"\1\0")], "A_0.npy: is encrypted, which is not read"),
    ([(b"PK\1\2", 10, b"\x0c\0")], "A_0.npy: is packed in another way than deflate"),
    ([(b"PK\1\2", 16, b"\0\0\0\0")], "A_0.npy: is damaged: its checksum is not what"),
    ([(b"PK\1\2", 20, b"\xff\xff\xff\x7f")], "A_0.npy: reaches past the end of the archive"),
    ([(b"PK\1\2", 24, b"\xff\xff\xff\x7f")], "A_0.npy: has two sizes"),
    ([(b"PK\1\2", 24, b"\xff\xff\xff\xff")], "its 64-bit size is damaged"),
    ([(b"PK\1\2", 42, b"\xff\xff\xff\x7f")], "A_0.npy: is not where the archive says"),
    ([(b"PK\1\2", 42, b"\1\0\0\0")], "A_0.npy: is not where the archive says"),
    ([(b"PK\1\2", 28, b"\xff\xff")], "the archive's directory is damaged"),
    ([(b"PK\1\2", 0, b"XX")], "the archive's directory is damaged"),
    ([(b"PK\1\2", 46, b"A_1")], "A_1.npy: is there twice"),
    ([(b"PK\1\2", 46, b"\xff\n\0")], 'unknown array "???.npy"'),
    # said to be deflated, and is not
    ([(b"PK\1\2", 10, b"\x08\0")], "A_0.npy: the compressed data is damaged or cut short"),
    # the last record: members, size and place of the directory, comment
    ([(b"PK\5\6", 10, b"\xff\x00")], "the archive's directory is damaged"),
    ([(b"PK\5\6", 10, b"\xff\xff")], "the archive's 64-bit directory is damaged"),
    ([(b"PK\5\6", 12, b"\xff\xff\xff\x7f")], "the archive's directory lies outside of it"),
    ([(b"PK\5\6", 16, b"\xff\xff\xff\x7f")], "the archive's directory lies outside of it"),
    ([(b"PK\5\6", 16, b"\0\0\0\0")], "the archive's directory is damaged"),
    ([(b"PK\5\6", 20, b"\5\0")], "the archive has no directory; it is cut short or damaged"),
    # what is in front of a member's bytes
    ([(b"PK\3\4", 26, b"\xff\xff")], "A_0.npy: reaches past the end of the archive"),
])
def test_archives_that_lie_are_found_out(tmp_path, patches, sentence):
    refused(patched(tmp_path, *patches), sentence)


def test_members_that_overlap_are_found_out(tmp_path):
    # the second record of the directory points at the first member
    data = bytearray(save(tmp_path / "m.npz", small()).read_bytes())
    second = data.index(b"PK\1\2", data.index(b"PK\1\2") + 4)
    data[second + 42:second + 46] = bytes(4)
    (tmp_path / "o.npz").write_bytes(data)
    refused(tmp_path / "o.npz", "overlaps another member")


def test_every_cut_is_told(tmp_path):
    data = save(tmp_path / "m.npz", small(), np.savez_compressed).read_bytes()
    for size in list(range(4, len(data), 97)) + [len(data) - 1]:
        (tmp_path / "cut.npz").write_bytes(data[:size])
        refused(tmp_path / "cut.npz", "cut short")


def test_bytes_changed_anywhere_are_survived(tmp_path):
    rng = random.Random(1)
    for how in (np.savez, np.savez_compressed):
        data = save(tmp_path / "m.npz", small(), how).read_bytes()
        for _ in range(60):
            bad = bytearray(data)
            for _ in range(rng.randint(1, 3)):
                bad[rng.randrange(4, len(bad))] = rng.randrange(256)
            (tmp_path / "x.npz").write_bytes(bad)
            status, _, err = sonde(tmp_path / "x.npz")
            assert status in (0, 3), (status, err)


def test_bombs_do_not_go_off(tmp_path):
    # a few kilobytes that say they are gigabytes
    header = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (40000, 40000)}")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(header) + packer.flush()
    size = len(header) + 40000 * 40000 * 8
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 8, 0, 0, 0, len(body),
                        size & 0xffffffff, 7, 0) + b"A_0.npy" + body
    extra = struct.pack("<HHQ", 1, 8, size)
    record = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 8, 0, 0, 0, len(body),
                         0xffffffff, 7, len(extra), 0, 0, 0, 0, 0) + b"A_0.npy" + extra
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(record), len(local), 0)
    (tmp_path / "bomb.npz").write_bytes(local + record + end)
    refused(tmp_path / "bomb.npz", "A_0.npy: cannot hold as much as it says")
    # and one that keeps its word, as far as it may
    zeros = np.zeros((3000, 3000, 2))
    path = save(tmp_path / "m.npz", {"A_0": np.zeros((3000, 3000)), "B_0": zeros},
                np.savez_compressed)
    assert path.stat().st_size < 300000
    refused(path, "B[0][:,0,0]: expected probabilities that sum to 1, found 0")
    status, _, err = sonde(path, "--memory", "10M")
    assert status in (3, 4), err


def test_memory_that_is_not_allowed_is_not_asked_for(tmp_path):
    rng = np.random.default_rng(1)
    path = save(tmp_path / "m.npz", {"A_0": columns(rng, 400, 400),
                                     "B_0": columns(rng, 400, 400, 4)})
    status, out, err = sonde(path, "--memory", "1M")
    assert (status, out) == (4, b"")
    assert "needs 6.42 MB" in err and "allowed are 1.05 MB" in err
    assert sonde(path, "--memory", "8M")[0] == 0


def test_an_empty_archive_and_no_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "e.npz", "w"):
        pass
    refused(tmp_path / "e.npz", "expected an array A_0, found none")
    (tmp_path / "n.npz").write_bytes(b"PK\3\4")
    refused(tmp_path / "n.npz", "the archive is cut short")


# a process begins with the memory of the one that starts it, so that a small one has to
MEASURE = """
import os, sys
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, usage = os.wait4(process, 0)
print(status, usage.ru_maxrss * 1024)
"""


def peak(*arguments):
    """The most memory that a command held at once, in bytes."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, COMMAND,
                           *map(str, arguments)], capture_output=True, check=True)
    status, size = map(int, done.stdout.split())
    assert status == 0
    return size


def test_reading_takes_little_more_memory_than_the_model(tmp_path):
    if b"__asan_init" in pathlib.Path(COMMAND).read_bytes():
        pytest.skip("sanitizers take memory of their own")
    rng = np.random.default_rng(1)
    for actions in (2, 4, 5):
        arrays = {"A_0": columns(rng, 100, 700), "B_0": columns(rng, 700, 700, actions)}
        size = sum(array.nbytes for array in arrays.values())
        assert peak("model", save(tmp_path / "m.npz", arrays)) <= 2 * size + 6e6
    arrays = {**arrays, "C_0": np.zeros(100), "D_0": np.ones(700) / 700}
    (tmp_path / "m.json").write_text(json.dumps(document(arrays)))
    assert peak("model", tmp_path / "m.json") <= 7 * size
