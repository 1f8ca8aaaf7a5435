"""The mode a script runs in. Settings for hardware that is not here are accepted and kept, so that scripts port.

What the main thread sets holds for the process; another thread's settings are its own.
"""

import threading

from ._recording import current

__all__ = ["GRAPH_MODE", "PYNATIVE_MODE", "get_context", "in_graph_mode", "reset_auto_parallel_context",
           "set_auto_parallel_context", "set_context", "set_device"]  # fmt: skip

GRAPH_MODE = 0
PYNATIVE_MODE = 1

_DEFAULTS = {
    "mode": PYNATIVE_MODE, "device_target": "CPU", "device_id": 0, "max_call_depth": 1000, "save_graphs": 0,
    "save_graphs_path": ".", "deterministic": "OFF", "pynative_synchronize": False, "enable_graph_kernel": False,
    "graph_kernel_flags": "", "max_device_memory": "1024GB", "mempool_block_size": "1GB", "memory_optimize_level": "O0",
    "memory_offload": "OFF", "precompile_only": False, "runtime_num_threads": 30, "jit_level": "", "jit_config": {},
    "ascend_config": {}, "gpu_config": {}, "env_config_path": "", "enable_compile_cache": False,
    "compile_cache_path": "", "inter_op_parallel_num": 0, "jit_syntax_level": 2, "check_bprop": False,
    "print_file_path": "", "reserve_class_name_in_scope": True, "debug_level": 0, "grad_for_scalar": False,
    "support_binary": False, "disable_format_transform": False, "aoe_tune_mode": "", "aoe_config": {},
    "op_timeout": 900, "exec_order": "bfs", "mem_Reuse": True,
}  # fmt: skip
_process = dict(_DEFAULTS)


class _Own(threading.local):
    def __init__(self):
        main = threading.current_thread() is threading.main_thread()
        self.settings = _process if main else {}


_own = _Own()


def set_context(**settings):
    """Set `mode` (GRAPH_MODE or PYNATIVE_MODE), `device_target` and so on. Raises ValueError for an unknown name."""
    for name, value in settings.items():
        if name not in _DEFAULTS:
            raise ValueError(
                f"For 'context.set_context', the keyword argument {name} is not recognized! For detailed usage of "
                "'set_context', please refer to the Mindspore official website."
            )
        if name == "mode" and value not in (GRAPH_MODE, PYNATIVE_MODE):
            raise ValueError(
                "For 'context.set_context', the argument 'mode' should be context.GRAPH_MODE (0) or "
                f"context.PYNATIVE_MODE (1), but got {value}."
            )
        if name == "device_target" and value not in ("CPU", "GPU", "Ascend", "Davinci"):
            raise ValueError(
                "For 'context.set_context', the argument 'device_target' must be one of "
                f"['CPU', 'GPU', 'Ascend', 'Davinci'], but got {value}."
            )
    _own.settings.update(settings)


def get_context(attr_key):
    """One setting, such as `get_context("mode")`. Raises ValueError for an unknown name."""
    if attr_key not in _DEFAULTS:
        raise ValueError(
            f"For 'context.get_context', the argument {attr_key} is not recognized! For detailed usage of "
            "'get_context', please refer to the Mindspore official website."
        )
    return _own.settings.get(attr_key, _process[attr_key])


def in_graph_mode():
    """Whether functions are to be compiled, or one is being compiled: `jit` has the rules of graph mode."""
    return current.recorder is not None or _own.settings.get("mode", _process["mode"]) == GRAPH_MODE


def set_device(device_target, device_id=0):
    """Choose a device; everything runs on the CPU."""
    set_context(device_target=device_target, device_id=device_id or 0)


def set_auto_parallel_context(**settings):
    """Accepted: one process is all there is."""


def reset_auto_parallel_context():
    """Accepted: one process is all there is."""
