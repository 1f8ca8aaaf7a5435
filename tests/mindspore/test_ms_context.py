"""Settings, seeds and initial values."""

import threading

import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor, ops
from labkit.mindspore.common import initializer as init


def test_the_mode_is_kept():
    assert (ms.GRAPH_MODE, ms.PYNATIVE_MODE, ms.get_context("mode")) == (0, 1, 1)
    ms.context.set_context(mode=ms.context.GRAPH_MODE, device_target="CPU")
    assert ms.get_context("mode") == 0
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_another_thread_sets_its_own():
    seen = []

    def work():
        ms.set_context(mode=ms.GRAPH_MODE)
        seen.append(ms.get_context("mode"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (seen, ms.get_context("mode")) == ([0], 1)


def test_a_device_that_is_not_here_is_kept_and_a_warning_says_where_it_runs():
    with pytest.warns(UserWarning, match='device_target="GPU" is stored.* runs on the CPU') as warned:
        ms.set_context(device_target="GPU")
    assert ms.get_context("device_target") == "GPU" and warned[0].filename == __file__
    ms.set_context(device_target="CPU")


@pytest.mark.parametrize(
    "use, message",
    [
        (lambda: ms.set_context(mode=5), "the argument 'mode' should be context.GRAPH_MODE"),
        (lambda: ms.set_context(foo=1), "the keyword argument foo is not recognized!"),
        (lambda: ms.get_context("foo"), "the argument foo is not recognized!"),
        (lambda: ms.set_context(device_target="TPU"), "the argument 'device_target' must be one of"),
        (lambda: ms.set_seed(-1), "the 'seed' must be int and must >= 0, but got '-1'"),
    ],
)
def test_unknown_settings_are_refused(use, message):
    with pytest.raises(ValueError, match=message):
        use()


def test_a_seed_repeats_random_tensors():
    def draw():
        ms.set_seed(3)
        return ops.randn(2, 2).tolist(), ops.rand(3).tolist()

    assert draw() == draw()
    assert ms.get_seed() == 3


def test_initial_values_by_name_number_or_tensor():
    assert init.initializer("ones", [2]).tolist() == [1.0, 1.0]
    assert init.initializer(0.5, [2]).tolist() == [0.5, 0.5]
    assert init.initializer(Tensor([1, 2]), [2]).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="the class corresponding to 'foo' was not found"):
        init.initializer("foo", [2])
    with pytest.raises(ValueError, match="fewer than 2 dimensions, but got dimensions 1"):
        init.initializer("he_uniform", [2])
