"""The command and the libraries from a patched table of settings: src/base/settings.c is compiled,
and everything else is taken from the build as it is."""
import os
import pathlib
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SONDE_COMMAND"]).resolve().parent

NEW_ROW = """    {.key = "example",
     .part = "How far a search goes",
     .type = SONDE_REAL,
     .at = AT(reserved[0]),
     .usual = 0.5,
     .minimum = 0.25,
     .maximum = 0.75,
     .searches = BIT(BEAM),
     .label = "example ",
     .value = "SHARE",
     .help = "a setting that is here to be tested"},
"""
LAST_ROW = '    {.key = "seed",\n'
BEAM = """    {.key = "beam",
     .part = "How far a search goes",
     .type = SONDE_WHOLE,
     .at = AT(n_beam),
     .usual = 100,
     .minimum = 1,
     .searches = BIT(BEAM),
"""


def flags():
    """How the library is compiled here."""
    text = (BUILD / "CMakeFiles/sonde_objects.dir/flags.make").read_text()
    pairs = dict(line.split(" = ", 1) for line in text.splitlines() if line.startswith("C_"))
    return shlex.split(" ".join(pairs.get(f"C_{name}", "") for name in
                                ("DEFINES", "INCLUDES", "FLAGS")))


def link(target, old, new, output):
    """Links a target as the build does, an object in place of an old one or before the archives."""
    words = shlex.split((BUILD / f"CMakeFiles/{target}.dir/link.txt").read_text())
    words[words.index("-o") + 1] = str(output)
    if old in words:
        words[words.index(old)] = str(new)
    else:
        words.insert(words.index("-o"), str(new))
    subprocess.run(words, cwd=BUILD, check=True)


def build(folder, *replacements):
    """The command, and the shared library beside it, from a patched src/base/settings.c."""
    text = (ROOT / "src/base/settings.c").read_text()
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    source = folder / "settings.c"
    source.write_text(text)
    compiler = shlex.split((BUILD / "CMakeFiles/sonde.dir/link.txt").read_text())[0]
    subprocess.run([compiler, *flags(), "-c", str(source), "-o", str(folder / "settings.o")],
                   cwd=BUILD, check=True)
    usual = "CMakeFiles/sonde_objects.dir/src/base/settings.c.o"
    link("sonde", usual, folder / "settings.o", folder / "sonde")
    link("sonde_shared", usual, folder / "settings.o", folder / "libsonde.so")
    return str(folder / "sonde")


def with_row(folder):
    """Where the table has one row more, `example`."""
    return build(folder, (LAST_ROW, NEW_ROW + LAST_ROW))


def with_other_range(folder):
    """Where the row `beam` has another range, and another search."""
    changed = BEAM.replace(".minimum = 1,", ".minimum = 3,\n     .maximum = 200,")
    changed = changed.replace("BIT(BEAM)", "BIT(BEAM) | BIT(RANDOM)")
    return build(folder, (BEAM, changed))


def archives(folder):
    """The static libraries beside a patched command, for those who link with them."""
    for name in "libsonde.a", "libsonde_lab.a":
        shutil.copy2(BUILD / name, folder / name)
    shutil.copy2(folder / "settings.o", folder / "settings.c.o")
    subprocess.run(["ar", "r", str(folder / "libsonde.a"), str(folder / "settings.c.o")],
                   check=True)
