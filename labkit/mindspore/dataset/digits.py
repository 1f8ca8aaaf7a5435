"""The handwritten digits that come with labkit, as a source of a pipeline."""

import numpy as np

from ...data import digits
from .sources import Rows

__all__ = ["DigitsDataset"]


class DigitsDataset(Rows):
    """Images (8, 8, 1) of uint8 from 0 to 255 and labels of uint32, as `MnistDataset` gives its own, from `labkit.data`.

    `usage`: "train", "test" or "all", the default. In random order unless `shuffle=False`. Ask `vision.Resize` for the
    32 x 32 pixels of LeNet-5.

    >>> import labkit.mindspore as ms
    >>> data = ms.dataset.DigitsDataset("test", shuffle=False).batch(32)
    >>> image, label = next(data.create_tuple_iterator())
    >>> image.shape, image.dtype, label.shape
    ((32, 8, 8, 1), mindspore.uint8, (32,))
    """

    def __init__(self, usage="all", num_samples=None, num_parallel_workers=None, shuffle=None):
        if usage not in ("train", "test", "all"):
            raise ValueError("Input usage is not within the valid set of ['train', 'test', 'all'].")
        found = digits()
        parts = {"train": [found.train], "test": [found.test], "all": [found.train, found.test]}[usage]
        images, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        self.images = np.rint(images * (255 / 16)).astype(np.uint8)[..., None]
        self.labels = labels.astype(np.uint32)
        super().__init__(["image", "label"], len(labels), shuffle, num_samples)

    def row(self, index) -> tuple:
        return self.images[index], self.labels[index]
