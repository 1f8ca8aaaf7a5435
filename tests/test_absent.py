"""What the real packages have and labkit has not is said, by name, wherever it is asked for."""

import importlib
import inspect
import sys

import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.absent import REAL, coverage, is_module, names, rooms
from labkit.cli import main


@pytest.mark.parametrize("dialect", REAL)
def test_no_name_of_the_real_package_is_refused_without_a_sentence(dialect):
    """Each third name of every module that labkit has a file for; of these, each fiftieth is imported, too."""
    count = 0
    for place in rooms(dialect):
        module = importlib.import_module(f"labkit.{dialect}.{place}".rstrip("."))
        assert hasattr(module, "__getattr__"), f"{module.__name__}: add __getattr__ = attributes(__name__)"
        for name in coverage(dialect, place)[1][::3]:
            try:
                getattr(module, name)
            except AttributeError as error:
                count += 1
                assert f"has no attribute '{name}' in labkit, as it has in {REAL[dialect]}." in str(error)
                if count % 50 == 0:
                    with pytest.raises(ImportError, match=f"cannot import name '{name}' from .* as it has in"):
                        exec(f"from {module.__name__} import {name}")
    assert count > 200


@pytest.mark.parametrize("dialect", REAL)
def test_every_module_of_the_real_package_can_be_imported_and_says_what_it_lacks(dialect):
    for place in names(dialect):
        if is_module(dialect, place):
            module = importlib.import_module(f"labkit.{dialect}.{place}".rstrip("."))
            if inspect.getattr_static(type(module), "function", None) is None and not hasattr(module, "__getattr__"):
                continue
            with pytest.raises(AttributeError, match=r"no attribute 'SummaryWriter'"):
                module.SummaryWriter  # noqa: B018


@pytest.mark.parametrize(
    "line, said",
    [
        (
            "torch.nn.Liner",
            r"module 'torch\.nn' has no attribute 'Liner', in PyTorch neither\. Did you mean 'Linear'\?",
        ),
        ("torch.masked.softmax", r"There is `torch\.softmax`"),
        ("torch.linalg.eigvals", r"linear algebra: .* `labkit covers torch.linalg`"),
        ("torch.ones(1).eig()", r"'Tensor' object has no attribute 'eig' in labkit, as it has in PyTorch"),
        ("torch.export.Dim", "Nothing is compiled"),
        ("from labkit.torch.utils.tensorboard import SummaryWriter", "labkit.show"),
        ("from labkit.torch.linalg import norm, eigvals", "cannot import name 'eigvals'"),
        ("import labkit.torch.distributed as dist; dist.all_to_all([], [])", "There is one process"),
        ("import labkit.torch.symphony", "no attribute 'symphony', in PyTorch neither"),
        ("ms.mint.sin", r"There is `mindspore\.ops\.sin`"),
        (
            "from labkit.mindspore.nn import SampledSoftmaxLoss",
            "cannot import name 'SampledSoftmaxLoss' .* as it has in MindSpore",
        ),
        ("ms.Tensor(1.0).ormqr()", "as it has in MindSpore"),
        ("torch.nn.Linear(1, 1).to_empty()", "'Linear' object has no attribute 'to_empty' in labkit"),
        ("torch.optim.Muon", "`labkit covers torch.optim` lists"),
        ("torch.nn.utils.parametrize.transfer_parametrizations_and_params", "computed from others in `forward`"),
        ("torch.nn.utils.parametrizations.spectral_norm", r"There is `torch\.nn\.utils\.spectral_norm`"),
    ],
)
def test_the_sentence_says_whose_the_name_is_and_what_there_is(line, said):
    with pytest.raises((AttributeError, ImportError), match=said):
        exec(line, {"torch": torch, "ms": ms})


def test_what_is_imported_and_only_switched_does_no_harm(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", True)
    assert torch.backends.cudnn.benchmark and not hasattr(torch, "symphony") and not hasattr(torch.nn, "symphony")


def test_the_command_counts_and_lists_what_the_dialects_have(capsys):
    assert main(["covers"]) == 0
    table = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[1:])
    had, lacked = coverage("torch", "linalg")
    assert table["torch.linalg"].split() == [str(len(had)), str(len(had) + len(lacked))]
    assert main(["covers", "torch.linalg"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"labkit has: {', '.join(had)}" in " ".join(lines) and any("svd" in line for line in lines[3:])
    assert all(hasattr(torch.linalg, name) for name in had) and not any(hasattr(torch.linalg, name) for name in lacked)
    assert main(["covers", "torch.Tensor"]) == 0 and main(["covers", "torch.jit"]) == 0
    assert main(["covers", "torch.symphony"]) == main(["covers", "jax"]) == 2


def test_a_library_is_told_where_it_uses_what_it_imports(tmp_path, monkeypatch):
    (tmp_path / "of_others.py").write_text(
        "from labkit.torch.fft import fft, rfft\nfrom labkit.torch.cuda import Stream\n"
        "def plain(x):\n    return x * 2 if not isinstance(x, Stream) else None\n"
        "def turned(x):\n    return fft(x)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    of_others = importlib.import_module("of_others")
    assert of_others.plain(3) == 6
    with pytest.raises(NotImplementedError, match="There are no complex numbers"):
        of_others.turned(torch.ones(2))
    (tmp_path / "wrong.py").write_text("from labkit.torch.fft import fourier\n")
    with pytest.raises(ImportError, match="in PyTorch neither"):
        importlib.import_module("wrong")
    for room, name in ((torch.fft, "fft"), (torch.fft, "rfft"), (torch.cuda, "Stream")):
        delattr(room, name)
        del sys.modules[f"{room.__name__}.{name}"]
