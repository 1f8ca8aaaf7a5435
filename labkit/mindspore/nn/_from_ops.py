"""Losses and layers that are an op with its options fixed: a table from class to op and options, in their order."""

from inspect import Parameter, Signature

from ..ops import _op
from ..ops._more_losses import poisson_nll_loss
from ..ops._primitives import chosen
from .cell import Cell
from .losses import LossBase


def _product(x1, x2, transpose_x1=False, transpose_x2=False):
    """The matrix product, of `x1` and `x2` with their last two axes exchanged where that is asked for."""
    first, second = (x.swapaxes(-1, -2) if turned else x for x, turned in ((x1, transpose_x1), (x2, transpose_x2)))
    return _op.OPS["matmul"](first, second)


_LOSSES = {  # class: (op, the options of the class with their defaults)
    "CosineEmbeddingLoss": ("cosine_embedding_loss", {"margin": 0.0, "reduction": "mean"}),
    "HingeEmbeddingLoss": ("hinge_embedding_loss", {"margin": 1.0, "reduction": "mean"}),
    "KLDivLoss": ("kl_div", {"reduction": "mean"}),
    "MarginRankingLoss": ("margin_ranking_loss", {"margin": 0.0, "reduction": "mean"}),
    "MultiLabelSoftMarginLoss": ("multilabel_soft_margin_loss", {"weight": None, "reduction": "mean"}),
    "MultiMarginLoss": ("multi_margin_loss", {"p": 1, "margin": 1.0, "reduction": "mean", "weight": None}),
    "PoissonNLLLoss": (poisson_nll_loss, {"log_input": True, "full": False, "eps": 1e-8, "reduction": "mean"}),
    "GaussianNLLLoss": ("gaussian_nll_loss", {"full": False, "eps": 1e-6, "reduction": "mean"}),
    "SoftMarginLoss": ("soft_margin_loss", {"reduction": "mean"}),
    "TripletMarginLoss": (
        "triplet_margin_loss",
        {"p": 2, "swap": False, "eps": 1e-6, "reduction": "mean", "margin": 1.0},
    ),
    "MAELoss": ("l1_loss", {"reduction": "mean"}),
}
REDUCTIONS = ("none", "mean", "sum")
_LAYERS: dict[str, tuple] = {
    "AdaptiveAvgPool1d": ("adaptive_avg_pool1d", ("output_size",)),
    "AdaptiveAvgPool2d": ("adaptive_avg_pool2d", ("output_size",)),
    "AdaptiveMaxPool2d": ("adaptive_max_pool2d", ("output_size", "return_indices")),
    "PixelShuffle": ("pixel_shuffle", ("upscale_factor",)),
    "PixelUnshuffle": ("pixel_unshuffle", ("downscale_factor",)),
    "ChannelShuffle": ("channel_shuffle", ("groups",)),
    "AdaptiveMaxPool1d": ("adaptive_max_pool1d", ("output_size",)),
    "AdaptiveAvgPool3d": ("adaptive_avg_pool3d", ("output_size",)),
    "AdaptiveMaxPool3d": ("adaptive_max_pool3d", ("output_size", "return_indices")),
    "FractionalMaxPool2d": (
        "fractional_max_pool2d",
        ("kernel_size", "output_size", "output_ratio", "return_indices", "_random_samples"),
    ),
    "FractionalMaxPool3d": (
        "fractional_max_pool3d",
        ("kernel_size", "output_size", "output_ratio", "return_indices", "_random_samples"),
    ),
    "MaxUnpool1d": ("max_unpool1d", ("kernel_size", "stride", "padding")),
    "MaxUnpool2d": ("max_unpool2d", ("kernel_size", "stride", "padding")),
    "MaxUnpool3d": ("max_unpool3d", ("kernel_size", "stride", "padding")),
    "DiGamma": ("digamma", ()),
    "LGamma": ("lgamma", ()),
    "LPPool1d": ("lp_pool1d", ("norm_type", "kernel_size", "stride", "ceil_mode")),
    "LPPool2d": ("lp_pool2d", ("norm_type", "kernel_size", "stride", "ceil_mode")),
    "LRN": ("lrn", ("depth_radius", "bias", "alpha", "beta", "norm_region")),
    "MatDet": ("det", ()),
    "MatInverse": ("inverse", ()),
    "MatMul": (_product, ("transpose_x1", "transpose_x2")),
    "Upsample": ("interpolate", ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")),
}


def _op_of(op):
    return _op.OPS[op] if isinstance(op, str) else op


def _loss(name, op, defaults):
    def __init__(self, *args, **named):
        given = {**defaults, **chosen(name, defaults, args, named)}
        reduction = given["reduction"] if given["reduction"] != "batchmean" else "mean"
        LossBase.__init__(self, reduction)
        for option, value in given.items():
            setattr(self, option, value)

    def construct(self, *tensors):
        return _op_of(op)(*tensors, **{option: getattr(self, option) for option in defaults})

    shown = op if isinstance(op, str) else op.__name__
    doc = f"`ops.{shown}` as a cell, with the options {', '.join(defaults)}."
    return type(
        name, (LossBase,), {"__init__": __init__, "construct": construct, "__doc__": doc, "__module__": __name__}
    )


def _layer(name, op, options):
    signature = Signature([Parameter(option, Parameter.POSITIONAL_OR_KEYWORD) for option in options[:1]])

    def __init__(self, *args, **named):
        Cell.__init__(self)
        self._given = chosen(name, options, args, named)
        for option, value in self._given.items():
            setattr(self, option, value)

    def construct(self, *inputs):
        return _op_of(op)(*inputs, **self._given)

    shown = op if isinstance(op, str) else "matmul"
    doc = f"`ops.{shown}` as a cell, with the options {', '.join(options) or '()'}."
    members = {"__init__": __init__, "construct": construct, "__module__": __name__, "__signature__": signature}
    return type(name, (Cell,), {**members, "__doc__": doc})


CLASSES = {name: _loss(name, *spec) for name, spec in _LOSSES.items()}
CLASSES |= {name: _layer(name, *spec) for name, spec in _LAYERS.items()}
