"""sonde.view puts things into the page; tests/page opens it in a browser."""
import base64
import html
import json
import re

import pytest

import sonde

# as web/page.html has the places that are filled
PAGE = ('<title>Sonde</title><script type="application/json" id="study"></script>\n'
        '<script type="text/plain" id="file"></script>\n'
        '<script type="text/plain" id="engine">{}</script>\n')
MODEL = {"A": [[[0.9, 0.1], [0.1, 0.9]]], "B": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]],
         "C": [[0, 2]], "D": [[0.5, 0.5]], "horizon": 3}


@pytest.fixture
def page(tmp_path):
    (tmp_path / "page.html").write_text(PAGE.format("AAAA"))
    return tmp_path / "page.html"


def inside(text):
    """The file's attributes and what it says."""
    found = re.search(r'id="file"([^>]*)>([^<]*)</script>', text)
    return html.unescape(found[1]), base64.b64decode(found[2]).decode()


def test_a_model_and_a_world_are_in_the_page_as_documents(page):
    model = sonde.Model(**MODEL)
    attributes, text = inside(sonde.view(model, page=page).html)
    assert attributes == ' data-name="model.json"'
    assert sonde.Model.from_dict(json.loads(text)).to_json() == model.to_json()
    world = sonde.Graph.random(5, seed=3)
    for what in (world, world.model):
        attributes, text = inside(sonde.view(what, page=page).html)
        assert attributes == ' data-name="world.json"'
        assert text == world.to_json()


def test_a_decision_opens_on_its_own_screen_with_its_settings(page):
    plan = sonde.plan(sonde.Graph.random(5, seed=3), search="cluster", k=4, seed=7)
    attributes, _ = inside(sonde.view(plan, page=page).html)
    state = re.search('data-state="([^"]*)"', attributes)[1]
    assert state.startswith("screen=decision&o-search=cluster")
    assert "o-k=4" in state and "o-seed=7" in state and "budget" not in state


def test_a_notebook_shows_it_in_a_frame_that_can_do_nothing_outside(page, tmp_path):
    made = sonde.view(page=page, height=300)
    cell = made._repr_html_()
    assert cell.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    assert 'height="300"' in cell
    assert html.unescape(re.search('srcdoc="([^"]*)"', cell)[1]) == made.html
    made.save(tmp_path / "saved.html")
    assert (tmp_path / "saved.html").read_text() == made.html


def test_names_of_files_are_text(page, tmp_path):
    path = tmp_path / '"><b>.json'
    sonde.Graph.random(4, seed=1).save(path)
    text = sonde.view(path, page=page).html
    assert "<b>" not in text
    assert inside(text)[0] == ' data-name=""><b>.json"'


def test_what_cannot_be_viewed_is_said(page, tmp_path, monkeypatch):
    (tmp_path / "bare.html").write_text(PAGE.format(""))
    with pytest.raises(sonde.BadInput, match="make page builds it with"):
        sonde.view(sonde.Graph.random(4, seed=1), page=tmp_path / "bare.html")
    (tmp_path / "none.json").write_text("{}")
    with pytest.raises(sonde.BadInput, match="none.json"):
        sonde.view(tmp_path / "none.json", page=page)
    monkeypatch.setenv("SONDE_PAGE", str(tmp_path / "nowhere.html"))
    with pytest.raises(sonde.BadInput, match="SONDE_PAGE"):
        sonde.view()


def test_a_study_is_in_the_page_as_its_summary(page, tmp_path):
    (tmp_path / "plan.json").write_text(json.dumps({
        "format": "sonde-plan", "version": 1, "name": "small", "seed": 2,
        "worlds": {"sizes": [3], "graphs": 2}, "conditions": [{"search": "full"}]}))
    made = sonde.study(tmp_path / "plan.json", tmp_path / "runs.sqlite")
    text = sonde.view(made, page=page).html
    summary = json.loads(re.search('id="study"[^>]*>(.*?)</script>', text, re.S)[1])
    sonde.report(tmp_path / "runs.sqlite", tmp_path / "report", page=page)
    assert summary == json.loads((tmp_path / "report/summary.json").read_text())
