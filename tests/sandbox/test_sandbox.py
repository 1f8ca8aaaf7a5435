"""The walls of a sandbox: each keeps in what it is to keep in, and says so where it is missing."""

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress

import psutil
import pytest

from labkit.evidence import decode
from labkit.sandbox import CALLS, FILES, PROCESSES, USERS, Layers, Limits, NotIsolated, Sandbox, SandboxError, wire
from labkit.sandbox.bubblewrap_command import answers, environment, sites

LIMITS = Limits(megabytes=512, cpu_seconds=20, processes=12, disk_megabytes=16, all_megabytes=700)


@pytest.fixture(scope="module")
def sandbox():
    with pytest.MonkeyPatch.context() as here:
        here.setenv("LABKIT_SECRET", "secret")
        with Sandbox(LIMITS) as sandbox:
            yield sandbox


LONG = 300  # seconds that nothing here takes, on however slow a machine


def wait_for_end(processes, stay=0):
    """Fail unless all of them end, but for `stay`: the processes of the sandbox itself."""
    deadline = time.monotonic() + LONG
    while len(left := [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]) > stay:
        assert time.monotonic() < deadline, left
        time.sleep(0.01)


def value_of(sandbox, expression, before="", seconds=LONG):
    """The value of an expression in the sandbox; its error, where it raises one, as text."""
    source = f"""
import ctypes, os, resource, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
{before}
try:
    x = {expression}
except BaseException as error:
    x = "refused: " + type(error).__name__
"""
    with sandbox.session() as session:
        session.send({"steps": [{"label": "c", "source": source, "asks": ["q"]}], "binds": {"q": "x"}, "functions": [],
                      "seconds": seconds})  # fmt: skip
        said = [session.receive(seconds) for _ in range(2)]
    assert "kind" not in said[0], said[0]
    return decode(said[1]["value"])


def begin(session, source, asks=()):
    """Let a session run one cell."""
    steps = [{"label": "c", "source": source, "asks": [*asks]}]
    session.send({"steps": steps, "binds": {"f": "f"}, "functions": ["f"], "seconds": LONG})


def started(sandbox, session, source):
    """The processes in a sandbox while a program that has run this waits for us to say what to call its function with."""
    begin(session, f"{source}\ndef f(): return 1", asks=["f"])
    assert [next(iter(session.receive(LONG))) for _ in range(2)] == ["ran", "ask"]
    return psutil.Process(sandbox.pid).children(recursive=True)


def refused(sandbox, expression, before=""):
    return str(value_of(sandbox, expression, before)).startswith("refused")


# ---- files ----


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "/proc/1/cmdline", "/etc/hosts", __file__])
def test_files_of_others_cannot_be_read(sandbox, path):
    assert refused(sandbox, f"open({path!r}).read()")


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("path", ["/x", "/etc/x", "/usr/lib/x", "/dev/x", "/dev/shm/x", "/var/tmp/x", "/run/x"])
def test_nothing_can_be_written_outside_tmp(sandbox, path):
    assert refused(sandbox, f"open({path!r}, 'w')")


@pytest.mark.needs("bubblewrap")
def test_python_and_its_packages_can_be_read_and_not_changed(sandbox):
    import numpy

    assert value_of(sandbox, f"len(open({numpy.__file__!r}).read())") > 0
    assert refused(sandbox, f"open({numpy.__file__!r}, 'a')")
    assert refused(sandbox, f"open({sys.executable!r}, 'r+b')")


@pytest.mark.needs("bubblewrap")
def test_the_answers_of_the_course_are_not_there(sandbox):
    assert answers(), "this labkit's own"
    for folder in answers():
        assert value_of(sandbox, f"os.listdir({folder!r})") == []
    assert refused(sandbox, "__import__('labkit.classroom.exercises')")
    assert refused(sandbox, "__import__('labkit.grading.grader')")


@pytest.mark.needs("bubblewrap")
def test_every_program_has_a_tmp_of_its_own(sandbox):
    assert value_of(sandbox, "open('/student/x', 'w').write('kept')") == 4
    assert value_of(sandbox, "os.listdir('/student')") == []
    assert not os.path.lexists("/student")


FILL = """
n = 0
try:
    while n < 99:
        n += 1
        open(f"/student/{n}", "wb").write(bytes(1 << 20))
except OSError:
    pass
"""


@pytest.mark.needs("bubblewrap")
def test_tmp_is_small_and_nothing_in_it_can_be_run(sandbox):
    assert 10 <= value_of(sandbox, "n", FILL) <= 17
    assert refused(sandbox, "open('/student/x', 'wb').truncate(1 << 40)")
    run = "open('/student/x', 'w').write('#!/bin/sh')\nos.chmod('/student/x', 0o700)"
    assert refused(sandbox, "os.execv('/student/x', ['x'])", run)


@pytest.mark.needs("bubblewrap")
def test_the_environment_tells_nothing(sandbox):
    assert value_of(sandbox, "'LABKIT_SECRET' in os.environ") is False
    assert set(value_of(sandbox, "list(os.environ)")) <= {*environment(), "LC_CTYPE", "PWD"}


# ---- processes, network, rights ----


@pytest.mark.needs("bubblewrap")
def test_other_processes_are_not_seen(sandbox):
    assert value_of(sandbox, "os.getpid()") < 10
    assert refused(sandbox, f"os.kill({os.getpid()}, 0)")
    assert refused(sandbox, f"os.kill({sandbox.pid}, 9)") and psutil.pid_exists(sandbox.pid)


@pytest.mark.needs("bubblewrap")
def test_killing_everything_kills_the_program_alone(sandbox):
    with pytest.raises(wire.Closed):
        value_of(sandbox, "os.kill(1, 11) or os._exit(1)", "import signal")
    assert value_of(sandbox, "os.kill(-1, 9) or 'alone'") in ("alone", "refused: ProcessLookupError")
    assert value_of(sandbox, "1 + 1") == 2


@pytest.mark.needs("bubblewrap")
def test_there_is_no_network(sandbox):
    server = socket.create_server(("127.0.0.1", 0))
    hidden = socket.socket(socket.AF_UNIX)
    hidden.bind(f"\0labkit-{os.getpid()}")
    hidden.listen()
    with server, hidden:
        assert refused(sandbox, f"socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)")
        assert refused(sandbox, f"socket.socket(socket.AF_UNIX).connect('\\0labkit-{os.getpid()}')")
    assert refused(sandbox, "socket.getaddrinfo('example.org', 80)")


@pytest.mark.needs("bubblewrap")
def test_a_program_is_nobody_and_stays_nobody(sandbox):
    if os.getuid() == 0:
        assert value_of(sandbox, "os.getuid()") in USERS and refused(sandbox, "os.setuid(0)")
    assert refused(sandbox, "os.setuid(1)") and refused(sandbox, "os.setgroups([1])")
    assert value_of(sandbox, "libc.mount(b'none', b'/student', b'tmpfs', 0, None)") == -1
    assert value_of(sandbox, "libc.chroot(b'/student')") == -1
    assert value_of(sandbox, "libc.prctl(39, 0, 0, 0, 0)") == 1, "no_new_privs"


@pytest.mark.needs("bubblewrap")
def test_dangerous_calls_are_refused(sandbox):
    assert refused(sandbox, "socket.socket()") and refused(sandbox, "os.memfd_create('x')")
    assert refused(sandbox, "subprocess.run(['/usr/bin/env'])") and refused(sandbox, "os.execv(sys.executable, ['x'])")
    assert value_of(sandbox, "libc.ptrace(0, 0, 0, 0)") == -1
    assert value_of(sandbox, "libc.unshare(0x10000000)") == -1
    assert value_of(sandbox, "libc.shmget(0, 4096, 0o1600)") == -1
    assert value_of(sandbox, "libc.prctl(21, 0, 0, 0, 0)") == 2, "a filter is loaded"


FORKS = """
copies = []
try:
    while len(copies) < 99:
        copies.append(os.fork())
        if copies[-1] == 0:
            __import__("time").sleep(99)
except OSError:
    pass
for copy in copies:
    os.kill(copy, 9)
    os.waitpid(copy, 0)
"""


@pytest.mark.needs("bubblewrap")
def test_limits_hold_and_cannot_be_raised(sandbox):
    assert refused(sandbox, "bytearray(4 << 30)")
    for limit in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_FSIZE", "RLIMIT_NOFILE"):
        assert refused(sandbox, f"resource.setrlimit(resource.{limit}, (-1, -1))"), limit
    if os.getuid() == 0:  # of a user of one's own all processes count; of a common one others', too
        assert 5 <= value_of(sandbox, "len(copies)", FORKS) <= LIMITS.processes


@pytest.mark.needs("bubblewrap")
def test_processes_that_together_take_too_much_memory_are_ended(sandbox):
    source = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        b = bytearray(200 << 20)
        time.sleep(1000)
time.sleep(1000)
"""
    with sandbox.session() as session:
        begin(session, source)
        with pytest.raises(wire.Closed, match="MB"):
            session.receive(LONG)


@pytest.mark.needs("bubblewrap")
def test_memory_that_stays_when_it_is_let_go_cannot_be_had(sandbox):
    """Shared pages of no file: `MADV_DONTNEED` takes them from the process that is counted, and frees nothing."""
    assert refused(sandbox, "mmap.mmap(-1, 4096)", "import mmap")
    assert refused(sandbox, "mmap.mmap(-1, 4096, flags=3 | 0x20)", "import mmap")
    zero = "import mmap; f = os.open('/dev/zero', os.O_RDWR)"
    assert refused(sandbox, "mmap.mmap(f, 4096)", zero) and refused(
        sandbox, "mmap.mmap(f, 4096, mmap.MAP_SHARED)", zero
    )
    assert (
        value_of(sandbox, "len(mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))", "import mmap")
        == 4096
    )


@pytest.mark.needs("bubblewrap")
def test_time_is_cpu_time_of_all_processes_together(sandbox):
    """What sleeps is waited for; what is at work is told from it."""
    with sandbox.session() as session:
        begin(session, "import os\nfor _ in range(3):\n    if os.fork() == 0:\n        break\nwhile True: pass")
        with pytest.raises(wire.Spent, match="CPU"):
            session.receive(LONG, 0.3)


# ---- the end ----


@pytest.mark.needs("bubblewrap")
def test_when_a_session_ends_so_does_everything_in_it(sandbox):
    source = (
        "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(1000)\n"
    )
    with sandbox.session() as session:
        inside = started(sandbox, session, source)
    assert len(inside) >= 4
    wait_for_end(inside, stay=2)  # bubblewrap and the server


@pytest.mark.needs("bubblewrap")
def test_a_sandbox_outlives_what_its_programs_do(sandbox):
    for source in ("import os; os._exit(1)", "import ctypes; ctypes.string_at(0)", "import os; os.closerange(0, 99)"):
        with sandbox.session() as session:
            begin(session, source)
            with pytest.raises(wire.Closed):
                session.receive(LONG)
    assert value_of(sandbox, "6 * 7") == 42


@pytest.mark.needs("bubblewrap")
def test_a_program_cannot_say_that_a_wall_fell(sandbox):
    """Only before the first line of a program is that believed."""
    source = (
        "import os, json, struct\nd = json.dumps({'layers': 'x'}).encode()\nos.write(63, struct.pack('!I', len(d)) + d)"
    )
    with sandbox.session() as session:
        begin(session, source)
        assert session.receive(LONG) == {"layers": "x"}


@pytest.mark.needs("bubblewrap")
def test_a_sandbox_that_is_killed_can_be_started_again_and_stop_leaves_no_process():
    """A session that begins then is an error, or one of a new sandbox, if it is known already."""
    sandbox = Sandbox(LIMITS)
    sandbox.start()
    os.kill(sandbox.pid, signal.SIGKILL)
    with suppress(SandboxError, OSError), sandbox.session():
        pass
    sandbox.stop()
    with sandbox:
        assert value_of(sandbox, "1") == 1
        inside = [psutil.Process(sandbox.pid), *psutil.Process(sandbox.pid).children(recursive=True)]
    wait_for_end(inside)


@pytest.mark.needs("bubblewrap")
def test_two_jails_in_two_threads_do_not_meet_and_have_users_of_their_own():
    """Or the processes of one would count against the limit of the other."""
    values, together = {}, threading.Barrier(2, timeout=LONG)

    def work(i):
        with Sandbox(LIMITS) as sandbox:
            together.wait()
            values[i] = [value_of(sandbox, f"{i} * 10") for _ in range(3)], value_of(sandbox, "os.getuid()")
            together.wait()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (zeros, one), (tens, other) = values[0], values[1]
    assert (zeros, tens) == ([0] * 3, [10] * 3)
    assert one != other or os.getuid(), "only root may choose users"


# ---- where walls are missing ----


@pytest.fixture
def without_bubblewrap(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


def test_without_bubblewrap_nothing_is_run_and_it_is_said_what_to_do(without_bubblewrap):
    with pytest.raises(NotIsolated) as error:
        Sandbox(LIMITS).start()
    text = str(error.value)
    assert f"{FILES}: NO, " in text and f"{PROCESSES}: NO, " in text
    if sys.platform.startswith("linux"):
        assert "apt install bubblewrap" in text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_unsafe_still_runs_with_the_walls_that_there_are(without_bubblewrap):
    with Sandbox(LIMITS, unsafe=True) as sandbox:
        assert FILES in sandbox.layers.missing and not sandbox.layers.isolated
        assert value_of(sandbox, "1 + 1") == 2
        assert refused(sandbox, "bytearray(4 << 30)"), "limits stand"
        if CALLS in sandbox.layers.present:
            assert refused(sandbox, "socket.socket()")
        source = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)"
        with sandbox.session() as session:
            inside = started(sandbox, session, source)
            assert len(inside) >= 2
        wait_for_end(inside)  # orphans, too


def test_a_kernel_that_refuses_is_named(monkeypatch, tmp_path):
    """Bubblewrap is there, and cannot do what it is to do."""
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(NotIsolated, match="Permission denied"):
        Sandbox(LIMITS).start()


def test_a_sandbox_sees_the_packages_of_this_python():
    assert all(os.path.isdir(site) for site in sites())


@pytest.mark.needs("bubblewrap")
def test_shared_memory_is_each_programs_own_even_without_the_filter_of_calls():
    sandbox = Sandbox(LIMITS, unsafe=True)
    sandbox.layers = Layers((PROCESSES, FILES), {CALLS: "left out on purpose"})
    with sandbox:
        assert value_of(sandbox, "libc.shmget(4711, 4096, 0o1600)") >= 0  # made
        assert value_of(sandbox, "libc.shmget(4711, 4096, 0)") == -1  # the next program does not find it
