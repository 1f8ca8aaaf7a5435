"""Plant faults in a copy of labkit, one at a time, and see whether the tests of that room find each.

    python tests/tools/planted_faults.py --seed 1 --count 40       # drawn over all rooms
    python tests/tools/planted_faults.py labkit/engine --count 20  # in one of them

A fault is one small change of the syntax tree: an operator or a comparison exchanged, a number off by one, a condition
turned round, a statement left out. A fault that no test finds is printed with its line: it is harmless, or a test is missing.
"""

import argparse
import ast
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns

ROOT = Path(__file__).parents[2]
EXCHANGED: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """One change of one file: `source` is the whole file with the fault in it."""

    file: Path
    line: int
    what: str
    source: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.what}"


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """The ways to spoil one node of a tree: what each is, and a function that does it."""
    if isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in EXCHANGED:
        other = EXCHANGED[type(node.op)]
        yield f"{type(node.op).__name__} becomes {other.__name__}", lambda: setattr(node, "op", other())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in EXCHANGED:
        other = EXCHANGED[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} becomes {other.__name__}", lambda: node.ops.__setitem__(0, other())
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield f"{node.value} becomes {node.value + 1}", lambda: setattr(node, "value", node.value + 1)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"{node.value} becomes {not node.value}", lambda: setattr(node, "value", not node.value)
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        test = node.test
        yield "the condition is turned round", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), test))
    if isinstance(node, ast.FunctionDef):
        for i, statement in enumerate(node.body):
            if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)) and not _is_text(statement):
                left_out = f"left out: {ast.unparse(statement).splitlines()[0][:60]}"
                yield left_out, lambda i=i: node.body.__setitem__(i, ast.Pass())


def _is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def planted(file: Path, rng: random.Random) -> Fault | None:
    """A fault drawn for one file; None where there is nothing to spoil."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    inside = [n for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f) if hasattr(n, "lineno")]
    possible = [(node.lineno, *change) for node in inside for change in changes(node)]
    if not possible:
        return None
    line, what, spoil = rng.choice(possible)
    spoil()
    return Fault(file, line, what, ast.unparse(ast.fix_missing_locations(tree)))


def faults(rooms: list[Path], seed: int, count: int) -> Iterator[Fault]:
    """`count` faults, in each room in turn: the same ones for the same seed and files."""
    rng = random.Random(seed)
    files = {room: sorted(p.relative_to(ROOT) for p in _modules(ROOT / room)) for room in rooms}
    for i in range(count):
        fault = None
        while fault is None:
            fault = planted(rng.choice(files[rooms[i % len(rooms)]]), rng)
        yield fault


def _modules(room):
    return [room] if room.is_file() else [p for p in room.rglob("*.py") if "exercises" not in p.parts]


def tests_of(file: Path, tests: Path) -> list[str]:
    """The tests of the room that a file is in, by its name; for a room without any, those of the engine and its programs."""
    room = file.parts[1].removesuffix(".py")
    own = [tests / room, tests / f"test_{room}.py"]
    return [str(path) for path in own if path.exists()] or [str(tests / name) for name in ("engine", "properties")]


def found(fault: Fault, folder: Path, seconds: int) -> bool:
    """True if a test fails, or never ends, with the fault in place."""
    spoilt = folder / fault.file
    whole = spoilt.read_text(encoding="utf-8")
    spoilt.write_text(fault.source, encoding="utf-8")
    options = ["-x", "-n0", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, *tests_of(fault.file, folder / "tests")]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=seconds, check=False)
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        spoilt.write_text(whole, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Plant faults and see which the tests find.")
    parser.add_argument("rooms", nargs="*", type=Path, help="default: every room of labkit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seconds", type=int, default=600, help="for the tests of one fault")
    given = parser.parse_args()
    rooms = [p for p in (ROOT / "labkit").iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()]
    everywhere = sorted(p.relative_to(ROOT) for p in rooms)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "labkit-spoilt"
        copytree(ROOT, copy, ignore=ignore_patterns(".*", "build", "dist"))
        results = []
        for fault in faults(given.rooms or everywhere, given.seed, given.count):
            results.append(found(fault, copy, given.seconds))
            print("found    " if results[-1] else "NOT FOUND", fault, flush=True)
    print(f"{sum(results)} of {len(results)} faults were found")


if __name__ == "__main__":
    main()
