"""The numbers and counts that prose, figures' words and exercises' sentences name are those of what runs."""

import ast
import re
from dataclasses import replace

import claims
import course
import pytest
import stored_figures
from written_numbers import Claim, Pool, numbers, sums

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


# ---- the checks themselves ----


@pytest.mark.parametrize(
    "text, true",
    [
        ("36 × 16,384 = 589,824 on its way", True),
        ("36 × 16,384 = 589,834 on its way", False),
        ("65504 / 0.02 ≈ 3.3 million", True),
        ("`2 + 6 + 12 = 20`, and `(20 - 19)**2 = 1`", True),
        ("`2 + 6 + 12 = 21`", False),
        ("2⁻²⁴ ≈ 5.96e-8", True),
        ("2⁻²⁴ ≈ 5.6e-8", False),
        ("120 steps are 2.7 passes", None),
    ],
)
def test_stated_arithmetic_is_computed(text, true):
    assert {holds for _, holds in sums(text)} == ({true} if true is not None else set())


@pytest.mark.parametrize(
    "text, found",
    [("11.3 %", True), ("11.4 %", False), ("one in 9, or 0.113", True), ("5.96e-8", True), ("5.97e-8", False),
     ("2⁻²⁴", True), ("2⁻²³", False), ("1,437 images", True), ("1,438 images", False), ("about 1,440", True)],
)  # fmt: skip
def test_a_number_is_found_where_one_rounds_to_it(text, found):
    pool = Pool(["flushed 11.3%, min subnormal 5.9605e-08", "(1437, 8, 8)", "9"])
    assert all(pool.has(claim) for claim in numbers(text)) == found


@pytest.mark.parametrize(
    "text, faults",
    [
        ("Three rules.\n\n1. one\n2. two\n3. three", 0),
        ("Four rules.\n\n1. one\n2. two\n3. three", 1),
        ("It has three fields: a *sign*, an *exponent*, and a *fraction*.", 0),
        ("It has four fields: a *sign*, an *exponent*, and a *fraction*.", 1),
        ("Two things:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", 0),
        ("Three things:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", 1),
        ("Answer with a list of three texts: `a` or `b`, and so on.", 0),
    ],
)
def test_counts_are_held_against_what_they_count(text, faults):
    assert len(list(claims.miscounted(text))) == faults


@pytest.mark.parametrize("name, missing", [("first_wrong", 0), ("first_right", 1)])
def test_a_name_is_looked_for_in_the_notebook_that_is_named(name, missing):
    assert len(list(claims.names_missing(f"You know `{name}` from notebook 03.", "10"))) == missing


def test_the_numbers_of_a_figure_are_read_from_what_is_drawn():
    path = next(path for path in course.NOTEBOOKS if course.number_of(path) == "10b")
    (figure,) = stored_figures.of(next(cell for cell in course.code_cells(path) if cell.id == "on-the-way"))
    drawn = Pool(figure.texts, figure.read)
    assert all(drawn.has(Claim("", value, 0.005, "")) for value in (0.57, 0.89, 300.0, 1.0, 0.67))
    assert not any(drawn.has(Claim("", value, 0.005, "")) for value in (0.77, 0.45))
    assert figure.lines == {"solid", "dotted"} and not list(claims.miscounted_drawn(figure))
    assert list(claims.miscounted_drawn(replace(figure, words="Three training runs, in two panels.")))[1:]


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
