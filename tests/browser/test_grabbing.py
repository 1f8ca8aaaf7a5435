"""What a picture shows as a position is dragged: by mouse, by touch and by keyboard, to what the data say."""

import pytest
from dragged import OFF, Dragged
from listened_page import axe_findings
from shown_widget import Shown
from widget_examples import EXAMPLES, Demo, demo_scene, made

from labkit.widgets.kit.grips import Grip
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import Dial, Panel, Scene, rect, text

NEEDS = "needs Python: open in a notebook"


class Scrubbed(Demo):
    """The powers, whose x is dragged in a saved page."""

    inputs = {"x": 1.5}

    def scene_at(self, inputs):
        return demo_scene(inputs["x"])


@pytest.fixture
def opened(go, tmp_path):
    """`opened(example, width=..., dial=position)`: a saved page of a widget, with its grips."""

    def open_page(example, width=1000, touch=False, **turned):
        picture = {"demo": Demo, "scrubbed": Scrubbed}[example]() if example in ("demo", "scrubbed") else made(example)
        picture.plays_at_once = False  # so that it stands where its dials say
        page = go(picture.save(tmp_path / f"{example}.html").as_uri(), width, has_touch=touch).page
        shown = Shown(page.locator(".labkit"), picture.scene)
        for dial in picture.scene.dials:
            if dial.name in turned:
                shown.turn(dial, picture.scene.state(**{dial.name: turned[dial.name]})[dial.name])
        return Dragged(shown)

    return open_page


@pytest.mark.parametrize("width, way", [(1000, "mouse"), (420, "touch")])
def test_a_point_is_dragged_to_the_nearest_place(opened, way, width):
    dragged = opened("demo", width, way == "touch", show=1)
    for position in (1 * 5 + 4, 4 * 5 + 0):
        dragged.to_spot("point", position, way)
        assert dragged.shown.differences() == []
    dragged.by("point", 13, -13, way)  # not half of the way to the next one
    assert dragged.shown.differences() == []


def test_a_handle_stands_on_what_it_drags_however_it_is_scrolled_and_zoomed(opened):
    dragged = opened("scrubbed", 380, show=1)
    page, scroller = dragged.page, dragged.page.locator(".lk-scroll").first
    for act in ("Larger", "Larger", "scroll", "Fit", "resize"):
        if act == "scroll":
            scroller.evaluate("node => { node.scrollLeft = 90; }")
        elif act == "resize":
            page.set_viewport_size({"width": 420, "height": 500})
        else:
            scroller.focus()
            page.keyboard.press("+" if act == "Larger" else "0")
        assert dragged.off("x") == pytest.approx([0, 0], abs=1), act
    before = scroller.evaluate("node => [node.scrollLeft, node.scrollTop]")
    dragged.by("x", -30, 0)
    assert scroller.evaluate("node => [node.scrollLeft, node.scrollTop]") == before  # a drag of a handle moves no panel
    assert dragged.off("point") == pytest.approx([0, 0], abs=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_arrow_keys_move_it_from_place_to_place(opened):
    dragged = opened("demo", show=1)
    for keys, position in [("ArrowRight ArrowUp", 8), ("ArrowLeft ArrowLeft", 6), ("ArrowUp ArrowUp ArrowUp", 1)]:
        dragged.press("point", *keys.split())
        dragged.shown.state["place"] = position
        assert dragged.shown.differences() == []
        assert dragged.knob("point").get_attribute("aria-valuetext") == dragged.scene.dials[-1].values[position]
    assert axe_findings(dragged.page, "html") == []


def test_what_nothing_answers_has_no_handle(opened):
    assert opened("demo").page.locator(".lk-grip").evaluate_all("all => all.map(one => one.ariaLabel)") == ["the point"]


FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"


RING = """knob => {
  const look = getComputedStyle(knob, "::before"), box = knob.getBoundingClientRect();
  const [right, down = 0] = look.translate.split(" ").map(parseFloat);
  const left = box.left + parseFloat(look.left) + (right || 0), top = box.top + parseFloat(look.top) + (down || 0);
  return [left, top, left + parseFloat(look.width), top + parseFloat(look.height)];
}"""


def test_a_ring_stands_beside_words_or_frames_the_one_on_which_it_is(go, tmp_path):
    spots = [(100.0, 60.0), (36.0, 60.0), (52.0, 60.0)]
    marks = [rect(1, 1, 398, 118, "area"), text(20, 64, "axis", "note"), text(150, 30, "word", "name")]
    dials = [Dial("at", "At", ["free", "on", "beside"])]
    grips = [Grip("grip", "panel", "A grip", "at", spots, by="x")]
    scene = Scene("Rings", "A ring.", dials, [Panel("panel", "", 400, 120, marks)], grips=grips)
    page = go(Picture(scene).save(tmp_path / "page.html").as_uri(), 500).page
    knob = page.locator(".lk-grip")
    for position in range(3):
        page.locator("input[type=range]").fill(str(position))
        page.wait_for_function("!document.querySelector('[data-moving]')")
        word, ring = page.locator("text", has_text="axis").bounding_box(), knob.evaluate(RING)
        right = word["x"] + word["width"]
        if position == 1:
            assert ring[0] < word["x"] and ring[2] > right and ring[1] <= word["y"]
        else:
            assert ring[0] > right or position == 0
    assert abs(knob.bounding_box()["x"] + 11 - ring[0]) > 2  # it stands aside; what is taken hold of does not


SPOT = """(frame, [i, [x, y]]) => {
  const svg = frame.querySelectorAll("figure.lk-panel svg")[i];
  const box = svg.getBoundingClientRect(), { width, height } = svg.viewBox.baseVal;
  return [box.left + x / width * box.width, box.top + y / height * box.height];
}"""


@pytest.mark.parametrize("example, name, turned", [("cut", "cut", {})])
def test_a_handle_stands_on_its_spot_and_makes_no_page_broader(opened, example, name, turned):
    dragged = opened(example, 420, **turned)
    grip, (x, y) = dragged.grip(name), dragged.centre(name)
    panel = list(dict.fromkeys(panel.name for panel in dragged.scene.panels)).index(grip.panel)
    spot = grip.spots[dragged.shown.state[grip.dial]]
    assert dragged.shown.frame.evaluate(SPOT, [panel, spot]) == pytest.approx([x, y], abs=1)
    assert dragged.page.evaluate("document.documentElement.scrollWidth") == 420


DRAGGED = {  # a grip, positions of other dials, and the position to which it is dragged
    "landscape": ("landscape", "step", {}, 7),
    "cut": ("cut", "cut", {}, 3),
}


USUAL = [("landscape", "mouse")]
CASES = [(case, way) for case in DRAGGED for way in ("mouse", "touch")]


@pytest.mark.parametrize(
    "case, way", [one if one in USUAL else pytest.param(*one, marks=pytest.mark.live) for one in CASES]
)
def test_each_lab_is_dragged_to_what_its_data_hold(opened, case, way):
    example, name, turned, position = DRAGGED[case]
    dragged = opened(example, 1000, way == "touch", **turned)
    dragged.to_spot(name, position, way)
    assert dragged.shown.differences() == []
    reached = []
    for keys in (["Home"], ["End"], ["ArrowLeft", "ArrowUp"]):  # wherever it is then, the page shows what the data say
        dragged.press(name, *keys)
        reached.append(int(dragged.knob(name).get_attribute("aria-valuenow")))
        dragged.shown.state[dragged.grip(name).dial] = reached[-1]
        assert dragged.shown.differences() == []
    assert reached[0] != reached[1]


def test_a_descent_begins_where_its_start_is_dragged_to(opened):
    dragged = opened("landscape")
    (grip,) = [grip for grip in dragged.scene.grips if grip.name == "start"]
    place, frame, said = grip.at, dragged.shown.frame, set()
    for by in ((61, 47), (-33, 101)):
        dragged.by("start", *by)
        place = (place[0] + by[0], place[1] + by[1])
        off = dragged.knob("start").evaluate(OFF, list(place))
        assert off == pytest.approx([0, 0], abs=1.5)
        ways = frame.locator("figure.lk-panel svg").first.locator(WALKED).evaluate_all(BEGIN)
        assert sum(list(map(float, way.split())) == pytest.approx(place, abs=1.5) for way in ways) == 3
        said.add(frame.locator(".lk-say").text_content())
    acts = (
        lambda: dragged.by("rate", 20, 0),
        lambda: dragged.press("start", "ArrowRight"),
        lambda: frame.get_by_text("0.02", exact=True).click(),
    )
    for act in acts:
        before = frame.locator(".lk-say").text_content()
        act()
        dragged.page.wait_for_function("said => document.querySelector('.lk-say').textContent !== said", arg=before)
        said.add(frame.locator(".lk-say").text_content())
    assert len(said) == 5


WALKED = "path.lk-inkvector, path.lk-edge, path.lk-backedge"
BEGIN = "nodes => nodes.filter(node => !node.closest('.is-hidden')).map(node => /^M([^L]*)/.exec(node.getAttribute('d'))[1])"


WAYS = {"x": [(80, 0), (-80, 0)], "y": [(0, 80), (0, -80)]}
LOOKS = """frame => [frame.querySelector(".lk-say").textContent,
  ...[...frame.querySelectorAll(".lk-grip")].map(knob => knob.getAttribute("aria-valuenow")),
  ...[...frame.querySelectorAll("figure.lk-panel:not([hidden]) svg")].map(svg => svg.innerHTML)].join("")"""


SAVED = ("demo",)


@pytest.mark.parametrize("example", [pytest.param(n, marks=() if n in SAVED else pytest.mark.live) for n in EXAMPLES])
def test_whatever_is_dragged_changes_something_or_says_why_not(window, tmp_path, example):
    """Each handle by 80 px there and back, where the widget begins and where the handle is first offered."""
    page, picture = window.page, Demo() if example == "demo" else made(example)
    panels = {panel.name for panel in picture.scene.panels}  # of several layouts the widest is in the page
    grips = {grip.name: grip for grip in reversed(picture.scene.grips) if grip.panel in panels}
    picture.plays_at_once = False
    if not grips:
        return
    page.goto(picture.save(tmp_path / "page.html").as_uri())
    frame, note = page.locator(".labkit"), page.locator(".lk-needs")
    for name, grip in grips.items():
        page.evaluate("hash => { location.hash = hash; }", _at(picture.scene, grip))
        dragged = Dragged(Shown(frame, picture.scene))
        dragged.shown.state |= {dial: where[0] for dial, where in grip.when.items()}
        for way in WAYS.get(grip.by, WAYS["x"] + WAYS["y"]):
            if not dragged.knob(name).is_visible():
                break
            note.evaluate_all("notes => notes.forEach(note => { note.hidden = true; })")
            before = frame.evaluate(LOOKS)
            dragged.by(name, *way)
            said = note.text_content() if note.is_visible() else ""
            assert said or frame.evaluate(LOOKS) != before, (name, way)
    assert window.messages == []


def _at(scene, grip):
    """The end of a link to where a grip is offered."""
    now = scene.start() | {dial: where[0] for dial, where in grip.when.items()}
    return "&".join(f"at.{dial}={position}" for dial, position in now.items())


# ---- the bug is found by a click ----

PICTURE = "frame => frame.querySelector('.lk-panels').getBoundingClientRect().top + scrollY"


def told_why(hunt):
    return hunt.because.split("\n")[1]


@pytest.mark.live
def test_the_bug_is_found_in_three_tries_with_hints(opened):
    dragged = opened("wrong_engines")
    shown, (dial, *_) = dragged.shown, [d for d in dragged.scene.dials if d.hunt]
    reply, hunt = shown.control(dial).locator(".lk-reply"), dial.hunt
    wrong = [key for key in hunt.choices if key not in (hunt.answer, "none")]
    assert shown.differences() == [] and told_why(hunt) not in shown.frame.inner_text()
    assert shown.click(wrong[0]) and hunt.hints[0] in reply.text_content()
    assert hunt.says[wrong[0]] in reply.text_content() and shown.differences() == []
    told, why = hunt.because.split("\n", 1)
    place = shown.frame.evaluate(PICTURE)
    assert shown.click(hunt.answer) and reply.text_content() == f"Found. {told}"
    assert shown.frame.locator(".lk-why:visible").text_content() == why and shown.frame.evaluate(PICTURE) == place
    assert shown.differences() == [] and shown.state[dial.name] == len(dial.values) - 1
    shown.turn(dial, 0)
    assert shown.differences() == [] and told_why(hunt) not in shown.frame.inner_text()


@pytest.mark.live
def test_the_bug_is_found_by_keyboard_and_after_three_misses_it_is_told(opened):
    dragged = opened("wrong_engines")
    shown, (dial, *_) = dragged.shown, [d for d in dragged.scene.dials if d.hunt]
    control, keys = shown.control(dial), list(dial.hunt.choices)
    control.get_by_text("or choose from a list").click()
    for key in [key for key in keys if key != dial.hunt.answer][:3]:
        control.get_by_label(dial.hunt.question).last.select_option(index=keys.index(key))
        control.get_by_role("button", name="It is this one").press("Enter")
        shown.state |= shown._suspected(key)
        assert shown.differences() == []
    assert dial.hunt.because.split("\n")[0] in control.locator(".lk-reply").text_content()
    assert told_why(dial.hunt) in shown.frame.inner_text()
    assert axe_findings(shown.page, "html") == []


def test_a_handle_is_large_enough_for_a_finger_and_lets_the_rest_of_the_picture_scroll(opened):
    dragged = opened("demo", 420, True, show=1)
    box = dragged.knob("point").bounding_box()
    assert min(box["width"], box["height"]) >= 44
    actions = (
        "node => [node, node.closest('.lk-scroll').querySelector('svg')].map(n => getComputedStyle(n).touchAction)"
    )
    assert dragged.knob("point").evaluate(actions) == ["none", "auto"]


def test_a_handle_that_moves_by_itself_is_caught_beside_where_it_is(go, tmp_path):
    spots = [(20.0 + 8 * k, 60.0) for k in range(40)]
    dials, ground = [Dial("at", "At", [f"{k}" for k in range(40)])], rect(1, 1, 418, 118, "area")
    grips = [Grip("grip", "panel", "A grip", "at", spots, by="x", bare=True)]
    scene = Scene("Runs", "A ring.", dials, [Panel("panel", "", 420, 120, [ground])], grips=grips)
    page = go(Picture(scene).save(tmp_path / "page.html").as_uri(), 500).page
    page.get_by_role("button", name="Play At").click()
    knob = page.locator(".lk-grip").bounding_box()
    page.mouse.move(knob["x"] + knob["width"] / 2 + 40, knob["y"] + knob["height"] / 2)
    page.mouse.down()
    assert page.get_by_role("button", name="Play At").is_visible()  # it has stopped
    assert page.locator(".lk-grip.lk-held").count() == 1
    page.mouse.up()


def test_a_drag_that_is_half_done_is_done_or_undone(go, tmp_path):
    spots = [(20.0 + 40 * k, 60.0) for k in range(10)]
    dials = [Dial("fold", "Fold", [f"{k}" for k in range(10)], "inside", settles=[0, 9])]
    grips = [Grip("grip", "panel", "A grip", "fold", spots, by="x")]
    scene = Scene(
        "Folds", "A fold.", dials, [Panel("panel", "", 420, 120, [rect(1, 1, 418, 118, "area")])], grips=grips
    )
    dragged = Dragged(
        Shown(go(Picture(scene).save(tmp_path / "page.html").as_uri(), 500).page.locator(".labkit"), scene)
    )
    for across, there in ((80, 0), (200, 9), (-80, 9), (-240, 0)):
        dragged.by("grip", across, 0)
        dragged.page.wait_for_function(f"document.querySelector('.lk-grip').ariaValueNow === '{there}'")
        dragged.shown.goes({"fold": there})
