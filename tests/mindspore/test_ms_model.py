"""`Model` trains, evaluates and predicts; callbacks see every stage; metrics say what they are defined to say."""

import math

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.mindspore.dataset as ds
from labkit.mindspore import Tensor, nn, train
from labkit.mindspore.train.callback import LossMonitor, TimeMonitor

X = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
Y = X @ np.array([[1.0], [2.0], [3.0]], np.float32)


def network():
    return nn.Dense(3, 1, weight_init="ones", bias_init="zeros")


def rows(batch=2):
    return ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(batch)


def model(net=None, rate=0.05, metrics=None, **options):
    net = network() if net is None else net
    optimizer = nn.SGD(net.trainable_params(), rate)
    return train.Model(net, nn.MSELoss(), optimizer, metrics={"loss"} if metrics is None else metrics, **options)


class Squares(train.Metric):
    """The mean squared error."""

    def clear(self):
        self.total = self.count = 0

    def update(self, prediction, label):
        self.total += float(((prediction - label) ** 2).sum())
        self.count += len(label)

    def eval(self):
        return self.total / self.count


class Log(train.Callback):
    """Writes down what it is told, in `lines`."""

    def __init__(self, *wanted):
        self.wanted, self.lines = wanted, []

    def __getattribute__(self, name):
        if not name.startswith("on_"):
            return object.__getattribute__(self, name)
        known = lambda context: [context.original_args().get(w) for w in self.wanted]
        return lambda context: self.lines.append((name, *known(context)))


def calling(function, event):
    """A callback whose `event` is the function."""
    return type("Calling", (train.Callback,), {event: lambda self, run_context: function(run_context)})()


# ---- training ----


def test_training_is_the_steps_written_out(mode):
    """`Model.train` and a loop of gradient, update, gradient ... give the same weights."""
    made = model()
    made.train(2, rows())
    weight, bias = np.ones((1, 3), np.float32), np.zeros(1, np.float32)
    for _ in range(2):
        for x, y in rows().create_tuple_iterator(num_epochs=1, output_numpy=True):
            error = x @ weight.T + bias - y
            weight = weight - np.float32(0.05) * (2 / 2 * error.T @ x)
            bias = bias - np.float32(0.05) * (2 / 2 * error.sum(0))
    assert np.allclose(made.predict_network.weight.asnumpy(), weight, rtol=1e-5)
    assert np.allclose(made.predict_network.bias.asnumpy(), bias, rtol=1e-5)


def test_loss_monitor_prints_every_so_many_steps(mode, capsys):
    made = model()
    made.train(2, rows(4), callbacks=[LossMonitor()])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(", loss is ")[0] for line in lines] == [
        "epoch: 1 step: 1", "epoch: 1 step: 2", "epoch: 2 step: 1", "epoch: 2 step: 2",
    ]  # fmt: skip
    made.train(3, rows(2), callbacks=LossMonitor(3))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "epoch: 1 step: 3", "epoch: 2 step: 2", "epoch: 3 step: 1", "epoch: 3 step: 4",
    ]  # fmt: skip
    made.train(1, rows(), callbacks=LossMonitor(0))
    assert capsys.readouterr().out == ""


def test_a_loss_that_is_not_finite_ends_training():
    net = network()
    net.weight.set_data(Tensor([[math.inf, 1, 1]], ms.float32))
    with pytest.raises(ValueError, match="In epoch: 1 step: 1, loss is NAN or INF"):
        model(net).train(1, rows(), callbacks=LossMonitor())


def test_callbacks_see_every_stage():
    log = Log("cur_epoch_num", "cur_step_num", "mode")
    model().fit(1, rows(4), rows(8), callbacks=[log])
    assert log.lines == [
        ("on_train_begin", None, 0, "train"),
        ("on_train_epoch_begin", 1, 0, "train"),
        ("on_train_step_begin", 1, 1, "train"), ("on_train_step_end", 1, 1, "train"),
        ("on_train_step_begin", 1, 2, "train"), ("on_train_step_end", 1, 2, "train"),
        ("on_eval_begin", 1, 0, "eval"), ("on_eval_epoch_begin", 1, 0, "eval"),
        ("on_eval_step_begin", 1, 1, "eval"), ("on_eval_step_end", 1, 1, "eval"),
        ("on_eval_epoch_end", 1, 1, "eval"), ("on_eval_end", 1, 1, "eval"),
        ("on_train_epoch_end", 1, 2, "train"), ("on_train_end", 1, 2, "train"),
    ]  # fmt: skip


def test_older_names_of_stages():
    class Old(train.Callback):
        seen = 0

        def step_end(self, run_context):
            self.seen = run_context.original_args().cur_step_num

    old = Old()
    model().train(1, rows(), callbacks=old)
    assert old.seen == 4
    with pytest.raises(ValueError, match=r"For Old callback, \{'step_end'\} methods may not be supported"):
        model().fit(1, rows(), rows(), callbacks=old)


def test_a_callback_can_end_training():
    steps = []

    def stop(run_context):
        steps.append(run_context.original_args().cur_step_num)
        if len(steps) == 3:
            run_context.request_stop()

    model().train(5, rows(), callbacks=calling(stop, "on_train_step_end"))
    assert steps == [1, 2, 3]


def test_callbacks_are_left_when_training_fails():
    class Guard(train.Callback):
        left = False

        def __exit__(self, *error):
            self.left = True

        def on_train_step_end(self, run_context):
            raise KeyError("user's mistake")

    guard = Guard()
    with pytest.raises(KeyError, match="user's mistake"):
        model().train(1, rows(), callbacks=guard)
    assert guard.left


def test_training_can_go_on_from_an_epoch():
    log = Log("cur_epoch_num")
    model().train(5, rows(8), callbacks=log, initial_epoch=3)
    assert [line[1] for line in log.lines if line[0] == "on_train_epoch_begin"] == [4, 5]


# ---- evaluation ----


def test_fit_evaluates_while_training(capsys):
    made = model(metrics={"loss": nn.Loss(), "mse": Squares()})
    history, chosen = train.History(), []
    keep = lambda context: chosen.append(sorted(context.original_args().get("eval_results", {})))
    made.fit(3, rows(), rows(), callbacks=[history, LossMonitor(0), calling(keep, "on_train_epoch_end")])
    assert len(history.history["mse"]) == 3 and history.epoch == {"epoch": [1, 2, 3]}
    assert history.history["mse"][-1] == pytest.approx(made.eval(rows())["mse"], rel=1e-6)
    assert capsys.readouterr().out.count("Eval result: epoch ") == 3
    assert chosen == [["eval_loss", "loss", "mse"]] * 3


@pytest.mark.parametrize(("frequency", "epochs"), [(2, [2, 4]), ([1, 3], [1, 3])])
def test_how_often_fit_evaluates(frequency, epochs):
    log = Log("cur_epoch_num")
    model().fit(4, rows(), rows(), frequency, callbacks=log)
    assert [line[1] for line in log.lines if line[0] == "on_eval_begin"] == epochs


def test_eval_and_predict(mode):
    made = model(metrics={"loss": nn.Loss(), "mse": Squares()})
    found = made.eval(rows(3))
    error = X.sum(1, keepdims=True) - Y
    assert found["mse"] == pytest.approx(np.square(error).mean(), rel=1e-5)
    assert isinstance(found["loss"], np.float64) and repr(found["loss"]) == str(float(found["loss"]))
    assert np.allclose(made.predict(Tensor(X)).asnumpy(), X.sum(1, keepdims=True), atol=1e-6)


def test_evaluation_is_not_in_training_mode(mode):
    net = nn.SequentialCell(nn.Dense(3, 1), nn.Dropout(p=0.5))
    made = model(net)
    made.train(1, rows())
    assert net.training
    assert made.eval(rows()) == made.eval(rows()) and not net.training
    made.train(1, rows())
    assert net.training


def test_metrics_from_an_evaluation_network():
    class Both(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def construct(self, x, y):
            return self.net(x), y

    net = network()
    made = train.Model(net, metrics={"mse": Squares()}, eval_network=Both(net))
    assert made.eval(rows())["mse"] == pytest.approx(np.square(X.sum(1, keepdims=True) - Y).mean(), rel=1e-5)


def test_without_a_loss_the_output_is_the_loss():
    class Whole(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = network()

        def construct(self, x, y):
            return ((self.net(x) - y) ** 2).mean()

    whole = Whole()
    train.Model(whole, optimizer=nn.SGD(whole.trainable_params(), 0.05)).train(2, rows())
    made = model()
    made.train(2, rows())
    assert np.allclose(whole.net.weight.asnumpy(), made.predict_network.weight.asnumpy(), rtol=1e-5)


def test_a_scaled_loss_gives_the_same_weights():
    plain, scaled = model(rate=0.05), model(loss_scale_manager=ms.amp.DynamicLossScaleManager(2**10, 2, 5))
    plain.train(3, rows())
    scaled.train(3, rows())
    weights = [m.predict_network.weight.asnumpy() for m in (plain, scaled)]
    assert np.allclose(*weights, rtol=1e-5)


# ---- callbacks of labkit ----


def test_time_monitor(capsys):
    model().train(1, rows(), callbacks=TimeMonitor())
    model().fit(1, rows(), rows(), callbacks=TimeMonitor(data_time=True))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" epoch time")[0] for line in lines] == ["Train", "Eval", "Train"]
    assert "per step time" in lines[0] and "(data time: " in lines[2]


# ---- metrics ----


def test_accuracy_is_the_share_of_right_answers():
    scores = Tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
    metric = nn.Accuracy()
    for labels in (Tensor([1, 0, 0]), Tensor([[0, 1], [1, 0], [1, 0]])):
        metric.clear()
        metric.update(scores, labels)
        assert metric.eval() == pytest.approx(2 / 3)
    metric.update(scores[:2], Tensor([0, 1]))
    assert metric.eval() == pytest.approx(2 / 5)
    metric.clear()
    with pytest.raises(RuntimeError, match="number of samples is 0"):
        metric.eval()
    assert nn.Accuracy("multilabel")(np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]])) == 0.5


# ---- errors ----


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda: train.Model(3), TypeError, "should be 'Cell', but got type 'int'"),
        (lambda: train.Model(network(), metrics={"loss"}), ValueError, "If `metrics` is set, `eval_network` must not"),
        (lambda: model(metrics={"foo"}), KeyError, "unsupported metric foo"),
        (lambda: model(foo=3), ValueError, "but got 'foo'"),
        (lambda: model(metrics=set()).eval(rows()), ValueError, "'metrics' can not be None or empty"),
        (lambda: model().train(0, rows()), ValueError, "must be int and must > 0, but got '0'"),
        (lambda: model().train(1.5, rows()), TypeError, "must be int, but got 'float'"),
        (lambda: model().train(1, rows(), sink_size=0), ValueError, "'sink_size' must be -1 or positive, but got 0"),
        (lambda: model().train(1, rows(), callbacks=3), TypeError, "must be Callback functions"),
        (lambda: model().train(1, rows(), initial_epoch=1), ValueError, "'initial_epoch' is 1"),
        (lambda: model().train(1, ds.NumpySlicesDataset([1.0]).batch(2, True)), ValueError, "no valid data in dataset"),
        (lambda: model().train(1, ds.NumpySlicesDataset(X).batch(2)), ValueError, "should return two elements, but got 1"),
        (lambda: model().predict(X), TypeError, "but got type ndarray"),
        (lambda: LossMonitor(-1), ValueError, "must >= 0"),
        (lambda: nn.Accuracy("x"), TypeError, "must be in"),
        (lambda: nn.Accuracy().update(np.zeros(2), np.zeros(2)), ValueError, "add 1, but got y_pred dimension: 1"),
        (lambda: nn.Accuracy().update(np.zeros((2, 2))), ValueError, "needs 2 inputs"),
        (lambda: nn.Loss().update(Tensor([[1.0]])), ValueError, "must be 1, but got 2"),
    ],
)  # fmt: skip
def test_errors_are_those_of_the_real_framework(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()
