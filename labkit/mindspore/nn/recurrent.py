"""Recurrent networks over sequences."""

import math
from typing import Any

import numpy as np

from ..argument_checks import check_positive_int
from ..common.dtype import float32
from ..common.parameter import Parameter, ParameterTuple
from ..common.tensor import Tensor
from ..ops import concat, matmul, relu, sigmoid, split, stack, tanh, where, zeros
from .cell import Cell
from .layers import Dropout

__all__ = ["GRU", "LSTM", "RNN"]


def _gates(x, weight, bias):
    product = matmul(x, weight.T)
    return product if bias is None else product + bias


def _elman(act):
    def step(x, state, w_ih, w_hh, b_ih, b_hh):
        return act(_gates(x, w_ih, b_ih) + _gates(state, w_hh, b_hh))

    return step


def _lstm(x, state, w_ih, w_hh, b_ih, b_hh):
    hidden, carried = state
    gates = _gates(x, w_ih, None) + _gates(hidden, w_hh, None)
    gates = gates if b_ih is None else gates + b_ih + b_hh
    enter, forget, new, leave = split(gates, gates.shape[1] // 4, 1)
    carried = sigmoid(forget) * carried + sigmoid(enter) * tanh(new)
    return sigmoid(leave) * tanh(carried), carried


def _gru(x, state, w_ih, w_hh, b_ih, b_hh):
    of_x, of_state = _gates(x, w_ih, b_ih), _gates(state, w_hh, b_hh)
    (x_r, x_z, x_n), (h_r, h_z, h_n) = (split(g, g.shape[1] // 3, 1) for g in (of_x, of_state))
    new = tanh(x_n + sigmoid(x_r + h_r) * h_n)
    return new + sigmoid(x_z + h_z) * (state - new)


_STEPS = {"tanh": (_elman(tanh), 1), "relu": (_elman(relu), 1), "lstm": (_lstm, 4), "gru": (_gru, 3)}
_LOOPS = {  # the cells that go over the steps in the real framework; here they are shown alone
    kind: type(f"_Dynamic{name}", (Cell,), {"__module__": "mindspore.nn.layer.rnns"})
    for kind, name in {"tanh": "RNNTanh", "relu": "RNNRelu", "lstm": "LSTMCPUGPU", "gru": "GRUCPUGPU"}.items()
}


class _Recurrent(Cell):
    """What recurrent networks have in common: layers, directions, dropout between the layers. `_kind` is that of a step."""

    _kind = "tanh"

    def __init__(self, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, dtype=float32):  # fmt: skip
        super().__init__()
        owner = self.cls_name
        for name, value in (("hidden_size", hidden_size), ("input_size", input_size), ("num_layers", num_layers)):
            check_positive_int(value, name, owner)
        if not 0 <= dropout < 1:
            raise ValueError(
                f"For '{owner}', the 'dropout' must be a number in range [0, 1) representing the probability of an element "
                f"being zeroed, but got {dropout}."
            )
        self.hidden_size, self.num_layers, self.has_bias = hidden_size, num_layers, has_bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        self.rnn = _LOOPS[self._kind]()
        self.dropout_op = Dropout(p=dropout)
        self._directions = 2 if bidirectional else 1
        self._draw_weights(input_size, _STEPS[self._kind][1] * hidden_size, dtype)

    def _draw_weights(self, input_size, rows, dtype):
        lists: dict[str, list] = {"w_ih": [], "w_hh": [], "b_ih": [], "b_hh": []}
        bound = 1 / math.sqrt(self.hidden_size)
        for layer in range(self.num_layers):
            wide = self.hidden_size * self._directions if layer else input_size
            for suffix in ("", "_reverse")[: self._directions]:
                shapes = {"w_ih": (rows, wide), "w_hh": (rows, self.hidden_size), "b_ih": (rows,), "b_hh": (rows,)}
                for kind, shape in shapes.items():
                    if self.has_bias or kind[0] == "w":
                        drawn = Tensor(np.random.uniform(-bound, bound, shape).astype(np.float32), dtype)
                        name = f"{'weight' if kind[0] == 'w' else 'bias'}{kind[1:]}_l{layer}{suffix}"
                        lists[kind].append(Parameter(drawn, name=name))
        for kind, parameters in lists.items():
            setattr(self, f"{kind}_list", ParameterTuple(parameters))

    def construct(self, x, hx=None, seq_length=None) -> Any:
        x = x.swapaxes(0, 1) if self.batch_first else x
        ended, paired = [], self._kind == "lstm"
        if hx is None:
            hx = zeros((self.num_layers * self._directions, x.shape[1], self.hidden_size), dtype=x.dtype)
            hx = (hx, hx) if paired else hx
        for layer in range(self.num_layers):
            outputs = []
            for way in range(self._directions):
                place = layer * self._directions + way
                state = (hx[0][place], hx[1][place]) if paired else hx[place]
                out, state = self._run_over(x, state, place, way == 1, seq_length)
                outputs.append(out)
                ended.append(state)
            x = concat(outputs, 2) if len(outputs) > 1 else outputs[0]
            if self.dropout and layer < self.num_layers - 1:
                x = self.dropout_op(x)
        last = tuple(map(stack, zip(*ended, strict=True))) if paired else stack(ended)
        return (x.swapaxes(0, 1) if self.batch_first else x), last

    def _run_over(self, x, state, place, backwards, lengths):
        """The outputs along the first axis, and the state after the last."""
        step = _STEPS[self._kind][0]
        weights = [self.w_ih_list[place], self.w_hh_list[place]]
        weights += [self.b_ih_list[place], self.b_hh_list[place]] if self.has_bias else [None, None]
        times = range(len(x))
        outputs: dict = {}
        for time in reversed(times) if backwards else times:
            new = step(x[time], state, *weights)
            out = new[0] if isinstance(new, tuple) else new
            if lengths is not None:  # beyond its length a sequence gives zeros and keeps its state
                inside = (lengths > time).reshape(-1, 1)
                new, out = _select(inside, new, state), where(inside, out, 0 * out)
            outputs[time], state = out, new
        return stack([outputs[time] for time in times]), state


def _select(inside, new, old):
    if isinstance(new, tuple):
        return tuple(_select(inside, a, b) for a, b in zip(new, old, strict=True))
    return where(inside, new, old)


class RNN(_Recurrent):
    """The steps tanh(W x + b + U state + c) over sequences: `net(x, state)` is `(outputs, last state)`; the state is zero
    unless given. `nonlinearity`: "tanh" or "relu".

    x (length, batch, input_size), or with `batch_first` the first two axes exchanged; the state (layers, batch, hidden_size),
    twice the layers where it is `bidirectional`. With `seq_length` (batch,) each sequence ends at its length. `dropout`:
    of the outputs between the layers. Weights are drawn from U(-1/sqrt(hidden_size), 1/sqrt(hidden_size)).

    >>> import labkit.mindspore as ms
    >>> out, last = ms.nn.RNN(3, 5, batch_first=True)(ms.ops.ones((2, 7, 3)))
    >>> out.shape, last.shape
    ((2, 7, 5), (1, 2, 5))
    """

    def __init__(self, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, dtype=float32, *, nonlinearity="tanh"):  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"For 'RNN', the 'nonlinearity' must be in ['tanh', 'relu'], but got {nonlinearity}.")
        self._kind = self.nonlinearity = nonlinearity
        super().__init__(input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype)


class LSTM(_Recurrent):
    """A network of long short-term memory, with the arguments of `RNN`; the state is a pair `(h, c)`.

    >>> import labkit.mindspore as ms
    >>> out, (h, c) = ms.nn.LSTM(3, 5)(ms.ops.ones((7, 2, 3)))
    >>> out.shape, h.shape, c.shape
    ((7, 2, 5), (1, 2, 5), (1, 2, 5))
    """

    _kind = "lstm"


class GRU(_Recurrent):
    """A network with a reset gate and an update gate (K. Cho et al., 2014), with the arguments of `RNN`.

    >>> import labkit.mindspore as ms
    >>> out, last = ms.nn.GRU(3, 5)(ms.ops.ones((7, 2, 3)))
    >>> out.shape, last.shape
    ((7, 2, 5), (1, 2, 5))
    """

    _kind = "gru"
