"""The results of a class: `summarise` counts, `Summary.as_text` is for the terminal, `write_overview` for the browser."""

import os
import statistics
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path
from urllib.parse import quote

from ..classroom import find
from ..working_copy import write_whole
from .final_scores import Final
from .matching import ANOTHER
from .pages import exercise_title, points, render, words
from .results import MARKED, QuestionResult, SubmissionResult, by_question

BINS = 12  # bars of a histogram, at most (and one for the full score)
SHOWN = 3  # kinds of result that the terminal shows for a question before it counts the rest as "other"
BAR = 10  # characters of a full bar beside a question
IN_FEEDBACK = "the overview {path} names all students, and {feedback} is for students: choose a path outside it"
SUMMARY = "Students: {count}; points: mean {mean}, median {median} of {most}"


@dataclass(frozen=True)
class Count:
    """How often one kind of result came. `sentence` explains it where it is a misconception, otherwise it is empty."""

    kind: str
    number: int
    sentence: str = ""


@dataclass(frozen=True)
class QuestionSummary:
    """One question. `right` is the share of students, from 0 to 1; `counts` has what was not right, most frequent first.

    `title` is that of its exercise; where students got different ones, all titles, with / between them.
    """

    question: str
    title: str
    students: int
    right: float
    mean: float
    max_points: float
    counts: tuple[Count, ...]


@dataclass(frozen=True)
class Bin:
    """One bar of a histogram: `number` students whose score is what `label` says, in points."""

    label: str
    number: int


@dataclass(frozen=True)
class Summary:
    """All submissions of one assignment. `mean`, `median` and `max_score` are in points; 0 where there is no student."""

    students: int
    mean: float
    median: float
    max_score: float
    questions: tuple[QuestionSummary, ...]
    histogram: tuple[Bin, ...]

    def as_text(self, width: int = 80) -> str:
        """The summary in lines of at most `width` characters (40 at least), where names are not longer than that.

        >>> result = SubmissionResult("ann", "week1", (QuestionResult("q1", "grad-slip", 1.0, 1.0, "right", ""),))
        >>> print(summarise([result]).as_text())
        Students: 1; points: mean 1, median 1 of 1
        <BLANKLINE>
        Score   Students
            0          0
            1          1  ########################################
        <BLANKLINE>
        Question  Right              Mean
        q1        ##########  100 %  1 of 1
        """
        width = max(width, 40)
        if not self.students:
            return "Students: 0"
        mean, median, most = points(self.mean), points(self.median), points(self.max_score)
        first = SUMMARY.format(count=self.students, mean=mean, median=median, most=most)
        return "\n\n".join(["\n".join(textwrap.wrap(first, width)), self._bars(width), self._table(width)])

    def _bars(self, width: int) -> str:
        space = max(len("Score"), *(len(b.label) for b in self.histogram))
        longest, most = min(40, width - space - 13), max(b.number for b in self.histogram)
        rows = [(b, "#" * _length(b.number / most, longest)) for b in self.histogram]
        lines = [f"{'Score':>{space}}   Students", *(f"{b.label:>{space}}{b.number:>11}  {bar}" for b, bar in rows)]
        return "\n".join(line.rstrip() for line in lines)

    def _table(self, width: int) -> str:
        space = max(len("Question"), *(len(q.question) for q in self.questions)) if self.questions else 8
        lines = [f"{'Question':<{space}}  {'Right':<{BAR + 7}}  Mean"]
        for q in self.questions:
            bar = "#" * _length(q.right, BAR)
            mean = f"{points(q.mean)} of {points(q.max_points)}"
            lines.append(f"{q.question:<{space}}  {bar:.<{BAR}}  {100 * q.right:>3.0f} %  {mean}")
            lines += [line for count in _leading(q.counts) for line in _explained(count, width)]
        return "\n".join(lines)


def summarise(results: Iterable[SubmissionResult | Final]) -> Summary:
    """Count the results of one assignment, with the scores that count; `max_score` is the largest of theirs. Notebooks of
    another assignment do not count.

    >>> summarise([]).students
    0
    """
    finals = [Final.of(result) for result in results]
    finals = [final for final in finals if not any(note.startswith(ANOTHER) for note in final.result.notes)]
    graded, scores = [final.result for final in finals], [final.score for final in finals]
    most = max((float(result.max_score) for result in graded), default=0.0)
    return Summary(
        students=len(graded),
        mean=statistics.fmean(scores) if scores else 0.0,
        median=statistics.median(scores) if scores else 0.0,
        max_score=most,
        questions=tuple(_question(name, answers) for name, answers in by_question(graded).items()),
        histogram=_histogram(scores, most),
    )


def _question(name: str, answers: Sequence[QuestionResult]) -> QuestionSummary:
    wrong = Counter((a.kind, _sentence(a)) for a in answers if not _is_right(a))
    counts = [Count(kind, number, sentence) for (kind, sentence), number in wrong.items()]
    return QuestionSummary(
        question=name,
        title=" / ".join(dict.fromkeys(exercise_title(a.exercise) for a in answers)),
        students=len(answers),
        right=sum(map(_is_right, answers)) / len(answers),
        mean=statistics.fmean(a.points for a in answers),
        max_points=max(a.max_points for a in answers),
        counts=tuple(sorted(counts, key=lambda c: (-c.number, not c.sentence))),
    )


def _is_right(answer: QuestionResult) -> bool:
    return answer.kind == "right" or (answer.kind == MARKED and answer.points >= answer.max_points)


def _sentence(answer: QuestionResult) -> str:
    """What was misunderstood, in the words of the exercise; empty for a kind that is not a misconception of it."""
    exercise = find(answer.exercise)
    known = exercise.misconceptions if exercise else ()
    return next((m.sentence for m in known if m.name == answer.kind), "")


def _histogram(scores: Sequence[float], most: float) -> tuple[Bin, ...]:
    """Bars of equal width from 0 to `most`, and one of its own for the full score."""
    if not scores or most <= 0:
        return (Bin("0", len(scores)),) if scores else ()
    width = next(w * 10.0**n for n in range(12) for w in (1, 2, 5) if most <= BINS * w * 10**n)
    number = max(1, floor(most / width + 1 - 1e-9))
    counts = Counter(number if s >= most - 1e-9 else min(max(floor(s / width + 1e-9), 0), number - 1) for s in scores)
    whole = all(float(s).is_integer() for s in [*scores, most])
    labels = [_label(i * width, min((i + 1) * width, most), whole) for i in range(number)]
    return tuple(Bin(label, counts[i]) for i, label in enumerate([*labels, points(most)]))


def _label(low: float, high: float, whole: bool) -> str:
    """What scores a bar holds: all from `low` to less than `high`."""
    if not whole:
        return f"{points(low)} to <{points(high)}"
    return points(low) if high - low <= 1 else f"{points(low)} to {points(high - 1)}"


def _length(share: float, full: int) -> int:
    """Characters of a bar; whatever is more than nothing shows."""
    return max(round(share * full), 1 if share > 0 else 0)


def _leading(counts: Sequence[Count]) -> list[Count]:
    """The first counts, and the number of the others."""
    shown = counts if len(counts) <= SHOWN + 1 else counts[:SHOWN]
    rest = sum(count.number for count in counts[len(shown) :])
    return [*shown, Count("other", rest)] if rest else list(shown)


def _explained(count: Count, width: int) -> list[str]:
    text = f"{words(count.kind)}: {count.sentence}" if count.sentence else words(count.kind)
    return textwrap.wrap(text, width, initial_indent=f"{count.number:>6} x ", subsequent_indent=" " * 9)


def write_overview(
    path: str | os.PathLike[str],
    results: Sequence[SubmissionResult | Final],
    assignment_title: str,
    pages: Mapping[str, Path],
) -> Path:
    """Write the instructor's overview to `path`; return it. `pages` is what `write_feedback` returned, or empty.

    It names all students, so it belongs next to the table of grades and never with the feedback, which students get:
    raises ValueError if `path` is in the folder of feedback. Raises OSError where it cannot be written.
    """
    path = Path(path)
    for page in pages.values():
        feedback = page.parent.parent.resolve()
        if path.resolve().is_relative_to(feedback):
            raise ValueError(IN_FEEDBACK.format(path=path, feedback=feedback))
    return write_whole(path, overview_page(results, assignment_title, _links(path, pages)).encode())


def overview_page(results: Sequence[SubmissionResult | Final], assignment_title: str, links: Mapping[str, str]) -> str:
    """The overview as HTML. `links` are addresses of pages, by student; a student without one is not a link."""
    summary = summarise(results)
    most = max((b.number for b in summary.histogram), default=0)
    ordered = sorted(map(Final.of, results), key=lambda final: final.result.student)
    values = {"title": assignment_title, "summary": summary, "most": most, "finals": ordered, "links": links}
    return render("overview.html", values)


def _links(path: Path, pages: Mapping[str, Path]) -> dict[str, str]:
    """From the overview to each page, as a relative address; an absolute one where they are on different disks."""
    home, links = path.resolve().parent, {}
    for student, page in pages.items():
        try:
            links[student] = quote(Path(os.path.relpath(page.resolve(), home)).as_posix())
        except ValueError:  # two drives of Windows
            links[student] = page.resolve().as_uri()
    return links
