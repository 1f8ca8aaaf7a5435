"""Data pipelines: a source of rows, then `map`, `shuffle`, `batch`, `repeat`, read by an iterator or by `train.Model`.

>>> d = NumpySlicesDataset(([1.0, 2.0, 3.0, 4.0],), ["x"], shuffle=False).map(lambda x: x * 10, "x").batch(2)
>>> [row["x"].tolist() for row in d.create_dict_iterator(num_epochs=1, output_numpy=True)]
[[10.0, 20.0], [30.0, 40.0]]
"""

from ...aliases import attributes
from . import config, transforms, vision
from ._pipeline import BatchInfo, Dataset
from ._pipeline import zip_datasets as zip
from .digits import DigitsDataset
from .mnist import MnistDataset
from .samplers import *  # noqa: F403
from .samplers import __all__ as _samplers
from .sources import GeneratorDataset, NumpySlicesDataset

__all__ = [
    "BatchInfo", "Dataset", "DigitsDataset", "GeneratorDataset", "MnistDataset", "NumpySlicesDataset", "config", "transforms",
    "vision", "zip", *_samplers,
]  # fmt: skip

__getattr__ = attributes(__name__)
