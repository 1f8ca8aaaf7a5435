"""The source of random numbers: the Mersenne twister, as PyTorch's CPU generator seeds, reads and saves it.

Every number of `labkit.torch` is made of its 32-bit words, in PyTorch's order; so a seed gives PyTorch's numbers.
"""

import secrets

import numpy as np

from ..kinds import of_kind
from ..layout import Placed
from ._device import check_device
from ._device import device as _device
from ._tensor import Tensor

_LENGTH = 624  # words that make one state
_FIRST_SEED = 67280421310721
_LAYOUT = np.dtype(
    {
        "names": ["seed", "left", "seeded", "next", "words", "normal", "has_normal"],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", _LENGTH), "<f8", "<i4"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040],
        "itemsize": 5056,
    }
)  # of PyTorch's saved states


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
        """Start again from a seed that nobody can foresee, and return it."""
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
        """Where the generator stands, a tensor of 5056 bytes as PyTorch's."""
        state, saved = self._bits.state["state"], np.zeros((), _LAYOUT)
        fresh = state["pos"] == _LENGTH and state["key"][0] == self._seed % 2**32
        saved["seed"], saved["seeded"], saved["words"] = self._seed, 1, state["key"]
        saved["next"] = 0 if fresh else state["pos"]
        saved["left"] = 1 if fresh else _LENGTH + 1 - state["pos"]
        saved["normal"], saved["has_normal"] = self.next_normal or 0.0, self.next_normal is not None
        return Tensor._of(np.frombuffer(saved.tobytes(), np.uint8).copy())

    def set_state(self, new_state):
        """Go on from where `get_state()` was called, here or in PyTorch; returns the generator.

        Raises TypeError for anything but a tensor of bytes, RuntimeError for one that is no state.
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

    def clone_state(self):
        """Another generator that stands where this one does."""
        return Generator().set_state(self.get_state())


default_generator = Generator()
default_generator.seed()
