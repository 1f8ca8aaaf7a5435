"""`torch.random`, and the source of its numbers: the Mersenne twister, as PyTorch's CPU generator seeds, reads and saves it.

Every number of `labkit.torch` is made of its 32-bit words, in PyTorch's order; so a seed gives PyTorch's numbers.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..dialects.argument_types import of_kind
from ..dialects.class_paths import Placed
from ..dialects.unsupported import attributes
from ._tensor.device import check_device
from ._tensor.device import device as _device
from ._tensor.tensor import Tensor

_LENGTH = 624  # words that make one state
_FIRST_SEED = 67280421310721
_LAYOUT = np.dtype({  # of PyTorch's saved states
    "names": ["seed", "left", "seeded", "next", "words", "normal", "has_normal"],
    "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", _LENGTH), "<f8", "<i4"],
    "offsets": [0, 8, 12, 16, 24, 5024, 5040], "itemsize": 5056})  # fmt: skip


class Generator(metaclass=Placed):
    """A source of random numbers with a seed of its own, 67280421310721 at first.

    >>> import labkit.torch as torch
    >>> torch.rand(3, generator=torch.Generator().manual_seed(0))
    tensor([0.4963, 0.7682, 0.0885])
    """

    def __init__(self, device="cpu"):
        check_device(device)
        self.device = _device(device)
        self._bits = np.random.MT19937(0)
        self.manual_seed(_FIRST_SEED)

    def manual_seed(self, seed):
        """Start again from `seed`, an integer from -2**63 to 2**64 - 1; returns the generator.

        The numbers depend on its low 32 bits alone. Raises RuntimeError for another type, ValueError out of the range.
        """
        of_kind(seed, int, "manual_seed expected a long, but got {kind}", RuntimeError)
        if not -(2**63) <= seed < 2**64:
            raise ValueError(f"Overflow when unpacking long long: expected a seed from -2**63 to 2**64 - 1, got {seed}")
        self._seed, self.next_normal = seed % 2**64, None
        np.random.RandomState(self._bits).seed(seed % 2**32)
        return self

    def seed(self):
        """Start again from an unpredictable seed, and return it."""
        self.manual_seed(secrets.randbits(64))
        return self._seed

    def initial_seed(self):
        """The seed set last."""
        return self._seed

    def words(self, count):
        """The next `count` words of 32 bits, an array of uint64."""
        return self._bits.random_raw(count)

    def long_words(self, count):
        """The next `count` words of 64 bits, each of two short ones, the upper half first."""
        words = self._bits.random_raw(2 * count)
        return (words[::2] << np.uint64(32)) | words[1::2]

    def get_state(self):
        """The state of the generator, a tensor of 5056 bytes as PyTorch's."""
        state, saved = self._bits.state["state"], np.zeros((), _LAYOUT)
        fresh = state["pos"] == _LENGTH and state["key"][0] == self._seed % 2**32
        saved["seed"], saved["seeded"], saved["words"] = self._seed, 1, state["key"]
        saved["next"] = 0 if fresh else state["pos"]
        saved["left"] = 1 if fresh else _LENGTH + 1 - state["pos"]
        saved["normal"], saved["has_normal"] = self.next_normal or 0.0, self.next_normal is not None
        return Tensor._of(np.frombuffer(saved.tobytes(), np.uint8).copy())

    def set_state(self, new_state):
        """Go on from where `get_state()` was called, here or in PyTorch; returns the generator.

        Raises TypeError for anything but a tensor of bytes, RuntimeError for one that is not a state.
        """
        if not isinstance(new_state, Tensor) or new_state.dtype.name != "uint8":
            raise TypeError("RNG state must be a torch.ByteTensor")
        if new_state.numel() != _LAYOUT.itemsize:
            raise RuntimeError(f"RNG state is wrong size: expected {_LAYOUT.itemsize} bytes, got {new_state.numel()}")
        saved = np.frombuffer(new_state._array.tobytes(), _LAYOUT)[0]
        if saved["seeded"] != 1 or not 1 <= saved["left"] <= _LENGTH or saved["next"] > _LENGTH:
            raise RuntimeError("Invalid mt19937 state")
        place = _LENGTH if saved["left"] == 1 else int(saved["next"])
        words = saved["words"].astype(np.uint32)
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": place}}
        self._seed = int(saved["seed"])
        self.next_normal = float(saved["normal"]) if saved["has_normal"] else None
        return self


default_generator = Generator()
default_generator.seed()


LONG = 2**28  # ranges of integers from here on take two words each


def unit(generator, count, kind):
    """Numbers in [0, 1): multiples of 2**-24 from one word each (float32), or of 2**-53 from two (float64)."""
    if kind == np.float32:
        words = generator.words(count)
        words &= np.uint64(2**24 - 1)
        return words.astype(np.float32) * np.float32(2.0**-24)
    return (generator.long_words(count) & np.uint64(2**53 - 1)) * 2.0**-53


def uniform(generator, count, dtype, low, high):
    """Numbers in [low, high); half precision is computed in float32 and rounded."""
    kind = np.float64 if dtype == np.float64 else np.float32
    drawn = unit(generator, count, kind)
    if (low, high) != (0, 1):
        drawn = multiply_add(drawn, kind(high) - kind(low), kind(low))
    drawn = drawn.astype(dtype, copy=False)
    ends = np.array([low, high], kind).astype(dtype)
    drawn[drawn == ends[1]] = ends[0]  # where rounding has reached the end
    return drawn


def integers(generator, count, dtype, low, high, long=None):
    """Integers from `low` below `high`: the remainder of a word, or of two (`long`, by default for wide ranges)."""
    span = high - low
    words = generator.long_words(count) if (span >= LONG if long is None else long) else generator.words(count)
    if span < 2**64:
        words %= np.uint64(span)
    return (words + np.uint64(low % 2**64)).view(np.int64).astype(dtype)


def any_integers(generator, count, dtype):
    """Integers from 0 to the largest of an integer dtype, or to the one up to which a floating dtype has them all."""
    digits = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53, "bool": 0}
    largest = 2 ** digits[dtype.name] if dtype.name in digits else int(np.iinfo(dtype).max)
    return integers(generator, count, dtype, 0, largest + 1, long=dtype.name in ("int64", "float64"))


def choices(generator, count, probability):
    """True with `probability`; one float64 is drawn for each, as PyTorch does where there is no Intel processor."""
    return unit(generator, count, np.float64) < probability


def permutation(generator, n):
    """The integers below `n`, each place changed in turn with one drawn from those not yet passed."""
    order = list(range(n))
    places = np.arange(max(n - 1, 0), dtype=np.uint64)
    partners = generator.words(len(places)) % (np.uint64(n) - places) + places
    for i, j in enumerate(partners.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


__all__ = ["fork_rng", "get_rng_state", "manual_seed", "set_rng_state"]


def manual_seed(seed) -> Generator:
    """Make random numbers repeat from here: the same as PyTorch's of this seed. Returns the generator.

    `seed`: an integer from -2**63 to 2**64 - 1, else ValueError; its low 32 bits count.

    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(42)
    >>> torch.randint(10, (5,))
    tensor([2, 7, 6, 4, 6])
    """
    return default_generator.manual_seed(int(seed))


def get_rng_state() -> Tensor:
    """The state of the random numbers, a tensor of bytes for `set_rng_state`."""
    return default_generator.get_state()


def set_rng_state(new_state) -> None:
    """Go on from where `get_rng_state()` was called."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices=None, enabled=True) -> Iterator[None]:
    """While open, numbers may be drawn; afterwards they go on as if none had been."""
    state = default_generator.get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.set_state(state)


__getattr__ = attributes(__name__)


_SPLIT = 2.0**27 + 1  # cuts the 53 digits of a float64 in two


def multiply_add(a, b, c):
    """`a * b + c`, rounded once: in float64 for an array `a` of float32, else in pairs of float64."""
    if a.dtype == np.float32:
        return (a.astype(np.float64) * b + c).astype(np.float32)
    product, lost = _product(a, b)
    total = product + c
    added = total - product
    return total + ((product - (total - added)) + (c - added) + lost)


def _product(a, b):
    """`a * b` and what its rounding lost (T. J. Dekker, 1971)."""
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, (a1 * b1 - product) + a1 * b2 + a2 * b1 + a2 * b2


def _halves(x):
    high = x * _SPLIT
    high = high - (high - x)
    return high, x - high
