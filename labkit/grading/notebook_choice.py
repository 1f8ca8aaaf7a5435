"""Chooses which of the files that a student submitted is graded."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .damaged_notebooks import read_submission
from .files import Parts, SubmissionError, joined, on_one_line
from .lms_file_names import ENDINGS
from .trees import Sealed, Tree

KINDS = ((".ipynb", ".ipynb.txt", ".ipynb.json"), (".zip",), (".py",))  # the first that is there
COMPARED = 20  # notebooks of one folder that are read to find out which is meant
DEEPEST = 6  # folders below a student's
ARCHIVES = 3  # in one another
MOST = 50_000  # names below a student's folder that are looked at
OUTSIDE = "{file} points outside the archive and was skipped."
NONE = "There is no notebook, only {names}; expected {wanted}. Ask for it."
EMPTY = "The folder {folder} contains no file; expected {wanted}. Ask for it."
NONE_IN_FOLDER = "The folder {folder} contains no notebook, only {files}; expected {wanted}. Ask for it."
SEVERAL = "The folder {folder} has several notebooks, none named {wanted}. Rename the one to grade."
OTHER_NAME = "{file} was graded, although its name is not {wanted}: no other notebook fits better."


@dataclass(frozen=True)
class Handed:
    """A file, in the folder or archive of submissions; `inside` is its place in a student's own archive, or in one in that."""

    tree: Tree
    parts: Parts
    inside: tuple[Parts, ...] = ()
    problem: str = ""
    changed: float = 0.0
    called: str = ""
    number: int = 0

    @property
    def file(self) -> str:
        """Its path, fit to be printed."""
        return joined([part for parts in (self.parts, *self.inside) for part in parts])

    @property
    def path(self) -> Path:
        """The file on the disk, or the archive that it is in."""
        return self.tree.path(self.parts)

    @property
    def name(self) -> str:
        """Its own name: that which the student gave it, where the system says it."""
        return self.inside[-1][-1] if self.inside else self.called or self.parts[-1]

    def read(self) -> bytes:
        """Its bytes. Raises SubmissionError."""
        tree, *archives, last = self.tree, self.parts, *self.inside
        for archive in archives:
            tree = tree.within(archive)
        data = tree.read(last)
        if self.inside and isinstance(tree, Sealed):
            tree.forget()
        return data


@dataclass(frozen=True)
class Choice:
    """The file to grade, or the problem; `file` is its path, empty where a student handed in nothing at all."""

    handed: Handed | None = None
    file: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[int, float]:
        """The least is the best: a notebook before other files, the later first; then what is there at all."""
        if self.handed is None:
            return len(KINDS) + (not self.file), 0.0
        return kind_of(self.handed.name) or 0, -self.handed.changed

    def begins(self, place: Parts) -> bool:
        """True where it lies at a place, or below."""
        return self.handed is not None and self.handed.parts[: len(place)] == place


@dataclass
class Chooser:
    """Chooses for one assignment, whose notebook has one of `names`; `source` is the instructor's."""

    tree: Tree
    names: list[str]
    source: Path | None = None
    depth: int = 0  # of archives

    @property
    def assignment(self) -> str:
        """The assignment's name."""
        return self.names[0]

    @property
    def wanted(self) -> str:
        """The name that the notebook should have."""
        return f"{self.names[-1]}.ipynb"

    def in_folder(self, folder: Parts) -> Choice:
        """The file to grade in a student's folder: in that of the assignment, at its top, or further down."""
        try:
            levels = list(self._levels(folder))
        except SubmissionError as error:
            return Choice(None, joined(folder), str(error))
        named = [(level, [place for place in places if kind_of(place[-1]) is not None]) for level, places in levels]
        for kind in range(len(KINDS)):
            for level, places in named:
                of_kind = [place for place in places if kind_of(place[-1]) == kind]
                choice = self._choose([self._handed(place) for place in of_kind], joined(level)) if of_kind else None
                if choice and not (kind == 1 and choice.handed is None and self._more(named, kind)):
                    return choice
        return self._none(levels)

    def among(self, called: Mapping[Parts, str], numbers: Mapping[Parts, int]) -> Choice:
        """The file to grade among some, with the names that the student gave them."""
        handed = [self._handed(place, name, numbers[place]) for place, name in called.items()]
        if (
            len(handed) == 1 and not handed[0].called and kind_of(handed[0].name) is not None
        ):  # its name is the student's
            only = handed[0]
            return Choice(None, only.file, only.problem) if only.problem else self._opened(only)
        for kind in range(len(KINDS)):
            if of_kind := [one for one in handed if kind_of(one.name) == kind]:
                return self._choose(of_kind, joined(next(iter(called))[:-1]) or "of submissions")
        first = handed[0]
        names = on_one_line(", ".join(one.name for one in handed[:5]))
        return Choice(None, first.file, NONE.format(names=names, wanted=self.wanted))

    def _more(self, named: list[tuple[Parts, list[Parts]]], kind: int) -> bool:
        """True where files of a later kind are there."""
        return any((kind_of(place[-1]) or 0) > kind for _, places in named for place in places)

    def _levels(self, folder: Parts) -> Iterator[tuple[Parts, list[Parts]]]:
        """Folders with the places of the files in them: the assignment's, the student's, those below."""
        names = self.tree.names(folder)
        inner = (*folder, self.assignment)
        has_inner = self.assignment in names and self.tree.is_folder(inner)
        files = [(*folder, name) for name in names]
        if has_inner:
            yield inner, [(*inner, name) for name in self.tree.names(inner)]
        yield folder, [place for place in files if kind_of(place[-1]) is not None or not self.tree.is_folder(place)]
        if not any(kind_of(place[-1]) == 0 for place in files):
            yield from self._below([p for p in files if kind_of(p[-1]) is None and self.tree.is_folder(p)], len(folder))

    def _below(self, folders: list[Parts], top: int) -> Iterator[tuple[Parts, list[Parts]]]:
        """What is further down, at most so deep and so much; folders that cannot be read are as if they were not there."""
        seen = 0
        for folder in folders:  # grows
            try:
                places = [(*folder, name) for name in self.tree.names(folder)]
            except SubmissionError:
                continue
            seen += len(places)
            if seen > MOST:
                return
            inner = [place for place in places if kind_of(place[-1]) is None and self.tree.is_folder(place)]
            if len(folder) - top < DEEPEST:
                folders.extend(inner)
            yield folder, [place for place in places if place not in inner]

    def _none(self, levels: list[tuple[Parts, list[Parts]]]) -> Choice:
        """Nothing that can be graded; it says what is there instead."""
        level, places = next(((level, places) for level, places in levels if places), levels[0])
        there, text = on_one_line(", ".join(place[-1] for place in places[:5])), NONE_IN_FOLDER if places else EMPTY
        sentence = text.format(folder=joined(level) or ".", files=there, wanted=self.wanted)
        return Choice(None, joined(places[0]) if places else "", sentence)

    def _handed(self, place: Parts, called: str = "", number: int = 0) -> Handed:
        seen = self.tree.seen(place)
        return Handed(self.tree, place, (), seen.problem, seen.changed, called, number)

    def _choose(self, found: list[Handed], where: str) -> Choice:
        """The right one of some files of one kind: by its name, as the only one, or by its cells."""
        whole = [one for one in found if not one.problem]
        named = [one for one in found if self.is_named(one.name)]
        if not whole:
            return Choice(None, (named or found)[0].file, (named or found)[0].problem)
        if right := [one for one in named if one in whole]:
            return self._opened(max(right, key=lambda one: (one.changed, one.number)))
        taken = whole[0] if len(whole) == 1 else self._alike(whole)
        if taken is None:
            sentence = SEVERAL.format(folder=where, wanted=self.wanted)
            return Choice(None, whole[0].file, sentence)
        note = OTHER_NAME.format(file=taken.file, wanted=self.wanted)
        return self._opened(taken, () if kind_of(taken.name) else (note,))

    def is_named(self, name: str) -> bool:
        """True for a name of the assignment's notebook, also with the number that systems put behind it."""
        own = "|".join(map(re.escape, self.names))
        return re.fullmatch(rf"(?:{own})(?:[-_]\d+| ?\(\d+\))?", stem_of(name), re.IGNORECASE) is not None

    def _opened(self, taken: Handed, notes: tuple[str, ...] = ()) -> Choice:
        """The file itself; of an archive, the right one in it."""
        if kind_of(taken.name) != 1:
            return Choice(taken, taken.file, "", notes)
        if self.depth == ARCHIVES:
            return Choice(
                None, taken.file, "It is in too many nested archives, which were skipped. Ask for the notebook itself."
            )
        try:
            archive = taken.tree.within(taken.parts)
            inner = Chooser(archive, self.names, self.source, self.depth + 1).in_folder(())
            archive.forget()
        except SubmissionError as error:
            return Choice(None, taken.file, str(error))
        if inner.handed is None:
            out = [OUTSIDE.format(file=file) for file in archive.outside[:1]]
            problem = "In the archive {file}: {problem}".format(file=taken.file, problem=inner.problem)
            return Choice(None, taken.file, " ".join([problem, *out]))
        place = inner.handed.parts, *inner.handed.inside
        inside = Handed(taken.tree, taken.parts, place, "", taken.changed, taken.called, taken.number)
        if not self.depth:
            notes = (*notes, "It was extracted from an archive: {file}.".format(file=inside.file))
        return Choice(inside, inside.file, "", notes)

    def _alike(self, candidates: list[Handed]) -> Handed | None:
        """The candidate with the most of the assignment's marked cells (more than half), the newest of equals."""
        scores = [(self._marks_in(c), c.changed, i) for i, c in enumerate(candidates[:COMPARED])]
        score, _, best = max(scores)
        return candidates[best] if 2 * score > len(self._marks) else None

    @cached_property
    def _marks(self) -> frozenset[str]:
        """The grade ids of the instructor's notebook."""
        handed = read_submission(self.source.read_bytes()) if self.source else None
        return frozenset(cell.grade_id for cell in handed.cells if cell.grade_id) if handed else frozenset()

    def _marks_in(self, candidate: Handed) -> int:
        """How many of them a file has; it is not decoded, because the grader does that."""
        try:
            data = candidate.read()
        except SubmissionError:
            return 0
        return sum(f'"{mark}"'.encode() in data for mark in self._marks)


def kind_of(name: str) -> int | None:
    """Which of the kinds of files that can be graded it is, by its name: 0 for a notebook; None for another file.

    >>> kind_of("a.ipynb"), kind_of("a.zip"), kind_of("a.docx")
    (0, 1, None)
    """
    folded = name.lower()
    return next((i for i, endings in enumerate(KINDS) if folded.endswith(endings)), None)


def stem_of(name: str) -> str:
    """A file's name without its ending.

    >>> stem_of("week1.ipynb.txt")
    'week1'
    """
    folded = name.lower()
    ending = max((ending for ending in ENDINGS if folded.endswith(ending)), key=len, default="")
    return name[: len(name) - len(ending)]
