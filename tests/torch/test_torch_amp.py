"""`GradScaler` and `autocast`, against what the real framework printed; float16 that really underflows."""

import numpy as np
import pytest

import labkit.torch as torch
import labkit.torch.nn.functional as F
from labkit.torch.amp import GradScaler


def one(values=(1.0,), lr=0.1, dtype=torch.float32):
    p = torch.nn.Parameter(torch.tensor(list(values), dtype=dtype))
    return p, torch.optim.SGD([p], lr=lr)


def test_the_settings_of_a_new_scaler():
    scaler = GradScaler("cpu")
    assert (scaler.get_scale(), scaler.is_enabled()) == (65536.0, True)
    assert scaler.state_dict() == {
        "scale": 65536.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2000, "_growth_tracker": 0
    }  # fmt: skip


def test_a_step_with_the_scale():
    scaler, (p, optimizer) = GradScaler("cpu"), one()
    scaled = scaler.scale((p**2).sum())
    assert str(scaled) == "tensor(65536., grad_fn=<MulBackward0>)"
    scaled.backward()
    assert p.grad.tolist() == [131072.0]
    scaler.unscale_(optimizer)
    assert p.grad.tolist() == [2.0] and scaler.step(optimizer) is None
    scaler.update()
    assert p.item() == np.float32(0.8) and scaler.state_dict()["_growth_tracker"] == 1


def test_the_scale_halves_after_overflow_whose_step_is_left_out_and_grows_again():
    scaler, (p, optimizer), seen = GradScaler("cpu", init_scale=8.0, growth_interval=2), one([0.8]), []
    for k in range(7):
        optimizer.zero_grad()
        scaler.scale((p**2).sum() * (float("inf") if k == 3 else 1.0)).backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append((scaler.get_scale(), scaler.state_dict()["_growth_tracker"], round(p.item(), 6)))
    assert seen == [(8.0, 1, 0.64), (16.0, 0, 0.512), (16.0, 1, 0.4096), (8.0, 0, 0.4096), (8.0, 1, 0.32768),
                    (16.0, 0, 0.262144), (16.0, 1, 0.209715)]  # fmt: skip


def test_the_scale_never_becomes_infinite():
    scaler, (p, optimizer) = GradScaler("cpu", init_scale=2.0**126, growth_interval=1), one([1e-3])
    for _ in range(3):
        optimizer.zero_grad()
        scaler.scale((p * 1e-30).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert scaler.get_scale() == 2.0**127


def test_containers_are_scaled_and_anything_else_refused():
    assert (
        str(GradScaler("cpu").scale([torch.tensor(1.0), (torch.tensor(2.0),)]))
        == "[tensor(65536.), (tensor(131072.),)]"
    )
    with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable of Tensors"):
        GradScaler("cpu").scale(5)


def test_misuse():
    scaler, (p, optimizer) = GradScaler("cpu"), one()
    for call, name in ((scaler.update, "update"), (lambda: scaler.step(optimizer), "step")):
        with pytest.raises(AssertionError, match=f"Attempted {name} but _scale is None.  This may indicate"):
            call()
    scaler.scale((p**2).sum()).backward()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) has already been called on this optimizer since"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called since the last update"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step\(\)"):
        scaler.unscale_(optimizer)
    scaler.update()
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    optimizer.zero_grad()
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)


def test_without_cuda_the_default_device_disables_the_scaler():
    with pytest.warns(UserWarning, match="CUDA is not available.  Disabling."):
        scaler = GradScaler()
    p, optimizer = one()
    loss = (p**2).sum()
    assert scaler.scale(loss) is loss and scaler.get_scale() == 1.0 and scaler.state_dict() == {}
    loss.backward()
    scaler.step(optimizer)
    scaler.update()
    assert p.item() == np.float32(0.8)


def test_a_scaler_is_saved_and_loaded():
    scaler = GradScaler("cpu", init_scale=4.0, growth_interval=7)
    other = GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.state_dict() == scaler.state_dict()
    with pytest.raises(RuntimeError, match="The source state dict is empty"):
        other.load_state_dict({})


def test_float16_gradients_are_not_unscaled():
    scaler, (p, optimizer) = GradScaler("cpu", init_scale=8.0), one(dtype=torch.float16)
    scaler.scale((p**2).sum()).backward()
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.step(optimizer)


def test_clipping_comes_after_unscaling():
    def clipped(in_order):
        scaler, (p, optimizer) = GradScaler("cpu", init_scale=1024.0), one([3.0, 4.0], lr=1.0)
        scaler.scale((p**2).sum() / 20).backward()  # the gradient is [0.3, 0.4], within the norm of 1
        if in_order:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([p], 1.0)
        scaler.step(optimizer)
        return np.array([3.0, 4.0]) - p.detach().numpy()

    np.testing.assert_allclose(clipped(True), [0.3, 0.4], rtol=1e-6)
    np.testing.assert_allclose(clipped(False), np.array([0.6, 0.8]) / 1024, rtol=1e-3)


# ---- autocast ----

X = torch.tensor([[1.0, 2.0]])


def test_products_go_to_two_bytes_losses_to_float32_and_the_rest_stays():
    layer = torch.nn.Linear(2, 2)
    with torch.autocast("cpu", dtype=torch.float16):
        y = layer(X)
        lowered = [y, X @ X.T, torch.mm(X, X.T), torch.matmul(X, X.T), torch.bmm(X[None], X.T[None])]
        same = [X * X, X.sum(), torch.mv(X, X[0]), torch.dot(X[0], X[0])]
        losses = [F.mse_loss(y, X), F.cross_entropy(y, torch.tensor([1]))]
        assert (X.double() @ X.double().T).dtype is torch.float64
        assert torch.relu(y).dtype is torch.float16 and (y + X).dtype is torch.float32
    assert {t.dtype for t in lowered} == {torch.float16}
    assert {t.dtype for t in same + losses} == {torch.float32}
    losses[0].backward()
    assert layer.weight.grad.dtype is torch.float32 and layer(X).dtype is torch.float32


def test_bfloat16_is_the_default():
    with torch.autocast("cpu"):
        assert (X @ X.T).dtype is torch.bfloat16 and torch.is_autocast_enabled("cpu")
    assert not torch.is_autocast_enabled("cpu")


def test_blocks_nest_and_an_exception_leaves_them():
    with pytest.raises(RuntimeError, match="stop"), torch.autocast("cpu", dtype=torch.float16):
        with torch.autocast("cpu", enabled=False):
            assert (X @ X.T).dtype is torch.float32
        assert (X @ X.T).dtype is torch.float16 and torch.get_autocast_dtype("cpu") is torch.float16
        raise RuntimeError("stop")
    assert (X @ X.T).dtype is torch.float32 and torch.get_autocast_dtype("cpu") is torch.bfloat16


def test_a_decorated_function():
    @torch.autocast("cpu", dtype=torch.float16)
    def gram(a):
        return a @ a.T

    assert gram(X).dtype is torch.float16 and (X @ X.T).dtype is torch.float32


def test_what_cannot_be_is_a_warning_or_an_error():
    with pytest.warns(UserWarning, match="CPU Autocast only supports dtypes of torch.bfloat16, torch.float16"):
        block = torch.autocast("cpu", dtype=torch.float32)
    with block:
        assert (X @ X.T).dtype is torch.float32
    with pytest.warns(UserWarning, match="CUDA is not available"):
        torch.autocast("cuda")
    with pytest.raises(RuntimeError, match="at start of device string: foo"):
        torch.autocast("foo")


def fitted(scaler, steps=30):
    """A layer trained under float16 autocast on a loss whose gradients are below float16's smallest number."""
    layer = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        layer.weight.zero_()
    optimizer = torch.optim.SGD(layer.parameters(), lr=2.0**26)
    x, y = torch.tensor([[1.0]]), torch.tensor([[3.0]])
    for _ in range(steps):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.mse_loss(layer(x), y) * 2.0**-28
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return layer.weight.item()


def test_without_a_scale_nothing_is_learnt_with_one_it_is():
    assert fitted(GradScaler("cpu", enabled=False)) == 0.0
    assert fitted(GradScaler("cpu", init_scale=2.0**16)) == pytest.approx(3.0, rel=1e-2)
