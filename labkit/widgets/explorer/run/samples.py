"""The numbers of a run at other inputs, sampled along each of them, for a run that no lines say."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....engine import Summary
from .recorded import Run
from .story import Story

EACH, MOST_RUNS, MOST_NUMBERS = 41, 130, 60_000  # samples of an input, runs, numbers of all samples
PROBES = 10  # runs to each side by which the ends are found


class Samples:
    """As `Lines`, but the page takes the nearest of the samples of one input, the others being as at first.

    An input of several numbers is multiplied as a whole. Samples end where the run becomes another one.
    """

    def __init__(self, run: Run, story: Story):
        self.run, self.story, self.numbers = run, story, dict[tuple, Any]()
        for what, value in _numbers(story):
            size = np.size(value)
            self.numbers[what] = np.arange(self._size, self._size + size).reshape(np.shape(value)).astype(object)
        self.start = [float(v) for value in run.values for v in np.ravel(np.asarray(value, float))]
        self.inputs = [name for _, _, names in run.inputs for name in names]
        self.rows = [row for _, name, names in run.inputs if (row := self._row(names))]

    @property
    def _size(self):
        return sum(np.size(places) for places in self.numbers.values())

    def _row(self, names):
        """The samples along one input: evenly between the ends of where the run is the same."""
        start = dict(zip(self.inputs, self.start, strict=True))
        lead = max(names, key=lambda name: abs(start[name]))
        begin, whole = start[lead], len(names) > 1
        half = 2.0 * abs(begin) if whole else 1.5 * max(1.0, abs(begin))
        found = {begin: _vector(self.story)}

        def sampled(to: float) -> bool:
            try:
                story = self.run.beside({name: start[name] * to / begin if whole else to for name in names}).story(
                    False
                )
            except Exception:  # beyond what the function takes
                return False
            if same := _build(story) == _build(self.story):
                found[to] = _vector(story)
            return same

        for turn in (-1, 1):
            all(sampled(begin + turn * half * k / PROBES) for k in range(1, PROBES + 1)) if half else None
        for to in np.linspace(min(found), max(found), EACH).tolist() if len(found) > 1 else ():
            sampled(to)
        at = sorted(found)
        return {"entry": lead, "values": at, "numbers": [found[one] for one in at]} if len(at) > 1 else None

    def written(self) -> dict[str, Any]:
        """What the page is given."""
        return {"program": {"inputs": self.inputs, "lines": []}, "start": self.start, "samples": self.rows}


def samples_of(run: Run, story: Story) -> Samples | None:
    """None where there would be many numbers, or too few samples."""
    if any(isinstance(node.value, Summary) for node in story.nodes):
        return None
    size = sum(np.size(value) for _, value in _numbers(story))
    many = EACH * len(run.inputs) > MOST_RUNS or EACH * len(run.inputs) * size > MOST_NUMBERS
    if many or any(np.asarray(value).dtype.kind not in "fV" for value in run.values):
        return None
    found = Samples(run, story)
    return found if found.rows else None


def _numbers(story: Story) -> Iterator[tuple[tuple, Any]]:
    """All numbers of a story, by what they are."""
    for node in story.nodes:
        yield ("value", node.index), node.value
    for step in story.steps:
        yield ("gradient", step.node), step.gradient
        for place, sent in enumerate(step.sent):
            yield ("sent", step.node, place), sent.value
            yield ("total", step.node, place), sent.total
            if sent.slope is not None:
                yield ("slope", step.node, place), sent.slope


def _build(story: Story) -> Any:
    """What two runs have in common if they do the same."""
    steps = [(step.node, *((sent.parent, sent.slope is None) for sent in step.sent)) for step in story.steps]
    return [(node.title, node.parents, node.shape) for node in story.nodes], steps


def _vector(story: Story) -> list[Any]:
    every = np.concatenate([np.ravel(np.asarray(value, float)) for _, value in _numbers(story)])
    return [float(f"{v:.6g}") if np.isfinite(v) else str(v) for v in every]
