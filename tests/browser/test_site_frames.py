"""On the site a widget is a saved page in a frame: as high as its picture, in the theme of the site, also without a server."""

import shutil
from pathlib import Path

import pytest
from widget_examples import made

SCRIPT = Path(__file__).parent.parent.parent / "labkit" / "site" / "assets" / "site.js"
SITE = """<!doctype html>
<body data-theme="{theme}">
<picture><source media="(prefers-color-scheme: dark)" srcset="a_dark.svg"><img alt="" style="max-width: 100%"></picture>
<iframe class="labkit-page" src="widget.html" style="width: 100%; height: 90px; border: 0"></iframe>
<script>const DOCUMENTATION_OPTIONS = {{}};</script><script src="site.js"></script>
"""
HEIGHTS = "() => [innerHeight, document.documentElement.scrollHeight]"
DARK_PICTURE = "matchMedia(document.querySelector('source').media).matches"


def test_a_frame_that_was_there_before_the_script_has_the_height_of_its_picture(go, tmp_path):
    made("step_size").save(tmp_path / "widget.html")
    shutil.copy(SCRIPT, tmp_path)
    page_alone = SITE.format(theme="light").partition('<script src="site.js">')[0]
    listening = "<script>var heard = 0; onmessage = ({ data }) => { heard = data.labkit.height; }</script>"
    (tmp_path / "site.html").write_text(page_alone + listening, encoding="utf-8")
    page = go((tmp_path / "site.html").as_uri()).page
    page.wait_for_function("globalThis.heard > 90")
    assert page.evaluate("document.querySelector('iframe').style.height") == "90px"
    page.evaluate("heard = 0")
    page.add_script_tag(path=SCRIPT)
    page.evaluate("dispatchEvent(new Event('DOMContentLoaded'))")
    page.wait_for_function("document.querySelector('iframe').style.height === `${heard}px`")


@pytest.mark.parametrize(
    ("theme", "scheme"), [("auto", "light"), ("auto", "dark"), ("dark", "light"), ("light", "dark")]
)
@pytest.mark.parametrize("width", [400, 1280])
def test_a_frame_has_the_height_of_its_picture_and_the_theme_of_the_site(go, tmp_path, theme, scheme, width):
    for name in ("widget.html", "a_dark.svg"):
        made("step_size").save(tmp_path / name)
    shutil.copy(SCRIPT, tmp_path)
    (tmp_path / "site.html").write_text(SITE.format(theme=theme), encoding="utf-8")
    listened = go((tmp_path / "site.html").as_uri(), width=width, color_scheme=scheme)
    page, shown = listened.page, {"auto": scheme}.get(theme, theme)
    widget = page.frame_locator("iframe").locator("html")
    widget.and_(page.frame_locator("iframe").locator(f".{shown}")).wait_for()
    page.wait_for_function("document.querySelector('iframe').style.height !== '90px'")
    window, content = widget.evaluate(HEIGHTS)
    assert window == content > 90
    assert page.evaluate(DARK_PICTURE) == (shown == "dark")
    other = {"dark": "light", "light": "dark"}[shown]
    page.evaluate("theme => document.body.dataset.theme = theme", other)
    widget.and_(page.frame_locator("iframe").locator(f".{other}")).wait_for()
    assert page.evaluate(DARK_PICTURE) == (other == "dark")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert listened.messages == []
