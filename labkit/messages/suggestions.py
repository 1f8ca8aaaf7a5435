""" "Did you mean ...?" for commands, exercises, notebooks, cases and keys of a file."""

from collections.abc import Iterable


def did_you_mean(name: object, known: Iterable[str], otherwise: str | None = None) -> str:
    """A sentence with the names in `known` that are close to `name`; without any, `otherwise`, or all that there are.

    >>> did_you_mean("docter", ["doctor", "lab"])
    "Did you mean 'doctor'?"
    >>> did_you_mean("zzz", ["doctor", "lab"])
    'Choose from: doctor, lab.'
    """
    from difflib import get_close_matches  # for an error only: it is slow to import

    names = list(known)
    close = get_close_matches(str(name).lower(), dict.fromkeys(each.lower() for each in names))
    if meant := [repr(each) for key in close for each in names if each.lower() == key]:
        *first, last = meant
        return "Did you mean {names}?".format(names=" or ".join(filter(None, (", ".join(first), last))))
    return otherwise or f"Choose from: {', '.join(names)}."
