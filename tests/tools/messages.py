"""A random sample of the sentences that labkit prints, raises and shows, for a reader who has not written them.

    python tests/tools/messages.py 200 --seed 1 --without widgets/explorer

A sentence is a string of at least four words, one of them an article or the like, in a module of `labkit`, docstrings aside,
or a line of text in one of its templates. Values that are filled in are in braces.
"""

import argparse
import ast
import random
import re

import course

LABKIT = course.ROOT / "labkit"
FUNCTION_WORDS = r"\b([Aa]|[Tt]he|is|are|of|to|in|no|not|but|for|was|with|and|or|on|at|as|than|it|by) "


def strings(source):
    """`(line, text)` of each string of a module; an f-string is one text."""
    tree = ast.parse(source)
    apart = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    apart |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            values = (p.value if isinstance(p, ast.Constant) else f"{{{ast.unparse(p.value)}}}" for p in node.values)
            yield node.lineno, "".join(values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            yield node.lineno, node.value


def sentences(without):
    """`file:line: text` of each sentence, without some folders of labkit."""
    for path in sorted([*LABKIT.rglob("*.py"), *LABKIT.rglob("*.html")]):
        if any(path.is_relative_to(LABKIT / folder) for folder in without):
            continue
        source = path.read_text(encoding="utf-8")
        lines = enumerate(re.sub(r"<[^>]*>|\{%.*?%\}", " ", source).splitlines(), 1)
        for line, text in strings(source) if path.suffix == ".py" else lines:
            plain = re.sub(r"\{[^}]*\}", "", text)
            if (
                len(re.findall(r"\b[A-Za-z]{2,}", plain)) >= 4
                and re.search(FUNCTION_WORDS, plain)
                and "px" not in plain
            ):
                yield f"{path.relative_to(course.ROOT)}:{line}: {' '.join(text.split())}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="*", default=[], metavar="FOLDER", help="folders of labkit to leave out")
    given = parser.parse_args()
    found = list(sentences(["classroom/exercises", *given.without]))  # exercises are read in the notebooks
    print(*sorted(random.Random(given.seed).sample(found, min(given.count, len(found)))), sep="\n")
