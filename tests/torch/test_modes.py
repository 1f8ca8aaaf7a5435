"""Grad modes: nested, as decorators, restored after exceptions."""

import pytest

import labkit.torch as torch


def test_modes_nest():
    seen = [torch.is_grad_enabled()]
    with torch.no_grad():
        seen.append(torch.is_grad_enabled())
        with torch.enable_grad():
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    assert [*seen, torch.is_grad_enabled()] == [True, False, True, False, True]


def test_an_exception_restores_the_mode():
    with pytest.raises(ValueError), torch.no_grad():
        raise ValueError
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("decorate", [torch.no_grad(), torch.no_grad, torch.inference_mode(), torch.set_grad_enabled])
def test_decorators(decorate):
    decorate = torch.set_grad_enabled(False) if decorate is torch.set_grad_enabled else decorate

    @decorate
    def double(x):
        return x * 2

    x = torch.tensor(1.0, requires_grad=True)
    assert torch.is_grad_enabled() and not double(x).requires_grad


def test_set_grad_enabled_acts_at_once():
    torch.set_grad_enabled(False)
    try:
        assert not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)


def test_leaves_made_without_grad_mode_still_want_gradients():
    with torch.no_grad():
        w = torch.tensor(1.0, requires_grad=True)
        assert w.requires_grad and not (w * 2).requires_grad


def test_inference_tensors_stay_out_of_recorded_computation():
    x = torch.tensor(1.0, requires_grad=True)
    with torch.inference_mode():
        z = x * 2
        with torch.enable_grad():
            assert not (x * 2).requires_grad
    assert z.is_inference() and not z.clone().is_inference()
    with pytest.raises(RuntimeError, match=r"Inference tensors cannot be saved for backward."):
        _ = z * x
    with pytest.raises(RuntimeError, match=r"Inplace update to inference tensor outside InferenceMode is not allowed."):
        z += 1


@pytest.mark.parametrize("mode, name", [(torch.no_grad, "no_grad"), (torch.inference_mode, "inference")])
def test_a_view_made_without_grad_mode_may_not_change_with_it(mode, name):
    x = torch.ones(2, requires_grad=True)
    with mode():
        v = x[0:1]
    with pytest.raises(RuntimeError, match=rf"A view was created in {name} mode"):
        v += 1
