"""`labkit.why` names the cause and the line."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.reasons import Why

HERE = Path(__file__).parent


def _load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


of_torch, of_mindspore, checked = _load("torch_programs"), _load("mindspore_programs"), _load("checked_programs")


@pytest.mark.parametrize("form", ["tape", "run"])
@pytest.mark.parametrize("name", of_torch.PROGRAMS)
def test_the_cause_and_the_line_in_the_pytorch_dialect(name, form):
    assert of_torch.told(labkit.why, torch, name, form) == ""


@pytest.mark.parametrize("name", of_mindspore.PROGRAMS)
def test_the_cause_and_the_line_in_the_mindspore_dialect(name):
    cause, make = of_mindspore.PROGRAMS[name]
    function, w = make()
    reason = labkit.why(function, w)
    line = of_torch.line_of(make)
    assert cause in reason.cause or cause == reason.what, reason
    assert line is None or reason.where.line == line, reason


@pytest.mark.filterwarnings("ignore:Using a target size")
def test_asserted_gradients_of_broken_and_sound_models():
    assert checked.wrong(labkit, torch) == [] and len(checked.BUGS) >= 12 <= len(checked.SOUND)


@pytest.mark.parametrize(
    "words, loss",
    [
        ("6 × 6 pairs", lambda net, x: ((net(x) - x[:, 0]) ** 2).mean()),
        ("stop_gradient", lambda net, x: ms.ops.stop_gradient(net(x)).sum()),
        ("less than rounding", lambda net, x: net(x).sum() * 1e-12),
        ("not finite", lambda net, x: ms.ops.sqrt(net(x) * 0).sum()),
        ("", lambda net, x: (net(x) ** 2).mean()),
    ],
)
def test_asserted_gradients_of_a_cell(words, loss):
    net, x = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.Tanh(), ms.nn.Dense(3, 1)), ms.ops.ones((6, 2))
    if not words:
        return labkit.assert_gradients(lambda: loss(net, x), net)
    with pytest.raises(AssertionError, match=words):
        labkit.assert_gradients(lambda: loss(net, x), net)


def test_a_model_before_the_loss_is_refused():
    net = torch.nn.Linear(2, 1)
    for loss in (net(torch.ones(3, 2)).sum(), lambda: net(torch.ones(3, 2)).sum()):
        with pytest.raises(TypeError, match="expected the loss first, but got Linear and"):
            labkit.assert_gradients(net, loss)


@pytest.mark.real
def test_the_cause_and_the_line_in_the_real_pytorch():
    python = os.environ.get("LABKIT_TORCH_PYTHON")
    if not python:
        pytest.skip("LABKIT_TORCH_PYTHON names no interpreter")
    paths = [str(HERE.parent.parent), *(path for path in sys.path if "site-packages" in path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([python, HERE / "on_real.py"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["wrong"] == [] and said["tried"] > 30


# ---- what it leaves as it was ----


def leaf(*numbers):
    return torch.tensor(numbers, requires_grad=True)


def test_nothing_changes_and_the_tape_can_still_be_walked():
    w, calls = leaf(1.0, 2.0), []
    h = torch.tanh(w)
    h.register_hook(calls.append)
    loss = h.sum()
    labkit.why(loss, w)
    assert w.grad is None and calls == []
    loss.backward()
    before = w.grad.clone()
    labkit.why(loss, w)
    assert torch.equal(w.grad, before) and len(calls) == 1


def test_a_function_runs_once_and_what_it_adds_to_grad_is_taken_away():
    w, runs = leaf(1.0, 2.0), []
    w.grad = torch.tensor([5.0, 5.0])

    def step():
        runs.append(1)
        loss = (w * w).sum()
        loss.backward()
        return loss

    labkit.why(step, w)
    assert runs == [1] and w.grad.tolist() == [5.0, 5.0]


def test_in_mindspore_the_tensor_is_as_it_was_when_the_function_raises():
    w, before = ms.Tensor([1.0, 2.0]), sys.getprofile()

    def broken():
        raise RuntimeError("in the function")

    with pytest.raises(RuntimeError, match="in the function"):
        labkit.why(broken, w)
    assert w.asnumpy().tolist() == [1.0, 2.0] and sys.getprofile() is before


def test_after_backward_the_values_are_computed_again_from_what_is_still_there():
    w, x = leaf(-1.0, -2.0), torch.tensor([1.0, 2.0])
    loss = (torch.relu(w * x) * 3).sum()
    loss.backward()
    assert labkit.why(loss, w).cause == "dead relu"


def test_data_of_a_function_that_has_returned_may_be_small():
    def loss_of(w):
        x = torch.arange(200.0).reshape(100, 2)
        return torch.relu(x @ w).mean()

    w = leaf(-1.0, -2.0)
    loss = loss_of(w)
    loss.backward()
    assert labkit.why(loss, w).cause == "dead relu"


def test_where_they_are_gone_it_says_so():
    w = leaf(*[1.0] * 5000)
    loss = (w * torch.arange(5000.0)).sigmoid().sum()
    loss.backward()
    reason = labkit.why(loss, w)
    assert "a second time" in reason.text and "labkit.why(lambda" in reason.next


def test_what_remains_possible_of_a_walked_tape_is_listed():
    w = leaf(*[-300.0] * 5000)
    loss = (torch.relu(w + torch.arange(5000.0) / 5000) * torch.arange(5000.0)).max()
    loss.backward()
    reason = labkit.why(loss, w)
    assert (reason.what, reason.cause) == ("zero", "already walked")
    starts = [
        "the derivative of relu",
        "the other factor",
        "max selected other entries",
        ".grad was set to zero",
        "a tensor that the",
    ]
    assert all(way.startswith(start) for way, start in zip(reason.possible, starts, strict=True))


def test_a_flat_op_on_every_way_is_sure_without_what_was_saved():
    w = leaf(*[0.4] * 5000)
    loss = ((torch.round(w) + torch.arange(5000.0)) ** 2).sigmoid().sum()
    loss.backward()
    reason = labkit.why(loss, w)
    assert (reason.what, reason.cause) == ("zero", "flat round") and "torch.round(w)" in reason.where.code


def test_a_walked_tape_does_not_call_nan_zero_or_healthy():
    w = leaf(*[0.0] * 4999, 4.0)
    loss = (torch.sqrt(w) * torch.arange(5000.0)).sigmoid().sum()
    loss.backward()
    reason = labkit.why(loss, w)
    assert reason.what == "nan"
    assert "sqrt" in reason.text


def test_the_line_that_switched_recording_off_is_named():
    net, x = torch.nn.Linear(2, 3), torch.ones(4, 2)
    with torch.no_grad():
        h = net(x)
    loss = (h * leaf(1.0, 2.0, 3.0)).sum()
    reason = labkit.why(loss, net.weight)
    assert (
        reason.where.code == "h = net(x)"
        and "Recording was switched off in" in reason.text
        and "with torch.no_grad():" in reason.text
    )


def test_of_a_loss_that_is_not_finite_that_is_said_first():
    w = leaf(-1.0, 2.0)
    loss = torch.log(w).sum()
    loss.backward()
    reason = labkit.why(loss, w)
    assert reason.what == "healthy" and reason.text.startswith(
        "The gradient is healthy. But the loss itself is not finite: log"
    )
    assert reason.next


# ---- what stands in .grad ----


def test_a_gradient_that_was_made_smaller_has_the_line_and_the_factor():
    w = leaf(3.0, 4.0)
    loss = (w * w).sum() / 2
    loss.backward()
    w.grad.mul_(0.01)
    reason = labkit.why(loss, w)
    assert (reason.what, reason.cause) == ("small", "clipped")
    assert "0.01" in reason.text and reason.where.code == "w.grad.mul_(0.01)"


def test_zeroed_and_let_go_after_backward():
    w = leaf(3.0, 4.0)
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward()
    optimizer.zero_grad(set_to_none=False)
    assert labkit.why(loss, w).where.code == "optimizer.zero_grad(set_to_none=False)"
    optimizer.zero_grad()
    reason = labkit.why(loss, w)
    assert (reason.what, reason.cause) == ("None", "let go") and reason.where.code == "optimizer.zero_grad()"


def test_a_hook_on_the_way_is_told():
    w = leaf(1.0, 2.0)
    h = w * 2

    def silence(gradient):
        return gradient * 0

    h.register_hook(silence)
    loss = h.sum()
    loss.backward()
    reason = labkit.why(loss, w)
    assert (reason.what, reason.cause) == ("zero", "a hook") and "def silence" in reason.text


def test_a_gradient_in_hand_is_compared():
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    loss = lambda: (w * w).sum()
    (gradient,) = ms.ops.clip_by_global_norm((ms.grad(loss, None, w)(),), 1e-9)
    reason = labkit.why(loss, w, grad=gradient)
    assert (reason.what, reason.cause) == ("small", "clipped to nothing")
    assert labkit.why(loss, w, grad=ms.grad(loss, None, w)()).what == "healthy"


@pytest.mark.parametrize("earlier", [0.0, 0.01])
def test_a_gradient_left_from_before_backward_is_not_called_clipped(earlier):
    w = torch.tensor(2.0, requires_grad=True)
    (w * earlier).backward()
    reason = labkit.why(w**3, w)
    assert "left from before" in reason.text and "clipped" not in reason.cause


def test_a_cast_to_integers_is_no_cut_in_mindspore():
    w = ms.Parameter(ms.Tensor([1.5]), name="w")
    assert "cuts" not in labkit.why(lambda: w.astype(ms.int32).astype(ms.float32).sum(), w).text


def test_twice_the_gradient_is_healthy_and_told():
    w = leaf(1.0, 2.0)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    loss.backward(retain_graph=True)
    reason = labkit.why(loss, w)
    assert reason.what == "healthy" and "2 times this gradient" in reason.text


def test_one_use_that_is_cut_is_told_beside_a_healthy_gradient():
    w = leaf(3.0)
    loss = (w * w.detach()).sum()
    loss.backward()
    reason = labkit.why(loss, w)
    assert reason.what == "healthy" and "cuts off one use" in reason.text


# ---- what backward() refuses, or does not notice ----


def test_a_graph_that_is_walked_or_overwritten_is_never_called_healthy():
    w = leaf(1.0, 2.0)
    trunk = torch.exp(w)
    first, second = (trunk * 2).sum(), (trunk**2).sum()
    first.backward()
    reason = labkit.why(second, w)
    assert reason.cause == "graph already walked" and "add them and call backward() once" in reason.next
    assert "raises an error" in labkit.why(first, w).text.replace("\n", " ")
    for what, write in (("zero", lambda y: y.data.zero_()), ("wrong", lambda y: y.detach().numpy().fill(7))):
        result = torch.exp(w)
        write(result)
        reason = labkit.why(result.sum(), w)
        assert (reason.what, reason.cause) == (what, "overwritten") and reason.where.code in (
            "y.data",
            "y.detach().numpy()",
        )
    loss = (w * w).sum()
    with torch.no_grad():
        w.sub_(1.0)
    assert labkit.why(loss, w).cause == "weight changed after the forward pass"


def test_functions_of_numpy_and_the_name_of_the_argument():
    import autograd.numpy as anp

    assert labkit.why(anp.prod, np.array([2.0, 1.0, 3.0])).what == "healthy"
    assert labkit.why(anp.floor, np.array([2.5])).cause == "no derivative"
    scale = ms.Parameter(ms.Tensor([1.0]), name="scale")
    assert "labkit.why(lambda: forward_fn(x, y), scale)" in labkit.why(scale.sum(), scale).next


# ---- functions of arrays, and what cannot be asked ----


def test_functions_of_arrays():
    import autograd.numpy as anp

    assert labkit.why(lambda x: anp.sum(anp.tanh(50 * x)), np.array([2.5, 1.0])).cause == "saturated tanh"
    assert labkit.why(lambda x: labkit.stop_gradient(x) ** 2, 3.0).cause == "detached"
    assert labkit.why(lambda x: anp.floor(x) * 2, 2.5).what == "zero"
    assert labkit.why(lambda x: x**2, 3.0).text == "The gradient is healthy. Its norm is 6, its largest entry 6."


def test_a_tensor_of_mindspore_has_no_tape():
    w = ms.Tensor([1.0, 2.0])
    reason = labkit.why((w * w).sum(), w)
    assert (reason.what, reason.cause) == ("None", "read before backward") and "labkit.why(lambda" in reason.next


@pytest.mark.parametrize(
    "loss, w", [(3.0, 3.0), (torch.ones(2), ms.Tensor([1.0])), (lambda: 1, "w"), (None, leaf(1.0))]
)
def test_what_does_not_belong_together_is_refused(loss, w):
    with pytest.raises(TypeError, match=r"why\(loss, w\): expected two tensors of one framework"):
        labkit.why(loss, w)


def test_it_prints_in_lines_and_in_html_with_code():
    w = leaf(1.0, 2.0)
    reason = labkit.why(w.detach().sum(), w)
    assert isinstance(reason, Why) and str(reason) == repr(reason)
    assert all(len(line) <= 80 for line in str(reason).splitlines())
    assert "<code>reason = labkit.why(w.detach().sum(), w)</code>" in reason._repr_html_()


# ---- notes off the tape ----


def test_every_function_that_leaves_the_tape_leaves_a_note():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    h, silent = x * 1.5, []
    for name, fun in torch._table.FUNCTIONS.items():
        for more in ((), (h,), (0,), (1,)):
            try:
                found = fun(h, *more)
            except Exception:
                continue
            made = found if isinstance(found, tuple) else (found,)
            for tensor in made:
                off = isinstance(tensor, torch.Tensor) and not tensor.requires_grad and not name.endswith("_like")
                if off and tensor.__engine_notes__().trail is None:
                    silent.append(name)
            break
    assert sorted(set(silent)) == []


def test_notes_do_not_grow_with_a_training():
    w, losses = leaf(1.0, 2.0), []
    notes = vars(sys.modules["labkit.torch._tape.tensor_provenance"])
    for _ in range(300):
        loss = (w * w).sum()
        losses.append(loss.detach())
        loss.item()
    assert all(len(notes[name]) <= notes[name].maxlen for name in ("_latest", "_sources", "_exits"))
    first = losses[0].__engine_notes__().trail
    assert first.before == []  # what it was made of has been let go
