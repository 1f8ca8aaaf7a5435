"""The mode a script runs in. Settings for hardware that is not here are accepted and kept, so that scripts port.

What the main thread sets holds for the process; another thread's settings are its own.
"""

import threading
from typing import Any

from ..dialects.class_paths import Placed
from ..dialects.unsupported import attributes
from ..dialects.user_warnings import warn_user
from .graph.recorder import current

__all__ = ["GRAPH_MODE", "PYNATIVE_MODE", "ParallelMode", "get_auto_parallel_context", "get_context", "in_graph_mode",
           "reset_auto_parallel_context", "set_auto_parallel_context", "set_context"]  # fmt: skip

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
    "op_timeout": 900, "exec_order": "bfs", "mem_Reuse": True, "enable_reduce_precision": True,
}  # fmt: skip


class ParallelMode(metaclass=Placed):
    """How several processes share the work; here STAND_ALONE and DATA_PARALLEL have an effect."""

    STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL = "stand_alone", "data_parallel", "hybrid_parallel"
    SEMI_AUTO_PARALLEL, AUTO_PARALLEL = "semi_auto_parallel", "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


_PARALLEL_DEFAULTS: dict[str, Any] = {
    "device_num": None, "global_rank": None, "gradients_mean": False, "gradient_fp32_sync": True,
    "loss_repeated_mean": True, "pipeline_stages": 1, "parallel_mode": ParallelMode.STAND_ALONE,
    "search_mode": "dynamic_programming", "auto_parallel_search_mode": "dynamic_programming",
    "parameter_broadcast": False, "strategy_ckpt_load_file": "", "strategy_ckpt_save_file": "", "full_batch": False,
    "dataset_strategy": "data_parallel", "enable_parallel_optimizer": False, "force_fp32_communication": False,
    "grad_accumulation_step": 1, "all_reduce_fusion_config": [], "communi_parallel_mode": "all_group_parallel",
    "optimizer_weight_shard_size": -1, "optimizer_weight_shard_aggregated_save": False, "sharding_propagation": False,
    "enable_alltoall": False, "comm_fusion": {}, "strategy_ckpt_config": {},
}  # fmt: skip
_LIMITS = {"device_num": (1, "must be a positive integer"), "global_rank": (0, "must be 0 or a positive integer")}
_CHOICES: dict[str, tuple] = {
    "mode": ((0, 1), "should be context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1)"),
    "device_target": (("CPU", "GPU", "Ascend", "Davinci"), "must be one of ['CPU', 'GPU', 'Ascend', 'Davinci']"),
}
_process, _process_parallel = dict(_DEFAULTS), dict(_PARALLEL_DEFAULTS)


class _Own(threading.local):
    def __init__(self):
        main = threading.current_thread() is threading.main_thread()
        self.settings, self.parallel = (_process, _process_parallel) if main else ({}, {})


_own = _Own()


def set_context(**settings) -> None:
    """Set `mode` (GRAPH_MODE or PYNATIVE_MODE), `device_target` and so on. Raises ValueError for an unknown name.

    It holds until it is set again. An unknown `mode` or device is a ValueError, too.

    >>> import labkit.mindspore as ms
    >>> before = ms.get_context("mode")
    >>> ms.set_context(mode=ms.GRAPH_MODE)
    >>> ms.get_context("mode") == ms.GRAPH_MODE
    True
    >>> ms.set_context(mode=before)
    """
    for name, value in settings.items():
        if name not in _DEFAULTS:
            raise ValueError(
                f"For 'context.set_context', the keyword argument {name} is not recognized! For detailed usage of "
                "'set_context', please refer to the Mindspore official website."
            )
        if name in _CHOICES and value not in _CHOICES[name][0]:
            raise ValueError(f"For 'context.set_context', the argument '{name}' {_CHOICES[name][1]}, but got {value}.")
    _own.settings.update(settings)
    device = settings.get("device_target", "CPU")
    if device not in ("CPU", "Ascend"):  # Ascend's way of sinking data is imitated
        warn_user(
            'device_target="{device}" is stored, but labkit has no such device: everything runs on the CPU, with '
            'NumPy. Write device_target="CPU" to say so.'.format(device=device)
        )


def get_context(attr_key) -> Any:
    """One setting, such as `get_context("mode")`. Raises ValueError for an unknown name."""
    if attr_key not in _DEFAULTS:
        raise ValueError(
            f"For 'context.get_context', the argument {attr_key} is not recognized! For detailed usage of "
            "'get_context', please refer to the Mindspore official website."
        )
    return _own.settings.get(attr_key, _process[attr_key])


def in_graph_mode() -> bool:
    """Whether functions are to be compiled, or one is being compiled: `jit` has the rules of graph mode."""
    return current.recorder is not None or _own.settings.get("mode", _process["mode"]) == GRAPH_MODE


def compiles():
    """Whether a function called now is to run as a program of its own: in graph mode, in no derivative and no recording."""
    outside = not current.substitutions and current.recorder is None
    return outside and _own.settings.get("mode", _process["mode"]) == GRAPH_MODE


# ---- several processes ----


def set_auto_parallel_context(**settings) -> None:
    """Set `parallel_mode` (a `ParallelMode`), `gradients_mean` (else gradients are summed), `device_num` and so on.

    These are what training cells ask for; the processes are joined by `communication.init`. Raises ValueError for an unknown
    name or value, TypeError for a value of another type.
    """
    for name, value in settings.items():
        if name not in _PARALLEL_DEFAULTS:
            raise ValueError(f"Set context keyword {name} is not recognized!")
        kind = int if name in _LIMITS else type(_PARALLEL_DEFAULTS[name])
        if name != "dataset_strategy" and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            raise TypeError(f"The parameter '{name}' must be {kind}, but got {type(value)}")
        if name == "parallel_mode" and value not in ParallelMode.MODE_LIST:
            raise ValueError(
                "The context configuration parameter 'parallel_mode' only support 'stand_alone', 'data_parallel', "
                f"'hybrid_parallel', 'semi_auto_parallel' and 'auto_parallel', but got the value : {value}."
            )
    _own.parallel.update(settings)


def get_auto_parallel_context(attr_key) -> Any:
    """One setting of `set_auto_parallel_context`. Raises ValueError for an unknown name.

    `device_num` and `global_rank`, where they are not set, are those of the processes joined; 1 and 0 in the mode stand_alone.

    >>> import labkit.mindspore as ms
    >>> ms.get_auto_parallel_context("parallel_mode"), ms.get_auto_parallel_context("device_num")
    ('stand_alone', 1)
    """
    if attr_key not in _PARALLEL_DEFAULTS:
        raise ValueError(f"Get context keyword {attr_key} is not recognized!")
    value = _own.parallel.get(attr_key, _process_parallel[attr_key])
    if value is not None:
        return value
    from .. import parallel

    alone = get_auto_parallel_context("parallel_mode") == ParallelMode.STAND_ALONE
    group = parallel.Alone() if alone else parallel.member()
    return group.size if attr_key == "device_num" else group.rank


def reset_auto_parallel_context() -> None:
    """Put every setting of `set_auto_parallel_context` back to its default."""
    _own.parallel.update(_PARALLEL_DEFAULTS)


__getattr__ = attributes(__name__)
