"""What a step did with the gradient is told by its op, and of matrix products with factors that give what was sent."""

from dataclasses import replace

import autograd.numpy as np
import numpy as onp
import pytest

import labkit.torch as torch
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.rules import MOST_STEPS, operands, rules_of
from labkit.widgets.explorer.run.tape import Known, of_tensor

RANDOM = onp.random.default_rng(0)
A, B, ROW, COLUMN = (RANDOM.normal(size=size) for size in ((4, 3), (3, 2), (3,), (4, 1)))


def told(story, title):
    """The words of the steps of the op with this title."""
    steps = [step for step in story.steps if story.nodes[step.node].title == title]
    return [rule and rule.words for step in steps for rule in rules_of(story, step)]


@pytest.mark.parametrize(
    "fun, args, title, words",
    [
        (lambda x, w: np.sin(x @ w), (A, B), "@", ["g·wᵀ", "xᵀ·g"]),
        (lambda x, v: np.sin(x @ v), (A, ROW), "@", ["g·vᵀ", "xᵀ·g"]),
        (lambda x, b: np.sin(x) + b, (A, ROW), "+", ["g unchanged", "g summed over 4 rows"]),
        (lambda x, b: np.sin(x) - b, (A, COLUMN), "−", ["g unchanged", "−g summed over 3 columns"]),
        (lambda x, y: np.sin(x * y), (A, ROW), "×", ["g × y", "g × x, summed over 4 rows"]),
        (lambda x, y: np.sin(x / y), (A, A + 9), "÷", ["g / y", "−g × x / y²"]),
        (lambda x: np.sin(np.mean(x)), (A,), "mean", ["g / 12 for each of 12 numbers"]),
        (lambda x: np.sin(np.sum(x, 1)), (A,), "sum", ["g for each of 3"]),
        (lambda x: np.sin(np.tanh(x)), (A,), "tanh", ["g (1 − tanh(x)²)"]),
        (lambda x: np.sin(x.T), (A,), "transpose", ["g transposed back"]),
        (lambda x: np.sin(np.reshape(x, (2, 6))), (A,), "reshape", ["g reshaped to 4×3"]),
        (lambda x: np.sin(x[1:3]), (A,), "x[1:3]", ["g at x[1:3], 0 elsewhere"]),
        (lambda x: np.sin(x[::-1]), (A,), "x[::-1]", ["g moved back to its places"]),
        (lambda x: np.sin(x**2), (A,), "pow 2", ["g × 2 x"]),
        (lambda x: np.sin(3 * x), (A,), "3 ×", ["g × 3"]),
        (lambda x, y: np.sin(np.concatenate([x, y])), (A, A + 1), "concatenate", ["its part of g"] * 2),
    ],
)  # fmt: skip
def test_the_words_are_those_of_what_was_done(fun, args, title, words):
    assert told(of_function(fun, args, program=False), title) == words


def test_the_factors_multiply_to_what_was_sent():
    story = of_function(lambda x, w, b: np.mean(np.tanh(x @ w + b) ** 2), (A, B, ROW[:2]), program=False)
    count = 0
    for step in story.steps:
        for sent, rule in zip(step.sent, rules_of(story, step), strict=True):
            if rule.factors:
                (_, left), (_, right) = rule.factors
                found = left.numbers @ right.numbers if rule.sign == "·" else left * right
                assert found == pytest.approx(sent.value)
                count += 1
    assert count == 2


def test_where_the_numbers_are_not_those_of_a_product_none_is_told():
    story = of_function(lambda x, w: np.sum(np.sin(x @ w)), (A, B), program=False)
    step = story.steps[-1]
    spoilt = replace(step, sent=tuple(replace(sent, value=sent.value + 0.01) for sent in step.sent))
    story.rules.clear()
    assert rules_of(story, spoilt) == (None, None)


def test_on_a_tape_transposed_weights_have_their_own_names():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    x, target = torch.randn(5, 3), torch.randn(5, 2)
    loss = torch.nn.functional.mse_loss(net(x), target)
    story = of_tensor(loss, Known.among({"net": net, "x": x, "target": target, "loss": loss}))
    assert told(story, "addmm") == [
        "g summed over 5 rows", "g·weight", "tanhᵀ·g", "g summed over 5 rows", "xᵀ·g",
    ]  # fmt: skip


def test_what_is_not_known_is_not_told():
    story = of_function(lambda x: np.sum(np.sin(x * np.nan)), (A,), program=False)
    assert told(story, "sin") == [None]
    many = of_function(lambda x: sum(np.sin(x * k) for k in range(MOST_STEPS // 3 + 9)).sum(), (ROW,), program=False)
    assert len(many.steps) > MOST_STEPS and set(rules_of(many, many.steps[5])) == {None}


@pytest.mark.parametrize(
    "fun, names",
    [
        (lambda a, x: (a + x) * (a - x), ["(a + x)", "(a − x)"]),
        (lambda a, x: (a @ x.T) @ (a + x * 2), ["(a·xᵀ)", "(a + x × 2)"]),
        (lambda a, x: (1 - a) * np.tanh(x), ["(1 − a)", "tanh"]),
        (lambda a, x: (a + x + a + x + a) * np.tanh(np.tanh(x) * a) * x, ["b", "x"]),
    ],
)
def test_operands_are_called_by_a_short_formula_or_by_a_letter(fun, names):
    story = of_function(fun, (A, A * 2), program=False)
    assert [name for name, _ in operands(story, story.nodes[-1])] == names
