"""`torch.utils._contextlib`: context managers that decorate functions, too."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Self

from ...aliases import attributes

__all__: list[str] = []


class _DecoratorContextManager:
    """A base for context managers: as a decorator, each call of the function enters a clone.

    >>> class shouting(_DecoratorContextManager):
    ...     def __enter__(self):
    ...         print("in")
    ...     def __exit__(self, *exc):
    ...         print("out")
    >>> shouting()(lambda: 3)()
    in
    out
    3
    """

    def __call__(self, orig_func) -> Callable:
        return _within(self.clone, orig_func)

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, exc_type, exc_value, traceback) -> Any:
        raise NotImplementedError

    def clone(self) -> Self:
        """One more, for a call."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One that decorates without brackets, too."""

    def __new__(cls, orig_func=None):
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)


def _within(made, fun):
    """`fun`, each call of which, or each part of which up to a `yield`, is under what `made()` gives."""
    if inspect.isclass(fun):
        fun.__init__ = _within(made, fun.__init__)  # type: ignore[method-assign,misc]
        return fun
    if not inspect.isgeneratorfunction(fun):

        @functools.wraps(fun)
        def wrapped(*args, **kwargs):
            with made():
                return fun(*args, **kwargs)

        return wrapped

    @functools.wraps(fun)
    def generated(*args, **kwargs):
        walk, sent = fun(*args, **kwargs), None
        while True:
            try:
                with made():
                    found = walk.send(sent)
            except StopIteration as end:
                return end.value
            sent = yield found

    return generated


__getattr__ = attributes(__name__)
