"""`torch.save` and `torch.load`, in PyTorch's own format: what one has saved, the other loads.

A file is an archive: a pickle, in which tensors are places in storages, and the bytes of each storage. What is read is
taken from a list of names that are known to do no harm, unless `weights_only=False` allows all that can be imported.
"""

import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from io import BytesIO
from typing import Any, TypeAlias

import numpy as np

from ..dialects.class_paths import real_home
from ..dialects.unsupported import attributes
from ._error_texts import error, said
from ._tensor.attributes import Size
from ._tensor.device import device
from ._tensor.dtype import DTYPES, dtype
from ._tensor.tensor import Tensor
from .nn.parameter import Parameter

__all__ = ["load", "save"]

MAP_LOCATION: TypeAlias = Callable[[Any, str], Any] | device | str | dict[str, str] | None

NO_ARCHIVE = (
    "torch.load: expected an archive of torch.save (PyTorch 1.6 or newer), but the file has another format or is "
    "truncated; save it again with a newer PyTorch"
)


class _Named:
    """A name of the real package in a pickle."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        raise NotImplementedError


class _Storage:
    """The bytes that tensors share, in one file of the archive."""

    def __init__(self, array, key):
        self.array, self.key = array, key


REBUILD, PARAMETER, SIZE, DEVICE = (_Named("torch._utils", "_rebuild_tensor_v2"),
    _Named("torch._utils", "_rebuild_parameter"), _Named("torch", "Size"), _Named("torch", "device"))  # fmt: skip


# ---- out ----


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True) -> None:
    """Write `obj`, tensors and what Python can pickle around them, to `f`: a path, or a file opened for writing.

    Tensors that share memory do so when they are loaded. Raises RuntimeError where there is no such folder, AttributeError
    where `f` is neither.

    >>> import io
    >>> import labkit.torch as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2), "epoch": 3}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.]), 'epoch': 3}
    """
    if isinstance(f, (str, os.PathLike)):
        folder = os.path.dirname(os.path.abspath(f))
        if not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {os.path.dirname(f)} does not exist.")
    elif not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    written = BytesIO()
    pickler = _Pickler(written, protocol=2)
    pickler.dump(obj)
    with zipfile.ZipFile(f, "w") as archive:
        archive.writestr("archive/data.pkl", written.getvalue())
        archive.writestr("archive/byteorder", "little")
        for storage in pickler.storages.values():
            array = storage.array
            archive.writestr(f"archive/data/{storage.key}", array.astype(array.dtype.newbyteorder("<")).tobytes())
        archive.writestr("archive/version", "3\n")


_Slow: Any = pickle._Pickler  # type: ignore[attr-defined]  # the one in Python, to which a new kind of name can be told


class _Pickler(_Slow):
    """Writes names of the real package for our tensors, dtypes, sizes and devices."""

    dispatch = dict(_Slow.dispatch)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.storages: dict[int, _Storage] = {}

    def _save_named(self, named):
        self.write(pickle.GLOBAL + f"{named.module}\n{named.name}\n".encode())
        self.memoize(named)

    def _save_dtype(self, kind):
        self._save_named(_Named("torch", kind.name))

    dispatch[_Named], dispatch[dtype] = _save_named, _save_dtype

    def persistent_id(self, obj):
        if not isinstance(obj, _Storage):
            return None
        kind = next(d for d in DTYPES.values() if d.np == obj.array.dtype)
        return "storage", _Named("torch", f"{kind.legacy}Storage"), obj.key, "cpu", obj.array.size

    def reducer_override(self, obj):
        if isinstance(obj, Parameter):
            return PARAMETER, (obj.detach(), obj.requires_grad, OrderedDict())
        if isinstance(obj, Tensor):
            storage, offset, strides = self._placed(obj._array)
            shape = tuple(obj.shape)
            return REBUILD, (storage, offset, shape, strides, obj.requires_grad, OrderedDict())
        if isinstance(obj, Size):
            return SIZE, (tuple(obj),)
        return (DEVICE, (str(obj),)) if isinstance(obj, device) else NotImplemented

    def _placed(self, array):
        """The storage of an array, where in it the array begins, and the strides, in elements."""
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        steps = [stride % array.itemsize for stride in array.strides]
        if (
            owner.dtype != array.dtype
            or not owner.flags.c_contiguous
            or any(steps)
            or min(array.strides, default=0) < 0
        ):
            owner = array = np.array(array)
        begin = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        if id(owner) not in self.storages:
            self.storages[id(owner)] = _Storage(owner.reshape(-1), str(len(self.storages)))
        strides = tuple(stride // array.itemsize for stride in array.strides)
        return self.storages[id(owner)], begin // array.itemsize, strides


# ---- in ----


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args) -> Any:
    """What `save` wrote to `f`, a path or a file opened for reading; files of PyTorch are read likewise.

    `weights_only=True`, the default, takes tensors, numbers, texts and containers of them; whatever else it finds is an
    UnpicklingError. False imports what the file names: only for files that you trust.
    `map_location`: all is on the CPU; a file that was saved on a GPU needs `"cpu"` here, as in PyTorch, else RuntimeError.
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "seek"):
        raise error("not_seekable", kind=type(f).__name__)
    with open(f, "rb") if isinstance(f, (str, os.PathLike)) else nullcontext(f) as file:
        if not zipfile.is_zipfile(file):
            file.seek(0)
            raise pickle.UnpicklingError(f"{NO_ARCHIVE}.") if file.read(1) else EOFError("Ran out of input")
        with zipfile.ZipFile(file) as archive:
            return _Unpickler(archive, map_location, weights_only is not False).load()


class _Unpickler(pickle.Unpickler):
    def __init__(self, archive, map_location, careful):
        name = next(n for n in archive.namelist() if n.endswith("/data.pkl"))
        self.archive, self.folder = archive, name.removesuffix("data.pkl")
        self.map_location, self.careful, self.storages = map_location, careful, {}
        order = f"{self.folder}byteorder"
        self.order = ">" if order in archive.namelist() and archive.read(order) == b"big" else "<"
        super().__init__(BytesIO(archive.read(name)), encoding="utf-8")

    def persistent_load(self, pid):
        _, kind, key, _, count = pid
        if key not in self.storages:
            raw = np.frombuffer(self.archive.read(f"{self.folder}data/{key}"), kind.np.newbyteorder(self.order), count)
            self.storages[key] = raw.astype(kind.np)
        return self.storages[key]

    def find_class(self, module, name):
        full = f"{module}.{name}".replace("__builtin__", "builtins")
        if full in _KNOWN:
            return _KNOWN[full]
        if self.careful:
            home = real_home(module, name)
            full = f"{home}.{name}" if home else full
            raise pickle.UnpicklingError(said("unsupported_global", name=full))
        if module.partition(".")[0] == "torch":
            return getattr(import_module(f"labkit.{module}"), name)
        return super().find_class(module, name)


def _tensor(storage, offset, size, stride, requires_grad, *more):
    strides = [step * storage.itemsize for step in stride]
    array = np.ndarray(size, storage.dtype, storage, offset * storage.itemsize, strides)
    made = Tensor._of(array if array.size else np.empty(size, storage.dtype))
    made._requires = requires_grad
    return made


_KNOWN = {"torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_parameter": lambda data, requires_grad, hooks: Parameter(data, requires_grad),
    "torch.Size": Size, "torch.device": device, "collections.OrderedDict": OrderedDict,
    "_codecs.encode": lambda text, encoding: text.encode(encoding), "builtins.set": set, "builtins.complex": complex,
    "builtins.bytearray": bytearray, **{f"torch.{name}": kind for name, kind in DTYPES.items()},
    **{f"torch.{kind.legacy}Storage": kind for kind in DTYPES.values()}}  # fmt: skip


__getattr__ = attributes(__name__)
