from . import runtime as runtime
from .runtime import RuntimeFileError as RuntimeFileError
from .runtime import lay as lay
