"""Checks of arguments, in the words of the real framework. `owner` is the class that was called, None in a function."""

from ...kinds import as_tuple, of_kind

__all__ = ["check_positive_int", "check_type", "check_types", "floating", "in_open_interval"]


def _about(name, owner):
    return f"For '{owner}', the '{name}'" if owner else f"The '{name}'"


def check_type(value, name, kinds, owner=None):
    """`value`, if it is of one of the types `kinds`; a bool is no number. Raises TypeError."""
    kinds = as_tuple(kinds)
    names = [kind.__name__ for kind in kinds]
    wanted = f"'{names[0]}'" if len(names) == 1 else f"one of '{names}'"
    start = f"For '{owner}', the type of '{name}'" if owner else f"The type of '{name}'"
    return of_kind(value, kinds, "{start} should be {wanted}, but got type '{kind}'.", start=start, wanted=wanted)


def check_types(kind, owner, **given) -> None:
    """`check_type` of several arguments by name, all of one kind."""
    for name, value in given.items():
        check_type(value, name, kind, owner)


def check_positive_int(value, name, owner=None):
    """`value`, if it is an int above 0. Raises TypeError or ValueError."""
    of_kind(value, int, "{about} must be int, but got '{kind}'", about=_about(name, owner))
    if value <= 0:
        kind = type(value).__name__
        raise ValueError(f"{_about(name, owner)} must be int and must > 0, but got '{value}' with type '{kind}'.")
    return value


def floating(value, name, owner=None, zero=False):
    """Raise TypeError unless `value` is a float, ValueError unless it is above 0 (`zero`: or equal to it)."""
    of_kind(value, float, "{about} must be float, but got '{kind}'", about=_about(name, owner))
    if not (value >= 0 if zero else value > 0):
        sign = ">= 0" if zero else "> 0"
        raise ValueError(f"{_about(name, owner)} must be float and must {sign}, but got '{value}' with type 'float'.")


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
