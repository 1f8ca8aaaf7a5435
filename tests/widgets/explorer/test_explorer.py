"""`labkit.show`: from a function, a network or a tensor to a picture that answers, folds, and stands still."""

import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import autograd.numpy as np
import numpy as onp
import pytest
from javascript import unpacked

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import nn
from labkit.widgets.explorer.explorer import Explorer, StillExplorer, show
from labkit.widgets.explorer.panels import VIEWS
from labkit.widgets.kit.picture import Still
from labkit.widgets.kit.scene import to_json


def loss(x, w, b):
    h = np.tanh(x * w + b)
    error = h - 0.5
    return error**2 * x


class LeNet5(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1, self.fc2, self.fc3 = nn.Dense(256, 120), nn.Dense(120, 84), nn.Dense(84, 10)
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


class WithLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net, self.loss = LeNet5(), nn.CrossEntropyLoss()

    def construct(self, x, y):
        return self.loss(self.net(x), y)


@pytest.fixture(scope="module")
def lenet():
    x = onp.random.RandomState(0).rand(4, 1, 28, 28).astype("float32")
    return show(WithLoss(), ms.Tensor(x), ms.Tensor([1, 2, 3, 4], ms.int32), fold=12)


def titles(picture):
    return [m.text for m in picture.scene.panels[-2].marks if m.role == "name"]


# ---- what is shown ----


def test_it_is_labkit_show():
    assert labkit.show is show and isinstance(labkit.show(loss, 1.5, -0.8, 0.3), Explorer)


def test_lenet_folds_into_its_cells_and_unfolds_by_name(lenet):
    assert [b.title for b in (u.block for u in units(lenet).ops)] == ["net: LeNet5", "loss: CrossEntropyLoss"]
    lenet.unfold("net")
    there = [u.lead.title if u.block is None else u.block.title for u in units(lenet).ops]
    assert "conv2d" in there and "fc1: Dense" in there and "loss: CrossEntropyLoss" in there
    lenet.unfold("net/fc1")
    assert lenet.opened == {"net", "net/fc1"} and "dense" in [u.lead.title for u in units(lenet).ops]
    lenet.fold("net")
    assert lenet.opened == frozenset() and len(units(lenet).ops) == 2


def units(picture):
    from labkit.widgets.explorer.scene import FoldedStory

    return FoldedStory(picture.story, picture.parts, picture.opened, picture.view).units()


def test_unfolding_something_deep_unfolds_what_is_around_it(lenet):
    lenet.fold("net", "loss")
    lenet.unfold("net/fc3")
    assert lenet.opened == {"net", "net/fc3"}
    lenet.fold("net", "loss")


def test_a_key_that_there_is_not_is_refused(lenet):
    for act in (lenet.fold, lenet.unfold):
        with pytest.raises(KeyError, match=r"expected the key of a block, one of net, .*, but got 'conv9'"):
            act("conv9")


def test_a_click_folds_and_unfolds_as_the_methods_do(lenet):
    lenet.fold("net", "loss")
    (link,) = {link.opens for link in lenet.scene.links.values() if link.label.startswith("net: LeNet5")}
    lenet.respond({"open": link})
    assert lenet.opened == {"net"}
    lenet.respond({"open": lenet.scene.links["fold net"].opens})
    assert lenet.opened == frozenset()
    lenet.respond({"open": "no|such"})
    assert lenet.opened == frozenset() and len(units(lenet).ops) == 2


@pytest.mark.parametrize(
    "fun, args",
    [
        (lambda x: x * 2 + 1, [3]),
        (lambda x: x, [2.0]),
        (lambda x: x > 0, [2.0]),
        (lambda: 3.0, []),
        (lambda x: ({"a": x * 2}, [x, (x + 1,)]), [2.0]),
        (lambda x: np.sum(x * x), [onp.zeros((0, 3))]),
        (lambda x: np.log(x), [-1.0]),
        (lambda x: 1 / x, [0.0]),
        (lambda x: np.sum(x * x), [onp.full(3, 300, "float16")]),
        (lambda x: (x * x).sum(), [ms.Tensor([1.0, 2.0], ms.bfloat16)]),
        (lambda *xs: np.sum(np.concatenate(xs)), [onp.ones(2)] * 60),
        (lambda x: np.sum(np.stack([x * i for i in range(60)])), [2.0]),
        (labkit.grad(labkit.grad(lambda x: np.sin(x) * x)), [2.0]),
        (ms.grad(lambda a: ms.ops.tanh(a).sum()), [ms.Tensor([1.0, 2.0], ms.float32)]),
        (torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout(0.5), torch.nn.Linear(3, 1)), [torch.ones(4, 2)]),
    ],
)
@pytest.mark.parametrize("view", VIEWS)
def test_everything_can_be_shown_in_every_view(fun, args, view):
    picture = show(fun, *args, view=view)
    json.dumps(to_json(picture.scene), allow_nan=False)
    ElementTree.fromstring(picture.svg())
    assert picture.describe().startswith(picture.scene.title)


def test_names_with_signs_of_html_are_shown_as_they_are():
    def odd(x):
        return x * 2

    odd.__name__ = 'a<b> & "c" </script>'
    picture = show(odd, 1.0)
    words = "".join(ElementTree.fromstring(picture.svg()).itertext())
    assert 'The gradient of a<b> & "c" </script>' in words and picture.html().count("</script>") == 2


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(TypeError, match=r"but got float64. Write show\(f, x\), not show\(f\(x\)\)."):
        show(np.sin(1.0))
    with pytest.raises(ValueError, match="view: expected one of 'chain', 'tape', 'graph', 'both', but got 'tree'"):
        show(loss, 1.0, 2.0, 3.0, view="tree")
    x = torch.tensor(1.0, requires_grad=True)
    with pytest.raises(ValueError, match="view: expected one of 'chain', 'tape', but got 'graph'"):
        show(x * 2, view="graph")
    with pytest.raises(ZeroDivisionError):
        show(lambda x: 1 / 0, 1.0)


def test_a_large_run_opens_folded_and_says_so():
    def deep(x):
        for _ in range(1200):
            x = np.sin(x)
        return x

    picture = show(deep, 1.0)
    assert "A graph of 1200 ops, folded into 6 boxes," in picture.describe()
    (bar,) = (p for p in picture.scene.panels if p.name == "fold")
    assert bar.marks[0].text == "1200 ops, folded into 6 boxes; click a pile to unfold it."
    assert len(picture.svg()) < 200_000


# ---- a tensor's tape ----


def test_a_tensor_is_shown_with_the_names_of_the_variables_here():
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    hidden = x * w
    total = hidden.tanh().sum()
    picture = show(total)
    assert picture.story.name == "total" and picture.view == "tape"
    assert {n.called for n in picture.story.nodes} == {"x", "w", "hidden", "the result of tanh", "total"}
    assert x.grad is None and not total.grad_fn.released
    total.backward()
    assert "has already walked this tape" in show(total).scene.notice


def test_a_network_of_the_torch_dialect_is_called():
    picture = show(torch.nn.Linear(2, 1), torch.ones(3, 2))
    assert [n.title for n in picture.story.leaves] == ["input", "weight", "bias"]


# ---- another input ----


def value_of(picture, name):
    return next(float(n.value) for n in picture.story.nodes if name in (n.title, n.name))


def test_a_field_runs_the_function_again():
    picture = show(loss, 1.5, -0.8, 0.3)
    assert picture.scene.fields == {"x": "1.5", "w": "-0.8", "b": "0.3"}
    picture.respond({"set": {"w": "0.25"}})
    assert value_of(picture, "h") == pytest.approx(np.tanh(1.5 * 0.25 + 0.3)) and picture.scene.fields["w"] == "0.25"
    last = picture.story.steps[-1].sent[-1]
    assert float(last.total) == pytest.approx(float(labkit.grad(loss, 1)(1.5, 0.25, 0.3)))
    picture.respond({"set": {"x": "−2,5"}})
    assert value_of(picture, "x") == -2.5 and value_of(picture, "w") == 0.25


def test_other_words_leave_the_picture_and_say_what_is_expected():
    picture = show(loss, 1.5, -0.8, 0.3)
    before = to_json(picture.scene)
    picture.respond({"set": {"w": "two"}})
    assert picture.scene.notice == "w: a number is expected here, such as -2.5, but 'two' came."
    assert {**to_json(picture.scene), "notice": None} == {**before, "notice": None}
    picture.respond({"set": {"unknown": "3"}})
    picture.respond({"set": {"w": "0.5"}})
    assert picture.scene.notice == "" and value_of(picture, "w") == 0.5


def test_a_function_that_raises_leaves_the_picture_and_is_quoted():
    def picky(x):
        if x < 0:
            raise ValueError("x must not be negative")
        return x * 2

    picture = show(picky, 1.0)
    picture.respond({"set": {"x": "-3"}})
    assert picture.scene.notice == "With x = -3 your function raised ValueError: x must not be negative"
    assert value_of(picture, "x") == 1.0 and picture.scene.fields == {"x": "1"}
    picture.respond({"set": {"x": "3"}})
    assert picture.scene.notice == "" and value_of(picture, "x") == 3.0


def test_a_value_that_is_not_finite_is_pointed_out():
    picture = show(lambda x: np.log(x) * 2, 1.0)
    picture.respond({"set": {"x": "-1"}})
    assert picture.scene.notice.startswith("The first nan comes from log")
    picture.respond({"set": {"x": "nan"}})
    assert picture.scene.notice == "The input x holds nan."


def test_another_input_may_take_another_way_and_keeps_what_was_unfolded():
    def way(x):
        for _ in range(40 if x > 0 else 3):
            x = np.sin(x)
        return x

    picture = show(way, 1.0, fold=1)
    key = next(iter(picture.scene.links["n0"].opens.split("|")))
    picture.unfold(key)
    picture.respond({"set": {"x": "2"}})
    assert picture.opened == {key}
    picture.respond({"set": {"x": "-2"}})
    assert len(picture.story.nodes) == 4 and picture.opened == frozenset()


def test_a_tape_and_tensors_of_several_elements_have_no_fields():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert show((x * x).sum()).scene.fields == {} and show(np.sum, onp.ones(2)).scene.fields == {}
    show((x * x).sum()).respond({"set": {"x": "1"}})


# ---- still pictures, pages ----


def test_a_still_picture_shows_the_last_step_where_none_is_asked_for():
    picture = show(loss, 1.5, -0.8, 0.3)
    assert picture.svg() == picture.svg(step=13) != picture.svg(step=12)
    assert "With what came before: 2.9." in picture.describe() and "Nothing has run" in picture.describe(step=0)
    assert repr(picture) == picture.describe()


def test_a_still_tape_shows_the_way_back_half_done():
    picture = show(loss, 1.5, -0.8, 0.3, view="tape")
    assert (
        picture.svg() == picture.svg(step=10)
        and "released" in picture.svg()
        and ">saves self = x, other = w<" in picture.svg()
    )
    assert picture.svg(view="chain rule") == picture.svg(view=0, step=13)
    assert show(lambda x: 3.0, 1.0, view="tape").svg()


def test_static_is_a_picture_without_controls(monkeypatch):
    picture, displayed = show(loss, 1.5, -0.8, 0.3, static=True), []
    assert isinstance(picture, StillExplorer) and isinstance(picture, Still) and isinstance(picture, Explorer)
    monkeypatch.setattr("IPython.display.display", lambda data, **more: displayed.append(data))
    picture._ipython_display_()
    (data,) = displayed
    assert {"text/plain", "text/html", "image/png"} <= data.keys() and "data-labkit" not in data["text/html"]
    assert data["text/plain"] == picture.describe() and picture._player is None


@pytest.mark.parametrize("name", ["x.svg", "x.png", "x.html"])
def test_it_can_be_saved(tmp_path, name):
    content = show(lambda x: np.tanh(x), 1.5).save(tmp_path / name).read_bytes()
    assert content.startswith({"svg": b"<svg", "png": b"\x89PNG", "html": b"<!doctype html>"}[name[2:]])


def scenes_of(page):
    """The scenes in a saved page by the way of folding that leads to them; the one it starts with has the key None."""
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
    first = data["scene"] if isinstance(data["scene"], dict) else unpacked(data["scene"])
    return {None: first, **{key: unpacked(text) for key, text in data["scenes"].items() if text}}, set(data["scenes"])


@pytest.mark.parametrize("opened", [[], ["net", "loss"], ["net", "net/fc1"]])
def test_a_saved_page_holds_every_way_of_folding_that_it_offers(lenet, opened):
    lenet.fold("net", "loss")
    lenet.unfold(*opened)
    before = lenet.scene
    scenes, ways = scenes_of(lenet.html())
    assert len(scenes) > 3 and lenet.scene is before
    for scene in scenes.values():
        assert {link["opens"] for link in scene["links"].values() if "opens" in link} <= ways


def test_of_a_large_run_a_page_offers_some_ways_of_folding_and_stays_small():
    def rnn(x, w):
        h = np.zeros(3)
        for i in range(300):
            h = np.tanh(x[i] + h * w)
        return np.sum(h)

    page = show(rnn, onp.ones((300, 3)), onp.ones(3), view="graph").html()
    scenes, ways = scenes_of(page)
    clicks = {link.get("opens") for scene in scenes.values() for link in scene["links"].values()} - {None}
    assert clicks <= ways and len(ways) == len(scenes) < 25
    assert len(page) < 2_000_000


def test_a_page_of_what_has_no_parts_holds_nothing_else():
    assert show(loss, 1.5, -0.8, 0.3).alternatives() == {}


def test_two_processes_draw_the_same():
    code = (
        "import labkit, autograd.numpy as np, hashlib; "
        "p = labkit.show(lambda x, w: np.tanh(x * w) * x, 1.5, -0.8); "
        "print(hashlib.sha256((p.html() + p.svg(view=2)).encode()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": s}
        ).stdout
        for s in "12"
    }
    assert len(seen) == 1
