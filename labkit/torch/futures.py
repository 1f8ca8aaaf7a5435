"""`torch.futures`: values that come later; here whoever sets one is the same thread."""

from collections.abc import Callable
from types import GenericAlias
from typing import Any

from ..aliases import attributes
from ..layout import Placed

__all__ = ["Future", "collect_all", "wait_all"]


class Future(metaclass=Placed):
    """A value that is set once; `then` and `add_done_callback` are called with the future when it is there.

    >>> future = Future()
    >>> later = future.then(lambda f: f.wait() + 1)
    >>> future.set_result(2)
    >>> later.wait(), future.done()
    (3, True)
    """

    def __init__(self, *, devices=None):
        self._callbacks: list[Callable] = []
        self._values: list[Any] = []
        self._error: Exception | None = None

    def done(self) -> bool:
        """Whether it is there."""
        return bool(self._values) or self._error is not None

    def wait(self) -> Any:
        """The value. Raises what was set as an exception, and RuntimeError where nobody will set a value."""
        if self._error is not None:
            raise self._error
        if not self._values:
            raise RuntimeError("nobody sets this future while it is waited for: there is one thread")
        return self._values[0]

    value = wait
    __class_getitem__: Any = classmethod(GenericAlias)

    def then(self, callback) -> "Future":
        """A future of `callback(self)`."""
        later = Future()
        self.add_done_callback(lambda future: later.set_result(callback(future)))
        return later

    def add_done_callback(self, callback) -> None:
        """Call `callback(self)` when the value is there."""
        if self.done():
            callback(self)
        else:
            self._callbacks.append(callback)

    def set_result(self, result) -> None:
        """Set the value. Raises RuntimeError for a second one."""
        if self.done():
            raise RuntimeError("Future can only be marked completed once")
        self._values.append(result)
        self._call()

    def set_exception(self, result) -> None:
        """Let `wait` raise it."""
        self._error = result
        self._call()

    def _call(self):
        for callback in self._callbacks:
            callback(self)


def collect_all(futures) -> Future:
    """A future of the list of futures, when all are there."""
    whole, left = Future(), [f for f in futures if not f.done()]

    def one_is_there(future):
        left.remove(future)
        if not left:
            whole.set_result(futures)

    for future in list(left):
        future.add_done_callback(one_is_there)
    if not whole.done() and not left:
        whole.set_result(futures)
    return whole


def wait_all(futures) -> list:
    """The values of all."""
    return [future.wait() for future in futures]


__getattr__ = attributes(__name__)
