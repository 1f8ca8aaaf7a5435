"""What the page of the explorer computes and says is what Python does: its module is run in Node."""

import json

import autograd.numpy as np
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from javascript import call
from small_programs import programs

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.widgets.explorer import Explorer
from labkit.widgets.explorer.graph.said import FORMATS
from labkit.widgets.explorer.run.lines import lines_of
from labkit.widgets.explorer.run.recorded import Run
from labkit.widgets.kit.module import module


def page(expression, *given):
    script = module(Explorer.path).replace("export default", "const explorer =")
    return call(f"(...given) => {{ {script}\nreturn ({expression})(...given); }}", *given)


EVERY = """(data, key, inputs) => {
  const way = data.ways[key], arrays = arraysOf(data, numbersOf(data, inputs)), view = "chain";
  const every = Array.from({ length: way.last + 1 }, (_, step) => ({ step, view })), fill = (words) => saidWith(words, arrays);
  const numbers = (part) => (part.array === undefined ? part : arrays[part.array].values.map((one) => number(one)));
  const gradients = (card) => every.map((at) => fill(nodeOf(card, way, at)?.value ?? ""));
  return {
    said: every.map((at) => sentenceOf(way, at, arrays)), slopes: way.edges.map(({ slope }) => fill(slope)),
    cards: way.cards.map((card) => [fill(card.value), gradients(card)]),
    inside: every.map(({ step }) => (way.inside[step] || []).map(({ words, parts }) => [fill(words), parts.map(numbers)])),
  };
}"""


def shown(picture, inputs):
    """What the page says at each step, and what is on its cards and edges."""
    return page(EVERY, json.loads(json.dumps(picture.data)), picture.opened, inputs)


def explorer(fun, args):
    run = Run.of(fun, args)
    return Explorer(run.story(program=False), "chain", 10**6, run)


@given(programs(most=6), st.lists(st.floats(-2, 2).filter(lambda x: abs(x) > 0.1), min_size=3, max_size=3))
@drawn(20)
def test_where_inputs_are_dragged_every_text_is_that_of_a_run_there(program, others):
    names = ["x", "w", "b"][: len(program.leaves)]
    fun = eval(f"lambda {', '.join(names)}: program({', '.join(names)})", {"program": program})
    there = dict(zip(names, others, strict=False))
    try:
        other = explorer(fun, list(there.values()))
    except Exception:
        return
    here = explorer(fun, program.leaves)
    assert here.data["inputs"]
    found, wanted = shown(here, there), shown(other, {})
    for key in ("cards", "slopes"):
        assert found[key] == wanted[key]
    for a, b in zip(found["said"], wanted["said"], strict=True):
        assert a == b or "Added to its gradient" in a + b or "gets" not in b  # what is 0 there adds nothing
    assert wanted["said"] == [other.describe(step=k).splitlines()[-1] for k in range(len(wanted["said"]))]


def attention(x, w):
    q, k, v = x @ w, x @ torch.transpose(w, 0, 1), x
    return torch.softmax(q @ k.transpose(0, 1) / 2**0.5, -1) @ v


def used(x):
    return torch.nn.functional.cross_entropy(torch.nn.functional.leaky_relu(MLP[0](x)), torch.tensor([1]))


MLP = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
ms.set_seed(0)
CELL = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.ReLU(), ms.nn.Dense(3, 2))
X = onp.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.2]])


@pytest.mark.parametrize("fun, args, entry", [
    (lambda x, w: np.mean(np.tanh(x @ w) ** 2), [X, X.T + 0.1], "w[2, 1]"),
    (MLP, [torch.tensor(X.astype("float32"))], "input[1, 0]"), (CELL, [ms.Tensor([[0.5, 0.25]], ms.float32)], "input_data[0, 1]"),
    (lambda x: (x - np.mean(x)) ** 2 / np.sum(np.exp(x)), [X[0]], "x[2]"),
    (lambda x, w: torch.sigmoid(x * w) + torch.relu(x), [torch.tensor(0.5), torch.tensor(2.0)], "w"),
    (labkit.grad(lambda x: np.sin(x**2)), [2.0], "x"),
    (lambda x: (1 - x[0]) ** 2 + 9 * (x[1] - x[0] ** 2) ** 2, [X[0]], "x[1]"),
    (attention, [torch.tensor(X[:, :2]), torch.tensor(X[:, 1:])], "w[0, 1]"),
    (used, [torch.tensor(X[:1].astype("float32"))], "MLP.0.weight[1, 2]"),
    (lambda x: torch.logsumexp(x, 0) + x.norm(), [torch.tensor(X[0])], "x[2]"),
    (lambda x: np.sum(np.clip(x, -1, 1)), [X[0]], "x[1]"),
    (lambda x: np.array([x[0] * x[1], np.sin(x[2])]) * x[0], [X[0]], "upstream[1]"),
])  # fmt: skip
def test_numbers_of_arrays_are_dragged_too(fun, args, entry):
    picture = explorer(fun, args)
    assert entry in {name for one in picture.data["inputs"] for name in one["entries"]}
    other = picture._again.beside({entry: 0.7})
    found, wanted = shown(picture, {entry: 0.7}), shown(Explorer(other.story(program=False), "chain", 10**6, other), {})
    for key in ("cards", "slopes", "inside"):
        assert found[key] == wanted[key]
    assert found["said"][:-1] == wanted["said"][:-1] and shown(picture, {})["said"] != found["said"]


@pytest.mark.parametrize("fun, args", [
    (lambda x: x**3 if x > 0 else x, (1.0,)), (lambda x: x * x.item(), (torch.tensor(1.0),)),
    (lambda x: np.sum(np.sort(x)), (onp.ones(3),)), (lambda x: np.sum(x), (onp.ones(300),)),
])  # fmt: skip
def test_what_decides_by_its_numbers_or_is_large_has_no_lines(fun, args):
    run = Run.of(fun, args)
    assert lines_of(run, run.story()) is None


@given(st.lists(st.floats(allow_nan=True, width=32), min_size=1, max_size=9), st.sampled_from(sorted(FORMATS)))
@drawn(200)
def test_numbers_are_written_as_python_writes_them(values, form):
    for shape in {(len(values),), (len(values), 1), *([()] if len(values) == 1 else [])}:
        array = onp.array(values).reshape(shape)
        known = [v if onp.isfinite(v) else str(v) for v in array.ravel().tolist()]
        written = page(
            "(shape, values, form) => FORMATS[form]({ shape, values: values.map(constant) })", shape, known, form
        )
        assert written == FORMATS[form](array)


def test_the_first_number_that_is_not_finite_is_pointed_out():
    picture = explorer(lambda x: np.log(x) * 2, [1.0])
    found = page(
        "(data, key, x) => faultOf(data.ways[key], arraysOf(data, numbersOf(data, { x })))",
        picture.data, picture.opened, -1.0,
    )  # fmt: skip
    assert found == {"title": "log", "what": "nan"}


def test_a_tape_frees_what_it_saved_once_it_ran():
    picture = labkit.show(lambda x, w: np.sum(np.tanh(x * w) + x), onp.ones(2), onp.ones(2), view="tape")
    way = picture.data["ways"][picture.opened]
    card = next(card for card in way["cards"] if card["title"] == "×")
    at = """(card, way, step) => {
      const found = nodeOf(card, way, { step, view: "tape" });
      return found ? [found.title, found.foot, Boolean(found.released)] : null;
    }"""
    steps = [page(at, card, way, step) for step in (0, card["ran"], card["walked"], card["walked"] + 1)]
    saves = ["MulBackward0", "saves self = x, other = w"]
    assert steps == [None, [*saves, False], [*saves, False], [*saves, True]]


def test_the_factors_that_are_shown_give_the_product_that_is_shown():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    data = labkit.show(torch.nn.functional.cross_entropy(net(torch.tensor([[0.5, -1.0, 2.0]])), torch.tensor([1]))).data
    arrays = [onp.reshape([value for (value,) in one["at"]], one["shape"]) for one in data["arrays"]]
    groups = [group for way in data["ways"].values() for step in way["inside"].values() for group in step]
    products = [group["parts"] for group in groups if "·" in group["parts"] and len(group["parts"]) == 5]
    for parts in products:
        left, right, found = (arrays[part["array"]] for part in parts[::2])
        assert onp.allclose((left @ right).reshape(found.shape), found, rtol=1e-4)
    assert len(products) >= 4
