"""The public names of the real PyTorch and MindSpore, from `torch.txt.gz` and `mindspore.txt.gz`.

Each line is a module (`-`: the package itself) with its names, or a class with a colon and its members. A module that labkit
leaves out as a whole has a `*`. The lists are read for an error message only.
"""

from functools import cache
from os.path import dirname, join

REAL = {"torch": "PyTorch", "mindspore": "MindSpore"}


@cache
def names(dialect: str) -> dict[str, tuple[str, ...]]:
    """The public names of each module of the real package (`""`: the package itself), and of classes (`"Tensor:"`).

    >>> "LSTM" in names("torch")["nn"], "detach" in names("torch")["Tensor:"]
    (True, True)
    """
    import gzip  # for an error only: it is slow to import

    with gzip.open(join(dirname(__file__), f"{dialect}.txt.gz"), "rt") as file:
        lines = file.read().splitlines()
    return {"" if place == "-" else place: tuple(found) for place, *found in map(str.split, lines)}


def has(dialect: str, place: str, name: str) -> bool:
    """Whether the real module `place` has the name; a module that is left out as a whole may have any.

    >>> has("torch", "fft", "rfft"), has("torch", "nn", "Liner"), has("torch", "utils.tensorboard", "SummaryWriter")
    (True, False, True)
    """
    known = names(dialect)
    own = known.get(place)
    if own is not None and (name in own or own == ("*",)):
        return True
    inner, above = f"{place}.{name}".strip("."), place.rpartition(".")[0]
    if any(other == inner or other.startswith(f"{inner}.") for other in known):
        return True
    return (
        bool(place) and above in known and has(dialect, above, name)
    )  # what the module above has is listed there alone


def has_anywhere(dialect: str, name: str) -> bool:
    """Whether some module or class of the real package has the name.

    >>> has_anywhere("torch", "detach"), has_anywhere("mindspore", "detach")
    (True, False)
    """
    return any(name in found for found in names(dialect).values())
