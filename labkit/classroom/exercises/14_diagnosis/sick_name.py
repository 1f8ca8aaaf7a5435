"""# Five new runs (3 points)

Each of five other runs has one of the faults `"detach"`, `"reset"`, `"broadcast"`, `"scale"` and `"clip"`, and each fault
occurs once. Name the fault of each run from its measurements. Answer with a list of five strings.

0. The loss falls from 1.1 to 0.667, the variance of the labels, and stays. Every layer moves. The 8 labels minus
   the 8 predictions take 256 bytes in float32.
1. The loss is 0.693 at every step, to the last digit. The largest gradient is `inf`.
2. The loss falls. The norm of the change since the start: `conv` 0, `dense` 0.41.
3. The loss falls by 0.0001 in each step. Rate 0.5, limit 2. The largest step has the norm 0.0078125.
4. The loss falls, rises, falls. With fixed weights and three calls of `backward`, the norms of `.grad` are 0.5, 1.0, 1.5.
"""

from labkit.classroom.writing import either, judged, wrong

answer = ["broadcast", "scale", "detach", "clip", "reset"]
rules = (
    "The bytes divided by 4 are the numbers of the difference: how many should it have?",
    "Nothing moves at all, and a gradient is not finite: what then happens to each step?",
    "Some weights never move, others do: which layers does the gradient not reach?",
    "Compare the step with rate times limit: what else made it smaller?",
    "The weights are fixed, and yet the norms of .grad grow by equal amounts: what happens to .grad between the calls?",
)
hints = (
    "First sort the runs: in which does no weight move, in which do some weights, and in which do all of them?",
    "256 / 4 bytes are 64 numbers: 8 rows of 8. And 0.0078125 is 1 / 128: compare it with rate * limit = 1.",
    "Run 1 is scale, run 2 is detach, run 4 is reset.",
)


def reference():
    """Each card's number, as the table of signs has it."""
    signs = {
        "weights fixed, losses equal, gradients infinite": "scale",
        "gradient grows from step to step at a fixed point": "reset",
        "one layer without a gradient": "detach",
        "result larger than inputs": "broadcast",
        "step shorter than rate times limit by the scale": "clip",
    }
    cards = (
        "result larger than inputs", "weights fixed, losses equal, gradients infinite", "one layer without a gradient",
        "step shorter than rate times limit by the scale", "gradient grows from step to step at a fixed point",
    )  # fmt: skip
    return [signs[card] for card in cards]


clip_for_scale = wrong(
    "Slow is not the same as still. A loss that is equal to the last digit means that no weight moves at all.",
    {1: "clip", 3: "scale"},
)

detach_for_broadcast = wrong(
    "In run 0 every layer moves, so nothing is cut off. Count: 8 float32 numbers take 32 bytes. What are 256?",
    {0: "detach"},
)

reset_for_detach = wrong(
    "In run 2 one layer does not move while another does: no gradient reaches it. In run 4 gradients add up.",
    {2: "reset", 4: "detach"},
)

four = judged("structure", ["broadcast", "scale", "detach", "clip"])

size_of_the_difference = wrong(
    "Run 0 gives the size of the difference: 256 bytes are 64 numbers, and there are 8 labels. Your fault does not explain "
    "this size.",
    {0: either("reset", "scale", "clip")},
)

nothing_moves = wrong(
    "In run 1 no loss differs from another, so no weight moves at all, and the largest gradient is inf: every step is skipped.",
    {1: either("reset", "detach", "broadcast")},
)

one_layer_stands = wrong(
    "In run 2 one layer does not move, and the other one does. Your fault would affect both layers.",
    {2: either("scale", "clip", "broadcast")},
)

step_is_short = wrong(
    "In run 3 everything is right except the size of the step: 1/128 of rate * limit. Which fault makes a step small?",
    {3: either("broadcast", "detach", "reset")},
)

old_gradients_stay = wrong(
    "In run 4 the weights do not change, and .grad grows by the same amount at each call: the old gradient is still in it.",
    {4: either("scale", "clip", "broadcast")},
)
