"""A word of one framework that meets the other keeps the real error and gets the other word as a note."""

import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.ported import TO_MINDSPORE, TO_TORCH


def notes(ask):
    with pytest.raises(AttributeError) as caught:
        ask()
    return str(caught.value), getattr(caught.value, "__notes__", [])


@pytest.mark.parametrize(
    "ask, text, note",
    [
        (lambda: ms.Tensor(1.0).detach(), "'Tensor' object has no attribute 'detach'", "ops.stop_gradient(x)"),
        (lambda: ms.Tensor(1.0).backward(), "'Tensor' object has no attribute 'backward'", "ms.grad(fn, position)(x)"),
        (lambda: ms.nn.Linear, "module 'mindspore.nn' has no attribute 'Linear'", "`nn.Dense`"),
        (lambda: ms.optim, "module 'mindspore' has no attribute 'optim'", "nn.SGD"),
        (
            lambda: ms.nn.Dense(1, 1).parameters(),
            "The 'Dense' object has no attribute 'parameters'",
            "trainable_params",
        ),
        (lambda: ms.Tensor(1.0).harmonise, "'Tensor' object has no attribute 'harmonise'", None),
        (lambda: torch.ones(1).asnumpy(), "'Tensor' object has no attribute 'asnumpy'", "x.detach().numpy()"),
        (lambda: torch.nn.Dense, "module 'torch.nn' has no attribute 'Dense'", "`nn.Linear`"),
        (lambda: torch.value_and_grad, "module 'torch' has no attribute 'value_and_grad'", "loss.backward()"),
        (lambda: torch.nn.Linear(1, 1).set_train(), "'Linear' object has no attribute 'set_train'", "net.train()"),
        (lambda: torch.ones(1).no_such_word, "'Tensor' object has no attribute 'no_such_word'", None),
    ],
)
def test_the_real_text_comes_first_and_the_word_of_this_framework_beside_it(ask, text, note):
    said, beside = notes(ask)
    assert text in said
    assert (len(beside) == 1 and note in beside[0]) if note else not beside


def test_a_word_that_no_table_has_is_known_for_what_it_is():
    assert notes(lambda: ms.Tensor(1.0).retains_grad)[1] == [
        "`retains_grad` is PyTorch's word; MindSpore has another, or none"
    ]
    assert notes(lambda: ms.Tensor(1.0).ormqr)[1] == []  # it is MindSpore's, too
    assert notes(lambda: ms.nn.Linear)[1] == [
        "for what PyTorch calls `Linear`: `nn.Dense`"
    ]  # MindSpore has one as well
    assert notes(lambda: torch.ones(1).gather_elements)[1] == [
        "`gather_elements` is MindSpore's word; PyTorch has another, or none"
    ]


@pytest.mark.parametrize("table, room, layers", [(TO_MINDSPORE, ms, ms.nn), (TO_TORCH, torch, torch.nn)])
def test_the_tables_hold_words_that_are_the_others_alone(table, room, layers):
    """What a tensor has and a network has not, such as `grad`, may stand there; what both have may not."""
    net = layers.Dense(1, 1) if layers is ms.nn else layers.Linear(1, 1)
    places = (room.Tensor(1.0) if room is ms else room.ones(1), net, layers, room)
    assert [word for word in table if all(hasattr(place, word) for place in places)] == []
