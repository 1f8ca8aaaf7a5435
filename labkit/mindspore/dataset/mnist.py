"""MNIST from its own files: two pairs of images and labels in the IDX format (LeCun, Cortes and Burges)."""

import os
from collections.abc import Iterator
from math import prod

import numpy as np

from .sources import Rows

__all__ = ["MnistDataset"]

_PREFIXES = {"train": ["train"], "test": ["t10k"], "all": ["train", "t10k"]}
_KINDS = {"images": ("-images-idx3-ubyte", 2051, "image"), "labels": ("-labels-idx1-ubyte", 2049, "label")}


class MnistDataset(Rows):
    """Images (28, 28, 1) of uint8 and labels of uint32 from the IDX files in `dataset_dir`.

    `usage`: "train", "test" or "all", by default what is there. In random order unless `shuffle=False`. The files are
    read when the first row or the size is asked for; one that is missing, cut off or of another kind is a RuntimeError
    that names it and what was expected.
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, **options):
        if not os.path.isdir(dataset_dir):
            raise ValueError(f"The folder {dataset_dir} does not exist or is not a directory or permission denied!")
        if usage is not None and usage not in _PREFIXES:
            raise ValueError("Input usage is not within the valid set of ['train', 'test', 'all'].")
        super().__init__(["image", "label"], 0, shuffle, num_samples, **options)
        self.folder, self.usage = dataset_dir, usage
        self._read: tuple = ()  # images and labels, once they are read

    def get_dataset_size(self) -> int:
        self._load()
        return super().get_dataset_size()

    def rows(self, random) -> Iterator[tuple]:
        self._load()
        return super().rows(random)

    def row(self, index) -> tuple:
        images, labels = self._read
        return images[index], labels[index]

    def _load(self):
        if self._read:
            return
        pairs = [read_pair(self.folder, prefix) for prefix in self._prefixes()]
        images, labels = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
        self.total = len(images)
        self._read = images[..., None], labels.astype(np.uint32)

    def _prefixes(self):
        if self.usage is not None:
            return _PREFIXES[self.usage]
        there = [p for p in _PREFIXES["all"] if os.path.exists(_path(self.folder, p, "images"))]
        return there or ["train"]


def read_pair(folder, prefix):
    """`(images, labels)` of one pair of files. Raises RuntimeError where they do not belong together."""
    images, labels = (read_idx(_path(folder, prefix, kind), kind) for kind in _KINDS)
    if len(images) != len(labels):
        raise RuntimeError(
            "Invalid mnist file, num of images should be equal to num of labels, but got "
            f"num of images: {len(images)}, num of labels: {len(labels)} in {folder}."
        )
    return images, labels


def _path(folder, prefix, kind):
    return os.path.join(folder, prefix + _KINDS[kind][0])


def read_idx(path, kind):
    """The array in an IDX file of `kind` "images" or "labels". Raises RuntimeError for a file that is not one."""
    _, magic, noun = _KINDS[kind]
    axes = magic % 256
    content = _content(path, noun)
    header = np.frombuffer(content[: 4 * (1 + axes)], ">u4") if len(content) >= 4 * (1 + axes) else [0]
    if header[0] != magic:
        raise RuntimeError(
            f"Invalid mnist file, the {noun} number of {path} should be {magic} (the first four bytes), "
            f"but got {int(header[0]) if len(content) >= 4 * (1 + axes) else f'a file of {len(content)} bytes'}."
        )
    shape = tuple(int(n) for n in header[1:])
    expected = 4 * (1 + axes) + prod(shape)
    if len(content) != expected:
        raise RuntimeError(
            f"Invalid mnist file, truncated data: the length of {path} should be {expected} bytes for {shape[0]} "
            f"{noun}s, but it is {len(content)}."
        )
    return np.frombuffer(content, np.uint8, offset=4 * (1 + axes)).reshape(shape)


def _content(path, noun):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        packed = " It is there packed: unpack it with gunzip." if os.path.exists(path + ".gz") else ""
        raise RuntimeError(
            f"Invalid data, MnistDataset API can't read the data file: {path} is missing, the {noun}s of MNIST in the "
            f"IDX format, unpacked.{packed}"
        ) from None
