"""`torch.testing.assert_close`: what PyTorch says of two that are apart."""

import numpy as np
import pytest

import labkit.torch as torch
from labkit.torch.testing import assert_close

T = torch.tensor
FIRST = "Tensor-likes are not close!\n\nMismatched elements: 1 / 2 (50.0%)\n"
APART = [
    (T([1.0, 2.0]), T([1.0, 3.0]), FIRST + "Greatest absolute difference: 1.0 at index (1,) (up to 1e-05 allowed)\n"
     "Greatest relative difference: 0.3333333432674408 at index (1,) (up to 1.3e-06 allowed)"),
    (T([1, 2]), T([1, 3]), "Tensor-likes are not equal!\n\nMismatched elements: 1 / 2 (50.0%)\n"
     "Greatest absolute difference: 1 at index (1,)\nGreatest relative difference: 0.3333333432674408 at index (1,)"),
    (1.0, 2.0, "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to 1e-07 allowed)\n"
     "Relative difference: 0.5 (up to 1e-07 allowed)"),
    (T([1.0]), T([1.0, 2.0]), "The values for attribute 'shape' do not match: torch.Size([1]) != torch.Size([2])."),
    (T([1.0]), T([1.0]).double(), "The values for attribute 'dtype' do not match: torch.float32 != torch.float64."),
    ({"a": 1.0}, {"b": 1.0}, "The keys of the mappings do not match:\nMissing keys in the actual mapping: ['b']\n"
     "Additional keys in the actual mapping: ['a']"),
    ([1.0], [1.0, 2.0], "The length of the sequences mismatch: 1 != 2"),
    ({"a": [True]}, {"a": [False]}, "Booleans mismatch: True is not False\n\nThe failure occurred for item ['a'][0]"),
]  # fmt: skip


@pytest.mark.parametrize("a, b, said", APART)
def test_the_report_is_that_of_pytorch(a, b, said):
    with pytest.raises(AssertionError) as error:
        assert_close(a, b)
    assert str(error.value) == said


def test_what_is_close_passes():
    assert_close([T([1.0, 2.0]), 3], [T([1.0, 2.0]) + 1e-7, 3])
    assert_close(T([float("nan")]), T([float("nan")]), equal_nan=True)
    assert_close(T([1.0]), T([1.1]).double(), atol=0.2, rtol=0, check_dtype=False)
    assert_close(np.ones(2), np.ones(2))


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(TypeError, match="No comparison pair was able to handle"):
        assert_close(T([1.0]), [1.0])
    with pytest.raises(ValueError, match="must be either specified or omitted, but got no rtol"):
        assert_close(1.0, 1.0, atol=0.1)
    with pytest.raises(AssertionError, match=r"^apart$"):
        assert_close(1.0, 2.0, msg="apart")
