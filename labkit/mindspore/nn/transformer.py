"""Attention with several heads, and the layers of a transformer."""

import copy
import math

import numpy as np

from ...parts import residual
from .._initializer import HeUniform, Uniform, XavierNormal, XavierUniform, initializer
from ..dtype import bool_, float32
from ..ops import _op
from ..ops._dropout import dropout
from ..parameter import Parameter
from ..tensor import Tensor, wrap
from .cell import Cell
from .container import CellList
from .dense import Dense
from .dropout import Dropout
from .normalization import LayerNorm

__all__ = [
    "MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip

_OPS = _op.OPS


def _linear(x, weight, bias):
    product = _OPS["matmul"](x, weight.T)
    return product if bias is None else product + bias


def _dense(inputs, outputs, dtype, has_bias=True):
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
        self.out_proj = _dense(embed_dim, embed_dim, dtype, has_bias)
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


# ---- layers ----


def _activation(given):
    """The function of an activation: "relu", "gelu", a cell or a function. Raises ValueError for another."""
    if isinstance(given, str):
        if given not in ("relu", "gelu"):
            raise ValueError(f"The activation must be relu/gelu, but get {given}")
        return _OPS[given]
    if isinstance(given, Cell) and type(given).__name__ not in ("ReLU", "GELU"):
        raise ValueError(f"The argument 'activation' must be nn.ReLU or nn.GELU instance, but get {given}.")
    if not callable(given):
        raise ValueError(f"The argument 'activation' must be str, callable or Cell instance, but get {given}.")
    return given


class _Layer(Cell):
    """What both kinds of layers have: parts, each of which is added to its input, and a normalisation for each."""

    attentions: tuple[str, ...] = ("self_attn",)

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, dtype=float32):  # fmt: skip
        super().__init__()
        self.given = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype))
        self.dense1 = _dense(d_model, dim_feedforward, dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = _dense(dim_feedforward, d_model, dtype)
        self.norm_first, self.activation = norm_first, _activation(activation)
        numbers = range(1, len(self.attentions) + 2)
        for number in numbers:
            setattr(self, f"norm{number}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(p=dropout))

    def _forward(self, x):
        return self.dense2(self.dropout(self.activation(self.dense1(x))))


def _looked(attention, mask, padding, memory=None):
    """Attention to `memory`, or of what comes to itself, with these masks."""

    def part(x):
        seen = x if memory is None else memory
        return attention(x, seen, seen, attn_mask=mask, key_padding_mask=padding, need_weights=False)[0]

    return part


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two dense layers, each added to its input and normalised.

    With `norm_first` each part sees the normalised input. Raises ValueError for an `activation` other than relu and gelu.

    >>> import labkit.mindspore as ms
    >>> TransformerEncoderLayer(4, 2, 8)(ms.ops.ones((3, 1, 4))).shape
    (3, 1, 4)
    """

    def construct(self, src, src_mask=None, src_key_padding_mask=None) -> Tensor:
        return residual(self, src, _looked(self.self_attn, src_mask, src_key_padding_mask), self._forward)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to `memory`, then two dense layers; see `TransformerEncoderLayer`."""

    attentions = ("self_attn", "multihead_attn")

    def construct(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                  memory_key_padding_mask=None) -> Tensor:  # fmt: skip
        own = _looked(self.self_attn, tgt_mask, tgt_key_padding_mask)
        other = _looked(self.multihead_attn, memory_mask, memory_key_padding_mask, memory)
        return residual(self, tgt, own, other, self._forward)


class _Stack(Cell):
    """`num_layers` layers as the given one, with the same first values, and a normalisation if there is one."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        first = type(layer)(*layer.given)
        self.layers = CellList([copy.deepcopy(first) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def _run(self, x, *rest, **masks):
        for layer in self.layers:
            x = layer(x, *rest, **masks)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """Layers one after the other, as `encoder_layer`; then `norm`, if given."""

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__(encoder_layer, num_layers, norm)

    def construct(self, src, src_mask=None, src_key_padding_mask=None) -> Tensor:
        return self._run(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)


class TransformerDecoder(_Stack):
    """Layers one after the other, as `decoder_layer`; then `norm`, if given."""

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__(decoder_layer, num_layers, norm)

    def construct(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                  memory_key_padding_mask=None) -> Tensor:  # fmt: skip
        return self._run(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                         memory_key_padding_mask=memory_key_padding_mask)  # fmt: skip


class Transformer(Cell):
    """An encoder of the source, and a decoder of the target that looks at what it gives.

    Source and target are (length, batch, d_model), or with `batch_first` (batch, length, d_model). Raises ValueError for
    batches or features that do not fit.

    >>> import labkit.mindspore as ms
    >>> Transformer(4, 2, 1, 1, 8)(ms.ops.ones((3, 1, 4)), ms.ops.ones((2, 1, 4))).shape
    (2, 1, 4)
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,
                 activation="relu", custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5, batch_first=False,
                 norm_first=False, dtype=float32):  # fmt: skip
        super().__init__()
        given = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype
        norm = lambda: LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.encoder = custom_encoder or TransformerEncoder(TransformerEncoderLayer(*given), num_encoder_layers, norm())
        self.decoder = custom_decoder or TransformerDecoder(TransformerDecoderLayer(*given), num_decoder_layers, norm())
        for _, parameter in self.parameters_and_names():
            if parameter.ndim > 1:
                parameter.set_data(initializer("xavier_uniform", parameter.shape, parameter.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                  tgt_key_padding_mask=None, memory_key_padding_mask=None) -> Tensor:  # fmt: skip
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError("The number of batch size for 'src' and 'tgt' must be equal.")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError("The number of features for 'src' and 'tgt' must be equal to `d_model`.")
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask)  # fmt: skip
