"""Marking by hand: a page that anybody's words cannot harm, marks that stay, and results that count them."""

import csv
import http.client
import json
import socket
import threading
from dataclasses import replace
from urllib.parse import urlencode

import chromium
import pytest
from added_questions import added_cells, assignment_of, source_with

from labkit.grading.manual import pictures_of
from labkit.grading.marking import MarkingQueue, MarkingServer
from labkit.grading.marks import Mark, MarksError, digest_of, left_over, marked, read_marks, write_marks
from labkit.grading.rescoring import basis, merged, rescored, stale
from labkit.grading.results import BY_HAND, MARKED, QuestionResult, SubmissionResult

HOSTILE = (
    "</div><script>document.title='owned'</script><img src=http://x.invalid onerror=alert(1)>\n{{ 7*7 }} " + "long" * 99
)
NAMES = ("ada", "=blaise()", "carl<b>")


@pytest.fixture(scope="module")
def assignment(tmp_path_factory):
    return assignment_of(source_with(tmp_path_factory.mktemp("marking"), *added_cells())[1])


def result(assignment, student, why="Because.", **more):
    def one(question):
        kind = BY_HAND if question.name == "why" else "right"
        share = 0.0 if kind == BY_HAND else 1.0
        title = getattr(question, "title", "grad-slip")
        known = basis(assignment, question)
        return QuestionResult(
            question.name, title, share * question.points, question.points, kind, "T", "", "", share, known
        )

    asked = (*assignment.questions, *(q for q in assignment.added if q.name != "project"))
    return SubmissionResult(student, "a1", tuple(map(one, asked)), answers={"why": why, "test-power": "x = 1"}, **more)


@pytest.fixture
def results(assignment):
    return [result(assignment, NAMES[0]), result(assignment, NAMES[1], HOSTILE), result(assignment, NAMES[2])]


@pytest.fixture
def queue(assignment, results, tmp_path):
    return MarkingQueue(assignment, results, tmp_path / "grades.marks.csv")


@pytest.fixture
def server(queue):
    with MarkingServer(queue) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


# ---- marks ----


def test_marks_are_read_as_they_were_written_and_no_spreadsheet_runs_them(tmp_path):
    marks = {("=cmd()", "why"): Mark("12ab", 1.5, "=1+1; see you"), ("b", "why"): Mark("", 0.0)}
    path = write_marks(tmp_path / "marks.csv", marks)
    assert read_marks(path) == marks and read_marks(tmp_path / "none.csv") == {}
    with path.open(newline="") as file:
        assert not any(cell.startswith("=") for row in csv.reader(file) for cell in row)


@pytest.mark.parametrize(
    "text, said",
    [
        ("student,question,points\nann,why,two\n", "line 2: points is 'two'; expected a number"),
        ("student,question,points\nann,why,-1\n", "points is '-1'"),
        ("student,points\nann,1\n", "no column 'question'"),
        ('student,question,points\n"ann', "cannot be read as CSV"),
    ],
)
def test_a_table_that_somebody_broke_is_told(text, said, tmp_path):
    (tmp_path / "marks.csv").write_text(text)
    with pytest.raises(MarksError, match=said):
        read_marks(tmp_path / "marks.csv")


def test_a_mark_counts_for_the_answer_that_was_marked_and_a_person_has_the_last_word(results):
    marks = {
        ("ada", "why"): Mark(digest_of("Because."), 3.0, "Good."), ("carl<b>", "why"): Mark(digest_of("Older."), 4.0),
        ("ada", "test-power"): Mark("", 1.0, "A regrade."), ("eve", "why"): Mark("", 1.0),
    }  # fmt: skip
    ada, blaise, carl = marked(results, marks)
    found = {q.question: q for q in ada.questions}
    assert (found["why"].points, found["why"].kind, found["why"].comment) == (3.0, MARKED, "Good.")
    assert (found["test-power"].points, found["test-power"].kind) == (1.0, "right") and ada.to_mark == ()
    assert carl.to_mark == blaise.to_mark == ("why",)
    assert ada.score == 1 + 1 + 1 + 3 + 3
    assert list(left_over(results, marks)) == [
        "the answer of carl<b> to why has changed since it was marked: mark it again",
        "the mark of eve for why is not used: no such answer was graded",
    ]


@pytest.mark.parametrize(
    ("typed", "kept"), [("-0", 0.0), ("0.125", 0.125), ("1e-7", 1e-7), ("\u0663", 3.0), (" 2,5 ", 2.5)]
)
def test_points_are_kept_as_they_were_typed(queue, typed, kept):
    assert queue.save(0, {"points": typed}) == "" and read_marks(queue.path)[queue.items[0].key].points == kept
    shown = f'value="{kept:.12g}"'
    assert shown in queue.page(0)


# ---- points of today ----


def test_points_and_order_are_those_of_today_and_nothing_is_run(assignment, results):
    dearer = [replace(q, points=2 * q.points) for q in assignment.added if q.name != "test-half"]
    today = replace(assignment, added=tuple(dearer), questions=(replace(assignment.questions[0], points=5.0),))
    found = rescored(results[0], today)
    assert {q.question: (q.points, q.max_points) for q in found.questions} == {
        "grad-slip": (5.0, 5.0), "test-power": (4.0, 4.0), "test-bag": (6.0, 6.0), "why": (0.0, 8.0),
    }  # fmt: skip
    assert stale(results[0], today) == {"project"}  # which it has not


def test_a_verdict_is_stale_when_what_it_stands_on_has_changed(assignment, results):
    whole = merged(results[0], replace(results[0], questions=(QuestionResult("project", "P", 0, 5, "empty", ""),)))
    assert stale(whole, assignment) == {"project"} and len(whole.questions) == 6
    power, *others = assignment.added
    today = replace(assignment, added=(replace(power, source="assert power(1, 1) == 1"), *others))
    assert stale(results[0], today) == {"test-power", "project"}
    assert stale(results[0], assignment, ["grad-slip"]) == {"grad-slip", "project"}
    moved = replace(assignment, setup=(("setup", "import math"),))
    assert len(stale(results[0], moved)) == 6


# ---- the page ----


def test_answers_come_question_by_question_and_names_can_be_hidden(assignment, results, tmp_path):
    queue = MarkingQueue(assignment, results, tmp_path / "m.csv", ["test-power", "why"], hide_names=True)
    assert [item.key[1] for item in queue.items] == ["test-power"] * 3 + ["why"] * 3
    assert not any(name in queue.page(i) for i in range(6) for name in ("ada", "blaise", "carl"))
    assert "ada" in "".join(MarkingQueue(assignment, results, tmp_path / "m.csv").page(i) for i in range(3))
    assert "One point for each reason." in queue.page(3) and "Why does the tape run" in queue.page(3)


def test_pictures_of_an_answer_are_shown_and_nothing_else_is(assignment, results, tmp_path):
    png, other = "iVBORw0KGgoAAAANSUhEUg==", "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"

    def cell(name, *shown, **more):
        outputs = [{"data": {"image/png": one}} for one in shown]
        return {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": name}}, "outputs": outputs, **more}

    pasted = {"attachments": {"a.png": {"image/png": png}}}
    cells = [
        cell("setup", png),
        cell("why", png, other, **pasted),
        cell("project"),
        cell(None, [png]),
        cell("test-bag", png),
    ]
    found = pictures_of(
        json.dumps({"cells": cells}).encode(), {"why": "written", "project": "task"}, {"setup", "test-bag"}
    )
    assert found == {"why": [png, png], "project": [png]}
    assert pictures_of(b'{"cells": [[]]}', {"why": "written"}, ()) == pictures_of(b"{", {"why": "written"}, ()) == {}
    shown = MarkingQueue(assignment, [replace(results[0], pictures=found)], tmp_path / "m.csv").page(0)
    assert shown.count(f'<img src="data:image/png;base64,{png}" alt="Picture') == 2 == shown.count("<img")


@pytest.mark.parametrize(
    "points, said", [("5", "0 to 4"), ("-1", "0 to 4"), ("nan", "0 to 4"), ("1/2", "0 to 4"), ("two", "'two'")]
)
def test_points_that_cannot_be_are_refused_and_what_was_typed_stays(points, said, queue):
    typed = {"points": points, "comment": "Fine <b>"}
    problem = queue.save(0, typed)
    assert said in problem and not queue.path.exists()
    page = queue.page(0, problem, typed)
    assert f'value="{points}"' in page and "Fine &lt;b&gt;" in page


def test_marks_of_two_windows_are_both_kept_and_one_can_be_taken_away(assignment, results, queue):
    other = MarkingQueue(assignment, results, queue.path)
    assert queue.save(0, {"points": "1,5"}) == "" == other.save(1, {"points": "4", "comment": "Good."})
    assert [queue.mark_of(item) is not None for item in other.items] == [True, False, False] and other.done == 2
    assert other.next_open(1) == 2 and "Good." in other.page(2)  # offered again
    assert other.save(2, {"points": "3", "comment": "Two\r\nlines.", "said": "Good."}) == ""
    assert other.mark_of(
        other.items[2]
    ).comment == "Two\nlines.\nGood." and "Two\nlines.\nGood.</textarea>" in other.page(2)
    assert other.save(2, {"points": ""}) == other.save(0, {"points": ""}) == "" and len(read_marks(queue.path)) == 1


def fetched(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request(method, path, urlencode(body) if body else None, headers)
    response = connection.getresponse()
    return response.status, response.getheader("Location"), response.read().decode()


def test_only_who_knows_the_address_gets_a_page_or_gives_a_mark(server, queue):
    here, body = f"/{server.secret}", {"points": "1"}
    assert fetched(server, "GET", f"{here}/")[:2] == (303, f"{here}/0")
    for method, path, headers in (
        ("GET", "/", {}), ("GET", "/wrong/0", {}), ("GET", f"{here}/9", {}), ("GET", f"{here}/../0", {}),
        ("GET", f"{here}/0", {"Host": "evil.example"}), ("POST", "/wrong/0", {}), ("POST", f"{here}/end", {}),
        ("POST", f"{here}/0", {"Origin": "http://evil.example"}),
    ):  # fmt: skip
        assert fetched(server, method, path, body, **headers)[0] == 404, (method, path, headers)
    assert fetched(server, "POST", f"{here}/0", {"points": "1" * 200_000})[0] == 413 and queue.done == 0
    assert fetched(server, "POST", f"{here}/0", {"points": "9"})[0] == 422
    assert fetched(server, "POST", f"{here}/0", body)[:2] == (303, f"{here}/1") and queue.done == 1
    assert fetched(server, "POST", f"{here}/1", {"points": ""})[:2] == (303, f"{here}/2")


def test_a_browser_that_opens_a_line_and_says_nothing_keeps_nobody_waiting(server):
    with socket.create_connection(("127.0.0.1", server.server_port)):
        assert fetched(server, "GET", f"/{server.secret}/0")[0] == 200


@pytest.mark.needs("chromium")
def test_in_a_browser_all_is_marked_by_keyboard_and_no_words_do_harm(server, queue, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    with chromium.browser() as browser:
        page, asked = browser.new_context(bypass_csp=True).new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(server.url)
        for scheme, width in (("light", 1100), ("dark", 400)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert [v["id"] for v in Axe().run(page).response["violations"]] == [], scheme
        for _ in NAMES:
            assert page.title() != "owned" and page.locator("script, img").count() == 0
            page.wait_for_selector("#points:focus")
            page.keyboard.type("2")
            page.keyboard.press("Tab")
            page.keyboard.type("Go\non.")
            page.keyboard.press("Tab")
            with page.expect_navigation():
                page.keyboard.press("Enter")
        assert "All 3 answers are marked" in page.inner_text("h1")
        assert all(url.startswith(server.url) for url in asked)
    assert {(mark.points, mark.comment) for mark in read_marks(queue.path).values()} == {(2.0, "Go\non.")}
