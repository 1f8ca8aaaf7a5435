"""Questions that an instructor added to a notebook with nbgrader's marks, and unknown marks.

nbgrader's marks say what a cell is: tests are a grade cell; a solution cell that is a grade cell too, and a task, are
graded by hand. labkit's own questions are not among them.
"""

import ast
import builtins
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .bindings import definitions, is_python, parse, without_magics
from .release import for_students, without

TESTS, WRITTEN, TASK = "tests", "written", "task"
FLAGS = ("grade", "solution", "locked", "task")
KEYS = {*FLAGS, "grade_id", "points", "schema_version", "checksum", "cell_type", "remove"}  # nbgrader's
JUPYTER = {  # what Jupyter and its editors write into a cell's metadata
    "collapsed", "scrolled", "deletable", "editable", "format", "name", "tags", "jupyter", "execution", "slideshow",
    "nbgrader", "id", "trusted", "vscode", "colab", "ExecuteTime", "hidden", "language", "lines_to_next_cell",
}  # fmt: skip
INSTEAD = {  # what an instructor can write instead of names that do not work on an answer in another process
    "Pass a random generator to the answer, such as np.random.default_rng(0)": "seed() manual_seed() set_seed()",
    "Let the answer return what it writes, and pass it what it reads": "open() read_text write_text read_bytes write_bytes",
    "Pass it to the answer as an argument": "patch monkeypatch MagicMock input() builtins stdin environ getenv putenv",
    "Call the answer, and compare what it returns": "inspect __code__ __defaults__ __kwdefaults__ __annotations__ "
    "__globals__ __closure__ subprocess signature() getsource()",
    "Let the answer be a function without async": "asyncio",
    "Let the answer return its report, or raise an error": "catch_warnings() warns() logging caplog",
    "Compare the attributes": "deepcopy() pickle asdict() astuple() is_dataclass() vars() dir() __dict__ __class__",
    "Write the name of the answer": "globals() locals() eval() exec()",
    "Compare the values": "shares_memory() may_share_memory() id()",
    "Let the answer call backward() and return the gradients": "backward()",
}
NOT_REMOTE = {name: instead for instead, names in INSTEAD.items() for name in names.split()}
TRANSFORMS = {
    "grad",
    "value_and_grad",
    "vjp",
    "jvp",
    "jacobian",
    "hessian",
    "elementwise_grad",
    "vmap",
    "jacrev",
    "jacfwd",
}
REGIONS = ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME")
LONGEST_TITLE = 80
MOST_POINTS = 1_000_000
NO_MARKS = "{where}: its metadata 'nbgrader' is {marks!r}; expected a table. Mark it again (Create Assignment)."
BAD_ID = "{where}: its grade_id is {grade_id!r}; expected a string. Mark the cell again (Create Assignment)."
NO_ID = "{where}: it is marked ({kinds}) but has no grade_id. Add one (Create Assignment)."
TWO_KINDS = "{where}: a task cannot also be a {kind} cell. Choose one of them (Create Assignment)."
NO_CODE = "{where}: tests must be code. For an answer in words choose 'Manually graded answer'."
BAD_POINTS = "{where}: its points are {points!r}; expected a number from 0 to {limit:,}."
NOT_REACHED = "line {line}: {name} does not reach the answers, which run in another process. {instead}."
NO_PYTHON = "{where}: the lines around BEGIN SOLUTION and END SOLUTION are not Python. Move these two marks"
UNKNOWN_METADATA = "{where}: its metadata {name!r} is unknown: the cell is released, without points"
UNBALANCED = "BEGIN {region} occurs {begun} times, END {region} {ended} times."
NOT_MARKED = "BEGIN {region} in a cell that is not marked for it: the region is not released, and has no effect."


@dataclass(frozen=True)
class AddedQuestion:
    """A question that is graded by its own tests or by hand. `name` is nbgrader's `grade_id` of its cell.

    `kind` is "tests", "written" (an answer in this cell) or "task" (the answer is what the student put below it).
    `source` is the instructor's cell: the tests, or the answer that was expected; `blank` is what students got of it.
    `prompt` is the text before it, `rubric` its mark scheme. `after` are the ids of the cells before it, the nearest
    first. Of tests, `prelude` is the instructor's code that they need; `answers` are the names that the instructor's
    own answers bind.
    """

    name: str
    points: float
    kind: str
    title: str
    source: str
    blank: str = ""
    prompt: str = ""
    rubric: str = ""
    after: tuple[str, ...] = ()
    prelude: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def by_hand(self) -> bool:
        """True where a person grades it."""
        return self.kind != TESTS


def mark(cell: Any) -> dict[str, Any]:
    """nbgrader's marks of a cell; empty where there are none that can be read."""
    found = cell.metadata.get("nbgrader", {})
    return found if isinstance(found, dict) else {}


def is_marked(cell: Any, *kinds: str) -> bool:
    """True for a cell that nbgrader calls one of `kinds`: "grade", "solution", "locked" or "task"."""
    return any(mark(cell).get(kind) for kind in kinds)


def added_questions(cells: Sequence[Any], own: Collection[str]) -> tuple[AddedQuestion, ...]:
    """The questions among the instructor's cells, in order; `own` are the ids of labkit's. ValueError for a broken one."""
    if problems := list(broken(cells)):
        raise ValueError(problems[0])
    return tuple(
        _question(cells, i)
        for i, cell in enumerate(cells)
        if is_marked(cell, "grade", "task") and mark(cell).get("grade_id") not in own
    )


def broken(cells: Sequence[Any]) -> Iterator[str]:
    """A sentence for each cell with marks that cannot be followed, so that nothing is graded before they are fixed."""
    for number, cell in enumerate(cells, 1):
        marks = cell.metadata.get("nbgrader", {})
        where = f"cell {number}"
        if not isinstance(marks, dict):
            yield NO_MARKS.format(where=where, marks=marks)
            continue
        if not isinstance(marks.get("grade_id", ""), (str, type(None))):
            yield BAD_ID.format(where=where, grade_id=marks["grade_id"])
            continue
        where = f"{where} ({marks['grade_id']})" if isinstance(marks.get("grade_id"), str) else where
        kinds = [kind for kind in FLAGS if marks.get(kind)]
        if kinds and not (isinstance(marks.get("grade_id"), str) and marks["grade_id"]):
            yield NO_ID.format(where=where, kinds=", ".join(kinds))
        if "task" in kinds and ("grade" in kinds or "solution" in kinds):
            yield TWO_KINDS.format(where=where, kind=kinds[0])
        if kinds == ["grade"] or kinds == ["grade", "locked"]:
            if cell.cell_type != "code":
                yield NO_CODE.format(where=where)
            elif not is_python(cell.source):
                yield "{where}: its tests are not Python.".format(where=where)
        points = marks.get("points")
        if is_marked(cell, "grade", "task") and not are_points(points):
            yield BAD_POINTS.format(where=where, points=points, limit=MOST_POINTS)


def are_points(value: Any) -> bool:
    """True for a number of points that a cell can give."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MOST_POINTS


def misplaced(cells: Sequence[Any]) -> Iterator[str]:
    """A sentence for each mark in the instructor's cells that neither labkit nor nbgrader does anything about."""
    for number, cell in enumerate(cells, 1):
        where = _where(number, cell)
        for name in sorted({key for key, value in mark(cell).items() if value} - KEYS):
            yield "{where}: the mark {name!r} is unknown and has no effect. Remove it.".format(where=where, name=name)
        yield from (f"{where}: {problem}" for problem in (*_regions(cell), *unsupported(cell, cells)))


def unsupported(cell: Any, cells: Sequence[Any]) -> Iterator[str]:
    """A sentence for each line of tests that cannot work: the answers run in another process, which gives values alone."""
    tree = parse(without_magics(cell.source))
    if not tree or not is_marked(cell, "grade") or is_marked(cell, "solution"):
        return
    sources = [one.source for one in cells if is_marked(one, "solution")]
    nodes = [node for source in sources if (own := parse(without_magics(source))) for node in ast.walk(own)]
    answers = set(_answers(cells))
    defined = {getattr(node, "name", getattr(node, "attr", "")) for node in nodes if _defines(node)} | answers
    known = {name: instead for name, instead in NOT_REMOTE.items() if name.removesuffix("()") not in defined}
    changed = (name for node in nodes if isinstance(node, ast.Global) for name in node.names)
    known |= dict.fromkeys(changed, "Let the answer have a function that returns it")
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = dict[int, tuple[str, str]]()
    for node in ast.walk(tree):
        for name, instead in (*_on_answers(node, answers), *_unreached(node, known, id(node) in called)):
            found.setdefault(getattr(node, "lineno", 0), (name, instead))
    for line, (name, instead) in sorted(found.items()):
        yield NOT_REACHED.format(line=line, name=name, instead=instead)


def _defines(node: ast.AST) -> bool:
    """True for a node by which an answer defines a function, a class or an attribute."""
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) or isinstance(getattr(node, "ctx", None), ast.Store)


def _unreached(node: ast.AST, known: dict[str, str], called: bool) -> Iterator[tuple[str, str]]:
    """The name that a node uses, and what to write instead, where it is one of the `known`."""
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    called = called and not (isinstance(node, ast.Attribute) and hasattr(builtins, name))  # as in model.eval()
    if not isinstance(getattr(node, "ctx", None), ast.Store) or isinstance(node, ast.Attribute):
        yield from ((one, known[one]) for one in (name, f"{name}()" if called else "") if one in known)


def _on_answers(node: ast.AST, answers: Collection[str]) -> Iterator[tuple[str, str]]:
    """What a node does with an answer's name that only works in one process, and what to write instead."""
    match node:
        case ast.ClassDef(bases=bases):
            for base in bases:
                if isinstance(base, ast.Name) and base.id in answers:
                    yield f"class {node.name}({base.id})", "Define the derived class in the answer's cell"
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), comparators=[ast.Name(id=name)]) if name in answers:
            yield f"type(...) is {name}", "Use isinstance"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Name(id=of), *_]):
            if name in TRANSFORMS - set(answers) and of in answers:
                yield f"{name}({of})", "Let the answer return the gradient"


def ungraded(cells: Sequence[Any]) -> Iterator[str]:
    """A sentence for each cell that is handed out and earns nothing, where that may not be meant."""
    tested = False
    found = []
    for number, cell in reversed(list(enumerate(cells, 1))):
        where, tested = _where(number, cell), tested or is_marked(cell, "grade")
        if is_marked(cell, "solution") and not tested:
            found.append("{where}: an answer without points: no later cell has points".format(where=where))
        if is_marked(cell, "solution") and cell.cell_type == "code" and not is_python(for_students(cell)):
            found.append(NO_PYTHON.format(where=where))
        for name in sorted(cell.metadata.keys() - JUPYTER):
            found.append(UNKNOWN_METADATA.format(where=where, name=name))
        if cell.cell_type == "raw":
            found.append("{where}: a raw cell, which is released without points".format(where=where))
    yield from reversed(found)


def _where(number: int, cell: Any) -> str:
    return f"cell {number}" + (f" ({mark(cell)['grade_id']})" if mark(cell).get("grade_id") else "")


def _regions(cell: Any) -> Iterator[str]:
    homes = {"SOLUTION": "solution", "HIDDEN TESTS": "grade", "MARK SCHEME": ("grade", "task")}
    for region in REGIONS:
        begun, ended = (len(re.findall(rf"{word} {region}\b", cell.source)) for word in ("BEGIN", "END"))
        if begun != ended:
            yield UNBALANCED.format(region=region, begun=begun, ended=ended)
        home = homes[region]
        if begun and not is_marked(cell, *([home] if isinstance(home, str) else home)):
            yield NOT_MARKED.format(region=region)


def _question(cells: Sequence[Any], i: int) -> AddedQuestion:
    cell, marks = cells[i], mark(cells[i])
    kind = TASK if marks.get("task") else WRITTEN if marks.get("solution") else TESTS
    before = [str(mark(other)["grade_id"]) for other in cells[:i] if mark(other).get("grade_id")]
    prompt = "" if kind == TASK else _prompt(cells, i)
    first = re.search(r"^#+ +(.+)$", cell.source if kind == TASK else prompt, re.MULTILINE)
    tests = kind == TESTS
    return AddedQuestion(
        marks["grade_id"], float(marks["points"]), kind,
        first[1].strip()[:LONGEST_TITLE] if first else marks["grade_id"], cell.source, for_students(cell), prompt,
        _inside(cell.source, "MARK SCHEME"), tuple(reversed(before)), _prelude(cells, i) if tests else (),
        _answers(cells) if tests else (),
    )  # fmt: skip


def _prompt(cells: Sequence[Any], i: int) -> str:
    """The texts right before a cell; code that is not a question may be in between."""
    found: list[str] = []
    for cell in reversed(cells[:i]):
        if is_marked(cell, "grade", "task") or (found and cell.cell_type == "code"):
            break
        if cell.cell_type == "markdown":
            found.insert(0, cell.source)
    return "\n\n".join(found)


def _inside(source: str, region: str) -> str:
    """The text between the marks of a region."""
    found = re.findall(rf"^[^\n]*BEGIN {region}[^\n]*\n(.*?)^[^\n]*END {region}", source, re.MULTILINE | re.DOTALL)
    return "\n".join(text.strip("\n") for text in found)


def _prelude(cells: Sequence[Any], i: int) -> tuple[str, ...]:
    """What tests may use in addition to the answers: the locked code before them, and imports and helpers of the other cells."""
    sources = []
    for cell in cells[:i]:
        if cell.cell_type == "code":
            locked = is_marked(cell, "locked") and not is_marked(cell, "grade", "solution")
            sources.append(cell.source if locked else _taken(cell.source, not is_marked(cell, "solution")))
    return tuple(filter(None, sources))


def _taken(source: str, helpers: bool) -> str:
    """The imports of a source, and with `helpers` the functions and classes that it defines."""
    tree = parse(without_magics(source))
    kinds = (ast.Import, ast.ImportFrom, *((ast.FunctionDef, ast.ClassDef) if helpers else ()))
    return "\n".join(ast.unparse(node) for node in tree.body if isinstance(node, kinds)) if tree else ""


def _answers(cells: Sequence[Any]) -> tuple[str, ...]:
    """The names that the instructor's own answers bind, without what they import."""
    found: set[str] = set()
    for cell in cells:
        if cell.cell_type == "code" and is_marked(cell, "solution"):
            imported = definitions(_taken(cell.source, helpers=False)) or {}
            found |= (definitions(without_magics(cell.source)) or {}).keys() - imported.keys()
    return tuple(sorted(found))


def visible(question: AddedQuestion) -> str:
    """The part of a question's tests that students see."""
    return without(question.source, "HIDDEN TESTS")
