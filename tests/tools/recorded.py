"""Record anew what the real frameworks give, and say what changed: name, before, after.

    LABKIT_TORCH_PYTHON=... LABKIT_MINDSPORE_PYTHON=... python tests/tools/recorded.py           # of both
    LABKIT_TORCH_PYTHON=... python tests/tools/recorded.py torch --look                          # store nothing

For when there is a new PyTorch or MindSpore: what is listed is what its dialect has to follow. The seeds of random programs
that are known to differ stay as they are: `tests/real/compared.py FRAMEWORK --differ FIRST LAST` looks for those.
"""

import argparse
import gzip
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "real"), str(TESTS / "tools")]

import compared  # noqa: E402
import differences  # noqa: E402
import edges  # noqa: E402
import with_torch  # noqa: E402

RECORDED = {framework: TESTS / framework / "recorded" for framework in ("torch", "mindspore")}
CALLS = {"torch": "random_calls", "mindspore": "random_calls_ms"}


@dataclass(frozen=True)
class Record:
    """One file: `ask(python)` gives its new text, `answers(text)` what each name in it has."""

    file: Path
    ask: Callable[[str], str]
    answers: Callable[[str], dict[str, str]]


def printed(framework: str) -> Record:
    """What the kept programs print."""

    def ask(python):
        record = compared.kept()
        record[framework]["printed"] = compared.recorded(framework, python, record[framework]["printed"])
        return compared.as_text(record)

    def answers(text):
        programs = json.loads(text)[framework]["printed"]
        code = compared.programs(framework, programs)
        pairs = ((name, zip(code[name], told or (), strict=False)) for name, told in programs.items())
        return {f"{name}: {line}": said for name, told in pairs for line, said in told}

    return Record(compared.KEPT, ask, answers)


def draws(framework: str) -> Record:
    """The random numbers of a seed, as digests."""
    file, script = RECORDED[framework] / "draws.json", TESTS / "tools" / f"{CALLS[framework]}.py"
    program = importlib.import_module(CALLS[framework]).program

    def ask(python):
        count = len(json.loads(file.read_text()))
        found = json.loads(output(python, script, "0", str(count)).splitlines()[-1])
        return "[" + ",\n ".join(map(json.dumps, found)) + "]\n"

    def answers(text):
        each = ((n, zip(program(n), told, strict=True)) for n, told in enumerate(json.loads(text)))
        return {f"program {n}, call {k}: {line}": d for n, told in each for k, (line, d) in enumerate(told)}

    return Record(file, ask, answers)


def losses() -> Record:
    """What three trainings print, in PyTorch."""
    script = TESTS / "tools" / "seeded_training.py"
    return Record(
        RECORDED["torch"] / "losses.txt",
        lambda python: output(python, script),
        lambda text: dict(line.split(": ") for line in text.splitlines()),
    )


def tapes() -> Record:
    """The tapes of ten models, as `labkit.show` reads them; their numbers may differ from one machine to another."""

    def ask(python):
        found = with_torch.output([str(TESTS / "realtape" / "recording.py")], python)
        return "{" + ",\n".join(f"{json.dumps(n)}:{compact(tape)}" for n, tape in json.loads(found).items()) + "}\n"

    def answers(text):
        tapes = json.loads(text)
        values = {
            (name, i): value.get("numbers", ())
            for name, tape in tapes.items()
            for i, value in enumerate(tape["values"])
        }
        numbers = {
            f"tape {name}, value {i}, number {j}": json.dumps(number)
            for (name, i), value in values.items()
            for j, number in enumerate(value)
        }
        nodes = {
            f"tape {name}, node {node['index']}, {node['name']}": compact(node)
            for name, tape in tapes.items()
            for node in tape["tape"]["nodes"]
        }
        return numbers | nodes

    def compact(tape):
        return json.dumps(tape, separators=(",", ":"), ensure_ascii=False)

    return Record(TESTS / "realtape" / "recorded.json", ask, answers)


def differing() -> Record:
    """The calls on which the two do not agree; it asks both."""

    def answers(text):
        rows = json.loads(text)["differences"]
        return {f"{row['kind']}, {row['call']}, {f}": said for row in rows for f, said in row["prints"].items()}

    pythons = {framework: compared.real_python(framework) for framework in differences.FRAMEWORKS}
    return Record(differences.differences.FILE, lambda python: differences.record(pythons), answers)


def at_edges() -> list[Record]:
    """Every function at the edges of its domain, and the dtypes that MindSpore refuses; it asks both."""
    asked = cache(lambda: edges.record({framework: compared.real_python(framework) for framework in edges.PLACES}))

    def answers(text):
        kept = json.loads(text)
        return {f"{f} {name} ({title})": a for f in kept for name, rows in kept[f].items() for title, a in rows.items()}

    refusals = lambda text: {line.rpartition(" | ")[0]: line.rpartition(" | ")[2] for line in text.splitlines()}
    return [
        Record(edges.FILE, lambda python: json.dumps(asked()[0]), answers),
        Record(edges.REFUSED, lambda python: asked()[1], refusals),
    ]


RECORDS: dict[str, list[Record]] = {
    "torch": [
        printed("torch"),
        draws("torch"),
        losses(),
        tapes(),
    ],
    "mindspore": [
        printed("mindspore"),
        draws("mindspore"),
    ],
}


def output(python: str, *command: str | Path) -> str:
    """What a script prints under another interpreter, in a folder of its own: MindSpore leaves files where it runs."""
    with TemporaryDirectory() as folder:
        done = subprocess.run([python, *command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{python} {' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout


def changes(before: dict[str, str], after: dict[str, str]) -> Iterator[tuple[str, str | None, str | None]]:
    """`(name, before, after)` of each answer that is another one, None for one that is not there."""
    for name in dict.fromkeys(chain(before, after)):
        if before.get(name) != after.get(name):
            yield name, before.get(name), after.get(name)


def again(record: Record, python: str, store: bool) -> list[tuple[str, str | None, str | None]]:
    """Ask anew; store it; what changed."""
    packed = record.file.suffix == ".gz"
    old = gzip.decompress(record.file.read_bytes()).decode() if packed else record.file.read_text(encoding="utf-8")
    new = record.ask(python)
    found = list(changes(record.answers(old), record.answers(new)))
    if store and found:
        record.file.write_bytes(gzip.compress(new.encode(), 9, mtime=0) if packed else new.encode())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Record what the real frameworks give, and say what changed.")
    parser.add_argument("frameworks", nargs="*", metavar="torch|mindspore", help="both unless told")
    parser.add_argument("--look", action="store_true", help="say what would change, store nothing")
    arguments = parser.parse_args()
    wanted = arguments.frameworks or list(RECORDS)
    for framework in wanted:
        if framework not in RECORDS:
            parser.error(f"expected torch or mindspore, but got {framework}")
        if not compared.real_python(framework):
            parser.error(
                f"LABKIT_{framework.upper()}_PYTHON names no interpreter: set it to the Python with {framework}"
            )
    for framework in wanted:
        python = compared.real_python(framework)
        version = output(python, "-c", f"import {framework}; print({framework}.__version__)").splitlines()[-1]
        print(
            f"{framework} {version}; the dialect stands for {importlib.import_module(f'labkit.{framework}').__version__}"
        )
        for record in RECORDS[framework]:
            tell(record, python, not arguments.look)
    if len(wanted) == len(RECORDS):
        for record in (differing(), *at_edges()):
            tell(record, "", not arguments.look)


def tell(record: Record, python: str, store: bool) -> None:
    """Ask anew, and print what changed."""
    found = again(record, python, store)
    print(f"{record.file.relative_to(TESTS.parent)}: {len(found)} changed")
    for name, before, after in found:
        print(f"  {name}\n    before: {before}\n    after:  {after}")


if __name__ == "__main__":
    main()
