"""# Which order is wrong? (3 points)

There are two workers and a loss scale, and sometimes an inf in the gradient of one worker. Write `"right"` for an order that
always works, and otherwise the name of the mistake:

- `"scale"`: the clip gets gradients that are still multiplied by the loss scale
- `"alone"`: each worker's gradient is clipped separately, so the step has another direction
- `"apart"`: after an overflow one worker skips its step and the other does not
- `"hidden"`: an overflow is not noticed

Answer with a list of six strings.

0. unscale, clip, reduce, check; clip by global norm
1. reduce, unscale, check, clip; clip by global norm
2. reduce, clip, unscale, check; clip by global norm
3. unscale, check, reduce, clip; clip by global norm
4. unscale, reduce, clip, check; clip by global norm
5. unscale, reduce, clip, check; clip by value
"""

from labkit.classroom.writing import either, judged, wrong

answer = ["alone", "right", "scale", "apart", "right", "hidden"]
rules = (
    "The clip comes before the reduce here: what does each worker do on its own?",
    "Ask at the clip: are the gradients unscaled, and do they include all workers? Then ask the same at the check.",
    "By what are the gradients still multiplied when they are clipped?",
    "The check comes before the reduce here: which worker sees an inf, and which does not?",
    "After the reduce every worker has the same gradient. What does a clip by norm turn an inf into: can the check still "
    "see it?",
    "What does a clip by value turn an inf into: can the check still see it?",
)
hints = (
    "Two things belong after the reduce: the clip, and the check. One thing belongs before the clip: the unscale.",
    "What does each of the two clips return for an inf? A check can find only one of the two results.",
    "Two orders are right. The other four have four different faults.",
)
SIGNS = {  # part of what `faults` says -> the word for it
    "sees gradients": "scale",
    "clipped on its own": "alone",
    "worker 2 skips": "apart",
    "goes unnoticed": "hidden",
}
ORDERS = (
    ("unscale, clip, reduce, check", "global norm"),
    ("reduce, unscale, check, clip", "global norm"),
    ("reduce, clip, unscale, check", "global norm"),
    ("unscale, check, reduce, clip", "global norm"),
    ("unscale, reduce, clip, check", "global norm"),
    ("unscale, reduce, clip, check", "value"),
)


def _verdict(order, rule):
    from labkit.widgets.labs.clipping import faults

    said = " ".join(sentence for overflow in (False, True) for sentence in faults(order.split(", "), overflow, rule))
    return next((word for sign, word in SIGNS.items() if sign in said), "right")


def reference():
    return [_verdict(*order) for order in ORDERS]


documents_are_right = wrong(
    "Order 0 is the documented order, and it is wrong with two workers: the clip must get the mean.", {0: "right"}
)

unscale_must_come_first = wrong(
    "Unscale and reduce are both linear, so they may change places. Order 1 works.",
    {1: lambda expected, got: got in SIGNS.values()},
    answer={1: "scale"},
)

one_check_each_is_enough = wrong(
    "In order 3 each worker looks at its own gradient. The worker with an inf skips its step; the other worker takes its "
    "step.",
    {3: "right"},
)

every_clip_hides = wrong(
    "The global norm of a gradient with an inf is inf, and inf / inf is nan. So a check after that clip sees it.",
    {4: "hidden"},
)

no_clip_hides = wrong(
    "By value, an inf becomes the limit: a finite number like any other. A check after that clip sees nothing.",
    {5: "right"},
)

other_word = judged("scale-does-not-matter", {2: "alone"})

scale_does_not_matter = wrong(
    "In order 2 the clip comes before the unscale: it compares scaled gradients with the limit.",
    {2: either("right", "alone")},
)

check_after_the_clip = wrong(
    "In order 4 all workers hold the same reduced gradient, and a clip by norm turns an inf into nan. The check "
    "still sees it.",
    {4: "apart"},
)

one_worker_hides = wrong(
    "In order 3 the check sees the inf, but only on the worker that has it.",
    {3: either("hidden", "alone")},
)

by_value_turns = wrong(
    "A clip by value changes the direction of the step, but in the same way on all workers. The inf matters more: it "
    "becomes a finite number.",
    {5: either("alone", "scale", "apart")},
)

norm_shows_inf = wrong(
    "In order 0 the clip is by norm: it turns an inf into nan, which the check finds. But each worker clips its own "
    "gradient.",
    {0: either("hidden", "apart")},
)

unscaled_first = wrong(
    "This order unscales first, so that the clip sees unscaled gradients.", {0: "scale", 3: "scale", 4: "scale"}
)

reduced_before = wrong(
    "This order reduces before the clip, so that all workers hold and clip the same gradient.", {1: "alone", 4: "alone"}
)

clip_sees_the_scale = wrong(
    "In order 2 all workers have the same gradient, and the check finds an inf. But the clip comes before the unscale.",
    {2: either("hidden", "apart")},
)
