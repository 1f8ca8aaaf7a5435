"""Cells that hold cells: in a chain, or in a list."""

from typing import Any, Self

from ...dialects.argument_types import of_kind, one_by_one
from .cell import Cell

__all__ = ["CellList", "SequentialCell"]


class SequentialCell(Cell):
    """Cells one after the other: each takes what the one before returned. Given separately, as a list, or named.

    >>> from labkit.mindspore import Tensor, nn
    >>> SequentialCell(nn.ReLU(), nn.Flatten())(Tensor([[1.0, -1.0]]))
    Tensor(shape=[1, 2], dtype=Float32, value=
    [[ 1.00000000e+00,  0.00000000e+00]])
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict):
            pairs = list(args[0].items())
        else:
            if len(args) == 1:
                text = "For '{owner}', the 'args[0]' must be Cell, list or orderedDict, but got {kind}"
                of_kind(args[0], (Cell, list, tuple), text, owner=self.cls_name)
            pairs = [(str(i), c) for i, c in enumerate(one_by_one(args))]
        for name, cell in pairs:
            _add(self, name, cell)

    def __getattr__(self, name):
        cells = vars(self).get("_cells", {})
        return cells[name] if name in cells else super().__getattr__(name)

    def append(self, cell) -> None:
        """Add a cell at the end."""
        _add(self, str(len(self)), cell, _before(self))

    def construct(self, input_data) -> Any:
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data

    def __len__(self):
        return len(self._cells)

    def __iter__(self):
        return iter(self._cells.values())

    def __getitem__(self, index):
        cells = list(self._cells.values())
        return type(self)(cells[index]) if isinstance(index, slice) else cells[_at(index, cells, self)]

    def __setitem__(self, index, cell):
        name = list(self._cells)[_at(index, list(self._cells), self)]
        _add(self, name, cell, _before(self))

    def __bool__(self):
        return len(self) > 0


class CellList(SequentialCell):
    """A list of cells, registered with their parameters; it is not called itself.

    Indexed, sliced and walked through like a list; raises TypeError for anything but cells.

    >>> import labkit.mindspore as ms
    >>> cells = ms.nn.CellList([ms.nn.Dense(2, 3), ms.nn.ReLU()])
    >>> len(cells), cells[0].weight.shape, len(cells.trainable_params())
    (2, (3, 2), 2)
    """

    def extend(self, cells) -> Self:
        """Add a list of cells at the end; returns it. Raises TypeError for anything but a list."""
        of_kind(
            cells, list, "For 'CellList', the new cells wanted to append should be instance of list, but got {kind}."
        )
        prefix = _before(self)
        for cell in cells:
            _add(self, str(len(self)), cell, prefix)
        return self

    __iadd__ = extend

    def insert(self, index, cell) -> None:
        """Put a cell before the one at `index`; those behind it are numbered again."""
        cells, prefix = list(self._cells.values()), _before(self)
        cells.insert(index, cell)
        self._cells.clear()
        self._cells.update((str(number), one) for number, one in enumerate(cells))
        for number in [number for number, one in self._cells.items() if one is cell]:
            _add(self, number, cell, prefix)

    def construct(self, *inputs) -> Any:
        raise NotImplementedError("CellList is a list of cells: call the cells in it, or use SequentialCell.")


def _before(owner):
    """The prefix of a cell's own name in the names of its parameters.

    Read off the names that there are, as MindSpore does: the last part of the first name that is its cell's, unless the second
    name has its cell's there, too. So a chain at place 0 of a list may be taken for the prefix.
    """
    named = [(key, p.name.split(".")) for key, cell in owner._cells.items() for p in [*cell.get_parameters()][:1]]
    if not named:
        return ""
    (key, parts), second = named[0], named[1:2]
    depth = 0
    for at in [at for at, part in enumerate(parts) if part == key]:
        depth = at
        if second and second[0][1][at : at + 1] == [second[0][0]]:
            break
    return "".join(part + "." for part in parts[:depth])


def _add(owner, name, cell, prefix=""):
    text = "For 'insert_child_to_cell', the argument 'child_cell' must be 'Cell' if not None, but got type {type}."
    of_kind(cell, Cell, text)
    if owner._auto_prefix:
        cell.update_parameters_name(f"{prefix}{name}.")
    owner._cells[name] = cell


def _at(index, cells, owner):
    if not isinstance(index, int):
        kind = type(index).__name__
        raise TypeError(f"For '{type(owner).__name__}', the type of 'index' must be int, but got {kind}.")
    if not -len(cells) <= index < len(cells):
        raise IndexError(
            f"For '{type(owner).__name__}', the value of 'index' must be a number in range "
            f"[{-len(cells)}, {len(cells)}), but got {index}."
        )
    return index % len(cells)
