"""The first page: a picture that plays, the labs as a gallery, the course with its minutes, and where each reader goes on."""

import io
import json
import re
import shutil
from collections.abc import Sequence
from contextlib import redirect_stdout
from html import escape
from pathlib import Path
from typing import Any

from .. import widgets
from ..classroom import EXERCISES
from ..palette import PALETTES
from .frames import knowing

FRAME = '<iframe class="labkit-page" title="{title}" {source}="{address}" style="height: {height}px"></iframe>'
WIDE, HIGH = 1200, 630  # px of a preview, as those who show links ask for
FORMULA = """<form class="landing-formula" data-to="playground/index.html"><label for="formula">A function of your own</label>
<input id="formula" value="tanh(w * x) - x" spellcheck="false" autocapitalize="off" autocomplete="off">
<button class="landing-button">Show its graph</button></form>"""
MINUTES = re.compile(r"About (\d+) minutes(?:, and (\d+) for the exercises)?")

PAGE = """---
hide-toc: true
---
# labkit

<link rel="stylesheet" href="_static/landing.css">
<div class="landing-hero">
<p class="landing-claim">{claim}</p>
<p class="landing-pitch">{pitch}</p>
{formula}
<p class="landing-go">{go}</p>
{hero}
</div>

<div class="landing-readers">
<section><h2>You learn</h2><p>{students}</p></section>
<section><h2>You teach</h2><p>{teachers}</p></section>
<section><h2>You port</h2><p>{engineers}</p></section>
</div>

## Take one in your hand

Every picture here is computed, and every one can be driven: by mouse, by finger, by keyboard, with a screen reader. Below each is
a link to what you see, and code to put it into a page of yours.

<div class="landing-gallery">
{gallery}
</div>

## The course

{intro}

{course}
<script src="_static/landing.js" defer></script>

{trees}
"""
PITCH = (
    "Type a formula: its graph plays forwards, then the chain rule walks back, number by number. {count} notebooks, with "
    "{exercises} exercises that tell you what you misunderstood, in PyTorch's words and in MindSpore's.{here}"
)


def first_page(root: Path, source: Path, paths: Sequence[Path], live: str, trees: str) -> str:
    """The text of the first page, with its picture, preview and gallery written below `source`.

    `paths` are the notebooks that the site has, already run; `live`: what they load to run there, in words, or empty; if they
    do, the site has the playground, which takes a formula; `trees` lists all pages of the site.
    """
    readme = (root / "README.md").read_text(encoding="utf-8")
    claimed, rest = claim(readme)
    picture = picture_of(readme)
    picture.plays_at_once = True
    first_frame = source / "_static" / "first.html"
    first_frame.write_text(picture.html(), encoding="utf-8")
    knowing(first_frame, home="../index.html#widget=first")
    (source / "_static" / "preview.png").write_bytes(preview(picture))
    hero = FRAME.format(
        title=escape(picture.scene.title), source="src", address="_static/first.html?poster", height=300
    )
    first = paths[0].stem
    begin = (
        f'<a class="landing-button" href="notebooks/{first}.html">{"Run" if live else "Read"} the first notebook</a>'
    )
    differ = '<a class="landing-button" href="notebooks/differences.html">PyTorch or MindSpore: what differs</a>'
    run_here = "Open a notebook, press <em>Run this page here</em>, and answer: nothing to install. Or " if live else ""
    pitch = PITCH.format(
        count=len(list((root / "notebooks").glob("*.ipynb"))), exercises=len(EXERCISES),
        here=f" All of it runs in this browser: nothing to install, {escape(live)}." if live else "",
    )  # fmt: skip
    return PAGE.format(
        claim=escape(claimed), pitch=pitch, hero=hero, go=f"{begin} {differ}", intro=" ".join(rest.split()),
        formula=FORMULA if live else "",
        gallery="\n".join(gallery(source, paths)), course=course(paths, readme), trees=trees,
        students=f'{run_here}<a href="start.html">have it on your own machine</a>.',
        teachers='<a href="notebooks/for_instructors.html">For instructors</a>: assignments from the exercises and from your '
        "own, graded behind walls. Any picture here goes into your slides and pages, at the step that you want.",
        engineers='<a href="notebooks/differences.html">The same call in both frameworks</a>, wherever the answers differ. '
        '<a href="notebooks/ledger.html">Every documented case</a> of MindSpore\'s guides, and '
        '<a href="notebooks/guides.html">what the guides have wrong</a>.',
    )  # fmt: skip


def claim(readme: str) -> tuple[str, str]:
    """What the README begins with: its claim, in bold, and the rest of that paragraph."""
    found = re.search(r"\*\*(.+?)\*\* (.+?)\n\n", readme, re.DOTALL)
    return (found[1], found[2]) if found else ("labkit", "")


def about(notebook: Path, readme: str) -> tuple[str, str]:
    """The title of a notebook, and what it is about, as the README has them."""
    found = re.search(rf"\| \S+ \| \[(.+?)\]\(notebooks/{notebook.name}\) \| (.+?) \|", readme)
    return (found[1], found[2]) if found else (notebook.stem, "")


def picture_of(readme: str) -> Any:
    """The picture that the README's first program makes."""
    import linecache

    code = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]  # type: ignore[index]
    linecache.cache["<README>"] = len(code), None, code.splitlines(keepends=True), "<README>"
    names: dict[str, Any] = {"__name__": "__main__"}
    with redirect_stdout(io.StringIO()):
        exec(compile(code, "<README>", "exec"), names)
    return names["picture"]


def preview(picture: Any) -> bytes:
    """The picture at its end, as PNG of the size that is shown with links."""
    from PIL import Image

    slider = picture.scene.dials[0]
    drawn = Image.open(io.BytesIO(picture.png(scale=2.5, **{slider.name: len(slider.values) - 1}))).convert("RGB")
    drawn.thumbnail((WIDE - 80, HIGH - 60))
    whole = Image.new("RGB", (WIDE, HIGH), PALETTES["light"]["page"])
    whole.paste(drawn, ((WIDE - drawn.width) // 2, (HIGH - drawn.height) // 2))
    out = io.BytesIO()
    whole.quantize(64).save(out, format="PNG", optimize=True)
    return out.getvalue()


def gallery(source: Path, paths: Sequence[Path]) -> list[str]:
    """An item for each lab that a notebook shows: its saved page, which plays when it is seen, and the way to it."""
    (source / "_static" / "gallery").mkdir()
    return [item for name in sorted(vars(widgets)["__all__"]) if (item := _item(name, source, paths))]


def _item(name, source, paths):
    lab = getattr(widgets, name)
    if not (isinstance(lab, type) and issubclass(lab, widgets.Picture)) or lab is widgets.Picture:
        return ""
    for path in paths:
        for cell in json.loads((source / "notebooks" / path.name).read_text(encoding="utf-8"))["cells"]:
            page = _page(cell)
            if page and re.search(rf"\b{name}\(", "".join(cell["source"])):
                copy = source / "_static" / "gallery" / f"{name}.html"
                shutil.copy(source / "_static" / "widgets" / path.stem / page, copy)
                knowing(copy, plays=True, home=f"../../index.html#widget={name}")
                return _figure(name, lab, path.stem)
    return ""


def _figure(name, lab, notebook):
    says = escape((lab.__doc__ or "").strip().split("\n\n")[0].replace("`", ""))
    frame = FRAME.format(title=name, source="data-src", address=f"_static/gallery/{name}.html", height=460)
    return f'<figure><figcaption><a href="notebooks/{notebook}.html">{name}</a> {says}</figcaption>{frame}</figure>'


def _page(cell):
    shown = json.dumps(cell.get("outputs", []))
    found = re.search(r"widgets/[^/]+/([\w-]+\.html)", shown)
    return found[1] if found else None


def course(paths: Sequence[Path], readme: str) -> str:
    """The notebooks in their order, with what each is about, and its minutes."""
    rows, total = ["| No. | Notebook | About | Time |", "|---|---|---|---|"], 0
    for path in paths:
        found = MINUTES.search(path.read_text(encoding="utf-8"))
        minutes = [int(part) for part in found.groups() if part] if found else []
        total += sum(minutes)
        title, what = about(path, readme)
        number, times = path.stem.split("_")[0], " + ".join(map(str, minutes))
        rows.append(f"| {number} | [{title}](notebooks/{path.name}) | {what} | {times} min |")
    takes = re.search(r"^Each takes .+(?:\n.+)*", readme, re.MULTILINE)
    said_there = f" {takes[0]}" if takes else ""
    return "\n".join([f"{len(paths)} notebooks, {total} minutes in all, with the exercises.{said_there}", "", *rows])


def meta(title: str, description: str, site: str) -> str:
    """What those who show a link say about a page, as elements of its head; `site` is its address, or empty."""
    described = {"description": description, "og:title": title, "og:description": description, "og:type": "website"}
    shown = {"og:image": f"{site}_static/preview.png", "twitter:card": "summary_large_image"} if site else {}
    return "\n".join(
        f'<meta {"property" if name.startswith("og:") else "name"}="{name}" content="{escape(text)}">'
        for name, text in (described | shown).items()
    )
