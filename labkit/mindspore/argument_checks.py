"""Checks of arguments, in the words of the real framework. `owner` is the class that was called, None in a function."""

from ..dialects.argument_types import as_tuple, of_kind

__all__ = [
    "above_zero", "at_most", "check_positive_int", "check_type", "check_types", "floating", "in_open_interval",
    "names_of", "natural", "required",
]  # fmt: skip


def _about(name, owner):
    return f"For '{owner}', the '{name}'" if owner else f"The '{name}'"


def check_type(value, name, kinds, owner=None):
    """`value`, if it is of one of the types `kinds`; a bool is not a number. Raises TypeError."""
    kinds = as_tuple(kinds)
    names = [kind.__name__ for kind in kinds]
    wanted = f"'{names[0]}'" if len(names) == 1 else f"one of '{names}'"
    start = f"For '{owner}', the type of '{name}'" if owner else f"The type of '{name}'"
    return of_kind(value, kinds, "{start} should be {wanted}, but got type '{kind}'.", start=start, wanted=wanted)


def check_types(kind, owner, **given) -> None:
    """`check_type` of several arguments by name, all of one kind."""
    for name, value in given.items():
        check_type(value, name, kind, owner)


def above_zero(value, kind, about, zero=False):
    """`value`, if it is of the type `kind` and above 0 (`zero`: or equal to it). Raises TypeError or ValueError."""
    name = kind.__name__
    of_kind(value, kind, "{about} must be {name}, but got '{kind}'", about=about, name=name)
    if not (value >= 0 if zero else value > 0):
        raise ValueError(
            f"{about} must be {name} and must {'>= 0' if zero else '> 0'}, but got '{value}' with type '{name}'."
        )
    return value


def check_positive_int(value, name, owner=None):
    """`value`, if it is an int above 0. Raises TypeError or ValueError."""
    return above_zero(value, int, _about(name, owner))


def floating(value, name, owner=None, zero=False):
    """`value`, if it is a float above 0 (`zero`: or equal to it). Raises TypeError or ValueError."""
    return above_zero(value, float, _about(name, owner), zero)


def in_open_interval(value, low, high, name, owner):
    """Raise ValueError unless low < value < high."""
    if not low < value < high:
        raise ValueError(
            f"{_about(name, owner)} must be in range of ({low}, {high}), but got {value} with type 'float'."
        )


def check_format(data_format, owner) -> None:
    """Raise ValueError for another order of axes than channels first."""
    if data_format != "NCHW":
        raise ValueError(
            f"For '{owner}', the '{data_format}' format only support in GPU target, but got device target CPU."
        )


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
