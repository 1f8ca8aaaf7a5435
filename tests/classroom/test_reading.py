"""A file that is an exercise: what is made of it, and what is said where it is none."""

import re
import traceback
from textwrap import dedent

import numpy as np
import pytest

from labkit.classroom.checking import judge_answer
from labkit.classroom.exercises import EXERCISES, Exercises
from labkit.classroom.reading import NotAnExercise, read

PULL = '''
    """# The pullback of a dot product (3 points)

    Here `y = x @ y`, as

    [[forward]]

    Write `pull(x, y, v)`.
    """

    import math

    import numpy as np

    from labkit.classroom.writing import judged, wrong

    SCALE = 1.0


    def _scaled(v):
        return SCALE * v


    def pull(x, y, v):
        # y is what x is multiplied by
        return _scaled(v) * y


    def forward(x, y):
        return math.fsum(x * y)


    def draw(rng):
        return rng.normal(size=3), rng.normal(size=3), float(rng.normal())


    @wrong("You gave the pullback for y.")
    def swapped(x, y, v):
        return v * x


    @wrong("You forgot what arrives.", when=lambda inputs, expected, got: np.allclose(got * inputs[2], expected))
    def v_forgotten(x, y, v):
        return y


    @judged("value")
    def doubled(x, y, v):
        return v * y + x * x


    hints = "What moves y?", "The other factor.", "v * y"
'''

SHAPES = '''
    """# Shapes (2 points)

    Predict.
    """

    from labkit.classroom.writing import either, judged, wrong

    answer = [(3, 2), (2,), 3]  # of w, of b, and how many


    def reference():
        return [(3, 2), (2,), 1 + 2]


    for_each = wrong("b gets one sum.", {1: (4, 2)})
    turned = wrong("Not the transpose.", {0: either((2, 3), (3,)), 1: (1, 2)})
    too_many = wrong("Fewer.", {2: lambda expected, got: got > expected}, answer={2: 9})
    both = wrong("Both.", {0: (), 1: ()}, together=True)
    a_short_one = judged("structure", [(3, 2)])
    hints = "a", "b", "c"
'''


def file(folder, text, name="own_dot.py"):
    path = folder / name
    path.write_text(dedent(text).lstrip(), encoding="utf-8")
    return path


def kind(exercise, answer):
    return judge_answer(exercise, answer).kind


def test_a_statement_shows_a_wrong_answer_under_the_name_to_mend(tmp_path):
    text = PULL.replace("[[forward]]", "[[forward, swapped as pull]]")
    statement = read(file(tmp_path, text)).statement
    assert "    return math.fsum(x * y)\n\ndef pull(x, y, v):\n    return v * x\n```" in statement


def test_a_misconception_is_recognised_by_all_of_its_examples(tmp_path):
    exercise = read(file(tmp_path, PULL.replace('@judged("value")', '@judged("swapped")')))
    assert kind(exercise, lambda x, y, v: v * x) == kind(exercise, lambda x, y, v: v * y + x * x) == "swapped"


def test_a_misconception_is_recognised_by_a_part_of_the_result(tmp_path):
    text = PULL.replace("return _scaled(v) * y", "return _scaled(v) * y, x").replace("return v * x", "return v * x, y")
    exercise = read(file(tmp_path, text.replace('for y.")', 'for y.", parts=(0,))')))
    assert kind(exercise, lambda x, y, v: (v * x, x)) == "swapped" != kind(exercise, lambda x, y, v: (v * y, y))


def test_a_wrong_answer_may_call_the_solution_and_still_take_its_name(tmp_path):
    source = read(file(tmp_path, PULL.replace("return v * x", "return -pull(x, y, v)"))).wrong_answers[0].source
    names = {"np": np}
    exec(source.replace("answer = ", "pull = "), names)
    assert names["pull"](1.0, 2.0, 3.0) == -6.0 and "def right_pull(x, y, v):" in source


def test_a_function_and_its_wrong_answers_are_code(tmp_path):
    exercise = read(file(tmp_path, PULL), "99_own")
    assert (exercise.name, exercise.notebook, exercise.title) == ("own-dot", "99_own", "The pullback of a dot product")
    assert exercise.points == 3 and exercise.arguments == ("x", "y", "v")
    assert "```python\ndef forward(x, y):\n    return math.fsum(x * y)\n```" in exercise.statement
    assert (
        exercise.solution.strip()
        == dedent(
            """
        SCALE = 1.0


        def _scaled(v):
            return SCALE * v


        def pull(x, y, v):
            # y is what x is multiplied by
            return _scaled(v) * y


        answer = pull
        """
        ).strip()
    )
    assert [w.expected for w in exercise.wrong_answers] == ["swapped", "v-forgotten", "value"]
    for wrong in exercise.wrong_answers:
        names = {"np": np}
        exec(wrong.source, names)
        assert kind(exercise, names["answer"]) == wrong.expected
    assert kind(exercise, lambda x, y, v: v * y) == "right"
    assert kind(exercise, lambda x, y, v: y.copy()) == "v-forgotten"


def test_reasons_for_predictions_are_given_by_item(tmp_path):
    exercise = read(file(tmp_path, SHAPES))
    assert exercise.solution.strip() == "answer = [(3, 2), (2,), 3]  # of w, of b, and how many"
    told = {w.source: w.expected for w in exercise.wrong_answers}
    assert told == {
        "answer = [(3, 2), (4, 2), 3]": "for-each",
        "answer = [(2, 3), (1, 2), 3]": "turned",
        "answer = [(3, 2), (2,), 9]": "too-many",
        "answer = [(), (), 3]": "both",
        "answer = [(3, 2)]": "structure",
    }
    assert kind(exercise, [(3, 2), (4, 2), 9]) == "for-each"  # the first reason; the second one follows
    assert kind(exercise, [(), (2,), 3]) not in ("both", "right")


@pytest.mark.parametrize(
    "text, said",
    [
        (
            '"""A title"""',
            r'docstring that begins with a line such as "# A title \(2 points\)".* begins with \'A title\'',
        ),
        ("x = 1", "begins with 'nothing'"),
        ('"""# A (1 point)\n\nPredict."""\nhints = "a", "b", "c"', "expected a function that is the solution"),
        (
            '"""# A (1 point)\n\nWrite."""\ndef f(x): return x\nhints = "a", "b", "c"',
            "expected `draw` to be a function",
        ),
        ('"""# A (1 point)\n\nPredict."""\nanswer = 1', "expected `hints` to be three texts"),
        ('"""# A (1 point)\n\n[[f]]"""\nanswer = 1\nhints = "a", "b", "c"', "expected `f` to be defined"),
        (
            '"""# A (1 point)\n\nA."""\nfrom labkit.classroom.writing import wrong\nanswer = 1\nhints = "a", "b", "c"\n'
            'why = wrong("Because.")',
            "expected `why` to be a wrong answer",
        ),
    ],
)
def test_what_is_missing_is_said_with_the_file(tmp_path, text, said):
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(NotAnExercise, match=said) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_an_error_of_the_file_itself_comes_through(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("1 / 0")
    with pytest.raises(ZeroDivisionError):
        read(path)


def test_adopted_exercises_are_texts_and_read_again_when_they_change():
    known, text = Exercises(EXERCISES._folder), dedent(SHAPES).lstrip()
    known.adopt({"own-shapes": text})
    assert known["own-shapes"].title == "Shapes" and "own-shapes" in list(known)
    known.adopt({"own-shapes": text.replace("# Shapes", "# Forms")})
    assert known["own-shapes"].title == "Forms"


def test_a_name_is_given_once(tmp_path):
    known = Exercises(EXERCISES._folder)
    with pytest.raises(
        ValueError, match="there is an exercise 'grad-slip' already, in notebook 05_grad_and_value_and_grad"
    ):
        known.adopt({"grad-slip": dedent(PULL)})
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        file(tmp_path / folder, PULL)
    with pytest.raises(ValueError, match=re.escape("two exercises are called 'own-dot'")):
        list(Exercises(tmp_path))


def test_an_error_in_a_file_shows_its_line(tmp_path):
    exercise = read(file(tmp_path, PULL.replace("return _scaled(v) * y", "return undefined")))
    with pytest.raises(NameError) as caught:
        exercise.expected(next(exercise.inputs()))
    assert "return undefined" in "".join(traceback.format_exception(caught.value))
