"""# Plan a sunk training (2 points)

A data set has `batches` batches. It is to be traversed `passes` times, and in all this time the host is to get
`reports` results, at equal distances. (The number of all steps can be divided by `reports`.) Write
`plan(batches, passes, reports)`: it returns the tuple `(epoch, sink_size)` for
`model.train(epoch, data, dataset_sink_mode=True, sink_size=sink_size)`.
"""

import math
from functools import partial

from labkit.classroom.writing import judged, wrong


def plan(batches, passes, reports):
    return reports, batches * passes // reports


def _wishes(rng, passes, reports):
    """So many passes and reports, each times a number of 2 to 4; the steps of all passes can be divided by the reports."""
    times = int(rng.integers(2, 5))
    passes, reports = passes * times, reports * times
    return reports // math.gcd(passes, reports) * int(rng.integers(20, 90)), passes, reports


draw = tuple(
    partial(_wishes, passes=passes, reports=reports) for passes, reports in ((1, 2), (2, 3), (3, 1), (3, 2), (1, 5))
)


@wrong(
    "The argument epoch counts the launches, each with one result. The passes follow from epoch x sink_size.",
    when=lambda i, expected, got: got[0] == i[1],
)
def epochs_are_passes(batches, passes, reports):
    return passes, batches


@wrong("That is one pass over the data. The steps in all are batches x passes.")
def one_pass_only(batches, passes, reports):
    return reports, batches // reports


@wrong("sink_size is the number of steps of one launch, not of all of them.")
def steps_as_sink_size(batches, passes, reports):
    return reports, batches * passes


@wrong(
    "A pass need not have a whole number of reports, nor a report one of passes. Multiply first, divide once.",
    when=lambda i, expected, got: got[0] == i[2] and got[1] in (i[0] // max(i[2] // i[1], 1), i[0] * (i[1] // i[2])),
)
def whole_reports_in_a_pass(batches, passes, reports):
    return reports, batches // max(reports // passes, 1)


@wrong("The two numbers are there, the other way round.")
def swapped(batches, passes, reports):
    return batches * passes // reports, reports


@judged("value")
def one_step_more(batches, passes, reports):
    return reports, batches * passes // reports + 1


@judged("kind")
def one_number(batches, passes, reports):
    return reports


hints = (
    "One result per launch: epoch is the number of results.",
    "The steps in all: batches * passes. They are epoch * sink_size.",
    "sink_size = batches * passes // reports",
)
