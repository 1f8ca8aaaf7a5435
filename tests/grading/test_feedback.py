"""Pages for students: what they may know and nothing else, whatever their names, notes and sources are."""

import ast
import html
import re
import sys
from datetime import datetime
from itertools import product
from pathlib import Path
from zoneinfo import ZoneInfo

import chromium
import pytest
from result_examples import NASTY, question, submission

from labkit.classroom import EXERCISES
from labkit.grading import pages as look
from labkit.grading.disclosure import note_told
from labkit.grading.feedback import LONGEST, feedback_pages, student_page, write_feedback
from labkit.grading.final_scores import Final
from labkit.grading.late_policy import Policy

HOSTILE = (
    "</code></pre></style><script>document.title='owned'</script><img src=http://x.invalid onerror=alert(1)>{{ 7*7 }}"
)


def seen(page):
    """The text of a page, without its tags and its style."""
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", body))


def test_each_student_has_a_page_of_their_own_inside_the_folder(tmp_path):
    folder = tmp_path / "feedback"
    pages = write_feedback(folder, [submission(s, answers={"q1": f"# by {s[:9]}"}) for s in NASTY], "Week 1")
    assert sorted(p for p in tmp_path.rglob("*") if p.is_file()) == sorted(pages.values())
    assert len(set(pages.values())) == len(NASTY)
    assert {p.name for p in pages.values()} == {"week1.html"} and {p.parent.parent for p in pages.values()} == {folder}


def test_an_assignment_cannot_name_a_file_elsewhere(tmp_path):
    result = submission("ann")
    object.__setattr__(result, "assignment", "../../week1")
    (page,) = write_feedback(tmp_path, [result], "Week 1").values()
    assert page.parent == tmp_path / "ann" and page.exists()


def test_a_link_in_place_of_a_students_folder_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "feedback").mkdir()
    (tmp_path / "feedback" / "ann").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="is a link"):
        write_feedback(tmp_path / "feedback", [submission("ann")], "Week 1")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_page_shows_points_reason_hint_source_and_notes():
    result = submission(
        "ann",
        question("q1", "label-believed", 0.5, text="You believed the label.\nRead on.", hint="Look at `out`."),
        notes=("Two cells were called q1.",),
        answers={"q1": "answer = 3"},
    )
    text = seen(student_page(result, "Week 1"))
    for part in ("Week 1", "ann", "0.5 of 2 points", EXERCISES["grad-slip"].title, "partly right", "You believed the label.",
                 "Look at", "answer = 3", "Two cells were called q1.", "2025-03-01 12:30 UTC"):  # fmt: skip
        assert part in text


def test_a_page_shows_the_score_that_counts_and_the_times_of_the_course():
    due = datetime.fromisoformat("2025-02-28T23:59+01:00")
    late = Final(submission("ann"), None, due, 1, 1.3, policy=Policy(due, 32.5, zone=ZoneInfo("Europe/Berlin")))
    text = seen(student_page(late, "Week 1"))
    for part in ("1.2  of 4 points", "Your answers earned 2.5 points. The late penalty is 1.3 points.",
                 "submitted 2025-03-01 13:30 CET, due 2025-02-28 23:59 CET"):  # fmt: skip
        assert part in text


def test_a_page_never_shows_what_is_for_the_instructor():
    page = student_page(submission("ann", question("q1", "value", 0.0, detail="expected SECRET")), "Week 1")
    exercise = EXERCISES["grad-slip"]
    assert "SECRET" not in page
    assert html.escape(exercise.solution.strip()) not in page and exercise.statement[:40] not in html.unescape(page)
    assert all(hint not in html.unescape(page) for hint in exercise.hints)


def test_an_exercise_that_labkit_does_not_know_is_shown_by_its_name():
    assert "own-exercise" in seen(student_page(submission("ann", question(exercise="own-exercise")), "Week 1"))


def test_a_long_source_is_cut_and_says_so():
    page = student_page(submission("ann", question(), answers={"q1": "x" * (LONGEST + 1234)}), "Week 1")
    assert len(page) < LONGEST + 10_000 and "1,234 more characters are not shown" in page


def test_a_page_without_questions_or_points_is_still_a_page():
    result = submission("ann", question("q1", "missing", 0.0))
    object.__setattr__(result, "questions", ())
    assert "0 of 0 points" in seen(student_page(result, "Week 1"))


def test_text_that_no_file_can_hold_is_written_as_escapes(tmp_path):
    result = submission("a\udcff", notes=("\x00\x1b",), answers={"q1": "\ud800"})
    (page,) = write_feedback(tmp_path, [result], "Week 1").values()
    text = page.read_text(encoding="utf-8")
    assert r"a\udcff" in text and r"\x00\x1b" in text and r"\ud800" in text


def hostile():
    text = question("q1", "error", 0.0, text=HOSTILE, hint=HOSTILE)
    return submission(HOSTILE, text, question("q2"), notes=(HOSTILE,), answers={"q1": HOSTILE, "q2": "x = 1\n" * 99})


def test_nothing_a_student_writes_becomes_part_of_the_page():
    plain = submission("ann", question("q1", "error", 0.0, text="a", hint="b"), question("q2"), notes=("c",),
                       answers={"q1": "d", "q2": "e"})  # fmt: skip
    tags = re.compile(r"<[/!a-z][^>]*>")
    assert tags.findall(student_page(hostile(), "W")) == tags.findall(student_page(plain, "W"))
    assert "{{ 7*7 }}" in seen(student_page(hostile(), "W"))


def test_the_pages_of_two_students_never_mention_one_another(tmp_path):
    results = [submission("ann", answers={"q1": "a"}), submission("bob", answers={"q1": "b"})]
    pages = write_feedback(tmp_path, results, "Week 1")
    assert "bob" not in pages["ann"].read_text() and "ann" not in seen(pages["bob"].read_text()).split()
    assert pages == feedback_pages(tmp_path, results)


TO_INSTRUCTORS = (
    "The file is a PDF, not a notebook. Ask for the .ipynb file.", "a/b.ipynb is a link, and links are not followed. "
    "Put the file itself there.", "The folder ann contains no notebook, only x.py; expected a1.ipynb. Ask for it.",
    "ann/a1.ipynb cannot be opened: Permission denied. Give yourself permission to read it.",
    "a.ipynb is a folder; expected a notebook. If the notebook is inside, move it out.",
    "The file is broken, and has no complete cell. Ask for the notebook again.",
)  # fmt: skip


@pytest.mark.parametrize("note", TO_INSTRUCTORS)
def test_where_nothing_could_be_read_the_page_speaks_to_the_student(note):
    missing = question("q1", "missing", 0.0, text="Nothing could be graded.", detail=note)
    text = seen(student_page(submission("ann", missing, notes=(note,)), "Week 1"))
    assert "Open the notebook that you worked in" in text and "show this page to your instructor" in text
    assert note.partition(". ")[0] in text
    assert not re.search("Ask for|Give yourself|Put the|move it out", text)


def test_a_person_speaks_in_the_page_and_what_waits_for_one_is_not_called_wrong():
    marked = question("q1", "marked", 1.5, text="", comment="Say <b>why</b>.")
    waiting = question("q2", "by-hand", 0.0, text="Your instructor will grade this answer.")
    page = student_page(submission("ann", marked, waiting, answers={"q1": "x", "q2": "y"}), "Week 1")
    assert "Your instructor: Say <b>why</b>." in re.sub(r" +", " ", seen(page)) and "<b>why" not in page
    assert "partly right" in seen(page) and "will grade this answer" in seen(page) and "not yet right" not in seen(page)


def test_every_note_that_tells_an_instructor_what_to_do_is_known():
    """A sentence of the modules that open files which begins with another command would reach the student."""
    commands = set()
    for module in ("files", "damaged_notebooks", "formats", "submissions"):
        tree = ast.parse((Path(look.__file__).with_name(f"{module}.py")).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and not node.value.startswith(("Why ", "The "))
            ):
                commands |= set(re.findall(r"(?:^|\. )(Ask|Give|Put|Rename|Remove|Move|Send|Copy|Delete) ", node.value))
    for command in sorted(commands):
        rest = {"Ask": "for it", "Give": "yourself the right"}.get(command, "it there")
        assert note_told(f"It is odd. {command} {rest}.") == "It is odd.", command


@pytest.mark.needs("chromium")
def test_in_a_browser_it_runs_nothing_loads_nothing_fits_and_is_accessible(tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    (path,) = write_feedback(tmp_path, [hostile()], "Week 1").values()
    with chromium.browser() as browser:
        page, asked = browser.new_context(bypass_csp=True).new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        assert asked == [path.as_uri()] and page.title() != "owned"
        for scheme, width in product(["light", "dark"], [1100, 400]):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, scheme
            assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
            assert [v["id"] for v in Axe().run(page).response["violations"]] == [], (scheme, width)


def test_without_jinja_it_says_what_to_install(monkeypatch):
    look._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ModuleNotFoundError, match=r".*pip install .*\[classroom\]"):
        student_page(submission("ann"), "Week 1")
