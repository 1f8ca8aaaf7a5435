"""`torch.utils.benchmark`: how long a statement takes."""

import sys
import timeit
from statistics import mean, median
from typing import Any, NamedTuple

from ...dialects.unsupported import attributes

__all__ = ["Measurement", "Timer"]


class Measurement(NamedTuple):
    """What a `Timer` measured: the seconds of each measurement (`raw_times`), which ran the statement `number_per_run` times."""

    number_per_run: int
    raw_times: list[float]
    stmt: str

    @property
    def times(self) -> list[float]:
        """The seconds of one run, by measurement."""
        return [seconds / self.number_per_run for seconds in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of `times`."""
        return mean(self.times)

    @property
    def median(self) -> float:
        """The median of `times`."""
        return median(self.times)

    def __repr__(self):
        head = f"<torch.utils.benchmark.utils.common.Measurement object at {id(self):#x}>"
        figures = f"  {self.median * 1e6:.2f} us\n  1 measurement, {self.number_per_run} runs , 1 thread"
        return f"{head}\n{self.stmt}\n{figures}"


class Timer:
    """Measures a statement, given as text; `globals`: the names that it uses, besides `torch`.

    >>> import labkit.torch as torch
    >>> timer = torch.utils.benchmark.Timer("x * 2", globals={"x": torch.ones(2)})
    >>> len(timer.timeit(10).times)
    1
    """

    def __init__(self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", *, globals: Any = None,
                 label: Any = None, sub_label: Any = None, description: Any = None, num_threads: int = 1) -> None:  # fmt: skip
        names = {"torch": sys.modules[__name__.partition(".utils")[0]], **(globals or {})}
        self.stmt, self._timer = stmt, timeit.Timer(stmt, setup, globals=names)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One measurement of `number` runs."""
        return Measurement(number, [self._timer.timeit(number)], self.stmt)

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """One measurement of so many runs that they take 0.2 seconds or more."""
        number, seconds = self._timer.autorange()
        return Measurement(number, [seconds], self.stmt)


__getattr__ = attributes(__name__)
