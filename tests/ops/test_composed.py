"""Ops made of others are the same in both dialects, and NumPy's."""

import numpy as np
import pytest

from labkit import mindspore as ms
from labkit import torch
from labkit.ops.composed import COMPOSED

X = np.array([[1.0, 2.0, 3.0], [4.0, 0.5, -1.0]])
DIALECTS = {
    "torch": (torch, torch.tensor, lambda x: x.detach().numpy()),
    "mindspore": (ms.ops, ms.Tensor, lambda x: x.asnumpy()),
}
STACKED = [[X[0], X[1]], [X, 2 * X], [X[0], X[:1]], [np.array(1.0), np.array(2.0)]]


@pytest.mark.parametrize("room, tensor, array", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("name", COMPOSED)
def test_it_is_what_numpy_computes(name, room, tensor, array):
    arguments = [X] if "stack" not in name else STACKED
    for given in arguments:
        try:
            expected = getattr(np, name)(given)
        except ValueError:  # shapes that NumPy cannot join either
            continue
        ours = getattr(room, name)([tensor(a) for a in given] if isinstance(given, list) else tensor(given))
        np.testing.assert_array_equal(array(ours), expected)


@pytest.mark.parametrize("room, tensor, array", DIALECTS.values(), ids=DIALECTS)
def test_a_mean_without_nan_along_an_axis(room, tensor, array):
    x = np.where(X > 2, np.nan, X)
    np.testing.assert_allclose(array(room.nanmean(tensor(x), 1, True)), np.nanmean(x, 1, keepdims=True))
    np.testing.assert_allclose(array(tensor(x).nanmean(axis=0)), np.nanmean(x, 0))
    with np.errstate(all="ignore"):
        assert np.isnan(array(room.nanmean(tensor(np.array([np.nan])))))


@pytest.mark.parametrize("room", [torch, ms.ops], ids=DIALECTS)
def test_what_is_no_tensor_is_named(room):
    with pytest.raises(TypeError, match=r"(?i)fliplr"):
        room.fliplr([1.0])
    with pytest.raises((IndexError, ValueError), match=r"range.* got 1\b"):
        room.fliplr((torch.tensor if room is torch else ms.Tensor)([1.0, 2.0]))
