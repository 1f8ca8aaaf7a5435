"""In which order: unscale, reduce, clip and check, for two workers in all 24 orders, computed with real operations.

Each worker holds a gradient that still carries the loss scale. To unscale is to divide by it; to reduce is to take the mean
of both workers; to clip is to limit; to check is to look, on each worker, for what is not finite. A worker that finds
something skips its step.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from ....mindspore import Tensor, ops
from ....mindspore.amp import StaticLossScaler, all_finite
from ...kit.words import number

ITEMS = ("unscale", "reduce", "clip", "check")
ORDERS = list(permutations(ITEMS))
DOCUMENTS = ("unscale", "clip", "reduce", "check")  # of MyTrainOneStepCell in MindSpore's documents
SCALE, LIMIT = 1024.0, 1.0
GRADIENTS = ((30.0, 0.0), (0.0, 0.3))  # of worker 1 and worker 2, without the scale
RULES = ("global norm", "value")


@dataclass(frozen=True)
class Stage:
    """After one operation: the values of both workers, and whether `reduce` has made them one."""

    item: str
    values: tuple[np.ndarray, np.ndarray]
    reduced: bool


@dataclass(frozen=True)
class Flow:
    """What becomes of the gradients: the stages, the first being "arrives", and which workers skip their step."""

    order: tuple[str, ...]
    rule: str
    stages: list[Stage]
    skips: tuple[bool, bool]

    @property
    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """What comes out for both workers."""
        return self.stages[-1].values


def clip(gradient: Tensor, rule: str) -> Tensor:
    """One worker's gradient at LIMIT, by `ops.clip_by_global_norm` or by `ops.clip_by_value`."""
    if rule == "value":
        return ops.clip_by_value(gradient, -LIMIT, LIMIT)
    return ops.clip_by_global_norm((gradient,), LIMIT)[0]


def flow(order: Sequence[str], overflow: bool = False, rule: str = "global norm") -> Flow:
    """Run the operations in this order, with an inf in worker 2's gradient if `overflow`.

    >>> flow(("unscale", "clip", "reduce", "check")).result[0]
    array([0.5 , 0.15], dtype=float32)
    """
    scaler = StaticLossScaler(SCALE)
    now = [scaler.scale(Tensor(np.array(g, np.float32))) for g in GRADIENTS]
    if overflow:
        now[1] = Tensor(np.array([0.0, np.inf], np.float32))
    stages, skips, reduced = [_stage("arrives", now, False)], (False, False), False
    for item in order:
        if item == "unscale":
            now = [scaler.unscale(gradient) for gradient in now]
        elif item == "reduce":
            now, reduced = [ops.add(*now) / 2.0] * 2, True
        elif item == "clip":
            now = [clip(gradient, rule) for gradient in now]
        else:
            skips = (not all_finite((now[0],)), not all_finite((now[1],)))
        stages.append(_stage(item, now, reduced))
    return Flow(tuple(order), rule, stages, skips)


def _stage(item, now, reduced):
    return Stage(item, (now[0].asnumpy(), now[1].asnumpy()), reduced)


def wanted(rule: str) -> np.ndarray:
    """The right result: the mean of the gradients without a scale, clipped."""
    return clip(Tensor(np.mean(GRADIENTS, axis=0).astype(np.float32)), rule).asnumpy()


def faults(order: Sequence[str], overflow: bool, rule: str) -> list[str]:
    """What is wrong with this step, as sentences; none where it is right.

    Without overflow the result must be `wanted`, with it both workers must skip.

    >>> faults(("unscale", "reduce", "clip", "check"), False, "global norm")
    []
    """
    run = flow(order, overflow, rule)
    if overflow:
        return _overflow_faults(run)
    if np.allclose(run.result[0], wanted(rule), rtol=1e-4):
        return []
    said, place = [], run.order.index
    if place("clip") < place("unscale"):
        said.append(f"The clip comes before the unscale: it sees gradients {SCALE:g} times too long.")
    if place("clip") < place("reduce"):
        said.append("The clip comes before the reduce: each worker is clipped on its own, and the ratios change.")
    return said


def _overflow_faults(run):
    if all(run.skips):
        return []
    if any(run.skips):
        return [
            f"The check comes before the reduce: worker 2 skips, but worker 1 updates by {gradient_words(run.result[0])}. "
            "(all_finite looks at one worker; MindSpore's loss-scale cell also shares what it has found.)"
        ]
    return ["The clip has made a finite number of inf before anyone checks: the overflow is not seen."]


def right(order: Sequence[str], rule: str) -> bool:
    """Whether an order is right without overflow and with it.

    >>> sum(right(order, "global norm") for order in ORDERS), sum(right(order, "value") for order in ORDERS)
    (5, 3)
    """
    return not faults(order, False, rule) and not faults(order, True, rule)


def gradient_words(gradient: Iterable[float]) -> str:
    """A gradient as it is written in the picture.

    >>> gradient_words([30720.0, 0.99995]), gradient_words([float("inf"), 0.3])
    ('[30720, 1]', '[inf, 0.3]')
    """
    return f"[{', '.join(f'{v:.5g}' if np.isfinite(v) and abs(v) >= 100 else number(v) for v in gradient)}]"
