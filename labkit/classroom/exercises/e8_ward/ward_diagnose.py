"""# Diagnose runs that nobody has seen (5 points)

Write `diagnose(name)`, which admits the patient with that name once, measures, and returns `patient.submit(found)`, where
`found` maps each fault to the measurement that shows it:

    patient = clinic.admit(name)
    found = {}
    ...
    return patient.submit(found)

A patient has between zero and three of the twelve faults. Its measurements may cost at most 20 points in all, and a
measurement must rule out every fault that is not in `found`. `check` calls your function with patients that you have not
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
    ((paid, sheets),) = done["patients"]
    found = [fault for fault, _ in got]
    left = [fault for fault in FAULTS if fault not in found and together([*found, fault])] if len(found) < 3 else []
    return got in sheets and all({*FAULTS[fault].shown_by, *_MOVED.get(fault, ())}.intersection(paid) for fault in left)


_MOVED = dict.fromkeys(("detached", "left-out"), ("moved",))  # where the first layer moves, it has neither


def _missing(fault):
    return lambda i, expected, got: fault in dict(expected) and fault not in dict(got)


def _invented(fault):
    return lambda i, expected, got: fault in dict(got) and fault not in dict(expected)


def _without(name, fault):
    return tuple(pair for pair in reference(name) if pair[0] != fault)


def _with(name, fault):
    return tuple(sorted({*reference(name), (fault, "shown")}))


@wrong(
    "You return found. Return the result of patient.submit(found).", when=lambda i, expected, got: isinstance(got, dict)
)
def not_submitted(name):
    return dict(reference(name))


@wrong(
    "You do not find detached in every patient that has it. Look at gradients: W1 has the gradient None.",
    when=_missing("detached"),
)
def no_detached(name):
    return _without(name, "detached")


@wrong(
    "You find detached in patients that do not have it. Read gradients again.",
    when=_invented("detached"),
)
def invented_detached(name):
    return _with(name, "detached")


@wrong("You do not find left-out in every patient that has it. Look at update: W1 stays 1.", when=_missing("left-out"))
def no_left_out(name):
    return _without(name, "left-out")


@wrong(
    "You find left-out in patients that do not have it. Read update again.",
    when=_invented("left-out"),
)
def invented_left_out(name):
    return _with(name, "left-out")


@wrong(
    "You do not find broadcast in every patient that has it. Look at shapes: the shape is (8, 8).",
    when=_missing("broadcast"),
)
def no_broadcast(name):
    return _without(name, "broadcast")


@wrong(
    "You find broadcast in patients that do not have it. Read shapes again.",
    when=_invented("broadcast"),
)
def invented_broadcast(name):
    return _with(name, "broadcast")


@wrong(
    "You do not find wrong-labels in every patient that has it. Look at labels: the number is not 0.",
    when=_missing("wrong-labels"),
)
def no_wrong_labels(name):
    return _without(name, "wrong-labels")


@wrong(
    "You find wrong-labels in patients that do not have it. Read labels again.",
    when=_invented("wrong-labels"),
)
def invented_wrong_labels(name):
    return _with(name, "wrong-labels")


@wrong(
    "You do not find not-reset in every patient that has it. Look at pieces: the second number is larger than the first.",
    when=_missing("not-reset"),
)
def no_not_reset(name):
    return _without(name, "not-reset")


@wrong(
    "You find not-reset in patients that do not have it. Read pieces again.",
    when=_invented("not-reset"),
)
def invented_not_reset(name):
    return _with(name, "not-reset")


@wrong(
    "You do not find sum-of-pieces in every patient that has it. Look at pieces: the first number is not 1.",
    when=_missing("sum-of-pieces"),
)
def no_sum_of_pieces(name):
    return _without(name, "sum-of-pieces")


@wrong(
    "You find sum-of-pieces in patients that do not have it. Read pieces again.",
    when=_invented("sum-of-pieces"),
)
def invented_sum_of_pieces(name):
    return _with(name, "sum-of-pieces")


@wrong(
    "You do not find overflow in every patient that has it. Look at skips: steps are skipped.",
    when=_missing("overflow"),
)
def no_overflow(name):
    return _without(name, "overflow")


@wrong(
    "You find overflow in patients that do not have it. Read skips again.",
    when=_invented("overflow"),
)
def invented_overflow(name):
    return _with(name, "overflow")


@wrong(
    "You do not find clip-early in every patient that has it. Look at norms: the norm is far below the limit.",
    when=_missing("clip-early"),
)
def no_clip_early(name):
    return _without(name, "clip-early")


@wrong(
    "You find clip-early in patients that do not have it. Read norms again.",
    when=_invented("clip-early"),
)
def invented_clip_early(name):
    return _with(name, "clip-early")


@wrong(
    "You do not find same-rows in every patient that has it. Look at rows: all workers together see no more points than one.",
    when=_missing("same-rows"),
)
def no_same_rows(name):
    return _without(name, "same-rows")


@wrong(
    "You find same-rows in patients that do not have it. Read rows again.",
    when=_invented("same-rows"),
)
def invented_same_rows(name):
    return _with(name, "same-rows")


@wrong(
    "You do not find stuck-warmup in every patient that has it. Look at rates: the last rate is not that of the plan.",
    when=_missing("stuck-warmup"),
)
def no_stuck_warmup(name):
    return _without(name, "stuck-warmup")


@wrong(
    "You find stuck-warmup in patients that do not have it. Read rates again.",
    when=_invented("stuck-warmup"),
)
def invented_stuck_warmup(name):
    return _with(name, "stuck-warmup")


@wrong(
    "You do not find l2-decay in every patient that has it. Look at update: W2 is not 1 - rate * decay.",
    when=_missing("l2-decay"),
)
def no_l2_decay(name):
    return _without(name, "l2-decay")


@wrong(
    "You find l2-decay in patients that do not have it. Read update again.",
    when=_invented("l2-decay"),
)
def invented_l2_decay(name):
    return _with(name, "l2-decay")


@wrong(
    "You do not find half-weights in every patient that has it. Look at formats: no weight is outside float16.",
    when=_missing("half-weights"),
)
def no_half_weights(name):
    return _without(name, "half-weights")


@wrong(
    "You find half-weights in patients that do not have it. Read formats again.",
    when=_invented("half-weights"),
)
def invented_half_weights(name):
    return _with(name, "half-weights")


practice = True
ways = (
    Way(
        "Admit the patient once, measure enough to find or to rule out every fault, and return the sheet that the patient gives "
        "you, unchanged.",
        ("patients",),
        holds=_by_its_chart,
    ),
)
errors = (
    (
        "points are left",
        "Your points are not enough for all measurements: leave out those that show no fault on their own.",
    ),
    (
        "index out of range",
        "After an overflow no step is taken, so norms and pieces show nothing. Look at skips first.",
    ),
    ("submit: there is no", "found maps the name of each fault to the name of the measurement that shows it."),
)


def _kinds(got):
    return {worth for _, worth in got} - {"shown"}


@wrong(
    "A measurement that you submit was never made of this patient.",
    when=lambda inputs, expected, got: "not measured" in _kinds(got),
)
def not_measured(name):
    patient = clinic.admit(name)
    return patient.submit(dict.fromkeys(admission(name).faults, "losses"))


@wrong(
    "A measurement that you submit does not distinguish its fault from every other one. Compare it on two textbook patients.",
    when=lambda inputs, expected, got: "not shown" in _kinds(got),
)
def not_shown(name):
    patient = clinic.admit(name)
    patient.measure("rates")
    return patient.submit(dict.fromkeys(admission(name).faults, "rates"))


@wrong("You find no fault in any patient. Not every patient is healthy.")
def always_healthy(name):
    return clinic.admit(name).submit({})


@wrong(
    "A fault of a patient is missing in your result, and not always the same one. Did you stop at the first? A patient may have "
    "up to three.",
    when=lambda i, expected, got: set(got) < set(expected),
)
def first_alone(name):
    return diagnose(name)[:1]


@wrong(
    "Wherever your result is wrong, one fault is missing or one is too many. Which of your comparisons is inverted?",
    when=lambda i, expected, got: len(set(got) ^ set(expected)) == 1,
)
def upside_down(name):
    return tuple(pair for pair in reference(name) if pair[0] != "broadcast") or (("broadcast", "shown"),)


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
    "number shows the sum, the growth shows what is never reset. After an overflow, pieces and norms show "
    "nothing.",
)
