"""# Diagnose runs that nobody has seen (5 points)

Write `diagnose(name)`, which admits the patient with that name once, measures, and returns `patient.submit(found)`, where
`found` maps each fault to the measurement that shows it:

    patient = clinic.admit(name)
    found = {}
    ...
    return patient.submit(found)

A patient has between zero and three of the twelve faults. Its measurements may cost at most 20 points in all, and a
measurement must rule out every fault that is not in `found`. The grader calls your function with patients that you have not
seen, one of which is healthy.
"""

from labkit.classroom import clinic
from labkit.classroom.clinic.drawing import admission
from labkit.classroom.clinic.faults import FAULTS, together
from labkit.classroom.writing import Way, judged, strata, wrong


def diagnose(name):
    patient = clinic.admit(name)
    plan, show, found = patient.plan, patient.measure, {}
    if show("skips"):
        found["overflow"] = "skips"
    else:
        first, second = show("pieces")
        if first != 1:
            found["sum-of-pieces"] = "pieces"
        if second != first:
            found["not-reset"] = "pieces"
        if show("norms")[0] != plan.limit:
            found["clip-early"] = "norms"
    if show("gradients")["W1"] is None:
        found["detached"] = "gradients"
    update = show("update")
    if update["W1"] == 1:
        found["left-out"] = "update"
    if update["W2"] != 1 - plan.rate * plan.decay:
        found["l2-decay"] = "update"
    if show("rates")[-1] != plan.rate:
        found["stuck-warmup"] = "rates"
    if show("formats") == 0:
        found["half-weights"] = "formats"
    if show("rows")[2] == 32:
        found["same-rows"] = "rows"
    if show("labels"):
        found["wrong-labels"] = "labels"
    if show("shapes") == (8, 8):
        found["broadcast"] = "shapes"
    return patient.submit(found)


def reference(name):
    return tuple((fault, "shown") for fault in sorted(admission(name).faults))


def _faults(name):
    return set(admission(name).faults)


draw = strata(
    lambda rng: (int(rng.integers(2**31)),),
    lambda name: not _faults(name),
    lambda name: "overflow" in _faults(name),
    lambda name: {"detached"} == _faults(name) & {"detached", "left-out"},
    lambda name: {"left-out"} == _faults(name) & {"detached", "left-out", "l2-decay"},
    lambda name: {"l2-decay"} == _faults(name) & {"left-out", "l2-decay"},
    lambda name: {"not-reset"} == _faults(name) & {"not-reset", "sum-of-pieces"},
    lambda name: {"sum-of-pieces"} == _faults(name) & {"not-reset", "sum-of-pieces"},
    lambda name: {"clip-early", "same-rows"} <= _faults(name),
    lambda name: {"wrong-labels", "stuck-warmup"} <= _faults(name),
    lambda name: {"broadcast", "half-weights"} <= _faults(name),
)


def _by_its_chart(inputs, expected, got, done):
    """One admission, the patient's own sheet, and a measurement that rules out each fault that may still be there."""
    ((_, _, paid, sheets),) = [chart for chart in done["patients"] if chart[:2] == (inputs[0], True)]
    found = [fault for fault, _ in got]
    left = [fault for fault in FAULTS if fault not in found and together([*found, fault])] if len(found) < 3 else []
    return got in sheets and all({*FAULTS[fault].shown_by, *_MOVED.get(fault, ())}.intersection(paid) for fault in left)


_MOVED = dict.fromkeys(("detached", "left-out"), ("moved",))  # where the first layer moves, it has neither


ways = (
    Way(
        "Admit the patient once, measure enough to find or to rule out every fault, and return the sheet that the patient gives "
        "you, unchanged.",
        ("patients",),
        holds=_by_its_chart,
    ),
)
errors = (("are spent", "Not everything can be paid: which measurements does no suspect need?"),)


def _kinds(got):
    return {worth for _, worth in got} - {"shown"}


@wrong(
    "A measurement that was handed in was never made of this patient.",
    when=lambda inputs, expected, got: "not measured" in _kinds(got),
)
def not_measured(name):
    patient = clinic.admit(name)
    return patient.submit(dict.fromkeys(admission(name).faults, "losses"))


@wrong(
    "A measurement that was handed in does not tell its fault from every other one: look at two textbook patients.",
    when=lambda inputs, expected, got: "not shown" in _kinds(got),
)
def not_shown(name):
    patient = clinic.admit(name)
    patient.measure("rates")
    return patient.submit(dict.fromkeys(admission(name).faults, "rates"))


@wrong("Whatever it is called, not every patient is healthy.")
def always_healthy(name):
    return clinic.admit(name).submit({})


@wrong("A fault was left out. Did you stop at the first that you found? A patient may have two or three.")
def first_alone(name):
    return diagnose(name)[:1]


@wrong("You looked at which weights move. Most faults let all of them move.")
def by_what_moves(name):
    patient, found = clinic.admit(name), {}
    moved = patient.measure("moved")
    if moved["W2"] == 0:
        found["overflow"] = "moved"
    elif moved["W1"] == 0 and patient.measure("gradients")["W1"] is None:
        found["detached"] = "gradients"
    elif moved["W1"] == 0 and patient.measure("update")["W1"] == 1:
        found["left-out"] = "update"
    return patient.submit(found)


@judged("error")
def everything_measured(name):
    patient = clinic.admit(name)
    for what in ("losses", "moved", "rates", "skips", "formats", "norms", "rows", "labels", "shapes", "gradients"):
        patient.measure(what)
    for what in ("fixed", "update", "pieces"):
        patient.measure(what)
    return patient.submit({})


hints = (
    "Take each fault in turn: which measurement differs between a textbook patient that has it and all others? Then add up "
    "the prices.",
    "Four of the fourteen measurements are not needed at all: losses, moved, fixed, why. The others cost 20 "
    "points together.",
    "Two pairs need care. update: weights of W1 that stay 1 are left out, and W2 shows the decay. pieces: the first "
    "number shows the sum, the growth shows what is never reset. After an overflow neither of pieces and norms "
    "says anything.",
)
