"""The numbers and counts that prose, figures' words and exercises' sentences name, held against what runs beside them.

    python tests/tools/claims.py           # of all notebooks and exercises: what nothing accounts for
    python tests/tools/claims.py 03 11b    # of some

A number is accounted for by one that rounds to it in the code, the outputs or the figures of its section (written with three
digits or more: of its notebook, or of a notebook that the paragraph names), by true arithmetic in the text itself
(`36 × 16,384 = 589,824`), or by an expression in `tests/claims.toml`, which is evaluated. Arithmetic that a text states with
"=" has to be true. A count before a list, or before what it lists after a colon, has to be theirs.
"""

import ast
import math
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache

import course
import numpy as np
import stored_figures
from written_numbers import Claim, Pool, digits, numbers, sums

from labkit import data
from labkit.classroom import EXERCISES
from labkit.precision import FORMATS

DECLARED = course.ROOT / "tests" / "claims.toml"

NO_CLAIMS = re.compile(  # places in the course, versions, years, minutes (`minutes.py` counts them), numbers of items
    r"(?:[Nn]otebooks?|[Ss]ections?|[Ee]xercises?|[Ii]tems?|[Ff]ault|[Ll]ines?|[Ss]tep|chapter|version|§) ?\d+(?:\.\d+)?[b-e]?"
    r"(?:(?:, |,? and | or | to |-|–)\d+[b-e]?\b)*|\*\*About \d+ minutes.*?(?:exercises|\n\n)|\d+ to \d+ minutes"
    r"|(?:PyTorch|MindSpore|NumPy|Python|torch|r)\s?\d+\.[\d.]+(?:q1)?|\b(?:19|20)\d\d\b(?![.,]?\d)|\b16 bits"
    r"|(?<![.\d])0\d\b(?!\.\d)|(?<![.\d])\d\d[b-e]\b(?!-?\d)|^#+ \d+\w? ?[.·]|^\s*\d+\. |^\| \d\d[b-e]? \|"
    r"|\|(?: \d\d[b-e]?\b,?)+(?= \|)",
    re.MULTILINE | re.DOTALL,
)
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
COUNT = rf"\b({'|'.join(WORDS[2:])})\b"
BEFORE_A_LIST = re.compile(rf"(?:(?:The|There are|Here are|All|These|Its) )?{COUNT}(?!.*\blist of)", re.IGNORECASE)
BEFORE_A_COLON = re.compile(rf"{COUNT}(?: [\w*-]+){{0,2}}:\s*([^:;?]+?)[.!]?$", re.IGNORECASE)
COUNTED_DRAWN = re.compile(
    rf"{COUNT}(?: \w+)? (panels|pictures|patterns|curves|runs|lines|staircases)\b", re.IGNORECASE
)
ITEMS = re.compile(r"(?:[-*]|\d+\.) ")
PATH_OF = dict(zip(course.NUMBERS, course.NOTEBOOKS, strict=True))


# ---- what runs ----


def shown(cell) -> Iterator[str]:
    """What a cell shows, as text; the words of its figures are claims themselves."""
    claimed = {figure.words for figure in stored_figures.of(cell)}
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain") or output.get("evalue") or ""
        yield "" if text in claimed else text
        yield re.sub(r"<[^>]+>", " ", data.get("text/html", "")) if "<img" not in data.get("text/html", "") else ""


def evidence(cells) -> Pool:
    """The numbers in the code of cells, and in what they show."""
    texts = []
    for cell in cells:
        if cell.cell_type == "markdown":
            texts += re.findall(r"^```.*?^```|^    \S.*$", cell.source, re.MULTILINE | re.DOTALL)
        else:
            texts += [re.sub(r"^words = (?:\((?:.|\n)*?^\)|.*$)", "", cell.source, flags=re.MULTILINE), *shown(cell)]
    return Pool(texts)


@cache
def _drawn(path) -> dict[str, Pool]:
    return {f.words: Pool(f.texts, f.read) for cell in course.code_cells(path) for f in stored_figures.of(cell)}


def drawn_with(path, words: str) -> list[Pool]:
    """The numbers in the figure of a notebook that has these words; nothing if they are no figure's."""
    return [_drawn(path)[words]] if words in _drawn(path) else []


@cache
def whole(path) -> Pool:
    """All that a notebook runs and shows."""
    return evidence(course.load(path).cells)


@cache
def sections(path):
    """The cells of a notebook by its headings of the second level; before the first stands what opens it."""
    found = [[]]
    for cell in course.load(path).cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            found.append([])
        found[-1].append(cell)
    return found


@cache
def run_of(name) -> Pool:
    """The numbers of an exercise: in its code, with the answer, and in its statement."""
    exercise = EXERCISES[name]
    file = course.ROOT / "labkit" / "classroom" / "exercises" / exercise.notebook / f"{name.replace('-', '_')}.py"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            node.value = ""
    return Pool([ast.unparse(tree), NO_CLAIMS.sub(" ", exercise.statement)])


# ---- what is said ----


def code(found) -> str:
    """Code in a text, if it is arithmetic; other code is no claim."""
    words = re.sub(r"\b(?:sqrt|log|exp)\b|\d[\d.]*e[+-]?\d+", "", found[1])
    return "code" if re.search(r"[A-Za-z_]", words) else found[1]


def claimed(text: str) -> str:
    """A text without what claims nothing: code, places, questions."""
    rest = NO_CLAIMS.sub(" ", re.sub(r"`([^`\n]*)`", code, text))
    return re.sub(r"(?:^|(?<=[.:!?*] )|(?<=\*\*))[^.!?]*(?:\.\d[^.!?]*)*\?", " ", rest)


def prose(path) -> Iterator[tuple[int, str, str]]:
    """Each paragraph of a notebook and the words of each figure: `(section, cell, text)`."""
    for section, cells in enumerate(sections(path)):
        for cell in cells:
            if cell.cell_type == "code":
                yield from ((section, cell.id, figure.words) for figure in stored_figures.of(cell))
            elif not re.match(r"exercise-|solution-", cell.id):
                text = course.without_links(course.without_fences(cell.source))
                text = re.sub(r"^    \S.*$", "", text, flags=re.MULTILINE)
                yield from ((section, cell.id, paragraph) for paragraph in re.split(r"\n\s*\n", text))


def told(name) -> Iterator[tuple[str, str]]:
    """What an exercise says beside its statement: `(name, text)`."""
    exercise = EXERCISES[name]
    texts = [*exercise.hints, *exercise.rules, *(way.sentence for way in exercise.ways)]
    texts += [*(each.sentence for each in exercise.misconceptions), *(text for _, text in exercise.errors)]
    return ((name, text) for text in texts)


# ---- the two held together ----


@cache
def declared() -> dict[str, dict[str, dict[str, str]]]:
    """By notebook and by cell or exercise: numbers as they are written, and the expression that each is the value of."""
    return tomllib.loads(DECLARED.read_text(encoding="utf-8"))


def lines_of(*files: str) -> int:
    """How many lines some files of labkit have together."""
    return sum(len((course.ROOT / "labkit" / file).read_text(encoding="utf-8").splitlines()) for file in files)


def value_of(expression: str) -> float:
    """What a declared expression is."""
    names = {"np": np, "math": math, "lines_of": lines_of, "FORMATS": FORMATS, "digits": data.digits}
    return float(eval(expression, names))


def unaccounted(place: str, text: str, near: list[Pool], far: Pool, wide: bool = False) -> Iterator[tuple[str, Claim]]:
    """The numbers of a text that neither what is near nor its own arithmetic accounts for; `far` counts for long ones."""
    rest = claimed(text)
    others = [whole(PATH_OF[number]) for number in course.numbers_named(text)]
    pools = [*near, Pool([statement for statement, holds in sums(rest) if holds]), *others]
    for claim in numbers(rest):
        everywhere = [far] if wide or digits(claim) > 2 else []
        if claim.value and not any(pool.has(claim) for pool in [*pools, *everywhere]):
            yield place, claim


def of_notebook(path) -> Iterator[tuple[str, Claim]]:
    """The numbers of a notebook's prose that nothing accounts for, each with the id of its cell."""
    near = [evidence(cells) for cells in sections(path)]
    for section, cell, text in prose(path):
        pools = [near[section], *drawn_with(path, text)]
        yield from unaccounted(cell, text, pools, whole(path), wide=section == 0 or cell == "recap")


def of_exercise(name) -> Iterator[tuple[str, Claim]]:
    """The numbers of an exercise's sentences that nothing accounts for."""
    path = course.FOLDER / f"{EXERCISES[name].notebook}.ipynb"
    for place, text in told(name):
        for _, claim in unaccounted(place, text, [run_of(name)], whole(path)):
            small = claim.value == int(claim.value) and abs(claim.value) <= 12
            if not small and not whole(path).has(claim):
                yield place, claim


def untrue(text: str) -> list[str]:
    """The arithmetic in a text that is wrong."""
    return [statement for statement, holds in sums(claimed(text)) if not holds]


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a text, each with the list or table that follows it, or an empty text."""
    before = ""
    for block in re.split(r"\n\s*\n", text):
        words, rest = re.match(r"((?:(?!(?:[-*]|\d+\.) |\|).*\n?)*)([\s\S]*)", block).groups()
        before = words.strip() or before
        if before and (rest or words.strip()):
            yield before, rest
        before = "" if rest else before


def miscounted(text: str) -> Iterator[str]:
    """What a text counts before it lists it, where it lists another number of things."""
    for words, listed in blocks(course.without_links(course.without_fences(text))):
        plain = re.split(r"(?<=[.!?])\s+", re.sub(r"[*_]", "", words).strip())[-1]
        if (counted := BEFORE_A_LIST.match(plain)) and listed:
            items = [line for line in listed.splitlines() if ITEMS.match(line)]
            rows = [line for line in listed.splitlines() if line.startswith("|")]
            if WORDS.index(counted[1].lower()) != (len(items) or len(rows) - 2):
                yield f"{plain!r} before {len(items) or len(rows) - 2}"
    for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n", course.without_fences(text)):
        sentence = re.sub(r"\([^()]*\)", "", re.sub(r"`[^`]*`", "code", sentence)).strip()
        counted = BEFORE_A_COLON.search(sentence)
        parts = re.split(r",\s*(?:and |or )?|\s+and\s+|\s+or\s+", counted[2]) if counted else []
        listed_here = len(parts) > 1 and "," in counted[2] and max(len(part.split()) for part in parts) < 5
        if listed_here and "list of" not in sentence:
            shorter = len(re.split(r",\s*(?:and |or )?", counted[2]))
            if WORDS.index(counted[1].lower()) not in (len(parts), shorter):
                yield f"{counted[1]} before {len(parts)}: {sentence[-120:]!r}"


def miscounted_drawn(figure) -> Iterator[str]:
    """The panels and the curves that the words of a figure count, where it has another number of them."""
    for count, thing in COUNTED_DRAWN.findall(figure.words):
        number = WORDS.index(count.lower())
        if number not in ({figure.panels} if thing in ("panels", "pictures", "patterns") else figure.curves):
            yield f"{count} {thing}: {figure.words[:80]}"


def names_missing(text: str, own: str) -> Iterator[str]:
    """The names in code that a sentence gives beside other notebooks, and that are neither in one of these nor run in its own."""
    for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n|\n(?=[-|*])", text):
        if others := course.numbers_named(sentence) - {own}:
            places = [all_of(PATH_OF[own], "code"), *(all_of(PATH_OF[number]) for number in others)]
            for name in re.findall(r"`([A-Za-z_][\w.]*)(?=[`(])", sentence):
                if not name.endswith(".py") and not any(name in place for place in places):
                    yield f"{name!r} in notebook {', '.join(sorted(others))}: {' '.join(sentence.split())[:90]!r}"


@cache
def all_of(path, kind: str = "") -> str:
    """What stands in the cells of a notebook: code, prose, outputs; or in those of one kind."""
    cells = [cell for cell in course.load(path).cells if kind in ("", cell.cell_type)]
    return "\n".join(f"{cell.source}\n{''.join(shown(cell))}" for cell in cells)


if __name__ == "__main__":
    for number, path in PATH_OF.items():
        if len(sys.argv) > 1 and number not in sys.argv[1:]:
            continue
        names = [name for name, exercise in EXERCISES.items() if exercise.notebook == path.stem]
        for place, claim in [*of_notebook(path), *(hit for name in names for hit in of_exercise(name))]:
            if claim.written in declared().get(number, {}).get(place, {}):
                continue
            print(f"{number} {place}: {claim.written}   in   {claim.words}")
        for place, text in [*(hit[1:] for hit in prose(path)), *(hit for name in names for hit in told(name))]:
            for statement in untrue(text):
                print(f"{number} {place}: {statement}   is not so")
        for cell in course.load(path).cells:
            if cell.cell_type == "markdown":
                for words in miscounted(cell.source):
                    print(f"{number} {cell.id}: {words}")
