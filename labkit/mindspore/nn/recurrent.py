"""Recurrent cells, one step each, and the networks that run them over sequences."""

import math
from typing import Any

import numpy as np

from ...kinds import of_kind
from .._initializer import Uniform, initializer
from ..dtype import float32
from ..ops import _op
from ..parameter import Parameter, ParameterTuple
from ..tensor import Tensor
from ._checks import check_positive_int, check_type
from .cell import Cell
from .dropout import Dropout

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNCell"]

_sigmoid, _tanh, _relu, _split = (_op.OPS[name] for name in ("sigmoid", "tanh", "relu", "split"))


def _gates(x, weight, bias):
    product = _op.OPS["matmul"](x, weight.T)
    return product if bias is None else product + bias


def _elman(act):
    def step(x, state, w_ih, w_hh, b_ih, b_hh):
        return act(_gates(x, w_ih, b_ih) + _gates(state, w_hh, b_hh))

    return step


def _lstm(x, state, w_ih, w_hh, b_ih, b_hh):
    hidden, carried = state
    gates = _gates(x, w_ih, None) + _gates(hidden, w_hh, None)
    gates = gates if b_ih is None else gates + b_ih + b_hh
    enter, forget, new, leave = _split(gates, gates.shape[1] // 4, 1)
    carried = _sigmoid(forget) * carried + _sigmoid(enter) * _tanh(new)
    return _sigmoid(leave) * _tanh(carried), carried


def _gru(x, state, w_ih, w_hh, b_ih, b_hh):
    of_x, of_state = _gates(x, w_ih, b_ih), _gates(state, w_hh, b_hh)
    (x_r, x_z, x_n), (h_r, h_z, h_n) = (_split(g, g.shape[1] // 3, 1) for g in (of_x, of_state))
    new = _tanh(x_n + _sigmoid(x_r + h_r) * h_n)
    return new + _sigmoid(x_z + h_z) * (state - new)


_STEPS = {"tanh": (_elman(_tanh), 1), "relu": (_elman(_relu), 1), "lstm": (_lstm, 4), "gru": (_gru, 3)}


class _Step(Cell):
    """What the cells of one step have in common: weights from U(-1/sqrt(hidden_size), 1/sqrt(hidden_size))."""

    def __init__(self, kind, input_size, hidden_size, has_bias, dtype):
        super().__init__()
        check_type(has_bias, "has_bias", bool, self.cls_name)
        self.hidden_size = check_positive_int(hidden_size, "hidden_size", self.cls_name)
        self.input_size, self.has_bias = check_positive_int(input_size, "input_size", self.cls_name), has_bias
        self._kind = kind
        rows = _STEPS[kind][1] * hidden_size
        for name, shape in (("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size)), ("bias_ih", (rows,)),
                            ("bias_hh", (rows,))):  # fmt: skip
            if has_bias or name.startswith("weight"):
                setattr(self, name, Parameter(Tensor(np.random.randn(*shape), dtype)))
            else:
                setattr(self, name, None)
        for parameter in self.get_parameters():
            parameter.set_data(initializer(Uniform(1 / math.sqrt(hidden_size)), parameter.shape, dtype))

    def construct(self, x, hx) -> Any:
        for name, tensor in (("x", x), *zip(("hx[0]", "hx[1]") if isinstance(hx, tuple) else ("hx",),
                                            hx if isinstance(hx, tuple) else (hx,), strict=True)):  # fmt: skip
            of_kind(tensor, Tensor, f"For '{self.cls_name}', the '{name}' should be a Tensor, but got {{type}}.")
        return _STEPS[self._kind][0](x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class RNNCell(_Step):
    """One step: `cell(x, state)` is tanh(W x + b + U state + c), the new state; `nonlinearity` "tanh" or "relu".

    x (batch, input_size), state (batch, hidden_size). Raises ValueError for another `nonlinearity`.

    >>> import labkit.mindspore as ms
    >>> ms.nn.RNNCell(3, 5)(ms.ops.ones((2, 3)), ms.ops.zeros((2, 5))).shape
    (2, 5)
    """

    def __init__(self, input_size, hidden_size, has_bias=True, nonlinearity="tanh", dtype=float32):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"For 'RNNCell', the 'nonlinearity' must be str and must be in '['tanh', 'relu']', but got '{nonlinearity}'."
            )
        super().__init__(nonlinearity, input_size, hidden_size, has_bias, dtype)
        self.nonlinearity = nonlinearity


class LSTMCell(_Step):
    """One step: `cell(x, (h, c))` is the new `(h, c)`, by gates (S. Hochreiter and J. Schmidhuber, 1997).

    The rows of the weights belong to the input gate, the forget gate, the new values and the output gate.
    """

    def __init__(self, input_size, hidden_size, has_bias=True, dtype=float32):
        super().__init__("lstm", input_size, hidden_size, has_bias, dtype)


class GRUCell(_Step):
    """One step: `cell(x, state)` is the new state, by a reset gate and an update gate (K. Cho et al., 2014)."""

    def __init__(self, input_size, hidden_size, has_bias=True, dtype=float32):
        super().__init__("gru", input_size, hidden_size, has_bias, dtype)


_LOOPS = {  # the cells that go over the steps in the real framework; here they are shown alone
    kind: type(f"_Dynamic{name}", (Cell,), {"__module__": "mindspore.nn.layer.rnns"})
    for kind, name in {"tanh": "RNNTanh", "relu": "RNNRelu", "lstm": "LSTMCPUGPU", "gru": "GRUCPUGPU"}.items()
}


class _Sequence(Cell):
    """What the networks of steps have in common: layers, directions, dropout between the layers."""

    def __init__(self, kind, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, dtype=float32):  # fmt: skip
        super().__init__()
        for name, value in (("hidden_size", hidden_size), ("input_size", input_size), ("num_layers", num_layers)):
            check_positive_int(value, name, self.cls_name)
        for name, value in (("has_bias", has_bias), ("batch_first", batch_first), ("bidirectional", bidirectional)):
            check_type(value, name, bool, self.cls_name)
        of_kind(dropout, float, f"For '{self.cls_name}', the 'dropout' must be float, but got '{{kind}}'.")
        if not 0 <= dropout < 1:
            raise ValueError(
                f"For '{self.cls_name}', the 'dropout' must be a number in range [0, 1) representing the probability of "
                f"an element being zeroed, but got {dropout}."
            )
        self._kind, self.hidden_size, self.num_layers, self.has_bias = kind, hidden_size, num_layers, has_bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        self.rnn = _LOOPS[kind]()
        self.dropout_op = Dropout(p=dropout)
        self._directions = 2 if bidirectional else 1
        self._begin(input_size, _STEPS[kind][1] * hidden_size, dtype)

    def _begin(self, input_size, rows, dtype):
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
        of_kind(x, Tensor, f"For '{self.cls_name}', the 'x' should be a Tensor, but got {{type}}.")
        x = x.swapaxes(0, 1) if self.batch_first else x
        ended, several = [], self._kind == "lstm"
        if hx is None:
            zeros = _op.OPS["zeros"]((self.num_layers * self._directions, x.shape[1], self.hidden_size), dtype=x.dtype)
            hx = (zeros, zeros) if several else zeros
        for layer in range(self.num_layers):
            outputs = []
            for way in range(self._directions):
                place = layer * self._directions + way
                state = (hx[0][place], hx[1][place]) if several else hx[place]
                out, state = self._run_over(x, state, place, way == 1, seq_length)
                outputs.append(out)
                ended.append(state)
            x = _op.OPS["concat"](outputs, 2) if len(outputs) > 1 else outputs[0]
            if self.dropout and layer < self.num_layers - 1:
                x = self.dropout_op(x)
        last = tuple(map(_op.OPS["stack"], zip(*ended, strict=True))) if several else _op.OPS["stack"](ended)
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
                new = _chosen(inside, new, state)
                out = _op.OPS["where"](inside, out, 0 * out)
            outputs[time], state = out, new
        return _op.OPS["stack"]([outputs[time] for time in times]), state


def _chosen(inside, new, old):
    if isinstance(new, tuple):
        return tuple(_chosen(inside, a, b) for a, b in zip(new, old, strict=True))
    return _op.OPS["where"](inside, new, old)


class RNN(_Sequence):
    """`RNNCell` over sequences: `net(x, state)` is `(outputs, last state)`; the state is zero unless given.

    x (length, batch, input_size), or with `batch_first` the first two axes exchanged; the state (layers, batch, hidden_size),
    twice the layers where it is `bidirectional`. With `seq_length` (batch,) each sequence ends at its length.

    >>> import labkit.mindspore as ms
    >>> out, last = ms.nn.RNN(3, 5, batch_first=True)(ms.ops.ones((2, 7, 3)))
    >>> out.shape, last.shape
    ((2, 7, 5), (1, 2, 5))
    """

    def __init__(self, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, dtype=float32, *, nonlinearity="tanh"):  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"For 'RNN', the 'nonlinearity' must be in ['tanh', 'relu'], but got {nonlinearity}.")
        super().__init__(
            nonlinearity, input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )


class LSTM(_Sequence):
    """`LSTMCell` over sequences, as `RNN` is of `RNNCell`; the state is a pair `(h, c)`."""

    def __init__(self, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, dtype=float32):  # fmt: skip
        super().__init__(
            "lstm", input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )


class GRU(_Sequence):
    """`GRUCell` over sequences, as `RNN` is of `RNNCell`."""

    def __init__(self, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, dtype=float32):  # fmt: skip
        super().__init__(
            "gru", input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )
