"""A random sample of the sentences that labkit prints, raises and shows, for a reader who has not written them.

    python tests/tools/messages.py 200 --seed 1            # 200 sentences, each with its file and line
    python tests/tools/messages.py 200 --seed 1 --without widgets classroom/tutor

A sentence is a string of at least four words, one of them an article or the like, in a module of `labkit`, docstrings
aside, or a line of text in one of its templates. Values that are filled in stand in braces.
"""

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

import course

FUNCTION_WORDS = r"\b([Aa]|[Tt]he|is|are|of|to|in|no|not|but|for|was|with|and|or|on|at|as|than|it|by) "
WITHOUT = ("classroom/exercises", "classroom/tutor")  # these are read in the notebooks


def messages(without: tuple[str, ...] = WITHOUT) -> Iterator[tuple[Path, int, str]]:
    """The file, line and text of each sentence; f-strings and `+` are read as one."""
    labkit = course.ROOT / "labkit"
    for path in sorted(labkit.rglob("*")):
        if any(path.is_relative_to(labkit / folder) for folder in without):
            continue
        found: Iterator[tuple[int, str]] = iter(())
        if path.suffix == ".py":
            found = _strings(path.read_text(encoding="utf-8"))
        elif path.suffix == ".html":
            found = _lines(path.read_text(encoding="utf-8"))
        for line, text in found:
            plain = re.sub(r"\{[^}]*\}", "", text)
            if (
                len(re.findall(r"\b[A-Za-z]{2,}", plain)) >= 4
                and re.search(FUNCTION_WORDS, plain)
                and "px" not in plain
            ):
                yield path.relative_to(course.ROOT), line, " ".join(text.split())


def _strings(source: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    parts = {id(child) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for child in ast.walk(node)}
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in docs or (id(node) in parts and not isinstance(node, ast.JoinedStr)):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(p.value if isinstance(p, ast.Constant) else f"{{{ast.unparse(p.value)}}}" for p in node.values),
            )


def _lines(page: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(page.splitlines(), 1):
        yield number, re.sub(r"<[^>]*>|\{%.*?%\}", " ", line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="*", default=[], metavar="FOLDER", help="leave out these folders of labkit")
    given = parser.parse_args()
    everything = list(messages((*WITHOUT, *given.without)))
    chosen = random.Random(given.seed).sample(everything, min(given.count, len(everything)))
    print(f"{len(chosen)} of {len(everything)} sentences")
    for path, line, text in sorted(chosen):
        print(f"{path}:{line}: {text}")
