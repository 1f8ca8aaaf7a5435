"""Networks made of parts that have names: what lies in them, and how they print."""

from collections.abc import Iterator, Mapping
from typing import Any


def named_leaves(parts, table, once=True) -> Iterator[tuple[str, Any]]:
    """Pairs of dotted name and value of the `(path, part)` in `parts`; `table(part)` has those of one part.

    Each value comes `once`, or as often as it is there.
    """
    seen = set()
    for path, part in parts:
        for name, value in table(part).items():
            if value is not None and id(value) not in seen:
                if once:
                    seen.add(id(value))
                yield dotted(path, name), value


def dotted(path, name) -> str:
    """The name of what a part at `path` has under `name`."""
    return f"{path}.{name}" if path else name


class Loaded(tuple):
    """What loading a state answers: `missing_keys, unexpected_keys`."""

    def __new__(cls, missing, unexpected):
        return super().__new__(cls, (missing, unexpected))

    missing_keys = property(lambda self: self[0])
    unexpected_keys = property(lambda self: self[1])

    def __repr__(self):
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


def loaded(title, own, given, strict, shapeless=lambda tensor: False) -> Loaded:
    """The names that the tensors `own` and those `given` do not share.

    Raises RuntimeError for tensors of other shapes, unless one is `shapeless`, and, if `strict`, for such names; `title` is
    the network's.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")
    missing, unexpected = [k for k in own if k not in given], [k for k in given if k not in own]
    named = (("Missing", missing), ("Unexpected", unexpected)) if strict else ()
    listed = lambda keys: ", ".join(f'"{k}"' for k in keys)
    problems = [f"{what} key(s) in state_dict: {listed(keys)}. " for what, keys in named if keys]
    for name in own:
        if name in given and not shapeless(own[name]) and given[name].shape != own[name].shape:
            problems.append(
                f"size mismatch for {name}: copying a param with shape {given[name].shape} from checkpoint, "
                f"the shape in current model is {own[name].shape}."
            )
    if problems:
        raise RuntimeError(f"Error(s) in loading state_dict for {title}:\n\t" + "\n\t".join(problems))
    return Loaded(missing, unexpected)


def residual(layer, x, *steps) -> Any:
    """`x` with what each step makes of it added, behind the layer's `dropout1`, `dropout2` ...; normalised by its `norm1` ...
    after the sum, or, with its `norm_first`, before the step."""
    for number, step in enumerate(steps, 1):
        norm, drop = getattr(layer, f"norm{number}"), getattr(layer, f"dropout{number}")
        x = x + drop(step(norm(x))) if layer.norm_first else norm(x + drop(step(x)))
    return x


def tree_text(name, own, parts) -> str:
    """A network on lines of its own: `own` lines of text, then every one of its `(name, part)`; on one line without parts."""
    lines = [*own, *(f"({key}): " + repr(part).replace("\n", "\n  ") for key, part in parts)]
    if not parts and len(own) <= 1:
        return f"{name}({''.join(own)})"
    return f"{name}(\n  " + "\n  ".join(lines) + "\n)"
