"""`experimental.optim`: Adam and its schedule."""

import numpy as np
import pytest

from labkit.mindspore import Parameter, Tensor, load_checkpoint, save_checkpoint
from labkit.mindspore.experimental import optim


def parameter(*values):
    return Parameter(Tensor([*values]), name="p")


def documented(p, gradients, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, maximize=False):
    """Adam in float64, as its paper has it."""
    m = v = np.zeros_like(p)
    for step, g in enumerate(gradients, 1):
        g = (-g if maximize else g) + weight_decay * p
        m, v = betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g**2
        p = p - lr * m / (1 - betas[0] ** step) / (np.sqrt(v / (1 - betas[1] ** step)) + eps)
    return p


@pytest.mark.parametrize(
    "options", [{"lr": 0.1}, {"lr": 0.1, "weight_decay": 0.1, "betas": (0.8, 0.9)}, {"lr": 0.1, "maximize": True}]
)
def test_adam_follows_its_formula(options):
    p, gradients = parameter(1.0, -2.0), np.array([[-1.0, 3.0], [0.5, 1.0], [2.0, -4.0]])
    optimizer = optim.Adam([p], **options)
    for g in gradients:
        assert optimizer((Tensor(g.astype(np.float32)),)) is True
    np.testing.assert_allclose(p.asnumpy(), documented(np.array([1.0, -2.0]), gradients, **options), rtol=1e-5)


def test_each_group_has_its_rate_and_prints_its_options():
    p, q = parameter(1.0), Parameter(Tensor([1.0]), name="q")
    optimizer = optim.Adam([{"params": [p], "lr": 0.5}, {"params": [q]}], lr=0.25)
    optimizer((Tensor([1.0]), Tensor([1.0])))
    assert [round(t.item(), 5) for t in (p, q)] == [0.5, 0.75]
    assert "Parameter Group 1\n    amsgrad: False\n    betas: (0.9, 0.999)" in str(optimizer)


def test_a_checkpoint_of_an_optimizer_has_its_parameters_and_state(tmp_path):
    save_checkpoint(optim.Adam([parameter(1.0)]), str(tmp_path / "a.ckpt"))
    names = ["p", "exp_avg.p", "exp_avg_sq.p", "max_exp_avg_sq.p", "state_step"]
    assert list(load_checkpoint(str(tmp_path / "a.ckpt"))) == names


def test_a_schedule_lowers_the_rate_in_steps():
    schedule = optim.lr_scheduler.StepLR(optim.Adam([parameter(1.0)], lr=0.1), step_size=2, gamma=0.5)
    found = [schedule.get_last_lr()[0].item()]
    for epoch in (None, None, None, 5):
        schedule.step(epoch)
        found.append(schedule.get_last_lr()[0].item())
    assert found == pytest.approx([0.1, 0.1, 0.05, 0.05, 0.025])


@pytest.mark.parametrize(
    "make, error, message",
    [],
)
def test_misuse_says_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()
