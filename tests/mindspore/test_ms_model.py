"""`Model` trains, evaluates and predicts; callbacks see every stage; metrics say what they are defined to say."""

import math
import sys

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.mindspore.dataset as ds
from labkit.mindspore import Tensor, nn, train
from labkit.mindspore.train.callback import LossMonitor, TimeMonitor

X = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
Y = X @ np.array([[1.0], [2.0], [3.0]], np.float32)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def network():
    return nn.Dense(3, 1, weight_init="ones", bias_init="zeros")


def rows(batch=2):
    return ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(batch)


def model(net=None, rate=0.05, metrics=None, **options):
    net = network() if net is None else net
    optimizer = nn.SGD(net.trainable_params(), rate)
    return train.Model(net, nn.MSELoss(), optimizer, metrics={"mse"} if metrics is None else metrics, **options)


class Log(train.Callback):
    """Writes down what it is told, in `lines`."""

    def __init__(self, *wanted):
        self.wanted, self.lines = wanted, []

    def __getattribute__(self, name):
        if not name.startswith("on_"):
            return object.__getattribute__(self, name)
        known = lambda context: [context.original_args().get(w) for w in self.wanted]
        return lambda context: self.lines.append((name, *known(context)))


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

    model().train(5, rows(), callbacks=train.LambdaCallback(on_train_step_end=stop))
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
    made = model(metrics={"mse", "loss"})
    history, chosen = train.History(), []
    keep = lambda context: chosen.append(sorted(context.original_args().get("eval_results", {})))
    made.fit(3, rows(), rows(), callbacks=[history, LossMonitor(0), train.LambdaCallback(on_train_epoch_end=keep)])
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
    made = model(metrics={"mse", "mae", "loss"})
    found = made.eval(rows(3))
    error = X.sum(1, keepdims=True) - Y
    assert found["mse"] == pytest.approx(np.square(error).mean(), rel=1e-5)
    assert found["mae"] == pytest.approx(np.abs(error).mean(), rel=1e-5)
    assert all(isinstance(value, np.float64) and repr(value) == str(float(value)) for value in found.values())
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
            return y, self.net(x)

    net = network()
    made = train.Model(net, metrics={"mse": nn.MSE().set_indexes([1, 0])}, eval_network=Both(net))
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


def test_early_stopping_goes_back_to_the_best_epoch(capsys):
    net = network()
    made = model(net, rate=5.0)  # diverges
    stop = train.EarlyStopping("mse", patience=1, verbose=True, restore_best_weights=True)
    history = train.History()
    made.fit(9, rows(), rows(), callbacks=[history, stop])
    assert len(history.history["mse"]) == 2 and "Epoch 00002: early stopping" in capsys.readouterr().out
    assert made.eval(rows())["mse"] == pytest.approx(history.history["mse"][0], rel=1e-5)


def test_early_stopping_waits_while_it_gets_better():
    log = Log()
    model().fit(4, rows(), rows(), callbacks=[log, train.EarlyStopping("mse", patience=1)])
    assert sum(line[0] == "on_train_epoch_end" for line in log.lines) == 4


def test_progress_bars_can_be_switched_off(capsys, monkeypatch):
    model().train(1, rows(), callbacks=train.ProgressBar(show=False))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # as if it were not installed
    model().train(1, rows(), callbacks=train.ProgressBar())
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("epoch 1: loss=")


def test_progress_bars_show_the_loss(capsys):
    pytest.importorskip("tqdm")
    model().train(1, rows(), callbacks=train.ProgressBar())
    out, err = capsys.readouterr()
    assert out == "" and "epoch 1" in err and "4/4" in err and "loss=" in err


# ---- metrics ----


def test_metrics_of_classes():
    scores, labels = Tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), Tensor([1, 0, 0])
    values = {}
    for name in ("accuracy", "precision", "recall", "F1"):
        metric = train.get_metric_fn(name)
        metric.update(scores, labels)
        values[name] = metric.eval()
    assert values["accuracy"] == pytest.approx(2 / 3)
    assert values["precision"].tolist() == [1, 0.5] and values["recall"].tolist() == [0.5, 1]
    assert np.allclose(values["F1"], 2 / 3)
    one_hot = nn.Accuracy()
    one_hot.update(scores, Tensor([[0, 1], [1, 0], [1, 0]]))
    assert one_hot.eval() == pytest.approx(2 / 3)


def test_top_k_and_multilabel():
    metric = nn.TopKCategoricalAccuracy(2)
    metric.update(Tensor([[0.1, 0.9, 0.5], [0.8, 0.2, 0.1], [0.3, 0.7, 0.2]]), Tensor([2, 1, 2]))
    assert metric.eval() == pytest.approx(2 / 3)
    metric = nn.Accuracy("multilabel")
    metric.update(np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]]))
    assert metric.eval() == 0.5


def test_metrics_add_up_over_batches():
    whole, parts = nn.Recall(), nn.Recall()
    scores, labels = np.random.default_rng(0).random((12, 3)), np.arange(12) % 3
    whole.update(scores, labels)
    for k in range(0, 12, 4):
        parts.update(scores[k : k + 4], labels[k : k + 4])
    assert np.allclose(whole.eval(), parts.eval())
    parts.clear()
    with pytest.raises(RuntimeError, match="number of samples is 0"):
        parts.eval()


# ---- errors ----


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda: train.Model(3), TypeError, "should be 'Cell', but got type 'int'"),
        (lambda: train.Model(network(), metrics={"mse"}), ValueError, "If `metrics` is set, `eval_network` must not"),
        (lambda: model(metrics={"foo"}), KeyError, "unsupported metric foo"),
        (lambda: model(metrics=["mse"]), TypeError, "must be None, dict or set"),
        (lambda: model(metrics={"m": 3}), TypeError, "value in 'metrics' must be Metric"),
        (lambda: model(foo=3), ValueError, "but got 'foo'"),
        (lambda: model(metrics=set()).eval(rows()), ValueError, "'metrics' can not be None or empty"),
        (lambda: model().train(0, rows()), ValueError, "must be int and must > 0, but got '0'"),
        (lambda: model().train(1.5, rows()), TypeError, "must be int, but got 'float'"),
        (lambda: model().train(1, rows(), sink_size=0), ValueError, "'sink_size' must be -1 or positive, but got 0"),
        (lambda: model().train(1, rows(), callbacks=3), TypeError, "must be Callback functions"),
        (lambda: model().train(1, rows(), initial_epoch=1), ValueError, "'initial_epoch' is 1"),
        (lambda: model().train(1, ds.NumpySlicesDataset([1.0]).batch(2, True)), ValueError, "no valid data in dataset"),
        (lambda: model().train(1, rows().project(["x"])), ValueError, "should return two elements, but got 1"),
        (lambda: model().predict(X), TypeError, "but got type ndarray"),
        (lambda: LossMonitor(-1), ValueError, "must >= 0"),
        (lambda: train.EarlyStopping(mode="up"), ValueError, "mode should be 'auto', 'min' or 'max', but got up"),
        (lambda: train.LambdaCallback(on_monday=print), TypeError, "on_monday"),
        (lambda: nn.Accuracy("x"), TypeError, "must be in"),
        (lambda: nn.Accuracy().update(np.zeros(2), np.zeros(2)), ValueError, "add 1, but got y_pred dimension: 1"),
        (lambda: nn.Accuracy().update(np.zeros((2, 2))), ValueError, "needs 2 inputs"),
        (lambda: nn.Loss().update(Tensor([[1.0]])), ValueError, "must be 1, but got 2"),
        (lambda: nn.TopKCategoricalAccuracy(0), ValueError, "at least 1"),
        (lambda: nn.Fbeta(0), ValueError, "greater than 0"),
    ],
)  # fmt: skip
def test_errors_are_those_of_the_real_framework(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


# ---- the learning rate, and metrics of one's own ----


def trained(rate=0.1):
    x, y = np.arange(8, dtype=np.float32).reshape(4, 2) / 8, np.float32([[0], [1], [0], [1]])
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    optimizer = nn.SGD(net.trainable_params(), rate)
    batches = lambda: ms.dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(2)
    return train.Model(net, nn.MSELoss(), optimizer, metrics={"mse"}), optimizer, batches


def test_the_rate_falls_where_a_value_no_longer_gets_better(capsys):
    lower = train.ReduceLROnPlateau("mse", factor=0.5, patience=1, verbose=True, mode="max", cooldown=1, min_lr=0.03)
    fitted, optimizer, batches = trained()
    fitted.fit(6, batches(), batches(), callbacks=[lower])
    assert capsys.readouterr().out.splitlines() == [  # what the real framework prints
        "Epoch 00002: ReduceLROnPlateau reducing learning rate to 0.05.",
        "Epoch 00003: ReduceLROnPlateau reducing learning rate to 0.03.",
    ]
    assert str(optimizer.learning_rate.asnumpy()) == "0.03" and lower.best == pytest.approx(0.28996246)
    moving, _, batches = trained(nn.ExponentialDecayLR(0.1, 0.5, 2))
    with pytest.raises(ValueError, match="ReduceLROnPlateau does not support dynamic learning rate"):
        moving.fit(1, batches(), batches(), callbacks=[lower])
    with pytest.raises(ValueError, match="must be in range of"):
        train.ReduceLROnPlateau(factor=1.5)


def test_a_function_sets_the_rate_after_each_step():
    seen, (model, optimizer, batches) = [], trained()
    halved = train.LearningRateScheduler(lambda lr, step: seen.append((lr, step)) or lr * 0.5)
    model.train(2, batches(), callbacks=[halved])
    assert seen == [(0.1, 1), (0.05, 2), (0.025, 3), (0.0125, 4)]
    assert str(optimizer.learning_rate.asnumpy()) == "0.00625"


class Difference(train.Metric):
    def clear(self):
        self.total = 0.0

    def update(self, *inputs):
        self.total += float(inputs[0].sum()) - float(inputs[1].sum())

    def eval(self):
        return self.total


class Rearranged(Difference):
    update = train.rearrange_inputs(Difference.update)


def test_indexes_choose_inputs_where_update_is_decorated():
    pair = ms.Tensor([1.0, 2.0]), ms.Tensor([10.0])
    assert Difference().set_indexes([1, 0])(*pair) == -7.0
    assert Rearranged().set_indexes([1, 0])(*pair) == 7.0
    with pytest.raises(TypeError, match="eval_type"):
        train.Precision("several")
