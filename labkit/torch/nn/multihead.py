"""Attention with several heads."""

from .. import _creation
from .._tensor import Tensor
from . import functional as F
from . import init
from .layers import Linear
from .module import Layer
from .parameter import Parameter

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear`; PyTorch has a class of its own for this one."""

    _shown = "torch.nn.modules.linear.NonDynamicallyQuantizableLinear"


class MultiheadAttention(Layer):
    """`output, weights = layer(query, key, value)`: attention with `num_heads` heads, each over a part of the size.

    `query` (length, batch, `embed_dim`), `key` and `value` (other length, batch, `kdim` and `vdim`), with `batch_first` the batch
    first, or without one; `weights` (batch, length, other length), the mean over heads unless `average_attn_weights=False`,
    None with `need_weights=False`. Masks are True, or -inf, where nothing is looked at: `key_padding_mask` (batch, other
    length), `attn_mask` (length, other length). Raises AssertionError or RuntimeError for sizes that do not fit.

    >>> import labkit.torch as torch
    >>> layer, x = torch.nn.MultiheadAttention(4, 2), torch.zeros(3, 1, 4)
    >>> output, weights = layer(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([3, 1, 4]), torch.Size([1, 3, 3]))
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, device=None, dtype=None):  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self.batch_first, self.add_zero_attn, self.head_dim = batch_first, add_zero_attn, embed_dim // num_heads
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        own = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        shapes: dict[str, tuple | None] = {name: (embed_dim, size) for name, size in own.items()} | {
            "in_proj_weight": None
        }
        if self._qkv_same_embed_dim:
            shapes = {"in_proj_weight": (3 * embed_dim, embed_dim)} | dict.fromkeys(own)
        shapes["in_proj_bias"] = (3 * embed_dim,) if bias else None
        self._register(shapes, dtype)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        self._register(dict.fromkeys(("bias_k", "bias_v"), (1, 1, embed_dim) if add_bias_kv else None), dtype)
        self._reset_parameters()

    def _register(self, shapes, dtype):
        for name, shape in shapes.items():
            self.register_parameter(name, shape and Parameter(_creation.empty(*shape, dtype=dtype)))

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        turned = self.batch_first and query.ndim == 3
        if turned:  # what is one tensor stays one
            made = {id(x): x.transpose(1, 0) for x in (query, key, value)}
            query, key, value = (made[id(x)] for x in (query, key, value))
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, self.training,
            key_padding_mask, need_weights, attn_mask, not self._qkv_same_embed_dim, self.q_proj_weight,
            self.k_proj_weight, self.v_proj_weight, average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return (output.transpose(1, 0) if turned else output), weights
