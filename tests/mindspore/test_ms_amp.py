"""Loss scalers and the check for overflow."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor
from labkit.mindspore.amp import DynamicLossScaler, LossScaler, StaticLossScaler, all_finite

X = Tensor(1.0)


def test_scaling_goes_by_the_type_of_the_tensor():
    scaler = StaticLossScaler(1024.0)
    assert str(scaler.scale_value) == "Parameter (name=scale_value, shape=(), dtype=Float32, requires_grad=True)"
    assert scaler.scale(X).item() == 1024.0
    assert scaler.scale(Tensor(100.0, ms.float16)).item() == np.inf
    assert scaler.unscale(Tensor([1.2], ms.float16)).item() == np.float16(1.2) * np.float16(1 / 1024)
    assert repr(scaler.unscale(Tensor(2048))) == "Tensor(shape=[], dtype=Int64, value= 0)"


def test_containers_keep_their_kind():
    scaled = StaticLossScaler(2.0).scale([X, (X, [X])])
    assert str(scaled) == str([Tensor(2.0), (Tensor(2.0), [Tensor(2.0)])])


def test_a_static_scale_never_changes():
    scaler = StaticLossScaler(8)
    assert scaler.adjust(Tensor(False)) is False
    assert scaler.scale_value.value().item() == 8.0


def states(scaler, outcomes):
    seen = []
    for finite in outcomes:
        assert scaler.adjust(Tensor(bool(finite))) is True
        seen.append((float(scaler.scale_value), int(scaler.counter)))
    return seen


def test_a_dynamic_scale_grows_after_a_window_of_good_steps_and_shrinks_at_once():
    assert states(DynamicLossScaler(2**10, 2, 3), [1, 1, 1, 1, 0, 1, 1, 1, 0, 0]) == [
        (1024, 1), (1024, 2), (2048, 0), (2048, 1), (1024, 0), (1024, 1), (1024, 2), (2048, 0), (1024, 0), (512, 0),
    ]  # fmt: skip


def test_a_dynamic_scale_stays_between_one_and_infinity():
    assert states(DynamicLossScaler(4, 2, 1), [0, 0, 0, 1]) == [(2, 0), (1, 0), (1, 0), (2, 0)]
    assert states(DynamicLossScaler(2.0**127, 2, 1), [1]) == [(2.0**127, 0)]


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda: StaticLossScaler(0.5), ValueError, "The argument 'scale_value' must be > 1, but got 0.5"),
        (lambda: StaticLossScaler("1"), TypeError, r"one of '\['float', 'int'\]', but got type 'str'"),
        (lambda: StaticLossScaler(True), TypeError, "but got type 'bool'"),
        (lambda: StaticLossScaler(2).scale(2.0), AttributeError, "'Float' object has no attribute 'dtype'"),
        (lambda: DynamicLossScaler(2, 0, 1), ValueError, "The 'scale_factor' must be int and must > 0, but got '0'"),
        (lambda: DynamicLossScaler(2, 2, 1.5), TypeError, "The 'scale_window' must be int, but got 'float'"),
        (lambda: DynamicLossScaler(2, 2, 1).adjust(True), TypeError, "Failed calling Select"),
        (lambda: LossScaler(), TypeError, "abstract"),
        (lambda: all_finite(X), TypeError, r'Failed calling AddN with "x=Tensor\[Int64\]"'),
        (lambda: all_finite(((X,), X)), TypeError, r"x=Tuple\[Tuple\[Tensor\[Int64\]\],Tensor\[Int64\]\]"),
        (lambda: all_finite(()), ValueError, "the concat element num must be greater than or equal to 1"),
        (lambda: all_finite((1.0,)), TypeError, "Failed calling IsFinite"),
    ],
)
def test_misuse_says_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_one_infinite_or_nan_element_is_found(bad):
    found = all_finite((X, Tensor([1.0, bad], ms.float32)))
    assert repr(found) == "Tensor(shape=[], dtype=Bool, value= False)"
    assert bool(all_finite([X, Tensor([1, 2])])) is True


def test_scaling_saves_a_small_float16_gradient():
    tiny, scaler = Tensor(1e-4, ms.float16), StaticLossScaler(2.0**16)
    loss = lambda w: w * tiny * tiny
    plain = ms.grad(loss)(Tensor(1.0, ms.float16))
    scaled = ms.grad(lambda w: scaler.scale(loss(w.astype(ms.float32))))(Tensor(1.0, ms.float16))
    assert plain.item() == 0.0
    assert scaled.item() > 0
