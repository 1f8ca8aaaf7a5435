"""`torch.nn.modules`: the layers of `torch.nn`, each in the module that PyTorch has it in."""

from ....aliases import attributes

__getattr__ = attributes(__name__)
