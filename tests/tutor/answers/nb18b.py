"""18b The ward: patients that nobody has seen."""

from sheets import above, right, wrong

from labkit import torch
from labkit.classroom import clinic

shown = [[2, 4], [32, 32, 32], (8, 8), 3, 0.875, 1024]
wrong("ward-read", "the steps are not reset, and the sum is forgotten", [[1, 2], *shown[1:]])
wrong("ward-read", "each worker sees half of the points", [shown[0], [32, 32, 64], *shown[2:]])
wrong("ward-read", "a table of a worker's points", [*shown[:2], (16, 16), *shown[3:]])
wrong("ward-read", "only the first step is skipped", [*shown[:3], 1, *shown[4:]])
wrong("ward-read", "decoupled decay", [*shown[:4], 0.9688, 1024])
right("ward-read", "computed", [[2.0, 4.0], [32, 32, 32], (8, 8), 3, 1 - 1 / 8, 2**10])


@wrong("ward-test", "turned round")
def answer(name):
    return clinic.admit(name).measure("pieces")[0] == 2


wrong("ward-test", "the last of the steps", above('("pieces")[0] == 2 -> ("pieces")[1] != 2'))


@wrong("ward-test", "any other ratio fails as well")
def answer(name):
    return all(ratio == 1 for ratio in clinic.admit(name).measure("pieces"))


@wrong("ward-test", "a falling loss is enough")
def answer(name):
    losses = clinic.admit(name).measure("losses")
    return losses[-1] < losses[0]


@right("ward-test", "by the first ratio")
def answer(name):
    first, *_ = clinic.admit(name).measure("pieces")
    return bool(first < 1.5 or first != first)


def logistic(z, y):
    return torch.nn.functional.binary_cross_entropy_with_logits(z.reshape(-1), y)


def share(value, scale, pieces):
    (value / pieces * scale).backward()


def clipped(gradients, scale, limit):
    unscaled = {name: g / scale for name, g in gradients.items()}
    norm = sum(float((g**2).sum()) for g in unscaled.values()) ** 0.5
    return unscaled if norm <= limit else {name: g * (limit / norm) for name, g in unscaled.items()}


def operated(name, loss=logistic, backward=share, finish=clipped):
    patient = clinic.admit(name)
    if len(set(patient.measure("shapes"))) == 1:
        patient.replace(loss=loss)
    if patient.measure("pieces")[0] > 1.5:
        patient.replace(backward=backward)
    if patient.measure("arriving")[0] < 0.9 * patient.plan.limit:
        patient.replace(finish=finish)
    return patient.discharge()


@right("ward-patch", "with the library's loss, and a clip by cases")
def answer(name):
    return operated(name)


wrong("ward-patch", "nobody is treated", above("operated(name) -> clinic.admit(name).discharge()"))


@wrong("ward-patch", "all three parts, to be safe")
def answer(name):
    patient = clinic.admit(name)
    patient.replace(loss=logistic, backward=share, finish=clipped)
    return patient.discharge()


@wrong("ward-patch", "the sum of the losses")
def answer(name):
    return operated(name, loss=lambda z, y: logistic(z, y) * len(y))


@wrong("ward-patch", "no scale in backward")
def answer(name):
    return operated(name, backward=lambda value, scale, pieces: (value / pieces).backward())


@wrong("ward-patch", "unscaled, not clipped")
def answer(name):
    return operated(name, finish=lambda gradients, scale, limit: {k: g / scale for k, g in gradients.items()})


@wrong("ward-diagnose", "everybody is healthy")
def answer(name):
    return clinic.admit(name).hand_in({})


@wrong("ward-diagnose", "one fault, and home")
def answer(name):
    patient = clinic.admit(name)
    if patient.measure("skips"):
        return patient.hand_in({"overflow": "skips"})
    if patient.measure("labels"):
        return patient.hand_in({"wrong-labels": "labels"})
    if patient.measure("rows")[2] < 64:
        return patient.hand_in({"same-rows": "rows"})
    return patient.hand_in({})


@wrong("ward-diagnose", "all are suspected of an overflow")
def answer(name):
    patient = clinic.admit(name)
    patient.measure("skips")
    return patient.hand_in({"overflow": "skips"})


@wrong("ward-diagnose", "told by what moves")
def answer(name):
    patient = clinic.admit(name)
    return patient.hand_in({"detached": "moved"} if patient.measure("moved")["W1"] == 0 else {})


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
    "clip-early": ("arriving", lambda shown, plan: 0 < sum(shown) < plan.limit),
}


@right("ward-diagnose", "a table of signs")
def answer(name):
    patient = clinic.admit(name)
    found = {fault: what for fault, (what, sign) in SIGNS.items() if sign(patient.measure(what), patient.plan)}
    return patient.hand_in(found)
