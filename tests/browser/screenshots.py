"""Screenshots of the widgets, each in light and in dark: python tests/browser/screenshots.py FOLDER [NAME ...]

Each is opened as a saved page. The names are those of `widget_examples.LABS`; without any, all are taken.
"""

import argparse
import sys
from pathlib import Path

import chromium
import programs
from widget_examples import LABS, made


def screenshots(folder: Path, names: list[str], width: int, **dials):
    """Write NAME.html, NAME_light.png and NAME_dark.png into a folder; returns the pictures' paths."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = [made(name).save(folder / f"{name}.html", **dials) for name in names]
    pictures = []
    with chromium.browser() as browser:
        for page in pages:
            for mode in ("light", "dark"):
                window = browser.new_page(viewport={"width": width, "height": 600}, color_scheme=mode)
                window.goto(page.resolve().as_uri())
                window.locator(".lab-title").wait_for()
                pictures.append(page.with_name(f"{page.stem}_{mode}.png"))
                window.screenshot(path=pictures[-1], full_page=True)
                window.close()
    return pictures


def main() -> int:
    parser = argparse.ArgumentParser(description="Screenshots of the widgets, each in light and in dark.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LABS)}")
    parser.add_argument("--width", type=int, default=1000, metavar="PX", help="of the window; 400 is a phone")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(LABS)
    if unknown:
        parser.error(f"expected names of {', '.join(LABS)}, but got {', '.join(sorted(unknown))}")
    if programs.missing("chromium"):
        parser.error(programs.missing("chromium"))
    for picture in screenshots(arguments.folder, arguments.names or list(LABS), arguments.width):
        print(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
