"""Manual grading in the browser: pages with one answer each, the marks typed into them, and the local server.

A server and not a file, because each mark is on disk as soon as it is given, and a closed window loses nothing. Its address holds
a secret, so that no other user and no other page reaches it; no page runs a script.
"""

import hashlib
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qs

from ..messages.suggestions import did_you_mean
from .assignment import Assignment
from .files import printable
from .instructor_questions import AddedQuestion
from .marks import LONGEST_COMMENT, Mark, MarksError, digest_of, read_marks, write_marks
from .pages import exercise_title, points, render
from .rescoring import rescored
from .results import BY_HAND, QuestionResult, SubmissionResult

NO_QUESTION = "there is no question {name!r}. {suggestion}"
BAD_POINTS = "Expected points from 0 to {max_points}, but got {text!r}."


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


class MarkingQueue:
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
                raise MarksError(NO_QUESTION.format(name=name, suggestion=did_you_mean(name, assignment.order)))
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
            return BAD_POINTS.format(max_points=points(item.question.max_points), text=text)
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


LARGEST = 100_000  # bytes of what is typed
PATIENCE = 60.0  # seconds for one request
HEADERS = {
    "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'self'; frame-ancestors 'none'",
}  # fmt: skip


class MarkingServer(ThreadingHTTPServer):
    """Serves a queue at `url` on a free port of this machine.

    Each connection has a thread: browsers open some ahead, on which they may never say anything.
    """

    def __init__(self, queue: MarkingQueue) -> None:
        self.queue, self.secret = queue, secrets.token_urlsafe(18)
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Where the first page is."""
        return f"http://127.0.0.1:{self.server_port}/{self.secret}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a window that was closed before it had its page."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: Any
    timeout = PATIENCE

    def do_GET(self) -> None:
        place = self._place()
        if place is None:
            self._send(HTTPStatus.NOT_FOUND, "There is no such page.")
        elif place == "":
            self._go_on(-1)
        elif place == "end":
            self._send(HTTPStatus.OK, self.server.queue.end_page())
        else:
            self._send(HTTPStatus.OK, self.server.queue.page(int(place)))

    def do_POST(self) -> None:
        place, length = self._place(), self.headers.get("Content-Length", "")
        if not place or place == "end" or self.headers.get("Origin", self._home()) not in (self._home(), "null"):
            self._send(HTTPStatus.NOT_FOUND, "There is no such page.")
        elif not length.isdecimal() or int(length) > LARGEST:
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")
        else:
            text = self.rfile.read(int(length)).decode("utf-8", "replace")
            typed = {key: values[-1] for key, values in parse_qs(text, keep_blank_values=True).items()}
            self._save(int(place), typed)

    def _save(self, place: int, typed: dict[str, str]) -> None:
        try:
            problem = self.server.queue.save(place, typed)
        except (OSError, ValueError) as error:
            problem = "The mark was not saved: {error}".format(error=error)
        if problem:
            page = self.server.queue.page(place, problem, typed)
            self._send(HTTPStatus.UNPROCESSABLE_ENTITY, page)
        elif typed.get("points", "").strip():
            self._go_on(place)
        else:  # left out: to the one behind it, marked or not
            self._redirect(str(place + 1) if place + 1 < len(self.server.queue.items) else "")

    def _home(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def _place(self) -> str | None:
        """What comes behind the secret: "", "end", or the number of an answer; None for anything else."""
        here = self.headers.get("Host") == f"127.0.0.1:{self.server.server_port}"  # not by another name of this machine
        _, secret, *rest = [*self.path.partition("?")[0].split("/"), ""]
        if not here or not secrets.compare_digest(secret.encode(), self.server.secret.encode()):
            return None
        place = rest[0]
        known = place.isdecimal() and len(place) < 9 and int(place) < len(self.server.queue.items)
        return place if place in ("", "end") or known else None

    def _go_on(self, place: int) -> None:
        after = self.server.queue.next_open(place)
        self._redirect("end" if after is None else str(after))

    def _redirect(self, page: str) -> None:
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", f"/{self.server.secret}/{page}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: HTTPStatus, page: str) -> None:
        data = page.encode()
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""
