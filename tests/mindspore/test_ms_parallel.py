"""Data parallel training: the gradients of several processes, for real, against those of one process with all the data."""

import json
import math
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit import parallel
from labkit.mindspore import Tensor, communication, nn, ops

WORKER = Path(__file__).with_name("data_parallel_worker.py")


def mpirun(ranks, *command):
    """Run a Python command in several processes; a hang fails the test."""
    launch = ["mpiexec", "-n", str(ranks), sys.executable, *map(str, command)]
    return subprocess.run(launch, capture_output=True, text=True, timeout=60)


def close(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.fixture(scope="module", params=[2, 4])
def ranks(request):
    """What two and four ranks have computed; `ranks["size"]` is how many they were."""
    done = mpirun(request.param, WORKER)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return json.loads(done.stdout) | {"size": request.param}


@pytest.fixture(scope="module")
def worker():
    """The module that the ranks run, in this one process."""
    sys.path.insert(0, str(WORKER.parent))
    try:
        yield __import__(WORKER.stem)
    finally:
        sys.path.remove(str(WORKER.parent))


@pytest.fixture(scope="module")
def big_batch(worker):
    return worker.flat(worker.gradients(worker.Net(), *worker.data()))


@pytest.mark.needs("mpi")
def test_every_process_knows_its_place(ranks):
    assert ranks["place"] == [ranks["size"], ranks["size"]]


@pytest.mark.needs("mpi")
def test_the_mean_of_equal_shards_is_the_gradient_of_the_big_batch(ranks, big_batch):
    close(ranks["mean"], big_batch)
    close(ranks["sum"], np.multiply(ranks["size"], big_batch))


@pytest.mark.needs("mpi")
@pytest.mark.parametrize("mode", ["five steps", "five steps compiled"])
def test_five_steps_are_five_steps_with_the_big_batch(ranks, worker, mode):
    close(ranks[mode], worker.trained(ms.PYNATIVE_MODE, *worker.data()))


@pytest.mark.needs("mpi")
def test_unequal_shards_have_to_be_weighted(ranks, big_batch):
    close(ranks["uneven"]["weighted"], big_batch)
    assert np.max(np.abs(np.subtract(ranks["uneven"]["plain"], big_batch))) > 0.05


@pytest.mark.needs("mpi")
def test_clipping_before_the_mean_is_another_step(ranks):
    workers = ranks["size"]
    close(ranks["clipping"]["clip, mean"], [1 / workers, 0.3 / workers], 1e-6)
    close(ranks["clipping"]["mean, clip"], [1.0, 0.01], 1e-4)


@pytest.mark.needs("mpi")
def test_float16_is_added_in_float32_and_float64_stays(ranks):
    assert ranks["precision"]["dtypes"] == ["Float16", "Float64"]
    assert ranks["precision"]["mean of 40000"] == [40000, 40000]  # the sum alone is beyond float16
    assert ranks["precision"]["sum of 40000"] == [math.inf, math.inf]


@pytest.mark.needs("mpi")
def test_an_overflow_on_one_rank_skips_the_step_on_all(ranks):
    history = np.array(ranks["overflow"])  # step, rank, (finite here, finite everywhere, scale, weights ...)
    assert history[1, :, 0].tolist() == [float(rank != 1) for rank in range(ranks["size"])]
    assert np.all(history[:, :, 1] == [[1.0], [0.0], [1.0], [1.0]])
    assert np.all(history[:, :, 2] == [[1024.0], [512.0], [512.0], [512.0]])
    assert np.all(history[:, :1, 1:] == history[:, :, 1:])  # bit for bit the same on every rank
    assert np.all(history[1, :, 3:] == history[0, :, 3:])
    assert np.all(np.any(history[2, :, 3:] != history[1, :, 3:], axis=-1))


@pytest.mark.needs("mpi")
@pytest.mark.parametrize("cell", ["cell", "cell compiled", "own cell", "own cell compiled"])
def test_cells_with_a_loss_scale_skip_together_and_step_as_the_big_batch(ranks, worker, cell):
    history = np.array(ranks["scaled"][cell])  # rank, step, (overflow, scale, weights ...)
    kind = worker.ClippingStep if cell.startswith("own") else nn.TrainOneStepWithLossScaleCell
    alone = worker.scaled_steps(kind, ms.PYNATIVE_MODE, slice(None), bad_rank=0)
    assert history[0, :, :2].tolist() == [[0.0, 1024.0], [1.0, 512.0], [0.0, 512.0], [0.0, 512.0]]
    assert np.all(history == history[:1])
    close(history[0], alone)


@pytest.mark.needs("mpi")
def test_collective_ops_and_their_gradients(ranks):
    place = np.arange(1.0, ranks["size"] + 1)  # what each rank gives, and how it weighs the result
    found, total = ranks["collectives"], place.sum()
    values = {"sum": total, "max": place[-1], "min": 1.0, "prod": place.prod(), "avg": place.mean()}
    assert found["values"] == {op: [value] for op, value in values.items()}
    last = (place == place[-1]) * total
    expected = {
        "sum": total, "avg": place.mean(), "prod": total * place.prod() / place, "max": last,
        "second": 6 * total * ranks["size"] ** 2,
    }  # fmt: skip
    for name, value in expected.items():
        close(found["grads"][name], np.broadcast_to(value, place.shape))


@pytest.mark.needs("mpi")
def test_a_program_exchanges_when_it_runs(ranks):
    place = np.arange(1.0, ranks["size"] + 1)
    found = ranks["collectives"]["grads"]
    assert found["jit sum"] == found["jit constant"] == found["jit sens"] == [place.sum()] * ranks["size"]
    assert found["jit grad"] == [ranks["size"]] * ranks["size"]


@pytest.mark.needs("mpi")
def test_ranks_may_compile_at_different_times(ranks):
    assert ranks["recompiled"] == [3.0 * ranks["size"] - 1, 2.0 * ranks["size"]]


# ---- ranks in turn ----

IN_TURN = {
    "uneven": "uneven", "clipping": "clipping", "precision": "precision", "recompiled": "recompiled",
    "joined again": "joined_again",
}  # fmt: skip


@pytest.mark.needs("mpi")
@pytest.mark.parametrize("name", IN_TURN)
def test_ranks_that_run_in_turn_compute_what_processes_do(ranks, worker, name):
    found = parallel.in_turn(getattr(worker, IN_TURN[name]), ranks["size"])
    assert json.loads(json.dumps(found[0])) == ranks[name]
    assert name in ("recompiled", "precision") or found == found[:1] * ranks["size"]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_steps_in_turn_are_steps_with_the_big_batch(settings, worker, mode):
    x, y = worker.data()

    def rank():
        communication.init()
        ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
        part = worker.even()
        return worker.trained(mode, x[part], y[part])

    found = parallel.in_turn(rank, 3)
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.STAND_ALONE, gradients_mean=False)
    assert found[0] == found[1] == found[2]
    close(found[0], worker.trained(ms.PYNATIVE_MODE, x, y))
    assert communication.get_group_size() == 1


def test_ranks_in_turn_print_once_each_in_their_order(capsys):
    def rank():
        for _ in range(3):
            total = ops.AllReduce()(Tensor(np.array([1.0 + communication.get_rank()])))
            print(communication.get_rank(), total)

    parallel.in_turn(rank, 2)
    assert capsys.readouterr().out == "0 [3.]\n" * 3 + "1 [3.]\n" * 3


IN_TURN_FAILURES = {
    "raise ValueError('bad batch')": (ValueError, "bad batch"),
    "return": (RuntimeError, "rank 0 waits in AllReduce(sum) of float32[2], but rank 1 has ended"),
    "x = ops.ones((3,))": (RuntimeError, "that of rank 0 is AllReduce(sum) of float32[2]"),
    "ops.AllReduce('max')(x)": (RuntimeError, "exchange 1 of rank 1 is AllReduce(max) of float32[2]"),
    "drawn.append(1); x = x * len(drawn)": (
        RuntimeError,
        "rank 1 sent other values in exchange 1 when it ran the last time",
    ),
}


@pytest.mark.parametrize("does", IN_TURN_FAILURES)
def test_a_rank_in_turn_that_goes_its_own_way_is_an_error(does):
    kind, message = IN_TURN_FAILURES[does]
    names = {"ops": ops, "get_rank": communication.get_rank, "drawn": []}
    code = f"x = ops.ones((2,))\n    if get_rank() == 1:\n        {does}\n    ops.AllReduce()(ops.AllReduce()(x))"
    exec(f"def rank():\n    {code}", names)
    with pytest.raises(kind, match=re.escape(message)) as raised:
        parallel.in_turn(names["rank"], 3)
    assert "waits" in message or raised.value.__notes__ == ["This was rank 1 of 3."]
    assert parallel.member().size == 1


@pytest.mark.parametrize("size", [0, 2.0, "2"])
def test_a_number_of_ranks_is_asked_for(size):
    with pytest.raises(ValueError, match="expected a number of ranks, 1 or more, but got"):
        parallel.in_turn(print, size)


# ---- a rank that does not come ----

FAILURES = {
    "raises": ("raise ValueError('bad batch')", "rank 1 failed: ValueError: bad batch"),
    "ends": ("sys.exit(0)", "rank 0 waits in AllReduce(sum) of float32[2], but rank 1 has ended"),
    "is killed": ("os.kill(os.getpid(), 9)", None),  # mpiexec ends the others
    "wrong shape": ("x = ops.ones((3,))", "exchange 1 of rank 1 is AllReduce(sum) of float32[3]"),
    "another op": ("ops.AllReduce('max')(x)", "exchange 1 of rank 1 is AllReduce(max) of float32[2]"),
    "is late": ("ms.set_context(op_timeout=60); time.sleep(1.5)", "rank 0 has waited 1 s in AllReduce(sum)"),
}


@pytest.mark.needs("mpi")
@pytest.mark.parametrize("what", FAILURES)
def test_a_rank_that_does_not_come_is_an_error_not_a_hang(what, tmp_path):
    does, message = FAILURES[what]
    script = f"""
        import os, sys, time
        import labkit.mindspore as ms
        from labkit.mindspore import ops
        from labkit.mindspore.communication import get_rank, init

        init()
        ms.set_context(op_timeout=1 if {what == "is late"} else 60)
        x = ops.ones((2,))
        if get_rank() == 1:
            {does}
        ops.AllReduce()(x)
        print("not reached")
    """
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(script))
    start = time.monotonic()
    done = mpirun(2, path)
    assert done.returncode != 0 and time.monotonic() - start < 20
    assert message is None or message in done.stderr
    assert what == "is late" or "not reached" not in done.stdout


@pytest.mark.needs("mpi")
def test_after_an_error_all_can_leave_and_join_again(ranks):
    assert ranks["joined again"] == [ranks["size"]]


BEFORE_INIT = """
import os, sys
from labkit.mindspore import communication, ops

if os.environ["PMI_RANK"] == "1":
    raise {}
communication.init()
ops.AllReduce()(ops.ones((2,)))
"""


@pytest.mark.needs("mpi")
def test_a_failure_before_init_ends_all(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(BEFORE_INIT.format("ValueError('no file')"))
    done = mpirun(2, path)
    assert done.returncode != 0 and "ValueError: no file" in done.stderr


@pytest.mark.needs("mpi")
@pytest.mark.parametrize("way", ["ValueError(f'no file {sys.argv[1]}')", "SystemExit(0)"])
def test_the_runner_joins_before_the_script_begins(way, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(BEFORE_INIT.format(way))
    done = mpirun(2, "-m", "labkit.parallel", path, "digits.npz")
    message = "rank 1 has ended" if "Exit" in way else "rank 1 failed: ValueError: no file digits.npz"
    assert done.returncode != 0 and message in done.stderr


@pytest.mark.needs("mpi")
def test_a_process_that_a_rank_starts_is_no_rank():
    child = "import labkit.parallel as p; print(p.launched(), p.member().size); raise SystemExit(3)"
    script = f"import subprocess, sys, labkit.parallel; print(subprocess.call([sys.executable, '-c', {child!r}]))"
    assert mpirun(1, "-c", script).stdout.split() == ["False", "1", "3"]


@pytest.mark.needs("mpi")
def test_a_process_that_has_not_joined_is_told_to():
    script = "from labkit.mindspore import ops; ops.AllReduce()(ops.ones((2,)))"
    done = mpirun(2, "-c", script)
    assert done.returncode != 0 and "Please call `init()` method first" in done.stderr


def in_an_engine(mistake):
    """For an engine of ipyparallel: a sum over the ranks, after an error of rank 1 if there is to be one."""
    import labkit.mindspore as ms
    from labkit.mindspore import Tensor, ops
    from labkit.mindspore.communication import get_rank, init, release

    release()
    init()
    ms.set_context(op_timeout=1)
    if mistake and get_rank() == 1:
        raise ValueError("bad batch")
    return ops.AllReduce()(Tensor([1.0])).asnumpy().tolist()


@pytest.mark.needs("mpi")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_engines_of_a_notebook_are_ranks(monkeypatch):
    import ipyparallel

    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    with ipyparallel.Cluster(engines="mpi", n=2, log_level=40) as engines:
        assert engines[:].apply_sync(in_an_engine, False) == [[2.0], [2.0]]
        with pytest.raises(ipyparallel.error.CompositeError) as caught:
            engines[:].apply_sync(in_an_engine, True)
        assert {e[0] for e in caught.value.elist} == {"RuntimeError", "ValueError"}
        assert engines[:].apply_sync(in_an_engine, False) == [[2.0], [2.0]]


# ---- one process ----


@pytest.fixture
def settings():
    yield
    ms.reset_auto_parallel_context()
    communication.release()


def test_one_process_needs_no_mpi(settings):
    script = (
        "import sys; sys.modules['mpi4py'] = None\n"
        "from labkit.mindspore import communication, ops\n"
        "communication.init(); ops.AllReduce()(ops.ones((2,)))\n"
        "print(communication.get_rank(), communication.get_group_size())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "0 1\n", done.stderr


def test_several_processes_without_mpi4py_are_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.setenv("PMI_RANK", "0")
    monkeypatch.setenv(parallel.OWNER, str(os.getpid()))
    with pytest.raises(ImportError, match=r"pip install .*parallel\]"):
        communication.init()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_in_one_process_gradients_stay_as_they_are(mode):
    weights = [ms.Parameter(Tensor([1.0, 2.0]), name="w")]
    grads = (Tensor([3.0, 4.0]),)
    ms.set_context(mode=mode)
    try:
        (same,) = nn.DistributedGradReducer(weights, mean=True)(grads)
        (shared,) = nn.DistributedGradReducer(weights, mean=True, degree=4)(grads)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert same.asnumpy().tolist() == [3.0, 4.0]
    assert shared.asnumpy().tolist() == [0.75, 1.0]


def test_a_parameter_of_one_rank_keeps_its_gradient():
    own = ms.Parameter(Tensor([1.0]), name="own", layerwise_parallel=True)
    shared = ms.Parameter(Tensor([1.0]), name="shared")
    found = nn.DistributedGradReducer([own, shared], mean=True, degree=2)((Tensor([8.0]), Tensor([8.0])))
    assert [float(g.asnumpy()[0]) for g in found] == [8.0, 4.0]


def test_the_settings_of_the_real_framework(settings):
    for name in ("device_num", "global_rank", "gradients_mean", "parallel_mode"):
        assert ms.get_auto_parallel_context(name) in (1, 0, False, "stand_alone")
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=4)
    assert ms.get_auto_parallel_context("device_num") == 4
    weights = nn.Dense(2, 1).trainable_params()
    assert nn.DistributedGradReducer(weights).mean is True
    ms.reset_auto_parallel_context()
    assert nn.DistributedGradReducer(weights).mean is False


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda: ms.set_auto_parallel_context(foo=3), ValueError, "Set context keyword foo is not recognized!"),
    (lambda: ms.get_auto_parallel_context("foo"), ValueError, "Get context keyword foo is not recognized!"),
    (lambda: ms.set_auto_parallel_context(device_num="a"), TypeError, "must be <class 'int'>, but got <class 'str'>"),
    (lambda: ms.set_auto_parallel_context(parallel_mode="foo"), ValueError, "but got the value : foo."),
    (lambda: communication.init("foo"), RuntimeError, "but got 'backend_name' : foo"),
    (lambda: nn.DistributedGradReducer([], True, 0), ValueError, "should large than 0 and be int, degree: 0."),
    (lambda: nn.DistributedGradReducer([], True, 1)((Tensor(1.0),)), ValueError, "expected 0 gradients"),
    (lambda: ops.AllReduce("foo"), ValueError, "the 'op' must be one of"),
    (lambda: ops.AllReduce()(Tensor([True])), TypeError, "but got Bool"),
])  # fmt: skip
def test_errors(wrong, error, message):
    with pytest.raises(error) as caught:
        wrong()
    assert message in str(caught.value)
