"""Writes `notebooks/guides.md`: the errors in the documents, from the ledger and from what the notebooks name.

python tests/tools/guides_page.py
"""

import re

import course
from guides_sentences import SENTENCES

from labkit.cases import CASES
from labkit.cases.ledger import DOCUMENTS, ByMode, Slip
from labkit.cases.report import figure_text

FILE = course.FOLDER / "guides.md"
TEXT = """# Errors in the MindSpore guides

labkit's course follows five documents of MindSpore, and its tests run every program in them (except for the losses of r1.1
on MNIST). This page lists the sentences and printed figures that are wrong, the differences between PyNative and graph mode,
and the notebook that runs each case. `labkit cases NAME` prints a case with its program, the documented figures and labkit's;
`labkit cases` runs them all.

{documents}

## Wrong or misleading sentences

| where | says | correct | notebook |
|---|---|---|---|
{sentences}

## Wrong figures

| case | where | documented | correct | why |
|---|---|---|---|---|
{slips}

## Where PyNative and graph mode differ

The documents seldom name the mode in which they ran. In these cases, the mode matters.

| case | PyNative | graph mode | why |
|---|---|---|---|
{modes}

## Where the versions differ

- Only the Chinese documents (master and r2.3.q1) contain the comparison with PyTorch. The English r2.1 begins with
  `mindspore.grad`.
- According to r2.1 a loss scale prevents gradient *overflow*; the same sentence in master says *underflow*.
- In r2.3.q1, `<AddBackward0>` was interpreted as an HTML tag and lost: `tensor(3., grad_fn=)`. Master prints it.
- r1.1 and r1.10 define a Cell `TrainOneStepCell` with the optimizer. The later documents end with the gradient; the Chinese
  ones mention this Cell.
- r1.1 uses `GradOperation`, from `mindspore.ops.composite`, and r1.10 uses `ms.value_and_grad`; from r2.1 on
  `GradOperation` is "not recommended".

## Every case

| case | shows | documents | notebook |
|---|---|---|---|
{cases}
"""


def named_in() -> dict[str, list[str]]:
    """For each case the notebooks and sections that name it, as links."""
    found: dict[str, list[str]] = {}
    for path in course.NOTEBOOKS:
        section = ""
        for line in course.without_fences(course.markdown(path)).splitlines():
            heading = re.match(r"## (\d+)\. ", line)
            section = f" §{heading[1]}" if heading else "" if line.startswith("## ") else section
            for name in re.findall(r"`([a-z-]+)`", line):
                link = f"[{course.number_of(path)}{section}]({path.name})"
                if link not in found.setdefault(name, []):
                    found[name].append(link)
    return found


def cell(figure) -> str:
    """A figure in a cell of a table."""
    return "`" + " ".join(figure_text(figure).replace("\\n", " ").split()).replace("|", "\\|") + "`"


def plain(words: str) -> str:
    """Words for a cell of a table: what looks like a tag stands as code."""
    return re.sub(r"<\w+>", r"`\g<0>`", words)


def corrected(kind):
    """Each figure of a case with a correction of this kind: `(case, label, correction)`."""
    return ((case, label, c) for case in CASES for label, c in case.corrections.items() if isinstance(c, kind))


def page() -> str:
    """The page as the ledger and the notebooks have it."""
    links = named_in()
    by_number = {course.number_of(path): path.name for path in course.NOTEBOOKS}
    versions = {key: ", ".join(key) for key in {case.documents for case in CASES} | {s.documents for s in SENTENCES}}
    slips = [
        f"| `{case.name}` | {versions[case.documents]} | {cell(case.figures[label])} | {cell(c.right)} | {plain(c.why)} |"
        for case, label, c in corrected(Slip)
    ]
    sentences = [
        f"| {versions[s.documents]} | {s.says} | {s.so}{f' (`{s.case}`)' if s.case else ''} "
        f"| [{s.notebook}]({by_number[s.notebook]}) |"
        for s in SENTENCES
    ]
    modes = [
        f"| `{case.name}` | {cell(c.figures['pynative'])} | {cell(c.figures['graph'])} | {c.why} |"
        for case, _, c in corrected(ByMode)
    ]
    cases = [
        f"| `{case.name}` | {case.shows} | {versions[case.documents]} | {', '.join(links.get(case.name, []))} |"
        for case in CASES
    ]
    return TEXT.format(
        documents="\n".join(f"- **{key}**: {title}" for key, title in DOCUMENTS.items()),
        **{name: "\n".join(rows) for name, rows in
           {"slips": slips, "sentences": sentences, "modes": modes, "cases": cases}.items()},
    )  # fmt: skip


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
