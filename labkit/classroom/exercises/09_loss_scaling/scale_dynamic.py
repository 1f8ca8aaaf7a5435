"""# Write the dynamic scaler (3 points)

A dynamic scaler stores two numbers: `scale`, and `counter`, the number of good steps in a row. Write
`adjust(scale, counter, finite, factor, window)`, which is called after each step; `finite` is True if all gradients of the
step were finite. It returns the tuple `(scale, counter)` for the next step.

- If the gradients were not finite, the scale is divided by `factor`, but never falls below 1, and the counter is reset to 0.
- If they were finite, the counter grows by one. When it reaches `window`, the scale is multiplied by `factor`, and the
  counter is reset to 0.
"""

from functools import partial

from labkit import mindspore as ms
from labkit.classroom.writing import judged, slip, wrong


def adjust(scale, counter, finite, factor, window):
    if not finite:
        return max(scale / factor, 1.0), 0
    counter = counter + 1
    if counter == window:
        return scale * factor, 0
    return scale, counter


def _drawn_step(rng, kind, factor):
    """A step that overflows at a scale "near 1" or "far" from it, a "good" one, or the "last" good one of a window."""
    window, finite = int(rng.integers(2, 6)), kind in ("good", "last")
    scale = float(rng.integers(1, factor)) if kind == "near 1" else 2.0 ** int(rng.integers(4, 12))
    counter = {"good": int(rng.integers(0, window - 1)), "last": window - 1}.get(kind, int(rng.integers(1, window)))
    if kind == "factor":  # as many good steps as the factor, not as the window
        window, finite, counter = factor + int(rng.integers(1, 3)), True, factor - 1
    return scale, counter, finite, factor, window


def reference(scale, counter, finite, factor, window):
    scaler = ms.amp.DynamicLossScaler(scale, factor, window)
    scaler.counter.set_data(ms.Tensor(counter, ms.int32))
    scaler.adjust(ms.Tensor(finite))
    return float(scaler.scale_value.asnumpy()), int(scaler.counter.asnumpy())


draw = tuple(
    partial(_drawn_step, kind=kind, factor=factor)
    for factor in (2, 3, 4)
    for kind in ("good", "last", "far", "near 1", "factor")
)
draws = 15


below_one = slip(
    "The scale fell below 1. A scale below 1 would make gradients smaller: stop at 1.",
    "max(scale / factor, 1.0) -> scale / factor",
)
counter_survives_overflow = slip("After an overflow the counting starts again at 0.", "1.0), 0 -> 1.0), counter")
counter_survives_growth = slip(
    "When the scale has grown, the counting of the next window starts again at 0.",
    "scale * factor, 0 -> scale * factor, counter",
)
one_step_late = slip(
    "The current step counts: first add one, then compare. When the counter reaches the window, the scale grows.",
    "counter == window -> counter == window + 1",
)
conditions_exchanged = slip(
    "`finite` is True after a good step. You treat good steps as overflows, and overflows as good steps.",
    "if not finite -> if finite",
)
counter_kept = slip(
    "After a good step the counter has to grow by one.", "return scale, counter\n -> return scale, counter - 1\n"
)


@wrong("The scale grew after a single good step. It grows only when the counter reaches the window.")
def no_window(scale, counter, finite, factor, window):
    return adjust(scale, 0, finite, factor, 1)


@wrong("Growing and shrinking are exchanged: overflow means that the scale is too large.")
def up_and_down_exchanged(scale, counter, finite, factor, window):
    return (scale / factor, 0) if finite else (scale * factor, 0)


@judged("kind")
def scale_alone(scale, counter, finite, factor, window):
    return scale


@judged("value")
def nothing_changes(scale, counter, finite, factor, window):
    return scale, counter


scale_kept_at_overflow = slip(
    "After an overflow the scale has to shrink.",
    "max(scale / factor, 1.0), 0 -> scale, 0",
)

factor_added = slip(
    "The scale is multiplied by the factor. You added the factor.",
    "scale * factor, 0 -> scale + factor, 0",
)

counts_from_one = slip(
    "When the scale has grown, the counter starts again at 0, not at 1.",
    "scale * factor, 0 -> scale * factor, 1",
)

smaller_of_both = slip(
    "min takes the smaller number, so the scale is never above 1. The scale may not fall below 1: max.",
    "max( -> min(",
)

factor_subtracted = slip(
    "After an overflow the scale is divided by the factor. You subtracted the factor.",
    "scale / factor, -> scale - factor,",
)

grows_while_counting = slip(
    "The scale grows in each good step before the window is full. It grows once, when the counter reaches the window.",
    "return scale, counter\n -> return scale * factor, counter\n",
)


two_for_the_factor = slip(
    "You multiply and divide by 2. Use the argument `factor`.",
    "scale / factor -> scale / 2",
    "scale * factor -> scale * 2",
)

counter_not_kept = slip(
    "After a good step the counter keeps its new value until it reaches the window. You set it back to 0.",
    "return scale, counter\n -> return scale, 0\n",
)

rounded_down = slip("// rounds down to a whole number. Divide with /.", "scale / factor -> scale // factor")
never_grows = slip("When the counter reaches the window, the scale grows.", "scale * factor, 0 -> scale, 0")
overflow_counted = slip("A step that overflows is not a good one: start again at 0.", "1.0), 0 -> 1.0), counter + 1")
one_after_overflow = slip("After an overflow the counting starts again at 0, not at 1.", "1.0), 0 -> 1.0), 1")
grows_one_step_early = slip(
    "The scale grows one step too early: wait until the counter, with this step, is equal to the window.",
    "counter == window -> counter == window - 1",
)
set_to_one = slip(
    "After an overflow the scale is divided by the factor. Yours is 1 each time.",
    "max(scale / factor, 1.0), 0 -> 1.0, 0",
)

kept_near_one = slip(
    "Where the scale would fall below 1, it becomes 1. You leave it unchanged.",
    "max(scale / factor, 1.0), 0 -> (scale / factor if scale / factor >= 1 else scale), 0",
)
floor_at_factor = slip(
    "The scale never falls below 1. Your limit is different.",
    "max(scale / factor, 1.0) -> max(scale / factor, factor)",
)


@wrong("You subtract part of the scale. After an overflow the scale is divided by the factor.")
def share_subtracted(scale, counter, finite, factor, window):
    return adjust(scale, counter, finite, factor, window) if finite else (max(1.0, scale - scale / factor), 0)


@wrong("Look at finite first: a step that overflows never increases the scale.")
def growth_first(scale, counter, finite, factor, window):
    return (scale * factor, 0) if counter + 1 == window else adjust(scale, counter, finite, factor, window)


one_less_after_overflow = slip(
    "After an overflow the counting starts again at 0. You only subtracted one step.", "1.0), 0 -> 1.0), counter - 1"
)
two_on_the_way_down = slip("You divide by 2. Use the argument `factor`.", "scale / factor -> scale / 2")
two_on_the_way_up = slip("You multiply by 2. Use the argument `factor`.", "scale * factor -> scale * 2")
larger_after_overflow = slip(
    "After an overflow the scale is divided by the factor. You multiplied it.", "scale / factor -> scale * factor"
)
smaller_after_the_window = slip(
    "When the counter reaches the window, the scale grows. You divided it.", "scale * factor, 0 -> scale / factor, 0"
)
factor_for_window = slip(
    "You exchanged `factor` and `window`.",
    "max(scale / factor, 1.0) -> max(scale / window, 1.0)",
    "counter == window -> counter == factor",
    "scale * factor -> scale * window",
)
window_compared_with_the_factor = slip(
    "The counter is compared with `window`, not with `factor`.", "counter == window -> counter == factor"
)
grown_twice = slip("The scale is multiplied by the factor once.", "scale * factor, 0 -> scale * factor * factor, 0")


@wrong("Set the counter to 0 after an overflow before you compare it with the window. It counts only good steps.")
def each_step_counted(scale, counter, finite, factor, window):
    scale, counter = scale if finite else max(scale / factor, 1.0), counter + 1
    return (scale * factor, 0) if counter == window else (scale, counter)


power_of_the_scale = slip(
    "The scale is multiplied by the factor. You raised it to a power.", "scale * factor, 0 -> scale**factor, 0"
)
counter_is_one = slip(
    "The counter grows by one from its old value. You set it to 1.", "counter = counter + 1 -> counter = 1"
)


counted_down = slip(
    "After a good step the counter grows by one. You counted down.", "counter = counter + 1 -> counter = counter - 1"
)
counted_twice = slip(
    "The counter grows by one in each good step. You added 2.", "counter = counter + 1 -> counter = counter + 2"
)
floor_at_two = slip(
    "The scale never falls below 1. Your limit is 2.", "max(scale / factor, 1.0) -> max(scale / factor, 2.0)"
)
smaller_by_the_factor = slip(
    "When the counter reaches the window, the scale is multiplied by the factor. You subtracted it.",
    "scale * factor, 0 -> scale - factor, 0",
)


hints = (
    "There are two cases: not finite, and finite. Start with the first one and return at once.",
    "Never below 1: max(scale / factor, 1.0).",
    "Good step: counter = counter + 1; if counter == window: return scale * factor, 0; else: return scale, counter.",
)
