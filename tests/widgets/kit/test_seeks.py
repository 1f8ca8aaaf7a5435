"""A question that is answered in the picture is plain data, asked at some positions of other dials."""

import pytest

from labkit.widgets.kit.scene import Dial, Panel, Scene, only, text, to_json
from labkit.widgets.kit.seeks import Seek
from labkit.widgets.kit.still import visible_marks


def test_a_question_has_at_least_one_answer():
    with pytest.raises(ValueError, match="at least one position that is right"):
        Seek("Where is it?", ())


def test_it_goes_to_the_page_with_its_dial():
    (seek,) = only({"other": [1]}, [Seek("Where is it?", (2, 3), "There.", [(0, "Not here.")], start=0)])
    found = to_json(Dial("x", "x", list("abcd"), seeks=[seek]))["seeks"]
    asked = {"question": "Where is it?", "answer": [2, 3], "because": "There.", "says": [[0, "Not here."]], "start": 0}
    assert found == [{**asked, "when": {"other": [1]}}]


def test_what_is_seen_while_one_predicts_alone_is_in_no_still_picture():
    marks = [text(5, 15, "the answer").answering("x"), text(5, 35, "the question").asking("x")]
    scene = Scene("Both", "Two texts.", [Dial("x", "x", ["0", "1"])], [Panel("p", "", 90.0, 40.0, marks)])
    assert [words for *_, words, _ in visible_marks(scene.panels[0], scene.start())] == ["the answer"]
