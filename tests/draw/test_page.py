"""The report of a small study in a browser: it opens from disk, complains of nothing, shows all."""
# once
# long
import html.parser
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import pytest

SONDE = os.environ["SONDE_COMMAND"]
CHROMIUM = shutil.which("chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--enable-logging=stderr", "--v=0"]
PLAN = {
    "format": "sonde-plan", "version": 1, "name": "page", "seed": 2,
    "worlds": {"sizes": [3, 4], "graphs": 5},
    "conditions": [
        {"group": "table", "semantics": ["text", "notebook"], "search": "full",
         "scope": ["local", "global"]},
        {"group": "table", "semantics": ["text", "notebook"], "search": "cluster",
         "scope": ["local", "global"], "embedding": ["edm", "boe", "aboe"], "k": [6, 12],
         "probe": ["center", "sample"]},
        {"group": "difference", "differences": ["lookup", "lag"], "search": "cluster",
         "scope": ["local", "global"], "embedding": ["edm", "boe", "aboe"], "k": [6, 12],
         "probe": ["center", "sample"]},
        {"group": "difference", "connect": "directed", "search": "cluster", "scope": "local",
         "embedding": "boe", "k": 12},
        {"group": "sweep-k", "search": "cluster", "embedding": "boe", "k": [2, 6, 24]},
        {"group": "sweep-n", "search": "cluster", "embedding": "boe", "k": 12,
         "probe": "sample", "samples": [1, 3, 6]},
    ],
}
SECTIONS = ["table1", "speed", "figures", "worlds", "failures", "differences", "notes"]
FIGURES = ["optimality", "decision_time", "decision_steps", "construction_time", "valid", "sweep_k",
           "sweep_n", "tradeoff_3", "tradeoff_4", "world_4_paths", "world_4_clusters",
           "world_4_spaces", "failures", "failed_path", "differences_3", "differences_4"]
TABLES = ["table1", "decision_cost", "correlation", "failures", "differences", "conditions"]


def run(*words):
    return subprocess.run([SONDE, *words], capture_output=True, text=True, timeout=300)


in_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A report, made the way a user makes one."""
    place = tmp_path_factory.mktemp("page")
    (place / "page.json").write_text(json.dumps(PLAN))
    done = run("study", str(place / "page.json"), "--db", str(place / "page.sqlite"), "--quiet")
    assert done.returncode == 0, done.stderr
    done = run("report", str(place / "page.sqlite"), "-o", str(place / "report"))
    assert done.returncode == 0, done.stderr
    assert "Percent of runs that were optimal" in done.stdout
    return place / "report"


@pytest.fixture(scope="module")
def page(folder):
    return (folder / "index.html").read_text(encoding="utf-8")


def browse(folder, tmp_path, *flags):
    """What Chromium says, with the network gone."""
    # without a proxy that answers there is no way out
    done = subprocess.run(
        [CHROMIUM, *FLAGS, "--proxy-server=127.0.0.1:9", f"--user-data-dir={tmp_path / 'user'}",
         *flags, (folder / "index.html").resolve().as_uri()],
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done


class Outline(html.parser.HTMLParser):
    """Ids, tags and links, in order; what is opened must be closed."""

    VOID = {"meta", "link", "br", "rect", "path", "circle", "line", "ellipse", "polygon"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.tags = [], [], [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        for name in ("href", "src"):
            if name in found:
                self.links.append(found[name])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def outline(text):
    parser = Outline()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser


# ------------------------------------------------------------------------------ without a browser

def test_the_page_refers_to_nothing_outside(folder, page):
    assert "http:" not in page and "https:" not in page
    assert "<script" not in page and "@import" not in page and "url(" not in page
    for link in outline(page).links:
        assert re.match(r"#|figures/|tables/|data:,$", link), link


def test_every_link_leads_somewhere(folder, page):
    found = outline(page)
    assert len(found.ids) == len(set(found.ids))
    for link in found.links:
        if link.startswith("#"):
            assert link[1:] in found.ids
        elif not link.startswith("data:"):
            assert (folder / link).is_file(), link


def test_no_figure_carries_an_id_that_another_could_have(folder):
    for svg in (folder / "figures").glob("*.svg"):
        assert " id=" not in svg.read_text(encoding="utf-8")


def test_every_file_of_the_folder_is_in_the_page(folder, page):
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files - {"index.html"} <= set(outline(page).links)


def test_csv_tables_are_rectangles(folder):
    import csv
    for path in (folder / "tables").glob("*.csv"):
        with open(path, newline="", encoding="utf-8") as lines:
            assert len({len(row) for row in csv.reader(lines)}) == 1, path


def test_the_report_can_be_made_again_in_place(folder, page):
    done = run("report", str(folder.parent / "page.sqlite"), "-o", str(folder))
    assert done.returncode == 0, done.stderr
    assert (folder / "index.html").read_text(encoding="utf-8") == page
    assert not list(folder.rglob("*.??????"))  # no drafts left


def test_latex_takes_the_tables(folder, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    inputs = "\n\n".join(r"\resizebox{\linewidth}{!}{\input{%s}}" % path.resolve()
                         for path in (folder / "tables").glob("*.tex")
                         if path.stem != "conditions")
    (tmp_path / "a.tex").write_text(
        r"\documentclass{article}\usepackage{graphicx}\begin{document}" + inputs +
        r"\end{document}")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]


# ------------------------------------------------------------------------------------ in a browser

@in_browser
def test_the_browser_shows_table_and_figures(folder, tmp_path):
    dom = browse(folder, tmp_path, "--dump-dom").stdout
    for section in SECTIONS:
        assert f'<section id="{section}">' in dom
    for table in TABLES:
        assert re.search(rf'id="table-{table}">.*?<table>.*?<tbody>.*?</table>', dom, re.S), table
    for figure in FIGURES:
        assert re.search(rf'id="figure-{figure}">.*?<svg [^>]*viewBox.*?</svg>', dom, re.S), figure
    main = re.search(r'id="table-table1">.*?</table>', dom, re.S).group(0)
    assert main.count("<tr") == 2 + 26
    assert main.count("<b>") >= 6


@in_browser
def test_the_browser_complains_of_nothing(folder, tmp_path):
    said = browse(folder, tmp_path, "--dump-dom").stderr
    assert "CONSOLE" not in said, said


@in_browser
@pytest.mark.parametrize("width", [1200, 400])
def test_the_browser_draws_something(folder, tmp_path, width):
    shot = tmp_path / "page.png"
    browse(folder, tmp_path, f"--screenshot={shot}", f"--window-size={width},1600")
    data = shot.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (width, 1600)
    assert len(data) > 50_000  # an empty page has a few thousand
    keep = os.environ.get("SONDE_TEST_TMP")
    if keep:
        shutil.copy(shot, pathlib.Path(keep) / f"page{width}.png")
