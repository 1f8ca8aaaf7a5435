"""`torch.fx`: of what traces functions as graphs, the word that keeps one out of them; `labkit.show` draws what runs."""

from typing import Any

from ..aliases import attributes

__all__ = ["wrap"]


def wrap(fn_or_name) -> Any:
    """The function, or the name of one, itself: nothing is traced here."""
    return fn_or_name


__getattr__ = attributes(__name__)
