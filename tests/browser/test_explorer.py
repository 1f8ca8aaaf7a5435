"""The graph explorer in a browser: it steps, folds, asks, and follows the hand, at each width and in each theme."""

import json

import pytest
from listened_page import axe_findings
from widget_examples import LABS, LENET, of_code

import labkit
import labkit.torch as torch

NET = """import labkit
import labkit.torch as torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
"""
PICTURES = {
    "numbers": LABS["show"],
    "network": NET + "labkit.show(net, torch.tensor([[0.5, -1.0, 2.0]]))",
    "tape": NET + "labkit.show(net(torch.ones(2, 3)).sum())",
    "folded": LENET + "labkit.show(LeNet(), image, fold=8)",
}


@pytest.fixture
def opened(go, tmp_path):
    def open_(picture, width=1280, fragment="", **more):
        path = picture.save(tmp_path / "picture.html")
        return go(path.as_uri() + fragment, width, 900, **{"reduced_motion": "reduce", **more})

    return open_


def said(page):
    return page.locator(".lab-say").inner_text()


def last_line(picture, **state):
    return picture.describe(**state).splitlines()[-1]


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("width, scheme", [(390, "light"), (850, "dark"), (1280, "light")])
def test_every_step_is_reached_and_said_and_nothing_is_found_by_axe(opened, name, width, scheme):
    picture = of_code(PICTURES[name])
    listened = opened(picture, width, color_scheme=scheme)
    page, last = listened.page, picture.data["ways"][picture.opened]["last"]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for step in range(picture.step, last + 1):
        assert said(page) == last_line(picture, step=step)
        page.get_by_role("button", name="Next", exact=True).click() if step < last else None
    assert page.get_by_role("button", name="Next", exact=True).is_disabled()
    assert axe_findings(page, ".lab") == []
    page.keyboard.press("Home")
    assert page.get_by_role("button", name="Back", exact=True).is_disabled() and said(page) == last_line(
        picture, step=0
    )
    page.keyboard.press("End")
    assert said(page) == last_line(picture, step=last)
    assert listened.messages == [] and all(r.startswith(("file:", "data:", "blob:")) for r in listened.requests)


def test_a_disc_changes_its_input_and_every_number_follows(opened):
    picture = of_code(PICTURES["numbers"])
    page = opened(picture).page
    page.keyboard.press("End")
    disc = page.get_by_role("slider", name="w")
    box, seen = disc.bounding_box(), set()
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    for k in range(1, 21):
        page.mouse.move(box["x"] + 9 + 2 * k, box["y"] + 9)
        seen.add(said(page))
    page.mouse.up()
    w = float(disc.get_attribute("aria-valuenow"))
    last = picture.data["ways"][picture.opened]["last"]
    assert len(seen) >= 15 and w != -1.0 and said(page) == last_line(picture, step=last, inputs={"w": w})
    disc.press("ArrowLeft")
    assert float(disc.get_attribute("aria-valuenow")) < w
    page.get_by_text("More").click()
    page.get_by_role("button", name="Start values").click()
    assert said(page) == last_line(picture, step=last)


def test_numbers_of_arrays_are_dragged_above_the_graph_and_what_is_chosen_too(opened):
    picture = of_code(PICTURES["network"])
    page = opened(picture, 390).page
    page.keyboard.press("End")
    row, entry = page.locator(".graph-row"), picture.data["inputs"][1]["entries"][2]
    assert row.get_by_role("slider").count() == 4 and row.bounding_box()["width"] <= 390
    assert row.get_by_role("slider", name=entry).count() == 0
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Also drag").select_option(label=entry)
    for name in (picture.data["inputs"][0]["entries"][2], entry):
        cards, before = page.locator(".graph-card").all_text_contents(), row.inner_text()
        row.get_by_role("slider", name=name).press("End")
        assert page.locator(".graph-card").all_text_contents() != cards and row.inner_text() != before


def test_the_upstream_gradient_of_a_vector_is_dragged(opened):
    call = "labkit.show(lambda x: np.array([x[0] * x[1], np.sin(x[1])]), np.array([2.0, 3.0]))"
    picture = of_code(f"import labkit, autograd.numpy as np\n{call}")
    page = opened(picture).page
    page.keyboard.press("End")
    page.get_by_role("slider", name="upstream[0]").press("Home")
    value = float(page.get_by_role("slider", name="upstream[0]").get_attribute("aria-valuenow"))
    last = picture.data["ways"][picture.opened]["last"]
    assert value != 1 and said(page) == last_line(picture, step=last, inputs={"upstream[0]": value})
    assert page.locator(".graph-card.leaf").count() == 1 and page.locator(".graph-norms").is_hidden()


def test_a_disc_multiplies_all_weights_and_the_norms_follow(opened):
    page = opened(of_code(PICTURES["network"])).page
    page.keyboard.press("End")
    knob, weights = page.get_by_role("slider", name="All weights"), page.locator(".graph-card.leaf .lab-word")
    norms, before = page.locator(".graph-dot").evaluate_all, weights.all_text_contents()
    spots = "dots => dots.map((dot) => dot.getAttribute('cy')).join()"
    seen = {norms(spots)}
    for _ in range(5):
        knob.press("ArrowLeft")
        seen.add(norms(spots))
    assert len(seen) == 6 and weights.all_text_contents() != before
    assert float(knob.get_attribute("aria-valuenow")) < 1


def test_a_value_that_is_not_finite_is_pointed_out_while_it_is_dragged(opened):
    page = opened(of_code("import labkit\nimport autograd.numpy as np\nlabkit.show(lambda x: np.log(x) * 2, 0.5)")).page
    page.get_by_role("slider", name="x").press("Home")
    assert page.locator(".graph-notice").inner_text() == "Here the first nan comes from log."


def test_blocks_unfold_and_fold_by_click_and_keyboard_and_a_link_has_it(opened):
    picture = of_code(PICTURES["folded"])
    page = opened(picture).page
    before = page.locator(".graph-card.block, .graph-card.op").count()
    page.keyboard.press("End")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Fold all").click()
    assert page.get_by_role("button", name="Next", exact=True).is_disabled()  # as much has happened as before
    page.keyboard.press("Home")
    folded = page.locator(".graph-card.block, .graph-card.op").count()
    assert folded < before
    page.locator(".graph-card.block").first.focus()
    page.keyboard.press("Enter")
    unfolded = page.locator(".graph-card.block, .graph-card.op").count()
    assert unfolded > folded
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Copy link").click()
    address = page.get_by_label("Link with the state").input_value()
    other = opened(picture, fragment=address[address.index("#") :]).page
    assert other.locator(".graph-card.block, .graph-card.op").count() == unfolded and said(other) == said(page)


def test_who_predicts_is_asked_before_a_step_is_shown(opened):
    picture = of_code("import labkit\nlabkit.show(lambda x: x * 2 + x * 3, 1.0)")
    page = opened(picture).page
    page.get_by_role("button", name="Predict first").click()
    asked = picture.data["ways"][picture.opened]["asks"]
    first, second, *_ = sorted(map(int, asked))
    assert page.locator(".lab-slope").count() == 0  # they would tell the answer
    field = page.get_by_label("Your prediction")
    field.fill("7")
    field.press("Enter")
    assert "No." in page.locator(".lab-ask").inner_text() and said(page) == ""
    field.fill("1")
    field.press("Enter")
    assert page.locator(".lab-ask").inner_text().startswith("Yes.") and said(page) == last_line(picture, step=first)
    page.get_by_role("button", name="Next question").click()
    assert page.locator(".lab-ask").inner_text().startswith(asked[second]["question"][:20]) and said(page) == ""
    page.get_by_role("button", name="Next", exact=True).click()
    assert page.locator(".lab-ask").is_hidden() and said(page) == last_line(picture, step=second)


def test_views_the_program_and_what_is_behind_a_card(opened):
    picture = of_code(PICTURES["numbers"])
    page = opened(picture).page
    page.get_by_text("More").click()
    page.get_by_role("button", name="PyTorch tape").click()
    page.keyboard.press("ArrowRight")
    assert (
        said(page) == last_line(picture, step=1, view="tape") and page.get_by_text("saves self = x, other = w").count()
    )
    page.get_by_text("The program of the gradient").click()
    assert "def program(x, w, b)" in page.locator(".graph-code").inner_text()
    before = said(page)
    page.locator(".graph-card", has_text="tanh").first.click()
    assert page.locator(".graph-tip").inner_text().startswith("tanh · float64, one number") and said(page) == before


def test_it_plays_once_it_is_seen_unless_little_motion_is_wanted(go, tmp_path):
    path = labkit.show(lambda x: 2 * x + 1, 3.0).save(tmp_path / "page.html")
    still = go(path.as_uri(), reduced_motion="reduce").page
    playing = go(path.as_uri()).page
    playing.wait_for_function("document.querySelector('.lab-say').textContent.startsWith('Forward')")
    assert said(still).startswith("Nothing has run yet.")


def test_python_lays_out_a_way_of_folding_that_the_page_does_not_hold(opened):
    torch.manual_seed(0)
    picture = of_code(PICTURES["folded"])
    page = opened(picture).page
    few = {**picture.data, "ways": {picture.opened: picture.data["ways"][picture.opened]}}
    values = {**picture.state, "still": "live", "data": few}
    page.evaluate(f"""() => {{
      {picture._esm.replace("export default", "const other =")}
      window.told = []; window.heard = {{}};
      const values = {json.dumps(values)};
      const model = {{ get: (name) => values[name], set: (name, value) => {{ values[name] = value; told.push(name); }},
        on: (event, act) => {{ heard[event] = act; }}, save_changes: () => told.push("saved") }};
      window.python = (name, value) => {{ values[name] = value; heard[`change:${{name}}`](); }};
      document.getElementById("stage").replaceChildren(); other.render({{ model, el: document.getElementById("stage") }});
    }}""")
    before = page.locator(".graph-card").count()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Fold all").click()
    assert "opened" in page.evaluate("told") and page.locator(".graph-card").count() == before
    page.evaluate("data => python('data', data)", picture.data)
    assert page.locator(".graph-card").count() < before
