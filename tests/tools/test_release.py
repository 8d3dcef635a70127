"""The version is the same wherever it is written."""
# once
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def first(path, pattern):
    return re.search(pattern, (ROOT / path).read_text(), re.M)[1]


def test_the_citation_the_changelog_the_header_and_the_command_name_the_version_that_is_built():
    """The command has its version from the header."""
    version = first("CMakeLists.txt", r"^project\(sonde VERSION ([0-9.]+)")
    assert first("CITATION.cff", r"^version: (.*)$") == version
    assert first("CHANGELOG.md", r"^## ([0-9][0-9.]*)$") == version
    done = subprocess.run([os.environ["SONDE_COMMAND"], "--version"], capture_output=True,
                          text=True)
    assert done.stdout.splitlines()[0] == f"sonde {version}"


def test_the_debian_package_of_the_library_is_named_by_the_versions_that_may_replace_each_other():
    """As Debian names libraries, by what programs are linked with: libsonde.so.0.5."""
    number = first("CMakeLists.txt", r"^project\(sonde VERSION ([0-9]+\.[0-9]+)\.")
    assert first("debian/control", r"^Package: (libsonde[0-9].*)$") == f"libsonde{number}"
    assert (ROOT / f"debian/libsonde{number}.install").exists()


def test_the_changelog_begins_with_what_is_not_released():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert headings[0] == "Unreleased" and len(headings) == len(set(headings)) > 1
