"""A question that is answered in the picture is plain data, asked at some positions of other dials."""

import pytest

from labkit.widgets.kit.scene import Dial, only, to_json
from labkit.widgets.kit.seeks import Seek


def test_a_question_has_at_least_one_answer():
    with pytest.raises(ValueError, match="at least one position that is right"):
        Seek("Where is it?", ())


def test_it_goes_to_the_page_with_its_dial():
    (seek,) = only({"other": [1]}, [Seek("Where is it?", (2, 3), "There.", [(0, "Not here.")], start=0)])
    found = to_json(Dial("x", "x", list("abcd"), seeks=[seek]))["seeks"]
    asked = {"question": "Where is it?", "answer": [2, 3], "because": "There.", "says": [[0, "Not here."]], "start": 0}
    assert found == [{**asked, "when": {"other": [1]}}]
