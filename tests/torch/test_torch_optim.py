"""Optimizers and learning-rate schedules; figures measured with the real framework."""

import numpy as np
import pytest

import labkit.torch as torch
from labkit.torch.optim import SGD, Adadelta, Adam, AdamW, RMSprop, lr_scheduler


def parameter(values=(1.0, 2.0), dtype=torch.float32):
    return torch.nn.Parameter(torch.tensor(list(values), dtype=dtype))


def stepped(make, steps=3, dtype=torch.float32):
    """The parameter after each step on sum(p**2), from [1, 2]."""
    p = parameter(dtype=dtype)
    optimizer, seen = make([p]), []
    for _ in range(steps):
        optimizer.zero_grad()
        (p**2).sum().backward()
        optimizer.step()
        seen.append(p.tolist())
    return seen


MEASURED = [
    (lambda p: SGD(p, lr=0.1), [[0.8, 1.6], [0.64, 1.28], [0.512, 1.024]]),
    (lambda p: SGD(p, lr=0.1, momentum=0.9), [[0.8, 1.6], [0.46, 0.92], [0.062, 0.124]]),
    (lambda p: SGD(p, lr=0.1, momentum=0.9, nesterov=True),
     [[0.62, 1.24], [0.2224, 0.4448], [-0.10835198, -0.21670397]]),
    (lambda p: SGD(p, lr=0.1, momentum=0.9, dampening=0.1), [[0.8, 1.6], [0.476, 0.952], [0.09872, 0.19744]]),
    (lambda p: SGD(p, lr=0.1, weight_decay=0.01), [[0.799, 1.598], [0.638401, 1.276802], [0.51008242, 1.02016485]]),
    (lambda p: SGD(p, lr=-0.0, maximize=True), [[1.0, 2.0]] * 3),
    (lambda p: Adam(p, lr=0.1), [[0.9, 1.9], [0.80041224, 1.80016649], [0.70158631, 1.70062339]]),
    (lambda p: AdamW(p, lr=0.1), [[0.899, 1.898], [0.79851907, 1.79627264], [0.69891125, 1.69494462]]),
    (lambda p: RMSprop(p, lr=0.1), [[6e-08, 1.0], [-0.0, 0.55098671], [0.0, 0.30968735]]),
    (lambda p: Adadelta(p), [[0.99683774, 1.99683774], [0.99359816, 1.99359572], [0.99030906, 1.99030077]]),
]  # fmt: skip


@pytest.mark.parametrize("make, expected", MEASURED)
def test_the_first_steps_are_those_of_the_real_framework(make, expected):
    np.testing.assert_allclose(stepped(make), expected, rtol=1e-6, atol=2e-7)


def test_maximize_climbs():
    assert stepped(lambda p: SGD(p, lr=0.1, maximize=True), 1) == [[np.float32(1.2), np.float32(2.4)]]


def test_the_two_dialects_agree_where_their_methods_do():
    import labkit.mindspore as ms

    p = ms.Parameter(ms.Tensor([1.0, 2.0], ms.float64), name="p")
    optimizer = ms.nn.SGD([p], 0.5, momentum=0.75)
    for _ in range(3):
        optimizer((ms.Tensor(2 * p.asnumpy()),))
    theirs = stepped(lambda q: SGD(q, lr=0.5, momentum=0.75), dtype=torch.float64)[-1]
    np.testing.assert_allclose(p.asnumpy(), theirs, rtol=1e-12)


def test_printing():
    assert (
        str(SGD([parameter()], lr=0.1, momentum=0.9))
        == """SGD (
Parameter Group 0
    dampening: 0
    differentiable: False
    foreach: None
    fused: None
    lr: 0.1
    maximize: False
    momentum: 0.9
    nesterov: False
    weight_decay: 0
)"""
    )
    two = str(Adam([{"params": parameter(), "lr": 0.5}, {"params": [parameter()]}])).splitlines()
    assert two[13:15] == ["", "Parameter Group 1"] and "    lr: 0.5" in two and two[9] == "    fused: None"


def test_groups_have_their_own_options():
    p, q = parameter([1.0]), parameter([1.0])
    optimizer = SGD([{"params": [p], "lr": 0.5}, {"params": q}], lr=0.1)
    (p + q).sum().backward()
    optimizer.step()
    assert (p.item(), round(q.item(), 6)) == (0.5, 0.9)
    assert list(optimizer.param_groups[0])[:2] == ["params", "lr"]


def test_parameters_without_a_gradient_stay_and_have_no_state():
    p, q = parameter([1.0]), parameter([1.0])
    optimizer = SGD([p, q], lr=0.1, momentum=0.9)
    p.sum().backward()
    assert optimizer.step() is None
    assert q.item() == 1.0 and list(optimizer.state_dict()["state"]) == [0]


def test_zero_grad_forgets_or_fills_with_zeros():
    p = parameter([1.0])
    optimizer = SGD([p], lr=0.1)
    p.sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert p.grad is None


def test_a_closure_computes_the_loss_again_with_gradients_on():
    p = parameter([3.0])
    optimizer = SGD([p], lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 9.0
    assert p.item() == 0.0


def test_a_step_changes_the_parameter_in_place():
    p = parameter([1.0])
    memory, version, loss = p._data, p._version, (p**2).sum()
    p.grad = torch.tensor([1.0])
    SGD([p], lr=0.5).step()
    assert p._data is memory and p._version > version
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_state_is_saved_and_loaded():
    def run(p, optimizer, steps):
        for _ in range(steps):
            optimizer.zero_grad()
            (p**2).sum().backward()
            optimizer.step()

    whole, first = parameter(), parameter()
    run(whole, Adam([whole], lr=0.1), 5)
    before = Adam([first], lr=0.1)
    run(first, before, 2)
    second = torch.nn.Parameter(first.detach().clone())
    after = Adam([second])
    after.load_state_dict(before.state_dict())
    run(second, after, 3)
    assert second.tolist() == whole.tolist()
    assert list(after.state_dict()["state"][0]) == ["step", "exp_avg", "exp_avg_sq"]
    assert after.param_groups[0]["lr"] == 0.1 and before.state[first]["step"].item() == 2.0


P, Q = parameter(), parameter()
ERRORS = [
    (lambda: SGD([], lr=0.1), ValueError, "optimizer got an empty parameter list"),
    (lambda: SGD(P, lr=0.1), TypeError, "should be an iterable of Tensors or dicts, but got torch.FloatTensor"),
    (lambda: SGD([1], lr=0.1), TypeError, "optimizer can only optimize Tensors, but one of the params is int"),
    (lambda: SGD([P * 2], lr=0.1), ValueError, "can't optimize a non-leaf Tensor"),
    (lambda: SGD([{"params": [P]}, {"params": [P]}], lr=0.1), ValueError, "appear in more than one parameter group"),
    (lambda: SGD([{"lr": 0.1}], lr=0.1), KeyError, "params"),
    (lambda: SGD([P], lr=-1), ValueError, "Invalid learning rate: -1"),
    (lambda: SGD([P], lr=0.1, momentum=-1), ValueError, "Invalid momentum value: -1"),
    (lambda: SGD([P], lr=0.1, nesterov=True), ValueError, "Nesterov momentum requires a momentum and zero dampening"),
    (lambda: Adam([P], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1.0"),
    (lambda: Adam([P], eps=-1), ValueError, "Invalid epsilon value: -1"),
    (lambda: RMSprop([P], alpha=-1), ValueError, "Invalid alpha value: -1"),
    (lambda: Adam([P, Q]).load_state_dict(Adam([P]).state_dict()), ValueError, "doesn't match the size of optimizer's"),
    (lambda: SGD([Q]).add_param_group([Q]), TypeError, "param_group must be a dict, but got <class 'list'>"),
    (lambda: lr_scheduler.StepLR(5, 2), TypeError, "int is not an Optimizer"),
    (lambda: lr_scheduler.StepLR(SGD([P]), 2, last_epoch=3), KeyError, "param 'initial_lr' is not specified"),
]


@pytest.mark.parametrize("call, kind, message", ERRORS)
def test_errors_are_those_of_the_real_framework(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_the_same_parameter_twice_is_a_warning():
    with pytest.warns(UserWarning, match="optimizer contains a parameter group with duplicate parameters"):
        SGD([P, P])


SCHEDULES = [
    (lambda o: lr_scheduler.StepLR(o, 2), [0.1, 0.1, 0.01, 0.01, 0.001, 0.001]),
]


@pytest.mark.parametrize("make, expected", SCHEDULES)
def test_schedules(make, expected):
    optimizer = SGD([P], lr=0.1)
    schedule, seen = make(optimizer), []
    for _ in expected:
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    np.testing.assert_allclose(seen, expected, rtol=1e-8, atol=1e-12)
    assert schedule.get_last_lr() == [optimizer.param_groups[0]["lr"]]


def test_a_schedule_is_saved_and_loaded():
    optimizer = SGD([P], lr=0.1)
    schedule = lr_scheduler.StepLR(optimizer, 2)
    optimizer.step()
    schedule.step()
    state = schedule.state_dict()
    assert list(state) == ["step_size", "gamma", "base_lrs", "last_epoch", "_step_count", "_is_initial",
                           "_get_lr_called_within_step", "_last_lr"]  # fmt: skip
    other = lr_scheduler.StepLR(SGD([Q], lr=0.1), 5)
    other.load_state_dict(state)
    assert (other.step_size, other.last_epoch) == (2, 1)


def test_stepping_the_schedule_first_is_a_warning():
    schedule = lr_scheduler.StepLR(SGD([P], lr=0.1), 2)
    with pytest.warns(UserWarning, match="`lr_scheduler.step\\(\\)` before `optimizer.step\\(\\)`"):
        schedule.step()


def test_accumulated_gradients_are_those_of_the_big_batch():
    rng = np.random.default_rng(0)
    x, y = torch.tensor(rng.normal(size=(12, 3))), torch.tensor(rng.normal(size=(12, 1)))

    def after_one_step(batches):
        layer = torch.nn.Linear(3, 1, dtype=torch.float64)
        with torch.no_grad():
            layer.weight.fill_(1.0)
            layer.bias.fill_(0.5)
        optimizer, n = SGD(layer.parameters(), lr=0.1, momentum=0.9), 12 // batches
        for k in range(batches):
            part = slice(k * n, (k + 1) * n)
            (torch.nn.functional.mse_loss(layer(x[part]), y[part]) / batches).backward()
        optimizer.step()
        return [p.tolist() for p in layer.parameters()]

    for batches in (2, 3, 12):
        for part, whole in zip(after_one_step(batches), after_one_step(1), strict=True):
            np.testing.assert_allclose(part, whole, rtol=1e-12)
