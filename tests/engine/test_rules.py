"""Every derivative rule in reach, autograd's and ours: reverse, forward and numerical differentiation agree."""

import autograd
import autograd.numpy as np
import numpy as onp
import pytest
from autograd.core import primitive_jvps, primitive_vjps
from autograd.extend import defvjp, primitive

import labkit.torch  # noqa: F401  (what its rows say of a node holds for NumPy's function, too)
from labkit import ops as p
from labkit.engine import cast, grad, jacfwd, jacrev, jvp, leaves, vjp, vjp_of, watch
from labkit.engine.forward import transposed
from labkit.gradcheck import check_gradient
from labkit.ops import namesake

rng = onp.random.default_rng(1)
A, B = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))  # nothing is tied, nothing is zero
P = onp.abs(A) + 0.5  # positive
U = onp.tanh(A) * 0.9  # inside (-1, 1)
S = rng.normal(size=(3, 3)) + 3 * onp.eye(3)  # well-conditioned
V, T = rng.normal(size=3), rng.normal(size=(2, 3, 4))


def symmetric(fun):
    return lambda x: fun((x + x.T) / 2)


ELEMENTWISE = {
    "negative abs absolute fabs exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh square deg2rad rad2deg "
    "degrees radians sinc reciprocal nan_to_num real conj real_if_close": A,
    "log log2 log10 log1p sqrt": P,
    "arcsin arccos arctanh": U,
    "arccosh": P + 1,
}
BINARY = {
    "add subtract multiply divide true_divide maximum minimum fmax fmin logaddexp logaddexp2 arctan2 hypot": (A, B),
    "power": (P, B),
    "mod remainder": (A * 5, P),
}
REDUCTIONS = "sum mean var std prod max min"


def inside(fun):
    """Points where a function of one number has a value."""
    with onp.errstate(all="ignore"):
        return next(x for x in (A, U, P, P + 1) if onp.isfinite(fun(x)).all())


CASES = {
    **{name: (getattr(np, name), x) for names, x in ELEMENTWISE.items() for name in names.split()},
    **{name: (getattr(np, name), *xy) for names, xy in BINARY.items() for name in names.split()},
    **{
        f"{name} {'by row, column against row' if name else ''}": (getattr(np, name), x[:, :1], y[0])
        for names, (x, y) in BINARY.items()
        for name in names.split()
    },
    **{name: (getattr(np, name), A) for name in REDUCTIONS.split()},
    **{f"{name} axis": (lambda x, f=name: getattr(np, f)(x, axis=-2), T) for name in REDUCTIONS.split()},
    **{
        f"{name} axes": (lambda x, f=name: getattr(np, f)(x, axis=(0, 2), keepdims=True), T)
        for name in REDUCTIONS.split()
        if name != "var"  # autograd cannot push it forward
    },
    "prod with a zero": (np.prod, onp.array([2.0, 0.0, 3.0])),
    "prod axis with zeros": (lambda x: np.prod(x, axis=1), A * (onp.arange(3) > 0)),
    "sinc at 0": (np.sinc, onp.array([0.0, 0.5, 1.0])),
    "cumsum": (lambda x: np.cumsum(x, axis=1), A),
    "cumsum flat": (np.cumsum, A),
    "repeat an axis from the end": (lambda x: np.repeat(x, 2, axis=-1), A),
    "repeat each its own number of times": (lambda x: np.repeat(x, [2, 0, 1], axis=1), A),
    "repeat flat": (lambda x: np.repeat(x, 3), A),
    "where": (lambda x, y: np.where(A > 0, x, y), A, B),
    "where broadcast": (lambda x, y: np.where(A > 0, x, y), V, 2.0),
    "clip": (lambda x: np.clip(x, -0.7, 0.7), A),
    "astype": (lambda x: x.astype("float64"), A),
    "cast": (lambda x: cast(x, onp.float64), A),
    "full": (lambda x: np.full((2, 3), x), 1.5),
    "linspace": (lambda x, y: np.linspace(x, y, 5), 1.0, 2.5),
    # products
    "dot": (np.dot, A, B.T),
    "dot vectors": (np.dot, V, V + 1),
    "dot matrix vector": (np.dot, A, V),
    "dot scalar": (np.dot, 2.0, A),
    "dot batch": (np.dot, T, rng.normal(size=(4, 2))),
    "matmul": (np.matmul, A, B.T),
    "matmul vector": (np.matmul, A, V),
    "vector matmul": (np.matmul, V, A.T),
    "matmul batch": (np.matmul, T, rng.normal(size=(4, 2))),
    "matmul batches": (np.matmul, T, rng.normal(size=(2, 4, 5))),
    "inner": (np.inner, A, B),
    "outer": (np.outer, V, V[:2] + 1),
    "kron": (np.kron, A, B),
    "tensordot": (lambda x, y: np.tensordot(x, y, axes=1), A, S),
    "tensordot axes": (lambda x, y: np.tensordot(x, y, axes=([0, 1], [1, 0])), T, rng.normal(size=(3, 2))),
    "einsum": (lambda x, y: np.einsum("ijk,lj->ilk", x, y), T, B),
    "einsum of a diagonal": (lambda x: np.einsum("ii->i", x), S),
    "einsum of a trace with a factor": (lambda x, y: np.einsum("nd,nn->d", x, y), A.T, S),
    "einsum rows": (lambda x: np.einsum("ij,ij->i", x, x), A),
    "cross": (np.cross, A, B),
    "trace": (np.trace, S),
    # moving elements
    "reshape": (lambda x: np.reshape(x, (3, 2)), A),
    "ravel": (np.ravel, A),
    "transpose": (np.transpose, T),
    "transpose axes": (lambda x: np.transpose(x, (1, 2, 0)), T),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 2), T),
    "moveaxis": (lambda x: np.moveaxis(x, 0, -1), T),
    "rollaxis": (lambda x: np.rollaxis(x, 2), T),
    "squeeze": (np.squeeze, A[None]),
    "expand_dims": (lambda x: np.expand_dims(x, 1), A),
    "broadcast_to more axes": (lambda x: np.broadcast_to(x, (2, 3)), V),
    "broadcast_to": (lambda x: np.broadcast_to(x, (4, 3)), A[:1]),
    "tile": (lambda x: np.tile(x, (2, 3)), A),
    "tile by one number": (lambda x: np.tile(x, 2), A),
    "tile a scalar": (lambda x: np.tile(x, (2, 3)), 1.5),
    "tile up": (lambda x: np.tile(x, (2, 1, 3)), A),
    "repeat": (lambda x: np.repeat(x, 3, axis=1), A),
    "roll": (lambda x: np.roll(x, 2), V),
    "roll axis": (lambda x: np.roll(x, 1, axis=1), A),
    "rot90": (np.rot90, A),
    "flipud": (np.flipud, A),
    "fliplr": (np.fliplr, A),
    "triu": (np.triu, S),
    "tril": (lambda x: np.tril(x, -1), S),
    "diag": (np.diag, V),
    "diag of matrix": (np.diag, S),
    "diagonal": (np.diagonal, S),
    "diagonal of a batch": (lambda x: np.diagonal(x, 1, 2, 0), T),
    "make_diagonal": (lambda x: np.make_diagonal(x, axis1=-1, axis2=-2), V),
    "diff": (np.diff, A),
    "diff axis": (lambda x: np.diff(x, axis=0), A),
    "gradient": (np.gradient, rng.normal(size=6)),
    "sort": (np.sort, V),
    "sort axis": (lambda x: np.sort(x, axis=0), A),
    "partition": (lambda x: np.partition(x, 1), V),
    "pad": (lambda x: np.pad(x, ((1, 2), (0, 1)), "constant"), A),
    "array": (lambda x, y: np.array([x, y, x]), A, B),
    "array of scalars": (lambda x, y: np.array([[x, y], [y, x * y]]), 2.0, 3.0),
    "concatenate": (lambda x, y: np.concatenate([x, y, x], axis=1), A, B),
    "concatenate flat": (lambda x, y: np.concatenate([x, y], axis=None), A, V),
    "stack": (lambda x, y: np.stack([x, y], -1), A, B),
    "vstack": (lambda x, y: np.vstack([x, y]), A, B),
    "hstack": (lambda x, y: np.hstack([x, y]), A, B),
    "append": (lambda x, y: np.append(x, y, 0), A, B),
    "split": (lambda x: tuple(np.split(x, 3, axis=1)[:2]), A),
    "array_split": (lambda x: np.array_split(x, 2, axis=1)[0], A),
    "vsplit": (lambda x: np.vsplit(x, 2)[1], A),
    "hsplit": (lambda x: np.hsplit(x, 3)[0], A),
    "dsplit": (lambda x: np.dsplit(x, 2)[0], T),
    "atleast": (lambda x: np.atleast_1d(x) + np.atleast_2d(x)[0] + np.atleast_3d(x)[0, 0], 2.0),
    "indexing": (lambda x: x[1, ::2], A),
    "fancy indexing": (lambda x: x[:, [0, 0, 2]], A),
    "mask": (lambda x: x[A > 0], A),
    # linear algebra
    "det": (np.linalg.det, S),
    "det of a singular matrix": (np.linalg.det, onp.arange(9.0).reshape(3, 3)),
    "inv": (np.linalg.inv, S),
    "pinv": (np.linalg.pinv, S),
    "slogdet": (lambda x: np.linalg.slogdet(x)[1], S),
    "solve": (np.linalg.solve, S, S[:, :2] + 1),
    "solve vector": (np.linalg.solve, S, V),
    "norm": (np.linalg.norm, A),
    "norm 1": (lambda x: np.linalg.norm(x, 1), V),
    "norm axis": (lambda x: np.linalg.norm(x, axis=0), A),
    "norm 3": (lambda x: np.linalg.norm(x, 3, axis=1), A),
    "nuclear norm": (lambda x: np.linalg.norm(x, "nuc"), A),
    "cholesky": (lambda x: np.linalg.cholesky(np.matmul(x, x.T) + np.eye(3)), S),
    "eigh values": (symmetric(lambda x: np.linalg.eigh(x)[0]), S),
    "svd values": (lambda x: np.linalg.svd(x, full_matrices=False)[1], A),
    # ours
    "p.power": (lambda x: p.power(x, 2.5), P),
    "p.power 3": (lambda x: p.power(x, 3), A),
    "p.power -2": (lambda x: p.power(x, -2), A),
    "p.power 0": (lambda x: p.power(x, 0), A),
    "p.power 1": (lambda x: p.power(x, 1), A),
    **{f"p.{name}": (row.fun, inside(row.fun)) for name, row in p.FUNCTIONS.items()},
    **{f"p.{name}": (row.fun, A, abs(B)) for name, row in p.PAIRS.items()},
    **{f"p.{name} broadcast": (row.fun, A, abs(V)) for name, row in p.PAIRS.items()},
    "p.copy": (p.copy, A),
    "p.scale": (lambda x: p.scale(x, -2.5), A),
    "p.divide_by": (lambda x: p.divide_by(x, -2.5), A),
    "p.rsub": (lambda x: p.rsub(x, -2.5), A),
    "p.add_scaled": (lambda x, y: p.add_scaled(x, y, -2.5), A, V),
    "p.subtract_scaled": (lambda x, y: p.subtract_scaled(x, y, -2.5), A, V),
    "p.clamp": (lambda x: p.clamp(x, -0.7, 0.7), A),
    "p.clamp below": (lambda x: p.clamp(x, -0.7, None), A),
    "p.clamp above": (lambda x: p.clamp(x, None, 0.7), A),
    "p.select": (lambda x, y: p.select(A > 0, x, y), A, B),
    "p.select broadcast": (lambda x, y: p.select(A > 0, x, y), V, A[:, :1]),
    **{
        f"p.{f.__name__}{kwargs or ''}": (lambda x, f=f, kwargs=kwargs: f(x, **kwargs), A)
        for f in (p.sum_, p.mean, p.var, p.prod, p.norm, p.logsumexp)
        for kwargs in ({}, {"axis": 0}, {"axis": -1, "keepdims": True})
    },
    "p.var ddof": (lambda x: p.var(x, axis=1, ddof=1), A),
    "p.sum_ axes": (lambda x: p.sum_(x, axis=(0, 2)), T),
    "p.mean axes": (lambda x: p.mean(x, axis=(0, -1), keepdims=True), T),
    "p.norm axes": (lambda x: p.norm(x, (0, 2)), T),
    "p.softmax": (lambda x: p.softmax(x, 1), A),
    "p.log_softmax": (lambda x: p.log_softmax(x, 0), A),
    "p.expand": (lambda x: p.expand(x, (4, 2, 3)), A),
    "p.gather": (lambda x: p.gather(x, onp.array([[0, 1, 0]]), 0), A),
    "p.scatter_add": (lambda g: p.scatter_add(g, onp.array([[0, 1, 0], [2, 2, 2]]), 0, (4, 3)), A),
    "p.set_item": (lambda x, v: p.set_item(x, (slice(None), 1), v), A, 5.0),
    "p.set_item row": (lambda x, v: p.set_item(x, 0, v), A, V),
    "p.sort": (lambda x: p.sort(x, 1, descending=True)[0], A),
    "p.index_max": (lambda x: p.index_max(x, 0)[0], A),
    "p.index_min": (lambda x: p.index_min(x, 1, keepdims=True)[0], A),
}
every_rule = pytest.mark.parametrize("fun, args", [(f, a) for f, *a in CASES.values()], ids=[str(n) for n in CASES])


def inner(a, b):
    return sum(onp.sum(x * y) for x, y in zip(leaves(a), leaves(b), strict=True))


@every_rule
def test_reverse_mode_agrees_with_finite_differences(fun, args):
    assert check_gradient(fun, *args)


@every_rule
def test_reverse_and_forward_mode_are_transposes(fun, args):
    """<u, J v> = <J^T u, v> for every cotangent u and tangent v."""
    tangents = [rng.normal(size=onp.shape(a)) for a in args]
    value, pushed = jvp(fun, args, tangents)
    cotangents = [rng.normal(size=onp.shape(leaf)) for leaf in leaves(value)]
    pulled = vjp(fun, *args)[1](cotangents)
    onp.testing.assert_allclose(inner(cotangents, pushed), inner(pulled, tangents), rtol=1e-7, atol=1e-10)


@every_rule
def test_the_gradient_can_be_differentiated_again(fun, args):
    weights = [onp.linspace(0.5, 1.0, onp.size(a)).reshape(onp.shape(a)) for a in args]
    gradient = lambda *xs: sum(np.sum(w * g) for w, g in zip(weights, vjp(curved, *xs)[1](), strict=True))
    curved = lambda *xs: sum(np.sum(leaf**2) for leaf in leaves(fun(*xs)))
    assert check_gradient(gradient, *args, tolerance=1e-6)
    tangents = [rng.normal(size=onp.shape(a)) for a in args]
    forward = jvp(gradient, args, tangents)[1]
    onp.testing.assert_allclose(
        forward, inner(grad(gradient, tuple(range(len(args))))(*args), tangents), rtol=1e-6, atol=1e-9
    )


def test_the_gradient_of_a_norm_at_zero_is_zero():
    zeros = onp.zeros((2, 3))
    assert not grad(np.linalg.norm)(zeros).any() and not grad(lambda x: np.sum(np.linalg.norm(x, axis=1)))(zeros).any()


def test_a_primitive_without_jvp_gets_it_by_transposing_its_vjp():
    """Also where autograd has one: the transposed rule gives the same tangent."""
    for op, args in {np.tanh: [A], np.multiply: [A, B], np.dot: [A, B.T], np.divide: [A, P]}.items():
        tangents = [rng.normal(size=a.shape) for a in args]
        argnums = tuple(range(len(args)))
        theirs = primitive_jvps[op](argnums, tangents, op(*args), args, {})
        onp.testing.assert_allclose(transposed(op)(argnums, tangents, op(*args), args, {}), theirs, rtol=1e-12)


def test_the_walk_back_inside_of_a_transposed_rule_is_seen_by_nobody(monkeypatch):
    """Who looks on is told of what the user asked for: not of the vjp that stands for a rule which is not there."""
    op = primitive(onp.cbrt)
    defvjp(op, lambda ans, x: lambda g: g / (3 * ans**2))
    seen: list = []
    monkeypatch.setattr(watch, "observe", lambda *step: seen.append(step))
    monkeypatch.setattr(watch, "asked", lambda what, args: seen.append(what))
    onp.testing.assert_allclose(jvp(op, (P,), (A,))[1], A / (3 * onp.cbrt(P) ** 2))
    assert seen == []
    loss = lambda x: x**2
    jacrev(loss)(3.0)
    assert seen[0] is loss


@pytest.mark.parametrize(
    ("fun", "x"),
    [
        (lambda x: np.where(True, x, onp.zeros(3)), onp.array(1.0)),
        (lambda x: np.where(x > 0, x, A), A[0]),
        (lambda x: np.where(A > 0, x, 1.0), onp.array(0.5)),
        (lambda x: np.where(A > 0, 2.0, x), A[0]),
    ],
)
def test_the_tangent_of_what_was_broadcast_has_the_shape_of_its_value(fun, x):
    value, tangent = jvp(fun, (x,), (onp.ones_like(x),))
    assert tangent.shape == value.shape
    onp.testing.assert_array_equal(jacfwd(fun)(x), jacrev(fun)(x))


def test_a_primitive_without_any_rule_says_what_to_do():
    bare = primitive(onp.cbrt)
    with pytest.raises(NotImplementedError, match=r"cbrt has no derivative rule: declare one with labkit\.custom_vjp"):
        jvp(bare, (A,), (A,))
    with pytest.raises(NotImplementedError, match="cbrt"):
        grad(bare)(A)


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: np.sum(x, where=A > 0), lambda x: np.mean(x, where=A > 0), lambda x: np.std(x, where=A > 0),
        lambda x: np.add(x, x, where=A > 0, out=None), lambda x: np.max(x, initial=9.0),
        lambda x: np.min(x, where=A > 0, initial=9.0), lambda x: np.linalg.norm(x[0], ord=onp.inf),
    ],
)  # fmt: skip
@pytest.mark.parametrize("way", [lambda f: grad(f)(A), lambda f: jvp(f, (A,), (A,))], ids=["grad", "jvp"])
@pytest.mark.filterwarnings("ignore:.*where.*:UserWarning")
def test_what_a_rule_does_not_heed_is_refused(fun, way):
    with pytest.raises(NotImplementedError, match=r"no derivative rule for (where=|initial=|ord=inf).*np\."):
        way(fun)


def test_every_rule_of_ours_is_among_the_cases():
    tried = {case.partition(" ")[0].partition("{")[0].removeprefix("p.") for case in CASES if case.startswith("p.")}
    ours = {name for room in (p.arithmetic, p.elementwise, p.moving, p.reductions) for name, op in vars(room).items()
            if p.defined_here(op) and op not in {row.fun for row in (p.FUNCTIONS | p.PAIRS).values()}}  # fmt: skip
    assert not {name for name in ours if name not in tried}


def saved_alone(op):
    """What the tape says it saves of an elementwise op's `self` and `result`, where that is one of them; else None."""
    info = namesake(op)
    saved = info.saved((0,)) if info is not None else []
    return saved[0] if saved in (["self"], ["result"]) else None


UNARY = [name for names in ELEMENTWISE for name in names.split()]


@pytest.mark.parametrize("name", [name for name in UNARY if saved_alone(getattr(np, name))])
def test_a_derivative_comes_from_what_the_tape_says_it_saves(name):
    op, x = getattr(np, name), onp.array([0.3, 0.6]) + name.endswith("cosh")
    y, lost = op(x), onp.full(2, onp.nan)
    kept = (lost, (x,)) if saved_alone(op) == "self" else (y, (lost,))
    (found,) = vjp_of(op)((0,), *kept, {})(onp.ones(2))
    assert onp.allclose(found, autograd.elementwise_grad(op)(x))


def test_autograd_keeps_its_own_rule():
    (found,) = primitive_vjps[np.tanh]((0,), onp.nan, (0.5,), {})(1.0)
    assert found == 1 / onp.cosh(0.5) ** 2
