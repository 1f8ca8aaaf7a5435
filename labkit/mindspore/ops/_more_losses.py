"""Losses made of other ops: distances of pairs, margins, divergences of distributions."""

import math
from collections.abc import Callable

import autograd.numpy as anp

from ..tensor import Tensor, wrap
from ._entropy import reduced
from ._joining import select
from ._op import OPS, register

_exp, _log, _softplus, _sqrt = (OPS[name] for name in ("exp", "log", "softplus", "sqrt"))


def _total(losses, reduction, owner):
    return reduced(losses._value, reduction, owner)


def _above(x, least=0.0):
    return select(x > least, x, least + 0 * x)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along `dim`; lengths count as `eps` at least."""
    lengths = [_above(_sqrt((x * x).sum(dim)), eps) for x in (x1, x2)]
    return (x1 * x2).sum(dim) / (lengths[0] * lengths[1])


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """1 - cosine where `target` is 1, the cosine above `margin` where it is -1."""
    dots, squares = (input1 * input2).sum(-1), [(x * x).sum(-1) + 1e-12 for x in (input1, input2)]
    cosine = dots / _sqrt(squares[0] * squares[1])
    zero = 0 * cosine
    losses = select(target == 1, 1 - cosine, zero) + select(target == -1, _above(cosine - margin), zero)
    return _total(losses, reduction, "cosine_embedding_loss")


def hinge_embedding_loss(inputs, targets, margin=1.0, reduction="mean"):
    """x where the target is 1, max(0, margin - x) where it is -1."""
    losses = select(targets == 1, inputs, 0 * inputs) + select(targets == -1, _above(margin - inputs), 0 * inputs)
    return _total(losses, reduction, "hinge_embedding_loss")


def kl_div(logits, labels, reduction="mean"):
    """labels (log(labels) - logits): `logits` are log-probabilities. "batchmean" divides the sum by the examples."""
    losses = select(labels > 0, labels * (_log(_above(labels, 1e-38)) - logits), 0 * labels)
    if reduction == "batchmean":
        return losses.sum() / logits.shape[0]
    return _total(losses, reduction, "kl_div")


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """max(0, -target (input1 - input2) + margin)."""
    return _total(_above(-target * (input1 - input2) + margin), reduction, "margin_ranking_loss")


def soft_margin_loss(input, target, reduction="mean"):
    """log(1 + exp(-target x))."""
    return _total(_log(1 + _exp(-target * input)), reduction, "soft_margin_loss")


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean"):
    """The mean over classes of the log-loss of scores, each class by itself."""
    losses = target * _softplus(-input) + (1 - target) * _softplus(input)
    losses = losses if weight is None else losses * weight
    return _total(losses.mean(-1), reduction, "multilabel_soft_margin_loss")


def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction="mean"):
    """The mean over the other classes of max(0, margin - x[target] + x)^p."""
    classes = input.shape[1]
    own = OPS["one_hot"](target, classes, Tensor(1.0, input.dtype), Tensor(0.0, input.dtype))
    apart = _above(margin - (input * own).sum(1, True) + input) * (1 - own)
    losses = apart if p == 1 else apart * apart
    losses = losses if weight is None else losses * weight[target].reshape(-1, 1)
    return _total(losses.sum(1) / classes, reduction, "multi_margin_loss")


def gaussian_nll_loss(x, target, var, full=False, eps=1e-6, reduction="mean"):
    """Half of log(var) + (x - target)^2 / var, `var` being `eps` at least; `full` adds half of log(2 pi)."""
    spread = select(var > eps, var, OPS["stop_gradient"](0 * var + eps))
    losses = 0.5 * (_log(spread) + (x - target) ** 2 / spread) + (0.5 * math.log(2 * math.pi) if full else 0.0)
    return _total(losses, reduction, "gaussian_nll_loss")


def poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean"):
    """exp(x) - target x, or with `log_input` False x - target log(x); `full` adds Stirling's approximation."""
    losses = _exp(input) - target * input if log_input else input - target * _log(input + eps)
    if full:
        above = _above(target, 1.0)
        stirling = above * _log(above) - above + 0.5 * _log(2 * math.pi * above)
        losses = losses + select(target > 1, stirling, 0 * stirling)
    return _total(losses, reduction, "poisson_nll_loss")


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean"):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), with the distance of order `p`."""
    near, far = _distance(anchor, positive, p, eps), _distance(anchor, negative, p, eps)
    far = OPS["minimum"](far, _distance(positive, negative, p, eps)) if swap else far
    return _total(_above(near - far + margin), reduction, "triplet_margin_loss")


def _distance(x, y, p, eps):
    return ((x - y + eps).abs() ** p).sum(-1) ** (1 / p)


def dist(input, other, p=2):
    """The norm of order `p` of the difference."""
    return OPS["norm"]((input - other).ravel(), p, 0)


def cdist(x1, x2, p=2.0):
    """The distance of order `p` of each row of `x1` from each row of `x2`."""
    apart = OPS["expand_dims"](x1, -2) - OPS["expand_dims"](x2, -3)
    return wrap(_rows_norm(apart._value, float(p)))


def _rows_norm(value, p):
    if p == math.inf:
        return anp.max(anp.abs(value), -1)
    return anp.sum(anp.abs(value) ** p, -1) ** (1 / p)


LOSSES = (
    cosine_embedding_loss, hinge_embedding_loss, kl_div, margin_ranking_loss, soft_margin_loss, multilabel_soft_margin_loss,
    multi_margin_loss, gaussian_nll_loss, triplet_margin_loss,
)  # fmt: skip
for _fun in (*LOSSES, cosine_similarity, cdist, dist):
    register(_fun, method=False)
OPTIONS: dict[str, tuple[dict, Callable]] = {
    "KLDivLoss": ({"reduction": "mean"}, lambda o, x, y: kl_div(x, y, o["reduction"]))
}
