"""`JitConfig`: how a function is to be compiled. Here there is one way, so that nothing changes by it."""

from ..layout import Placed

__all__ = ["JitConfig"]

_ONE_OF = {
    "jit_level": (["O0", "O1", "O2"], "['O0', 'O1', 'O2']"),
    "exc_mode": (["auto", "sink", "no_sink"], "'['auto', 'sink', 'no_sink']'"),
    "jit_syntax_level": (["STRICT", "COMPATIBLE", "LAX"], "'['STRICT', 'LAX']'"),
    "debug_level": (["RELEASE", "DEBUG"], "'['RELEASE', 'DEBUG']'"),
    "infer_boost": (["on", "off"], "'['on', 'off']'"),
}
_BACKENDS = {"O0": "ms_backend", "O1": "ms_backend", "O2": "GE"}


class JitConfig(metaclass=Placed):
    """Options of compiling, checked and kept as `jit_config_dict`; they change nothing. Raises ValueError for unknown values.

    >>> JitConfig(jit_level="O1").jit_config_dict["backend"]
    'ms_backend'
    """

    def __init__(self, jit_level="", exc_mode="auto", jit_syntax_level="", debug_level="RELEASE", infer_boost="off",
                 **kwargs):  # fmt: skip
        given = {
            "jit_level": jit_level, "exc_mode": exc_mode, "jit_syntax_level": jit_syntax_level, "debug_level": debug_level,
            "infer_boost": infer_boost,
        }  # fmt: skip
        for name, (values, shown) in _ONE_OF.items():
            optional = name not in ("exc_mode", "debug_level") and given[name] == ""
            if given[name] not in values and not optional:
                raise ValueError(f"For '{name}' must be one of {shown}.")
        backend = {"backend": _BACKENDS[jit_level]} if jit_level in _BACKENDS else {}
        self.jit_config_dict = {**backend, **kwargs, **given}
