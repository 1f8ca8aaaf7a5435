"""A `Function` inside a transform of `torch.func`, or on tensors with tangents."""

from ...dialects.argument_types import as_tuple
from ...dialects.packed_arrays import forms, pack, unpack
from ...engine import Forward, custom_vjp, isbox, new_box
from .._error_texts import error
from .._tensor.tensor import Tensor


def applied_to_traced(cls, args, kwargs, run, applied):
    """What `cls.apply(*args)` returns; `run` gives a context and what `forward` returned, `applied` puts it on the tape."""
    values = [a._recorded() for a in args if isinstance(a, Tensor)]
    top = max((v for v in values if isbox(v)), key=lambda box: box._trace, default=None)
    if top is not None and type(top._node) is Forward:
        return _with_tangents(cls, args, kwargs, top._trace, run, applied)
    return _as_one_op(cls, args, kwargs, run)


def _with_tangents(cls, args, kwargs, level, run, applied):
    """The op on what is below the level, and its `jvp` on the tangents."""
    pairs = [_taken_apart(a._recorded(), level) if isinstance(a, Tensor) else (a, None) for a in args]
    below = [Tensor._wrap(value) if isinstance(a, Tensor) else a for a, (value, _) in zip(args, pairs, strict=True)]
    if any(isinstance(t, Tensor) and isbox(t._data) for t in below):
        output = cls.apply(*below, **kwargs)
        ctx, _ = run(cls, tuple(below), kwargs, tuple(isinstance(a, Tensor) for a in args))
        ctx._versions = tuple(None if t is None else t._version_counter.number for t in ctx._saved)
    else:
        ctx, output = applied(cls, tuple(below), kwargs)
    tangents = [_tangent(ctx, t, tangent) for t, (_, tangent) in zip(below, pairs, strict=True)]
    versions = [getattr(t, "_version", None) for t in tangents]
    with ctx.saved_for_jvp():
        made = as_tuple(cls.jvp(ctx, *tangents))
    boxed = []
    for out, tangent in zip(as_tuple(output), made, strict=True):
        changed = next((k for k, t in enumerate(below) if t is out), None)
        if changed is not None and (tangent is not tangents[changed] or tangent._version == versions[changed]):
            raise error("not_in_place")
        boxed.append(_carrying(out, tangent, level, None if changed is None else args[changed]))
    return tuple(boxed) if isinstance(output, tuple) else boxed[0]


def _taken_apart(value, level):
    """What is below the level, and the tangent there, None without one."""
    return (value._value, value._node.g) if isbox(value) and value._trace == level else (value, None)


def _tangent(ctx, primal, tangent):
    if not isinstance(primal, Tensor):
        return None
    if tangent is None:
        return primal.detach() * 0 if ctx.materialize else None
    return Tensor._wrap(tangent)


def _carrying(output, tangent, level, changed=None):
    """The output with its tangent: a new tensor, or the argument that was changed in place."""
    if tangent is None or not isinstance(output, Tensor):
        return output
    box = new_box(output._value, level, Forward.new_root(tangent._value))
    if changed is None:
        return Tensor._wrap(box)
    changed._data = box
    return changed


def _as_one_op(cls, args, kwargs, run):
    """One primitive whose rule runs `backward` on a context made from the rule's own values."""
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    needed = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
    seen: dict = {}

    def rerun(values):
        filled = list(args)
        for place, value in zip(places, values, strict=True):
            filled[place] = Tensor._wrap(value)
        ctx, output = run(cls, tuple(filled), kwargs, needed)
        ctx._versions = tuple(None if t is None else t._version_counter.number for t in ctx._saved)
        return ctx, output

    def forward(*values):
        output = rerun(values)[1]
        parts = [o._array for o in as_tuple(output) if isinstance(o, Tensor)]
        seen.update(forms=forms(parts), output=output)
        return parts[0] if isinstance(output, Tensor) else pack(parts)

    def taken_apart(packed):
        """A value, or a gradient, for each output; None for those that are not tensors."""
        if isinstance(seen["output"], Tensor):
            return [Tensor._wrap(packed)]
        values = iter(unpack(packed, seen["forms"]))
        return [Tensor._wrap(next(values)) if isinstance(o, Tensor) else None for o in seen["output"]]

    def rule(ans, g, *values):
        ctx, _ = rerun(values)
        answers = as_tuple(ctx._backward(ctx, *taken_apart(g)))
        return [None if answers[i] is None else answers[i]._value for i in places]

    made = taken_apart(custom_vjp(forward, rule)(*(args[i]._recorded() for i in places)))
    if isinstance(seen["output"], Tensor):
        return made[0]
    return tuple(o if t is None else t for t, o in zip(made, seen["output"], strict=True))
