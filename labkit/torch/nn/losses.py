"""Losses and distances as modules: `loss(input, target)`, reduced to the mean by default."""

from math import prod

from .._tensor import Tensor
from . import functional as F
from ._losses import by_old_words
from ._made import of_function
from .layers import Linear
from .module import Layer

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss",
    "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LinearCrossEntropyLoss", "MSELoss",
    "MarginRankingLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "PairwiseDistance",
    "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip


class _Loss(Layer):
    """A loss of one's own: `forward` computes it by `self.reduction`, "mean", "sum" or "none"."""

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = by_old_words(size_average, reduce) or reduction


class _WeightedLoss(_Loss):
    """The same with a buffer `weight`."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


_WEIGHTED = ("BCELoss", "CrossEntropyLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss")


def _loss(name, fun, tensors=2, **defaults):
    base = _WeightedLoss if name in _WEIGHTED else _Loss if name.endswith("Loss") else Layer
    return of_function(name, fun, __name__, tensors, base=base, **defaults)


BCELoss, BCEWithLogitsLoss = (
    _loss("BCELoss", F.binary_cross_entropy),
    _loss("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits),
)
CrossEntropyLoss, NLLLoss = _loss("CrossEntropyLoss", F.cross_entropy), _loss("NLLLoss", F.nll_loss)
CTCLoss = _loss("CTCLoss", F.ctc_loss, 4)
MSELoss, L1Loss = _loss("MSELoss", F.mse_loss), _loss("L1Loss", F.l1_loss)
HuberLoss, SmoothL1Loss = _loss("HuberLoss", F.huber_loss), _loss("SmoothL1Loss", F.smooth_l1_loss)
KLDivLoss, PoissonNLLLoss = _loss("KLDivLoss", F.kl_div), _loss("PoissonNLLLoss", F.poisson_nll_loss)
GaussianNLLLoss = _loss("GaussianNLLLoss", F.gaussian_nll_loss, 3)
HingeEmbeddingLoss, SoftMarginLoss = (
    _loss("HingeEmbeddingLoss", F.hinge_embedding_loss),
    _loss("SoftMarginLoss", F.soft_margin_loss),
)
MarginRankingLoss = _loss("MarginRankingLoss", F.margin_ranking_loss, 3, margin=0.0)
CosineEmbeddingLoss = _loss("CosineEmbeddingLoss", F.cosine_embedding_loss, 3, margin=0.0)
MultiMarginLoss, MultiLabelMarginLoss = (
    _loss("MultiMarginLoss", F.multi_margin_loss),
    _loss("MultiLabelMarginLoss", F.multilabel_margin_loss),
)
MultiLabelSoftMarginLoss = _loss("MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss)
TripletMarginLoss = _loss("TripletMarginLoss", F.triplet_margin_loss, 3, p=2.0)
CosineSimilarity, PairwiseDistance = (
    _loss("CosineSimilarity", F.cosine_similarity),
    _loss("PairwiseDistance", F.pairwise_distance),
)


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with a distance of one's own."""

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(reduction=reduction)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor, positive, negative) -> Tensor:
        how = {"margin": self.margin, "swap": self.swap, "reduction": self.reduction}
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, **how
        )


class LinearCrossEntropyLoss(Layer):
    """`CrossEntropyLoss` of the scores that a linear layer of its own makes of the input; see `linear_cross_entropy`."""

    def __init__(
        self, in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None, reduction="mean", weight=None,
        ignore_index=None, label_smoothing=0.0, options=None,
    ):  # fmt: skip
        super().__init__()
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        self.register_buffer("weight", weight)
        self.reduction, self.num_classes, self.out_features = reduction, num_classes, out_features
        self.ignore_index, self.label_smoothing, self.options = ignore_index, label_smoothing, options
        self.linear = Linear(in_features, prod(out_features, start=num_classes), bias, device, dtype)

    def forward(self, input, target) -> Tensor:
        shape, bias = (self.num_classes, *self.out_features), self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*shape, -1)),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        own = ("num_classes", "out_features"), ("reduction", "ignore_index", "label_smoothing", "options")
        first, last = (", ".join(f"{name}={getattr(self, name)}" for name in names) for names in own)
        return f"in_features={self.linear.in_features}, {first}, bias={self.linear.bias is not None}, {last}"
