"""Checks of arguments, in the words of the real framework. `owner` is the class that was called, None in a function."""

__all__ = ["check_positive_int", "check_type", "floating", "in_open_interval"]


def _about(name, owner):
    return f"For '{owner}', the '{name}'" if owner else f"The '{name}'"


def check_type(value, name, kinds, owner=None):
    """Raise TypeError unless `value` is of one of the types `kinds`; a bool is no number."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        names = [kind.__name__ for kind in kinds]
        wanted = f"'{names[0]}'" if len(names) == 1 else f"one of '{names}'"
        start = f"For '{owner}', the type of '{name}'" if owner else f"The type of '{name}'"
        raise TypeError(f"{start} should be {wanted}, but got type '{type(value).__name__}'.")


def check_positive_int(value, name, owner=None):
    """Raise TypeError unless `value` is an int, ValueError unless it is above 0."""
    kind = type(value).__name__
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{_about(name, owner)} must be int, but got '{kind}'")
    if value <= 0:
        raise ValueError(f"{_about(name, owner)} must be int and must > 0, but got '{value}' with type '{kind}'.")


def floating(value, name, owner=None, zero=False):
    """Raise TypeError unless `value` is a float, ValueError unless it is above 0 (`zero`: or equal to it)."""
    if not isinstance(value, float):
        raise TypeError(f"{_about(name, owner)} must be float, but got '{type(value).__name__}'")
    if not (value >= 0 if zero else value > 0):
        sign = ">= 0" if zero else "> 0"
        raise ValueError(f"{_about(name, owner)} must be float and must {sign}, but got '{value}' with type 'float'.")


def in_open_interval(value, low, high, name, owner):
    """Raise ValueError unless low < value < high."""
    if not low < value < high:
        raise ValueError(
            f"{_about(name, owner)} must be in range of ({low}, {high}), but got {value} with type 'float'."
        )
