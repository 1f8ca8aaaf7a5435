"""Draw every widget for notebooks/labs.md, in light and in dark: python tests/tools/lab_pictures.py [NAME ...]

The names are those of `tests/browser/widget_examples.py`. Pictures go to `notebooks/figures/labs/`; what a picture says of
itself is its "Description", by which the tests see whether it is still right.
"""

import io
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "notebooks" / "figures" / "labs"
COLOURS = 64

sys.path.insert(0, str(ROOT / "tests" / "browser"))


def labs() -> list[str]:
    """The examples that are drawn: one for each widget."""
    from widget_examples import LABS

    return [name for name, code in LABS.items() if "from labkit.widgets import" in code]


def photo(lab: Any, theme: str) -> bytes:
    """The page of a lab that computes in the page, as Chromium shows it."""
    import chromium

    with chromium.browser() as browser:
        page = browser.new_page(viewport={"width": 960, "height": 540}, color_scheme=theme, device_scale_factor=1.5)
        page.set_content(lab.html(theme))
        return page.locator(".lab").screenshot()


def draw(name: str) -> None:
    """Write both pictures of a widget, with few colours so that they are small."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo
    from widget_examples import made

    picture = made(name)
    words = PngInfo()
    words.add_itxt("Description", picture.describe())
    for theme in ("light", "dark"):
        png = picture.png(theme, scale=1.5) if hasattr(picture, "png") else photo(picture, theme)
        whole = Image.open(io.BytesIO(png)).convert("RGB")
        few = whole.quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(FOLDER / f"{name}_{theme}.png", optimize=True, pnginfo=words)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or labs():
        draw(name)
