"""`labkit.compare`: right ports agree, and each planted slip is found where it is."""

import json
import os
import subprocess
import sys
from functools import cache, partial
from pathlib import Path

import autograd
import numpy as np
import ports
import pytest
from ports import WANTED, found

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.porting import UnclearMatch

tn, mn, ops = torch.nn, ms.nn, ms.ops
ONES = np.ones((2, 3))
compared = cache(partial(ports.compared, torch, ms))
ALL = [(name, planted) for name, cases in WANTED.items() for planted in cases]


@pytest.mark.parametrize("name, planted", ALL)
def test_a_right_port_agrees_and_a_slip_is_found_where_it_is(name, planted):
    result = compared(name, planted)
    wanted = WANTED[name][planted]
    assert (result.first and (result.first.torch, result.first.part)) == wanted, str(result)
    assert result.ok is bool(result) is (wanted is None)


@pytest.mark.real
@pytest.mark.parametrize("rooms", [("torch", "labkit.mindspore"), ("labkit.torch", "mindspore")])
def test_the_same_is_found_with_a_real_framework(rooms, tmp_path):
    framework = next(room for room in rooms if "." not in room)
    python = os.environ.get(f"LABKIT_{framework.upper()}_PYTHON")
    if not python:
        pytest.skip(f"LABKIT_{framework.upper()}_PYTHON names no interpreter")
    (tmp_path / "autograd").symlink_to(Path(autograd.__file__).parent)
    here = Path(__file__)
    path = os.pathsep.join(map(str, (here.parents[2], tmp_path)))
    command = [python, here.with_name("ports.py"), *rooms]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    text = done.stdout.splitlines()[-1].replace(
        "output for its input divided by 1000", "output"
    )  # MindSpore's is rough
    answers = json.loads(text)
    wanted = {n: {p: w and list(w) for p, w in cases.items()} for n, cases in WANTED.items()}
    assert answers == wanted


@pytest.mark.parametrize(
    "name, planted, said",
    [
        ("mlp", "no relu", "PyTorch's is relu of the layer's input"),
        ("mlp", "transposed", "with its w transposed"),
        ("mlp", "no bias", "with a bias of 0 in PyTorch's module"),
        ("lenet", "same", "with padding='same' in PyTorch's module"),
        ("lenet", "channels last", "the same numbers, in a different order"),
        ("norm", "eps", "with eps=1e-05 in MindSpore's module (it has 0.001"),
        ("norm", "momentum", "with momentum=0.9 in MindSpore's module (it has 0.1"),
        ("norm", "keep", "with p=0.2 in MindSpore's module (it has 0.8"),
        ("words", "eps", "with epsilon=1e-05 in MindSpore's module (it has 1e-07"),
        ("lstm", "batch", "with batch_first=True in MindSpore's module"),
    ],
)
def test_the_reason_is_one_that_was_tried(name, planted, said):
    assert said in compared(name, planted).first.reason


def test_what_is_shown_names_both_values_and_the_settings():
    result = compared("norm", "eps")
    text, found_there = str(result), result.first.difference
    assert "First: the output of bn BatchNorm2d, in eval mode." in text
    assert "Settings: eps: 1e-05 | 0.001" in text and "rounding explains" in text
    assert found_there.max_abs > 0 and found_there.torch[found_there.index] != found_there.mindspore[found_there.index]
    html = result._repr_html_()
    assert html.count("<tr") == len(result.layers) + 1 and "outline" in html
    assert [layer.torch for layer in result.layers][:2] == ["", "conv"]


def test_weights_in_another_layout_are_said():
    assert "fc1.weight is carried over to fc1.w transposed." in compared("mlp", "rows and columns").notes
    conv = labkit.compare(tn.Conv1d(2, 3, 2), mn.Conv1d(2, 3, 2, pad_mode="valid", has_bias=True), np.ones((1, 2, 5)))
    assert conv.ok and "(3, 2, 2) as (3, 2, 1, 2)" in conv.notes[0]


def _state(t, m):
    held = [p.detach().numpy().copy() for p in t.state_dict().values()] + [p.asnumpy() for p in m.get_parameters()]
    modes = [part.training for part in (*t.modules(), *(cell for _, cell in m.cells_and_names()))]
    random = torch.get_rng_state().numpy().copy(), np.random.get_state()[1].copy()
    return [*held, *random, np.array(modes), np.array([p.grad is None for p in t.parameters()])]


def test_both_models_are_left_as_they_were():
    t = tn.Sequential(tn.Conv2d(1, 2, 3), tn.BatchNorm2d(2), tn.Dropout(0.5))
    m = mn.SequentialCell(mn.Conv2d(1, 2, 3, pad_mode="valid", has_bias=True), mn.BatchNorm2d(2), mn.Dropout(p=0.5))
    t[2].eval()
    m[2].set_train()
    ms.set_seed(1)
    ones, aside = ops.ones((2, 2, 3, 3)), mn.Dropout(p=0.5).set_train()
    before = _state(t, m)
    m[2](ones)
    assert labkit.compare(t, m, np.random.default_rng(0).normal(size=(2, 1, 5, 5)))
    after = _state(t, m)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    other = mn.Dropout(p=0.5).set_train()
    other._seed = m[2]._seed
    other(ones)
    assert np.array_equal(m[2](ones).asnumpy(), other(ones).asnumpy()) and aside.training


def _chain(kind, layer, sizes):
    return kind(*(layer(*size) for size in sizes))


class _Two(tn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = tn.Linear(3, 3), tn.Linear(3, 3)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class _Ported(mn.Cell):
    def __init__(self, names, order):
        super().__init__()
        for name in names:
            setattr(self, name, mn.Dense(3, 3))
        self.order = order

    def construct(self, x):
        first, *rest = (getattr(self, name) for name in self.order)
        x = first(x)
        for cell in rest:
            x = cell(ops.relu(x))
        return x


def test_an_unclear_match_is_refused_with_both_trees_and_can_be_said():
    port = _Ported(("later", "sooner"), ("sooner", "later"))
    with pytest.raises(UnclearMatch) as refused:
        labkit.compare(_Two(), port, ONES)
    assert "'a' would be 'later' in the order of registration, but 'sooner'" in " ".join(str(refused.value).split())
    assert "a  Linear  (3,3) (3,) | later  Dense  (3,3) (3,)" in str(refused.value)
    assert labkit.compare(_Two(), port, ONES, match={"a": "sooner", "b": "later"})
    with pytest.raises(UnclearMatch, match=r"Linear \(2,3\)"):
        labkit.compare(tn.Linear(3, 2), mn.Dense(3, 4), ONES)


def test_modules_called_in_another_order_or_number():
    swapped = labkit.compare(_Two(), _Ported("ab", "ba"), ONES).first
    assert (swapped.torch, swapped.part, swapped.said) == ("a", "order of calls", "called as number 1 | 2")
    again = labkit.compare(_Two(), _Ported("ab", "abb"), ONES).first
    assert (again.torch, again.part, again.said) == ("b", "calls", "called 1 | 2 times")
    short = labkit.compare(_chain(tn.Sequential, tn.Linear, [(3, 3), (3, 2)]), mn.SequentialCell(mn.Dense(3, 3)), ONES)
    assert (short.first.torch, short.first.mindspore, short.first.said) == ("1", "", "only in PyTorch")


def test_several_inputs_outputs_and_a_loss():
    class Net(tn.Module):
        def __init__(self):
            super().__init__()
            self.fc = tn.Linear(3, 2)

        def forward(self, x, mask=None):
            return {"y": self.fc(x) * mask, "ids": mask.long()}

    class Port(mn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = mn.Dense(3, 2, activation=None)

        def construct(self, x, mask=None):
            return self.fc(x) * mask, mask.long()

    inputs, labels = {"x": ONES, "mask": np.ones((2, 2), np.float32)}, np.array([0, 1])
    right = lambda out: torch.nn.functional.cross_entropy(out["y"], torch.tensor(labels))
    ported = lambda out: ops.cross_entropy(out[0], ms.Tensor(labels, ms.int32))
    wrong = lambda out: ported(out) * 2
    assert labkit.compare(Net(), Port(), inputs, loss=(right, ported))
    assert labkit.compare(Net(), Port(), inputs, loss=(right, wrong)).first.part == "gradient of weight"


class _Raises(mn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = mn.Dense(3, 2)

    def construct(self, x):
        raise ValueError("no way through")


@pytest.mark.parametrize(
    "models, more, error, said",
    [
        ((mn.Dense(3, 2), tn.Linear(3, 2)), {}, TypeError, "expected a Module of PyTorch, but got Dense of"),
        ((tn.Linear(3, 2), np.tanh), {}, TypeError, "expected a Cell of MindSpore, but got ufunc"),
        ((tn.Linear(3, 2), mn.Dense(3, 2)), {"inputs": "x"}, TypeError, "expected numbers, arrays or tensors"),
        ((tn.Linear(3, 2), mn.Dense(3, 2)), {"loss": 1}, TypeError, r"expected loss=\(torch_fn, ms_fn\)"),
        ((tn.Linear(3, 2), mn.Dense(3, 2)), {"inputs": np.ones((2, 4))}, RuntimeError, "PyTorch's model raises"),
        (
            (tn.Linear(3, 2), mn.Dense(3, 2)),
            {"inputs": [np.ones((2, 3))]},
            RuntimeError,
            "several arguments as a tuple",
        ),
        (
            (tn.Sequential(tn.Linear(3, 2)), _Raises()),
            {},
            RuntimeError,
            "MindSpore's model raises ValueError in _Raises",
        ),
        ((tn.Linear(3, 2), mn.Dense(3, 2)), {"match": {"x": "y"}}, ValueError, "match names 'x'"),
    ],
)
def test_errors_say_what_was_expected(models, more, error, said):
    with pytest.raises(error, match=said):
        labkit.compare(*models, more.pop("inputs", ONES), **more)


def test_neither_framework_is_loaded():
    code = "import sys, labkit; labkit.compare; print([m for m in ('torch', 'mindspore', 'labkit.torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_found_is_where_and_what():
    assert found(compared("mlp", "no bias")) == ["fc3", "parameters"]


def test_a_switch_is_tried_against_a_word_and_the_phase_is_no_setting():
    original = tn.Sequential(tn.Linear(3, 4), tn.GELU(), tn.Linear(4, 1))
    port = mn.SequentialCell(mn.Dense(3, 4), mn.GELU(approximate=True), mn.Dense(4, 1))
    row = labkit.compare(original, port, ONES).first
    assert row.torch == "1" and row.reason.startswith("with approximate=False in MindSpore's module (it has True")
    assert not any("phase" in setting for setting in row.settings)


class Original(tn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = tn.Linear(3, 3), tn.Linear(3, 1)

    def forward(self, x):
        return self.b(torch.softmax(self.a(x), -1))


class Port(mn.Cell):
    def __init__(self, between):
        super().__init__()
        self.a, self.b, self.between = mn.Dense(3, 3), mn.Dense(3, 1), between

    def construct(self, x):
        return self.b(self.between(x, self.a(x)))


@pytest.mark.parametrize(
    "between, said",
    [
        (lambda x, h: ops.softmax(h, 0), "softmax over axis 1 of"),
        (lambda x, h: ops.stop_gradient(ops.softmax(h, -1)), "MindSpore's is zero throughout"),
    ],
)
def test_what_is_between_two_layers_is_told(between, said):
    numbers = np.random.default_rng(0).normal(size=(4, 3))
    assert said in str(labkit.compare(Original(), Port(between), numbers).first.reason)


def test_a_residual_connection_that_is_missing_is_told():
    class Residual(Original):
        def forward(self, x):
            return self.b(x + self.a(x))

    row = labkit.compare(Residual(), Port(lambda x, h: h), np.random.default_rng(0).normal(size=(4, 3))).first
    assert row.reason.startswith("PyTorch's is MindSpore's plus the layer's input")
