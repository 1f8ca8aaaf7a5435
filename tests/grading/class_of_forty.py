"""A class of forty, what each hands in, and how five systems name it: for the tests of layouts."""

import csv
import io
import re
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import nbformat

FIRST = ["Ada", "Blaise", "Carl", "Zoë", "Emmy", "Sofja", "Évariste", "Søren"]
LAST = ["Lovelace", "O'Neil", "Müller-Lüdenscheidt", "de la Cruz", "Noether"]
HANDED_IN = datetime(2026, 11, 30, 22, 15, tzinfo=UTC)


@dataclass(frozen=True)
class Pupil:
    """One of forty: `id` is their own, `moodle` and `canvas` are the systems' numbers."""

    number: int

    @property
    def id(self):
        return f"s{self.number:03}"

    @property
    def first(self):
        return FIRST[self.number % 8]

    @property
    def last(self):
        return LAST[self.number // 8]

    @property
    def moodle(self):
        return str(20000 - self.number)  # one system's numbers are not another's

    @property
    def canvas(self):
        return str(19961 + self.number)

    @property
    def late(self):
        return self.number == 7

    @property
    def time(self):
        return HANDED_IN + timedelta(hours=25 if self.late else 0)


CLASS = [Pupil(number) for number in range(40)]
ABSENT, UNREADABLE, WRONG, EMPTY = {11, 12}, {13}, {14, 15, 16, 17, 18}, {19, 20}


def own_notebook(handout, pupil, solutions):
    """What a pupil hands in, from the notebook that was made for them; None for nothing. `solutions` are kept by variant."""
    if pupil.number in ABSENT:
        return None
    if pupil.number in UNREADABLE:
        return b"%PDF-1.7 my notebook, printed"
    notebook = nbformat.read(handout.course.personal(pupil.id, handout.name), as_version=4)
    variant = str(notebook.metadata["labkit"]["variant"])
    if variant not in solutions:
        solved = nbformat.reads(handout.notebook(student=pupil.id).decode(), as_version=4)
        solutions[variant] = {cell.id: cell.source for cell in solved.cells}
    for cell in notebook.cells:
        if cell.id.startswith("answer-") and pupil.number not in EMPTY:
            cell.source = solutions[variant][cell.id]
        if cell.id == "answer-grad-slip" and pupil.number in WRONG:
            cell.source = "answer_1 = 3.0"
    return nbformat.writes(notebook).encode()


def as_script(data):
    """A notebook as nbconvert writes it to a script."""
    cells = nbformat.reads(data.decode(), as_version=4).cells
    return "\n\n".join(f"# In[ ]:\n\n\n{cell.source}" for cell in cells if cell.cell_type == "code").encode()


def zipped(files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def written(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


# ---- how systems name it ----


def moodle_files(handed, assignment):
    entries = {p: f"{p.first} {p.last}_{p.moodle}_assignsubmission_file_".replace("'", "") for p in handed}
    return {f"{entries[p]}/{assignment}.ipynb": data for p, data in handed.items()}


def canvas_files(handed, assignment):
    files = {}
    for p, data in handed.items():
        name = re.sub(r"[^\w]", "", f"{p.last}{p.first}".lower())
        late = "LATE_" * p.late
        files[f"{name}_{late}{p.canvas}_{67000 + p.number}_{assignment}{'-1' * (p.number % 3 == 0)}.ipynb"] = data
    return files


def nbgrader_files(handed, assignment):
    files = {f"{p.id}/{assignment}/{assignment}.ipynb": data for p, data in handed.items()}
    stamps = {f"{p.id}/{assignment}/timestamp.txt": f"{p.time:%Y-%m-%d %H:%M:%S} UTC".encode() for p in handed}
    return files | stamps


def flat_files(handed, assignment):
    """Notebooks, scripts and archives, side by side."""
    files = {}
    for p, data in handed.items():
        kind = p.number % 4 if p.number not in UNREADABLE else 0
        ending = (".ipynb", ".py", ".zip", ".ipynb.txt")[kind]
        convert = (bytes, as_script, lambda d: zipped({f"work/{assignment}.ipynb": d, "work/x.csv": b"1"}), bytes)[kind]
        files[f"{p.id}_{assignment}{ending}"] = convert(data)
    return files


def checkouts(folder, handed, assignment):
    """A repository for each student."""
    for p, data in handed.items():
        checkout = folder / f"{assignment}-{p.id}"
        written(
            checkout, {f"homework/{assignment}.ipynb": data, "README.md": b"mine", ".git/HEAD": b"ref: refs/heads/main"}
        )
    return folder


# ---- rosters ----


def table(rows, bom=False):
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return ("\ufeff" * bom + text.getvalue()).encode()


def moodle_worksheet():
    heading = [
        "Identifier", "Full name", "ID number", "Email address", "Status", "Group", "Grade", "Maximum grade",
        "Grade can be changed", "Last modified (submission)", "Last modified (grade)", "Feedback comments",
    ]  # fmt: skip
    rows = [
        [f"Participant {p.moodle}", f"{p.first} {p.last}", p.id, f"{p.id}@uni.example", "Submitted", "A", "", "100.00", "Yes",
         "-" if p.number in ABSENT else p.time.strftime("%A, %d %B %Y, %I:%M %p"), "-", ""]
        for p in CLASS
    ]  # fmt: skip
    return table([heading, *rows], bom=True)


def canvas_gradebook(title):
    grades = [f"{title} (4711)", "Other (4712)", "Final Score"]
    heading = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *grades]
    rows = [
        [f"{p.last}, {p.first}", p.canvas, f"sis{p.number}", p.id, "Group B", "", "1.00", "50.00"] for p in CLASS
    ]  # fmt: skip
    points = ["    Points Possible", "", "", "", "", "7.50", "1.00", "(read only)"]
    return table(
        [
            heading,
            ["", "", "", "", "", "Manual Posting", "", ""],
            points,
            *rows,
            ["Student, Test", "99", "", "", "Group B", "", "", ""],
        ]
    )


def plain_roster():
    return table(
        [
            ["id", "first_name", "last_name", "email", "section"],
            *([p.id, p.first, p.last, f"{p.id}@x.example", "C"] for p in CLASS),
        ]
    )
