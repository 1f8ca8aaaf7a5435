"""# A regression test (3 points)

Somebody has mended the patients that had `sum-of-pieces`. Write the test that keeps this fault out: `passes(name)` admits
the patient of that name and returns `False` if it has this fault, and `True` if not, whatever other faults it may have.
A regression test runs every night, so it may spend 4 points and no more.
"""

from labkit.classroom import clinic
from labkit.classroom.clinic.drawing import admission
from labkit.classroom.writing import Way, judged, strata, wrong


def passes(name):
    return clinic.admit(name).measure("pieces")[0] != 2


def reference(name):
    return "sum-of-pieces" not in admission(name).faults


def _two(name):
    return {"sum-of-pieces", "not-reset"}.intersection(admission(name).faults)


draw = strata(
    lambda rng: (int(rng.integers(2**31)),),
    lambda name: _two(name) == {"sum-of-pieces"},
    lambda name: _two(name) == {"not-reset"},
    lambda name: _two(name) == {"sum-of-pieces", "not-reset"},
    lambda name: not admission(name).faults,
    lambda name: "overflow" in admission(name).faults,
    lambda name: {"clip-early", "wrong-labels"}.intersection(admission(name).faults) and not _two(name),
)

ways = (
    Way("Admit each patient once.", ("labkit.classroom.clinic.admit",), 1),
    Way(
        "Ask the instruments, not the ward's files.",
        tuple(f"labkit.classroom.clinic.{room}" for room in ("drawing", "faults", "instruments", "run", "parts")),
    ),
)


@wrong(
    "Your test also fails for patients with another fault. It has to fail for this one, and for no other.",
    when=lambda inputs, expected, got: expected and not got,
)
def as_in_a_healthy_run(name):
    return clinic.admit(name).measure("pieces") == [1.0, 1.0]


@wrong(
    "Your test passes for patients that have the fault. Where the clip is active, neither the losses nor the steps show it.",
    when=lambda inputs, expected, got: got and not expected,
)
def by_the_clip(name):
    patient = clinic.admit(name)
    return patient.measure("arriving")[:1] in ([], [patient.plan.limit]) or patient.measure("skips") == 0


@judged("as-in-a-healthy-run")
def the_last_step(name):
    return clinic.admit(name).measure("pieces")[-1] == 1


@judged("value")
def turned_round(name):
    return clinic.admit(name).measure("pieces")[0] == 2


hints = (
    "Which measurement compares the gradient with the mean of its pieces?",
    "Measure pieces of three textbook patients: sum-of-pieces, not-reset, overflow. Which number is the same for all that "
    "have the fault, and only for them?",
    "The first of the two numbers: nothing has been gathered before it. It is 2 where two pieces are added.",
)
