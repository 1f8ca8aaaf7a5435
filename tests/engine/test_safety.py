"""What can go wrong around a derivative: exceptions, threads, depth, and a machine without Jupyter."""

import subprocess
import sys
import threading
from itertools import product

import autograd
import autograd.numpy as np
import numpy as onp
import pytest
from autograd import tracer

from labkit.engine import grad, hvp, inside, jacfwd, jacrev, jvp, new_level, record, value_and_grad, vjp
from labkit.gradcheck import check_gradient

# ---- exceptions ----


def failing(error, depth):
    """A function whose `depth`-th nested derivative raises `error`."""

    def f(x):
        if depth == 0:
            raise error
        return x * grad(failing(error, depth - 1))(x)

    return f


def everything_is_right():
    cube = lambda x: x**3
    assert grad(grad(cube))(2.0) == 12 and jvp(grad(cube), (2.0,), (1.0,))[1] == 12
    assert grad(lambda x: x * autograd.grad(lambda y: x + y)(1.0))(1.0) == 1
    assert autograd.grad(lambda x: x * autograd.grad(lambda y: x * y)(2.0))(3.0) == 6
    assert record(cube, 2.0).gradients["x"] == 12 and check_gradient(cube, 2.0)


RUNS = {
    "grad": grad, "value_and_grad": value_and_grad, "vjp": lambda f: lambda x: vjp(f, x), "jacrev": jacrev,
    "jvp": lambda f: lambda x: jvp(f, (x,), (1.0,)), "jacfwd": jacfwd, "hvp": lambda f: lambda x: hvp(f, x, 1.0),
    "record": lambda f: lambda x: record(f, x), "autograd": autograd.grad,
    "check": lambda f: lambda x: check_gradient(f, x),
}  # fmt: skip


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()], ids=["ValueError", "KeyboardInterrupt"])
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_after_an_exception_everything_works_and_is_right(run, error, depth):
    for _ in range(3):
        with pytest.raises(type(error)):
            run(failing(error, depth))(2.0)
        everything_is_right()


def test_an_exception_on_the_way_back_leaves_everything_right():
    from labkit.engine import custom_vjp

    broken = custom_vjp(lambda x: x * 2, lambda ans, g, x: 1 // 0)
    for run in (grad(broken), lambda x: record(broken, x), grad(lambda x: x * grad(broken)(x))):
        with pytest.raises(ZeroDivisionError):
            run(1.0)
        everything_is_right()


def test_a_boxed_value_that_escaped_is_harmless():
    kept = []
    grad(lambda x: kept.append(x) or x * 2)(3.0)
    everything_is_right()
    assert grad(lambda y: y * kept[0])(5.0)._value == 3


def test_a_pull_outlives_its_function_and_others_in_between():
    _, pull = vjp(lambda x: x**3, 2.0)
    everything_is_right()
    assert pull() == [12] and grad(lambda x: x * vjp(lambda y: y * x, 3.0)[1]()[0])(4.0) == 8


def test_generators_may_be_suspended_inside_a_derivative():
    def halves(x):
        for _ in range(3):
            x = x / 2
            yield x

    assert grad(lambda x: sum(halves(x)))(1.0) == 0.875
    paused = halves(1.0)
    assert grad(lambda x: x * next(paused))(1.0) == 0.5
    everything_is_right()


# ---- threads ----


def in_threads(jobs):
    """Run all jobs at once, with threads switching often; the number of wrong answers of each."""
    wrong, start = [0] * len(jobs), threading.Barrier(len(jobs))

    def work(i, f, x, expected):
        start.wait()
        for _ in range(600 // len(jobs)):
            try:
                wrong[i] += not onp.allclose(f(x), expected)
            except Exception:
                wrong[i] += 1

    threads = [threading.Thread(target=work, args=(i, *job)) for i, job in enumerate(jobs)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        [t.start() for t in threads]
        [t.join() for t in threads]
    finally:
        sys.setswitchinterval(interval)
    return wrong


def nested_jobs(count, grad):
    """Third derivatives and mixed derivatives, different in each thread: `(function, point, right answer)`."""
    third = lambda k: (grad(grad(grad(lambda x: np.sin(k * x)))), 0.3, -(k**3) * onp.cos(0.3 * k))
    mixed = lambda k: (grad(lambda x: x * grad(lambda y: k * x * y)(2.0)), 3.0, 6 * k)
    return [(third if i % 2 else mixed)(i + 1.0) for i in range(count)]


@pytest.mark.parametrize("count", [2, 8])
def test_threads_may_differentiate_nested_functions_at_once(count):
    assert sum(in_threads(nested_jobs(count, grad))) == 0


def in_one_another(outer, middle, inner):
    """A function of x in which each derivative takes another one's variable for its own if levels go wrong: it is 18 x^2."""
    return outer(lambda x: x * middle(lambda y: x * y * inner(lambda z: x * y * z)(2.0))(3.0))


WAYS = list(product((grad, autograd.grad), repeat=3))
NAMES = ["-".join(take.__module__.partition(".")[0] for take in way) for way in WAYS]


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_labkit_and_autograd_nest_in_any_order_also_after_an_exception(way):
    failing = lambda *args: 1 / 0
    for _ in range(3):
        assert in_one_another(*way)(2.0) == 72
        for take in way:
            with pytest.raises(ZeroDivisionError):
                take(lambda x: x * way[1](failing)(x))(2.0)
    everything_is_right()


def test_and_in_threads():
    """But for autograd directly in autograd, whose levels two threads take from one another."""
    ways = [way for way in WAYS if way[:2] != (autograd.grad, autograd.grad)]
    assert sum(in_threads([(in_one_another(*way), 2.0, 72) for way in ways])) == 0


def test_and_across_threads():
    def elsewhere(x):
        found = []
        work = threading.Thread(target=lambda: found.append(autograd.grad(lambda y: x * y * y)(3.0)))
        work.start()
        work.join()
        return x * found[0]

    assert grad(elsewhere)(2.0) == 24


def test_autograd_counts_as_ever_where_no_level_of_the_engine_is_open():
    before = tracer.trace_stack.top
    with tracer.trace_stack.new_trace() as level:
        assert level == tracer.trace_stack.top == before + 1
    with inside(new_level()) as outer, tracer.trace_stack.new_trace() as level:
        assert level > outer and tracer.trace_stack.top == before
    with tracer.trace_stack.new_trace() as level:
        assert level == before + 1 and new_level() > level


def test_threads_may_push_forward_and_record_at_once():
    f = lambda x: x * np.sin(x)
    forward = lambda x: jvp(lambda y: jvp(f, (y,), (1.0,))[1], (x,), (1.0,))[1]
    recorded = lambda x: record(grad(f), x).gradients["x"]
    second = 2 * onp.cos(0.7) - 0.7 * onp.sin(0.7)
    assert sum(in_threads([(forward, 0.7, second), (recorded, 0.7, second)] * 2)) == 0


# ---- depth ----


def test_a_chain_of_20_000_ops_differentiates_without_recursion():
    def chain(x):
        for _ in range(20_000):
            x = x * 1.0001
        return x

    onp.testing.assert_allclose(grad(chain)(1.0), 1.0001**20_000)
    onp.testing.assert_allclose(jvp(chain, (1.0,), (1.0,))[1], 1.0001**20_000)


def test_a_chain_is_recorded_without_recursion():
    def chain(x):
        for _ in range(3_000):
            x = x + 1e-3
        return x

    graph = record(chain, 1.0)
    assert len(graph.steps) == 3_000 and graph.gradients["x"] == 1


def test_a_wide_fan_out_adds_up():
    assert grad(lambda x: sum([x * 1.0 for _ in range(5_000)]))(1.0) == 5_000


# ---- without Jupyter ----

BLOCKED = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Block())
"""
JUPYTER = {
    "matplotlib",
    "ipywidgets",
    "IPython",
    "jupyter",
    "jupyter_client",
    "jupyter_core",
    "traitlets",
    "anywidget",
    "notebook",
}


def run_python(code):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_engine_works_where_jupyter_and_matplotlib_are_missing():
    code = BLOCKED.format(blocked=JUPYTER) + (
        "import labkit, labkit.ops as p\n"
        "graph = labkit.trace(lambda x: p.sigmoid(x) ** 2)(0.0)\n"
        "assert str(graph) and labkit.grad(labkit.grad(lambda x: x**3))(2.0) == 12\n"
        "print(float(graph.gradients['x']), bool(labkit.check_gradient(lambda x: x**3, 2.0)))"
    )
    assert run_python(code).split() == ["0.25", "True"]


@pytest.mark.parametrize("module", ["labkit", "labkit.engine", "labkit.ops", "labkit.tracing"])
def test_importing_needs_numpy_autograd_and_the_standard_library_alone(module):
    code = (
        f"import sys, {module}\n"
        "tops = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(*sorted(name for name in tops if not name.startswith('_')))"
    )
    allowed = {"labkit", "numpy", "autograd", "cython_runtime"}
    assert set(run_python(code).split()) <= allowed | site_packages_of_the_interpreter()


def site_packages_of_the_interpreter():
    """What this interpreter imports before any code of ours runs (`.pth` files, for instance)."""
    return set(run_python("import sys; print(*{n.partition('.')[0] for n in sys.modules})").split())
