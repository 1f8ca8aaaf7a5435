"""`torch.special`: functions of `torch` that stand there, too, some under other names."""

from ..absent import names
from ..aliases import attributes
from ._out import with_out
from ._special import SPECIAL
from ._table import FUNCTIONS

RENAMED = {"expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma"}
_FOUND = {name: RENAMED.get(name, name) for name in names("torch")["special"]}
__all__ = sorted(name for name, own in _FOUND.items() if own in FUNCTIONS or name in SPECIAL)

globals().update({name: with_out(_FOUND[name], SPECIAL.get(name) or FUNCTIONS[_FOUND[name]]) for name in __all__})
__getattr__ = attributes(__name__)
