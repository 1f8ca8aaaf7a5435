"""`sens`, the upstream gradient of the outputs: where it is given, and whether it has their shapes and dtypes."""

from ..common.printing import shape_text
from .reverse_run import tensors_in


def without_cotangent(args, kwargs):
    """The arguments of the function itself, and the cotangent: `sens=` (taken out of `kwargs`) or the last argument."""
    return (args, kwargs.pop("sens")) if "sens" in kwargs else (args[:-1], args[-1] if args else None)


def check_cotangent(sens, run):
    """Raise ValueError unless `sens` has the shapes of the differentiated outputs."""
    given, ends = tensors_in(sens), run.ends
    if len(given) != len(ends):
        raise RuntimeError(
            "Failure info [The given sens gradient's size should be same as out of network!]: "
            f"expected {len(ends)} cotangents, one per output, but got {len(given)}."
        )
    for s, end in zip(given, ends, strict=True):
        if s.shape == end.shape and s.dtype == end.dtype:
            continue
        if s.shape == end.shape:
            raise TypeError(f"The dtype should be {end.dtype}, but got {s.dtype}, ")
        shown = [shape_text(t.shape) for t in (end, s)]
        if not s.shape:
            raise RuntimeError(
                "For grad interface or custom function, grad tensor should be broadcast to expected shape, "
                f"but got {shown[1]} vs {shown[0]}\n"
            )
        raise ValueError(f"The shape should be {shown[0]}, but got {shown[1]}, ")
