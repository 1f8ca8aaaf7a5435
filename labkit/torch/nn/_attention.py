"""Attention: part of `torch.nn.functional`."""

import math

from ...kinds import of_kind
from .. import _creation
from .._autocast import lowered
from .._dispatch import apply
from .._rules import layers as rules
from .._table import FUNCTIONS, METHODS
from .._tensor import Tensor
from ._linear import dropout, linear
from ._moving import pad

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


@lowered
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False) -> Tensor:  # fmt: skip
    """softmax(query @ key.mT * scale + mask) @ value; `scale` is 1 / sqrt(size) unless told.

    `query` (..., length, size), `key` and `value` (..., other length, size). `attn_mask`: booleans, True where something is
    looked at, or numbers that are added; `is_causal`: no place looks at a later one. `dropout_p` applies always.
    `enable_gqa`: fewer heads (dimension -3) of keys and values, each used several times.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([[[[1.0, 0.0], [0.0, 1.0]]]])
    >>> scaled_dot_product_attention(x, x, x, is_causal=True)
    tensor([[[[1.0000, 0.0000],
              [0.3302, 0.6698]]]])
    """
    for name, x in (("key", key), ("value", value)):
        if x.dtype is not query.dtype:
            raise RuntimeError(
                f"Expected query, key, and value to have the same dtype, but got query.dtype: {_c(query)} key.dtype: "
                f"{_c(key)} and value.dtype: {_c(value)} instead."
            )
        of_kind(x, Tensor, "scaled_dot_product_attention(): argument '{name}' must be Tensor, not {kind}", name=name)
    if enable_gqa:
        key, value = (METHODS["repeat_interleave"](x, query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    mask = as_added(attn_mask, query.dtype, "attn_mask")
    at_once = query.ndim == 4 and not dropout_p and not (mask is not None and mask.requires_grad)
    if is_causal:
        if mask is not None and not at_once:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        earlier = as_added(_creation.ones(query.shape[-2], key.shape[-2]).tril().bool(), query.dtype, "attn_mask")
        mask = earlier if mask is None else mask + earlier
    if at_once:
        return apply(rules.attention, query, key, value, None if mask is None else mask._array, scale)
    return _step_by_step(query, key, value, mask, dropout_p, scale)


def _c(tensor):
    return {"float32": "float", "float64": "double"}.get(tensor.dtype.name, tensor.dtype.name)


def _step_by_step(query, key, value, mask, dropout_p, scale):
    root, dtype = math.sqrt(scale), query.dtype
    if dtype.itemsize == 2:
        query, key, value, mask = (None if x is None else x.float() for x in (query, key, value, mask))
    scores = FUNCTIONS["matmul"](query * root, (key.transpose(-2, -1)) * root)
    scores = scores if mask is None else scores + mask
    return FUNCTIONS["matmul"](_dropped(apply(rules.safe_softmax, scores, -1), dropout_p), value).to(dtype)


def _dropped(weights, p):
    return dropout(weights, p, True) if p else weights


def as_added(mask, dtype, name) -> Tensor | None:
    """A mask as numbers to add: for booleans 0 where True, -inf elsewhere. Raises AssertionError for integers."""
    if mask is None or mask.is_floating_point():
        return mask
    if mask.dtype.name != "bool":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return _creation.zeros(*mask.shape, dtype=dtype).masked_fill_(METHODS["logical_not"](mask), -math.inf)


def as_hidden(mask, dtype, name) -> Tensor | None:
    """As `as_added`, for booleans that are True where something is not looked at."""
    flipped = METHODS["logical_not"](mask) if mask is not None and mask.dtype.name == "bool" else mask
    return as_added(flipped, dtype, name)


def _projected(query, key, value, weights, bias):
    """Queries, keys and values by their weights: one for all three, or one for each."""
    size = query.shape[-1]
    if len(weights) > 1 or key is not value:
        parts = weights if len(weights) > 1 else METHODS["chunk"](weights[0], 3)
        biases = (None,) * 3 if bias is None else METHODS["chunk"](bias, 3)
        return [linear(x, w, b) for x, w, b in zip((query, key, value), parts, biases, strict=True)]
    if query is key:
        return _apart(linear(query, weights[0], bias), 3, size)
    w_q, w_kv = METHODS["split"](weights[0], [size, 2 * size])
    b_q, b_kv = (None, None) if bias is None else METHODS["split"](bias, [size, 2 * size])
    return [linear(query, w_q, b_q), *_apart(linear(key, w_kv, b_kv), 2, size)]


def _apart(made, count, size):
    parts = made.unflatten(-1, (count, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return [parts[k] for k in range(count)]


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                                 add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True,
                                 key_padding_mask=None, need_weights=True, attn_mask=None, use_separate_proj_weight=False,
                                 q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
                                 average_attn_weights=True, is_causal=False) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """What `torch.nn.MultiheadAttention` computes, of its parameters; `query` (length, batch, size), or without a batch."""
    if static_k is not None or static_v is not None:
        raise NotImplementedError("labkit.torch has no static_k and static_v: give key and value")
    single = query.ndim == 2
    _check_dims(query, key, value, key_padding_mask, attn_mask)
    if single:
        query, key, value = _with_batch(query, key, value)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, size = query.shape
    if size != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    is_causal = is_causal and key_padding_mask is None and not need_weights
    mask = None if is_causal else _checked(attn_mask, (length, len(key)), batch * num_heads, query.dtype)
    padding = as_hidden(key_padding_mask, query.dtype, "key_padding_mask")
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else (in_proj_weight,)
    q, k, v = _projected(query, key, value, weights, in_proj_bias)
    q, k, v = _in_heads(q, k, v, (bias_k, bias_v), add_zero_attn, batch, num_heads)
    more = (bias_k is not None) + add_zero_attn
    mask, padding = (m if m is None or not more else pad(m, (0, more)) for m in (mask, padding))
    mask = _merged(mask, padding, batch, num_heads)
    drop, out = dropout_p if training else 0.0, (out_proj_weight, out_proj_bias)
    if not need_weights:
        return _without_weights(q, k, v, mask, drop, is_causal, batch, single, out), None
    made, chosen = _with_weights(q, k, v, mask, drop, batch, out)
    chosen = chosen.mean(1) if average_attn_weights else chosen
    return (made.squeeze(1), chosen.squeeze(0)) if single else (made, chosen)


def _in_heads(q, k, v, biases, add_zero_attn, batch, num_heads):
    """Each as (batch x heads, length, size of a head); keys and values with what is looked at besides behind them."""
    if biases[0] is not None:
        k, v = (FUNCTIONS["cat"]([x, METHODS["repeat"](b, 1, batch, 1)]) for x, b in zip((k, v), biases, strict=True))
    heads = lambda x: x.view(len(x), batch * num_heads, -1).transpose(0, 1)
    q, k, v = heads(q), heads(k), heads(v)
    if add_zero_attn:
        zero = _creation.zeros(len(k), 1, k.shape[-1], dtype=k.dtype)
        k, v = (FUNCTIONS["cat"]([x, zero], 1) for x in (k, v))
    return q, k, v


def _with_weights(q, k, v, mask, drop, batch, out):
    """The result (length, batch, size), and how much each place looks at others, (batch, heads, length, other length)."""
    scaled, turned = q * math.sqrt(1.0 / q.shape[-1]), k.transpose(-2, -1)
    scores = FUNCTIONS["bmm"](scaled, turned) if mask is None else apply(rules.baddbmm, mask, scaled, turned)
    chosen = _dropped(scores.softmax(-1), drop)
    length = q.shape[1]
    made = FUNCTIONS["bmm"](chosen, v).transpose(0, 1).reshape(length * batch, -1)
    made = linear(made, *out).view(length, batch, -1)
    return made, chosen.view(batch, -1, length, chosen.shape[-1])


def _with_batch(query, key, value):
    """Each with a batch of one; what was one tensor stays one."""
    made = {id(x): x.unsqueeze(1) for x in (query, key, value)}
    return (made[id(x)] for x in (query, key, value))


def _without_weights(q, k, v, mask, drop, is_causal, batch, single, out):
    apart = lambda x: x.view(batch, -1, *x.shape[1:])
    if mask is not None:
        mask = mask.unsqueeze(0) if len(mask) == 1 else apart(mask)
    made = scaled_dot_product_attention(apart(q), apart(k), apart(v), mask, drop, is_causal)
    length = q.shape[1]
    made = made.permute((2, 0, 1, 3)).reshape(batch * length, -1)
    made = linear(made, *out).view(length, batch, -1)
    return made.squeeze(1) if single else made


def _check_dims(query, key, value, padding, mask):
    if query.ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor"
        )
    kind = f"For {'batched (3-D)' if query.ndim == 3 else 'unbatched (2-D)'} `query`, expected"
    if key.ndim != query.ndim or value.ndim != query.ndim:
        raise AssertionError(
            f"{kind} `key` and `value` to be {query.ndim}-D but found {key.ndim}-D and {value.ndim}-D tensors respectively"
        )
    if padding is not None and padding.ndim != query.ndim - 1:
        raise AssertionError(
            f"{kind} `key_padding_mask` to be `None` or {query.ndim - 1}-D but found {padding.ndim}-D tensor instead"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(f"{kind} `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead")


def _checked(mask, sizes, heads, dtype):
    """The mask of attention as numbers (1 or heads, length, other length)."""
    mask = as_hidden(mask, dtype, "attn_mask")
    if mask is None:
        return None
    wanted = sizes if mask.ndim == 2 else (heads, *sizes)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but should be {wanted}.")
    return mask.unsqueeze(0) if mask.ndim == 2 else mask


def _merged(mask, padding, batch, heads):
    if padding is None:
        return mask
    sources = padding.shape[-1]
    padding = padding.view(batch, 1, 1, sources).expand(-1, heads, -1, -1).reshape(batch * heads, 1, sources)
    return padding if mask is None else mask + padding
