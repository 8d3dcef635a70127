"""The table of settings as a program that uses the library sees it, and settings to try it with:
read through sonde_setting_at of the shared library beside the command, or by the Python package.
"""
import ctypes
import itertools
import pathlib

TYPES = ["whole", "count", "real", "flag", "choice"]
NAMES = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int32)


class Row(ctypes.Structure):
    """sonde_setting of include/sonde.h, field by field."""
    _fields_ = [
        ("key", ctypes.c_char_p), ("part", ctypes.c_char_p), ("type", ctypes.c_int),
        ("at", ctypes.c_size_t), ("usual", ctypes.c_double), ("minimum", ctypes.c_double),
        ("maximum", ctypes.c_double), ("open", ctypes.c_bool), ("zero", ctypes.c_char_p),
        ("unit", ctypes.c_char_p), ("names", NAMES), ("about", NAMES),
        ("searches", ctypes.c_uint32), ("kinds", ctypes.c_uint32), ("with_", ctypes.c_char_p),
        ("with_values", ctypes.c_char_p), ("unless", ctypes.c_char_p),
        ("unless_searches", ctypes.c_uint32), ("rare", ctypes.c_bool), ("label", ctypes.c_char_p),
        ("labelled", ctypes.c_bool), ("value", ctypes.c_char_p), ("help", ctypes.c_char_p)]


class Setting:
    """One row, in Python's own types: `type` is one of TYPES, `choices` a list of names, and the
    rest is called as in sonde_setting."""

    def __init__(self, **fields):
        vars(self).update(fields)

    def other(self):
        """A value that it can have, and does not have by default; large enough for any search."""
        if self.type == "flag":
            return True
        if self.type == "choice":
            return self.choices[1 if self.usual == 0 else 0]
        return 0.25 if self.type == "real" else 5000 if self.type == "count" else 5

    def beyond(self):
        """Values just outside its range, and of other types; its default is none of them."""
        if self.type == "flag":
            return []
        if self.type == "choice":
            return ["nonesuch"]
        step = 1 if self.type != "real" else max(1e-9, 1e-9 * abs(self.minimum))
        values = [self.minimum if self.open else self.minimum - step]
        if self.maximum > 0:
            values.append(self.maximum if self.open else self.maximum + step)
        return [int(v) if v == int(v) else v for v in values if v != self.usual] + ["nonesuch"]


def plain(row):
    """A row of C's as a Setting."""
    fields = {field: getattr(row, field) for field, kind in Row._fields_}
    fields = {field: value.decode() if isinstance(value, bytes) else value
              for field, value in fields.items()}
    choices = []
    while TYPES[row.type] == "choice" and row.names(len(choices)) is not None:
        choices.append(row.names(len(choices)).decode())
    return Setting(**{**fields, "type": TYPES[row.type], "choices": choices})


def read(command):
    """All rows, in order."""
    library = ctypes.CDLL(str(pathlib.Path(command).resolve().parent / "libsonde.so"))
    library.sonde_setting_at.restype = ctypes.POINTER(Row)
    rows = []
    while library.sonde_setting_at(len(rows)):
        rows.append(plain(library.sonde_setting_at(len(rows)).contents))
    return rows


def of_python(rows):
    """The rows that the Python package has (_sonde.settings_table), as Settings."""
    return [Setting(**{**row, "type": row["sort"], "with_": row["with"]}) for row in rows]


# --------------------------------------------------------------------------- settings to try --

GRAPH, GENERAL = 1, 2
# `seed` is the world's in a study
APART = ("search", "fallback", "seed")


def company(row, table):
    """What the row goes with, by its own columns."""
    if row.with_ is None:
        return {}
    other = next(one for one in table if one.key == row.with_)
    return {row.with_: row.with_values.split(",")[0] if row.with_values else other.other()}


def beside_searches(table, kind):
    """Every setting of this kind of model beside every search and fallback, or none; a setting of
    both kinds is tried in graph worlds."""
    searches = [None] + table[0].choices
    rows = [row for row in table if row.key not in APART
            and (row.kinds == GENERAL) == (kind == GENERAL)]
    for row, search, fallback in itertools.product(rows, searches, searches):
        chosen = {"search": search, "fallback": fallback, **company(row, table)}
        settings = {key: value for key, value in chosen.items() if value is not None}
        yield {**settings, row.key: row.other()}


def of_another_kind(table, kind):
    """Every setting that this kind of model has not."""
    for row in table:
        if row.kinds not in (0, kind):
            yield {**company(row, table), row.key: row.other()}


def out_of_place(table):
    """Every setting without what it goes with, and beside what takes its place."""
    for row, search in itertools.product(table, table[0].choices):
        if row.with_ is not None:
            yield {"search": search, row.key: row.other()}
        if row.unless is not None:
            other = next(one for one in table if one.key == row.unless)
            yield {"search": search, row.unless: other.other(), row.key: row.other()}


def out_of_range(table):
    """Every setting outside its range, last of its settings; times are left out, which are the
    command's own: it has 5ms, and others have seconds."""
    for row in table:
        if row.key not in APART and row.unit != "seconds":
            for value in row.beyond():
                yield {"search": "tree", row.key: value}
