"""Answers for the installed PyTorch: the possible causes for a finished graph, and what a run shows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..realtape import array_of, is_real_module, is_real_tensor, reached, touched, unchanged
from .answer import Why
from .cut_words import beside
from .cutting import cut_off
from .graph_answer import Standing, about, judged
from .mode import RealRun
from .provenance_paths import cuts
from .real import RealReading
from .taped import asks_for_none
from .words import answer

POSSIBLE = (
    "it was detached: detach(), .data, torch.tensor(w) or a new Parameter made from it",
    "it was used while recording was off: no_grad, inference_mode",
    "it was converted to integers or booleans: a cast, a comparison, argmax",
    "it was converted to NumPy or Python numbers: numpy(), item(), tolist()",
    "a result computed from it was overwritten through .data or under no_grad",
    "it was never used: the loss is computed from another tensor, or from a copy",
)
_RUN_IT = "labkit.why(lambda: ..., w), with the computation of the loss inside, runs it once and names the line."


def of_real_tape(loss: Any, w: Any, held: Any = None) -> Why:
    """The answer for two tensors, whose tape is finished: it has no lines, and nothing of what was not recorded."""
    if not w.requires_grad:
        return asks_for_none(w, None, not (w.is_floating_point() or w.is_complex()))
    reading = RealReading(loss, w)
    if reading.reached or loss is w:
        return judged(reading, _standing(w, held), "")
    said = "No path in the graph leads from the loss to this tensor."
    if not reading.order:
        said = "The loss has no grad_fn: no recorded op led to it."
    open_ways = POSSIBLE if loss.is_floating_point() else (POSSIBLE[2],)
    trace = "PyTorch keeps no trace of ops that it did not record. Possible causes:"
    return answer("None", "unknown", [said, trace], None, _RUN_IT, open_ways)


def of_real_run(fun: Callable[..., Any], w: Any, held: Any = None) -> Why:
    """The answer for a function, run once and watched."""
    if not w.requires_grad:
        return asks_for_none(w, None, not (w.is_floating_point() or w.is_complex()))
    used = reached(fun).values()
    modules, tensors = ([one for one in used if is_one(one)] for is_one in (is_real_module, is_real_tensor))
    with unchanged(modules, tensors, held=touched(fun)):
        return _of_run(RealRun(fun, w), w, held)


def _of_run(run, w, held):
    standing = _standing(w, held, run)
    run.put_back()
    ends, sight = run.sight.ends(run.outputs[:1]), run.sight
    reading = run.reading() if is_real_tensor(run.loss) else None
    if reading is None or not (reading.reached or run.loss is w):
        return cut_off(ends, sight.target, sight.exits, "None", run.outputs)
    return judged(reading, standing, beside([note for end in ends for note in cuts(end, sight.target)]))


def _standing(w, held, run=None):
    given = held if held is not None else w.grad if w.is_leaf or w.retains_grad else None
    array = None if given is None else array_of(given) if is_real_tensor(given) else np.asarray(given)
    hooks = list((getattr(w, "_backward_hooks", None) or {}).values()) + (run.hooks if run is not None else [])
    where = run.lines.get(w.grad_fn) if run is not None else None
    changed = run.changes.get(id(given)) if run is not None else None
    walked, forgotten = (held is not None, None) if run is None else (id(run.loss) in run.walks, run.forgotten)
    hook = about(next(iter(hooks), None))
    return Standing(array, w.is_leaf, changed, forgotten, walked, hook, where, run is not None)
