"""`experimental.optim`, metrics and losses; expected numbers are what the real MindSpore 2.10 gives."""

import numpy as np
import pytest

from labkit.mindspore import Parameter, Tensor, load_checkpoint, nn, save_checkpoint, train
from labkit.mindspore.experimental import optim

lrs = optim.lr_scheduler
GRADIENTS = np.random.RandomState(0).randn(4, 3).astype(np.float32)
METHODS = {
    ("Adagrad", "lr_decay=0.1 weight_decay=0.01"): [0.97751719, -2.0133634, 2.9838865],
    ("Adadelta", ""): [0.98861468, -2.001549, 2.9875143],
    ("NAdam", ""): [0.99174011, -2.0023153, 2.992156],
    ("Adamax", "weight_decay=0.1"): [0.98887748, -2.0031514, 2.9907157],
    ("RAdam", "lr=0.1"): [0.22329773, -2.3131368, 2.8280218],
    ("RMSprop", "centered=1 momentum=0.9"): [-0.56248307, -2.9725835, 2.0019264],
}  # fmt: skip


@pytest.mark.parametrize("name, options", METHODS, ids=[name for name, _ in METHODS])
def test_methods(name, options):
    p = Parameter(Tensor([1.0, -2.0, 3.0]), name="p")
    optimizer = getattr(optim, name)([p], **{k: float(v) for k, v in (o.split("=") for o in options.split())})
    for g in GRADIENTS:
        optimizer((Tensor(g),))
    for _ in range(8):
        optimizer((p * 0.1,))
    np.testing.assert_allclose(p.asnumpy(), METHODS[name, options], rtol=1e-5)


def test_a_checkpoint_of_an_optimizer_has_its_parameters_and_state(tmp_path):
    optimizer = optim.Adagrad([Parameter(Tensor([1.0]), name="p")])
    save_checkpoint(optimizer, str(tmp_path / "a.ckpt"))
    assert list(load_checkpoint(str(tmp_path / "a.ckpt"))) == ["p", "accum.p", "step_t"]


SCHEDULES = {
    "linear": (lambda o: lrs.LinearLR(o, 0.3, 0.9, 4), [0.03, 0.045, 0.06, 0.075, 0.09]),
    "polynomial": (lambda o: lrs.PolynomialLR(o, 4, 2.0), [0.1, 0.05625, 0.025, 0.006250001, 0.0]),
    "times": (lambda o: lrs.MultiplicativeLR(o, lambda epoch: 0.8), [0.1, 0.08000001, 0.064, 0.0512, 0.04096]),
    "bottom": (lambda o: lrs.CosineAnnealingLR(o, 3, 0.01), [0.1, 0.0775, 0.0325, 0.01, 0.0325]),
}  # fmt: skip


def rates(schedule, steps):
    found = [schedule.get_last_lr()[0].item()]
    for _ in range(steps):
        schedule.step()
        found.append(schedule.get_last_lr()[0].item())
    return found


@pytest.mark.parametrize("make, wanted", SCHEDULES.values(), ids=SCHEDULES)
def test_schedules(make, wanted):
    optimizer = optim.SGD([Parameter(Tensor([1.0]), name="p")], lr=0.1)
    assert rates(make(optimizer), 4) == pytest.approx(wanted[:5], rel=1e-5)


def test_one_schedule_after_the_other():
    o = optim.SGD([Parameter(Tensor([1.0]), name="p")], lr=0.1)
    schedule = lrs.SequentialLR(o, [lrs.ConstantLR(o, 0.1, 2), lrs.ExponentialLR(o, 0.9), lrs.StepLR(o, 2)], [2, 5])
    assert rates(schedule, 8) == pytest.approx([0.01, 0.01, 0.1, 0.09, 0.08099999, 0.1, 0.1, 0.01, 0.01], rel=1e-5)


def test_a_plateau_lowers_the_rate():
    o = optim.SGD([Parameter(Tensor([1.0]), name="p")], lr=0.1)
    schedule, found = lrs.ReduceLROnPlateau(o, factor=0.5, patience=0, min_lr=0.03), []
    for metric in [0.1, 0.2, 0.3, 0.05, 0.06, -0.2, -0.2, -0.1, -0.3]:
        schedule.step(metric)
        found.append(schedule.get_last_lr()[0].item())
    assert found == pytest.approx([0.1, 0.05, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03], rel=1e-5)


# ---- metrics and losses ----

SCORES, LABELS = np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), np.array([1, 0, 1])


@pytest.mark.parametrize("name, inputs, wanted", [
    ("ConfusionMatrix", (np.array([1, 0, 1, 0]), np.array([1, 0, 0, 1])), [[1, 1], [1, 1]]),
    ("Dice", (SCORES, np.array([[0, 1], [1, 0], [0, 1]])), 0.20467791371802546),
    ("Perplexity", (SCORES, LABELS), 2.231443166940565),
])  # fmt: skip
def test_metrics(name, inputs, wanted):
    metric = getattr(train, name)(*[2] * (name == "ConfusionMatrix"))
    metric.update(*map(Tensor, inputs))
    assert np.asarray(metric.eval()).tolist() == pytest.approx(wanted) if name != "ConfusionMatrix" else wanted


def test_the_curve_and_the_area_under_it():
    curve = train.ROC(pos_label=1)
    curve.update(Tensor(np.array([3, 1, 4, 2])), Tensor(np.array([0, 1, 2, 3])))
    false, true, thresholds = curve.eval()
    assert (true.tolist(), thresholds.tolist()) == ([0, 0, 0, 0, 1], [5, 4, 3, 2, 1])
    assert false.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1, 1]) and train.auc(false, true) == 0


def test_several_labels_count_by_example():
    metric = train.Precision("multilabel")
    metric.update(Tensor(np.array([[0, 1, 1], [1, 0, 1]])), Tensor(np.array([[0, 1, 0], [1, 1, 1]])))
    assert metric.eval().tolist() == [0.5, 1.0]


def test_losses_of_overlaps_and_roots():
    logits, labels = Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), Tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert nn.DiceLoss(smooth=1e-5)(logits, labels).item() == pytest.approx(0.38596618, rel=1e-6)
    assert nn.RMSELoss()(Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0, 2.0])).item() == pytest.approx(0.57735026)
