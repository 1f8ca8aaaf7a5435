"""Why a machine has no walls: the setting that forbids them is found, and the command that changes it is exact."""

import pytest

from labkit.sandbox import tried_layers
from labkit.sandbox.refusals import no_call_filter, refusal

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
    assert layers.isolated
