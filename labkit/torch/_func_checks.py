"""What `torch.func` refuses, in the real one's words."""

from ..kinds import as_tuple, of_kind
from ._tensor import Tensor
from ._tree import flatten


def checked_argnums(argnums, count):
    """The positions `argnums` names among `count` arguments, counted from the front."""
    of_kind(argnums, (int, tuple, bool), "argnums must be int or Tuple[int, ...], got: {type}", RuntimeError)
    places = as_tuple(argnums)
    if not places:
        raise RuntimeError("argnums must be non-empty")
    for p in places:
        of_kind(p, (int, bool), "argnum must be int, got: {type}", RuntimeError)
        if not -count <= p < count:
            raise RuntimeError(f"Got argnum={p}, but only {count} positional inputs")
    places = tuple(p % count for p in places)
    if len(set(places)) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {places}")
    return places


def check_tangent(tensor, tangent):
    """Raise RuntimeError unless both have one shape."""
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def split_aux(out, has_aux, call):
    """`(output, aux)` of what a function returned."""
    if not has_aux:
        return out, None
    if not (isinstance(out, tuple) and len(out) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return out


def checked_aux(aux):
    """The leaves of `aux`, which have to be tensors."""
    leaves, _ = flatten(aux)
    for leaf in leaves:
        of_kind(leaf, Tensor, "Expected tensors, got unsupported type {type}", RuntimeError)
    return leaves


def check_outputs(out, call):
    """Raise unless `out` is one or more tensors, however nested in tuples, lists and dicts."""
    leaves, _ = flatten(out)
    if not leaves or leaves == [None]:
        raise RuntimeError(f"{call}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(
                f"{call}: expected f(*{call[:-1].partition('(')[2].split(', ')[1].lstrip('*')}) to return only tensors, "
                f"got unsupported type {type(leaf)}"
            )


def check_scalar(out):
    """Raise unless `out` is a tensor without dimensions."""
    of_kind(out, Tensor, "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type}", RuntimeError)
    if out.ndim:
        raise RuntimeError(
            f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {out.ndim} dims. "
            "Maybe you wanted to use the vjp or jacrev APIs instead?"
        )


def check_jvp(primals, tangents, call):
    """Raise unless `primals` and `tangents` are tuples of tensors of one structure and of the same shapes."""
    of_kind(
        primals,
        tuple,
        "{call}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).",
        RuntimeError,
        call=call,
    )
    if structure(primals) != structure(tangents):
        raise RuntimeError(
            f"{call}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {structure(primals)} and tangents "
            f"with structure {structure(tangents)}"
        )
    for name, tree in (("primals", primals), ("tangents", tangents)):
        leaves, _ = flatten(tree)
        if not leaves:
            raise RuntimeError(f"{call}: Expected {name} to contain at least one Tensor.")
        for leaf in leaves:
            of_kind(
                leaf,
                Tensor,
                "{call}: Expected {name} to only contain Tensors, got {type}",
                RuntimeError,
                call=call,
                name=name,
            )
    for primal, tangent in zip(flatten(primals)[0], flatten(tangents)[0], strict=True):
        check_tangent(primal, tangent)


def check_cotangents(cotangents, output):
    """Raise unless `cotangents` has the structure and the shapes of `output`."""
    given, expected = structure(cotangents), structure(output)
    if given != expected:
        raise RuntimeError(
            "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
            f"cotangents: {given}, primal output: {expected}"
        )
    for i, (g, out) in enumerate(zip(flatten(cotangents)[0], flatten(output)[0], strict=True)):
        check_shape(i, g.shape, out.shape)


def check_shape(i, given, expected):
    """Raise unless the gradient of output number `i` has the shape of that output."""
    if given != expected:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {given} and output[{i}] has a shape of {expected}."
        )


def structure(tree):
    """How tuples, lists and dicts nest in `tree`, a `*` for each leaf."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {structure(branch)}" for key, branch in tree.items()) + "}"
    if isinstance(tree, tuple):
        return "(" + ", ".join(map(structure, tree)) + (",)" if len(tree) == 1 else ")")
    return "[" + ", ".join(map(structure, tree)) + "]" if isinstance(tree, list) else "*"
