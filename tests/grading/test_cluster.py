"""A dask cluster of real processes gives the same grades, also when a worker is lost, and keeps no jail."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec

import pytest
from patience import HANGS, PATIENT
from walls import needs_walls

from labkit.grading.cluster import ClusterError, grade_on_cluster
from labkit.grading.collecting import collect
from labkit.grading.grader import Settings
from labkit.grading.pool import Work, grade_here, is_graded, work_of
from labkit.jail import NotIsolated

pytestmark = [
    pytest.mark.skipif(not find_spec("distributed"), reason='pip install "labkit[cluster]"'),  # to import it takes long
    needs_walls,
    pytest.mark.filterwarnings("ignore:.*(unclosed|never awaited|Port .* in use).*", "ignore::FutureWarning"),
]
SETTINGS = Settings(seed=3, pace=PATIENT)
CLUSTER = """
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        print(cluster.scheduler_address, flush=True)
        input()
"""


class Cluster:
    """A scheduler with two workers, in processes of their own; one for all tests, and the last one kills it."""

    def __init__(self, folder):
        (folder / "cluster.py").write_text(CLUSTER)
        self.process = subprocess.Popen(
            [sys.executable, str(folder / "cluster.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.scheduler_address = self.process.stdout.readline().strip()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.process.communicate()


@pytest.fixture(scope="module")
def connection(cluster):
    from distributed import Client

    with Client(cluster.scheduler_address, set_as_default=False, timeout=1200) as client:
        yield client


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A slow machine may take longer to connect than people are asked to wait."""
    monkeypatch.setattr("labkit.grading.cluster.PATIENCE", 1200)


@pytest.fixture
def client(connection):
    connection.wait_for_workers(2, timeout=1200)
    return connection


@pytest.fixture(scope="module")
def works(handout, tmp_path_factory):
    root = tmp_path_factory.mktemp("submitted")
    handout.class_of(root, 8)
    return [work_of(submission) for submission in collect(root, "a1", handout.source).submissions]


@pytest.fixture(scope="module")
def in_turn(handout, works, one_jail):
    with one_jail():
        return sorted_without_seconds(grade_here(handout.assignment, SETTINGS, works))


def sorted_without_seconds(results):
    return sorted((replace(result, seconds=0.0) for result in results), key=lambda result: result.student)


def jails_of(client, family):
    """The jails that the workers have now."""
    return [jail for pid in client.run(os.getpid).values() for jail in family(pid).jails()]


def no_jail_soon(client, family, seconds=300.0):
    deadline = time.monotonic() + seconds
    while left := jails_of(client, family):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def test_a_cluster_gives_the_same_results_has_few_under_way_and_ends_also_what_an_earlier_run_has_left(
    handout, works, in_turn, cluster, client, family
):
    def left_by_somebody_who_was_killed(assignment, work):
        from labkit.grading.cluster import grade_there

        grade_there("earlier", assignment, SETTINGS, work)

    worker = next(iter(client.scheduler_info(n_workers=-1)["workers"]))
    client.run(left_by_somebody_who_was_killed, handout.assignment, works[0], workers=[worker])
    assert jails_of(client, family)
    taken, came = [], []
    counted = (taken.append(work) or work for work in works)
    for result in grade_on_cluster(handout.assignment, SETTINGS, counted, cluster.scheduler_address):
        came.append(result)
        assert len(taken) - len(came) <= 4
    assert sorted_without_seconds(came) == in_turn
    no_jail_soon(client, family)


def test_closing_waits_for_nothing_and_leaves_no_jail_when_what_runs_is_done(
    handout, works, cluster, client, family, tmp_path
):
    data = handout.notebook({"port-to-torch": HANGS})
    hanging = [Work(f"z{i}", data) for i in range(6)]
    for seconds in (5.0, 60.0):  # on a slow machine, the shorter may be over when one looks
        slow = replace(SETTINGS, pace=replace(PATIENT, call=seconds))
        graded = grade_on_cluster(handout.assignment, slow, [works[0], *hanging], cluster.scheduler_address)
        next(graded)
        graded.close()
        still_running = jails_of(client, family)
        no_jail_soon(client, family)
        if still_running:
            break
    assert still_running, "it has waited for what ran"


# ---- clusters that cannot grade ----


@pytest.fixture
def impatient(patient, monkeypatch):
    monkeypatch.setattr("labkit.grading.cluster.PATIENCE", 2)


def test_where_no_scheduler_answers_one_is_told_soon(handout, works, impatient):
    with pytest.raises(ClusterError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:1 .*dask scheduler"):
        list(grade_on_cluster(handout.assignment, SETTINGS, works, "tcp://127.0.0.1:1"))


def test_a_scheduler_without_workers_says_how_to_start_some(handout, works, impatient):
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=None, processes=False, silence_logs=50) as empty:
        address = empty.scheduler_address
        with pytest.raises(ClusterError, match=f"no workers. Start some: dask worker {address}"):
            list(grade_on_cluster(handout.assignment, SETTINGS, works, address))


def changed(client, code, undo):
    """Change one worker; returns its address and what changes it back."""
    worker = sorted(client.scheduler_info(n_workers=-1)["workers"])[0]
    client.run(exec, code, workers=[worker])
    return worker, lambda: client.run(exec, undo, workers=[worker])


def test_a_worker_without_labkit_is_named(handout, works, cluster, client):
    take = (
        "import sys; sys.kept = {n: m for n, m in sys.modules.items() if n == 'labkit'}; sys.modules['labkit'] = None"
    )
    give = "import sys; del sys.modules['labkit']; sys.modules.update(sys.kept)"
    worker, undo = changed(client, take, give)
    try:
        with pytest.raises(ClusterError, match=f"the worker {worker} cannot import labkit.*pip install"):
            list(grade_on_cluster(handout.assignment, SETTINGS, works, cluster.scheduler_address))
    finally:
        undo()


def test_a_worker_of_another_version_is_named(handout, works, cluster, client):
    take = "import labkit; labkit.kept, labkit.__version__ = labkit.__version__, '0.0.0'"
    worker, undo = changed(client, take, "import labkit; labkit.__version__ = labkit.kept")
    try:
        with pytest.raises(ClusterError, match=f"the worker {worker} has labkit 0.0.0; expected"):
            list(grade_on_cluster(handout.assignment, SETTINGS, works, cluster.scheduler_address))
    finally:
        undo()


def test_a_worker_without_bubblewrap_is_named(handout, works, cluster, client):
    take = "import os; os.environ['KEPT'], os.environ['PATH'] = os.environ['PATH'], '/nowhere'"
    worker, undo = changed(client, take, "import os; os.environ['PATH'] = os.environ['KEPT']")
    try:
        with pytest.raises(NotIsolated, match=rf"on the worker {worker}:(.|\n)*apt install bubblewrap"):
            list(grade_on_cluster(handout.assignment, SETTINGS, works, cluster.scheduler_address))
    finally:
        undo()


def test_a_file_that_costs_many_workers_is_for_a_person(handout, works, monkeypatch):
    from distributed import KilledWorker

    from labkit.grading import cluster as module

    class Lost:
        def result(self):
            raise KilledWorker("task", None, 3)

    result = module._result(Lost(), handout.assignment, SETTINGS, works[0], "tcp://nowhere")
    assert not is_graded(result) and "workers were lost" in result.notes[0]


# ---- what is lost; from here on, the cluster is no longer whole ----


def test_a_worker_that_is_killed_costs_nothing_and_nothing_is_graded_twice(
    handout, works, in_turn, cluster, client, family
):
    came = []
    for result in grade_on_cluster(handout.assignment, SETTINGS, works, cluster.scheduler_address):
        came.append(result)
        if len(came) == 3:
            victim = next(pid for pid in client.run(os.getpid).values() if family(pid).jails())
            theirs = family(victim)
            os.kill(victim, signal.SIGKILL)
            theirs.wait_for_end()
    assert sorted_without_seconds(came) == in_turn
    no_jail_soon(client, family)


def test_a_scheduler_that_goes_away_is_told(handout, works, cluster, connection, monkeypatch):
    connection.close()
    for patience in (10, 100, 1000):  # to connect, on a slow machine; for so long one then looks for what is gone
        monkeypatch.setattr("labkit.grading.cluster.PATIENCE", patience)
        graded = grade_on_cluster(handout.assignment, SETTINGS, works, cluster.scheduler_address)
        with suppress(ClusterError):
            next(graded)
            break
    cluster.process.kill()
    cluster.process.wait()
    with pytest.raises(ClusterError, match="gone"):
        list(graded)
