"""Checks of arguments, with the messages of the real framework."""

from ...kinds import of_kind

__all__ = ["at_most", "names_of", "natural", "required"]

LARGEST = 2**31 - 1


def required(value, name, kinds):
    """`value`, if it is one of `kinds`. Raises TypeError."""
    text = "Argument {name} with value {value} is not of type [{shown}], but got {type}."
    return of_kind(value, kinds, text, name=name, shown=", ".join(map(str, kinds)))


def natural(value, name, least):
    """`value`, if it is an integer from `least` on. Raises TypeError or ValueError."""
    required(value, name, (int,))
    if not least <= value <= LARGEST:
        raise ValueError(f"Input {name} is not within the required interval of [{least}, {LARGEST}].")
    return value


def names_of(columns, name):
    """A list of column names, from one name or several. Raises TypeError."""
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
        raise TypeError(f"{name} should be a name or a list of names of columns, but got {columns!r}.")
    return list(columns)


def at_most(count, limit):
    """A number of rows, or the `limit` to it, if there is one that is smaller."""
    return count if limit is None else min(count, limit)
