"""Recurrent cells: one step of `RNN`, `LSTM` and `GRU`."""

import math
from typing import Any

from .. import _creation
from . import init
from ._linear import linear
from ._recurrent import CELLS, zeros
from .module import Layer
from .parameter import Parameter

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class Recurrent(Layer):
    """What layers and cells have in common: how they draw their parameters, and print."""

    hidden_size: int

    def reset_parameters(self) -> None:
        """Draw all parameters anew, uniform within 1 / sqrt(hidden size)."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _add(self, name, *shape, dtype=None):
        setattr(self, name, Parameter(_creation.empty(*shape, dtype=dtype)))

    def _shown(self, **usual):
        unusual = [f"{n}={getattr(self, n)}" for n, value in usual.items() if getattr(self, n) != value]
        return ", ".join([str(self.input_size), str(self.hidden_size), *unusual])


class RNNCellBase(Recurrent):
    """What the cells have in common: the weights of one step."""

    mode = ""

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates = num_chunks * hidden_size
        self._add("weight_ih", gates, input_size, dtype=dtype)
        self._add("weight_hh", gates, hidden_size, dtype=dtype)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(_creation.empty(gates, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def forward(self, input, hx=None) -> Any:
        name, several = type(self).__name__, self.mode == "LSTM"
        states = () if hx is None else tuple(hx) if several else (hx,)
        for what, x in (("input", input), *((f"hx[{i}]" if several else "hidden", s) for i, s in enumerate(states))):
            if x.ndim not in (1, 2):
                raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {x.ndim}D instead")
        if input.ndim == 1:
            made = self._step(input.unsqueeze(0), tuple(s.unsqueeze(0) for s in states))
            made = tuple(s.squeeze(0) for s in made)
        else:
            made = self._step(input, states)
        return made if several else made[0]

    def _step(self, input, states):
        if input.shape[1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {self.input_size}")
        count = 2 if self.mode == "LSTM" else 1
        states = states or (zeros(len(input), self.hidden_size, like=input),) * count
        for i, state in enumerate(states):
            if len(state) != len(input):
                raise RuntimeError(f"Input batch size {len(input)} doesn't match hidden{i} batch size {len(state)}")
        given = linear(input, self.weight_ih, self.bias_ih)
        return CELLS[self.mode](given, states, self.weight_hh, self.bias_hh)

    def extra_repr(self) -> str:
        return self._shown(bias=True)


class RNNCell(RNNCellBase):
    """One step of an `RNN`: `h = cell(x, h)`, x (batch, input size), h (batch, hidden size), or both without a batch.

    >>> import labkit.torch as torch
    >>> torch.nn.RNNCell(10, 20)(torch.zeros(3, 10)).shape
    torch.Size([3, 20])
    """

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    @property
    def mode(self) -> str:  # type: ignore[override]
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return f"RNN_{self.nonlinearity.upper()}"

    def extra_repr(self) -> str:
        return self._shown(bias=True, nonlinearity="tanh")


class LSTMCell(RNNCellBase):
    """One step of an `LSTM`: `h, c = cell(x, (h, c))`; see `RNNCell`."""

    mode = "LSTM"

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)


class GRUCell(RNNCellBase):
    """One step of a `GRU`: `h = cell(x, h)`; see `RNNCell`."""

    mode = "GRU"

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)
