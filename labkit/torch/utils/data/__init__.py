"""`torch.utils.data`: datasets, the order in which they are read, and batches of them."""

from ....dialects.unsupported import attributes
from .dataloader import DataLoader, default_collate, default_convert
from .dataset import BatchSampler, Dataset, RandomSampler, Sampler, SequentialSampler, TensorDataset

__all__ = ["BatchSampler", "DataLoader", "Dataset", "RandomSampler", "Sampler", "SequentialSampler", "TensorDataset",
    "default_collate", "default_convert"]  # fmt: skip

__getattr__ = attributes(__name__)
