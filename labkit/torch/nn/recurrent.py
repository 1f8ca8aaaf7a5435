"""Recurrent layers: `RNN` and `LSTM` over sequences, step by step."""

import math
import warnings
from typing import Any

from .. import _rules
from .._error_texts import error, said
from .._ops import creation as _creation
from .._ops.dispatch import apply
from .._ops.function_table import FUNCTIONS, METHODS
from .._rules import nn_layers as rules
from . import init
from .layers import dropout, linear
from .module import Layer
from .parameter import Parameter

__all__ = ["LSTM", "RNN"]


def _gates(x, count):
    """The parts of the last dimension, one for each gate."""
    size = x.shape[-1] // count
    parts = [(slice(None), slice(k * size, (k + 1) * size)) for k in range(count)]
    return [apply(_rules.basic, x, part, "UnsafeSplitBackward0") for part in parts]


def _rnn(activation):
    def cell(given, state, w_hh, b_hh):
        return (activation(linear(state[0], w_hh, b_hh) + given),)

    return cell


def _lstm(given, state, w_hh, b_hh, w_hr=None):
    h, c = state
    enter, forget, new, leave = _gates(linear(h, w_hh, b_hh) + given, 4)
    c = forget.sigmoid() * c + enter.sigmoid() * new.tanh()
    h = leave.sigmoid() * c.tanh()
    return (h if w_hr is None else linear(h, w_hr)), c


CELLS = {"LSTM": _lstm, "RNN_TANH": _rnn(METHODS["tanh"]), "RNN_RELU": _rnn(METHODS["relu"])}


def _layer(mode, steps, state, weights, reverse):
    """Run a cell over `steps`, what each step's input sends to its gates; returns their results and the last state."""
    results = []
    for given in steps[::-1] if reverse else steps:
        state = CELLS[mode](given, state, *weights)
        results.append(state[0])
    return results[::-1] if reverse else results, state


def _whole_lstm(input, state, weights, reverse):
    """A layer of an LSTM in float32 is one op in PyTorch, which a library for CPUs computes."""
    length = len(input)
    made = apply(rules.lstm, input, *state, *weights, *(None,) * (4 - len(weights)), reverse)
    part = lambda index: apply(_rules.basic, made, index, "MkldnnRnnLayerBackward0")
    return part((slice(0, length),)), (part((0 if reverse else length - 1,)), part((length,)))


def _direction(mode, input, state, weights, reverse):
    """One layer in one direction: its output and its last state."""
    if mode == "LSTM" and input.dtype.name == "float32" and len(weights) in (2, 4):
        return _whole_lstm(input, state, weights, reverse)
    w_ih, w_hh, *rest = weights
    b_ih, b_hh, *w_hr = rest if len(rest) > 1 else (None, None, *rest)
    steps = METHODS["unbind"](linear(input, w_ih, b_ih), 0)
    results, state = _layer(mode, steps, state, (w_hh, b_hh, *w_hr), reverse)
    return FUNCTIONS["stack"](results), state


def _run_layers(mode, input, states, weights, directions, drop):
    """Layers over each other, each over `input` (steps, batch, ...).

    `states`: one for each layer and direction; `weights`: likewise; `drop`: the probability of dropout between layers.
    Returns the output of the last layer, and all last states, stacked.
    """
    last = []
    for first in range(0, len(weights), directions):
        outputs = []
        for k in range(directions):
            output, state = _direction(mode, input, states[first + k], weights[first + k], k == 1)
            outputs.append(output)
            last.append(state)
        input = outputs[0] if directions == 1 else FUNCTIONS["cat"](outputs, -1)
        if drop and first + directions < len(weights):
            input = dropout(input, drop)
    return input, tuple(FUNCTIONS["stack"](parts) for parts in zip(*last, strict=True))


class _Recurrent(Layer):
    """What `RNN` and `LSTM` have in common; `mode` is "LSTM", "RNN_TANH" or "RNN_RELU"."""

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):  # fmt: skip
        super().__init__()
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._check_options(dropout)
        gates, out = 4 * hidden_size if mode == "LSTM" else hidden_size, proj_size or hidden_size
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: self._directions]:
                inner = input_size if layer == 0 else out * self._directions
                shapes: dict[str, tuple] = {"weight_ih": (gates, inner), "weight_hh": (gates, out)}
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                self._all_weights.append([f"{name}_l{layer}{suffix}" for name in shapes])
                for name, shape in zip(self._all_weights[-1], shapes.values(), strict=True):
                    setattr(self, name, Parameter(_creation.empty(*shape, dtype=dtype)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters, uniform within 1 / sqrt(hidden size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    _directions = property(lambda self: 2 if self.bidirectional else 1)

    def _check_options(self, dropout):
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(said("rnn_dropout", dropout=dropout), stacklevel=4)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters, a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Nothing to do: this is for GPUs."""

    def forward(self, input, hx=None) -> Any:
        single = input.ndim == 2
        self._check_state_dims(hx, single)
        if single:
            input = input.unsqueeze(0 if self.batch_first else 1)
            hx = None if hx is None else self._each(hx, lambda h: h.unsqueeze(1))
        output, state = self._run(input.transpose(0, 1) if self.batch_first else input, hx)
        if self.batch_first:
            output = output.transpose(0, 1) if self.mode == "LSTM" else output.transpose_(0, 1)
        if single:
            return output.squeeze(0 if self.batch_first else 1), self._each(state, lambda h: h.squeeze(1))
        return output, state

    def _run(self, input, hx):
        """Over steps first: the output and the last state, as the caller gets them."""
        if input.dtype is not self.weight_ih_l0.dtype:
            ours = self.weight_ih_l0.dtype
            raise error("rnn_dtype", dtype=input.dtype, ours=ours)
        if input.shape[-1] != self.input_size:
            raise error("rnn_input_size", input_size=self.input_size, shape=input.shape[-1])
        state = self._initial(input.shape[1], hx, input)
        states = list(zip(*(s.unbind(0) for s in state), strict=True))
        drop = self.dropout if self.training else 0
        output, last = _run_layers(self.mode, input, states, self.all_weights, self._directions, drop)
        return output, last if self.mode == "LSTM" else last[0]

    def _initial(self, batch, hx, input):
        """The first states (layers and directions, batch, size), checked, as a tuple."""
        rows = self.num_layers * self._directions
        shapes = [(rows, batch, self.proj_size or self.hidden_size)] + [(rows, batch, self.hidden_size)] * (
            self.mode == "LSTM"
        )
        if hx is None:
            return tuple(_creation.zeros(*shape, dtype=input.dtype) for shape in shapes)
        given = tuple(hx) if self.mode == "LSTM" else (hx,)
        for place, (state, shape) in enumerate(zip(given, shapes, strict=True)):
            if tuple(state.shape) != shape:
                name = f"hidden[{place}]" if self.mode == "LSTM" else "hidden"
                raise RuntimeError(f"Expected {name} size {shape}, got {list(state.shape)}")
        return given

    def _check_state_dims(self, hx, single):
        states = () if hx is None else tuple(hx) if self.mode == "LSTM" else (hx,)
        wanted, kind = (2, "unbatched 2-D") if single else (3, "batched 3-D")
        if any(s.ndim != wanted for s in states):
            names = "hx and cx" if self.mode == "LSTM" else "hx"
            got = ", ".join(f"{s.ndim}-D" for s in states)
            got = f"({got}) tensors" if self.mode == "LSTM" else f"{got} tensor"
            raise RuntimeError(f"For {kind} input, {names} should also be {wanted}-D but got {got}")

    def _each(self, state, change):
        return tuple(map(change, state)) if self.mode == "LSTM" else change(state)

    def extra_repr(self) -> str:
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0,
            "bidirectional": False}  # fmt: skip
        unusual = [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join([str(self.input_size), str(self.hidden_size), *unusual])


class RNN(_Recurrent):
    """h' = tanh(W x + b + U h + c), or relu with `nonlinearity`: `output, h = layer(input)`, or `layer(input, h)`.

    `input` (steps, batch, input size), with `batch_first` (batch, steps, input size), also without a batch; `output` (steps,
    batch, directions times hidden size); states (layers times directions, batch, hidden size), zeros at first. `dropout` is
    the probability between layers while training. Raises RuntimeError for other sizes.

    >>> import labkit.torch as torch
    >>> layer = torch.nn.RNN(10, 20, 2)
    >>> output, h = layer(torch.zeros(5, 3, 10))
    >>> layer, output.shape
    (RNN(10, 20, num_layers=2), torch.Size([5, 3, 20]))
    """

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, device=None, dtype=None):  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        rest = num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        super().__init__(f"RNN_{nonlinearity.upper()}", input_size, hidden_size, *rest)
        self.nonlinearity = nonlinearity


class LSTM(_Recurrent):
    """Long short-term memory: `output, (h, c) = layer(input)`, or `layer(input, (h, c))`; sizes and options as of `RNN`.

    `proj_size`: the results are projected to this size.

    >>> import labkit.torch as torch
    >>> output, (h, c) = torch.nn.LSTM(10, 20)(torch.zeros(5, 3, 10))
    >>> output.shape, h.shape, c.shape
    (torch.Size([5, 3, 20]), torch.Size([1, 3, 20]), torch.Size([1, 3, 20]))
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)
