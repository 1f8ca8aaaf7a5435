"""e8 The ward: faults that no unit has shown."""

from sheets import above, right, wrong

from labkit import torch
from labkit.classroom import clinic


def logistic(z, y):
    return torch.nn.functional.binary_cross_entropy_with_logits(z.reshape(-1), y)


def share(value, scale, pieces):
    (value / pieces * scale).backward()


def clipped(gradients, scale, limit):
    unscaled = {name: g / scale for name, g in gradients.items()}
    norm = sum(float((g**2).sum()) for g in unscaled.values()) ** 0.5
    return unscaled if norm <= limit else {name: g * (limit / norm) for name, g in unscaled.items()}


@right("ward-patch", "with the library's loss, and a clip by cases")
def answer(name):
    patient = clinic.admit(name)
    if len(set(patient.measure("shapes"))) == 1:
        patient.replace(loss=logistic)
    if patient.measure("pieces")[0] > 1.5:
        patient.replace(backward=share)
    if patient.measure("norms")[0] < 0.9 * patient.plan.limit:
        patient.replace(finish=clipped)
    return patient.discharge()


wrong("ward-patch", "the sum of the losses", above("loss=logistic -> loss=lambda z, y: logistic(z, y) * len(y)"))
wrong("ward-patch", "norms compared in the wrong direction", above("< 0.9 * -> > 1.1 *"))

SIGNS = {
    "stuck-warmup": ("rates", lambda shown, plan: shown[0] == shown[-1]),
    "half-weights": ("formats", lambda shown, plan: not shown),
    "same-rows": ("rows", lambda shown, plan: shown[-1] < 64),
    "wrong-labels": ("labels", lambda shown, plan: shown > 0),
    "broadcast": ("shapes", lambda shown, plan: shown[1] > 1),
    "detached": ("gradients", lambda shown, plan: None in shown.values()),
    "left-out": ("update", lambda shown, plan: shown["b1"] == 1),
    "l2-decay": ("update", lambda shown, plan: shown["b2"] < 1 - 2 * plan.rate * plan.decay),
    "overflow": ("skips", lambda shown, plan: shown == 3),
    "sum-of-pieces": ("pieces", lambda shown, plan: shown[0] == plan.pieces),
    "not-reset": ("pieces", lambda shown, plan: shown[1] > 1.5 * shown[0]),
    "clip-early": ("norms", lambda shown, plan: 0 < sum(shown) < plan.limit),
}


@right("ward-diagnose", "a table of signs")
def answer(name):
    patient = clinic.admit(name)
    found = {fault: what for fault, (what, sign) in SIGNS.items() if sign(patient.measure(what), patient.plan)}
    return patient.submit(found)


@wrong("ward-diagnose", "a condition upside down")
def answer(name):
    patient = clinic.admit(name)
    signs = {**SIGNS, "broadcast": ("shapes", lambda shown, plan: shown[1] == 1)}
    found = {fault: what for fault, (what, sign) in signs.items() if sign(patient.measure(what), patient.plan)}
    return patient.submit(found)
