"""The layers of a transformer."""

import copy

from ...parts import residual
from .._initializer import initializer
from ..dtype import float32
from ..ops import _op
from ..tensor import Tensor
from .attention import MultiheadAttention, dense
from .cell import Cell
from .container import CellList
from .dropout import Dropout
from .normalization import LayerNorm

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip

_OPS = _op.OPS


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
        self.dense1 = dense(d_model, dim_feedforward, dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = dense(dim_feedforward, d_model, dtype)
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
