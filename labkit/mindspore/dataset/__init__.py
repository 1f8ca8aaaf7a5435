"""Data pipelines: a source of rows, then `map`, `shuffle`, `batch`, `repeat`, read by an iterator or by `train.Model`.

>>> d = NumpySlicesDataset(([1.0, 2.0, 3.0, 4.0],), ["x"], shuffle=False).map(lambda x: x * 10, "x").batch(2)
>>> [row["x"].tolist() for row in d.create_dict_iterator(num_epochs=1, output_numpy=True)]
[[10.0, 20.0], [30.0, 40.0]]
"""

from ...dialects.unsupported import attributes
from . import config, transforms, vision
from .pipeline import Dataset
from .sources import DigitsDataset, GeneratorDataset, MnistDataset, NumpySlicesDataset

__all__ = [
    "Dataset", "DigitsDataset", "GeneratorDataset", "MnistDataset", "NumpySlicesDataset", "config", "transforms",
    "vision",
]  # fmt: skip

__getattr__ = attributes(__name__)
