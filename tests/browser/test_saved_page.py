"""A saved page plays without Python and without a network, in any light, at any width, by mouse and by keyboard."""

import re

import pytest
from listened_page import axe_findings
from shown_widget import Shown
from widget_examples import FEW, Demo, made

from labkit.widgets.kit import theme
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import Caption, Dial, Panel, Scene, rect

OVERFLOWING = """() => [...document.querySelectorAll(".labkit *")].filter(node => {
  const box = node.getBoundingClientRect();
  return box.width && !node.closest("svg, .lk-grips, .lk-tip") && (box.right > innerWidth + 1 || box.left < -1);
}).map(node => node.outerHTML.slice(0, 120))"""
MISPLACED = """frame => [...frame.querySelectorAll("figure:not([hidden]) svg")].flatMap(svg => {
  const whole = svg.viewBox.baseVal, slack = 5;  // fonts differ
  const seen = node => node.textContent.trim() && node.getClientRects().length && getComputedStyle(node).opacity > 0.3;
  const words = [...svg.querySelectorAll("text")].filter(seen).map(node => [node.textContent, node.getBBox()]);
  const over = (a, b, side, size) => Math.min(a[side] + a[size], b[side] + b[size]) - Math.max(a[side], b[side]);
  const outside = words.filter(([, box]) =>
    over(box, whole, "x", "width") < box.width - slack || over(box, whole, "y", "height") < box.height - slack);
  const pairs = words.flatMap((one, i) => words.slice(0, i).filter(([, box]) =>
    over(box, one[1], "x", "width") > slack && over(box, one[1], "y", "height") > slack).map(other => [one, other]));
  return [...outside.map(([text]) => text), ...pairs.map(pair => pair.map(([text]) => text).join(" over "))];
})"""


STEPS = """(frame, whole) => {
  const at = node => node.getBoundingClientRect(), range = frame.querySelector(".lk-range");
  const forward = frame.querySelector('button[title="Forward"]'), places = new Set();
  frame.querySelector('button[title="First"]').click();
  for (let i = 0; i <= Math.min(20, range.max); i++) {
    const picture = whole ? [at(frame.querySelector(".lk-panels")).y + scrollY] : [];
    places.add([at(forward).x, at(forward).y + scrollY, ...picture].map(Math.round).join());
    forward.click();
  }
  frame.querySelector('button[title="First"]').click();
  return places.size;
}"""


common = pytest.mark.common
USUAL = {"color_scheme": "light", "reduced_motion": "reduce", "forced_colors": "none"}


@pytest.fixture(scope="module")
def opened(window, example, picture, tmp_path_factory):
    """The saved page of each widget, opened once; its address; and what it says."""
    url = picture.save(tmp_path_factory.mktemp("page") / f"{example}.html").as_uri()
    window.messages.clear()
    window.requests.clear()
    window.page.goto(url)
    return Shown(window.page.locator(".labkit"), picture.scene), url, window


@pytest.fixture
def shown(opened):
    """The widget as a test before has left it, in a light and wide window."""
    shown, url, listened = opened
    look(shown.page)
    yield shown
    assert listened.messages == []
    assert listened.requests == [url]  # nothing is fetched, from anywhere


def look(page, width=1000, **media):
    """Make the window as wide and its reader's wishes such."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(**USUAL | media)


def turned(shown):
    """Turn each dial that is seen to its last place, a slider to its middle too, then back; name each place in turn."""
    for dial in shown.scene.dials:
        last = len(dial.values) - 1
        for position in dict.fromkeys([last, last // 2] if dial.kind == "slider" else [last]):
            if shown.control(dial).is_visible():
                shown.turn(dial, position)
                yield f"{dial.name} at {position}"
        if shown.control(dial).is_visible():
            shown.turn(dial, 0)
    yield "all at their first place"


def test_the_few_have_every_kind_of_control():
    def kinds(names):
        return {dial.kind for name in names for dial in made(name).scene.dials}

    assert kinds(FEW) == {"slider", "choice", "toggle", "plane"}


def test_every_dial_shows_what_the_scene_says_with_words_in_their_place(shown):
    assert shown.differences() == []
    for place in turned(shown):
        assert shown.differences() == [], place
        assert shown.frame.evaluate(MISPLACED) == [], place


def test_axe_finds_nothing(shown):
    assert axe_findings(shown.page, "html") == []


def test_nothing_overflows_a_narrow_page(shown):
    look(shown.page, width=400)
    for dial in [None, *shown.scene.dials]:
        if dial is not None and shown.control(dial).is_visible():
            shown.turn(dial, len(dial.values) - 1)
        for _ in range(20):  # a page that was made narrow arranges its panels in the next frames
            found = shown.page.evaluate(OVERFLOWING)
            if not found:
                break
            shown.page.wait_for_timeout(100)
        assert found == [], dial
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 400


# ---- what all widgets have in common ----


@common
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_page_has_the_readers_theme(shown, mode):
    look(shown.page, color_scheme=mode)
    assert axe_findings(shown.page, "html", rules=["color-contrast"]) == []
    ground = shown.panel().evaluate("node => getComputedStyle(node).backgroundColor")
    assert ground == f"rgb{tuple(bytes.fromhex(theme.PALETTES[mode]['page'][1:]))}"


@common
def test_a_click_on_a_part_goes_to_its_step(shown):
    links = [name for name in shown.links() if name in shown.scene.links and shown.scene.links[name].go]
    clicked = []
    for name in links[:: len(links) // 5 + 1]:
        clicked += [name] * shown.click(name)
        assert shown.differences() == [], name
    assert bool(clicked) == bool(links)


@common
def test_the_keyboard_steps_to_every_end(shown):
    shown.panel().focus()
    for key in ("ArrowRight", "End", "ArrowRight", "ArrowLeft", "Home", "ArrowLeft", "ArrowRight"):
        shown.press(key)
        assert shown.differences() == [], key


@common
def test_keys_step_wherever_nothing_else_takes_them(shown):
    if not shown.frame.locator(".lk-slider .lk-range").first.is_visible():
        pytest.skip("nothing is stepped through")
    shown.page.evaluate("document.activeElement.blur()")
    shown.press("ArrowRight")
    assert shown.differences() == []
    shown.frame.get_by_role("button", name="First").click()
    shown.goes({shown.main.name: 0})
    for key in ("ArrowRight", "Home", "End"):
        shown.press(key)
        assert shown.differences() == [], key
    shown.press("Home")


@common
@pytest.mark.parametrize("width", [420, 1000])
def test_no_step_moves_a_button_or_the_picture_away_from_the_pointer(shown, width):
    if not shown.frame.locator(".lk-slider .lk-range").first.is_visible():
        pytest.skip("nothing is stepped through")
    look(shown.page, width)
    assert shown.frame.evaluate(STEPS, width > 420) == 1  # on a narrow page not all sentences have room


@common
def test_the_keyboard_visits_the_parts(shown):
    labels, said = {shown.scene.links[name].label for name in shown.links() if name in shown.scene.links}, set()
    for panel in range(shown.frame.locator("figure.lk-panel:not([hidden])").count()):
        shown.panel(panel).focus()
        for _ in range(3):
            shown.press("ArrowDown")
            said.add(shown.frame.locator(".lk-say").text_content())
    assert bool(said & labels) == bool(labels)
    assert said <= labels | {shown.scene.said(shown.state)}
    shown.press("ArrowRight")


@common
def test_reduced_motion_is_respected(shown):
    moving = """() => [...document.querySelectorAll(".labkit *")]
      .some(node => /[1-9]/.test(getComputedStyle(node).transitionDuration + getComputedStyle(node).animationDuration))"""
    look(shown.page, reduced_motion="no-preference")
    assert shown.page.evaluate(moving)
    look(shown.page, reduced_motion="reduce")
    assert not shown.page.evaluate(moving)


@common
def test_forced_colours_keep_the_picture_readable(shown):
    look(shown.page, forced_colors="active", color_scheme="dark")
    ground, ink = shown.page.evaluate("""() => {
      const svg = document.querySelector(".lk-scroll svg");
      return [getComputedStyle(svg).backgroundColor, getComputedStyle(svg).getPropertyValue("--lk-page")];
    }""")
    assert tuple(map(int, re.findall(r"\d+", ground)))[:3] == tuple(bytes.fromhex(ink.strip()[1:]))


@common
def test_the_space_bar_plays_and_stops(go, opened, picture):
    page = go(opened[1]).page
    shown = Shown(page.locator(".labkit"), picture.scene)
    if shown.main is None:
        pytest.skip("no slider")
    page.clock.install()
    shown.panel().focus()
    shown.press("Home")
    shown.page.keyboard.press(" ")
    shown.page.clock.run_for(1000)
    shown.page.keyboard.press(" ")
    stopped = shown.position(shown.main)
    shown.page.clock.run_for(15_000)
    assert shown.position(shown.main) == stopped > 0


# ---- predict first, and what else only some widgets have ----


def test_predict_first_asks_before_it_shows(go, tmp_path):
    picture = Demo(3.0)
    page = go(picture.save(tmp_path / "demo.html").as_uri()).page
    shown = Shown(page.locator(".labkit"), picture.scene)
    shown.frame.get_by_label("Predict first").check()
    shown.control(shown.main).get_by_role("button", name="Forward").click()
    assert shown.position(shown.main) == 0
    reply, answer = shown.frame.locator(".lk-reply"), shown.frame.get_by_label("What is the square?")
    for given, words in [
        ("", "Please enter a number"),
        ("6", "That is twice x."),
        ("8", "Not that."),
        ("9", "Right. 3 times 3"),
    ]:
        answer.fill(given)
        answer.press("Enter")
        assert words in reply.text_content()
    shown.page.keyboard.press("Enter")
    assert shown.position(shown.main) == 1


@common
def test_to_predict_poses_a_question_in_the_column_and_not_to_predict_takes_it_back(go, opened):
    page = go(opened[1], reduced_motion="reduce").page  # else what leads up to it plays
    box, ask = page.get_by_label("Predict first"), page.locator(".lk-ask:visible")
    if not box.is_visible():
        pytest.skip("nothing to predict as it stands")
    box.check()
    assert ask.is_visible()
    if ask.evaluate("node => node.tagName") == "FORM":  # else it is answered in the picture
        assert ask.locator("input, select, button").first.evaluate("node => node === document.activeElement")
    column, say = page.locator(".lk-controls").bounding_box()["x"], page.locator(".lk-say")
    assert ask.bounding_box()["x"] == column and not say.is_visible()  # what is said may tell the answer
    box.uncheck()
    assert not ask.count()


def test_a_sentence_that_grows_longer_moves_no_picture(go, tmp_path):
    said = Caption("at", [(0, "Short."), (1, "differentiation " * 21 + "ends."), (2, "Short again.")])
    panel = Panel("panel", "", 420, 120, [rect(1, 1, 418, 118, "area")])
    scene = Scene("Words", "Words.", [Dial("at", "At", ["one", "two", "three"])], [panel], [said])
    page = go(Picture(scene).save(tmp_path / "page.html").as_uri(), 900, reduced_motion="reduce").page
    assert page.locator(".labkit").evaluate(STEPS, True) == 1
