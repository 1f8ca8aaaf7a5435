"""The dumbbells show the norm of every parameter's gradient before and after clipping."""

from functools import cache

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.data import digits
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import Scene
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.clipping import norms
from labkit.widgets.labs.clipping.gradients import Reader, default_gradients, gradients_of
from labkit.widgets.labs.clipping.norms import LOOKS, WHOLE, measured, round_limits

NAMES = ["first.weight", "first.bias", "second.weight", "second.bias", "last.weight", "last.bias"]


@cache
def gradients():
    """Those of the network that reads digits."""
    return default_gradients()


@cache
def usual():
    """The picture of them."""
    return norms.scene(gradients())


def ends(scene: Scene, role, limit):
    """Where the lines of one look end, px, by row."""
    found = visible_marks(scene.panels[-1], scene.state(norm_limit=limit))
    return [float(at["d"].split("L")[1].split()[0]) for mark, at, *_ in found if mark.role == role and "L" in at["d"]]


def drawn_norms(scene, role, limit):
    """The same as norms, read off the axis."""
    ticks = [m for m in scene.panels[-1].marks if m.role == "tick"]
    (x0, low), (x1, high) = [(m.at["x"], np.log10(float(m.text.replace("−", "-")))) for m in (ticks[0], ticks[-1])]
    return [10 ** (low + (x - x0) * (high - low) / (x1 - x0)) for x in ends(scene, role, limit)]


def test_the_gradients_are_those_of_the_dialect():
    part, net = digits().train, Reader()
    images = ms.Tensor(part.images[:32].reshape(32, 64).astype(np.float32))
    labels = ms.Tensor(part.labels[:32].astype(np.int32))
    expected = ms.grad(net, None, net.trainable_params())(images, labels)
    assert list(gradients()) == NAMES
    for ours, theirs in zip(gradients().values(), expected, strict=True):
        assert np.allclose(ours, theirs.asnumpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("limit", ["0.2", "1", "10", "20"])
def test_the_lines_end_at_the_norms(limit):
    before = np.array([np.linalg.norm(g) for g in gradients().values()])
    whole = np.linalg.norm(before)
    value = [np.linalg.norm(np.clip(g, -float(limit), float(limit))) for g in gradients().values()]
    expected = {
        "edge": before * min(1.0, float(limit) / whole),
        "leafline": np.minimum(before, float(limit)),
        "backedge": value,
    }
    for role, after in expected.items():
        assert drawn_norms(usual(), role, limit) == pytest.approx([np.linalg.norm(after), *after], rel=0.01)


def test_the_global_norm_keeps_ratios_and_direction_where_the_others_do_not():
    found = measured(gradients(), [0.5])
    before = np.array([found.before[name] for name in NAMES])
    for look, (after,), (turned,) in zip(LOOKS, found.after, found.turned, strict=True):
        ratios = np.array([after[name] for name in NAMES]) / before
        kept = look.rule is norms.by_global_norm
        assert (np.ptp(ratios) < 1e-6) == kept
        assert (turned[WHOLE] == 0) == kept


def test_a_norm_each_turns_no_parameter_alone():
    found = measured(gradients(), [0.2, 1.0])
    assert not any(turned[name] for turned in found.turned[1] for name in NAMES)
    assert all(found.turned[2][0][name] > 0 for name in NAMES if name.endswith("weight"))


def test_the_sentence_gives_the_factor_and_the_ratios():
    whole = np.sqrt(sum(float((g**2).sum()) for g in gradients().values()))
    words = Picture(usual()).describe(norm_limit="1")
    assert f"ops.clip_by_global_norm: all × {1 / whole:.3g}, not turned." in words
    sizes = [np.linalg.norm(g) for g in gradients().values()]
    assert f"norm: {max(sizes) / min(sizes):.1f} before" in words


def test_the_question_asks_for_the_global_factor_and_knows_the_slip():
    dial, _ = usual().dials
    ask, limit = dial.asks[1], float(dial.values[1])
    assert ask.answer == pytest.approx(
        limit / np.sqrt(sum(float((g**2).sum()) for g in gradients().values())), rel=1e-5
    )
    assert ask.slips[0][0] == 1.0


def test_round_limits_reach_from_a_hundredth_to_above():
    for total in (1.0, 3.7, 0.00042, 99.99, 100.0, 7e10):
        limits = round_limits(total)
        assert limits[-1] >= total > limits[-2]
        assert total / 100 <= limits[0] <= total / 40


def test_a_function_gives_the_gradients_of_its_floating_arguments():
    found = gradients_of(lambda x, n: x**n, 2.0, 3)
    assert list(found) == ["x"] and found["x"] == pytest.approx(12.0)


def test_a_module_gives_the_gradients_of_its_parameters():
    layer = torch.nn.Linear(2, 1)
    found = gradients_of(layer, torch.tensor([[3.0, 4.0]]))
    assert {name: g.tolist() for name, g in found.items()} == {"weight": [[3.0, 4.0]], "bias": [1.0]}


def test_bad_input_is_said():
    with pytest.raises(TypeError, match="expected a function, a Cell or a Module, but got int"):
        gradients_of(3)
    with pytest.raises(ValueError, match=r"floating arguments after the function, as in ClippingLab\(f, 3.0\)"):
        gradients_of(lambda: 3.0)
    with pytest.raises(IndexError):
        gradients_of(lambda x: [x][1], 3.0)


def test_gradients_that_are_not_finite_are_named_and_the_rest_is_shown():
    scene = norms.scene({"ill": np.array([np.inf, 1.0]), "well": np.array([3.0])})
    assert scene.notice == "The gradient of ill is not finite: a step to skip, not to clip."
    assert ends(scene, "edge", "5") and "well" in [m.text for m in scene.panels[-1].marks]


@pytest.mark.parametrize("gradient", [np.zeros(3), np.zeros((0, 2)), np.array([np.nan])])
def test_without_any_gradient_there_is_a_message(gradient):
    scene = norms.scene({"x": gradient})
    assert scene.notice and not scene.dials
    assert Picture(scene).svg().startswith("<svg")


def test_one_zero_gradient_among_others_has_no_line():
    scene = norms.scene({"x": np.array([2.0]), "still": np.zeros(2)})
    assert len(ends(scene, "edge", 0)) == 2  # the whole and x
    assert "is zero" in [mark.text for mark in scene.panels[-1].marks]
    assert all(ask.question.count("still") == 0 for ask in scene.dials[0].asks.values())


def test_of_many_parameters_the_longest_are_shown():
    many = {f"w{i}": np.array([float(i + 1)]) for i in range(60)}
    scene = norms.scene(many)
    rows = {mark.link for mark in scene.panels[-1].marks if mark.link}
    assert len(rows) == norms.MOST and "norm w59" in rows and "norm w19" not in rows
    assert scene.notice == "Shown are the 40 longest of 60 gradients."


def test_extreme_gradients_draw_too():
    for size in (1e200, 1e-200, np.float32(1e30)):
        assert Picture(norms.scene({"x": np.array([size, size]), "y": np.array(1.0)})).svg().startswith("<svg")


def test_one_rule_is_looked_at_and_the_others_are_pale():
    scene = usual()
    for k, look in enumerate(LOOKS):
        state = scene.state(lit=k, norm_limit=1)
        seen = [(m.role, name, words) for m, _, words, name in visible_marks(scene.panels[-1], state)]
        roles = {one.line: "" if one is look else "dim" for one in LOOKS}
        assert all(name == roles[role] for role, name, _ in seen if role in roles)
        turned = measured(gradients(), [float(scene.dials[0].values[1])]).turned[k][0]
        assert [words for role, _, words in seen if role == "sum"] == [
            f"{turned[name]:.1f}°" for name in (WHOLE, *NAMES)
        ]
        assert f"{look.name} turns" in [words for *_, words in seen]
