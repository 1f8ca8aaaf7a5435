"""How a row becomes a function of a dialect: its signature is a text, in NumPy's words or in the dialect's."""

from collections.abc import Callable

NUMPY_WORDS = {"dim": "axis", "keepdim": "keepdims", "keep_dims": "keepdims"}  # what the dialects say, what the ops say


def names_of(takes) -> tuple[str, ...]:
    """The names of the parameters `takes`.

    >>> names_of("input, axis=None, *, dtype=None")
    ('input', 'axis', 'dtype')
    """
    return eval(f"lambda {takes}: 0").__code__.co_varnames


def signed(name, takes, answer, room, doc=None) -> Callable:
    """The function `name` of `room` with the parameters `takes`, as they stand behind `def`, that returns `answer(...)`.

    The first argument is handed on by position, the others by name, as NumPy has it: `keepdim=True` arrives as
    `keepdims=True`. Raises Python's TypeError for arguments that the signature has no place for.

    >>> total = signed("total", "input, dim=0", lambda x, axis: ("of", x, "along", axis), "__main__")
    >>> total(3, dim=1)
    ('of', 3, 'along', 1)
    >>> total(3, axis=1)
    Traceback (most recent call last):
    TypeError: total() got an unexpected keyword argument 'axis'
    """
    first, *others = names_of(takes)
    given = ", ".join([first, *(f"{NUMPY_WORDS.get(n, n)}={n}" for n in others)])
    made = eval(f"lambda {takes}: _answer({given})", {"_answer": answer, "__name__": room})
    made.__name__ = made.__qualname__ = name
    made.__doc__ = doc
    return made
