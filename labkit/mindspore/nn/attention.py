"""Attention with several heads."""

import math
from typing import Any

import numpy as np

from .._initializer import HeUniform, Uniform, XavierNormal, XavierUniform, initializer
from ..dtype import bool_, float32
from ..ops import _op
from ..ops._dropout import dropout
from ..parameter import Parameter
from ..tensor import wrap
from .cell import Cell
from .dense import Dense

__all__ = ["MultiheadAttention"]

_OPS = _op.OPS


def _linear(x, weight, bias):
    product = _OPS["matmul"](x, weight.T)
    return product if bias is None else product + bias


def dense(inputs: int, outputs: int, dtype: Any, has_bias: bool = True) -> Dense:
    """A layer with the initial values that these layers have."""
    bound = 1 / math.sqrt(inputs)
    return Dense(inputs, outputs, weight_init=HeUniform(math.sqrt(5)), bias_init=Uniform(bound), has_bias=has_bias,
                 dtype=dtype)  # fmt: skip


def _added(mask, name, dtype):
    """A mask as what is added to the scores: -inf where a mask of Bool is True. Raises ValueError for other types."""
    if mask.dtype == bool_:
        return wrap(np.where(mask.asnumpy(), -np.inf, 0.0).astype(dtype))
    if np.dtype(mask._value.dtype).kind == "f":
        return mask
    raise ValueError(f"only bool and floating types of {name} are supported")


class MultiheadAttention(Cell):
    """Attention of `num_heads` heads: each weighs the values by how well the keys fit the queries.

    Called with query, key and value, each (length, batch, features), with `batch_first` (batch, length, features), or without
    a batch; the result is (output, weights), or with `need_weights=False` (output,). `key_padding_mask` (batch, length) and
    `attn_mask` (length, length) or (batch x heads, length, length) say by True what is not looked at, or are added. Raises
    ValueError where `num_heads` does not divide `embed_dim`, and for shapes that do not fit.

    >>> import labkit.mindspore as ms
    >>> x = ms.ops.ones((3, 2, 4))
    >>> output, weights = MultiheadAttention(4, 2)(x, x, x)
    >>> output.shape, weights.shape
    ((3, 2, 4), (2, 3, 3))
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, has_bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, dtype=float32):  # fmt: skip
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("The init argument 'embed_dim' must be divisible by 'num_heads'.")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim, self.add_zero_attn, self.dtype = embed_dim // num_heads, add_zero_attn, dtype
        sizes = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        self._packed = set(sizes.values()) == {embed_dim}
        drawn = lambda name, init, shape: Parameter(initializer(init, shape, dtype), name)
        for letter, size in sizes.items():
            name = f"{letter}_proj_weight"
            made = None if self._packed else drawn(name, XavierUniform(), (embed_dim, size))
            setattr(self, name, made)
        shape = (3 * embed_dim, embed_dim)
        self.in_proj_weight = drawn("in_proj_weight", XavierUniform(), shape) if self._packed else None
        self.in_proj_bias = drawn("in_proj_bias", "zeros", (3 * embed_dim,)) if has_bias else None
        self.out_proj = dense(embed_dim, embed_dim, dtype, has_bias)
        for name in ("bias_k", "bias_v"):
            setattr(self, name, drawn(name, XavierNormal(), (1, 1, embed_dim)) if add_bias_kv else None)

    def construct(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                  average_attn_weights=True) -> tuple:  # fmt: skip
        q, k, v = query, key, value
        batched = query.ndim == 3
        if query.ndim not in (2, 3):
            raise ValueError(
                f"The `query` should be unbatched 2D or batched 3D tensor, but got `query` with {query.ndim}D."
            )
        if key.ndim != query.ndim or value.ndim != query.ndim:
            kind = "batched" if batched else "unbatched"
            raise ValueError(
                f"For {kind} `query`, the `key` and `value` must be {query.ndim}D tensor, but got `key` with {key.ndim}D and "
                f"`value` with {value.ndim}D."
            )
        if not batched:
            q, k, v = (x.expand_dims(1) for x in (q, k, v))
        elif self.batch_first:
            q, k, v = (x.swapaxes(1, 0) for x in (q, k, v))
        output, weights = self._attend(q, k, v, key_padding_mask, attn_mask)
        weights = weights.sum(axis=1) / self.num_heads if average_attn_weights else weights
        if not batched:
            output, weights = output.squeeze(1), weights.squeeze(0)
        elif self.batch_first:
            output = output.swapaxes(1, 0)
        return (output, weights) if need_weights else (output,)

    def _attend(self, query, key, value, padding, mask):
        """The output (length, batch, features), and the weights of each head (batch, heads, length, length)."""
        length, batch, features = query.shape
        if features != self.embed_dim:
            raise ValueError(f"The `embed_dim` should be {self.embed_dim}, but got {features}.")
        if self._packed and key.shape != value.shape:
            raise ValueError(f"The shape of `key` {key.shape} does not match `value` {value.shape}.")
        mask = self._mask(padding, mask, query, key)
        q, k, v = self._projected(query, key, value)
        if self.bias_k is not None:
            k, v = (_OPS["cat"]([x, b.tile((1, batch, 1))]) for x, b in ((k, self.bias_k), (v, self.bias_v)))
        split = lambda x: x.reshape((x.shape[0], batch * self.num_heads, self.head_dim)).swapaxes(0, 1)
        q, k, v = split(q), split(k), split(v)
        if self.add_zero_attn:
            nothing = _OPS["zeros"]((k.shape[0], 1, self.head_dim), dtype=k.dtype)
            k, v = _OPS["cat"]([k, nothing], 1), _OPS["cat"]([v, nothing], 1)
        q, k, v = (x.reshape((batch, self.num_heads, -1, self.head_dim)) for x in (q, k, v))
        root = math.sqrt(math.sqrt(self.head_dim))
        scores = _OPS["matmul"](q / root, k.swapaxes(-2, -1) / root)
        if mask is not None:
            more = scores.shape[-1] - mask.shape[-1]
            scores = scores + (_OPS["pad"](mask, (0, more)) if more else mask)
        weights = dropout(_OPS["softmax"](scores, -1), self.dropout, self.training)
        rows = _OPS["matmul"](weights, v).transpose(2, 0, 1, 3).reshape((length * batch, features))
        return self.out_proj(rows).reshape((length, batch, features)), weights

    def _mask(self, padding, mask, query, key):
        """What is added to the scores (batch or 1, heads or 1, queries or 1, keys), or None."""
        (length, batch, _), keys, dtype = query.shape, key.shape[0], query._value.dtype
        found = None
        if mask is not None:
            shapes = (length, keys), (batch * self.num_heads, length, keys)
            if mask.ndim not in (2, 3) or mask.shape != shapes[mask.ndim - 2]:
                wanted = shapes[mask.ndim == 3]
                raise ValueError(f"The shape of the `attn_mask` should be {wanted}, but got {mask.shape}.")
            found = _added(mask, "attn_mask", dtype)
            found = found.reshape((1, 1, *mask.shape) if mask.ndim == 2 else (batch, self.num_heads, length, keys))
        if padding is None:
            return found
        padding = padding.expand_dims(0) if padding.ndim == 1 else padding
        if padding.shape != (batch, keys):
            raise ValueError(f"The shape of `key_padding_mask` should be {(batch, keys)}, but got {padding.shape}.")
        left_out = _added(padding, "key_padding_mask", dtype).reshape((batch, 1, 1, keys))
        return left_out if found is None else found + left_out

    def _projected(self, query, key, value):
        biases = [None] * 3 if self.in_proj_bias is None else _OPS["tensor_split"](self.in_proj_bias, 3)
        if not self._packed:
            weights = self.q_proj_weight, self.k_proj_weight, self.v_proj_weight
        elif query is key is value:
            return _OPS["tensor_split"](_linear(query, self.in_proj_weight, self.in_proj_bias), 3, -1)
        else:
            weights = _OPS["tensor_split"](self.in_proj_weight, 3)
        return [_linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]
