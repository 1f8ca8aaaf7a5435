"""The instructor's page: the class in one table, what each question taught, and links to every student's page."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from ..desk import write_whole
from .finals import Final
from .pages import render
from .results import SubmissionResult
from .statistics import summarise


def write_overview(
    path: str | os.PathLike[str],
    results: Sequence[SubmissionResult | Final],
    assignment_title: str,
    pages: Mapping[str, Path],
) -> Path:
    """Write the instructor's overview to `path`; return it. `pages` is what `write_feedback` returned, or empty.

    It names all students, so it belongs beside the table of grades and never with the feedback, which is handed out:
    raises ValueError if `path` is in the folder of feedback. Raises OSError where it cannot be written.
    """
    path = Path(path)
    for page in pages.values():
        feedback = page.parent.parent.resolve()
        if path.resolve().is_relative_to(feedback):
            raise ValueError(
                f"the overview names all students, and {feedback} is handed out to them: expected a path outside, "
                f"such as {feedback.parent / 'overview.html'}, but got {path}"
            )
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
