"""Places that mutants are made at, survivors that are kept, and what the page says of them."""
# once
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "campaign"))
import areas  # noqa: E402
import mutate  # noqa: E402

CORE, LEARNING = areas.CORE, areas.LEARNING

FILE = """/* a + b */
static double add(const double *x, int n) {
    double sum = 0.0; /* n - 1 of them */
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    (void)say("a + b");
    return said("of 1 + 1", sum * 2);
}
"""


@pytest.fixture(name="file")
def file_of_its_own(tmp_path, monkeypatch):
    (tmp_path / "src/search").mkdir(parents=True)
    (tmp_path / "src/search/add.c").write_text(FILE)
    monkeypatch.setattr(mutate.rows, "ROOT", tmp_path)
    monkeypatch.setattr(CORE, "kept", tmp_path / "survivors.json")
    return tmp_path / "src/search/add.c"


def changes(places):
    return sorted((place[1] + 1, place[3].strip(), place[4].strip()) for place in places)


def test_code_is_changed_and_neither_comments_nor_strings(file):
    assert changes(mutate.places(CORE)) == [
        (3, "0.0", "1.0"), (4, "++", "--"), (4, "<", "<="), (4, "= 0;", "= 1;"), (5, "+=", "-="),
        (5, "[i]", "[i > 0 ? i - 1 : i]"), (8, "*", "/")]
    assert file.name == "add.c"


def test_a_change_is_one_place_of_one_line(file):
    for place in mutate.places(CORE):
        old, new = file.read_text().splitlines(), mutate.changed(place).splitlines()
        assert [at for at in range(len(old)) if old[at] != new[at]] == [place[1]]
        assert old[place[1]].replace(place[3], place[4], 1) == new[place[1]]


def test_the_order_of_places_does_not_depend_on_other_lines(file):
    before = [place[3] for place in mutate.places(CORE)]
    file.write_text("/* one line more */\n" + FILE)
    assert [place[3] for place in mutate.places(CORE)] == before


def test_a_survivor_is_found_again_where_lines_have_moved(file):
    kept = [mutate.said(place) for place in mutate.places(CORE)]
    file.write_text("/* one line more */\n" + FILE)
    assert [mutate.found_again(one) for one in kept] == mutate.places(CORE)
    file.write_text(FILE.replace("sum * 2", "sum"))
    assert [one["what"] for one in kept if mutate.found_again(one) is None] == [" * "]


def test_the_page_says_what_became_of_every_mutant(file):
    assert file.exists()
    first, second, third, fourth, *_ = (mutate.said(place) for place in mutate.places(CORE))
    mutate.keep(CORE, [(first, "later", "search.test_add"), (second, "survived", None),
                       (third, "survived", None), (fourth, "caught", "search.test_sum")])
    [place] = [place for place in mutate.places(CORE) if mutate.said(place) == second]
    mutate.explain(CORE, place, "It is slower and says the same.")
    kept = json.loads(CORE.kept.read_text())
    assert [{**first, "caught": "search.test_add"}, third] == [kept[0], kept[2]] and len(kept) == 3
    assert kept[1]["explained"] == "It is slower and says the same."
    tallies = {f"mutants {mutate.KINDS[kind]}": n for kind, n in
               (("caught", 6), ("later", 1), ("explained", 2), ("survived", 1))}
    text = "\n".join(mutate.page_lines(CORE, {"commit": "abc", "count": 10, "tallies": tallies}))
    assert "6 were caught at once and 1 by longer tests: 70.0 % of all." in text
    assert "of the others 87.5 % are caught. 1 survived" in text
    assert "1 are caught now, 1 are explained and 1 are not read yet" in text
    assert "Caught by search.test_add." in text and "It is slower and says the same." in text
    assert text.index("Not read yet:") < text.rindex(f"`{third['line']}`")
    mutate.keep(CORE, [(third, "caught", "search.test_new"), (first, "survived", None)])
    kept = json.loads(CORE.kept.read_text())
    assert "caught" not in kept[0] and kept[2]["caught"] == "search.test_new"


def test_what_is_explained_is_not_tried_again(file):
    assert file.exists()
    every = mutate.places(CORE)
    for place in (every[0], every[2]):
        mutate.explain(CORE, place, "It says the same.")

    class Found:
        area = CORE

        @staticmethod
        def try_all(some):
            for number, place in some:
                yield number, place, ("caught", "a test")

    found = list(mutate.in_order(Found(), 0))
    assert [place for place, _ in found] == every
    assert [what for _, what in found[:4]] == ["explained", ("caught", "a test"), "explained",
                                               ("caught", "a test")]
    tally = mutate.Tally()
    for place, what in found:
        tally.add(place, what)
    assert (tally.counts["explained"], tally.counts["caught"]) == (2, len(every) - 2)


def test_golden_commands_of_a_file_come_first():
    commands = CORE.commands("src/search/search_beam.c")
    assert "beam" in commands[0] and len(set(commands)) == len(commands) > 100
    assert "--loop closed" in CORE.commands("src/closed/closed_bounds.c")[0]


def test_each_area_has_files_survivors_and_commands_of_its_own():
    core, learning = CORE.files(), LEARNING.files()
    assert "src/search/search_full.c" in core and not set(core) & set(learning)
    assert {"src/learn/learn_rules.c", "lab/fit/fit_map.c", "src/spm/spm_learn.c"} < set(learning)
    assert not [name for name in learning if name.endswith(("_write.c", "_data.c", "spm_read.c"))]
    assert CORE.kept != LEARNING.kept and CORE.folder != LEARNING.folder
    for name in learning:
        assert len(LEARNING.commands(name)) < len(LEARNING.commands(name, True))
    assert all(one.startswith("recover ") for one in LEARNING.commands("lab/fit/fit_recover.c"))
