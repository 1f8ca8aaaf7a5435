"""`labkit.show`: from a function, a network or a tensor to a picture that answers, folds, and stands still."""

import json
import subprocess
import sys
import time
from xml.etree import ElementTree

import autograd.numpy as np
import numpy as onp
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import nn
from labkit.widgets.explorer.explorer import VIEWS, Explorer, show


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


def way(picture):
    return picture.data["ways"][picture.opened]


def titles(picture):
    return [card["title"] for card in way(picture)["cards"] if card["ran"]]


# ---- what is shown ----


def test_it_is_labkit_show():
    assert labkit.show is show and isinstance(labkit.show(loss, 1.5, -0.8, 0.3), Explorer)


def test_lenet_folds_into_its_cells_and_unfolds_by_name(lenet):
    assert titles(lenet) == ["net: LeNet5", "loss"]
    lenet.unfold("net")
    assert {"conv2d", "fc1: Dense", "loss"} <= set(titles(lenet))
    lenet.unfold("net/fc1")
    assert lenet.unfolded == {"net", "net/fc1"} and "dense" in titles(lenet)
    lenet.fold("net")
    assert lenet.unfolded == frozenset() and len(titles(lenet)) == 2
    lenet.unfold("net/fc3")  # and what is around it
    assert lenet.unfolded == {"net", "net/fc3"}
    lenet.fold("net", "loss")
    for act in (lenet.fold, lenet.unfold):
        with pytest.raises(KeyError, match=r"expected the key of a block, one of net, .*, but got 'conv9'"):
            act("conv9")


def test_a_way_of_folding_that_the_page_asks_for_is_laid_out(lenet):
    opens = next(card["opens"] for card in way(lenet)["cards"] if card["title"].startswith("net"))
    lenet.opened = opens
    assert lenet.unfolded == {"net"} and opens in lenet.data["ways"]
    lenet.opened = next(fold for title, fold in way(lenet)["folds"] if title.startswith("net"))
    assert lenet.unfolded == frozenset()


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
    json.dumps(picture.data, allow_nan=False)
    ElementTree.fromstring(picture.svg())
    assert picture.describe().startswith(picture.title) and picture.view == view


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
    with pytest.raises(ValueError, match="view: expected one of 'chain', 'tape', but got 'tree'"):
        show(loss, 1.0, 2.0, 3.0, view="tree")
    with pytest.raises(ZeroDivisionError):
        show(lambda x: 1 / 0, 1.0)


def test_a_large_run_opens_folded_and_says_so():
    def deep(x):
        for _ in range(1200):
            x = np.sin(x)
        return x

    picture = show(deep, 1.0)
    assert "A graph of 1200 ops, folded into 5 boxes," in picture.describe()
    assert way(picture)["boxes"] == "1200 ops, folded into 5 boxes; click a pile to unfold it."
    assert len(picture.html()) < 1_000_000 and len(picture.data["ways"]) > 3


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
    assert "has already run on this tape" in show(total).notice


def test_a_network_of_the_torch_dialect_is_called():
    picture = show(torch.nn.Linear(2, 1), torch.ones(3, 2))
    assert [n.title for n in picture.story.leaves] == ["input", "weight", "bias"]


# ---- another input ----


def test_other_inputs_are_described_and_drawn():
    picture = show(loss, 1.5, -0.8, 0.3)
    assert "x = 1.5, w = −0.8 and b = 0.3" in picture.describe(step=0)
    picture.inputs = {"w": 0.25}
    assert picture.describe(step=0).endswith("x = 1.5, w = 0.25 and b = 0.3.")
    assert picture.describe() == show(loss, 1.5, 0.25, 0.3).describe()
    assert picture.svg() == show(loss, 1.5, 0.25, 0.3).svg() != picture.svg(inputs={})
    assert picture.describe(inputs={"x": -1.0, "w": 0.25}).endswith(f"{gradient(-1.0, 0.25, 0.3)} h.")


def gradient(*args):
    return f"{float(labkit.grad(loss)(*args)):.3g}".replace("-", "−")


def test_what_is_no_state_is_refused_and_what_the_function_raises_is_passed_on():
    picture = show(lambda x, w: x * w if x > 0 else 1 // 0, 3.0, 2.0)
    for wrong, error, words in [
        ({"stop": 1}, KeyError, "expected some of step, view, opened, inputs, but got 'stop'"),
        ({"step": 99}, ValueError, "step: expected a number from 0 to"),
        ({"view": "tree"}, ValueError, "view: expected one of"),
        ({"inputs": {"z": 1.0}}, KeyError, "expected some of x, w, but got 'z'"),
        ({"inputs": {"x": -1.0}}, ZeroDivisionError, "division"),
    ]:
        with pytest.raises(error, match=words):
            picture.describe(**wrong)


def test_what_can_be_dragged():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert [i["name"] for i in show(loss, 1.5, -0.8, 0.3).data["inputs"]] == ["x", "w", "b"]
    assert show(np.sum, onp.ones(2)).data["inputs"][0]["entries"][1].endswith("[1]")
    assert show((x * x).sum()).data["inputs"] == []  # a tape has no function that could run again
    assert show(lambda x: x if x > 0 else -x, 1.0).data["inputs"] == []  # it decides by its numbers


def test_the_upstream_gradient_of_a_short_vector_is_an_input():
    picture = show(lambda x: np.array([x[0] * x[1], np.sin(x[1])]), onp.array([2.0, 3.0]))
    assert picture.title == "The gradient of a function of x, step by step"
    assert picture.data["inputs"][-1]["entries"] == ["upstream[0]", "upstream[1]"]
    assert "[3, 1.01]" in picture.describe() and "one weight for each element: [1, 1]" in picture.describe(step=7)
    said = picture.describe(inputs={"upstream[0]": 2.0, "upstream[1]": 0.0})
    assert said.endswith("[6, 4].") and "[2, 0]" in picture.describe(
        step=7, inputs={"upstream[0]": 2, "upstream[1]": 0}
    )
    assert [i["name"] for i in show(lambda x: x * 2, onp.ones(9)).data["inputs"]] == ["x"]


# ---- still pictures, pages ----


def test_a_still_picture_shows_the_last_step_where_none_is_asked_for():
    picture = show(loss, 1.5, -0.8, 0.3)
    assert picture.svg() == picture.svg(step=13) != picture.svg(step=12)
    assert "Added to its gradient so far: 2.9." in picture.describe() and "Nothing has run" in picture.describe(step=0)
    assert repr(picture) == picture.describe()
    assert picture.svg("dark") != picture.svg()


def test_a_still_tape_shows_the_way_back_half_done():
    picture = show(loss, 1.5, -0.8, 0.3, view="tape")
    assert picture.svg() == picture.svg(step=10) and ">saves self = x, other = w<" in picture.svg()
    assert ">released<" in picture.svg(step=13) and show(lambda x: 3.0, 1.0, view="tape").svg()


@pytest.mark.parametrize("name, start", [("x.svg", b"<svg"), ("x.png", b"\x89PNG"), ("x.html", b"<!doctype html>")])
def test_it_can_be_saved(tmp_path, name, start):
    content = show(lambda x: np.tanh(x), 1.5).save(tmp_path / name).read_bytes()
    assert content.startswith(start)


def test_a_page_is_made_quickly_and_is_small():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    show(loss, 1.5, -0.8, 0.3)  # what is imported then
    before = time.process_time()
    pages = [show(loss, 1.5, -0.8, 0.3), show(net, torch.ones(2, 3))]
    sizes = [len(page.html().encode()) - len(json.dumps(page.data)) - len(page.svg()) for page in pages]
    assert time.process_time() - before < 1.0 and max(sizes) < 60_000


def test_two_processes_draw_the_same():
    code = (
        "import labkit, autograd.numpy as np, hashlib; "
        "p = labkit.show(lambda x, w: np.tanh(x * w) * x, 1.5, -0.8); "
        "print(hashlib.sha256((p.html() + p.svg(view='tape')).encode()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": s}
        ).stdout
        for s in "12"
    }
    assert len(seen) == 1
