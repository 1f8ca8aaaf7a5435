"""Finds which file each student submitted, in the layouts of folders and archives.

What the top of a folder looks like is described in `lms.toml`: Moodle's and Canvas's archives, nbgrader's folders, checkouts
of Git, files side by side. A student's folder may hold ASSIGNMENT/NOTEBOOK.ipynb, NOTEBOOK.ipynb, or it further down; a ZIP
archive in it counts as a folder. With a roster there is a submission for each of its students, and a file that matches none of
them, or more than one, is listed and not graded.

Nothing is opened through a link, and nothing here raises because of what one student did.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from pathlib import Path
from typing import Any

from .files import Parts, SubmissionError, on_one_line
from .lms_file_names import Label, Layout, known
from .notebook_choice import Choice, Chooser, kind_of
from .processes import Reader
from .roster import Roster, Student
from .submissions import Collected, Stranger, Submission, handed_in, iso, latest, moment
from .trees import Folder, Sealed, Tree

NOTHING = "There is no submission."
NO_STUDENT = "{name} is assigned to {student}, who is not on the roster {roster}."
SEVERAL = "On the roster {roster} it could belong to: {students}."
NO_MATCH = "It matches no student on the roster {roster}."
NOBODYS = "-"
NAMESAKES = "{account} has {count} people of this name, and the roster has one: {student}."


def collect(
    root: Path,
    assignment: str,
    source: Path | None = None,
    roster: Roster | None = None,
    matches: Mapping[str, str] | None = None,
    zone: tzinfo | None = None,
    reader: Reader | None = None,
) -> Collected:
    """The submissions in a folder or an archive, sorted by student; with a `roster`, one for each of its students.

    Hidden files and checkpoints are left out. `source` is the instructor's notebook: it is never taken for a submission, and
    where no notebook of a student has the right name, its cells show which one is meant.
    `matches` says whose an entry is, by its name,
    where its name does not; "-": it belongs to no student. `zone` is where times without a zone are meant. `reader` opens
    archives, one of its own if it is not given. Raises SubmissionError where `root` or `source` is missing, and for a
    student in `matches` missing from the roster.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "ann_week1.ipynb").write_text("{}")
    ...     Path(folder, "bob").mkdir()
    ...     for found in collect(Path(folder), "week1").submissions:
    ...         print(found.student, found.file, found.problem)
    ann ann_week1.ipynb
    bob  The folder bob contains no file; expected week1.ipynb. Ask for it.
    """
    reader = reader or Reader()
    tree: Tree = Sealed(reader, root, zone=zone) if root.is_file() else Folder(root, source, reader)
    names = [assignment, *([source.stem] if source else [])]
    search = _Search(tree, Chooser(tree, names, source), roster, matches or {}, zone)
    if isinstance(tree, Sealed):
        search.strangers += [Stranger(name, "Its path points outside the archive.") for name in tree.outside]
    return search.collected()


@dataclass
class _Search:
    """One walk through a folder or archive of submissions."""

    tree: Tree
    chooser: Chooser
    roster: Roster | None
    matches: Mapping[str, str]
    zone: tzinfo | None
    strangers: list[Stranger] = field(default_factory=list)

    def collected(self) -> Collected:
        """Everything at the top, by student."""
        self._examine_matches()
        base = self._base()
        units: dict[tuple[str, str, str], list[tuple[str, Label]]] = {}
        for name in self.tree.names(base):
            whose = self._whose(name, self._is_folder((*base, name)))
            if whose:
                student, label = whose
                apart = label.key if label.layout.match else name  # what a system holds of one student is one attempt
                units.setdefault((student, label.layout.name, apart), []).append((name, label))
        self._refuse_namesakes(units)
        found: dict[str, list[Submission]] = {}
        for (student, _, _), entries in units.items():
            found.setdefault(student, []).append(self._unit(student, base, entries))
        submissions = {student: latest(candidates) for student, candidates in found.items()}
        for absent in self.roster.students if self.roster else ():
            submissions.setdefault(absent.id, Submission(absent.id, None, "", NOTHING))
        return Collected([self._known(submissions[student]) for student in sorted(submissions)], self.strangers)

    def _refuse_namesakes(self, units: dict[tuple[str, str, str], list[tuple[str, Label]]]) -> None:
        """Leave out what a system holds of two people whom the roster distinguishes by no number: it has one of that name."""
        guessed = [unit for unit, entries in units.items() if all(self._is_guessed(*entry) for entry in entries)]
        people = Counter(unit[:2] for unit in guessed)
        for unit in [unit for unit in guessed if people[unit[:2]] > 1]:
            why = NAMESAKES.format(account=unit[1], count=people[unit[:2]], student=on_one_line(unit[0]))
            self.strangers += [Stranger(on_one_line(name), why) for name, _ in units.pop(unit)]

    def _is_guessed(self, name: str, label: Label) -> bool:
        """True for an entry of a system that was not assigned to a student by hand."""
        return bool(label.layout.match) and on_one_line(name) not in self.matches

    def _examine_matches(self) -> None:
        if not self.roster:
            return
        for name, student in self.matches.items():
            if student != NOBODYS and student not in self.roster.by_id:
                names = {"name": on_one_line(name), "student": on_one_line(student)}
                raise SubmissionError(NO_STUDENT.format(roster=self.roster.path, **names))

    def _base(self) -> Parts:
        """The folder to begin in: one that has everything, unless it is a student's."""
        names = self.tree.names(())
        if len(names) != 1 or not self._is_folder((names[0],)):
            return ()
        labels, inner = self._labels(names[0], True), self._names_in(names[0])
        of_a_system = bool(inner) and all(map(self._is_a_systems, inner))
        if isinstance(self.tree, Folder) and not of_a_system:
            return ()
        if self.roster:
            return () if self._meant(labels) else (names[0],)
        graded = [name for name in inner if kind_of(name) is not None]
        several = len(graded) + sum(self._is_folder((names[0], name)) for name in inner) > 1
        is_students = (
            not (several or of_a_system) or self.chooser.assignment in inner or any(map(self.chooser.is_named, graded))
        )
        return () if is_students or any(label.name for label in labels) else (names[0],)

    def _names_in(self, folder: str) -> list[str]:
        try:
            return self.tree.names((folder,))
        except SubmissionError:
            return []

    def _is_a_systems(self, name: str) -> bool:
        """True for a name that a system gives."""
        return any(label.layout.match for is_folder in (True, False) for label in self._labels(name, is_folder))

    def _is_folder(self, place: Parts) -> bool:
        """True for a folder, unless it has the name of a file, which is then the problem with it."""
        return kind_of(place[-1]) is None and self.tree.is_folder(place)

    # ---- whose it is ----

    def _labels(self, name: str, is_folder: bool) -> list[Label]:
        labels = (layout.read(name, is_folder, self.chooser.names) for layout in known().layouts)
        return [label for label in labels if label]

    def _whose(self, name: str, is_folder: bool) -> tuple[str, Label] | None:
        """The student whose an entry is, and what its name says; None where that is not sure, which is then listed."""
        labels = self._labels(name, is_folder)
        file = on_one_line(name)
        if file in self.matches:
            label = labels[0] if labels else Label(Layout("", ""), name)
            return (self.matches[file], label) if self.matches[file] != NOBODYS else None
        if not labels:
            self.strangers.append(
                Stranger(file, "This kind of file is not graded; expected .ipynb, .py or .zip.", False)
            )
            return None
        if self.roster is None:
            return labels[0].key, labels[0]
        meant = self._meant(labels)
        if len(meant) == 1:
            return next(((student.id, label) for student, label in meant.values()), None)
        students = ", ".join(on_one_line(student) for student in meant)
        why = (SEVERAL if meant else NO_MATCH).format(students=students, roster=self.roster.path.name)
        self.strangers.append(Stranger(file, why))
        return None

    def _meant(self, labels: Sequence[Label]) -> dict[str, tuple[Student, Label]]:
        """Whom one layout or another takes an entry for; the first of them whose name and number fit a system's pattern."""
        meant: dict[str, tuple[Student, Label]] = {}
        for label in labels:
            for student in self.roster.meant(label) if self.roster else ():
                meant.setdefault(student.id, (student, label))
        return meant

    # ---- what they handed in ----

    def _unit(self, student: str, base: Parts, entries: list[tuple[str, Label]]) -> Submission:
        """What one student handed in at one place: a folder, a file, or files that the system has put side by side."""
        labels = {(*base, name): label for name, label in entries}
        files = {place: label for place, label in labels.items() if not self._is_folder(place)}
        choices = [self.chooser.in_folder(place) for place in labels if place not in files]
        if files:
            named = {place: label.file for place, label in files.items()}
            choices.append(self.chooser.among(named, {place: label.number for place, label in files.items()}))
        choice = min(choices, key=lambda choice: choice.rank)
        place = next((place for place in labels if choice.begins(place)), next(iter(labels)))
        return self._submission(student, choice, labels[place], place[-1])

    def _submission(self, student: str, choice: Choice, label: Label, entry: str) -> Submission:
        handed, layout = choice.handed, label.layout
        late = label.late if layout.tells_late else None
        page = layout.feedback.replace("{entry}", entry).replace("{before}", label.before or entry)
        called = () if layout.match else (student,)
        common: dict[str, Any] = {"name": label.name, "late": late, "page": page, "called": called}
        if choice.problem or handed is None:
            return Submission(student, None, choice.file, choice.problem, choice.notes, **common)
        when, told_by = handed_in(self.tree, handed, label)
        order = int((when or handed.changed) * 1e9) + label.number
        return Submission(
            student, handed.path, handed.file, "", choice.notes, iso(when) if when else "", order, told_by, handed=handed,
            **common,
        )  # fmt: skip

    def _known(self, submission: Submission) -> Submission:
        """With what the roster says: the name, and the time, where it has one."""
        student = self.roster.by_id.get(submission.student) if self.roster else None
        if student is None:
            return submission
        called = tuple(dict.fromkeys([student.id, *(key for _, key in student.keys)]))
        submission = replace(submission, name=student.full_name or submission.name, called=called)
        time = moment(student.submitted, self.zone) if student.submitted and submission.file else None
        if time is None:
            return submission
        return replace(submission, timestamp=iso(time.timestamp()), time_from="the roster")
