"""What to grade, how, and where the results go: what `labkit grade` was told."""

from dataclasses import dataclass, field
from pathlib import Path

from ..jail import Limits
from .bounds import Bounds
from .findings import Pace


@dataclass(frozen=True)
class Plan:
    """What to grade, how, and where the results go.

    `submissions` is a folder, or a ZIP archive of a system. `out` is the table of grades; beside it are written
    `OUT.questions.csv`, `OUT.html` (the instructor's overview), `OUT.unmatched.csv` (what is nobody's, if there is something;
    its column `student`, filled in, says whose it is) and `OUT.journal` (what a run that was interrupted goes on from);
    `OUT.marks.csv` is read there, where a person has given points. `seed` None: one is drawn, or the journal's is taken.
    `roster` is the list of students, the one of `course.toml` if it is not given. `feedback` is a folder, or an archive (.zip)
    for the system; `returned` the table of grades that the system imports.
    `rescore`: nothing is run, what is in the journal is counted by today's points and texts. `again` names questions that
    are run once more for all, and students of whom all is run once more.
    """

    submissions: Path
    assignment: Path
    out: Path
    jobs: int = 0
    feedback: Path | None = None
    gradebook: str = ""
    resume: bool = False
    seed: int | None = None
    unsafe: bool = False
    pace: Pace = field(default_factory=Pace)
    limits: Limits = field(default_factory=Limits)
    bounds: Bounds = field(default_factory=Bounds)
    roster: Path | None = None
    returned: Path | None = None
    rescore: bool = False
    again: tuple[str, ...] = ()

    def beside(self, ending: str) -> Path:
        """A file beside the table of grades."""
        return self.out.with_suffix(ending)

    @property
    def goes_on(self) -> bool:
        """True where an earlier run's journal is to be there."""
        return self.resume or self.rescore or bool(self.again)

    @property
    def tables(self) -> tuple[Path, Path, Path]:
        """The grades, the table with a line for each answer, and the overview."""
        return self.out, self.beside(".questions.csv"), self.beside(".html")

    @property
    def unmatched(self) -> Path:
        """The table of what is nobody's."""
        return self.beside(".unmatched.csv")

    @property
    def pages(self) -> Path | None:
        """The folder of the pages of feedback; None where there is none, or they go into an archive."""
        return self.feedback if self.feedback and self.feedback.suffix.lower() != ".zip" else None
