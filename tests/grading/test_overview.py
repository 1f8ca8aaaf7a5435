"""The instructor's page: all students with links that lead to their pages, and never among what is handed out."""

import re
from itertools import product
from urllib.parse import unquote

import chromium
import pytest
from result_examples import NASTY, question, submission

from labkit.classroom import EXERCISES
from labkit.grading.feedback import write_feedback
from labkit.grading.final_scores import Final
from labkit.grading.overview import overview_page, write_overview

BELIEVED = EXERCISES["grad-slip"].misconceptions[0]


def written(tmp_path, results):
    pages = write_feedback(tmp_path / "feedback", results, "Week 1")
    return write_overview(tmp_path / "overview.html", results, "Week 1", pages), pages


def test_every_link_leads_to_a_students_page(tmp_path):
    path, pages = written(tmp_path, [submission(s) for s in NASTY])
    links = re.findall(r'href="([^"]*)"', path.read_text(encoding="utf-8"))
    assert {(tmp_path / unquote(link)).resolve() for link in links} == {p.resolve() for p in pages.values()}
    assert all(not link.startswith(("/", "http", "javascript")) for link in links)


@pytest.mark.parametrize(
    "place", ["feedback/index.html", "feedback/ann/overview.html", "feedback/_instructor/x/../i.html"]
)
def test_it_is_not_written_among_the_feedback(tmp_path, place):
    pages = write_feedback(tmp_path / "feedback", [submission("ann")], "Week 1")
    with pytest.raises(ValueError, match="is for students"):
        write_overview(tmp_path / place, [submission("ann")], "Week 1", pages)
    assert [p.name for p in (tmp_path / "feedback").rglob("*.html")] == ["week1.html"]


def test_without_pages_the_students_are_named_without_links_and_with_the_score_that_counts():
    page = overview_page([Final(submission("ann", question(points=2.0)), taken_off=0.5)], "Week 1", {})
    assert "ann" in page and "href" not in page and ">1.5 of " in page and "<dd>1.5</dd>" in page


def test_it_explains_the_misconceptions_and_counts_them():
    results = [submission(s, question(kind=BELIEVED.name, points=0.0)) for s in "ab"] + [submission("c", question())]
    page = overview_page(results, "Week 1", {})
    assert "2 ×" in page and "33 %" in page and BELIEVED.sentence.split("`")[0].split("'")[0] in page


def test_names_and_notes_are_escaped(tmp_path):
    hostile = '"><script>alert(1)</script>'
    path, _ = written(tmp_path, [submission(hostile, notes=(hostile,))])
    assert "<script" not in path.read_text(encoding="utf-8")


def test_a_name_cannot_be_shown_as_another_name():
    page = overview_page([submission("\u202enna"), submission("ann")], "Week 1", {})
    assert r"\u202enna" in page and "\u202e" not in page


def test_a_class_without_students_has_a_page(tmp_path):
    assert "<h1>Week 1</h1>" in write_overview(tmp_path / "o.html", [], "Week 1", {}).read_text()


@pytest.mark.needs("chromium")
def test_in_a_browser_it_loads_nothing_fits_and_is_accessible(tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    path, _ = written(tmp_path, [submission(s, question(kind="value", points=0.5), notes=(s,)) for s in NASTY])
    with chromium.browser() as browser:
        page, asked = browser.new_context(bypass_csp=True).new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        assert asked == [path.as_uri()]
        for scheme, width in product(["light", "dark"], [1100, 400]):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, scheme
            assert [v["id"] for v in Axe().run(page).response["violations"]] == [], (scheme, width)
