"""`torch.utils._foreach_utils`: lists of tensors, grouped by what may be computed together."""

from ...aliases import attributes
from .._foreach import grouped

__all__: list[str] = []

_group_tensors_by_device_and_dtype = grouped


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cuda", "xpu", "mtia"]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia"]


def _device_has_foreach_support(device) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


__getattr__ = attributes(__name__)
