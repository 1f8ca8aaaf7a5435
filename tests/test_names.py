"""A name that a dialect does not have is answered with one sentence, and with the other framework's word where it is one."""

import importlib
import subprocess
import sys

import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.dialects.framework_hints import TO_MINDSPORE, TO_TORCH
from labkit.dialects.real_names import REAL, names

UNSUPPORTED = "labkit does not implement {}; it covers what teaches gradients and training. {} has it."


def raised(source):
    """The error that a line of code ends in."""
    with pytest.raises((AttributeError, ImportError, NotImplementedError)) as caught:
        exec(source, {"torch": torch, "ms": ms})
    return caught.value


@pytest.mark.parametrize("dialect", REAL)
def test_every_name_of_the_real_package_that_is_not_implemented_has_its_sentence(dialect):
    count = 0
    for place in (place for place in names(dialect) if not place.endswith(":")):
        try:
            module = importlib.import_module(f"labkit.{dialect}.{place}".rstrip("."))
        except ImportError:
            continue
        other = place.startswith("mint") or module.__name__ != f"labkit.{dialect}.{place}".rstrip(".")
        if other or not hasattr(module, "__getattr__"):  # another sentence, an alias, a package of labkit's own
            continue
        for name in [name for name in names(dialect)[place] if not hasattr(module, name)][::7]:
            full = ".".join(filter(None, (dialect, place, name)))
            with pytest.raises(AttributeError) as caught:
                getattr(module, name)
            assert str(caught.value) == UNSUPPORTED.format(full, REAL[dialect])
            count += 1
    assert count > 50


@pytest.mark.parametrize(
    "source, said",
    [
        ("torch.cdist", UNSUPPORTED.format("torch.cdist", "PyTorch")),
        ("import labkit.torch.fft as fft; fft.rfft", UNSUPPORTED.format("torch.fft.rfft", "PyTorch")),
        ("from labkit.torch.fft import rfft; rfft(1)", UNSUPPORTED.format("torch.fft.rfft", "PyTorch")),
        (
            "from labkit.torch.utils.tensorboard import SummaryWriter; SummaryWriter()",
            "labkit does not implement torch.utils.tensorboard.SummaryWriter;",
        ),
        (
            "from labkit.torch.linalg import det, eigvals; det(torch.eye(2)); eigvals(torch.eye(2))",
            "labkit does not implement torch.linalg.eigvals;",
        ),
        ("torch.ones(1).eig()", "labkit does not implement torch.Tensor.eig;"),
        ("ms.nn.SampledSoftmaxLoss", UNSUPPORTED.format("mindspore.nn.SampledSoftmaxLoss", "MindSpore")),
        ("torch.nn.Liner", "module 'torch.nn' has no attribute 'Liner'. Did you mean 'Linear'?"),
        ("import labkit.torch.symphony", "module 'torch' has no attribute 'symphony'."),
        ("from labkit.mindspore.nn import Rhythm", "cannot import name 'Rhythm' from 'labkit.mindspore.nn'"),
    ],
)
def test_the_sentence_says_whose_the_name_is(source, said):
    assert said in str(raised(source))


def test_an_attribute_that_is_missing_can_be_asked_for():
    assert (
        not hasattr(torch, "symphony")
        and not hasattr(torch.nn, "Transformer")
        and not hasattr(ms.Tensor(1.0), "numpyy")
    )


def test_dir_lists_what_is_loaded_when_it_is_first_used():
    code = "import labkit.mindspore as ms; print({'clip_by_value', 'GradOperation'} <= {*dir(ms.ops)}, 'nn' in dir(ms))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True True\n"


def test_the_lists_are_read_for_an_error_only():
    code = (
        "import labkit.mindspore as ms, labkit.torch; ms.grad(ms.nn.Dense(1, 1))(ms.ops.ones((1, 1)));"
        "from labkit.dialects.real_names import names; print(names.cache_info().currsize)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "0"


@pytest.mark.parametrize(
    "source, text, note",
    [
        ("ms.Tensor(1.0).detach()", "'Tensor' object has no attribute 'detach'", "ops.stop_gradient(x)"),
        ("ms.Tensor(1.0).backward()", "'Tensor' object has no attribute 'backward'", "ms.grad(fn, position)(x)"),
        (
            "ms.nn.Linear",
            "labkit does not implement mindspore.nn.Linear;",
            "for what PyTorch calls `Linear`: `nn.Dense`",
        ),
        ("ms.optim", "module 'mindspore' has no attribute 'optim'", "nn.SGD"),
        ("ms.nn.Dense(1, 1).parameters()", "The 'Dense' object has no attribute 'parameters'", "trainable_params"),
        ("ms.Tensor(1.0).harmonise", "'Tensor' object has no attribute 'harmonise'", None),
        (
            "ms.Tensor(1.0).retains_grad",
            "no attribute 'retains_grad'",
            "is a name of PyTorch, which MindSpore does not have",
        ),
        ("torch.ones(1).asnumpy()", "'Tensor' object has no attribute 'asnumpy'", "x.detach().numpy()"),
        ("torch.nn.Dense", "module 'torch.nn' has no attribute 'Dense'", "`nn.Linear`"),
        ("torch.value_and_grad", "module 'torch' has no attribute 'value_and_grad'", "loss.backward()"),
        ("torch.nn.Linear(1, 1).set_train()", "'Linear' object has no attribute 'set_train'", "net.train()"),
        ("torch.ones(1).no_such_word", "'Tensor' object has no attribute 'no_such_word'", None),
    ],
)
def test_a_word_of_the_other_framework_keeps_the_real_error_and_gets_a_note(source, text, note):
    error = raised(source)
    notes = getattr(error, "__notes__", [])
    assert text in str(error) and ((len(notes) == 1 and note in notes[0]) if note else not notes)


@pytest.mark.parametrize("hints, dialect, layers", [(TO_MINDSPORE, ms, ms.nn), (TO_TORCH, torch, torch.nn)])
def test_the_hints_are_about_words_that_the_dialect_does_not_have(hints, dialect, layers):
    net = layers.Dense(1, 1) if layers is ms.nn else layers.Linear(1, 1)
    places = (dialect.Tensor(1.0) if dialect is ms else dialect.ones(1), net, layers, dialect)
    assert [word for word in hints if all(hasattr(place, word) for place in places)] == []
