"""From a seed come PyTorch's numbers: recorded ones here, and with the marker `real` those of a PyTorch that is asked.

`LABKIT_TORCH_PYTHON=... pytest -m real -n0 tests/torch/test_seeds.py` needs an interpreter with PyTorch. Dropout agrees with
PyTorch on processors that are not Intel's; on those it leaves the choice to Intel's library.
"""

import json
import os
import subprocess
import warnings
from pathlib import Path

import pytest
import random_calls
import seeded_training

import labkit.torch as torch
from labkit.torch import nn

RECORDED = Path(__file__).parent / "recorded"


def differing(recorded, first):
    """The calls of programs from number `first` on whose result is not the recorded one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = random_calls.run(torch, first, len(recorded))
    return [
        (number, line)
        for number, ours, theirs in zip(range(first, first + len(recorded)), found, recorded, strict=True)
        for line, a, b in zip(random_calls.program(number), ours, theirs, strict=True)
        if a != b
    ]


def of_pytorch(script, *args):
    python = os.environ.get("LABKIT_TORCH_PYTHON")
    if not python:
        pytest.skip("LABKIT_TORCH_PYTHON names no interpreter with PyTorch")
    return subprocess.run([python, script, *args], capture_output=True, text=True, check=True).stdout


def test_the_first_numbers_of_every_tutorial():
    torch.manual_seed(0)
    assert repr(torch.rand(3)) == "tensor([0.4963, 0.7682, 0.0885])"
    torch.manual_seed(0)
    assert repr(torch.randn(3)) == "tensor([ 1.5410, -0.2934, -2.1788])"


def test_every_way_to_draw_gives_the_recorded_numbers():
    assert differing(json.loads((RECORDED / "draws.json").read_text()), 0) == []


def test_trainings_print_the_recorded_losses():
    assert seeded_training.lines(torch) == (RECORDED / "losses.txt").read_text().splitlines()


@pytest.mark.real
def test_every_way_to_draw_gives_pytorchs_numbers():
    for first in range(10_000, 13_000, 500):
        assert differing(json.loads(of_pytorch(random_calls.__file__, str(first), "500")), first) == []


@pytest.mark.real
def test_trainings_print_pytorchs_losses():
    assert seeded_training.lines(torch) == of_pytorch(seeded_training.__file__).splitlines()


def test_seeds_count_by_their_low_32_bits():
    numbers = {seed: torch.manual_seed(seed) and torch.rand(4).tolist() for seed in (5, 2**32 + 5, -1, 2**64 - 1)}
    assert numbers[5] == numbers[2**32 + 5] != numbers[-1] == numbers[2**64 - 1]
    assert torch.manual_seed(-1).initial_seed() == 2**64 - 1


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_beyond_64_bits_is_refused(seed):
    with pytest.raises(ValueError, match="expected a seed from"):
        torch.manual_seed(seed)


@pytest.mark.parametrize("seed", [1.5, "a", None, True])
def test_a_generator_takes_integers_only(seed):
    with pytest.raises(RuntimeError, match="expected a long, but got"):
        torch.Generator().manual_seed(seed)


def test_a_generator_draws_beside_the_common_one():
    torch.manual_seed(3)
    alone = torch.rand(4)
    torch.manual_seed(3)
    other = torch.Generator().manual_seed(3)
    assert torch.randn(5, generator=other).numel() == 5
    assert torch.equal(torch.rand(4), alone)


def test_a_saved_state_holds_the_second_of_a_pair_of_normal_numbers():
    torch.manual_seed(1)
    torch.randn(1)
    state = torch.get_rng_state()
    after = torch.randn(4), torch.rand(3)
    torch.set_rng_state(state)
    assert all(torch.equal(a, b) for a, b in zip(after, (torch.randn(4), torch.rand(3)), strict=True))
    other = torch.Generator().set_state(state)
    assert torch.equal(torch.randn(4, generator=other), after[0])


def test_a_state_must_be_one():
    for state, error in [
        (torch.zeros(5056), TypeError),
        (torch.zeros(5, dtype=torch.uint8), RuntimeError),
        (torch.zeros(5056, dtype=torch.uint8), RuntimeError),
    ]:
        with pytest.raises(error, match="state"):
            torch.set_rng_state(state)


def test_a_fork_leaves_no_trace():
    torch.manual_seed(1)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        torch.rand(100)
    forked = torch.rand(3)
    torch.manual_seed(1)
    assert torch.equal(forked, torch.rand(3))


def test_nothing_is_drawn_for_nothing():
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    torch.rand(0), torch.randn(3, 0), torch.randint(5, (0,)), torch.randperm(1), torch.zeros(0).normal_()
    x = torch.ones(5)
    nn.functional.dropout(x, 0.0), nn.functional.dropout(x, 0.5, training=False), nn.functional.dropout(x, 1.0)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    ("draw", "error", "words"),
    [
        (lambda: torch.rand(3, dtype=torch.int64), NotImplementedError, "not implemented for 'Long'"),
        (lambda: torch.zeros(3, dtype=torch.int64).normal_(), NotImplementedError, "normal_kernel_cpu"),
        (lambda: torch.zeros(3).uniform_(2, 1), RuntimeError, "found from=2 > to=1"),
        (lambda: torch.zeros(3).normal_(0, -1), RuntimeError, "found std -1"),
        (lambda: torch.randint(5, 5, (2,)), RuntimeError, "from=5 >= to=5"),
        (lambda: torch.randint(0, 300, (2,), dtype=torch.uint8), RuntimeError, "to - 1 is out of bounds"),
        (lambda: torch.randperm(-1), RuntimeError, "negative dimension"),
        (lambda: torch.normal(0.0, 1.0), TypeError, "size"),
        (lambda: torch.normal(torch.zeros(2), torch.tensor([-1.0, 1.0])), RuntimeError, "all elements of std"),
        (lambda: nn.Dropout(1.5), ValueError, "between 0 and 1"),
        (lambda: nn.functional.dropout(torch.zeros(3, dtype=torch.int64)), RuntimeError, "can't be cast"),
        (lambda: nn.init.xavier_uniform_(torch.zeros(3)), ValueError, "fewer than 2 dimensions"),
        (lambda: nn.init.calculate_gain("cube"), ValueError, "Unsupported nonlinearity cube"),
    ],
)
def test_what_cannot_be_drawn_says_so(draw, error, words):
    with pytest.raises(error, match=words):
        draw()


def test_numbers_do_not_depend_on_what_they_were_drawn_for():
    mean = torch.ones(3, requires_grad=True)
    torch.normal(mean, 1.0).sum().backward()
    assert mean.grad.tolist() == [0, 0, 0]


def test_dropout_in_place_changes_its_input():
    x = torch.ones(100)
    assert nn.functional.dropout(x, 0.5, inplace=True) is x
    assert set(x.tolist()) == {0.0, 2.0}
