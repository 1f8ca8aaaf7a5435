"""Losses and distances as modules: `loss(input, target)`, reduced to the mean by default."""

from .._tensor import Tensor
from . import functional as F
from ._losses import by_old_words
from ._made import of_function
from .module import Layer

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "PairwiseDistance", "PoissonNLLLoss", "SmoothL1Loss",
    "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
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
