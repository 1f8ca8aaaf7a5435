"""`torch.nn.common_types`: names for sizes that are a number or one for each dimension."""

from typing import Any

from ...aliases import attributes

__all__: list[str] = []


def _of(kind: Any, count: int) -> Any:
    return kind | tuple.__class_getitem__((kind,) * count)


_size_any_t = _scalar_or_tuple_any_t = int | tuple[int, ...]
_size_1_t, _size_2_t, _size_3_t, _size_4_t, _size_5_t, _size_6_t = (_of(int, n) for n in range(1, 7))
_ratio_any_t = float | tuple[float, ...]
_ratio_2_t, _ratio_3_t = _of(float, 2), _of(float, 3)
_size_any_opt_t = int | tuple[int | None, ...] | None
_size_2_opt_t, _size_3_opt_t = _of(int | None, 2), _of(int | None, 3)

__getattr__ = attributes(__name__)
