"""What is wrong with a run is said, with the place where it starts."""

import autograd.numpy as np
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from small_programs import programs

import labkit.torch as torch
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.tape import Known, of_tensor


@drawn(20)
@given(programs(ends=2))
def test_a_sound_run_has_no_notice_but_of_inputs_that_are_not_used(program):
    _, totals = program.walk()
    idle = [i for i in range(len(program.leaves)) if i not in totals]
    notices = of_function(program, program.leaves, program=False).notices
    assert len(notices) == bool(idle) and all("no influence" in words for words in notices)


@drawn(20)
@given(st.lists(st.sampled_from([1.0, 2.0, np.nan, np.inf]), min_size=3, max_size=3), st.sampled_from("nsl"))
def test_the_first_bad_value_is_the_first_whose_inputs_are_all_finite(values, what):
    """Worked out by hand for v0 * v1 and then a function of that and v2."""
    last = {"n": np.negative, "s": np.sqrt, "l": np.log}[what]
    story = of_function(lambda a, b, c: last(-(a * b)) + c, values)
    bad = [i for i, v in enumerate(values) if not np.isfinite(v)]
    if bad:
        assert story.bad == bad[0] and f"The input {'abc'[bad[0]]} holds" in story.notices[0]
    elif what == "n":
        assert story.bad is None and story.notices == []
    else:
        assert story.nodes[story.bad].op == last.__name__ and f"comes from {last.__name__}" in story.notices[0]


def test_the_line_and_what_went_in_are_told():
    def f(x, y):
        s = np.log(x - y)
        return s * x

    (notice, *_) = of_function(f, [1.0, 2.0]).notices
    line = f.__code__.co_firstlineno + 1
    assert notice == (
        f"The first nan comes from log (test_notices.py, line {line}): its inputs are finite (the result of − = −1)."
    )


def test_an_argument_used_twice_is_told_once():
    (notice, *_) = of_function(lambda x: np.sum(x * x), [onp.full(3, 300, "float16")]).notices
    assert notice.startswith("The first inf comes from ×") and notice.count("x = ") == 1


def test_an_infinite_slope_at_a_finite_value_is_found():
    """The square root at 0: its value is 0, its derivative is not finite."""
    story = of_function(lambda x: 2 * np.sqrt(x), [0.0])
    (notice,) = story.notices
    assert story.bad is None and story.bad_gradient == 0
    assert notice.startswith("The first inf among the gradients comes from the backward of sqrt")
    assert notice.endswith(": 2 × inf.")


def test_a_gradient_of_a_bad_value_is_marked_but_not_told_twice():
    story = of_function(lambda x: np.log(x) * 2 * x, [-1.0])
    assert story.nodes[story.bad].title == "log" and len(story.notices) == 1


@pytest.mark.parametrize(
    "fun, words",
    [
        (lambda a, b, c: a * 2, "b and c have no influence"),
        (lambda a, b, c: a * b, "c has no influence"),
        (lambda a, b, c: 1.0, "does not depend on any input"),
        (lambda a, b, c: a, "b and c have no influence"),
        (lambda a, b, c: (a, b, c), "returns its input unchanged"),
    ],
)
def test_inputs_without_influence_are_named(fun, words):
    assert words in of_function(fun, [1.0, 2.0, 3.0]).notices[0]


def test_labels_are_not_expected_to_have_influence():
    assert of_function(lambda x, y: x * np.sum(y == 1), [1.0, onp.array([0, 1])]).notices == []


def test_where_a_gradient_ends_is_told_and_marked():
    w = torch.tensor([[-1.0, -2.0], [-3.0, -1.0]], requires_grad=True)
    story = of_tensor((torch.relu(w @ torch.ones(2, 1)) + 1.0).sum(), Known.among({"w": w}))
    assert story.notices == [
        "No gradient passes relu: all its 2 numbers are 0, where its slope is 0. The gradient of w is 0."
    ]
    assert [story.nodes[i].op for i in story.marked] == ["relu"]
    live = of_tensor(torch.relu(w @ -torch.ones(2, 1)).sum(), Known.among({"w": w}))
    assert (live.notices, live.marked) == ([], frozenset())


def test_where_it_ends_is_not_the_product_whose_other_factor_is_0_for_that():
    """Of a relu that gives 0 alone, the weight behind it gets 0, too."""
    w, v = torch.tensor([[-1.0, -2.0]], requires_grad=True), torch.ones(1, 1, requires_grad=True)
    story = of_tensor((v @ torch.relu(w @ torch.ones(2, 1)) + v).sum(), Known.among({"w": w, "v": v}))
    (notice,) = story.notices
    assert notice.startswith("No gradient passes relu") and notice.endswith("The gradient of w is 0.")


def test_the_op_that_sends_0_is_told_whatever_it_is():
    (notice,) = of_function(lambda x: np.sum((x - x) ** 2), [onp.ones(3)]).notices
    assert notice.startswith("The gradient of x is 0: pow 2 (test_notices.py, line ")
    assert notice.endswith(") has an upstream gradient of norm 1.73 and sends 0.")


def test_0_on_one_of_several_ways_is_no_alarm():
    assert of_function(lambda x: np.sum(x**2) + np.sum(np.maximum(x - 9.0, 0.0 * x) ** 2), [onp.ones(3)]).notices == []


def test_a_slope_of_0_on_the_picture_needs_no_notice():
    assert of_function(lambda x: np.sin(x) ** 2, [0.0]).notices == []
