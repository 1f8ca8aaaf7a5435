"""The twelve faults of the clinic, as data: the changed text of a part, and the measurements that reveal it.

A patient's program is compiled from the changed text, and `inspect` finds no source for it. Anyone who opens this file
learns how each fault is made, which elective E8 says in words, and nothing about which patient has it.
"""

import inspect
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from . import parts

PARTS = (
    "weights", "optimizer", "rate", "rows", "gather", "forward", "loss", "scale", "clear", "backward", "kept", "finish",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A fault: in the text of `part`, `healthy` becomes `ill`.

    Each measurement in `shown_by` distinguishes it from all other faults.
    """

    name: str
    says: str
    part: str
    healthy: str
    ill: str
    shown_by: tuple[str, ...]


FAULTS = {fault.name: fault for fault in (
    Fault("detached", "The first layer gets no gradient: the path is cut after tanh.", "forward",
          '@ p["W1"] + p["b1"])\n', '@ p["W1"] + p["b1"]).detach()\n', ("gradients", "why")),
    Fault("left-out", "The optimizer was not given the first layer.", "optimizer",
          "p.values()", "[p[name] for name in ('W2', 'b2')]", ("update",)),
    Fault("broadcast", "The loss broadcasts: each logit is compared with every label of its piece.", "loss",
          "    z = z[:, 0]\n", "", ("shapes",)),
    Fault("wrong-labels", "Points and labels are in different orders.", "gather", "y[rows]", "y[np.sort(rows)]", ("labels",)),
    Fault("not-reset", "The gradients of earlier steps are never cleared.", "clear",
          "one.grad = None", "one.requires_grad_()", ("fixed", "pieces")),
    Fault("sum-of-pieces", "The gradients of the pieces are added, and no mean is taken.", "backward",
          " / pieces", "", ("pieces",)),
    Fault("overflow", "The loss scale is far too high: every step is skipped.", "scale",
          "plan.scale", "plan.scale * 2.0**14", ("moved", "skips", "gradients", "norms", "fixed", "pieces")),
    Fault("clip-early", "The gradients are clipped while they are still scaled.", "finish",
          "norm = torch.sqrt(", "norm = scale * torch.sqrt(", ("norms",)),
    Fault("same-rows", "Both workers compute the same rows.", "rows", "batch[worker ::", "batch[0 ::", ("rows",)),
    Fault("stuck-warmup", "The learning rate stays at the first step of its warmup.", "rate", "(step + 1)", "1", ("rates",)),
    Fault("l2-decay", "The weight decay is added to the gradient, so Adam rescales it.", "optimizer", "AdamW", "Adam",
          ("update",)),
    Fault("half-weights", "Between steps the weights are stored in float16, so small changes are lost.", "kept",
          "return w", "return w.half().float()", ("formats",)),
)}  # fmt: skip

_HIDDEN = {"clip-early", "sum-of-pieces", "not-reset"}  # by an overflow: where nothing is finite, none of them shows


def together(names: Collection[str]) -> bool:
    """True for faults of which none hides another."""
    return "overflow" not in names or not _HIDDEN.intersection(names)


@cache
def sets_of(count: int) -> tuple[tuple[str, ...], ...]:
    """All sets of so many faults that may come together."""
    return tuple(names for names in combinations(FAULTS, count) if together(names))


def program(names: Collection[str]) -> dict[str, Any]:
    """The parts of a run by name, compiled with these faults in them."""
    made: dict[str, Any] = dict(vars(parts))
    for part in PARTS:
        text = _source(part)
        for fault in (FAULTS[name] for name in names):
            if fault.part == part:
                text = text.replace(fault.healthy, fault.ill)
        if text != _source(part):
            exec(compile(text, "<a patient>", "exec"), made)
    return {part: made[part] for part in PARTS}


@cache
def _source(part: str) -> str:
    return inspect.getsource(getattr(parts, part))
