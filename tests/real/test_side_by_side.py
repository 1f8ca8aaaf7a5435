"""What PyTorch and MindSpore do not agree on: as it is recorded, the dialects give it, where it says that they do."""

import importlib
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from labkit.cases.differences import KINDS, differences, kind_of

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]

import differences as recording  # noqa: E402
import side_by_side  # noqa: E402

HEAD = {"torch": "import torch\n", "mindspore": "import mindspore as ms\n"}
FOUND = differences()
del sys.path[:2]


@cache
def given(one, framework):
    """What a dialect gives for the program of a difference."""
    one = FOUND[one]
    return recording.here(framework, HEAD[framework] + one.programs[framework])


@pytest.mark.parametrize("kind", KINDS)
def test_a_difference_that_can_be_run_here_is_one_here(kind):
    rows = [i for i, one in enumerate(FOUND) if one.kind == kind and len(one.alike) == 2]
    assert rows
    for i in rows:
        of = {framework: given(i, framework) for framework in HEAD}
        said = kind_of(of["torch"], of["mindspore"])
        assert said is not None and (said == kind or kind in ("slope", "default")), (FOUND[i].call, of)


def test_a_dialect_prints_what_the_real_framework_prints():
    unlike = {
        (one.call, framework): (given(i, framework)["text"], one.prints[framework])
        for i, one in enumerate(FOUND)
        for framework in one.alike
        if "Error" not in one.prints[framework] and one.kind != "refused"
    }
    assert len(unlike) > 40
    assert {key: both for key, both in unlike.items() if not _same_print(*both)} == {}


NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]\d+)?|\d+")


def _same_print(one, other):
    """Whether the texts are the same, but for the sixth digit of a number: an exp of MindSpore's kernels is a polynomial."""
    words = ["".join(NUMBER.sub("#", text).split()) for text in (one, other)]
    numbers = [[float(n) for n in NUMBER.findall(text)] for text in (one, other)]
    return one == other or (words[0] == words[1] and numbers[0] == pytest.approx(numbers[1], rel=2e-6))


def test_a_function_that_both_have_is_asked_without_being_listed():
    programs = side_by_side.programs()
    asked = {recording.name_of(title) for title in programs}
    for name in ("std", "relu", "logsumexp", ".expand", "BatchNorm2d"):
        assert name in asked
    assert programs["std([3.0, 1.0, 2.0])"] == {
        "torch": "import torch\n\nx = torch.tensor([3.0, 1.0, 2.0])\nprint(torch.std(x))",
        "mindspore": "import mindspore as ms\n\nx = ms.Tensor([3.0, 1.0, 2.0])\nprint(ms.ops.std(x))",
    }
    assert importlib.import_module("labkit.torch").std


def test_answers_are_compared_by_what_they_hold():
    of = lambda *numbers, dtype="float32": {
        "plain": {"dtype": dtype, "shape": [len(numbers)], "numbers": list(numbers)}
    }
    assert kind_of(of(1.0, "nan"), of(1.0 + 1e-7, "nan")) is None
    assert kind_of(of(1.0), of(1.0, dtype="float64")) == "dtype"
    assert kind_of(of(1.0), of(1.0, 1.0)) == "shape" and kind_of(of(1.0), {"plain": [of(1.0)["plain"]]}) == "structure"
    assert kind_of(of(0.0), of("nan")) == "value" and kind_of({"error": "A"}, {"error": "B"}) is None
