"""In which order: unscale, reduce, clip and check, for two workers in all 24 orders, computed with real operations.

Each worker holds a gradient that still carries the loss scale. To unscale is to divide by it; to reduce is to take the mean
of both workers; to clip is to limit; to check is to look, on each worker, for what is not finite. A worker that finds
something skips its step.
"""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from ....mindspore import Tensor, ops
from ....mindspore.amp import StaticLossScaler, all_finite
from ...kit.words import number

ORDERS = list(permutations(("unscale", "reduce", "clip", "check")))
SCALE, LIMIT = 1024.0, 1.0
GRADIENTS = ((30.0, 0.0), (0.0, 0.3))  # of worker 1 and worker 2, without the scale


def clip(gradient: Tensor, rule: str) -> Tensor:
    """One worker's gradient at LIMIT, by `ops.clip_by_global_norm`, or if `rule` is "value" by `ops.clip_by_value`."""
    if rule == "value":
        return ops.clip_by_value(gradient, -LIMIT, LIMIT)
    return ops.clip_by_global_norm((gradient,), LIMIT)[0]


def flow(
    order: Sequence[str], overflow: bool = False, rule: str = "global norm"
) -> tuple[list[np.ndarray], list[bool]]:
    """The results of both workers, and which of them skip their step; an inf is in worker 2's gradient if `overflow`.

    >>> flow(("unscale", "clip", "reduce", "check"))[0][0]
    array([0.5 , 0.15], dtype=float32)
    """
    scaler = StaticLossScaler(SCALE)
    now = [scaler.scale(Tensor(np.array(g, np.float32))) for g in GRADIENTS]
    if overflow:
        now[1] = Tensor(np.array([0.0, np.inf], np.float32))
    skips = [False, False]
    for item in order:
        if item == "unscale":
            now = [scaler.unscale(gradient) for gradient in now]
        elif item == "reduce":
            now = [ops.add(*now) / 2.0] * 2
        elif item == "clip":
            now = [clip(gradient, rule) for gradient in now]
        else:
            skips = [not all_finite((gradient,)) for gradient in now]
    return [gradient.asnumpy() for gradient in now], skips


def wanted(rule: str) -> np.ndarray:
    """The right result: the mean of the gradients without a scale, clipped."""
    return clip(Tensor(np.mean(GRADIENTS, axis=0).astype(np.float32)), rule).asnumpy()


def faults(order: Sequence[str], overflow: bool, rule: str) -> list[str]:
    """What is wrong with this step, as sentences; none where it is right.

    Without overflow the result must be `wanted`, with it both workers must skip.

    >>> faults(("unscale", "reduce", "clip", "check"), False, "global norm")
    []
    """
    results, skips = flow(order, overflow, rule)
    if overflow:
        return _overflow_faults(results, skips)
    if np.allclose(results[0], wanted(rule), rtol=1e-4):
        return []
    said, place = [], tuple(order).index
    if place("clip") < place("unscale"):
        said.append(f"The clip comes before the unscale: it sees gradients {SCALE:g} times too large.")
    if place("clip") < place("reduce"):
        said.append("The clip comes before the reduce: each worker is clipped on its own, and the ratios change.")
    return said


def _overflow_faults(results, skips):
    if all(skips):
        return []
    if any(skips):
        update = ", ".join(number(v) for v in results[0])
        return [
            f"The check comes before the reduce: worker 2 skips, but worker 1 updates by [{update}]. "
            "(all_finite checks one worker; MindSpore's loss-scale cell also shares the result.)"
        ]
    return ["The clip turns inf into a finite number before the check, so the overflow goes unnoticed."]


def right(order: Sequence[str], rule: str) -> bool:
    """Whether an order is right without overflow and with it.

    >>> sum(right(order, "global norm") for order in ORDERS), sum(right(order, "value") for order in ORDERS)
    (5, 3)
    """
    return not faults(order, False, rule) and not faults(order, True, rule)
