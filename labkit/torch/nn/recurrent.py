"""Recurrent layers: `RNN`, `LSTM` and `GRU` over sequences."""

import warnings
from typing import Any

from ._recurrent import GATES, run_layers, zeros
from .cells import Recurrent
from .parameter import Parameter
from .utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]


class RNNBase(Recurrent):
    """What `RNN`, `LSTM` and `GRU` have in common; `mode` is "LSTM", "GRU", "RNN_TANH" or "RNN_RELU"."""

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):  # fmt: skip
        super().__init__()
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._check_options(dropout)
        gates, out = GATES[mode] * hidden_size, proj_size or hidden_size
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
                    self._add(name, *shape, dtype=dtype)
        self.reset_parameters()

    _directions = property(lambda self: 2 if self.bidirectional else 1)

    def _check_options(self, dropout):
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                f"greater than 1, but got dropout={dropout} and num_layers=1",
                stacklevel=4,
            )
        for name in ("input_size", "hidden_size"):
            if not isinstance(getattr(self, name), int):
                raise TypeError(f"{name} should be of type int, got: {type(getattr(self, name)).__name__}")
        for name in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    @property
    def _flat_weights_names(self) -> list[str]:
        """The names of all weights, layer by layer."""
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters, a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Nothing to do: this is for GPUs."""

    def forward(self, input, hx=None) -> Any:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.ndim not in (2, 3):
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        single = input.ndim == 2
        self._check_state_dims(hx, single)
        if single:
            input = input.unsqueeze(0 if self.batch_first else 1)
            hx = None if hx is None else self._each(hx, lambda h: h.unsqueeze(1))
        output, state = self._run(input.transpose(0, 1) if self.batch_first else input, None, hx)
        if self.batch_first:
            output = output.transpose(0, 1) if self.mode == "LSTM" else output.transpose_(0, 1)
        if single:
            return output.squeeze(0 if self.batch_first else 1), self._each(state, lambda h: h.squeeze(1))
        return output, state

    def _forward_packed(self, packed, hx):
        sizes, order = packed.batch_sizes.tolist(), packed.sorted_indices
        if hx is not None and order is not None:
            hx = self._each(hx, lambda h: h.index_select(1, order))
        data, state = self._run(packed.data, sizes, hx)
        if order is not None:
            state = self._each(state, lambda h: h.index_select(1, packed.unsorted_indices))
        return PackedSequence(data, packed.batch_sizes, order, packed.unsorted_indices), state

    def _run(self, input, sizes, hx):
        """Over steps first: the output and the last state, as the caller gets them."""
        if input.dtype is not self.weight_ih_l0.dtype:
            ours = self.weight_ih_l0.dtype
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({ours}). Convert input: input.to({ours}), or "
                f"convert model: model.to({input.dtype})"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )
        batch = sizes[0] if sizes else input.shape[1]
        state = self._initial(batch, hx, input)
        states = list(zip(*(s.unbind(0) for s in state), strict=True))
        drop = self.dropout if self.training else 0
        output, last = run_layers(self.mode, input, sizes, states, self.all_weights, self._directions, drop)
        return output, last if self.mode == "LSTM" else last[0]

    def _initial(self, batch, hx, input):
        """The first states (layers and directions, batch, size), checked, as a tuple."""
        rows = self.num_layers * self._directions
        shapes = [(rows, batch, self.proj_size or self.hidden_size)] + [(rows, batch, self.hidden_size)] * (
            self.mode == "LSTM"
        )
        if hx is None:
            return tuple(zeros(*shape, like=input) for shape in shapes)
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
        return self._shown(proj_size=0, num_layers=1, bias=True, batch_first=False, dropout=0, bidirectional=False)


_LAYER = """{what} over sequences: `output, {state} = layer(input)`, or `layer(input, {state})` with first states.

`input` (steps, batch, input size), with `batch_first` (batch, steps, input size), also without a batch or packed (see
`torch.nn.utils.rnn`); `output` (steps, batch, directions times hidden size); states (layers times directions, batch, hidden
size), zeros at first. `dropout` is the probability between layers while training. Raises RuntimeError for other sizes.

>>> import labkit.torch as torch
>>> layer = torch.nn.{name}(10, 20, 2)
>>> output, state = layer(torch.zeros(5, 3, 10))
>>> layer, output.shape
({name}(10, 20, num_layers=2), torch.Size([5, 3, 20]))
"""


class RNN(RNNBase):
    __doc__ = _LAYER.format(name="RNN", what="h' = tanh(W x + b + U h + c), or relu with `nonlinearity`,", state="h")

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, device=None, dtype=None):  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        rest = num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        super().__init__(f"RNN_{nonlinearity.upper()}", input_size, hidden_size, *rest)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    __doc__ = _LAYER.format(name="LSTM", what="Long short-term memory", state="(h, c)")

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    __doc__ = _LAYER.format(name="GRU", what="Gated recurrent units", state="h")

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)
