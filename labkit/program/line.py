"""The lines of a program: an op each."""

from dataclasses import dataclass, field
from typing import Any

from .nodes import Op


@dataclass(eq=False, slots=True)
class Line:
    """One op of a program, `name = fun(*args, **kwargs)`; an argument is another line or a constant.

    `node` is the recorded node it comes from; `number` its line in the source, counted from 1.
    """

    node: Op
    fun: Any
    args: tuple
    kwargs: dict
    value: Any = field(repr=False)
    name: str = ""
    number: int = 0

    @property
    def parents(self) -> list["Line"]:
        return [a for a in self.args if type(a) is Line]
