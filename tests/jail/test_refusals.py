"""Why a machine has no walls: the setting that forbids them is found, and the command that changes it is exact."""

import subprocess
import sys

import pytest

from labkit.jail import tried_layers
from labkit.jail.cgroup import new_group
from labkit.jail.refusals import no_call_filter, refusal

APPARMOR = "kernel/apparmor_restrict_unprivileged_userns"


@pytest.fixture
def machine(tmp_path):
    """`machine(setting=value)`: a root folder with these settings."""

    def made(settings):
        for name, value in settings.items():
            (tmp_path / "proc/sys" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "proc/sys" / name).write_text(f"{value}\n")
        return tmp_path

    return made


@pytest.mark.parametrize(
    "settings, is_root, told",
    [
        ({"user/max_user_namespaces": 0}, False, "sudo sysctl -w user.max_user_namespaces=10000"),
        ({"user/max_pid_namespaces": 0}, True, "sudo sysctl -w user.max_pid_namespaces=10000"),
        ({"kernel/unprivileged_userns_clone": 0}, False, "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        ({APPARMOR: 1}, False, "sudo apparmor_parser --replace /etc/apparmor.d/bwrap"),
        ({APPARMOR: 1}, True, "grade as root, or on another machine"),
        ({APPARMOR: 0, "user/max_user_namespaces": 9}, False, "no setting that labkit knows"),
    ],
)
def test_the_setting_that_forbids_namespaces_is_named_with_its_command(settings, is_root, told, machine):
    assert told in refusal("Operation not permitted", machine(settings), is_root)


def test_a_container_and_a_python_that_cannot_be_read_are_told_apart(machine):
    root = machine({})
    (root / ".dockerenv").touch()
    assert "--cap-add SYS_ADMIN --cap-add NET_ADMIN" in refusal("Operation not permitted", root, True)
    assert "bubblewrap cannot start Python" in refusal("bwrap: execvp python: No such file", root, False)


def test_a_kernel_without_seccomp_is_told_from_a_missing_library(machine):
    assert "-m pip install pyseccomp" in no_call_filter(machine({"kernel/seccomp/actions_avail": "kill"}))


@pytest.mark.needs("bubblewrap")
def test_what_the_doctor_says_was_tried():
    layers = tried_layers()
    assert layers.isolated and "memory and processors are counted" in str(layers)


def test_below_a_scope_of_systemds_the_group_is_made_beside_it(tmp_path):
    """In version 2 a group that holds processes has no limited groups below it; the folder above it may."""
    mount = tmp_path / "groups"
    above = mount / "user.slice/user@7.service/app.slice"
    (above / "run-1.scope").mkdir(parents=True)
    for folder, given in ((above / "run-1.scope", ""), (above, "memory pids"), (above.parent, "cpu memory")):
        (folder / "cgroup.subtree_control").write_text(f"{given}\n")
    (tmp_path / "cgroup").write_text("0::/user.slice/user@7.service/app.slice/run-1.scope\n")
    (tmp_path / "mountinfo").write_text(f"31 23 0:27 / {mount} rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n")
    group = new_group(100, tmp_path)
    assert {kind: folder.parent for kind, folder in group.folders.items()} == {"memory": above, "cpu": above.parent}
    assert (group.folders["memory"] / "memory.max").read_text() == str(125 << 20)


def test_where_no_group_may_be_used_there_is_none(tmp_path):
    assert new_group(100, tmp_path) is None


@pytest.fixture
def group():
    group = new_group(100)
    if group is None:
        pytest.skip("no control group may be used here")
    yield group
    group.remove()
    assert not [folder for folder in group.folders.values() if folder.exists()]


def test_a_group_counts_what_no_process_holds_any_more_and_its_end_is_that_of_all_in_it(group):
    if "memory" not in group.folders:
        pytest.skip("memory is not counted in groups here")
    code = (
        "import mmap, sys, time; sys.stdin.readline(); m = mmap.mmap(-1, 30 << 20)\n"
        "for i in range(0, len(m), 4096): m[i] = 1\nm.madvise(mmap.MADV_DONTNEED); print('let go', flush=True); time.sleep(1000)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        group.add([process.pid])
        process.stdin.write("go\n")
        process.stdin.flush()
        process.stdout.readline()
        assert 29 < group.megabytes() < 60
        group.remove()
        assert process.wait() == -9
