"""Where a hook changed a gradient: something else arrives than what was sent there."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....engine import Summary
from ....realtape import Tape
from ...kit.words import faulty, norm, number
from .findings import Finding

ROUNDED = {
    "float16": 1e-2,
    "bfloat16": 5e-2,
    "float64": 1e-9,
}  # of the longest number; what adding up in another order may do
MOST_TOLD = 3


def hooked(tape: Tape) -> Iterator[Finding]:
    """The first few places, nearest to the loss, and first of all one that makes nan or inf."""
    found = list(_changes(tape)) if tape.backward and not tape.failed else []
    bad = [one for one in found if faulty(one[2]) and not any(map(faulty, one[1]))]
    for i, sent, arrived in (bad or found)[:MOST_TOLD]:
        node = tape.nodes[i]
        at = node.label or f"the result of {node.op}"
        if bad:
            yield Finding(
                f"The first {faulty(arrived)} among the gradients comes from a hook at {at}: finite numbers came.", (i,)
            )
        else:
            before, after = (number(float(norm(one))) for one in (_sum(sent), arrived))
            yield Finding(
                f"A hook changes the gradient at {at}: its length was {before}, and is {after} after it.", (i,)
            )


def _changes(tape: Tape) -> Iterator[tuple[int, list[Any], Any]]:
    """`(node, what was sent there, what arrives)` where these are not the same, the end first."""
    sent: dict[tuple[int, int], list[Any]] = {}
    for i, nr in tape.roots:
        sent.setdefault((i, nr), []).append(np.ones(tape.nodes[i].outputs[nr][0]) if _small(tape, i, nr) else None)
    for step in tape.steps:
        for edge, value in zip(tape.nodes[step.node].parents, step.sent, strict=False):
            if edge is not None and value is not None:
                sent.setdefault(edge, []).append(value.numbers)
    arrived = {(step.node, nr): value for step in tape.steps for nr, value in step.arrived.items()}
    arrived |= {(i, 0): value for i, value in tape.gradients.items()}
    for edge in sorted(sent, reverse=True):
        if edge in arrived and not _same(sent[edge], arrived[edge].numbers, arrived[edge].dtype):
            yield edge[0], sent[edge], arrived[edge].numbers


def _small(tape, i, nr):
    return np.prod(tape.nodes[i].outputs[nr][0]) <= 256


def _same(sent: list[Any], arrived: Any, dtype: str) -> bool:
    """Whether it is what was sent, as far as that is known."""
    if any(one is None for one in sent):
        return True
    if faulty(arrived) or any(map(faulty, sent)):
        return not faulty(arrived) or any(map(faulty, sent))
    close, total = ROUNDED.get(dtype, 1e-4), _sum(sent)
    if isinstance(total, Summary | None) or isinstance(arrived, Summary):
        known = total is not None and getattr(total, "norm", 0) is not None and getattr(arrived, "norm", 0) is not None
        return not known or abs(norm(total) - norm(arrived)) <= close * max(norm(total), norm(arrived))
    largest = max((np.abs(one).max(initial=0) for one in (*sent, arrived)), default=0)
    return total.shape != arrived.shape or bool(np.all(np.abs(total - arrived) <= close * largest))


def _sum(sent: list[Any]) -> Any:
    """None where it is not known: of several summaries."""
    if len(sent) == 1:
        return sent[0]
    return (
        None
        if any(isinstance(one, Summary) for one in sent)
        else sum(np.asarray(one, complex if one.dtype.kind == "c" else float) for one in sent)
    )
