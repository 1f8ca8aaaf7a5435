"""Recurrent networks step by step: what a cell computes, and layers of them over sequences."""

from .. import _creation, _rules
from .._dispatch import apply
from .._rules import layers as rules
from .._table import FUNCTIONS, METHODS
from ._linear import dropout, linear

__all__ = ["CELLS", "GATES", "run_layers", "zeros"]


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


def _gru(given, state, w_hh, b_hh):
    (h,) = state
    from_input, from_state = _gates(given, 3), _gates(linear(h, w_hh, b_hh), 3)
    reset = (from_state[0] + from_input[0]).sigmoid()
    update = (from_state[1] + from_input[1]).sigmoid()
    new = (from_input[2] + from_state[2] * reset).tanh()
    return ((h - new) * update + new,)


GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
CELLS = {"LSTM": _lstm, "GRU": _gru, "RNN_TANH": _rnn(METHODS["tanh"]), "RNN_RELU": _rnn(METHODS["relu"])}


def _layer(mode, steps, state, weights, reverse):
    """Run a cell over `steps`, what each step's input sends to its gates; returns their results and the last state.

    A batch may get smaller on the way (and, in reverse, larger): the longest sequences come first.
    """
    cell, initial, finished, results = CELLS[mode], state, [], []
    if reverse:
        steps, state = steps[::-1], tuple(s[: len(steps[-1])] for s in state)
    for given in steps:
        now, before = len(given), len(state[0])
        if now < before:
            finished.append(tuple(s[now:] for s in state))
            state = tuple(s[:now] for s in state)
        elif now > before:
            state = tuple(_cat([s, new[before:now]]) for s, new in zip(state, initial, strict=True))
        state = cell(given, state, *weights)
        results.append(state[0])
    if finished:
        state = tuple(_cat(parts) for parts in zip(state, *finished[::-1], strict=True))
    return results[::-1] if reverse else results, state


def _cat(tensors, dim=0):
    return FUNCTIONS["cat"](tensors, dim)


def _whole_lstm(input, state, weights, reverse):
    """A layer of an LSTM in float32 is one op in PyTorch, which a library for CPUs computes."""
    length = len(input)
    made = apply(rules.lstm, input, *state, *weights, *(None,) * (4 - len(weights)), reverse)
    part = lambda index: apply(_rules.basic, made, index, "MkldnnRnnLayerBackward0")
    return part((slice(0, length),)), (part((0 if reverse else length - 1,)), part((length,)))


def _direction(mode, input, sizes, state, weights, reverse):
    """One layer in one direction: its output and its last state."""
    if mode == "LSTM" and sizes is None and input.dtype.name == "float32" and len(weights) in (2, 4):
        return _whole_lstm(input, state, weights, reverse)
    w_ih, w_hh, *rest = weights
    b_ih, b_hh, *w_hr = rest if len(rest) > 1 else (None, None, *rest)
    given = linear(input, w_ih, b_ih)
    steps = METHODS["unbind"](given, 0) if sizes is None else METHODS["split"](given, sizes)
    results, state = _layer(mode, steps, state, (w_hh, b_hh, *w_hr), reverse)
    return FUNCTIONS["stack"](results) if sizes is None else _cat(results), state


def run_layers(mode, input, sizes, states, weights, directions, drop):
    """Layers over each other, each over `input` (steps, batch, ...), or, with the batch `sizes` of the steps, packed.

    `states`: one for each layer and direction; `weights`: likewise; `drop`: the probability of dropout between layers.
    Returns the output of the last layer, and all last states, stacked.
    """
    last = []
    for first in range(0, len(weights), directions):
        outputs = []
        for k in range(directions):
            output, state = _direction(mode, input, sizes, states[first + k], weights[first + k], k == 1)
            outputs.append(output)
            last.append(state)
        input = outputs[0] if directions == 1 else _cat(outputs, -1)
        if drop and first + directions < len(weights):
            input = dropout(input, drop)
    return input, tuple(FUNCTIONS["stack"](parts) for parts in zip(*last, strict=True))


def zeros(*shape, like):
    """A state of zeros, of the dtype of `like`."""
    return _creation.zeros(*shape, dtype=like.dtype)
