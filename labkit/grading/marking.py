"""The answers that a person marks, one after the other: as pages of HTML, and what is typed into them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from ..messages.suggestions import did_you_mean
from .added import AddedQuestion
from .assignment import Assignment
from .files import printable
from .marks import LONGEST_COMMENT, Mark, MarksError, digest_of, read_marks, write_marks
from .pages import exercise_title, points, render
from .rescoring import rescored
from .results import BY_HAND, QuestionResult, SubmissionResult


@dataclass(frozen=True)
class Item:
    """One answer of one student to one question; `asked` is the question as the instructor added it, if it is one."""

    student: str
    question: QuestionResult
    answer: str
    asked: AddedQuestion | None
    pictures: Sequence[str] = ()

    @property
    def key(self) -> tuple[str, str]:
        """By which its mark is kept."""
        return printable(self.student), self.question.question


class MarkingDesk:
    """The answers to mark, question by question, and the file that the marks are kept in.

    Within a question the order has nothing to do with names. With `questions`, all answers to these, also those that
    were graded by a program or are empty; otherwise those that wait for a person. With `hide_names` no page says whose
    an answer is. Raises MarksError for a table of marks that cannot be read, and for a question
    that is not asked.
    """

    def __init__(
        self,
        assignment: Assignment,
        results: Sequence[SubmissionResult],
        path: Path,
        questions: Sequence[str] = (),
        hide_names: bool = False,
    ) -> None:
        self.title, self.path, self.hide_names = assignment.title, path, hide_names
        self.marks, self._writing = read_marks(path), Lock()
        for name in questions:
            if name not in assignment.order:
                raise MarksError(f"there is no question {name!r}. {did_you_mean(name, assignment.order)}")
        added = {question.name: question for question in assignment.added}
        items = [
            Item(
                result.student,
                question,
                result.answers.get(question.question, ""),
                added.get(question.question),
                result.pictures.get(question.question, ()),
            )
            for result in (rescored(one, assignment) for one in results)
            for question in result.questions
            if (question.question in questions if questions else question.kind == BY_HAND)
        ]
        places = {name: i for i, name in enumerate(assignment.order)}
        self.items = sorted(items, key=lambda item: (places.get(item.key[1], -1), _shuffled(item)))

    def mark_of(self, item: Item) -> Mark | None:
        """The mark of an answer; None where there is none, or one for another answer."""
        mark = self.marks.get(item.key)
        return mark if mark and mark.answer in ("", digest_of(item.answer)) else None

    @property
    def done(self) -> int:
        """How many are marked."""
        return sum(self.mark_of(item) is not None for item in self.items)

    def next_open(self, after: int = -1) -> int | None:
        """The next answer without a mark behind `after`, then from the beginning; None where all are marked."""
        places = [*range(after + 1, len(self.items)), *range(after + 1)]
        return next((i for i in places if i < len(self.items) and self.mark_of(self.items[i]) is None), None)

    def save(self, place: int, typed: Mapping[str, str]) -> str:
        """Keep what was typed for the answer at `place`, on disk; a sentence where it cannot be, else an empty text.

        Without points the mark is taken away.
        """
        item, text = self.items[place], typed.get("points", "").strip().replace(",", ".")
        try:
            number = float(text) if text else None
        except ValueError:
            number = -1.0
        if number is not None and not 0 <= number <= item.question.max_points:
            return f"Expected points from 0 to {points(item.question.max_points)}, but got {text!r}."
        comment, said = (typed.get(name, "").replace("\r\n", "\n").strip() for name in ("comment", "said"))
        if said not in comment:  # one that was given before
            comment = f"{comment}\n{said}".strip()
        comment = printable(comment)[:LONGEST_COMMENT]
        with self._writing:
            marks = {
                key: mark for key, mark in read_marks(self.path).items() if key != item.key
            }  # of another window, too
            if number is not None:
                marks[item.key] = Mark(digest_of(item.answer), abs(number), comment)
            write_marks(self.path, marks)
            self.marks = marks
        return ""

    def page(self, place: int, problem: str = "", typed: Mapping[str, str] | None = None) -> str:
        """The page of the answer at `place`."""
        item = self.items[place]
        mark, asked = self.mark_of(item), item.asked
        shown = typed or {"points": f"{mark.points:.12g}" if mark else "", "comment": mark.comment if mark else ""}
        names = [one.question.question for one in self.items]
        said = [m.comment for (_, name), m in self.marks.items() if name == names[place] and m.comment]
        values: dict[str, Any] = {
            "title": self.title, "item": item, "asked": asked, "place": place, "number": len(self.items), "done": self.done,
            "marked": mark is not None, "question": exercise_title(item.question.exercise), "hide": self.hide_names,
            "of_question": names[: place + 1].count(names[place]), "in_question": names.count(names[place]),
            "points": shown.get("points", ""), "comment": shown.get("comment", ""), "problem": problem,
            "comments": sorted(set(said)), "next_open": self.next_open(place),
        }  # fmt: skip
        return render("marks.html", values)

    def end_page(self) -> str:
        """The page when all are marked."""
        return render("marked.html", {"title": self.title, "number": len(self.items), "path": str(self.path)})


def _shuffled(item: Item) -> str:
    return hashlib.sha256("\n".join(item.key).encode(errors="surrogatepass")).hexdigest()
