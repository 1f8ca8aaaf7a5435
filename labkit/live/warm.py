"""Runs what the first cell and the first graph need before the memory image is stored."""

import gc
import linecache
import random

import numpy as np

from ..widgets.playground import Session

FIRST = {
    "numpy": "tanh(x*w + b)**2",
    "torch": "w = torch.tensor(2.0, requires_grad=True)\nloss = torch.tanh(w * 3.0)\nloss.backward()\nloss",
    "mindspore": "ms.grad(lambda x: ops.tanh(x * x))(ms.Tensor(0.5))",
}


def warm() -> None:
    """Show a first graph in each dialect, and forget what was typed for it.

    >>> warm()
    """
    for dialect, source in FIRST.items():
        found = Session().answer({"run": {"source": source, "dialect": dialect, "inputs": {}}, "seconds": 3600})
        if "picture" not in found:
            raise RuntimeError(f"the first graph of {dialect} was not drawn: {found}")
    linecache.clearcache()
    gc.collect()


def awake() -> None:
    """Seed the random numbers again: all readers share one memory image.

    >>> awake()
    """
    random.seed()
    np.random.seed()
