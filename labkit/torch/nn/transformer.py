"""The layers of a transformer, and the whole."""

import copy
import math
import warnings
from typing import Any

from ...parts import residual
from .. import _modes
from .._table import FUNCTIONS, METHODS
from .._tensor import Tensor
from . import functional as F
from . import init
from ._attention import as_hidden
from .activations import GELU, ReLU
from .containers import ModuleList
from .layers import Dropout, Linear
from .module import Layer
from .multihead import MultiheadAttention
from .normalization import LayerNorm

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip


def _activation(given):
    if given in ("relu", "gelu"):
        return getattr(F, given)
    if isinstance(given, str):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return given


class _Layer(Layer):
    """What layers of the encoder and the decoder have in common: parts that are added to their input and normalised."""

    self_attn: MultiheadAttention
    attentions: tuple[str, ...] = ("self_attn",)

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype))
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype)
        self.norm_first = norm_first
        parts = range(1, len(self.attentions) + 2)
        for k in parts:
            setattr(self, f"norm{k}", LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype))
        for k in parts:
            setattr(self, f"dropout{k}", Dropout(dropout))
        self.activation = _activation(activation)

    def _feed(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two linear layers, each added to its input and normalised.

    `src`: (length, batch, `d_model`), with `batch_first` (batch, length, `d_model`), or without a batch; the result likewise.
    Masks are as in `MultiheadAttention`.

    >>> import labkit.torch as torch
    >>> torch.nn.TransformerEncoderLayer(d_model=4, nhead=2)(torch.zeros(3, 1, 4)).shape
    torch.Size([3, 1, 4])
    """

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False) -> Tensor:
        masks = {"attn_mask": src_mask, "key_padding_mask": src_key_padding_mask, "is_causal": is_causal}
        return residual(self, src, lambda x: self.self_attn(x, x, x, need_weights=False, **masks)[0], self._feed)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to `memory`, then two linear layers; see `TransformerEncoderLayer`."""

    multihead_attn: MultiheadAttention
    attentions = ("self_attn", "multihead_attn")

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=False, memory_is_causal=False) -> Tensor:  # fmt: skip
        own = {"attn_mask": tgt_mask, "key_padding_mask": tgt_key_padding_mask, "is_causal": tgt_is_causal}
        other = {"attn_mask": memory_mask, "key_padding_mask": memory_key_padding_mask, "is_causal": memory_is_causal}
        return residual(
            self,
            tgt,
            lambda x: self.self_attn(x, x, x, need_weights=False, **own)[0],
            lambda x: self.multihead_attn(x, memory, memory, need_weights=False, **other)[0],
            self._feed,
        )


def _is_causal(mask, given, x, batch_first):
    """Whether a mask hides just what comes later, unless that is given."""
    if given is not None or mask is None:
        return given is True
    length = x.shape[0 if x.ndim == 2 else int(batch_first)]
    later = Transformer.generate_square_subsequent_mask(length, dtype=mask.dtype if mask.is_floating_point() else None)
    return mask.shape == later.shape and bool((mask == later).all())


class _Stack(Layer):
    def __init__(self, layer, num_layers, norm):
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def _normed(self, x):
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """`num_layers` copies of an encoder layer, one after the other, then `norm`, if there is one.

    As in PyTorch, where nothing is recorded in `eval` mode, padded places come out as zeros (before `norm`).
    """

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        why = _why_not_nested(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not why
        if enable_nested_tensor and why:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer{why}",
                stacklevel=2,
            )

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None) -> Tensor:
        padding, mask = (
            as_hidden(m, src.dtype, n) for m, n in ((src_key_padding_mask, "src_key_padding_mask"), (mask, "mask"))
        )
        is_causal, x = _is_causal(mask, is_causal, src, self.layers[0].self_attn.batch_first), src
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._leaves_out_padding(src):
            x = x.masked_fill(METHODS["ne"](padding, 0).unsqueeze(-1), 0.0)
        return self._normed(x)

    def _leaves_out_padding(self, src):
        if not self.use_nested_tensor or self.layers[0].training or src.ndim != 3:
            return False
        recorded = src.requires_grad or any(p.requires_grad for p in self.layers[0].parameters())
        return not (_modes.is_grad_enabled() and recorded)


def _why_not_nested(layer):
    """Why PyTorch does not leave padding out with such a layer; "" where it does."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    activation, attention = layer.activation, layer.self_attn
    reasons = {
        ".norm_first was True": layer.norm_first,
        ".self_attn.batch_first was not True(use batch_first for better inference performance)": not attention.batch_first,
        ".self_attn was passed bias=False": attention.in_proj_bias is None,
        ".activation_relu_or_gelu was not True": activation not in (F.relu, F.gelu)
        and not isinstance(activation, (ReLU, GELU)),
        ".self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((why for why, holds in reasons.items() if holds), "")


class TransformerDecoder(_Stack):
    """`num_layers` copies of a decoder layer, one after the other, then `norm`, if there is one."""

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__(decoder_layer, num_layers, norm)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=None, memory_is_causal=False) -> Tensor:  # fmt: skip
        causal, x = _is_causal(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first), tgt
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        for layer in self.layers:
            x = layer(x, memory, *masks, causal, memory_is_causal)
        return self._normed(x)


class Transformer(Layer):
    """An encoder of `src` and a decoder of `tgt` that attends to what came of it (A. Vaswani et al., 2017).

    `src` (length, batch, `d_model`), `tgt` (other length, batch, `d_model`), with `batch_first` the batch first; the result has
    the shape of `tgt`. Raises RuntimeError for other batches or sizes.

    >>> import labkit.torch as torch
    >>> net = torch.nn.Transformer(8, 2, 1, 1, dim_feedforward=16, batch_first=True)
    >>> net(torch.zeros(1, 5, 8), torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,
                 activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5, batch_first=False,
                 norm_first=False, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        options = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype)
        norm = lambda: LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.encoder: Any = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(d_model, nhead, *options), num_encoder_layers, norm()
        )
        self.decoder: Any = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(d_model, nhead, *options), num_decoder_layers, norm()
        )
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self):
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False) -> Tensor:  # fmt: skip
        place = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[place] != tgt.shape[place]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None) -> Tensor:
        """A mask (sz, sz) that hides what comes later: -inf above the diagonal, 0 elsewhere."""
        return FUNCTIONS["triu"](FUNCTIONS["full"]((sz, sz), -math.inf, dtype=dtype), 1)
