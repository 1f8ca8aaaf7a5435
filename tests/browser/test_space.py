"""Room, size and touch: panels fill the room they have, are moved and zoomed, and of very many marks few are drawn."""

from dataclasses import replace

import pytest
from widget_examples import demo_scene

from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import Dial, Link, Panel, Scene, rect, text

LARGER = """[...document.querySelectorAll(".lk-scroll")].filter(node => node.clientWidth)
  .map(node => [node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1,
    getComputedStyle(node.closest("figure"), "::after").backgroundSize.includes("14px"),
    [...node.closest("figure").querySelectorAll(".lk-tools button")].some(button => button.offsetWidth)])"""
PANELS = """[...document.querySelectorAll("figure.lk-panel:not([hidden]) .lk-scroll > svg")].map(svg => {
  const box = svg.getBoundingClientRect();
  return {x: box.x, y: box.y, scale: box.width / svg.viewBox.baseVal.width};
})"""

PLACE = """([x, y]) => {
  const svg = document.querySelector(".lk-scroll svg"), box = svg.getBoundingClientRect();
  const scale = box.width / svg.viewBox.baseVal.width;
  return [(x - box.x) / scale, (y - box.y) / scale];
}"""


def two_panels():
    """Two linked panels, each 436 px wide."""
    panels = [Panel(name, name, 436, 240, [rect(4, 4, 428, 232, "op")]) for name in ("left", "right")]
    return Scene("Two", "Two panels.", [Dial("step", "Step", ["0", "1"])], panels)


SIDE, STEPS = 60, 200


def field():
    """A field of boxes far larger than a window, one of which happens at each step."""
    marks, links = [], {}
    for i in range(SIDE * SIDE):
        x, y, when = 150 * (i % SIDE), 90 * (i // SIDE), i % STEPS
        happens = {
            "step": {"state": [(0, "now"), (1, "")] if not when else [(0, "pending"), (when, "now"), (when + 1, "")]}
        }
        marks += [rect(x, y, 120, 60, "op", link=f"n{i}", vary=happens if i < STEPS else {})]
        marks += [text(x + 60, y + 30, f"box {i}", "name", "middle", link=f"n{i}")]
        links[f"n{i}"] = Link(f"box {i}", [f"box {i}"])
    far = [rect(0, 0, 150 * SIDE, 90 * SIDE, "cover", scale=(0.0, 0.3))]
    panel = Panel("field", "Field", 150 * SIDE, 90 * SIDE, marks, far=far, near=0.3)
    return Scene("Field", "Boxes.", [Dial("step", "Step", [str(i) for i in range(STEPS)])], [panel], links=links)


@pytest.fixture
def opened(go, tmp_path):
    """`opened(scene, **window)`: its saved page."""

    def open_scene(scene, **window):
        picture = scene if isinstance(scene, Picture) else Picture(scene)
        listened = go(picture.save(tmp_path / "page.html").as_uri(), **window)
        listened.page.locator("figure svg > *").first.wait_for(state="attached")
        return listened.page

    return open_scene


def settled(page):
    """Once it has been drawn again."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


# ---- room ----


@pytest.mark.parametrize(
    "width, side_by_side, grown", [(420, False, 0.8), (792, True, 0.8), (1000, True, 1.05), (1280, True, 1.3)]
)
def test_panels_stand_side_by_side_and_grow_with_the_room(opened, width, side_by_side, grown):
    left, right = opened(two_panels(), width=width).evaluate(PANELS)
    assert (left["y"] == right["y"]) == side_by_side
    assert left["scale"] >= grown and left["scale"] <= 1.6


def test_low_panels_stand_in_two_rows_where_that_makes_them_far_larger(opened):
    def panels(height):
        return [Panel(name, name, 460, height, [rect(4, 4, 452, height - 8, "op")]) for name in ("a", "b", "c")]

    for height, rows, least in ((180, 2, 1.2), (400, 2, 0.82)):  # in one row their words would be tiny
        found = opened(Scene("Three", "Three panels.", [], panels(height)), width=1280).evaluate(PANELS)
        assert len({panel["y"] for panel in found}) == rows and found[0]["scale"] >= least


def test_a_low_panel_stands_below_another_beside_a_high_one(opened):
    def panels(*sizes):
        return [Panel(f"p{i}", f"p{i}", w, h, [rect(4, 4, w - 8, h - 8, "op")]) for i, (w, h) in enumerate(sizes)]

    for sizes, below, beside in (
        ([(470, 150), (430, 200), (470, 180)], (0, 2), 1),
        ([(608, 255), (441, 166), (468, 180)], (1, 2), 0),
    ):
        page = opened(Scene("Three", "Three panels.", [], panels(*sizes)), width=1280)
        found = page.evaluate(PANELS)
        upper, lower, single = (found[i] for i in (*below, beside))
        assert abs(upper["x"] - lower["x"]) < 1 < abs(upper["x"] - single["x"])
        assert upper["y"] == single["y"] < lower["y"]
        assert lower["y"] - upper["y"] < sizes[below[0]][1] * upper["scale"] + 60  # right below it
        page.set_viewport_size({"width": 420, "height": 800})
        settled(page)
        settled(page)
        assert len({panel["y"] for panel in page.evaluate(PANELS)}) == 3


def test_choices_that_need_much_room_are_lists_where_there_is_little(opened):
    def dials():
        yield Dial("case", "Show", ["divided", "in training", "the documents' example", "by nature"], "choice")
        yield Dial("limit", "Limit", ["0.5", "1", "2"], "choice")

    page = opened(
        Scene("Two", "Two.", list(dials()), [Panel("p", "p", 300, 100, [rect(4, 4, 290, 90, "op")])]), width=420
    )
    assert page.locator("select").count() == 1 and page.get_by_role("radio").count() == 3
    page.get_by_label("Show").select_option(index=2)
    page.get_by_label("Show").focus()
    page.set_viewport_size({"width": 1000, "height": 800})
    settled(page)
    assert (
        page.get_by_role("radio").count() == 7 and page.get_by_role("radio", name="the documents' example").is_checked()
    )
    assert page.evaluate("document.activeElement.type") == "radio"  # the keyboard is where it was


def test_what_is_said_of_a_part_that_was_clicked_stays(opened):
    marks = [rect(4, 4, 100, 40, "op", link="a"), rect(4, 60, 100, 40, "op", link="b")]
    links = {"a": Link("A", ["A", "one line"], details=["and another"]), "b": Link("B", ["B"])}
    page = opened(Scene("Two", "Two boxes.", [], [Panel("boxes", "Boxes", 200, 120, marks)], links=links))
    details = page.locator(".lk-details")
    page.locator("rect[data-link=a]").hover()
    assert page.locator(".lk-tip").is_visible()
    page.locator("rect[data-link=a]").click()
    assert page.locator(".lk-tip").is_hidden()  # the same is said below, once
    page.mouse.move(5, 5)
    assert details.locator("li").all_text_contents() == ["one line", "and another"]
    page.get_by_role("button", name="Close the details").click()
    assert details.is_hidden()
    page.locator("rect[data-link=a]").click()
    page.locator("rect[data-link=b]").click()
    assert details.is_hidden()


def test_the_slider_stays_in_sight(opened):
    page = opened(two_panels(), width=420, height=420)
    page.evaluate("scrollTo(0, 10000)")
    box = page.locator("input[type=range]").bounding_box()
    assert page.evaluate("scrollY") > 100
    assert 0 <= box["y"] < 100


ROOM = """() => [...document.querySelectorAll("figure.lk-panel:not([hidden]) svg")].flatMap(svg => {
  const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
  return [...svg.querySelectorAll("text")].map(node => [node, node.getBoundingClientRect()])
    .filter(([node, box]) => box.width && node.textContent.trim())
    .map(([node, box]) => [node.textContent, parseFloat(getComputedStyle(node).fontSize) * scale,
      node.closest(".lk-code") ? 10.5 : 10.95, box.left - frame.left, frame.right - box.right]);
})"""


@pytest.mark.common
def test_no_word_is_tiny_or_cut_on_a_phone(window, picture, tmp_path):
    picture.plays_at_once = False
    page = window.page
    page.set_viewport_size({"width": 420, "height": 800})
    page.goto(picture.save(tmp_path / "page.html").as_uri())
    page.locator("figure svg > *").first.wait_for(state="attached")
    words = page.evaluate(ROOM)
    assert words and [one for one in words if one[1] < one[2] or min(one[3:]) < -2] == []


def test_a_third_panel_joins_a_row_only_where_its_words_stay_large(opened):
    panels = [Panel(name, name, 370, 200, [rect(4, 4, 360, 190, "op")]) for name in "abc"]
    page = opened(Scene("Three", "Three panels.", [], panels), width=1280)
    assert len({round(panel["x"]) for panel in page.evaluate(PANELS)}) == 2
    assert min(panel["scale"] for panel in page.evaluate(PANELS)) >= 1.15


# ---- by hand ----


def view_of(page):
    return page.evaluate("""() => {
      const node = document.querySelector(".lk-scroll"), svg = node.firstChild.getBoundingClientRect();
      return {left: node.scrollLeft, top: node.scrollTop, scale: svg.width / node.firstChild.viewBox.baseVal.width,
              marks: node.firstChild.children.length, inside: svg.width <= node.clientWidth && svg.height <= node.clientHeight};
    }""")


def test_a_drag_moves_it_the_wheel_zooms_at_the_pointer_and_fit_shows_all(opened):
    page = opened(field(), width=1000)
    before, frame = view_of(page), page.locator(".lk-scroll").bounding_box()
    x, y = frame["x"] + 300, frame["y"] + 200
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 200, y - 100, steps=4)
    page.mouse.up()
    moved = view_of(page)
    assert (moved["left"] - before["left"], moved["top"] - before["top"]) == (200, 100)

    plain = "node => node.dispatchEvent(new WheelEvent('wheel', {deltaY: 30, cancelable: true}))"
    assert page.locator(".lk-scroll").evaluate(plain)  # not taken: the page scrolls
    moved, there = view_of(page), page.evaluate(PLACE, [x - 200, y - 100])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -50)
    page.keyboard.up("Control")
    settled(page)
    nearer = view_of(page)
    assert nearer["scale"] > moved["scale"] * 1.1
    assert page.evaluate(PLACE, [x - 200, y - 100]) == pytest.approx(there, abs=2)

    page.get_by_role("button", name="Fit").click()
    settled(page)
    whole = view_of(page)
    assert whole["inside"] and whole["scale"] < 0.3 and whole["marks"] == 1  # the level for this distance
    for _ in range(2):
        page.locator(".lk-cover").dispatch_event("click")
    settled(page)
    assert view_of(page)["scale"] > 0.3 and view_of(page)["marks"] > 10


def test_a_search_goes_to_the_part(opened):
    page = opened(field(), width=1000)
    page.locator(".lk-scroll").focus()
    page.keyboard.press("/")
    page.keyboard.type("box 3541")
    assert page.locator(".lk-count").text_content() == "1 of 1"
    box, frame = page.locator("rect[data-link=n3541]").bounding_box(), page.locator(".lk-scroll").bounding_box()
    assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"]
    assert frame["y"] <= box["y"] and box["y"] + box["height"] <= frame["y"] + frame["height"]
    assert page.locator(".lk-tip").text_content() == "box 3541"


# ---- very many marks ----


def test_only_what_is_in_sight_is_drawn_and_it_looks_as_it_should(opened):
    page = opened(field(), width=1000)
    for step in (0, 1, 59, 60, 150, STEPS - 1):
        page.locator("input[type=range]").fill(str(step))
        settled(page)
        marks = page.evaluate("""() => [...document.querySelectorAll("rect[data-link]")]
          .map(node => [Number(node.dataset.link.slice(1)), node.getAttribute("class")])""")
        assert marks == sorted(marks) and len(marks) < 400
        assert ["lk-op is-now" for i, _ in marks if i == step] == [look for i, look in marks if "now" in look]
        assert all(
            look == ("lk-op" if i < step or i >= STEPS else "lk-op is-pending") for i, look in marks if i != step
        )


# ---- touch ----


def test_a_tap_says_what_is_there_and_a_second_one_goes(opened):
    page = opened(demo_scene(3.0), width=420, has_touch=True, is_mobile=True)
    assert page.locator(".lk-keys").is_hidden()
    box = page.locator("rect[data-link=v1]").bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] - 8  # beside it: a finger is broad
    page.touchscreen.tap(*place)
    assert "9" in page.locator(".lk-tip").text_content() and "Tap again" in page.locator(".lk-tip").text_content()
    assert page.locator("input[type=range]").first.input_value() == "0"
    page.touchscreen.tap(*place)
    assert page.locator("input[type=range]").first.input_value() == "1"
    assert not page.locator(".lk-tip").is_visible()  # what was acted on is known
    page.touchscreen.tap(*place)
    page.locator(".lk-title").tap()
    assert not page.locator(".lk-tip").is_visible() and page.locator(".lk-hot").count() == 0


def test_of_what_nothing_is_said_the_first_tap_goes_there(opened):
    scene = demo_scene(3.0)
    links = {name: replace(link, tip=(), heat=()) for name, link in scene.links.items()}
    page = opened(replace(scene, links=links), width=420, has_touch=True, is_mobile=True)
    page.locator("rect[data-link=v1]").tap()
    assert page.locator("input[type=range]").first.input_value() == "1" and not page.locator(".lk-tip").is_visible()


def test_targets_are_broad_enough_for_a_finger(opened):
    page = opened(demo_scene(3.0), width=420, has_touch=True, is_mobile=True)
    small = page.evaluate("""() =>
      [...document.querySelectorAll("button, select, input[type=range], label, input[type=search], summary")]
      .map(node => [node.getBoundingClientRect(), node.outerHTML.slice(0, 80)])
      .filter(([box]) => box.width && (box.height < 44 || box.width < 44)).map(([, html]) => html)""")
    assert small == []


# ---- predict first ----


def test_a_map_shows_what_is_seen_of_a_large_panel_and_is_dragged_and_keys_and_readers_pass_it_by(opened):
    page = opened(field(), width=1000)
    there = page.locator(".lk-map").bounding_box()
    ends = [(there["x"] + there["width"] * part, there["y"] + there["height"] * part) for part in (0.02, 0.5)]
    page.mouse.move(*ends[0])
    page.mouse.down()
    assert (view_of(page)["left"], view_of(page)["top"]) == (0, 0)
    page.mouse.move(*ends[1], steps=3)
    page.mouse.up()
    frame, seen = page.locator(".lk-scroll").bounding_box(), view_of(page)
    middle = [(seen["left"] + frame["width"] / 2) / seen["scale"], (seen["top"] + frame["height"] / 2) / seen["scale"]]
    assert middle == pytest.approx([75 * SIDE, 45 * SIDE], rel=0.05)
    box = page.locator(".lk-map i").bounding_box()
    assert box["x"] + box["width"] / 2 == pytest.approx(ends[1][0], abs=2)
    assert page.locator(".lk-map[aria-hidden=true] :focus-visible, .lk-map [tabindex]").count() == 0
    assert opened(two_panels(), width=1000).locator(".lk-map:visible").count() == 0
