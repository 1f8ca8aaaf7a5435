"""# Save the part that rounding loses (3 points)

Suppose that float32 weights do not fit into memory. A second float16 array, `rest`, can save the part that rounding loses in
each step, which is then added to the next step. In every step:

- the intended step is the old rest plus `-lr * g`;
- the new weights are the old weights plus the intended step, rounded to float16 as always;
- the new rest is the intended step minus the actual change of the weights.

This training does not use the rest:

[[still_absorbed as train]]

Write `train(w, g, lr, steps)`. `w` and `g` are float16 arrays; `g` is the same in every step, and the rest is 0
at the beginning. Return the tuple `(w, rest)` of two float16 arrays after all steps.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import Way, judged, slip, wrong


def train(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = rest - lr * g
        moved = w + step
        rest = step - (moved - w)
        w = moved
    return w, rest


def _weights(rng, lr, steps):
    """Weights in two binades, a gradient of both signs, and so many steps or half as many more."""
    w, g = (
        rng.uniform(0.6, 2.0, 4) * rng.permutation([-1, 1, -1, 1]),
        rng.uniform(0.1, 0.2, 4) * rng.permutation([-1, 1, -1, 1]),
    )
    return w.astype(np.float16), g.astype(np.float16), lr, int(rng.integers(steps, 1.5 * steps + 1))


draw = (partial(_weights, lr=1e-3, steps=40), partial(_weights, lr=0.3, steps=3), partial(_weights, lr=1e-3, steps=1))
draws = 6


@wrong("The rest is not passed to the next step, so each step is absorbed again. The step to take is rest - lr * g.")
def still_absorbed(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        moved = w - lr * g
        rest = -lr * g - (moved - w)
        w = moved
    return w, rest


@wrong("The rest has the wrong sign: it is the step to take minus the change of the weights.")
def what_was_too_much(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = rest - lr * g
        moved = w + step
        rest = (moved - w) - step
        w = moved
    return w, rest


@wrong(
    "In each step the old rest is lost: compare the change of the weights with rest - lr * g, not with -lr * g alone."
)
def old_rest_forgotten(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        moved = w + (rest - lr * g)
        rest = -lr * g - (moved - w)
        w = moved
    return w, rest


@wrong(
    "Your rest still contains the change of the weights. Subtract this change, moved - w, with the w from before the step."
)
def nothing_taken_away(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        rest = rest - lr * g
        w = w + rest
    return w, rest


@wrong("You add the rest only at the end. Add it in each step: where it has grown to a gap, the weights move.")
def added_at_the_end(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        rest = rest - lr * g
    moved = w + rest
    return moved, rest - (moved - w)


@wrong("The weights moved in the wrong direction: a step goes against the gradient, rest - lr * g.")
def uphill(w, g, lr, steps):
    return train(w, -g, lr, steps)


@wrong("The learning rate is missing from the steps.")
def no_learning_rate(w, g, lr, steps):
    return train(w, g, 1.0, steps)


@judged("forbidden")
def rest_in_float64(w, g, lr, steps):
    rest = np.zeros(len(w))
    for _ in range(steps):
        step = rest - lr * g
        moved = (w + step).astype(np.float16)
        rest = step - (moved - w)
        w = moved
    return w, rest


@judged("kind")
def weights_alone(w, g, lr, steps):
    return train(w, g, lr, steps)[0]


added_up_and_never_used = slip(
    "The rest is added up, but no step uses it. The step to take is rest - lr * g.",
    "step = rest - lr * g -> step = -lr * g",
    "rest = step - -> rest = rest + step -",
)

rest_subtracted = slip(
    "You subtract the rest from the step. The rest is a change that the weights still need: add it.",
    "step = rest - -> step = -rest -",
)

movement_only = slip(
    "The rest is the step to take minus the change of the weights. You kept the change.",
    "rest = step - (moved - w) -> rest = moved - w",
)

rest_counted_twice = slip(
    "The step contains the old rest already, and you add the old rest once more. The new rest is step - (moved - w).",
    "rest = step - (moved - w) -> rest = rest + (step - (moved - w))",
)

one_step_less = slip("You take one step too few.", "range(steps) -> range(steps - 1)")
one_step_more = slip("You take one step too many.", "range(steps) -> range(steps + 1)")
weights_kept = slip(
    "The weights that you return are the old ones. Each step has to store the new ones in w.", "        w = moved\n -> "
)


@wrong(
    "You kept the weights in float32 from step to step. Round them to float16 in each step; only the rest saves the lost "
    "part."
)
def rounded_at_the_end(w, g, lr, steps):
    exact = w.astype(np.float32)
    for _ in range(steps):
        exact = exact - lr * g.astype(np.float32)
    return exact.astype(np.float16), (exact - exact.astype(np.float16)).astype(np.float16)


rest_times_the_rate = slip(
    "The rest is a step already: it is not multiplied by lr.", "step = rest - lr * g -> step = -lr * (g - rest)"
)
rest_added_to_the_gradient = slip(
    "The rest is a step already: add it to -lr * g, not to g.", "step = rest - lr * g -> step = -lr * (g + rest)"
)
rest_forgets_the_rate = slip(
    "The step to take contains lr, for the new rest as well.", "rest = step - (moved -> rest = -g - (moved"
)

measured_after_the_move = slip(
    "You replaced w before you measured its change. Keep the w from before the step.",
    "rest = step - (moved - w) -> rest = step - ((moved + step) - moved)",
)

rest_begins_at_g = slip("The rest is 0 at the beginning.", "rest = np.zeros_like(w) -> rest = g.copy()")
moved_against_the_step = slip("The new weights are the old ones plus the step.", "moved = w + step -> moved = w - step")
sign_of_the_whole = slip(
    "Your rest has the other sign: the step that is left is added to the weights, as -lr * g is.",
    "return w, rest -> return w, -rest",
)

rest_added_to_the_weights = slip(
    "You added the rest to w first, where rounding loses it again. Add it to the step, which is small: rest - lr * g.",
    "moved = w + step -> moved = (w + rest) + (-lr * g)",
)

every_step_from_the_start = slip(
    "Your weights are the first ones plus one step. Each step has to start at the weights that the step "
    "before it left.",
    "        w = moved\n -> ",
    "return w, rest -> return moved, rest",
)


@judged("rest-counted-twice")
def rest_added_before(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = rest - lr * g
        moved = w + step
        rest = rest + step - (moved - w)
        w = moved
    return w, rest


@wrong("You return a step as the rest. The rest is what is left of the step when moved - w is subtracted.", parts=(1,))
def step_for_the_rest(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = rest - lr * g
        moved = w + step
        rest = step - (moved - w)
        w = moved
    return w, step


@wrong(
    "Your rest is 0 or next to 0. It is what is lost when each new w is rounded to float16, and w + step is "
    "rounded in the same way as moved.",
    when=lambda i, expected, got: np.shape(got[1]) == np.shape(i[0]) and np.abs(got[1]).max() < 1e-6,
)
def zeros_returned(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = rest - lr * g
        moved = w + step
        rest = (w + step) - moved
        w = moved
    return w, rest


@judged("zeros-returned")
def never_rounded(w, g, lr, steps):
    rest, w = np.zeros(len(w)), w.astype(np.float64)
    for _ in range(steps):
        step = rest - lr * g
        moved = w + step
        rest = step - (moved - w)
        w = moved
    return w, rest


step_minus_the_weights = slip(
    "You subtracted the new weights from the step. Subtract the change of the weights, moved - w.",
    "rest = step - (moved - w) -> rest = step - moved",
)
change_upside_down = slip(
    "The change of the weights is the new ones minus the old ones. Yours has the other sign, so the rest grows.",
    "rest = step - (moved - w) -> rest = step - (w - moved)",
)
absorbed_steps_only = slip(
    "You keep a rest only where a step is absorbed as a whole. Rounding also takes a part of the steps that move a weight.",
    "rest = step - (moved - w) -> rest = np.where(moved == w, step, 0).astype(np.float16)",
)
first_step_only = slip(
    "The return is inside the loop: only one step is taken.", "    return w, rest ->         return w, rest"
)


step_for_the_weights = slip(
    "The new weights are the old ones plus the step. You kept the step alone.", "moved = w + step -> moved = step"
)
sum_for_the_change = slip(
    "The change of the weights is the new ones minus the old ones. You added them.",
    "rest = step - (moved - w) -> rest = step - (moved + w)",
)


sign_and_old_rest = slip(
    "Your rest has the wrong sign, and the old rest is missing in it.",
    "rest = step - (moved - w) -> rest = lr * g + (moved - w)",
)


ways = (
    Way(
        "Both arrays that you return have to be float16, as w is.",
        (),
        holds=lambda inputs, expected, got, done: all(np.asarray(part).dtype == np.float16 for part in got),
    ),
)


hints = (
    "The rest is what rounding removed from the last step. It is at most half the gap at the new w.",
    "Three lines in the loop: step = rest - lr * g; moved = w + step; rest = step - (moved - w). Then w = moved.",
    "rest = np.zeros_like(w) before the loop, and return w, rest after it.",
)
