"""# Repair one part (4 points)

Each patient in this exercise has one of the faults `broadcast`, `sum-of-pieces` and `clip-early`, or none. Write
`treat(name)`, which admits the patient once, measures, replaces the faulty part (and no healthy part) with yours, and returns
`patient.discharge()`. The three parts are:

- `loss(z, y)`: the mean cross-entropy of the logits `z`, of shape (n, 1), for the labels `y`, of shape (n,), 0 or 1. For one
  point it is `softplus(z) - y * z`.
- `backward(value, scale, pieces)`: `value` is the loss of one of `pieces` pieces. It adds the piece's share to the
  gradients, so that after the last piece they are the gradient of the mean over the pieces, times `scale`.
- `finish(gradients, scale, limit)`: `gradients` is a dict that maps names to gradients, each multiplied by `scale`. It
  returns the gradients as the optimizer needs them: unscaled, with a global norm of at most `limit`.
"""

from labkit import torch
from labkit.classroom import clinic
from labkit.classroom.clinic.drawing import admission
from labkit.classroom.clinic.faults import FAULTS
from labkit.classroom.writing import Way, strata, wrong


def treat(name):
    def loss(z, y):
        z = z[:, 0]
        return (torch.nn.functional.softplus(z) - y * z).mean()

    def share(value, scale, pieces):
        (value * scale / pieces).backward()

    def finish(gradients, scale, limit):
        g = {key: one / scale for key, one in gradients.items()}
        norm = float(sum((one**2).sum() for one in g.values())) ** 0.5
        return {key: one * min(1.0, limit / norm) for key, one in g.items()}

    patient = clinic.admit(name)
    if patient.measure("shapes") == (8, 8):
        patient.replace(loss=loss)
    if patient.measure("pieces")[0] == 2:
        patient.replace(backward=share)
    if patient.measure("norms")[0] != patient.plan.limit:
        patient.replace(finish=finish)
    return patient.discharge()


_PARTS = {("broadcast",): ("loss",), ("sum-of-pieces",): ("backward",), ("clip-early",): ("finish",), (): ()}


def reference(name):
    return _PARTS[admission(name).faults], ()


draw = strata(
    lambda rng: (int(rng.integers(2**31)),),
    *(lambda name, faults=faults: admission(name).faults == faults for faults in _PARTS),
)


def _by_its_chart(inputs, expected, got, done):
    """One admission, the patient's own sheet, and a measurement that tells the fault, or rules out all three."""
    ((paid, sheets),) = done["patients"]
    suspects = [fault for faults, parts in _PARTS.items() for fault in faults if not got[0] or parts == got[0]]
    return got in sheets and all({*FAULTS[fault].shown_by}.intersection(paid) for fault in suspects)


practice = True
ways = (
    Way(
        "Admit the patient once, measure what shows its fault, and return the sheet that the patient gives you, unchanged.",
        ("patients",),
        holds=_by_its_chart,
    ),
)


@wrong(
    "You replaced a part that was healthy. Measure first, and replace a part only where its measurement shows the fault.",
    when=lambda inputs, expected, got: set(got[0]) > set(expected[0]),
)
def all_three_replaced(name):
    patient = clinic.admit(name)
    return ("backward", "finish", "loss"), ()


def _kept(part):
    return lambda inputs, expected, got: not got[0] and expected[0] == (part,)


@wrong(
    "Patients with broadcast keep their fault: no part of theirs is replaced. Read shapes again.", when=_kept("loss")
)
def broadcast_kept(name):
    return ((), ("losses", "shapes")) if reference(name)[0] == ("loss",) else reference(name)


@wrong(
    "Patients with sum-of-pieces keep their fault: no part of theirs is replaced. Read pieces again.",
    when=_kept("backward"),
)
def sum_of_pieces_kept(name):
    return ((), ("fixed", "pieces")) if reference(name)[0] == ("backward",) else reference(name)


@wrong(
    "Patients with clip-early keep their fault: no part of theirs is replaced. Read norms again.", when=_kept("finish")
)
def clip_early_kept(name):
    return ((), ("norms", "fixed")) if reference(name)[0] == ("finish",) else reference(name)


@wrong(
    "No part is replaced in patients that keep their fault. Does the patient that you discharge have your parts?",
    when=lambda i, expected, got: not got[0] and expected[0],
)
def nothing_replaced(name):
    return clinic.admit(name).discharge()


def _treated(name, loss=None, backward=None, finish=None):
    patient = clinic.admit(name)
    parts = {"loss": loss, "backward": backward, "finish": finish}
    replaced = {part: parts[part] for part in reference(name)[0] if parts[part]}
    if replaced:
        patient.replace(**replaced)
        return patient.discharge()
    return reference(name)


def _factors(gradients, scale, factor):
    return {key: one / scale * factor(one / scale) for key, one in gradients.items()}


@wrong(
    "You replaced the faulty part, but your loss is different. The loss is the mean over the points of softplus(z) - y * z, "
    "and z is a column: use z[:, 0].",
    when=lambda i, expected, got: got[0] == expected[0] == ("loss",) and got[1],
)
def another_loss(name):
    return _treated(name, loss=lambda z, y: (torch.nn.functional.softplus(z[:, 0]) - y * z[:, 0]).sum())


@wrong(
    "You replaced the faulty part, but your gradients lack the scale: differentiate value * scale / pieces.",
    when=lambda i, expected, got: got[0] == expected[0] == ("backward",) and "norms" in got[1],
)
def scale_left_out(name):
    return _treated(name, backward=lambda value, scale, pieces: (value / pieces).backward())


@wrong(
    "You replaced the faulty part, but your gradients have the wrong size: each loss is divided by pieces, once.",
    when=lambda i, expected, got: got[0] == expected[0] == ("backward",) and got[1] == ("fixed",),
)
def pieces_added(name):
    return _treated(name, backward=lambda value, scale, pieces: (value * scale).backward())


@wrong(
    "You replaced the faulty part, but you increase gradients below the limit: unscale first, and clip only a norm above "
    "the limit.",
    when=lambda i, expected, got: got[0] == expected[0] == ("finish",) and got[1] == ("finish",),
)
def always_at_the_limit(name):
    def finish(gradients, scale, limit):
        norm = float(sum((one**2).sum() for one in gradients.values())) ** 0.5
        return {key: one * (limit / norm) for key, one in gradients.items()}

    return _treated(name, finish=finish)


@wrong(
    "You replaced the faulty part, but the clipped norm is not the limit. Divide by the scale first; then take one global "
    "norm, the root of the sum of all squares, and one factor for all.",
    when=lambda i, expected, got: got[0] == expected[0] == ("finish",) and "norms" in got[1],
)
def each_alone(name):
    return _treated(
        name,
        finish=lambda g, scale, limit: _factors(g, scale, lambda one: min(1.0, limit / float((one**2).sum() ** 0.5))),
    )


@wrong(
    "The parts that you replaced are not the faulty ones. Compare each measurement with that of a healthy textbook patient.",
    when=lambda i, expected, got: got[0] != expected[0],
)
def another_part(name):
    patient = clinic.admit(name)
    if patient.measure("pieces")[0] == 2:
        patient.replace(clear=lambda p: None)
    return patient.discharge()


errors = (
    ("has no attribute 'values'", "finish gets a dict, and returns a dict with the same names."),
    (
        "must be Tensor, not int",
        "Without a gradient there is no norm: your backward has to call .backward() on its share.",
    ),
    ("has no attribute 'items'", "finish gets a dict, and returns a dict with the same names."),
)


hints = (
    "Each of the three faults has one measurement: which shape, which ratio, which norm?",
    "loss: make z a vector before you compare. backward: divide by the number of pieces. finish: unscale, then "
    "the norm.",
    "One factor for all gradients: min(1, limit / norm), where norm is the root of the sum of all squares.",
)
