"""Data sinking, simulated: the same training with fewer meetings of host and device, and each of them counted."""

import threading

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.mindspore.dataset as ds
from labkit.mindspore import nn, train
from labkit.mindspore.train import counting
from labkit.mindspore.train.callback import LossMonitor

X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
Y = X @ np.array([[1.0], [2.0], [3.0]], np.float32)


@pytest.fixture
def device():
    """Sets the device and the mode; both are put back."""
    yield lambda target="Ascend", mode=ms.GRAPH_MODE: ms.set_context(device_target=target, mode=mode)
    ms.set_context(device_target="CPU", mode=ms.PYNATIVE_MODE)


def rows():
    return ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(2)  # ten batches


def model(metrics=None):
    net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
    return train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9), metrics=metrics)


def test_sinking_changes_the_meetings_not_the_weights(device):
    device()
    weights, counts = [], []
    for sink in (False, True):
        made = model()
        with counting() as count:
            made.train(3, rows(), dataset_sink_mode=sink)
        weights.append(made.predict_network.weight.asnumpy())
        counts.append(count)
    assert (weights[0] == weights[1]).all()
    assert [c.steps for c in counts] == [30, 30] and [c.round_trips for c in counts] == [30, 3]
    assert (counts[0].fed, counts[1].launched, counts[1].queued) == (30, 3, 30)
    assert counts[0].nbytes == counts[1].nbytes == 3 * (X.nbytes + Y.nbytes)


@pytest.mark.parametrize("sink_size", [1, 4, 10, 25])
def test_total_data_is_epochs_times_sink_size(device, sink_size):
    with pytest.warns(UserWarning, match="everything runs on the CPU"):
        device("GPU")
    with counting() as count:
        model().train(6, rows(), dataset_sink_mode=True, sink_size=sink_size)
    assert count.queued == 6 * sink_size and count.round_trips == 6


def test_the_next_epoch_goes_on_where_the_last_ended(device):
    device()
    sunk, plain = model(), model()
    sunk.train(5, rows(), dataset_sink_mode=True, sink_size=4)
    plain.train(2, rows())
    assert (sunk.predict_network.weight.asnumpy() == plain.predict_network.weight.asnumpy()).all()


def test_callbacks_see_the_last_step_of_each_launch(device, capsys):
    device()
    model().train(3, rows(), callbacks=[LossMonitor()], dataset_sink_mode=True, sink_size=4)
    lines = [line.split(",")[0] for line in capsys.readouterr().out.splitlines()]
    assert lines == ["epoch: 1 step: 4", "epoch: 2 step: 4", "epoch: 3 step: 4"]


def test_evaluation_sinks_too(device):
    device()
    made = model({"loss"})
    with counting() as count:
        sunk = made.eval(rows(), dataset_sink_mode=True)
    assert sunk == made.eval(rows()) and count.queued == 10
    with counting() as count:
        made.fit(2, rows(), rows(), dataset_sink_mode=True, valid_dataset_sink_mode=True)
    assert count.queued == 40 and count.fed == 0


def test_in_pynative_mode_every_step_comes_back(device):
    device(mode=ms.PYNATIVE_MODE)
    with counting() as count:
        model().train(2, rows(), dataset_sink_mode=True, sink_size=4)
    assert count.queued == 8 and count.round_trips == 8


def test_a_cpu_does_not_sink(device, capsys):
    """As in the real framework: `Model` trains without sinking, and counts steps by `sink_size`."""
    device("CPU")
    with counting() as count:
        model().train(1, rows(), callbacks=LossMonitor(), dataset_sink_mode=True, sink_size=5)
    assert count.queued == 0 and count.fed == 10
    assert [line[:16] for line in capsys.readouterr().out.splitlines()][4:6] == ["epoch: 1 step: 5", "epoch: 1 step: 1"]
    with pytest.raises(RuntimeError, match="not supported when the device target is CPU"):
        train.DatasetHelper(rows(), dataset_sink_mode=True)
    with pytest.raises(ValueError, match="Data sinking supports ascend or gpu device target, but device target is CPU"):
        ms.data_sink(print, rows())


def test_a_training_loop_of_ones_own(device):
    device()
    made = model()
    helper = ms.DatasetHelper(rows(), dataset_sink_mode=True, sink_size=4, epoch_num=3)
    network = ms.connect_network_with_dataset(made.train_network, helper)
    losses = []
    with counting() as count:
        for _ in range(3):
            for inputs in helper:
                assert inputs == ()
                losses.append(float(network(*inputs)))
    assert len(losses) == 3 and helper.sink_size() == 4
    assert (count.queued, count.round_trips) == (12, 3)
    assert helper.types_shapes() == ([ms.float32, ms.float32], [[2, 3], [2, 1]])


def test_a_helper_without_sinking():
    helper = train.DatasetHelper(rows(), dataset_sink_mode=False, epoch_num=2)
    with counting() as count:
        assert [len(list(helper)) for _ in range(2)] == [10, 10]
    assert count.fed == count.round_trips == 20 and helper.sink_size() == 1
    with pytest.raises(RuntimeError, match="should be called in dataset sink mode"):
        train.connect_network_with_dataset(nn.Dense(1, 1), helper)
    with pytest.raises(ValueError, match="must be -1 or positive, but got sink_size 0"):
        train.DatasetHelper(rows(), False, sink_size=0)


def test_a_channel_belongs_to_one_network(device):
    device()
    helper = train.DatasetHelper(rows(), dataset_sink_mode=True)
    train.connect_network_with_dataset(nn.Dense(3, 1), helper)
    with pytest.raises(ValueError, match="has been connected to other network"):
        train.connect_network_with_dataset(nn.Dense(3, 1), helper)


def test_a_function_that_takes_its_own_data(device):
    device()
    numbers = ds.NumpySlicesDataset(np.arange(5.0, dtype=np.float32), shuffle=False)
    with counting() as count:
        total = ms.data_sink(lambda x: x * 10, numbers, sink_size=3)
        assert [float(total()) for _ in range(3)] == [20.0, 0.0, 30.0]
    assert (count.launched, count.queued) == (3, 9)
    assert float(ms.data_sink(lambda x: x + 1, numbers, jit_config={})()) == 1.0
    with pytest.raises(ValueError, match="must be positive"):
        ms.data_sink(print, numbers, sink_size=0)


def test_counts_can_be_nested():
    helper = train.DatasetHelper(rows(), dataset_sink_mode=False, epoch_num=2)
    with counting() as outer:
        list(helper)
        with counting() as inner:
            list(helper)
    assert (outer.steps, inner.steps) == (20, 10)
    assert str(inner) == "10 steps, 10 round trips between host and device"


def test_every_thread_counts_for_itself():
    def other():
        list(train.DatasetHelper(rows(), dataset_sink_mode=False))

    with counting() as count:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert count.steps == 0


def test_a_count_ends_with_an_exception_too():
    with pytest.raises(KeyError), counting() as count:
        raise KeyError
    list(train.DatasetHelper(rows(), dataset_sink_mode=False))
    assert count.steps == 0
