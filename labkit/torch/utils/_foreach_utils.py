"""`torch.utils._foreach_utils`: lists of tensors, grouped by what may be computed together."""

from ...aliases import attributes

__all__: list[str] = []


def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False) -> dict:
    """`{(device, dtype of the first list's tensors): (lists with these alone, their places)}`.

    >>> import labkit.torch as torch
    >>> groups = _group_tensors_by_device_and_dtype([[torch.ones(1), torch.ones(2).double(), torch.zeros(3)]], True)
    >>> [(str(dtype), places) for (_, dtype), (_, places) in groups.items()]
    [('torch.float32', [0, 2]), ('torch.float64', [1])]
    """
    found: dict = {}
    for place, first in enumerate(tensorlistlist[0]):
        lists, places = found.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
        for own, given in zip(lists, tensorlistlist, strict=True):
            if given:
                own.append(given[place])
        places += [place] if with_indices else []
    return found


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cuda", "xpu", "mtia"]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia"]


def _device_has_foreach_support(device) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


__getattr__ = attributes(__name__)
