"""# Read the instruments (2 points)

What do the instruments show of these patients? The plan: batches of 32 of the 64 points, two workers, each of
which takes its 16 points in two pieces. Rate 1/8, weight decay 1/4, limit 1/64, loss scale 1024.

0. `pieces` of a patient with `sum-of-pieces` and `not-reset`: a list of two numbers
1. `rows` of a patient with `same-rows`: a list of three numbers
2. `shapes` of a patient with `broadcast`: a tuple
3. `skips` of a patient with `overflow`: a number (of the first three steps)
4. `update` of a patient with `l2-decay`: what became of the first number of W2, to four decimals
5. `arriving` of a patient with `clip-early`: the first number, as a fraction of the limit: 1 over which number?
"""

from labkit.classroom import clinic
from labkit.classroom.writing import either, judged, wrong

answer = [[2, 4], [32, 32, 32], (8, 8), 3, 0.875, 1024]
places = ("pieces", "rows", "shapes", "skips", "update", "arriving")
rules = (
    "Of two pieces each is twice its share, and what is gathered stays for the next step.",
    "Both workers see the same points: how many are that in one epoch, and how many together?",
    "A column of 8 logits against a row of 8 labels.",
    "With a static scale, what overflows once overflows always.",
    "Adam divides a gradient by its own size: how long is its first step, however small the gradient?",
    "The norm of the scaled gradients is brought to the limit, and then the scale is taken away.",
)
hints = (
    "Admit textbook patients, such as clinic.admit(1, with_faults=('same-rows',)), and measure them.",
    "Their plan is another one: say in terms of plan.rate, plan.limit and plan.scale what you see.",
    "Item 4: with L2 the decay is a gradient of 1/4, and Adam's first step has the length of the rate.",
)


def _shown(what, *faults):
    patient = next(p for p in (clinic.admit(i, with_faults=faults) for i in range(1000)) if p.plan.rate == 1 / 8)
    return patient.measure(what), patient.plan


def reference():
    pieces, _ = _shown("pieces", "sum-of-pieces", "not-reset")
    arriving, plan = _shown("arriving", "clip-early")
    return [
        pieces, _shown("rows", "same-rows")[0], _shown("shapes", "broadcast")[0], _shown("skips", "overflow")[0],
        round(_shown("update", "l2-decay")[0]["W2"], 4), round(plan.limit / arriving[0] / plan.scale * 1024),
    ]  # fmt: skip


one_fault_alone = wrong(
    "Both faults are there: each step adds twice the mean to what is left.", {0: either([1, 2], [2, 2])}
)
halves = wrong(
    "Each worker takes part in every batch: 16 points of each of two batches.", {1: either([16, 16, 16], [16, 16, 32])}
)
all_the_same = wrong(
    "In an epoch all 64 points come, but both workers get the same half of each batch.", {1: [64, 64, 64]}
)
a_batch = wrong("The loss sees one piece: 8 points.", {2: either((16, 16), (32, 32))})
decoupled = wrong(
    "That is AdamW: the weights shrink by rate times decay. With L2 Adam takes the decay for a gradient.", {4: 0.9688}
)
recovers = judged("value", {3: 1})
the_limit = judged("value", {5: 1})
