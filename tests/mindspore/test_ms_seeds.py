"""From a seed come MindSpore's numbers: recorded ones here, and with the marker `real` those of a MindSpore that is asked.

`LABKIT_MINDSPORE_PYTHON=... pytest -m real -n0 tests/mindspore/test_ms_seeds.py` needs an interpreter with MindSpore.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import random_calls_ms as random_calls

import labkit.mindspore as ms
import labkit.mindspore.common.initializer as initializers
import labkit.mindspore.dataset as ds
from labkit.mindspore import nn, ops
from labkit.mindspore.common import seed as seeds

RECORDED = Path(__file__).parent / "recorded" / "draws.json"
ONES = ops.ones((40,))


@pytest.fixture(autouse=True)
def seeds_restored():
    state, before = np.random.get_state(), dict(vars(seeds._seeds))
    yield
    vars(seeds._seeds).update(before)
    np.random.set_state(state)


def differing(recorded, first):
    """The calls of programs from number `first` on whose result is not the recorded one."""
    found = random_calls.run(ms, initializers, ds, first, len(recorded))
    return [
        (number, line)
        for number, ours, theirs in zip(range(first, first + len(recorded)), found, recorded, strict=True)
        for line, a, b in zip(random_calls.program(number), ours, theirs, strict=True)
        if a != b
    ]


def test_every_way_to_draw_gives_the_recorded_numbers():
    assert differing(json.loads(RECORDED.read_text()), 0) == []


@pytest.mark.real
def test_every_way_to_draw_gives_mindspores_numbers(tmp_path):
    python = os.environ.get("LABKIT_MINDSPORE_PYTHON")
    if not python:
        pytest.skip("LABKIT_MINDSPORE_PYTHON names no interpreter with MindSpore")
    command = [python, random_calls.__file__, "10000", "200"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True
    )  # it leaves files where it runs
    assert differing(json.loads(done.stdout.splitlines()[-1]), 10_000) == []


def test_normal_ops_give_mindspores_numbers_but_for_the_last_digit():
    ms.set_seed(1)
    first, second = ops.randn(5).asnumpy(), ops.randn(5).asnumpy()
    np.testing.assert_array_almost_equal_nulp(
        first, np.array([0.22797997, -0.95994765, 0.53146225, 0.51047784, -0.820724], np.float32), 2
    )
    np.testing.assert_array_almost_equal_nulp(
        second, np.array([-1.0079329, -0.49381012, -0.19723839, 1.1559366, -0.5500507], np.float32), 2
    )


def test_a_compiled_function_goes_on_with_the_numbers_of_each_of_its_ops():
    ms.set_seed(6)
    eager = ops.rand(8).tolist()
    ms.set_seed(6)
    compiled = ms.jit(lambda: ops.rand(4))
    assert compiled().tolist() + compiled().tolist() == eager


def test_a_layer_keeps_numbers_for_every_size_apart():
    def masks(*inputs):
        ms.set_seed(6)
        layer = nn.Dropout(p=0.3).set_train()
        return [layer(x).tolist() for x in inputs]

    other = ops.ones((5, 9))
    first, second = masks(ONES, ONES)
    assert first != second and masks(ONES, other, ONES)[::2] == [first, second]


def test_leaving_nothing_out_still_takes_a_seed():
    ms.set_seed(6)
    ops.dropout(ONES, 0.3)
    second = ops.dropout(ONES, 0.3).tolist()
    ms.set_seed(6)
    ops.dropout(ONES, 0.0)
    ops.dropout(ONES, 0.3, training=False)
    assert ops.dropout(ONES, 0.3).tolist() == second


def test_a_multiple_of_the_modulus_stands_for_any_seed():
    def drawn():
        ms.set_seed(2**31 - 1)
        return ops.rand(4).tolist()

    assert drawn() != drawn()


def test_without_a_seed_nobody_foresees_the_numbers():
    seeds._seeds.seed, seeds._seeds.counts = None, {}
    assert ops.rand(4).tolist() != ops.rand(4).tolist()
    assert ops.rand(4, seed=3).tolist() != ops.rand(4, seed=3).tolist()
    seeds._seeds.counts = {}
    repeated = ops.rand(4, seed=3).tolist()
    seeds._seeds.counts = {}
    assert ops.rand(4, seed=3).tolist() == repeated
