"""L-BFGS, and averages of weights; the numbers are the real PyTorch's."""

import pytest

import labkit.torch as torch
from labkit.torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

nn = torch.nn


def rosenbrock(x):
    return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()


@pytest.mark.parametrize(
    "how, losses, asked",
    [
        ({"lr": 0.1, "max_iter": 4}, [49.7, 22.742778778076172, 13.053983688354492], (12, 12)),
        ({"line_search_fn": "strong_wolfe", "history_size": 3, "max_iter": 5}, [49.7, 3.728844165802002, 3.7257659435272217],
         (18, 14)),
    ],
)  # fmt: skip
def test_lbfgs_takes_the_steps_of_pytorch(how, losses, asked):
    x = torch.tensor([-1.2, 1.0, 0.5, 0.3], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], **how)

    def closure():
        optimizer.zero_grad()
        loss = rosenbrock(x)
        loss.backward()
        return loss

    assert [optimizer.step(closure).item() for _ in losses] == pytest.approx(losses, rel=3e-6)
    assert (optimizer.state[x]["func_evals"], optimizer.state[x]["n_iter"]) == asked
    again = torch.optim.LBFGS([x], **how)
    again.load_state_dict(optimizer.state_dict())
    assert again.state[x]["n_iter"] == asked[1]


def test_lbfgs_takes_one_group_and_one_search():
    x = torch.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
        torch.optim.LBFGS([{"params": [x]}, {"params": [torch.ones(1, requires_grad=True)]}])
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        torch.optim.LBFGS([x], line_search_fn="armijo").step(lambda: rosenbrock(x))


def test_the_mean_of_weights_and_the_one_that_forgets():
    model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.BatchNorm1d(1))
    weight = model[0].weight.data
    mean, ema = AveragedModel(model), AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
    for value in (1.0, 4.0, 7.0):
        weight.fill_(value)
        model[1].num_batches_tracked.fill_(10)
        mean.update_parameters(model)
        ema.update_parameters(model)
    assert mean.module[0].weight.item() == 4.0 and mean.n_averaged == 3
    assert ema.module[0].weight.item() == pytest.approx(1.87)
    assert list(mean.state_dict())[:2] == ["n_averaged", "module.0.weight"]
    update_bn([torch.tensor([[1.0], [3.0]]), torch.tensor([[5.0], [7.0]])], mean)
    assert mean.module[1].running_mean.item() == 16.0 and mean.module[1].momentum == 0.1
    with pytest.raises(ValueError, match="Invalid decay value 2"):
        get_ema_multi_avg_fn(2)


def test_a_rate_anneals_from_where_it_is():
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
    schedule, seen = SWALR(optimizer, swa_lr=0.05, anneal_epochs=3), []
    for _ in range(4):
        optimizer.step()
        schedule.step()
        seen.append(optimizer.param_groups[0]["lr"])
    assert seen == pytest.approx([0.3875, 0.1625, 0.05, 0.05])
    with pytest.raises(ValueError, match="anneal_strategy must be one of 'cos' or 'linear'"):
        SWALR(optimizer, 0.1, anneal_strategy="x")
