"""On the tape, NumPy's functions are called as PyTorch calls their nodes; where it has none, as NumPy calls them."""

import autograd.numpy as anp
import numpy as np
import pytest

from labkit import show


@pytest.mark.parametrize(
    "call, node",
    [
        (lambda x: anp.mean(x, axis=0), "MeanBackward1"), (lambda x: anp.mean(x), "MeanBackward0"),
        (lambda x: anp.concatenate([x, x]), "CatBackward0"), (lambda x: anp.arctan(x), "AtanBackward0"),
        (lambda x: x[0], "SelectBackward0"), (lambda x: x[:, 1:], "SliceBackward0"), (lambda x: x[[0, 1]], "IndexBackward0"),
        (lambda x: x[None], "UnsqueezeBackward0"), (anp.square, "PowBackward0"), (lambda x: anp.kron(x, x), "kron"),
    ],
)  # fmt: skip
def test_numpy_s_functions_are_nodes_that_pytorch_has(call, node):
    story = show(lambda x: call(x).sum(), np.ones((2, 3))).story
    assert node in [step.grad_fn for step in story.nodes]
