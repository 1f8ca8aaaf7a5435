"""Every link and every "see unit 07" leads somewhere. No network: addresses are well-formed, their hosts known."""

import re
from itertools import count
from urllib.parse import unquote, urlsplit

import address
import course
import pytest

from labkit.cases import CASES

README = course.ROOT / "README.md"
HOSTS = {  # primary sources: documents of the frameworks and tools, papers
    "archive.ics.uci.edu", "arxiv.org", "doi.org", "creativecommons.org", "docs.jax.dev",
    "docs.nvidia.com", "docs.python.org", "docs.pytorch.org", "github.com", "gitee.com", "keepachangelog.com",
    "ipywidgets.readthedocs.io", "jmlr.org", "jupyter.org", "jupyterlab.readthedocs.io",
    "matplotlib.org", "mybinder.org", "numpy.org", "openreview.net", "proceedings.mlr.press",
    "pytorch.org", "www.jmlr.org", "www.mindspore.cn", urlsplit(address.site(address.setting())).netloc,
}  # fmt: skip

documents = pytest.mark.parametrize("path", [*address.pages(), *course.NOTEBOOKS], ids=lambda path: path.stem)
notebooks = pytest.mark.parametrize("path", course.NOTEBOOKS, ids=lambda path: path.stem)


def text_of(path):
    return course.markdown(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")


def prose(path):
    """The text without code."""
    return re.sub(r"`[^`\n]*`", "`code`", course.without_fences(text_of(path)))


def targets(text):
    """Where links, pictures and bare addresses lead."""
    text = course.without_fences(text)
    found = re.findall(r"\]\(<?([^)\s>]+)>?[^)]*\)", text)
    found += re.findall(r"\b(?:src|srcset|href)=[\"']([^\"']*)[\"']", text)
    return [*found, *re.findall(r"https?://[^\s()<>\"'`\]]+", text)]


def anchors(path):
    """The names of the headings: as JupyterLab makes them, in other files as GitHub does."""
    headings = re.findall(r"^#+ (.*?) *$", course.without_fences(text_of(path)), re.MULTILINE)
    plain = [re.sub(r"[`*]", "", heading) for heading in headings]
    if path.suffix == ".ipynb":
        return [heading.replace(" ", "-") for heading in plain]
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in plain]


def fault(target, path):
    """What is wrong with the target of a link in a document, or an empty text."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return fault_of_address(target)
    file = path.parent / unquote(parts.path) if parts.path else path
    if not file.exists():
        return f"{target}: there is no such file"
    if parts.fragment and unquote(parts.fragment) not in anchors(file):
        return f"{target}: there is no such heading"
    return ""


def fault_of_address(target):
    parts = urlsplit(target)
    if parts.scheme != "https" or not re.fullmatch(r"[\w.~:/?#@!$&'*+,;=%-]+", target) or "@" in parts.netloc:
        return f"{target}: not a well-formed https address"
    if parts.netloc not in HOSTS:
        return f"{target}: the host is not on the list; is it a primary source?"
    return ""


@documents
def test_every_link_leads_somewhere(path):
    assert [fault(target, path) for target in targets(text_of(path)) if fault(target, path)] == []


@notebooks
def test_a_notebook_links_to_the_documents_behind_it(path):
    assert any(target.startswith("https://") for target in targets(text_of(path)))


@documents
def test_a_unit_that_is_named_belongs_to_the_course(path):
    named = re.findall(
        rf"(?:[Uu]nit|[Ee]lective)s? ({course.NUMBER}(?:(?:,| and| or| to|-|–)* ?{course.NUMBER})*)", prose(path)
    )
    assert {number for some in named for number in re.findall(course.NUMBER, some)} <= set(course.NUMBERS)


@notebooks
def test_sections_are_numbered_in_order_and_those_named_exist(path):
    numbers = re.findall(r"^## (\d+)\. ", course.without_fences(text_of(path)), re.MULTILINE)
    assert numbers == [str(i) for i, _ in zip(count(1), numbers, strict=False)]
    named = re.findall(r"\b[Ss]ections? (\d+)(?! of (?:the|notebook))", prose(path))
    assert set(named) <= set(numbers)


@documents
def test_a_case_that_is_named_is_in_the_ledger(path):
    named = re.findall(r"\bcases? ((?:`\w+-[\w-]+`(?:,| and)? ?|`accumulation` ?)+)", text_of(path))
    names = {name for some in named for name in re.findall(r"`([\w-]+)`", some)}
    assert names <= {case.name for case in CASES}


def test_what_is_said_to_be_somewhere_is_there():
    text = (course.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = re.findall(r"^\| (`.*?) \|", text.split("## Where things are")[1], re.MULTILINE)
    paths = [path for some in places for path in re.findall(r"`([^`]+)`", some)]
    assert len(paths) > 10 and [path for path in paths if not (course.ROOT / path).exists()] == []
