"""Finds the cause in the numbers of the backward pass."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .flow import Bad, Flow, finite, largest, plain

SMALL = 1e-4  # of the upstream gradient of the loss: below, a gradient is called small
SHRINKS = 0.05  # of the upstream gradient
NEARLY = 1e-3  # of what the parts of a sum come to: less is not a chance, where they are few
ROUNDED = 1000  # units in the last place: less of a sum is what rounding leaves


@dataclass(frozen=True, eq=False)
class Finding:
    """What was found: `what` the gradient is, the `cause`, the `op` and the `place`, and figures for the sentences."""

    what: str
    cause: str
    op: str = ""
    place: Any = None
    figures: dict[str, Any] = field(default_factory=dict)


def examine(flow: Flow) -> Finding:
    """Why the gradient of the target is what it is. `flow.gradient` is an array."""
    assert flow.gradient is not None
    told = _nan if not finite(flow.gradient) else _zero if largest(flow.gradient) == 0 else _shrunk
    finding = told(flow)
    finding.figures["bad"] = flow.bad
    return finding


_NAN_CAUSES = {
    "brought": "nan in the data", "unseen": "unknown", "itself": "nan in the tensor itself", "leaf": "nan in a weight",
    "large": "overflow in {op}",
}  # fmt: skip


def _nan(flow):
    if flow.bad is not None:
        op, place, given = flow.bad
        cause = _NAN_CAUSES.get(given, "nan from {op}").format(op=op)
        return Finding("nan", cause, op, place, {"forward": True, "given": given})
    for step in flow.steps:
        sent = next((s for s in step.sent if not finite(s.value)), None)
        if finite(step.arrived) and sent is not None:
            what = "nan" if np.isnan(plain(sent.value)).any() else "inf"
            figures = {"sent": what, "zeros": bool(np.any(plain(step.arrived) == 0)), "written": step.written}
            before = flow.first_bad(step.key)
            if before is None and flow.given(step.key) - {"large"}:
                before = Bad(step.op, step.place, "brought")
            if before is not None and (
                before.given in ("itself", "leaf") or before == (step.op, step.place, "brought")
            ):
                figures |= {"given": before.given, "through": (step.op, step.place)}
                return Finding("nan", _NAN_CAUSES[before.given], before.op, before.place, figures)
            if before is not None and before.given != "brought" and before[:2] != (step.op, step.place):
                figures["through"] = (step.op, step.place)
                op, place, _ = before
                return Finding("nan", f"{what} from {op}", op, place, figures)
            return Finding("nan", f"{what} from {step.op}", step.op, step.place, figures)
    return Finding("nan", "nan from the start")


def _zero(flow):
    ends = [(step, sent) for step in flow.steps for sent in step.sent if _arriving(step) and not np.any(sent.value)]
    silent = next((step for step in flow.steps if largest(step.arrived) and not step.sent), None)
    if not ends and silent is not None:
        what = "None" if flow.none else "zero"
        return Finding(what, "no gradient from {op}".format(op=silent.op), silent.op, silent.place, {"silent": True})
    if not ends:
        return _cancelled(flow)
    step, sent = max(ends, key=lambda pair: _arriving(pair[0]))
    empty = next((s for s in flow.steps if not s.arrived.size and any(one.value.size for one in s.sent)), None)
    if not sent.value.size and empty is not None:
        return Finding("zero", "empty result of {op}".format(op=empty.op), empty.op, empty.place)
    figures: dict[str, Any] = {"arrived": _arriving(step), "also": len({s.place for s, _ in ends}) - 1}
    maker = _maker_of_zeros(flow, step, sent)
    if maker is not None:
        step, sent = maker
        figures["arrived"] = _arriving(step)
    return Finding("zero", _name_of_end(step, sent, figures), step.op, step.place, figures)


def _arriving(step):
    """The largest entry of the upstream gradient, infinite where it is not finite."""
    return largest(step.arrived) if finite(step.arrived) else np.inf


def _name_of_end(step, sent, figures):
    """Why a step sends nothing where something arrives."""
    lost = _lost(step, sent)
    if lost:
        figures["lost"], figures["dtype"] = lost, step.kind or str(sent.value.dtype)
        return f"lost in {figures['dtype']}"
    if step.written:
        return f"zeros from {step.op}"
    if _cancels(step, sent, figures):
        return "cancelled"
    if step.op in OVERWRITING:
        return "overwritten"
    probe = sent.probe()
    constant = probe is not None and np.ptp(probe.values) == 0
    if probe is not None and probe.here is not None and not constant:
        word = probe.word(probe.here[probe.here == 0] if largest(sent.value) else probe.here)
        if word:
            figures["numbers"], figures["usual"] = probe.here.size, probe.usual
            return f"{word} {step.op}"
    if any(factor.size and not factor.any() for factor in step.factors):
        return "multiplied by zero"
    if constant:
        return "overwritten" if largest(probe.values) else "multiplied by zero"
    if _couples(step, sent) or ("softmax" in step.op and min(step.arrived.shape, default=1) > 1):
        return f"saturated {step.op}"
    figures["shape"] = step.arrived.shape
    chosen = step.elsewhere() or largest(sent.value)  # others of its arguments, or others of the entries
    return "not chosen" if chosen else "zero slope of {op}".format(op=step.op)


OVERWRITING = (
    "zero", "fill", "copy", "copy_slices", "set_item", "setitem", "__setitem__", "index_put", "assign", "normal", "uniform",
    "masked_fill",
)  # fmt: skip


def _lost(step, sent):
    """How large what is sent would be if the dtype could hold it: a derivative is linear, so it is asked about more."""
    size = _arriving(step)
    scale = 2.0 ** np.floor(np.log2(256 / size)) if np.isfinite(size) else 1.0
    if scale <= 1:
        return 0.0
    more = _sent_again(step, sent, lambda gradient: gradient * scale)
    return largest(more[sent.value == 0] if np.shape(more) == np.shape(sent.value) else more) / scale


def _sent_again(step, sent, change):
    """What a step would send where `sent` is, if another gradient arrived; zeros where that cannot be found out."""
    with np.errstate(all="ignore"):
        found = step.again(change)
    return found[step.sent.index(sent)] if len(found) == len(step.sent) else np.zeros(1)


def _maker_of_zeros(flow, step, sent):
    """The step and what it sent that made zero, further up, just those entries that this one would send on; or None."""
    if not largest(_sent_again(step, sent, lambda gradient: gradient * 0 + 1)) or _couples(step, sent):
        return None
    into, key = flow.into(), step.key
    while key in into:
        above, given = max(into[key], key=lambda pair: largest(pair[1].value))
        if finite(given.value) and _zeros(given.value) > _zeros(above.arrived):
            return above, given
        key = above.key
    return None


def _cancels(step, sent, figures, exactly=True):
    """Whether an op adds up its upstream gradient to zero but for rounding, although the absolute values give a large sum; or
    removes the part that all entries share, as a softmax does. Not `exactly`: to almost zero."""
    if not finite(step.arrived):
        return False
    one, mixed = (largest(_sent_again(step, sent, change)) for change in (abs, _mixed))
    exact = np.finfo(sent.value.dtype if sent.value.dtype.kind == "f" else np.float32).eps
    limit = ROUNDED * exact if exactly else min(NEARLY, NEARLY * 50 / max(step.arrived.size, 1) ** 0.5)
    figures["parts"], figures["mixed"] = one, mixed
    return largest(sent.value) < limit * max(one, mixed)


def _mixed(gradient):
    """With the signs of many of its entries turned, in no order that an axis has."""
    turned = gradient * 1
    for stride in (2, 3, 5, 7):
        turned.reshape(-1)[::stride] *= -1
    return turned


def _couples(step, sent):
    """Whether the upstream gradient of one entry reaches others, too, as in a softmax."""
    zeros = np.flatnonzero(plain(step.arrived) == 0)
    if step.arrived.shape != sent.value.shape or not step.arrived.size:
        return False
    place = int(zeros[0]) if zeros.size else 0
    found = plain(_sent_again(step, sent, lambda gradient: _unit(gradient, place))).ravel()
    return bool(found.size == step.arrived.size and np.any(np.delete(found, place)))


def _unit(gradient, place):
    one = gradient * 0
    one.reshape(-1)[place] = 1
    return one


def _zeros(array):
    return float(np.mean(plain(array) == 0)) if np.size(array) else 0.0


def _cancelled(flow):
    for parts in flow.into().values():
        if len(parts) > 1 and any(largest(sent.value) for _, sent in parts) and not largest(_sum(parts)):
            step = parts[-1][0]
            return Finding("zero", "cancelled", step.op, step.place, {"uses": len(parts)})
    return Finding("zero", "zero from the start")


def _sum(parts):
    return sum(plain(sent.value) for _, sent in parts)


def _shrunk(flow):
    """Along the way that brings most to the target: where it shrinks most, and which op shrinks most altogether."""
    way = _widest(flow)
    size = largest(flow.gradient)
    norm = float(np.linalg.norm(plain(flow.gradient)))
    figures: dict[str, Any] = {"size": size, "norm": norm}
    start = largest(flow.steps[0].arrived) if flow.steps else 1.0
    if not way:
        return Finding("healthy", "", figures=figures)
    falls = [(largest(sent.value) / largest(step.arrived), step, sent) for step, sent in way]
    fall, step, sent = min(falls, key=lambda f: f[0])
    figures |= {"fall": fall, "start": start, "together": _together(falls, step.op), "silent": _silent(way)}
    if size < SMALL * start and _cancels(step, sent, figures, exactly=False):
        return Finding("small", "cancelled", step.op, step.place, figures)
    probe = sent.probe() if fall < SHRINKS else None
    word = probe.word(probe.here) if probe is not None and probe.here is not None else ""
    figures["usual"] = probe.usual if probe is not None else 0.0
    if word == "saturated" or size < SMALL * start:
        return Finding("small", f"{word} {step.op}" if word else f"shrinks at {step.op}", step.op, step.place, figures)
    return Finding("healthy", "", step.op, step.place, figures)


def _silent(way):
    """`(share, op, place)` of the op that lets the fewest entries through, where it answers entry by entry."""
    found = [
        (float(np.mean(np.abs(s.value[a != 0]) < 0.01 * np.abs(a[a != 0]))), step.op, step.place)
        for step, s in way
        if (a := step.arrived).shape == s.value.shape and np.any(a != 0) and a.size > 1
    ]
    return max(found, key=lambda one: one[0], default=(0.0, "", None))


def _widest(flow):
    """The steps from the target up to the loss, each time the one that sends most."""
    way: list = []
    key = flow.target
    into = flow.into()
    while key in into:
        step, sent = max(into[key], key=lambda pair: largest(pair[1].value))
        way.append((step, sent))
        key = step.key
    return way


def _together(falls, op):
    """How many ops of this name are on the path, and by what factor they shrink the gradient together."""
    same = [fall for fall, step, _ in falls if step.op == op]
    return len(same), float(np.prod(same))
