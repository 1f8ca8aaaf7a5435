"""`torch._C`: of PyTorch's C++ what Python code asks for by name."""

from collections.abc import Callable

from ..aliases import attributes
from ._generator import Generator
from ._solving import LinAlgError as _LinAlgError

__all__ = ["Generator", "_LinAlgError"]


def _says(name, answer) -> Callable:
    def fun(*args, **kwargs):
        return answer

    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"{answer}: nothing is traced or compiled here, and nothing is logged."
    return fun


_get_tracing_state, _log_api_usage_once = _says("_get_tracing_state", None), _says("_log_api_usage_once", None)
_jit_set_profiling_executor, _jit_set_profiling_mode = (
    _says(name, False) for name in ("_jit_set_profiling_executor", "_jit_set_profiling_mode")
)
_are_functorch_transforms_active = _says("_are_functorch_transforms_active", False)

__getattr__ = attributes(__name__)
