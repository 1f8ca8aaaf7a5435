"""Labs that compute in the page: every handle follows the hand, by mouse and keyboard, and the page says what it shows."""

import json

import pytest
from listened_page import axe_findings
from widget_examples import LABS, made

MOVES = 20  # of 4 px
STATES = [
    ("loss_scale", {"view": "training"}),
    ("clipping", {"part": "Over a cliff"}),
    ("jacobian", {"way": "JVP", "turn": True}),
]


@pytest.mark.parametrize("name, state", [*((name, {}) for name in LABS), *STATES])
@pytest.mark.parametrize("width, scheme", [(390, "light"), (1280, "dark")])
def test_every_handle_gives_a_new_picture_at_nearly_every_move(go, tmp_path, name, state, width, scheme):
    lab = made(name)
    path = lab.save(tmp_path / "lab.html", **state)
    listened = go(path.as_uri(), width, 1100, color_scheme=scheme, reduced_motion="reduce")
    page, handles = listened.page, listened.page.locator(".lab-handle:visible")
    assert path.stat().st_size - len(json.dumps(lab.data)) - len(lab.svg()) <= 60_000 and (
        handles.count() or name == "calls"
    )
    assert lab.describe(**lab.state | state).replace("\n", " ").endswith(page.locator(".lab-say").inner_text())
    assert page.locator(".lab-bar > :not(details):visible").count() <= 4
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert axe_findings(page, ".lab") == []
    for i in range(handles.count()):
        handle, most = handles.nth(i), 0
        handle.scroll_into_view_if_needed()
        for right, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            box, seen = handle.bounding_box(), set()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y)
            page.mouse.down()
            for k in range(1, MOVES + 1):
                page.mouse.move(x + 4 * right * k, y + 4 * down * k)
                seen.add(page.locator(".lab-panels").inner_html())
            page.mouse.up()
            most = max(most, len(seen))
        assert most >= 15, handle.get_attribute("aria-label")
        handle.press("Home")
        before = handle.get_attribute("aria-valuetext")
        handle.press("ArrowRight")
        assert handle.get_attribute("aria-valuetext") != before
    assert all(request.startswith(("file:", "data:", "blob:")) for request in listened.requests)
    assert listened.messages == []


def test_a_link_a_saved_picture_and_a_saved_page_have_the_state(go, tmp_path):
    lab = made("step_size")
    page = go(lab.save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    page.get_by_role("button", name="float16").click()
    page.get_by_text("More").click()
    page.get_by_role("button", name="Copy link").click()
    address, said = page.get_by_label("Link with the state").input_value(), page.locator(".lab-say").inner_text()
    assert "float16" in said
    with page.expect_download() as download:
        page.get_by_role("button", name="Save picture (SVG)").click()
    assert said in download.value.path().read_text(encoding="utf-8")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save page").click()
    download.value.save_as(tmp_path / "saved.html")
    assert go((tmp_path / "saved.html").as_uri()).page.locator(".lab-say").inner_text() == said
    other = go(address).page
    assert other.locator(".lab-say").inner_text() == said


def test_a_question_is_answered_before_its_errors_are_seen(go, tmp_path):
    page = go(made("step_size").save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    page.get_by_role("button", name="Predict first").click()
    curve = page.locator("path.lab-curve").last
    hidden, field = len(curve.get_attribute("d")), page.get_by_label("Your prediction")
    for given, reply in (("0.103", "Truncation shrinks with h."), ("much", "Please enter a number"), ("0.01", "Yes.")):
        field.fill(given)
        field.press("Enter")
        assert reply in page.locator(".lab-ask").inner_text()
    assert len(curve.get_attribute("d")) > 3 * hidden and "h = 0.01," in page.locator(".lab-say").inner_text()


def test_a_place_or_a_choice_is_asked_for_before_anything_tells_it(go, tmp_path):
    page = go(made("loss_scale").save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    ask, said = page.locator(".lab-ask"), page.locator(".lab-say")
    page.get_by_role("button", name="Predict first").click()
    assert "keeps almost every gradient in float16?" in ask.inner_text() and said.inner_text() == ""
    page.get_by_role("button", name="Check").click()
    assert "Not there. At loss scale 1, 47.3%" in ask.inner_text()
    for _ in range(2):
        page.locator(".lab-handle:visible").press("PageUp")
    page.get_by_role("button", name="Check").click()
    assert "Yes. From 2¹⁰ to 2³⁶" in ask.inner_text() and "At loss scale 2²⁰" in said.inner_text()
    page.get_by_role("button", name="training").click()
    page.get_by_role("button", name="Predict first").click()
    for choice, reply in (("2²⁴", "It does not stay"), ("2²⁵", "Yes. The loss scale is multiplied by 2.")):
        ask.get_by_role("button", name=choice, exact=True).click()
        assert reply in ask.inner_text()
    assert "Step 4 of 48: at loss scale 2²⁵" in said.inner_text()


def test_a_bit_is_toggled_and_the_exact_result_is_dragged_over_numbers_that_stay(go, tmp_path):
    lens = made("microscope")
    page = go(lens.save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    said, line = page.locator(".lab-say"), page.locator(".lab-panels svg").first
    page.get_by_role("switch", name="bit 6", exact=True).press("Enter")
    assert said.inner_text() == lens.describe(x="819", power=-13).splitlines()[-1] or "0.0999" not in said.inner_text()
    page.get_by_role("switch", name="bit 6", exact=True).click()
    assert "That is a number of the format" in said.inner_text()
    numbers = line.locator("text").all_inner_texts()[-7:]
    handle = page.get_by_role("slider", name="The exact result")
    before = handle.bounding_box()
    for _ in range(3):
        handle.press("ArrowRight")
    assert "is nearer" in said.inner_text() and handle.bounding_box()["x"] > before["x"] + 20
    assert line.locator("text").all_inner_texts()[-7:] == numbers


def test_a_value_is_clicked_and_the_structure_is_predicted_before_it_is_seen(go, tmp_path):
    lab = made("calls")
    page = go(lab.save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    result, said, ask = page.locator("figure").nth(1), page.locator(".lab-say"), page.locator(".lab-ask")
    page.get_by_role("button", name="(0, 1)", exact=True).click()
    page.get_by_role("button", name="False", exact=True).click()
    assert "Found the call that returns (dx, dy)." in page.locator(".lab-goal").inner_text()
    assert lab.describe(position="(0, 1)", has_aux=0).replace("\n", " ").endswith(said.inner_text())
    page.get_by_label("Compare with").select_option(index=1)
    assert "torch.autograd.grad(" in page.locator("pre").inner_text()
    page.get_by_role("button", name="Predict first").click()
    page.get_by_role("button", name="ms.value_and_grad").click()
    assert "?" in result.inner_text() and "dx" not in result.inner_text() + said.inner_text()
    ask.get_by_role("button", name="(loss, logits, dx, dy)", exact=True).click()
    assert "PyTorch returns such a flat tuple." in ask.inner_text()
    ask.get_by_role("button", name="((loss, logits), (dx, dy))", exact=True).click()
    assert "Yes." in ask.inner_text() and "result[1][0]" in result.inner_text()


def test_an_edge_is_detached_and_its_gradient_is_predicted_before_it_is_seen(go, tmp_path):
    lab = made("cut")
    page = go(lab.save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    said, scissors = page.locator(".lab-say"), page.get_by_role("button", name="detach y → ×")
    box = scissors.bounding_box()
    assert min(box["width"], box["height"]) >= 24
    scissors.click()
    assert scissors.get_attribute("aria-pressed") == "true" and "No path is left to y" in said.inner_text()
    scissors.press("Enter")
    assert said.inner_text().startswith("No edge is detached: ")
    page.get_by_role("button", name="Predict first").click()
    assert said.inner_text() == "" and page.get_by_text("?", exact=True).count() >= 5
    page.get_by_label("Your prediction").fill("1")
    page.get_by_label("Your prediction").press("Enter")
    assert "Yes. The products along the open paths add up to 1." in page.locator(".lab-ask").inner_text()
    assert said.inner_text() == lab.describe(cut="x → ×").splitlines()[-1]


def test_a_broken_engine_runs_to_its_first_wrong_node_and_that_is_predicted(go, tmp_path):
    lab = made("wrong_engines")
    page = go(lab.save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    said, finding, ask = page.locator(".lab-say"), page.locator(".engine-finding"), page.locator(".lab-ask")
    page.locator("select").first.select_option("recursion")
    assert said.inner_text().startswith("Moment 4 of 7.") and page.locator("rect.wrong").count() == 1
    assert "The engine processed h before all its upstream gradients were accumulated" in finding.inner_text()
    page.get_by_role("slider", name="x").press("End")
    assert "its gradient is 25 and should be 55" in finding.inner_text()
    page.get_by_role("button", name="Back").click()
    assert not finding.is_visible() and page.locator("path.bad").count() == 0
    page.get_by_role("button", name="Predict first").click()
    for _ in range(7):
        page.get_by_role("button", name="Next").click()
    assert not finding.is_visible() and page.locator(".wrong").count() == 0 and said.inner_text() == ""
    ask.get_by_role("button", name="x", exact=True).click()
    assert "The gradient of x is wrong too, but not first" in ask.inner_text()
    ask.get_by_role("button", name="h", exact=True).click()
    assert finding.is_visible() and page.locator("path.bad").count() == 1


def test_the_nearest_handle_is_taken_within_a_finger_and_a_tap_there_clicks_what_lies_below(go, tmp_path):
    page = go(made("step_size").save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    x, more = (page.get_by_role("slider", name=name, exact=True) for name in ("x", "x + h"))
    for handle, off, texts in ((more, 18, ("x = 1", "h = 0.41")), (x, -18, ("x = 0.88", "h = 0.41"))):
        box = handle.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2 + off, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2 + 2 * off, box["y"] + box["height"] / 2)
        page.mouse.up()
        assert (x.get_attribute("aria-valuetext")[:8].strip(), more.get_attribute("aria-valuetext")[:8]) == texts
    page = go(made("show").save(tmp_path / "show.html").as_uri(), reduced_motion="reduce").page
    box = page.locator(".lab-handle").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] - 8)
    assert page.locator(".graph-tip").is_visible()


@pytest.mark.parametrize("name, off, moves, scrolls", [
    ("clipping", (-14, 12), (-4, -4), False),
    ("loss_scale", (60, -200), (4, 1), False),
    ("loss_scale", (60, -200), (0, -4), True),
])  # fmt: skip
def test_a_finger_drags_a_handle_or_along_its_area_and_scrolls_elsewhere(go, tmp_path, name, off, moves, scrolls):
    page = go(made(name).save(tmp_path / "lab.html").as_uri(), 390, 640, has_touch=True, is_mobile=True).page
    handle, devices = page.locator(".lab-handle:visible").first, page.context.new_cdp_session(page)
    box, before = handle.bounding_box(), handle.get_attribute("aria-valuetext")
    x, y = box["x"] + box["width"] / 2 + off[0], box["y"] + box["height"] / 2 + off[1]
    for k in range(16):
        points = [{"x": x + moves[0] * k, "y": y + moves[1] * k}] if k < 15 else []
        kind = "touchMove" if 0 < k < 15 else "touchEnd" if k else "touchStart"
        devices.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_timeout(50)
    moved = handle.bounding_box()["x"] - box["x"]
    assert moved == pytest.approx(0 if scrolls else 14 * moves[0], abs=4)
    assert (page.evaluate("scrollY") > 0) == scrolls == (handle.get_attribute("aria-valuetext") == before)


def test_python_hears_of_a_drag_once_it_ends(go, tmp_path):
    page = go(made("step_size").save(tmp_path / "lab.html").as_uri(), reduced_motion="reduce").page
    page.evaluate(f"""() => {{
      {made("step_size")._esm.replace("export default", "const other =")}
      window.told = []; window.heard = {{}};
      const values = {json.dumps({"data": made("step_size").data, "still": "", **made("step_size").state})};
      const model = {{ get: (name) => values[name], set: (name, value) => {{ values[name] = value; told.push(name); }},
        on: (event, act) => {{ heard[event] = act; }}, save_changes: () => told.push("saved") }};
      window.python = (name, value) => {{ values[name] = value; heard[`change:${{name}}`](); }};
      document.getElementById("stage").replaceChildren(); other.render({{ model, el: document.getElementById("stage") }});
    }}""")
    box = page.locator(".lab-handle").last.bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"], steps=5)
    assert page.evaluate("told") == []
    page.mouse.up()
    assert page.evaluate("told") == ["h", "saved"]
    page.evaluate("python('format', 'float16')")
    assert "float16" in page.locator(".lab-say").inner_text()
