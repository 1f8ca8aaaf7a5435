"""Checkpoints: the parameters of a network in a file, and back.

A file is written next to its place, forced to the disk, and only then given its name, in one step. So whenever the
process or the machine stops, the name refers to a whole file: the new one, or the one before.
"""

import os
import threading
from typing import Any

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.unsupported import attributes
from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from ..nn.cell import Cell
from .checkpoint_format import decoded, encoded

__all__ = ["load_checkpoint", "load_param_into_net", "save_checkpoint"]
_NOT_SAVED = "For 'save_checkpoint', expected tensors, parameters, numbers and strings to be saved, but got {kind}."


def save_checkpoint(save_obj, ckpt_file_name, integrated_save=True, async_save=False, append_dict=None,
                    choice_func=None, **options) -> None:  # fmt: skip
    """Write the parameters of a cell, a list of parameters (or of `{"name":, "data":}`) or a dictionary to a file.

    The name gets the ending `.ckpt` if it has none. `append_dict`: numbers, strings, tensors to be saved too. `choice_func`: the
    names to save. When this returns the file is on the disk; MindSpore can read it.
    """
    path = os.path.realpath(ckpt_file_name)
    path = path if path.endswith("ckpt") else path + ".ckpt"
    entries = {**_entries(save_obj), **(append_dict or {})}
    chosen = {name: _stored_form(value) for name, value in entries.items() if choice_func is None or choice_func(name)}
    write_whole(path, encoded(chosen))


def _entries(save_obj):
    """`{name: value}` of what is to be saved."""
    if isinstance(save_obj, Cell):
        return {p.name: p for p in save_obj.get_parameters()}
    if isinstance(save_obj, dict):
        return save_obj
    return {p.name: p for p in save_obj if isinstance(p, Parameter)} | {
        d["name"]: d["data"] for d in save_obj if isinstance(d, dict)
    }


def _stored_form(value):
    """A value as the file holds it: an array, or a string. Python's floats are stored as float32."""
    if isinstance(value, Tensor):
        return value.asnumpy()
    if isinstance(value, (str, np.ndarray)):
        return value
    if isinstance(value, (bool, int, float)):
        return np.asarray(value, {bool: np.bool_, int: np.int64}.get(type(value), np.float32))
    raise TypeError(_NOT_SAVED.format(kind=type(value)))


def write_whole(path, content):
    """Write a file that is there entirely or not at all, whatever interrupts it."""
    beside = f"{path}.{os.getpid()}-{threading.get_ident()}.tmp"
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise
    _sync_folder(os.path.dirname(path))


def _sync_folder(folder):
    """Force the folder's new entry to the disk, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def load_checkpoint(ckpt_file_name, net=None, strict_load=False, filter_prefix=None, specify_prefix=None,
                    choice_func=None, **options) -> dict[str, Any]:  # fmt: skip
    """`{name: Parameter}` from a file, which may be one of MindSpore; strings stay strings. Also into `net`, if given.

    `filter_prefix` leaves names out, `specify_prefix` chooses, each a string or several; `choice_func(name)` too.
    Raises ValueError for a file that is missing, damaged or no checkpoint.
    """
    found = {}
    for name, value in _decoded_file(_path_to_read(ckpt_file_name)).items():
        if _is_chosen(name, filter_prefix, specify_prefix, choice_func):
            found[name] = value if isinstance(value, str) else Parameter(wrap(value), name=name)
    if not found:
        raise ValueError(
            "The loaded parameter dict is empty after filter or specify, please check whether "
            "'filter_prefix' or 'specify_prefix' are set correctly."
        )
    if net is not None:
        load_param_into_net(net, found, strict_load)
    return found


def _path_to_read(name):
    if not name.endswith("ckpt"):
        raise ValueError(
            "For 'load_checkpoint', the checkpoint file format must same with 'format', "
            f"but got file_name:'{name}', format:'ckpt'"
        )
    path = os.path.realpath(name)
    if not os.path.exists(path):
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file: {path} does not exist, please check "
            "whether the 'ckpt_file_name' is correct."
        )
    return path


def _decoded_file(path):
    with open(path, "rb") as file:
        content = file.read()
    try:
        return decoded(content)
    except ValueError as error:
        raise ValueError(
            f"Failed to read the checkpoint file {path}. The file may be corrupted, and the content cannot be parsed. "
            f"({error})"
        ) from error


def _is_chosen(name, left_out, chosen, choice_func):
    left_out, chosen = (tuple([p] if isinstance(p, str) else p or ()) for p in (left_out, chosen))
    if left_out or chosen or choice_func is None:
        return not name.startswith(left_out) and (not chosen or name.startswith(chosen))
    return choice_func(name)


def load_param_into_net(net, parameter_dict, strict_load=False, remove_redundancy=False) -> tuple[list[str], list[str]]:
    """Give the parameters of a cell the values of `{name: Parameter}`; returns `(not loaded, not used)`, two lists of names.

    Names that differ by a prefix common to all are matched, unless `strict_load`; then types must be the same too.
    Raises RuntimeError for another shape, or a type of another kind.
    """
    of_kind(net, Cell, "For 'load_param_into_net', the argument 'net' should be a Cell, but got {type}.")
    missing, unused = [], list(parameter_dict)
    for parameter in net.get_parameters():
        if parameter.name in parameter_dict:
            _load(parameter, parameter_dict[parameter.name], strict_load)
            unused.remove(parameter.name)
        else:
            missing.append(parameter)
    if missing and not strict_load:
        missing = _loaded_under_prefix(missing, parameter_dict)
    return [p.name for p in missing], unused


def _loaded_under_prefix(missing, values):
    """Load those parameters whose name is in `values` after a prefix; returns the others."""
    ends = ((name, p) for p in missing for name in values if name.endswith(p.name))
    prefix = next((name.removesuffix(p.name) for name, p in ends), None)
    found = [p for p in missing if prefix is not None and prefix + p.name in values]
    for parameter in found:
        _load(parameter, values[prefix + parameter.name], False)
    return [p for p in missing if not any(p is f for f in found)]


_KINDS = ({mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16},
          {mstype.int8, mstype.int16, mstype.int32, mstype.int64})  # fmt: skip


def _load(parameter, new, strict):
    name, types = parameter.name, {parameter.dtype, new.dtype}
    if parameter.shape != new.shape:
        raise RuntimeError(
            f"For 'load_param_into_net', {name} in the argument 'net' should have the same shape "
            f"as {name} in the argument 'parameter_dict'. But got its shape {parameter.shape} in"
            f" the argument 'net' and shape {new.shape} in the argument 'parameter_dict'."
            f"May you need to check whether the checkpoint you loaded is correct or the batch size and "
            f"so on in the 'net' and 'parameter_dict' are same."
        )
    if len(types) > 1 and (strict or not any(types <= kind for kind in _KINDS)):
        raise RuntimeError(
            f"For 'load_param_into_net', {name} in the argument 'net' should have the same type as "
            f"{name} in the argument 'parameter_dict'. but got its type {parameter.dtype} in the "
            f"argument 'net' and type {new.dtype} in the argument 'parameter_dict'."
            f"May you need to check whether the checkpoint you loaded is correct."
        )
    parameter.set_data(new)


__getattr__ = attributes(__name__)
