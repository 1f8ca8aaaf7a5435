"""What was saved comes back; whatever interrupts a save, the file is whole; the bytes are those of MindSpore."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.mindspore.dataset as ds
from labkit.mindspore import Tensor, nn, train
from labkit.mindspore.train.callback import CheckpointConfig, ModelCheckpoint
from labkit.mindspore.train.serialization import load_checkpoint, load_param_into_net, save_checkpoint

X = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)


def rows():
    return ds.NumpySlicesDataset((X, X[:, :1]), ["x", "y"], shuffle=False).batch(2)


def model(net=None):
    net = nn.Dense(3, 1) if net is None else net
    return train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9))


def saved(tmp_path, content, **options):
    path = str(tmp_path / "a.ckpt")
    save_checkpoint(content, path, **options)
    return path


# ---- there and back ----


def test_a_network_comes_back(tmp_path):
    net, other = nn.Dense(3, 2), nn.Dense(3, 2)
    assert load_param_into_net(other, load_checkpoint(saved(tmp_path, net))) == ([], [])
    assert (other.weight.asnumpy() == net.weight.asnumpy()).all()
    third = nn.Dense(3, 2)
    load_checkpoint(saved(tmp_path, net), third)
    assert (third.bias.asnumpy() == net.bias.asnumpy()).all()


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64, ms.int32, ms.uint8, ms.bool_, ms.bfloat16])
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0, 4)])
def test_every_type_and_shape(tmp_path, dtype, shape):
    value = Tensor(np.random.default_rng(0).integers(0, 2, shape), dtype)
    found = load_checkpoint(saved(tmp_path, [{"name": "v", "data": value}]))["v"]
    assert found.dtype == dtype and found.shape == shape and (found.asnumpy() == value.asnumpy()).all()


def test_things_besides_parameters(tmp_path):
    path = saved(tmp_path, nn.Dense(3, 1), append_dict={"epoch": 3, "lr": 0.5, "ok": True, "note": "né"})
    found = load_checkpoint(path)
    assert (int(found["epoch"]), float(found["lr"]), bool(found["ok"]), found["note"]) == (3, 0.5, True, "né")
    assert [str(found[name].dtype) for name in ("epoch", "lr", "ok")] == ["Int64", "Float32", "Bool"]


def test_choosing_names(tmp_path):
    path = saved(tmp_path, nn.Dense(3, 1))
    assert list(load_checkpoint(path, filter_prefix="w")) == ["bias"]
    assert list(load_checkpoint(path, specify_prefix=["w"])) == ["weight"]
    assert list(load_checkpoint(path, choice_func=lambda name: name == "bias")) == ["bias"]
    path = saved(tmp_path, nn.Dense(3, 1), choice_func=lambda name: name == "bias")
    assert list(load_checkpoint(path)) == ["bias"]


def test_names_that_differ_by_a_prefix(tmp_path):
    inner = nn.SequentialCell(nn.Dense(3, 1))  # 0.weight
    found = load_checkpoint(saved(tmp_path, inner))
    plain = nn.Dense(3, 1)
    assert load_param_into_net(plain, found)[0] == []
    assert (plain.weight.asnumpy() == inner[0].weight.asnumpy()).all()
    assert load_param_into_net(nn.Dense(3, 1), found, strict_load=True)[0] == ["weight", "bias"]


def test_the_bytes_are_those_of_mindspore(tmp_path):
    """The messages as MindSpore 2.10 writes them; then a checksum, which it accepts."""
    content = [{"name": "p", "data": Tensor([1.5], ms.float16)}, {"name": "i", "data": Tensor(3)}]
    assert Path(saved(tmp_path, content, append_dict={"s": "txt"})).read_bytes()[:-17] == (
        b"\n\x14\n\x01p\x12\x0f\x08\x01\x12\x07Float16\x1a\x02\x00>"
        b"\n\x16\n\x01i\x12\x11\x12\x05Int64\x1a\x08\x03\x00\x00\x00\x00\x00\x00\x00"
        b"\n\x1a\n\x01s\x12\x15\x08\x00\x12\x03str\x1a\x0ct\x00\x00\x00x\x00\x00\x00t\x00\x00\x00"
    )


def test_a_file_of_mindspore_without_a_checksum_is_read(tmp_path):
    path = tmp_path / "real.ckpt"
    path.write_bytes(b"\n\x19\n\x04bias\x12\x11\x08\x01\x12\x07Float32\x1a\x04\x00\x00\xc0?")
    assert load_checkpoint(str(path))["bias"].asnumpy().tolist() == [1.5]


def test_training_goes_on_where_it_stopped(tmp_path):
    """Four epochs at once, and two, a checkpoint, and two more, give the same weights: the optimizer's state is in it."""
    whole = model()
    first, second = (model(nn.Dense(3, 1, whole.predict_network.weight.value(), "zeros")) for _ in range(2))
    whole.predict_network.bias.set_data(Tensor(np.zeros(1, np.float32)))
    whole.train(4, rows())
    first.train(2, rows())
    load_checkpoint(saved(tmp_path, first.train_network), second.train_network)
    second.train(4, rows(), initial_epoch=2)
    assert (second.predict_network.weight.asnumpy() == whole.predict_network.weight.asnumpy()).all()


# ---- the callback ----


def test_how_often_and_how_many(tmp_path):
    callback = ModelCheckpoint("le", str(tmp_path), CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=3))
    model().train(3, rows(), callbacks=callback)
    assert sorted(os.listdir(tmp_path)) == ["le-2_4.ckpt", "le-3_2.ckpt", "le-3_4.ckpt"]
    assert callback.latest_ckpt_file_name == str(tmp_path / "le-3_4.ckpt")
    assert {"weight", "bias", "moments.weight"} <= set(load_checkpoint(callback.latest_ckpt_file_name))


def test_the_last_step_is_always_saved(tmp_path):
    model().train(1, rows(), callbacks=ModelCheckpoint("a", str(tmp_path), CheckpointConfig(save_checkpoint_steps=3)))
    assert sorted(os.listdir(tmp_path)) == ["a-1_3.ckpt", "a-1_4.ckpt"]


def test_another_training_does_not_overwrite(tmp_path):
    for _ in range(3):
        config = CheckpointConfig(save_checkpoint_steps=4, append_info=["epoch_num", {"seed": 7}])
        model().train(1, rows(), callbacks=ModelCheckpoint("a", str(tmp_path), config))
    assert sorted(os.listdir(tmp_path)) == ["a-1_4.ckpt", "a_1-1_4.ckpt", "a_2-1_4.ckpt"]
    found = load_checkpoint(str(tmp_path / "a_2-1_4.ckpt"))
    assert int(found["epoch_num"]) == 1 and int(found["seed"]) == 7


# ---- interruptions ----


def test_a_failing_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = saved(tmp_path, nn.Dense(3, 1))
    before = Path(path).read_bytes()

    def fails(handle):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="disk full"):
        save_checkpoint(nn.Dense(300, 10), path)
    assert Path(path).read_bytes() == before and os.listdir(tmp_path) == ["a.ckpt"]


_KILLED_WHILE_SAVING = """
import os, signal, sys, time
from itertools import pairwise
import numpy as np
from labkit.mindspore import Tensor, load_checkpoint, train

def save_for_ever(path, first):
    k = 0
    while True:
        train.save_checkpoint([{"name": f"p{i}", "data": Tensor(np.full(20000, k))} for i in range(10)], path)
        if k == 0:
            os.write(first, b".")
        k += 1

for moment in np.random.default_rng(0).uniform(0, 0.05, 8):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        save_for_ever(sys.argv[1], write)
    os.read(read, 1)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    values = [p.asnumpy() for p in load_checkpoint(sys.argv[1]).values()]
    print(len(values), all((a == b).all() and (a == a[0]).all() for a, b in pairwise(values)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks processes to kill them")
def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    command = [sys.executable, "-c", _KILLED_WHILE_SAVING, str(tmp_path / "k.ckpt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["10 True"] * 8, done.stderr


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b[:-1], lambda b: b[:40] + b"?" + b[41:],
                                    lambda b: b"hello", lambda b: b"\n\x05hello", lambda b: b[:-20]])  # fmt: skip
def test_a_damaged_file_is_an_error(tmp_path, damage):
    path = saved(tmp_path, nn.Dense(30, 10))
    Path(path).write_bytes(damage(Path(path).read_bytes()))
    with pytest.raises(ValueError, match=r"Failed to read the checkpoint file .*a\.ckpt\. The file may be corrupted"):
        load_checkpoint(path)


# ---- errors ----


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda p: save_checkpoint({"a": [1]}, p + "/y.ckpt"), TypeError, "expected tensors, parameters"),
        (lambda p: load_checkpoint(p + "/none.ckpt"), ValueError, "does not exist"),
        (lambda p: load_checkpoint(p + "/none"), ValueError, "format must same with 'format'"),
        (lambda p: load_param_into_net(3, {}), TypeError, "should be a Cell"),
        (lambda p: load_param_into_net(nn.Dense(2, 1), nn.Dense(3, 1).parameters_dict()), RuntimeError,
         r"But got its shape \(1, 2\) in the argument 'net' and shape \(1, 3\)"),
        (lambda p: load_param_into_net(nn.Dense(1, 1), {"weight": ms.Parameter(Tensor([[1]]))}), RuntimeError,
         "should have the same type"),
        (lambda p: CheckpointConfig(-1), ValueError, "must >= 0"),
    ],
)  # fmt: skip
def test_errors_are_those_of_the_real_framework(tmp_path, wrong, error, words):
    with pytest.raises(error, match=words):
        wrong(str(tmp_path))


def test_a_float_of_another_width_is_converted(tmp_path):
    net = nn.Dense(1, 1)
    load_param_into_net(net, {"weight": ms.Parameter(Tensor([[0.5]], ms.float16))})
    assert net.weight.dtype == ms.float32 and net.weight.asnumpy().item() == 0.5
