"""The handwritten digits, and what is learnt from them."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.mindspore.dataset as ds
from labkit.data import digits
from labkit.mindspore import nn, train
from labkit.mindspore.dataset import transforms, vision


def test_what_is_there():
    found = digits()
    assert found.images.shape == (1797, 8, 8) and found.images.dtype == np.uint8
    assert found.images.min() == 0 and found.images.max() == 16
    assert sorted(set(found.labels.tolist())) == list(range(10))
    assert np.bincount(found.labels).min() >= 174


def test_the_parts_share_no_image_and_are_always_the_same():
    one, other = digits(), digits()
    assert (one.train.images == other.train.images).all() and (one.test.labels == other.test.labels).all()
    both = np.concatenate([one.train.images, one.test.images]).reshape(1797, -1)
    everything = one.images.reshape(1797, -1)
    assert sorted(map(bytes, both)) == sorted(map(bytes, everything))
    assert len(one.train.labels) == 1437 and np.bincount(one.test.labels).min() > 20


def test_what_is_returned_may_be_changed():
    digits().images[:] = 0
    assert digits().images.any()


def test_as_a_source_of_a_pipeline():
    source = ds.DigitsDataset("test", shuffle=False)
    row = next(source.create_dict_iterator(output_numpy=True))
    assert row["image"].shape == (8, 8, 1) and row["image"].dtype == np.uint8 and row["label"].dtype == np.uint32
    assert [ds.DigitsDataset(usage).get_dataset_size() for usage in ("train", "test", "all")] == [1437, 360, 1797]
    image, label = next(pipeline("test", 32).create_tuple_iterator())
    assert image.shape == (32, 1, 32, 32) and image.dtype == ms.float32 and label.dtype == ms.int32
    assert 0.9 < float(image.asnumpy().max()) <= 1 and image.asnumpy().min() == 0
    with pytest.raises(ValueError, match="Input usage"):
        ds.DigitsDataset("validation")


def pipeline(usage, batch, size=32):
    """Batches of images (1, size, size) from 0 to 1, those for training shuffled and whole."""
    steps = [vision.Resize((size, size)), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()]
    d = ds.DigitsDataset(usage, shuffle=usage == "train")
    d = d.map(transforms.TypeCast(ms.int32), "label").map(steps, "image")
    return d.batch(batch, drop_remainder=usage == "train")


class WeightedLoss(nn.Cell):
    """The cross-entropy times a weight, as if it were a small part of a larger loss."""

    def __init__(self, weight):
        super().__init__()
        self.loss, self.weight = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), weight

    def construct(self, logits, labels):
        return self.loss(logits, labels) * self.weight


def trained_small(seed, rate=0.1, weight=1.0, level="O0", scaled=False):
    """The accuracy of a network of two layers after five epochs; the arguments are those of `lenet`."""
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        ms.set_seed(seed)
        net = nn.SequentialCell(nn.Flatten(), nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
        manager = ms.amp.DynamicLossScaleManager(2.0**24, 2, 100) if scaled else None
        model = train.Model(net, WeightedLoss(weight), nn.Momentum(net.trainable_params(), rate / weight, 0.9),
                            metrics={"accuracy"}, amp_level=level, loss_scale_manager=manager)  # fmt: skip
        model.train(5, pipeline("train", 32, size=8))
        return model.eval(pipeline("test", 360, size=8))["accuracy"]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_small_network_learns_in_seconds():
    first = trained_small(1)
    assert first > 0.9 and trained_small(1) == first


def test_float16_needs_a_loss_scale_where_gradients_are_small():
    """With a loss weighted by 1e-7 the gradients of float16 underflow: nothing is learnt, and scaled it is."""
    assert trained_small(1, 0.1, 1e-7, "O2") < 0.3
    assert trained_small(1, 0.1, 1e-7, "O2", scaled=True) > 0.9


# ---- LeNet-5; run in a process of its own, in which one thread does the linear algebra, so that other work on the
# machine does not multiply its time ----


def alone(*call):
    """What a function of this file returns, run in a process of its own."""
    program = "import json, runpy, sys; names = runpy.run_path(sys.argv[1]); call = json.loads(sys.argv[2]); "
    program += "print(json.dumps(names[call[0]](*call[1:])))"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", program, __file__, json.dumps(call)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


class LeNet5(nn.Cell):
    """The network of the documents: 1 x 32 x 32 pixels, ten classes."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


def lenet(seed, epochs, rate=0.05, weight=1.0, level="O0", scaled=False):
    """`(accuracy after each epoch, checksum of the weights)` of LeNet-5, its learning rate falling as a cosine.

    The rate is divided by the weight of the loss, so that in exact arithmetic the weight changes nothing. `level`: of
    mixed precision; `scaled`: with a dynamic loss scale.
    """
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(seed)
    net, history = LeNet5(), train.History()
    rates = [rate / weight * 0.5 * (1 + np.cos(np.pi * (i // 44) / epochs)) for i in range(44 * epochs)]
    manager = ms.amp.DynamicLossScaleManager(2.0**24, 2, 100) if scaled else None
    model = train.Model(net, WeightedLoss(weight), nn.Momentum(net.trainable_params(), rates, 0.9),
                        metrics={"accuracy"}, amp_level=level, loss_scale_manager=manager)  # fmt: skip
    model.fit(epochs, pipeline("train", 32), pipeline("test", 360), callbacks=history)
    return history.history["accuracy"], float(sum(np.abs(p.asnumpy()).sum() for p in net.trainable_params()))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_lenet_reaches_97_percent(seed):
    """25 epochs of 44 steps; about ten seconds on a quiet core."""
    assert alone("lenet", seed, 25)[0][-1] >= 0.97


@pytest.mark.slow
def test_training_lenet_is_reproducible():
    assert alone("lenet", 1, 2) == alone("lenet", 1, 2)


@pytest.mark.slow
def test_so_does_lenet():
    """With a loss weighted by 1e-5 most gradients of float16 underflow: LeNet-5 learns nothing, and scaled it does.

    In float32 the weight makes no difference, and in float16 a weight of 1 needs no scale.
    """
    final = {}
    for weight, level, scaled in ((1e-5, "O0", False), (1e-5, "O2", False), (1e-5, "O2", True), (1.0, "O2", False)):
        final[weight, level, scaled] = alone("lenet", 1, 8, 0.03, weight, level, scaled)[0][-1]
    assert final[1e-5, "O2", False] < 0.3
    assert min(final[1e-5, "O2", True], final[1e-5, "O0", False], final[1.0, "O2", False]) > 0.9
