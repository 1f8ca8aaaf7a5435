"""Padding and shuffling: part of `torch.nn.functional`."""

from typing import Any

import numpy as np

from .. import _rules
from .._dispatch import apply
from .._tensor import Tensor

__all__ = ["channel_shuffle", "native_channel_shuffle", "pad", "pixel_shuffle", "pixel_unshuffle"]


def _reflected(n, before, after):
    place = np.arange(-before, n + after)
    return np.abs(np.where(place >= n, 2 * (n - 1) - place, place))


_PLACES = {  # which elements of a dimension of n stand in the padded one
    "reflect": _reflected,
    "replicate": lambda n, before, after: np.clip(np.arange(-before, n + after), 0, n - 1),
    "circular": lambda n, before, after: np.arange(-before, n + after) % n,
}
_NODES = {"reflect": "ReflectionPad{}DBackward0", "replicate": "ReplicationPad{}DBackward0", "circular": "CopySlices"}


def pad(input, pad, mode="constant", value=None) -> Tensor:
    """Padding by pairs of widths, the last dimension first; negative ones cut.

    `mode`: "constant" (with `value`, 0 by default), "reflect" (without the edge), "replicate" (the edge) or "circular"; all but
    the first pad the last one, two or three dimensions of an input that has one or two more.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([[1.0, 2.0, 3.0]])
    >>> torch.nn.functional.pad(x, (1, 1), "reflect"), torch.nn.functional.pad(x, (0, 1))
    (tensor([[2., 1., 2., 3., 2.]]), tensor([[1., 2., 3., 0.]]))
    """
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    pairs = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    if len(pairs) > input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        return _constant(input, pairs, 0 if value is None else value)
    if mode not in _PLACES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if not 1 <= input.ndim - len(pairs) <= 2 or len(pairs) > 3:
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    sizes = input.shape[input.ndim - len(pairs) :]
    _check_room(mode, input, sizes, pairs, pad)
    places = [_PLACES[mode](n, *pair) for n, pair in zip(sizes, pairs, strict=True)]
    return apply(_rules.fancy, input, (..., *np.ix_(*places)), _NODES[mode].format(len(pairs)))


def _check_room(mode, input, sizes, pairs, pad):
    for back, (n, pair) in enumerate(zip(sizes[::-1], pairs[::-1], strict=True)):
        if mode == "reflect" and max(pair) >= n:
            raise RuntimeError(
                f"Argument #{4 + 2 * back}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding {pair} at dimension {input.ndim - 1 - back} of input {list(input.shape)}"
            )
        if mode == "circular" and max(pair) > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")


def _constant(input, pairs, value):
    cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(input.shape[input.ndim - len(pairs) :], pairs))
    if any(a < 0 or b < 0 for a, b in pairs):
        input = input[(..., *cut)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + [(max(a, 0), max(b, 0)) for a, b in pairs]
    return apply(_rules.pad, input, tuple(widths), value)


def _moved(name, forth, back) -> Any:
    """An op that reshapes, exchanges axes and reshapes: its derivative is the way back."""
    return _rules.mover(name, lambda ans, x, n: lambda g: back(g, n), others="factor")(forth)


def _spread(x, r):
    *outer, c, h, w = x.shape
    made = x.reshape(-1, c // r**2, r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
    return np.ascontiguousarray(made).reshape(*outer, c // r**2, h * r, w * r)


def _gathered(x, r):
    *outer, c, h, w = x.shape
    made = x.reshape(-1, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4)
    return np.ascontiguousarray(made).reshape(*outer, c * r**2, h // r, w // r)


_shuffle: Any = _moved("PixelShuffleBackward0", _spread, lambda g, n: _unshuffle(g, n))
_unshuffle: Any = _moved("PixelUnshuffleBackward0", _gathered, lambda g, n: _shuffle(g, n))
_channels: Any = _rules.mover(
    "ChannelShuffleBackward0", lambda ans, x, n: lambda g: _channels(g, np.shape(g)[1] // n), others="groups"
)(lambda x, n: np.ascontiguousarray(x.reshape(len(x), n, -1, *x.shape[2:]).swapaxes(1, 2)).reshape(x.shape))


def pixel_shuffle(input, upscale_factor) -> Tensor:
    """Images (..., channels r^2, height, width) with r^2 channels laid out as r by r pixels; r is `upscale_factor`."""
    if input.shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
            f"input.size(-3)={input.shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return apply(_shuffle, input, upscale_factor)


def pixel_unshuffle(input, downscale_factor) -> Tensor:
    """The inverse of `pixel_shuffle`: blocks of pixels become channels."""
    for back, side in ((2, "height"), (1, "width")):
        if input.shape[-back] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {side} to be divisible by downscale_factor, but input.size(-{back})="
                f"{input.shape[-back]} is not divisible by {downscale_factor}"
            )
    return apply(_unshuffle, input, downscale_factor)


def native_channel_shuffle(input, groups) -> Tensor:
    """`channel_shuffle`."""
    return channel_shuffle(input, groups)


def channel_shuffle(input, groups) -> Tensor:
    """Channels (dimension 1) in `groups` taken in turn from each."""
    if input.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {input.shape[1]} channels and {groups} groups."
        )
    return apply(_channels, input, groups)
