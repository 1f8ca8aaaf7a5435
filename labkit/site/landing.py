"""The first page: a picture that plays, the course with its minutes, the labs, and links for each kind of reader."""

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

RUN_FIRST, READ_FIRST = "Run the first notebook", "Read the first notebook"
FRAME = '<iframe class="labkit-page" title="{title}" {source}="{address}" style="height: {height}px"></iframe>'
WIDE, HIGH = 1200, 630  # px of a preview, as those who show links ask for
FORMULA = """<form class="landing-formula" data-to="playground/index.html"><label for="formula">A function of your own</label>
<input id="formula" value="(tanh(w * x) - x)**2" spellcheck="false" autocapitalize="off" autocomplete="off">
<button class="landing-button">Open it in the playground</button></form>"""
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

## The course

{intro}

{course}

{labs}
<script src="_static/landing.js" defer></script>

{trees}
"""
LABS = """\
## The labs

Every number in these pictures is computed. Use them with a mouse, a finger, the keyboard or a screen reader. Below each one
are a link to what it shows and code to embed it in a page of your own.

<div class="landing-gallery">
{gallery}
</div>
"""
PITCH = (
    "labkit draws the graph of a function and plays its forward and its backward pass, number by number. {count} "
    "notebooks have {exercises} exercises that explain what you misunderstood, in PyTorch and in MindSpore.{here}"
)


def first_page(root: Path, source: Path, paths: Sequence[Path], live: str, trees: str) -> str:
    """The text of the first page, with its picture, preview and gallery written below `source`.

    `paths` are the notebooks that the site has, already run; `live`: what they load to run there, in words, or empty; if they
    do, the site has the playground, which takes a formula; `trees` lists all pages of the site.
    """
    readme = (root / "README.md").read_text(encoding="utf-8")
    claimed, rest = claim(readme)
    picture = picture_of(readme)
    first_frame = source / "_static" / "first.html"
    first_frame.write_text(picture.html(), encoding="utf-8")
    (source / "_static" / "preview.png").write_bytes(preview(picture))
    hero = FRAME.format(title=escape(picture.title), source="src", address="_static/first.html?poster", height=300)
    first = paths[0].stem
    begin = f'<a class="landing-button" href="notebooks/{first}.html">{RUN_FIRST if live else READ_FIRST}</a>'
    differ = '<a class="landing-button" href="notebooks/differences.html">PyTorch or MindSpore: what differs</a>'
    run_here = "Open a notebook, press <em>Run this page here</em> and answer the exercises. " if live else ""
    pitch = PITCH.format(
        count=len(list((root / "notebooks").glob("*.ipynb"))), exercises=len(EXERCISES),
        here=" All of it runs in this browser, with nothing to install; {live}.".format(live=escape(live)) if live else "",
    )  # fmt: skip
    shown = gallery(source, paths, (root / "notebooks" / "labs.md").read_text(encoding="utf-8"))
    return PAGE.format(
        claim=escape(claimed), pitch=pitch, hero=hero, go=f"{begin} {differ}", intro=" ".join(rest.split()),
        formula=FORMULA if live else "",
        labs=LABS.format(gallery="\n".join(shown)) if shown else "", course=course(paths, readme), trees=trees,
        students=f'{run_here}<a href="start.html">Install labkit</a> to work on your own computer.',
        teachers='<a href="notebooks/for_instructors.html">For instructors</a>: assignments from the exercises and from your '
        "own, graded in a sandbox. You can embed any picture in your slides and pages, at the step you choose.",
        engineers='<a href="notebooks/differences.html">Calls on which the two frameworks differ</a>, '
        '<a href="notebooks/ledger.html">every documented case</a> of MindSpore\'s guides, and '
        '<a href="notebooks/guides.html">mistakes in the guides</a>.',
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

    drawn = Image.open(io.BytesIO(picture.png(scale=2.5))).convert("RGB")
    drawn.thumbnail((WIDE - 80, HIGH - 60))
    whole = Image.new("RGB", (WIDE, HIGH), PALETTES["light"]["page"])
    whole.paste(drawn, ((WIDE - drawn.width) // 2, (HIGH - drawn.height) // 2))
    out = io.BytesIO()
    whole.quantize(64).save(out, format="PNG", optimize=True)
    return out.getvalue()


def gallery(source: Path, paths: Sequence[Path], page_of_labs: str) -> list[str]:
    """An item for each lab, in the order in which the notebooks first show them: what it shows, and its saved page."""
    (source / "_static" / "gallery").mkdir()
    labs = [name for name in vars(widgets)["__all__"] if _is_lab(getattr(widgets, name))]
    items: dict[str, str] = {}
    for path in paths:
        for cell in json.loads((source / "notebooks" / path.name).read_text(encoding="utf-8"))["cells"]:
            page, code = _page(cell), "".join(cell["source"])
            for name in labs:
                if page and name not in items and re.search(rf"\b{name}\(", code):
                    copy = source / "_static" / "gallery" / f"{name}.html"
                    shutil.copy(source / "_static" / "widgets" / path.stem / page, copy)
                    items[name] = _figure(name, path, page_of_labs)
    return list(items.values())


def _is_lab(thing):
    return isinstance(thing, type) and hasattr(thing, "describe")


def _figure(name, path, page_of_labs):
    shown = re.search(rf"<code>{name}</code>: (.+?)</td>", page_of_labs)
    shows = shown[1][0].upper() + shown[1][1:] if shown else name
    where = f'<a href="notebooks/{path.stem}.html">notebook {path.stem.split("_")[0]}</a>'
    frame = FRAME.format(title=name, source="data-src", address=f"_static/gallery/{name}.html", height=460)
    return (
        f"<figure><figcaption><strong>{shows}</strong><br><code>{name}</code> in {where}</figcaption>{frame}</figure>"
    )


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
    intro = "Notebooks: {count}. Minutes in all, with the exercises: {minutes}.".format(count=len(paths), minutes=total)
    return "\n".join([intro, "", *rows])


def meta(title: str, description: str, site: str) -> str:
    """What those who show a link say about a page, as elements of its head; `site` is its address, or empty."""
    described = {"description": description, "og:title": title, "og:description": description, "og:type": "website"}
    shown = {"og:image": f"{site}_static/preview.png", "twitter:card": "summary_large_image"} if site else {}
    return "\n".join(
        f'<meta {"property" if name.startswith("og:") else "name"}="{name}" content="{escape(text)}">'
        for name, text in (described | shown).items()
    )
