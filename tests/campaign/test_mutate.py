"""Places that mutants are made at, survivors that are kept, and what the page says of them."""
# once
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "campaign"))
import mutants  # noqa: E402
import mutate  # noqa: E402

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
    monkeypatch.setattr(mutate, "KEPT", tmp_path / "survivors.json")
    return tmp_path / "src/search/add.c"


def changes(places):
    return sorted((place[1] + 1, place[3].strip(), place[4].strip()) for place in places)


def test_code_is_changed_and_neither_comments_nor_strings(file):
    assert changes(mutate.places()) == [
        (3, "0.0", "1.0"), (4, "++", "--"), (4, "<", "<="), (4, "= 0;", "= 1;"), (5, "+=", "-="),
        (5, "[i]", "[i > 0 ? i - 1 : i]"), (8, "*", "/")]
    assert file.name == "add.c"


def test_a_change_is_one_place_of_one_line(file):
    for place in mutate.places():
        old, new = file.read_text().splitlines(), mutate.changed(place).splitlines()
        assert [at for at in range(len(old)) if old[at] != new[at]] == [place[1]]
        assert old[place[1]].replace(place[3], place[4], 1) == new[place[1]]


def test_the_order_of_places_does_not_depend_on_other_lines(file):
    before = [place[3] for place in mutate.places()]
    file.write_text("/* one line more */\n" + FILE)
    assert [place[3] for place in mutate.places()] == before


def test_a_survivor_is_found_again_where_lines_have_moved(file):
    kept = [mutate.said(place) for place in mutate.places()]
    file.write_text("/* one line more */\n" + FILE)
    assert [mutate.found_again(one) for one in kept] == mutate.places()
    file.write_text(FILE.replace("sum * 2", "sum"))
    assert [one["what"] for one in kept if mutate.found_again(one) is None] == [" * "]


def test_the_page_says_what_became_of_every_survivor(file):
    assert file.exists()
    first, second, third, *_ = (mutate.said(place) for place in mutate.places())
    mutate.keep([first, second, third])
    mutate.keep([first])
    kept = json.loads(mutate.KEPT.read_text())
    assert kept == [first, second, third]
    kept[0]["caught"] = "search.test_add"
    kept[1]["explained"] = "It is slower and says the same."
    mutate.write_kept(kept)
    mutate.keep([first, second])
    text = "\n".join(mutate.page_lines(10))
    assert "Of 10 mutants, 7 were caught" in text and "8, which is 80.0 %" in text
    assert "Caught by search.test_add." in text and "It is slower and says the same." in text
    assert text.index("Not read yet:") < text.rindex(f"`{third['line']}`")


def test_golden_commands_of_a_file_come_first():
    commands = mutants.golden_commands("src/search/search_beam.c")
    assert "beam" in commands[0] and len(set(commands)) == len(commands) > 100
    assert "--loop closed" in mutants.golden_commands("src/closed/closed_bounds.c")[0]
