"""The numbers and counts that prose, figures' words and exercises' sentences name are those of what runs."""

import ast
import re

import claims
import course
import pytest
import stored_figures

from labkit.classroom import EXERCISES

notebooks = pytest.mark.parametrize("path", course.NOTEBOOKS, ids=lambda path: path.stem)


def exercises(path):
    return [name for name, exercise in EXERCISES.items() if exercise.notebook == path.stem]


def texts(path):
    """All that a notebook and its exercises say, with the cell or exercise that says it."""
    yield from ((cell, text) for _, cell, text in claims.prose(path))
    for name in exercises(path):
        yield from claims.told(name)


@notebooks
def test_each_number_is_one_that_runs_or_is_declared(path):
    found = [*claims.of_notebook(path), *(hit for name in exercises(path) for hit in claims.of_exercise(name))]
    stated = claims.declared().get(course.number_of(path), {})
    missing = [f"{place}: {claim.written} in {claim.words!r}" for place, claim in found
               if claim.written not in stated.get(place, {})]  # fmt: skip
    assert missing == [], "mend the prose, or declare in tests/claims.toml what it is the value of"
    assert {(place, claim.written) for place, claim in found} == {(place, w) for place in stated for w in stated[place]}
    for place, claim in found:
        value = claims.value_of(stated[place][claim.written])
        assert abs(value - claim.value) <= max(claim.slack, 1e-9 * abs(value)), (place, claim.written, value)


@notebooks
def test_arithmetic_that_is_stated_is_true(path):
    assert [(place, wrong) for place, text in texts(path) for wrong in claims.untrue(text)] == []


@notebooks
def test_what_is_counted_before_it_is_listed_is_counted_right(path):
    cells = [cell for cell in course.load(path).cells if cell.cell_type == "markdown"]
    found = [(cell.id, fault) for cell in cells for fault in claims.miscounted(cell.source)]
    assert [hit for hit in found if not hit[0].startswith("exercise-")] == []


@notebooks
def test_an_answer_is_as_long_as_the_statement_says_and_has_the_items_that_it_lists(path):
    for exercise in (EXERCISES[name] for name in exercises(path) if EXERCISES[name].is_prediction):
        try:
            answer = ast.literal_eval(exercise.solution.partition("answer =")[2].strip())
        except ValueError:  # what is no literal is computed
            continue
        asked = re.search(rf"[Aa]nswer with a list of {claims.COUNT}(.*? and a number)?", exercise.statement)
        listed = re.findall(r"^(?:\| )?(\d+)(?:\. | \|)", exercise.statement, re.MULTILINE)
        if asked:
            assert claims.WORDS.index(asked[1]) + bool(asked[2]) == len(answer), exercise.name
        assert listed in ([], [str(i) for i in range(len(answer))]), exercise.name


@notebooks
def test_a_name_that_another_notebook_is_said_to_have_is_there(path):
    assert [hit for _, text in texts(path) for hit in claims.names_missing(text, course.number_of(path))] == []


@notebooks
def test_a_figure_has_the_lines_and_panels_that_its_words_say(path):
    for figure in (figure for cell in course.code_cells(path) for figure in stored_figures.of(cell)):
        said = set(re.findall(r"\b(?:solid|dashed|dotted|dash-dot|hatched)\b", figure.words.lower()))
        assert said <= figure.lines, figure.words
        assert list(claims.miscounted_drawn(figure)) == []


# ---- the check itself ----


@pytest.mark.parametrize("number, cell, right, wrong", [
    ("16", "text-bytes-explain", "112 GB", "114 GB"), ("12", "text-too-large-explain", "589,824", "589,924"),
    ("13", "text-norms-explain", "39.5 degrees", "38.5 degrees"), ("17", "text-lenet", "1408", "1409"),
    ("15", "text-words", "65, 7", "66, 7"), ("10b", "on-the-way", "in the first 50 steps", "in the first 40 steps"),
])  # fmt: skip
def test_a_planted_number_is_found(number, cell, right, wrong):
    path = next(path for path in course.NOTEBOOKS if course.number_of(path) == number)
    (section, _, text) = next(hit for hit in claims.prose(path) if hit[1] == cell and right in hit[2])
    near = [claims.evidence(claims.sections(path)[section]), *claims.drawn_with(path, text)]
    stated = claims.declared().get(number, {}).get(cell, {})

    def faults(text):
        unfound = [claim.written for _, claim in claims.unaccounted(cell, text, near, claims.whole(path))]
        return [*(written for written in unfound if written not in stated), *claims.untrue(text)]

    assert faults(text) == [] and faults(text.replace(right, wrong)) != []
