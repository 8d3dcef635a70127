"""Manual pages and completions say what the tables of options say, and shells take them."""
# once
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())


def out(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


@pytest.fixture(scope="module")
def document():
    return json.loads(out(COMMAND, "help", "--json"))


@pytest.fixture(scope="module")
def share(tmp_path_factory):
    folder = tmp_path_factory.mktemp("share")
    out(sys.executable, ROOT / "tools/manual.py", COMMAND, folder)
    return folder


def options(verb):
    return [option for group in verb["groups"] for option in group["options"]]


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


def test_the_document_has_every_verb_and_every_option_of_the_help_pages(document):
    overview = out(COMMAND, "help")
    assert [verb["name"] for verb in document["verbs"]] == re.findall(
        r"^  ([a-z]+) {2,}", overview, re.M)
    for verb in document["verbs"]:
        page = out(COMMAND, "help", verb["name"])
        assert [option["name"] for option in options(verb)] == re.findall(
            r"^  (?:-\w, )?--([a-zA-Z0-9-]+)", page, re.M)
        assert verb["story"] in page


def test_manual_pages_say_what_help_says(document, share):
    pages = {path.name for path in (share / "man/man1").iterdir()}
    assert pages == {"sonde.1"} | {f"sonde-{verb['name']}.1" for verb in document["verbs"]}
    for verb in document["verbs"]:
        page = (share / f"man/man1/sonde-{verb['name']}.1").read_text().replace("\\-", "-")
        for option in options(verb):
            assert f"\\fB--{option['name']}\\fR" in page
            assert re.sub(r"\s+", " ", option["help"]) in page
            assert option["default"] is None or f"(default: {option['default']})" in page
            assert all(choice["name"] in page for choice in option["choices"])


@needs("mandoc")
def test_manual_pages_are_without_fault_to_mandoc(share):
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *(share / "man/man1").iterdir()],
                          capture_output=True, text=True)
    # they carry the version in place of a date
    faults = [line for line in done.stdout.splitlines() if 'missing date, using ""' not in line]
    assert not faults


@needs("man")
def test_manual_pages_are_without_fault_to_groff(share):
    for page in sorted((share / "man/man1").iterdir()):
        done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                              env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        assert done.returncode == 0 and not done.stderr and "SONDE" in done.stdout


def bash_completes(share, lines):
    """What bash would offer for each command line (a list of words), the last word unfinished."""
    script = f"source {share}/bash-completion/completions/sonde\n"
    for words in lines:
        listed = " ".join(f"'{word}'" for word in words)
        script += (f"COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; COMPREPLY=(); _sonde\n"
                   'echo "${COMPREPLY[*]}"\n')
    return [line.split() for line in out("bash", "-c", script).splitlines()]


def test_bash_completes_every_option_of_every_verb(document, share):
    for verb in document["verbs"]:
        found = bash_completes(share, [["sonde", verb["name"], f"--{option['name']}"]
                                       for option in options(verb)])
        for option, offered in zip(options(verb), found):
            assert f"--{option['name']}" in offered, (verb["name"], option["name"])
        assert bash_completes(share, [["sonde", verb["name"][:2]]])[0].count(verb["name"]) == 1


def test_bash_completes_every_choice_after_a_space_and_after_an_equals_sign(document, share):
    asked = 0
    for verb in document["verbs"]:
        for option in options(verb):
            before = ["sonde", verb["name"], f"--{option['name']}"]
            names = [choice["name"] for choice in option["choices"]]
            if names:
                asked += 1
                assert bash_completes(share, [[*before, ""], [*before, "="],
                                              [*before, "=", names[-1]]])[:2] == [names, names]
                assert names[-1] in bash_completes(share, [[*before, "=", names[-1][:2]]])[0]
    assert asked > 30


def test_bash_completes_files_where_a_file_is_meant(share, tmp_path):
    (tmp_path / "my world.json").write_text("{}")
    script = (f"source {share}/bash-completion/completions/sonde; cd {tmp_path}\n"
              "COMP_WORDS=(sonde plan my); COMP_CWORD=2; _sonde\n"
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    assert out("bash", "-c", script).splitlines() == ["my world.json"]


@needs("zsh")
def test_zsh_is_given_every_option_of_every_verb(document, share):
    """_arguments, which zsh reads the table with, is replaced by one that tells its table."""
    source = (share / "zsh/site-functions/_sonde").read_text()
    for verb in document["verbs"]:
        script = ("_arguments() { print -rl -- \"$@\" }\n_describe() { }\n"
                  f"words=(sonde {verb['name']} ''); CURRENT=3\n" + source)
        told = out("zsh", "-f", "-c", script)
        for option in options(verb):
            assert re.search(rf"^--{option['name']}=?\[.*\]", told, re.M), (verb["name"], option)
            if option["choices"]:
                names = " ".join(choice["name"] for choice in option["choices"])
                assert re.search(rf"^--{option['name']}=\[.*\]:[^:]+:\({names}\)$", told, re.M)


@needs("fish")
def test_fish_completes_every_option_of_every_verb(document, share):
    source = f"source {share}/fish/vendor_completions.d/sonde.fish\n"
    for verb in document["verbs"]:
        script = source + "".join(f'complete -C "sonde {verb["name"]} --{option["name"]}"\n'
                                  for option in options(verb))
        offered = {line.split("\t")[0] for line in out(
            "fish", "-N", "-c", script, env={**os.environ, "HOME": str(share)}).splitlines()}
        assert offered >= {f"--{option['name']}" for option in options(verb)}
