"""Transforms of images: arrays (height, width, channels), of one channel perhaps (height, width)."""

from numbers import Number

import numpy as np

from ....aliases import attributes
from ....layout import Placed
from .._check import natural, required
from ._resize import bilinear, nearest
from .utils import Inter

__all__ = ["HWC2CHW", "Inter", "Normalize", "Rescale", "Resize", "ToTensor"]


class Resize(metaclass=Placed):
    """To `size`: (height, width), or the shorter side of an image that keeps its proportions.

    `interpolation`: `Inter.LINEAR` or `Inter.NEAREST`. 8-bit images are computed with the fixed-point weights of
    OpenCV, so they equal the real framework's bit for bit.

    >>> import numpy as np
    >>> Resize((2, 4))(np.array([[0, 200], [0, 200]], np.uint8)).tolist()
    [[0, 50, 150, 200], [0, 50, 150, 200]]
    """

    def __init__(self, size, interpolation=Inter.LINEAR):
        if isinstance(size, int):
            size = [size]
        elif not isinstance(size, (list, tuple)) or len(size) != 2:
            raise TypeError("Size should be a single integer or a list/tuple (h, w) of length 2.")
        self.size = [natural(n, f"size at dim {k}", 1) for k, n in enumerate(size)]
        self.resized = bilinear if required(interpolation, "interpolation", (Inter,)) is Inter.LINEAR else nearest

    def __call__(self, image):
        image = np.asarray(image)
        if image.ndim < 2:
            raise RuntimeError("Resize: the image tensor should have at least two dimensions. You may need to perform "
                               "Decode first.")  # fmt: skip
        return self.resized(image, self._size_for(*image.shape[:2]))

    def _size_for(self, height, width):
        if len(self.size) == 2:
            return tuple(self.size)
        shorter = self.size[0]
        return (shorter, width * shorter // height) if height < width else (height * shorter // width, shorter)


class Rescale(metaclass=Placed):
    """`image * rescale + shift`, in float32.

    `image`: an array of numbers, of any shape.

    >>> Rescale(1 / 255, 0.0)(np.array([[0, 255]], np.uint8))
    array([[0., 1.]], dtype=float32)
    """

    def __init__(self, rescale, shift):
        self.rescale = np.float32(required(rescale, "rescale", (Number,)))
        self.shift = np.float32(required(shift, "shift", (Number,)))

    def __call__(self, image):
        return np.asarray(image, np.float32) * self.rescale + self.shift


class Normalize(metaclass=Placed):
    """`(image - mean) / std` per channel, in float32; `is_hwc=False` for images with the channels first."""

    def __init__(self, mean, std, is_hwc=True):
        if len(mean) != len(std):
            raise ValueError("Length of mean and std must be equal.")
        self.mean, self.std = np.asarray(mean, np.float32), np.asarray(std, np.float32)
        self.is_hwc = required(is_hwc, "is_hwc", (bool,))

    def __call__(self, image):
        image = np.asarray(image, np.float32)
        if self.is_hwc:
            return (image - self.mean) / self.std
        return (image - self.mean[:, None, None]) / self.std[:, None, None]


class HWC2CHW(metaclass=Placed):
    """From (height, width, channels) to (channels, height, width).

    >>> HWC2CHW()(np.zeros((28, 28, 1))).shape
    (1, 28, 28)
    """

    def __call__(self, image):
        image = np.asarray(image)
        return image.transpose(2, 0, 1) if image.ndim == 3 else image


class ToTensor(metaclass=Placed):
    """From 0..255 and (height, width, channels) to 0..1 and (channels, height, width), by default in float32."""

    def __init__(self, output_type=np.float32):
        self.output_type = getattr(output_type, "numpy", output_type)

    def __call__(self, image):
        image = np.asarray(image)
        image = image[..., None] if image.ndim == 2 else image
        return (image.transpose(2, 0, 1) * np.float32(1 / 255)).astype(self.output_type)


__getattr__ = attributes(__name__)
