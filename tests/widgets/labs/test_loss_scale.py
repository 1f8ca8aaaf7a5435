"""The loss-scale lab: gradients that really are in the format, shares that add up, a training that can be repeated by hand."""

import json
import re
import subprocess
import sys
from itertools import pairwise

import autograd.numpy as anp
import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import amp, nn
from labkit.precision import format_of, rounded, statistics
from labkit.widgets.kit.axes import Axis
from labkit.widgets.kit.scene import looks, to_json, width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.loss_scale import LossScaleLab, dots
from labkit.widgets.labs.loss_scale.axes import LOOKS, by_format, percent, silhouette, two_to
from labkit.widgets.labs.loss_scale.bars import BAR_LEFT, BAR_RIGHT, rows
from labkit.widgets.labs.loss_scale.outcome import FATES, Captured, Sweep, outcome
from labkit.widgets.labs.loss_scale.presets import digits_batches, digits_network
from labkit.widgets.labs.loss_scale.run import Network
from labkit.widgets.labs.loss_scale.scene import FORMATS
from labkit.widgets.labs.loss_scale.training import Learner, Start, Training

RNG = np.random.RandomState(0)
X, W1, W2 = RNG.randn(8, 5), RNG.randn(7, 5) * 0.3, RNG.randn(1, 7) * 0.3


@pytest.fixture(scope="module")
def lab():
    return LossScaleLab()


@pytest.fixture(scope="module")
def digits():
    return Network(digits_network()), digits_batches(4)


def plain(w1, w2):
    return anp.mean((anp.tanh(X @ w1.T) @ w2.T) ** 2) * 1e-5


def mindspore_net():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            weights = [ms.Tensor(w.astype(np.float32)) for w in (W1, W2)]
            self.a = nn.Dense(5, 7, weight_init=weights[0], has_bias=False)
            self.b = nn.Dense(7, 1, weight_init=weights[1], has_bias=False)

        def construct(self, x):
            return (self.b(ms.ops.tanh(self.a(x))) ** 2).mean() * 1e-5

    return Net(), ms.Tensor(X.astype(np.float32))


def torch_net():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(5, 7, bias=False), torch.nn.Linear(7, 1, bias=False)
            self.a.weight.data, self.b.weight.data = (torch.tensor(w.astype(np.float32)) for w in (W1, W2))

        def forward(self, x):
            return (self.b(torch.tanh(self.a(x))) ** 2).mean() * 1e-5

    return Net(), torch.tensor(X.astype(np.float32))


def test_columns_that_do_not_touch_have_outlines_of_their_own():
    across = Axis(0, 10, 0, 100)
    assert silhouette(across, [(1, 90, 40), (2, 90, 80)]) == "M10 40L20 40L20 80L30 80L30 90L10 90Z"
    apart = silhouette(across, [(1, 50, 49), (2, 90, 80)])  # no line stands for what is between them
    assert apart == "M10 49L20 49L20 50L10 50ZM20 80L30 80L30 90L20 90Z"


# ---- gradients in a format ----


@pytest.mark.parametrize("power", [0, 12, 36, 38])
def test_float16_gradients_are_those_of_the_dialects_own_mixed_precision_bit_for_bit(digits, power):
    network, batches = digits
    cell = network.fun
    with_sens = ms.ops.GradOperation(get_by_list=True, sens_param=True)(
        cell, ms.ParameterTuple(cell.trainable_params())
    )
    real = with_sens(*batches[0], ms.Tensor(2.0**power, ms.float32))
    held = network.run(batches[0]).gradients("float16", 2.0**power)
    assert len(real) == len(held) == 6
    for expected, got in zip(real, held.values(), strict=True):
        np.testing.assert_array_equal(got, expected.asnumpy().astype(np.float64))


@pytest.mark.parametrize("of", FORMATS)
def test_every_gradient_is_a_number_of_the_format(digits, of):
    network, batches = digits
    for gradient in network.run(batches[1]).gradients(of, 2.0**20).values():
        np.testing.assert_array_equal(gradient, rounded(gradient, of))


def test_float64_gradients_are_those_of_the_engine():
    graph = labkit.trace(plain)(W1, W2)
    found = Network(plain).run([W1, W2]).gradients("float64", 4.0)
    for name in ("w1", "w2"):
        np.testing.assert_allclose(found[name], 4 * graph.gradients[name], rtol=1e-12)


def test_a_cotangent_that_vanishes_on_the_way_takes_gradients_with_it_that_would_fit():
    """d/dw of w (1, 1) through a tiny factor: the product with x = 2^14 fits in float16, the cotangent before does not."""
    run = Network(lambda w: (w @ np.full((1, 1), 2.0**14)).sum() * 2.0**-30).run([np.ones((1, 1))])
    exact = run.gradients("float64")
    assert rounded(exact["w"], "float16").item() == 2.0**-16
    assert run.gradients("float16")["w"].item() == 0.0
    assert run.gradients("float16", 2.0**10)["w"].item() == 2.0**-6


def test_data_that_a_function_closes_over_are_held_for_a_product_too():
    run = Network(lambda w: (w @ np.full((1, 1), 1.0 + 2.0**-12)).sum()).run([np.ones((1, 1))])
    assert run.gradients("float16")["w"].item() == 1.0 != run.gradients("float64")["w"].item()


def test_the_loss_after_the_last_product_stays_wide():
    """An intermediate loss of 10^6, and a scale of 2^20, do not fit in float16; the gradient does."""
    run = Network(lambda w: (w @ np.ones((1, 1))).sum() * 1e6 / 2.0**40).run([np.ones((1, 1))])
    np.testing.assert_allclose(run.gradients("float16", 2.0**20)["w"], rounded(1e6 * 2.0**-20, "float16"))


def test_a_function_a_cell_and_a_module_give_the_same_gradients():
    cell, x = mindspore_net()
    module, y = torch_net()
    found = [Network(plain).run([W1, W2]), Network(cell).run([x]), Network(module).run([y])]
    for of in ("float16", "bfloat16"):
        first, second, third = (list(run.gradients(of, 2.0**14).values()) for run in found)
        for a, b, c in zip(first, second, third, strict=True):
            for other in (b, c):
                np.testing.assert_allclose(
                    a, other, rtol=4 * format_of(of).eps, atol=4 * format_of(of).eps * np.abs(b).max()
                )


# ---- shares ----


@pytest.mark.parametrize("of", FORMATS)
def test_the_shares_of_captured_gradients_are_those_of_the_precision_module(of):
    values = np.concatenate([np.zeros(7), RNG.standard_normal(500) * 2.0 ** RNG.uniform(-40, 20, 500)])
    sweep = Sweep("", "", Captured({"w": values}), [of])
    for power, found in enumerate(sweep.outcomes[of]):
        expected = statistics(values[7:]).shares(of, 2.0**power)
        for fate in FATES:
            assert found.share(fate) == pytest.approx(getattr(expected, fate), abs=1e-12)
        assert sum(map(sum, found.bins.values())) == 500


def test_gradients_that_are_0_by_themselves_are_not_counted_as_flushed():
    found = outcome({"w": np.array([0.0, 1e-9, 1.0])}, {"w": np.array([0.0, 0.0, 1.0])}, "float16")
    assert found.size == 2 and found.share("flushed") == 0.5


def test_one_gradient_that_is_not_finite_makes_the_step_skipped_even_where_the_exact_one_is_0():
    found = outcome({"w": np.array([0.0, 1.0])}, {"w": np.array([np.nan, 1.0])}, "float16")
    assert not found.finite and found.count("overflowed") == 1


def test_safe_scales_are_those_without_overflow_and_with_hardly_anything_flushed(lab):
    sweep = lab.cases[0]
    for of in FORMATS:
        good = [i for i, o in enumerate(sweep.outcomes[of]) if o.share("flushed") <= 0.001 and o.finite]
        assert sweep.safe[of] == ((good[0], good[-1]) if good else None)
    assert sweep.outcomes["float16"][0].share("flushed") > 0.3 and sweep.outcomes["bfloat16"][0].share("flushed") == 0


# ---- the documents ----


def test_the_documents_example_is_2048_4096_6144_as_its_own_code_gives_and_overflows_past_65504():
    layer = nn.Dense(3, 1, has_bias=False)
    layer.weight.set_data(ms.Tensor([[2, 3, 4]], ms.float32))
    scaler, loss = amp.StaticLossScaler(1024.0), nn.MSELoss()
    scaled = ms.grad(lambda x, y: scaler.scale(loss(layer(x), y)), None, layer.trainable_params())
    (documented,) = scaled(ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor([[19]], ms.float32))
    lab = LossScaleLab(nn.WithLossCell(layer, loss), ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor([[19]], ms.float32))
    assert lab.cases[0].dots.held["float16"][10].tolist() == documented.asnumpy().ravel().tolist() == [2048, 4096, 6144]
    words = lab.describe(scale=10)
    assert "(2,048, 4,096, 6,144)" in words and "scaled 1,024" in words and "unscaled (2, 4, 6)" in words
    first = next(i for i, o in enumerate(lab.cases[0].outcomes["float16"]) if not o.finite)
    assert 6 * 2**first > 65504 >= 6 * 2 ** (first - 1) and "all_finite is False" in lab.describe(scale=first)


# ---- training ----


def by_hand(cell, batches, scaler, learning_rate):
    """The same training as a user of the dialect writes it: losses and scales."""
    optimizer, losses, scales = nn.Adam(cell.trainable_params(), learning_rate), [], []
    for batch in batches:
        scales.append(float(scaler.scale_value.asnumpy()))
        losses.append(float(cell(*batch).asnumpy()))
        gradients = ms.grad(lambda *b: scaler.scale(cell(*b)), None, cell.trainable_params())(*batch)
        finite = amp.all_finite(gradients)
        if finite:
            optimizer(scaler.unscale(gradients))
        scaler.adjust(finite)
    return losses, scales


def test_training_is_what_the_dialect_does_by_hand_with_skipped_and_grown_steps(digits):
    network, _ = digits
    batches = digits_batches(12)
    scaler = amp.DynamicLossScaler(2.0**36, 2, 2)
    steps = Training("", "", Learner(network, batches, 0.02), ["float16"], scaler).steps["float16"]
    losses, scales = by_hand(digits_network(), batches, amp.DynamicLossScaler(2.0**36, 2, 2), 0.02)
    assert [s.outcome.scale for s in steps] == scales
    np.testing.assert_allclose([s.loss for s in steps], losses, rtol=1e-5)
    assert {s.event for s in steps} == {"skipped", "grown", ""}
    assert float(scaler.scale_value.asnumpy()) == 2.0**36


def test_a_skipped_step_leaves_the_weights_and_halves_the_scale(digits):
    network, batches = digits
    same = [batches[0]] * 4
    steps = Training("", "", Learner(network, same, 0.02), ["float16"], amp.DynamicLossScaler(2.0**39, 2, 9)).steps[
        "float16"
    ]
    assert [s.event for s in steps[:2]] == ["skipped", "skipped"]
    assert steps[0].loss == steps[1].loss and steps[0].after == steps[0].outcome.scale / 2 == steps[1].outcome.scale


def test_without_a_scale_float16_does_not_learn_what_it_learns_with_one(lab):
    training = lab.cases[1]
    with_scale, without = [s.loss for s in training.steps["float16"]], training.without["float16"]
    assert without[-1] > 0.9 * without[0] and with_scale[-1] < 0.4 * with_scale[0]
    wide = [s.loss for s in training.steps["bfloat16"]]
    np.testing.assert_allclose(wide, training.without["bfloat16"], rtol=1e-3)


def test_good_steps_are_counted_anew_after_growth_and_after_overflow(lab):
    for steps in lab.cases[1].steps.values():
        for before, step in pairwise(steps):
            restarted = before.event in ("grown", "skipped")
            assert step.good == (0 if not step.outcome.finite else 1 if restarted else before.good + 1)
            assert (step.event == "grown") == (step.good == 3)


def test_training_leaves_the_users_network_as_it_was():
    for net, x in (mindspore_net(), torch_net()):
        kept = [np.array(p) for p in Network(net).run([x]).parameters.values()]
        LossScaleLab(net, batches=[(x,)] * 3, formats=["float16"])
        for before, after in zip(kept, Network(net).run([x]).parameters.values(), strict=True):
            np.testing.assert_array_equal(before, after)


def test_captured_gradients_are_replayed_with_the_scale_a_scaler_would_have_had():
    captured = [{"w": np.array([10.0**i])} for i in range(8)]
    steps = LossScaleLab(gradients=captured, scaler=amp.DynamicLossScaler(1024, 4, 2)).cases[1].steps["float16"]
    scale, good = 1024.0, 0
    for i, step in enumerate(steps):
        assert step.outcome.scale == scale and step.loss is None
        fits = 10.0**i * scale < 65520
        good = good + 1 if fits else 0
        scale, good = (scale / 4 if not fits else scale * 4 if good == 2 else scale), good % 2
    assert "divided by 4" in LossScaleLab(gradients=captured, scaler=amp.DynamicLossScaler(1024, 4, 2)).describe(case=1)


def test_a_run_that_diverges_ends_there_and_says_so():
    lab = LossScaleLab(gradients=[{"w": np.ones(2)}, {"w": np.array([1.0, np.nan])}, {"w": np.ones(2)}])
    assert len(lab.cases[1].steps["float16"]) == 1
    assert "Here it ends" in lab.describe(case=1)


def test_a_static_scaler_skips_but_keeps_the_scale():
    gradients = [{"w": np.array([1.0])}, {"w": np.array([1e6])}]
    lab = LossScaleLab(gradients=gradients, scaler=amp.StaticLossScaler(1024.0))
    assert "the scale stays" in lab.describe(case=1, step=1)


# ---- what is drawn and said ----


def shown(lab, panel, **dials):
    state = lab.scene.state(**dials)
    (found,) = [p for p in lab.scene.panels if p.name == panel]
    return [
        (mark, *looks(mark, state)[:2])
        for mark in found.marks
        if all(state[dial] in places for dial, places in mark.when.items())
    ]


def visible(lab, panel, **dials):
    (found,) = [p for p in lab.scene.panels if p.name == panel]
    return visible_marks(found, lab.scene.state(**dials))


def lefts(d):
    return min(float(x) for x in re.findall(r"[ML](-?[\d.]+) ", d))


def test_twice_the_scale_moves_the_histogram_by_one_column_and_the_outline_stays(lab):
    drawn = [
        {m.role: at["d"] for m, at, _ in shown(lab, "scale exponents", scale=p) if m.tag == "path"}
        for p in (27, 28, 32)
    ]
    column = lefts(drawn[1]["bar"]) - lefts(drawn[0]["bar"])
    assert column > 0 and lefts(drawn[2]["bar"]) - lefts(drawn[0]["bar"]) == pytest.approx(5 * column)
    assert drawn[0]["outline"] == drawn[2]["outline"]


def each_position(lab):
    """`(case, its dial, format, position, outcome)` of everything that the lab can show."""
    dials = [dial.name for dial in lab.scene.dials if dial.name.startswith(("scale", "step"))]
    for i, (case, dial) in enumerate(zip(lab.cases, dials, strict=True)):
        for of in case.formats:
            for position, found in enumerate(case.outcomes[of]):
                yield i, dial, of, position, found


def marks_at(lab, panel, i, dial, of, position):
    return shown(lab, f"{dial} {panel}", case=i, format=of, **{dial: position})


def test_under_the_name_of_each_band_stands_how_many_met_its_fate(lab):
    roles = {"slope": "flushed", "leaftext": "subnormal", "forwardtext": "normal", "badtext": "overflowed"}
    for i, dial, of, position, found in each_position(lab):
        if of == "float16" and position % 7 == 0:
            shares = {fate: percent(found.share(fate)) for fate in FATES if found.count(fate)}
            expected = {k: v.replace("under ", "<").replace("over ", ">") for k, v in shares.items()}
            for panel, y in [("exponents", 45), *([] if dial == "step" else [("dots", 119)])]:
                marks = [(m.role, w) for m, at, w in marks_at(lab, panel, i, dial, of, position) if at.get("y") == y]
                assert {roles[role]: words for role, words in marks if words} == expected


def test_the_dots_are_gradients_of_the_lab_scaled_held_and_divided_again(lab):
    """Read off the axis: where each dot comes back to is what the format held, divided by the scale; lost ones are holes."""
    sweep, across = lab.cases[0], dots.axis_of(lab.cases[0])
    flat = np.concatenate([g.ravel() for g in sweep.exact.values()])
    assert len(sweep.dots.exact) == 128 and np.isin(sweep.dots.exact, flat).all()
    for of in ("float16", "float8_e4m3"):
        for position in (0, 9, 15, 37, 39):
            seen = [
                (m.role, at, name)
                for m, at, _, name in visible(lab, "scale dots", format=of, scale=position)
                if m.tag == "circle"
            ]
            lanes = [seen[:128], seen[128:256], seen[256:]]
            held = np.abs(sweep.dots.held[of][position])
            for exact, kept, one, two, three in zip(np.abs(sweep.dots.exact), held, *lanes, strict=True):
                assert two[1]["cx"] == pytest.approx(across(np.log2(exact) + position), abs=0.11)
                assert one[1]["cx"] == pytest.approx(across(np.log2(exact)), abs=0.11)
                lost = "over" if not np.isfinite(kept) else "hole" if not kept else None
                if lost:
                    assert three[2] == lost and three[1]["cx"] == pytest.approx(across(np.log2(exact)), abs=0.11)
                else:
                    assert three[2] == ("coarse" if kept < format_of(of).min_normal else "")
                    assert three[1]["cx"] == pytest.approx(across(np.log2(kept) - position), abs=dots.SEEN + 0.1)
                assert one[1]["cy"] - dots.LANES[0] == pytest.approx(three[1]["cy"] - dots.LANES[2], abs=0.11)


def test_from_no_scale_it_plays_to_a_safe_one_where_it_rests(lab):
    for case, dial in zip(lab.cases, [d for d in lab.scene.dials if d.name.startswith(("scale", "step"))], strict=True):
        if isinstance(case, Sweep):
            assert dial.start == 0 and dial.rests == case.start and dial.even


def test_other_starts_of_the_training_are_trainings_with_their_own_scaler(lab, digits):
    training, (network, _) = lab.cases[1], digits
    for start in (Start(0, 3), Start(40, 8)):
        scaler = amp.DynamicLossScaler(2.0**start.power, 2, start.window)
        steps = Training("", "", Learner(network, digits_batches(12), 0.02), ["float16"], scaler).steps["float16"]
        for one, other in zip(training.others[start], steps):
            assert (one.power, one.event, one.loss) == (other.outcome.power, other.event, other.loss)
    own = training.others[training.start]
    assert [s.power for s in own] == [s.outcome.power for s in training.steps["float16"]]
    assert "at scale 2⁰" in lab.describe(case=1, step=0, begins=0) and "skipped" in lab.describe(
        case=1, step=0, begins=5
    )


def lengths(d, xs):
    """How much of the upright line at each x lies inside of a path, whose parts run over their columns and back under them."""
    total = np.zeros(len(xs))
    for part in d.split("Z"):
        points = np.array(part.replace("M", " ").replace("L", " ").split(), float).reshape(-1, 2)
        ends = np.roll(points, -1, axis=0)
        (x0, y0), (x1, y1) = points.T[:, :, None], ends.T[:, :, None]
        crossed = (x0 < xs) != (x1 < xs)
        y = y0 + (xs - x0) / np.where(crossed, x1 - x0, 1) * (y1 - y0)
        total += np.abs(np.sum(np.where(crossed, np.sign(x1 - x0) * y, 0), axis=0))
    return total


def exponents_read_from(marks):
    """Where an exponent lies, by the numbers at the axis."""
    ticks = [
        (float(words.replace("−", "-")), at["x"]) for m, at, words in marks if m.role == "tick" and "%" not in words
    ]
    slope, start = np.polyfit(*zip(*ticks, strict=True), 1)
    return lambda e: slope * e + start


def test_at_every_position_the_columns_are_the_shares_and_nothing_is_drawn_where_there_is_none(lab):
    """By fate and exponent, to the pixel; so no outline runs around a column of which nothing overflows."""
    for i in range(len(lab.cases)):
        found = [where for where in each_position(lab) if where[0] == i]
        x_of = exponents_read_from(marks_at(lab, "exponents", *found[0][:4]))
        columns, pixels = [], []
        for *where, fates in found:
            paths = {m.role: at["d"] for m, at, _ in marks_at(lab, "exponents", *where) if m.tag == "path"}
            every = np.arange(-70, 45)
            seen = np.array([lengths(paths[role], x_of(every + 0.5)) for role in LOOKS.values()]).T
            none = np.zeros(len(FATES))
            shares = np.array([fates.bins.get(e, none) for e in every]) / fates.size
            columns.append(shares[:, [FATES.index(fate) for fate in LOOKS]])
            pixels.append(seen)
        columns, pixels = np.concatenate(columns), np.concatenate(pixels)
        scale = pixels.sum(1).max() / columns.sum(1).max()
        assert ((pixels > 0) == (columns > 0)).all()
        assert (np.abs(pixels - columns * scale) <= 3).all()  # whole pixels, and one at least for each fate


def test_at_every_position_the_bars_are_the_shares_of_each_parameter(lab):
    width = BAR_RIGHT - BAR_LEFT
    for i, dial, of, position, found in each_position(lab):
        bars = marks_at(lab, "layers", i, dial, of, position) if len(lab.cases[i].names) > 1 else []
        bars = [(m.role, at["width"]) for m, at, _ in bars if at["x"] == BAR_LEFT]
        rows_shown = [[width for role, width in bars if role == wanted] for wanted in ("back", "leafbar", "bar")]
        counts = np.array([found.counts[places].sum(0) for _, places in rows(lab.cases[i].names)])
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        for k, widths in enumerate(rows_shown, 1) if bars else ():
            np.testing.assert_allclose(widths, shares[:, :k].sum(axis=1) * width, atol=0.06)


def test_the_caption_counts_what_is_flushed_and_what_overflows(lab):
    exact = lab.cases[0].exact
    size = sum(int(np.sum(g != 0)) for g in exact.values())
    run = Network(digits_network()).run(digits_batches(1)[0])
    for power in (0, 4, 37):
        held = run.gradients("float16", 2.0**power)
        flushed = sum(int(np.sum((g != 0) & (held[name] == 0))) for name, g in exact.items())
        over = sum(int(np.sum(~np.isfinite(g))) for g in held.values())
        words = lab.describe(scale=power)
        assert (f"{flushed:,} of {size:,} gradients ({percent(flushed / size)}) are flushed" in words) == bool(flushed)
        assert (f"{over:,} of {size:,} gradients ({percent(over / size)}) overflow" in words) == bool(over)


def test_an_overflow_on_the_way_to_a_gradient_that_would_fit_is_said_to_be_one():
    lab = LossScaleLab(lambda w: (w * 2.0**-12) @ np.ones(2) * 2.0**-10, np.full(2, 0.5), formats=["float16"])
    sweep = lab.cases[0]
    assert sweep.largest == 2.0**-22 and not sweep.outcomes["float16"][30].finite
    assert "one inf on the way back spoils 100% of the gradients" in lab.describe(scale=30)
    assert "None is too large alone" in lab.describe(scale=30) and sweep.outcomes["float16"][30].spread


def test_what_an_inf_on_the_way_back_has_spoiled_is_not_said_to_be_too_large(lab):
    sweep = lab.cases[0]
    last = sweep.outcomes["float16"][39]
    exact = np.concatenate([g.ravel() for g in sweep.exact.values()])
    assert last.share("overflowed") == 1 and last.large == np.sum(np.abs(exact) * 2.0**39 > 65504) == 90
    assert "too large for" not in lab.scene.said(lab.scene.state(scale=39)) and last.spread
    assert (
        "too large for float16" in lab.scene.said(lab.scene.state(scale=37))
        and not sweep.outcomes["float16"][37].spread
    )
    seen = lab.describe(scale=39), lab.svg(scale=39)
    assert "Only 90 are too large alone" in seen[0] and "would fit" in seen[1] and "would fit" not in lab.svg(scale=37)
    assert sweep.largest * 2.0**38 > 65504 and "on the way" not in lab.describe(scale=38)


def test_a_caption_at_every_position_of_every_dial(lab):
    for case, dial in enumerate(("scale", "step")):
        values = next(d.values for d in lab.scene.dials if d.name == dial)
        for of in FORMATS:
            said = [
                lab.scene.caption(lab.scene.state(**{"case": case, "format": of, dial: i})) for i in range(len(values))
            ]
            assert all(of in words and words.endswith(".") for words in said)
            assert len(set(said)) == len(said)


def test_the_questions_are_answered_by_what_comes_next(lab):
    training, asked = lab.cases[1], 0
    steps = next(d for d in lab.scene.dials if d.name == "step")
    for position, asks in steps.asks.items():
        for ask in asks:
            of, asked = FORMATS[ask.when["format"][0]], asked + 1
            if "What is the scale" in ask.question:
                assert ask.answer == two_to(training.steps[of][position].outcome.power) and ask.answer in ask.choices
            else:
                assert not training.steps[of][position].outcome.finite and ask.answer == "they stay as they are"
            assert all(value != ask.answer for value, _ in ask.slips)
            assert f"the scale at step {position + 2}" not in ask.question
    assert asked >= 2 * len(FORMATS)


def test_the_dots_are_dragged_to_where_it_is_safe_and_a_scale_that_is_not_says_what_is_lost(lab):
    scale = next(d for d in lab.scene.dials if d.name == "scale")
    for seek in scale.seeks:
        of = FORMATS[seek.when["format"][0]]
        outcomes, safe = lab.cases[0].outcomes[of], lab.cases[0].safe[of]
        if safe:
            assert list(seek.answer) == list(range(safe[0], safe[1] + 1))
        lost = [o.share("flushed") + o.share("overflowed") for o in outcomes]
        assert all(lost[i] == min(lost) for i in seek.answer) or safe
        assert seek.start is None or seek.start not in seek.answer
        for position, said in seek.says:
            assert ("skipped" in said) == (not outcomes[position].finite)
    assert len(scale.seeks) == len(FORMATS)
    state = lab.scene.state(format="float16")
    marks = [m for p in lab.scene.panels if p.name in ("scale exponents", "scale scales") for m in p.marks]
    seen = [(m.role, looks(m, state)[2]) for m in marks if m.vary]
    assert all(
        name == "answer" for role, name in seen if role in ("bar", "leafbar", "over", "verdict", "fault", "forwardtext")
    )
    assert ("inkhead", "asked") in seen and ("outline", "") in seen  # what is dragged stays


def test_of_gradients_that_no_scale_saves_the_least_loss_is_looked_for():
    lab = LossScaleLab(gradients={"w": [2.0**-30, 2.0**14, 2.0**15]}, formats=["float16"])
    (seek,) = lab.scene.dials[0].seeks
    assert lab.cases[0].safe["float16"] is None and "fewest" in seek.question and seek.answer


def test_no_text_leaves_its_panel_and_band_names_do_not_overlap(lab):
    for case, dial, positions in ((0, "scale", (0, 15, 39)), (1, "step", (0, 36, 47))):
        for panel in [p for p in lab.scene.panels if p.when["case"] == [case]]:
            for of in FORMATS:
                for position in positions:
                    spans = []
                    for mark, at, words in shown(lab, panel.name, **{"case": case, "format": of, dial: position}):
                        if mark.tag != "text" or not words:
                            continue
                        mono = mark.role in ("value", "tick")
                        wide = width_of(words, 11.5 if mark.role in ("note", "tick") else 12, mono) * 0.97
                        left = at["x"] - {"start": 0, "middle": wide / 2, "end": wide}[at["text-anchor"]]
                        assert left >= -2 and left + wide <= panel.width + 4, (panel.name, words)
                        assert 8 <= at["y"] <= panel.height
                        spans.append((at["y"], left, left + wide, words))
                    for i, (y, left, right, words) in enumerate(spans):
                        for other, start, end, more in spans[i + 1 :]:
                            assert abs(y - other) >= 9 or right <= start + 1 or end <= left + 1, (
                                panel.name,
                                words,
                                more,
                            )


def test_formats_that_look_the_same_share_their_marks():
    merged = list(by_format(["a", "b", "c"], {"a": [1], "b": [2], "c": [1]}))
    assert merged == [([1], "a", {"format": [0, 2]}), ([2], "b", {"format": [1]})]
    assert list(by_format(["a"], {"a": 1})) == [(1, "a", {})]


def test_many_parameters_are_shown_by_layer_and_the_rest_together():
    assert rows(["a.weight", "a.bias"]) == [("a.weight", [0]), ("a.bias", [1])]
    names = [f"layer{i}.{kind}" for i in range(12) for kind in ("weight", "bias")]
    found = rows(names)
    assert found[0] == ("layer0", [0, 1]) and found[-1] == ("5 more", list(range(14, 24)))


def test_the_page_is_one_file_of_moderate_size(lab):
    page = lab.html()
    assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page
    assert len(page) < 390_000
    assert len(json.dumps(to_json(lab.scene), allow_nan=False)) < 1_500_000


def test_the_description_says_how_each_format_is_computed(lab):
    assert "In float16 and float32 each result is one of NumPy's in the format itself." in lab.scene.description
    assert (
        "In bfloat16, float8_e5m2, float8_e4m3 each result is computed in float64 and rounded" in lab.scene.description
    )


def test_the_lab_needs_numpy_and_autograd_alone():
    code = (
        "import sys; from labkit.widgets.labs.loss_scale import LossScaleLab; LossScaleLab(formats=['bfloat16']).svg(); "
        "print({'matplotlib', 'anywidget', 'ml_dtypes', 'IPython'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


# ---- your own, and what is refused ----


def test_a_function_with_parameters_from_outside_and_an_auxiliary_output():
    cell, x = mindspore_net()
    lab = LossScaleLab(lambda data: (cell(data), data), x, parameters=cell.trainable_params(), formats=["float16"])
    direct = LossScaleLab(cell, x, formats=["float16"])
    assert [d.name for d in lab.scene.dials] == ["scale", "beside_scale"]
    for a, b in zip(lab.cases[0].exact.values(), direct.cases[0].exact.values(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_network_that_already_computes_in_float16_keeps_its_own_division(digits):
    network, batches = digits
    exact = network.run(batches[0]).gradients("float64")
    half = network.run(batches[0]).gradients("float16", 2.0**20)
    for name, gradient in exact.items():
        np.testing.assert_allclose(half[name] / 2.0**20, gradient, rtol=0.2, atol=np.abs(gradient).max() * 0.02)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: LossScaleLab(3), TypeError, "expected a function, a Cell or a Module, but got int"),
        (
            lambda: LossScaleLab(lambda w: anp.sum(anp.log(w)), np.array([0.0, 1.0])),
            ValueError,
            "in w 0 are nan and 1 infinite",
        ),
        (lambda: LossScaleLab(lambda w: anp.sum(0.0 * w), np.ones(3)), ValueError, "all 3 gradients are 0"),
        (lambda: LossScaleLab(lambda w: 3.0, np.ones(3)), ValueError, "does not depend on any parameter"),
        (lambda: LossScaleLab(lambda w: w, np.ones(3)), ValueError, r"one number.*shape \(3,\)"),
        (lambda: LossScaleLab(lambda n: n * 2, 3), TypeError, "expected floating parameters.*has n"),
        (lambda: LossScaleLab(lambda: 2.0), TypeError, "none at all"),
        (lambda: LossScaleLab(lambda w: None, 1.0), TypeError, "returned None"),
        (lambda: LossScaleLab(lambda w: w, "x"), TypeError, "expected a real number, an array or a tensor for 'w'"),
        (lambda: LossScaleLab(lambda w: w, 1.0, gradients={"w": 1.0}), TypeError, "but got both"),
        (lambda: LossScaleLab(gradients={"w": "x"}), TypeError, "expected an array or a tensor for 'w', but got str"),
        (lambda: LossScaleLab(gradients=[]), ValueError, "but got none"),
        (lambda: LossScaleLab(formats=["float12"]), ValueError, "float12"),
        (lambda: LossScaleLab(formats=[]), ValueError, "at least one format"),
        (lambda: LossScaleLab(batches=[(1.0,)]), TypeError, "before batches or a scaler"),
        (
            lambda: LossScaleLab(lambda w: w, 1.0, batches=[(1.0,)], scaler=3),
            TypeError,
            "DynamicLossScaler.*but got int",
        ),
        (lambda: LossScaleLab(lambda w: w / 0, 1), TypeError, "floating"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_a_function_that_raises_leaves_its_own_error_and_the_lab_usable():
    def broken(w):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        LossScaleLab(broken, 1.0)
    assert "Gradient (2)" in LossScaleLab(lambda w: 2.0 * w, 1.0, formats=["float16"]).describe()


def test_a_step_of_training_too_says_what_one_inf_on_the_way_back_has_spoiled():
    scaler = amp.DynamicLossScaler(2.0**39, 2, 9)
    lab = LossScaleLab(digits_network(), batches=digits_batches(3), scaler=scaler, formats=["float16"])
    spread = [step.outcome.spread for step in lab.cases[1].steps["float16"]]
    assert spread[0] and not spread[-1]
    for step, spoiled in enumerate(spread):
        said = lab.describe(case=1, step=step)
        assert ("back spoils 100% of the gradients" in said and "are too large alone" in said) == spoiled
