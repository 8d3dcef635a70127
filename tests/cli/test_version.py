"""What the command says that it is made of, and where it looks for the page."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import zlib

COMMAND = pathlib.Path(os.environ["SONDE_COMMAND"]).resolve()


def lines(command=COMMAND):
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(line.split(": ", 1) for line in done.stdout.splitlines()[1:])


def version_of(package):
    return subprocess.run(["pkg-config", "--modversion", package], capture_output=True, text=True,
                          check=True).stdout.strip()


def test_versions_are_those_of_the_libraries_that_run():
    said = lines()
    assert said["SQLite"] == sqlite3.sqlite_version
    assert said["zlib"] == zlib.ZLIB_RUNTIME_VERSION
    assert said["jansson"] == version_of("jansson")


def test_the_compiler_is_the_one_that_the_build_used():
    cache = (COMMAND.parent / "CMakeCache.txt").read_text()
    path = next(line.split("=", 1)[1] for line in cache.splitlines()
                if line.startswith("CMAKE_C_COMPILER:"))
    name, version = lines()["compiler"].split()
    flag = "-dumpfullversion" if name == "gcc" else "-dumpversion"
    assert subprocess.run([path, flag], capture_output=True, text=True).stdout.strip() == version


def test_mpi_is_named_where_it_was_built_in():
    linked = subprocess.run(["ldd", COMMAND], capture_output=True, text=True).stdout
    assert ("libmpi" in linked) == (lines()["MPI"] != "none")


def test_the_page_is_found_beside_the_command_as_installed_and_as_built(tmp_path):
    for command, page in ("bin/sonde", "share/sonde/page.html"), ("sonde", "page.html"):
        folder = tmp_path / command.replace("/", "_")
        (folder / command).parent.mkdir(parents=True)
        shutil.copy2(COMMAND, folder / command)
        assert lines(folder / command)["page"] == "none"
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text("<!doctype html>")
        assert pathlib.Path(lines(folder / command)["page"]).resolve() == folder / page
