"""`torch.nn.parallel`: a module spread over devices and processes, of which there is one each."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...aliases import attributes
from ..distributed import get_world_size
from .containers import DataParallel
from .module import Layer

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]


class DistributedDataParallel(Layer):
    """A module whose gradients are the mean over all processes; with one, as here, they are its own.

    The names of its parameters begin with "module.". Raises ValueError before `torch.distributed.init_process_group`.
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0, **options):
        super().__init__()
        get_world_size()
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
            )
        self.module, self.device_ids, self.output_device, self.dim = module, device_ids, output_device, dim
        self.require_backward_grad_sync = True

    def forward(self, *inputs, **kwargs) -> Any:
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Let gradients add up without a mean over processes."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None) -> Any:
    """`module(*inputs)`, on the one device that there is."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))


__getattr__ = attributes(__name__)
