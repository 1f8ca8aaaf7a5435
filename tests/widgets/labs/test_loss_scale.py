"""The loss-scale lab: gradients that really are in the format, shares that add up, a training that is the dialect's."""

from itertools import pairwise

import autograd.numpy as anp
import numpy as np
import pytest
from javascript import call

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import amp, nn
from labkit.precision import format_of, rounded, statistics
from labkit.widgets.kit.module import module
from labkit.widgets.labs.loss_scale import LossScaleLab
from labkit.widgets.labs.loss_scale.loss_scale import FORMATS, percent, two_to
from labkit.widgets.labs.loss_scale.run import FATES, Captured, Run, Sweep, outcome
from labkit.widgets.labs.loss_scale.training import digits_batches, digits_network, training

RNG = np.random.RandomState(0)
X, W1, W2 = RNG.randn(8, 5), RNG.randn(7, 5) * 0.3, RNG.randn(1, 7) * 0.3


@pytest.fixture(scope="module")
def lab():
    return LossScaleLab()


@pytest.fixture(scope="module")
def digits():
    return digits_network(), digits_batches(2)


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


# ---- gradients in a format ----


@pytest.mark.parametrize("power", [0, 12, 36, 38])
def test_float16_gradients_are_those_of_the_dialects_own_mixed_precision_bit_for_bit(digits, power):
    cell, batches = digits
    with_sens = ms.ops.GradOperation(get_by_list=True, sens_param=True)(
        cell, ms.ParameterTuple(cell.trainable_params())
    )
    real = with_sens(*batches[0], ms.Tensor(2.0**power, ms.float32))
    held = Run(cell, batches[0]).gradients("float16", 2.0**power)
    assert len(real) == len(held) == 6
    for expected, got in zip(real, held.values(), strict=True):
        np.testing.assert_array_equal(got, expected.asnumpy().astype(np.float64))


@pytest.mark.parametrize("of", FORMATS)
def test_every_gradient_is_a_number_of_the_format(digits, of):
    cell, batches = digits
    for gradient in Run(cell, batches[1]).gradients(of, 2.0**20).values():
        np.testing.assert_array_equal(gradient, rounded(gradient, of))


def test_float64_gradients_are_those_of_the_engine():
    graph = labkit.trace(plain)(W1, W2)
    found = Run(plain, [W1, W2]).gradients("float64", 4.0)
    for name in ("w1", "w2"):
        np.testing.assert_allclose(found[name], 4 * graph.gradients[name], rtol=1e-12)


def test_a_cotangent_that_vanishes_on_the_way_takes_gradients_with_it_that_would_fit():
    """d/dw of w (1, 1) through a tiny factor: the product with x = 2^14 fits in float16, the cotangent before does not."""
    run = Run(lambda w: (w @ np.full((1, 1), 2.0**14)).sum() * 2.0**-30, [np.ones((1, 1))])
    exact = run.gradients("float64")
    assert rounded(exact["w"], "float16").item() == 2.0**-16
    assert run.gradients("float16")["w"].item() == 0.0
    assert run.gradients("float16", 2.0**10)["w"].item() == 2.0**-6


def test_data_that_a_function_closes_over_are_held_for_a_product_too():
    run = Run(lambda w: (w @ np.full((1, 1), 1.0 + 2.0**-12)).sum(), [np.ones((1, 1))])
    assert run.gradients("float16")["w"].item() == 1.0 != run.gradients("float64")["w"].item()


def test_the_loss_after_the_last_product_stays_wide():
    """An intermediate loss of 10^6, and a scale of 2^20, do not fit in float16; the gradient does."""
    run = Run(lambda w: (w @ np.ones((1, 1))).sum() * 1e6 / 2.0**40, [np.ones((1, 1))])
    np.testing.assert_allclose(run.gradients("float16", 2.0**20)["w"], rounded(1e6 * 2.0**-20, "float16"))


def test_a_function_a_cell_and_a_module_give_the_same_gradients():
    cell, x = mindspore_net()
    module, y = torch_net()
    found = [Run(plain, [W1, W2]), Run(cell, [x]), Run(module, [y])]
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
    sweep = Sweep(Captured({"w": values}), [of])
    for power, found in enumerate(sweep.outcomes[of]):
        expected = statistics(values[7:]).shares(of, 2.0**power)
        for fate in FATES:
            assert found.share(fate) == pytest.approx(getattr(expected, fate), abs=1e-12)
        assert found.size == 500


def test_gradients_that_are_0_by_themselves_are_not_counted_as_flushed():
    found = outcome({"w": np.array([0.0, 1e-9, 1.0])}, {"w": np.array([0.0, 0.0, 1.0])}, "float16")
    assert found.size == 2 and found.share("flushed") == 0.5


def test_one_gradient_that_is_not_finite_makes_the_step_skipped_even_where_the_exact_one_is_0():
    found = outcome({"w": np.array([0.0, 1.0])}, {"w": np.array([np.nan, 1.0])}, "float16")
    assert not found.finite and found.size == 1 and found.count("overflowed") == 0


def test_safe_scales_are_those_without_overflow_and_with_hardly_anything_flushed(lab):
    sweep = lab.sweep
    for of in FORMATS:
        good = [i for i, o in enumerate(sweep.outcomes[of]) if o.share("flushed") <= 0.001 and o.finite]
        assert sweep.safe[of] == ((good[0], good[-1]) if good else None)
    assert sweep.outcomes["float16"][0].share("flushed") > 0.3 and sweep.outcomes["bfloat16"][0].share("flushed") == 0


def test_the_documents_example_is_2048_4096_6144_as_its_own_code_gives_and_overflows_past_65504():
    layer = nn.Dense(3, 1, has_bias=False)
    layer.weight.set_data(ms.Tensor([[2, 3, 4]], ms.float32))
    scaler, loss = amp.StaticLossScaler(1024.0), nn.MSELoss()
    scaled = ms.grad(lambda x, y: scaler.scale(loss(layer(x), y)), None, layer.trainable_params())
    (documented,) = scaled(ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor([[19]], ms.float32))
    lab = LossScaleLab(nn.WithLossCell(layer, loss), ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor([[19]], ms.float32))
    assert lab.sweep.held["float16"][10].tolist() == documented.asnumpy().ravel().tolist() == [2048, 4096, 6144]
    first = next(i for i, o in enumerate(lab.sweep.outcomes["float16"]) if not o.finite)
    assert 6 * 2**first > 65504 >= 6 * 2 ** (first - 1) and "all_finite is False" in lab.describe(power=first)


# ---- training ----


def test_a_skipped_step_leaves_the_weights_and_halves_the_scale_and_good_steps_are_counted_from_there():
    steps = training(amp.DynamicLossScaler(2.0**39, 2, 3))
    assert [s.event for s in steps[:2]] == ["skipped", "skipped"] and {s.event for s in steps} == {
        "skipped",
        "grown",
        "",
    }
    assert steps[0].after == steps[0].power - 1 == steps[1].power
    for before, step in pairwise(steps):
        assert step.good == (0 if step.overflowed else 1 if before.event else before.good + 1)
        assert (step.event == "grown") == (step.good == 3) and step.power == before.after


def test_without_a_scale_float16_does_not_learn_what_it_learns_with_one(lab):
    without = [step.loss for step in lab.without]
    assert without[-1] > 0.9 * without[0] and lab.trainings[24.0][-1].loss < 0.4 * without[0]
    assert without[0] == lab.trainings[0.0][0].loss


def test_the_run_leaves_the_users_network_as_it_was():
    for net, x in (mindspore_net(), torch_net()):
        before = {name: np.array(value) for name, value in Run(net, [x]).parameters.items()}
        LossScaleLab(net, x, formats=["float16"])
        for name, value in Run(net, [x]).parameters.items():
            np.testing.assert_array_equal(value, before[name])


# ---- what is said and shown ----


def test_the_sentence_has_the_share_of_what_is_flushed_and_of_what_overflows(lab):
    exact = lab.sweep.exact
    run, size = Run(digits_network(), digits_batches(1)[0]), sum(int(np.sum(g != 0)) for g in exact.values())
    for power in (0, 4, 37):
        held = run.gradients("float16", 2.0**power)
        flushed = sum(int(np.sum((g != 0) & (held[name] == 0))) for name, g in exact.items())
        over = sum(int(np.sum(~np.isfinite(g))) for g in held.values())
        words = lab.describe(power=power).replace("\n", " ")
        assert (f"{percent(flushed / size)} of the gradients become 0 in" in words) == bool(flushed and not over)
        assert (f"{percent(over / size)} of the gradients are too large" in words) == bool(over)


def test_what_an_inf_in_the_backward_pass_has_spoiled_is_not_said_to_be_too_large(lab):
    last = lab.sweep.outcomes["float16"][39]
    exact = np.concatenate([g.ravel() for g in lab.sweep.exact.values()])
    assert last.share("overflowed") == 1 and last.large == np.sum(np.abs(exact) * 2.0**39 > 65504) == 90
    assert last.size == lab.sweep.outcomes["float16"][0].size == np.count_nonzero(exact)
    assert "although only 90" in str(lab.describe(power=39)).replace("\n", " ") and "although" not in lab.describe(
        power=38
    )
    other = LossScaleLab(lambda w: (w * 2.0**-12) @ np.ones(2) * 2.0**-10, np.full(2, 0.5), formats=["float16"])
    assert "although no gradient is too large" in other.describe(power=30)


def test_each_position_has_a_sentence_of_its_own_and_the_page_has_all_of_them(lab):
    for of in FORMATS:
        said = lab.data["formats"][of]["said"]
        assert all(of in words or "all_finite" in words for words in said) and len(set(said)) == len(said)
        assert str(lab.describe(format=of, power=7)).replace("\n", " ").endswith(said[7])
    for one in lab.data["trainings"]:
        assert len(set(one["said"])) == len(lab.trainings[one["first"]]) == 48
        last = lab.describe(view="training", first=one["first"], step=40).replace("\n", " ")
        assert last.endswith(one["said"][40])


def test_the_questions_are_answered_by_what_comes_next(lab):
    for of, data in lab.data["formats"].items():
        lost = [o.share("flushed") + o.share("overflowed") for o in lab.sweep.outcomes[of]]
        safe, places = lab.sweep.safe[of], data["ask"]["places"]
        assert places == (
            list(range(safe[0], safe[1] + 1)) if safe else [i for i, n in enumerate(lost) if n == min(lost)]
        )
    for one in lab.data["trainings"]:
        steps = lab.trainings[one["first"]]
        assert one["asks"]
        for ask in one["asks"]:
            if "What is the loss scale" in ask["question"]:
                assert ask["answer"] == two_to(steps[ask["to"]].power) and ask["answer"] in ask["choices"]
            else:
                assert steps[ask["to"]].overflowed and ask["answer"] == "they stay as they are"
            assert all(value != ask["answer"] and value in ask["choices"] for value, _ in ask["slips"])


def test_of_gradients_that_no_scale_saves_the_least_loss_is_looked_for():
    lab = LossScaleLab(gradients={"w": [2.0**-30, 2.0**14, 2.0**15]}, formats=["float16"])
    assert lab.sweep.safe["float16"] is None and "fewest" in lab.data["formats"]["float16"]["ask"]["question"]


def in_page(expression, *given):
    """What the lab's own module answers."""
    script = module(LossScaleLab.path).replace("export default", "const lab =")
    return call(f"(...given) => {{ {script}\nreturn ({expression})(...given); }}", *given)


@pytest.mark.needs("node")
def test_the_page_writes_shares_and_powers_as_python_does_and_has_each_dot_in_its_column():
    shares = [0.0, 1.0, 0.0004, 0.473, 0.9996, 0.001, 0.9994]
    wanted = [percent(share).replace("under ", "<").replace("over ", ">") for share in shares]
    assert in_page("(all) => all.map(percent)", shares) == wanted
    assert in_page("(all) => all.map(twoTo)", [15, -3, 0.5]) == [two_to(15), two_to(-3), two_to(0.5)]
    xs = (400 + 25 * RNG.standard_normal(128)).tolist()
    columns = "(wide) => xs.map((x) => [Math.floor(x / wide), x])"
    r, found = in_page(f"(xs) => {{ const of = {columns}, r = radiusOf(of); return [r, piled(of(2.2 * r), r)]; }}", xs)
    assert [x for x, _ in found] == pytest.approx(xs) and max(up for _, up in found) <= 76
    assert len({(x // (2.2 * r), up) for x, up in found}) == len(xs)
    assert in_page("apart", [10, 20, 300], [30, 40, 50], 0, 320) == [15, 50, 295]
    path = "(all) => staircase(all, axis(0, 2, 0, 20), axis(0, 1, 10, 0), 1.5)"
    assert in_page(path, [1.0, 0.5]) == "M0.0 0.0L10.0 0.0L10.0 5.0L15.0 5.0"


# ---- your own, and what is refused ----


def test_a_function_with_parameters_from_outside_and_an_auxiliary_output():
    cell, x = mindspore_net()
    lab = LossScaleLab(lambda data: (cell(data), data), x, parameters=cell.trainable_params(), formats=["float16"])
    direct = LossScaleLab(cell, x, formats=["float16"])
    for a, b in zip(lab.sweep.exact.values(), direct.sweep.exact.values(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_network_that_already_computes_in_float16_keeps_its_own_division(digits):
    cell, batches = digits
    exact = Run(cell, batches[0]).gradients("float64")
    half = Run(cell, batches[0]).gradients("float16", 2.0**20)
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
        (lambda: LossScaleLab(lambda n: n * 2, 3), TypeError, "expected floating parameters.*inputs: n;"),
        (lambda: LossScaleLab(lambda: 2.0), TypeError, "inputs: none;"),
        (lambda: LossScaleLab(lambda w: None, 1.0), TypeError, "returned None"),
        (lambda: LossScaleLab(lambda w: w, "x"), TypeError, "expected a real number, an array or a tensor for 'w'"),
        (lambda: LossScaleLab(lambda w: w, 1.0, gradients={"w": 1.0}), TypeError, "but got both"),
        (lambda: LossScaleLab(gradients={"w": "x"}), TypeError, "expected an array or a tensor for 'w', but got str"),
        (lambda: LossScaleLab(gradients={}), ValueError, "all 0 gradients are 0"),
        (lambda: LossScaleLab(formats=["float12"]), ValueError, "float12"),
        (lambda: LossScaleLab(formats=[]), ValueError, "at least one format"),
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
    lab = LossScaleLab(lambda w: 2.0 * w, 1.0, formats=["float16"])
    assert lab.sweep.dots.tolist() == [2.0] and "<svg" in lab.svg("dark")
    for wrong in ({"power": 99}, {"format": "float32"}, {"view": "training"}, {"step": 1}):
        with pytest.raises(ValueError, match="expected"):
            lab.state = wrong
    assert lab.state == {"view": "gradients", "format": "float16", "power": 0, "first": 24.0, "step": 0}
