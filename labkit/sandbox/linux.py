"""System calls of Linux through libc: namespaces, private file systems, dropped privileges, a seccomp filter.

Each function raises OSError where the kernel refuses. `unshare(2)`, `mount(2)`, `prctl(2)` and `capabilities(7)` of the
Linux manual pages describe them.
"""

import ctypes
import errno
import os
import resource
from tempfile import TemporaryFile

NEW_MOUNTS, NEW_HOSTNAME, NEW_IPC, NEW_PIDS, NEW_NETWORK = 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x40000000
_NO_SUID, _NO_DEVICES, _NO_EXEC, _PRIVATE = 2, 4, 8, 1 << 18 | 1 << 14
_DIE_WITH_PARENT, _NOT_DUMPABLE, _SECCOMP, _CHILD_SUBREAPER, _NO_NEW_PRIVILEGES = 1, 4, 22, 36, 38

# System calls that no answer needs, and that a way out of the sandbox might, or one to memory that no limit counts (memfd,
# System V's shared memory and queues): they fail with EPERM.
FORBIDDEN_CALLS = (
    "acct", "add_key", "bpf", "chroot", "execve", "execveat", "fanotify_init", "fsconfig", "fsmount", "fsopen",
    "init_module", "finit_module", "delete_module", "io_uring_enter", "io_uring_register", "io_uring_setup", "kcmp",
    "kexec_load", "keyctl", "lookup_dcookie", "memfd_create", "memfd_secret", "mount", "mount_setattr", "move_mount",
    "mq_open", "msgget", "name_to_handle_at", "open_by_handle_at", "open_tree", "perf_event_open", "personality",
    "pidfd_getfd", "pidfd_open", "pivot_root", "process_vm_readv", "process_vm_writev", "ptrace", "quotactl",
    "reboot", "request_key", "semget", "setns", "shmget", "socket", "swapoff", "swapon", "syslog", "umount2",
    "unshare", "userfaultfd",
)  # fmt: skip


def _call(function, *arguments, what=""):
    """Call a function of libc; `what` it does is in the error, its own name otherwise."""
    if getattr(ctypes.CDLL(None, use_errno=True), function)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what or function}: {os.strerror(code)}")


def unshare(flags: int) -> None:
    """Leave the namespaces in `flags` for new ones; a new PID namespace begins with the next child."""
    _call("unshare", flags)


def enter(process: int, flags: int) -> None:
    """Come back to namespaces that a process is in; `process` is a file descriptor of `os.pidfd_open` (Linux 5.8)."""
    _call("setns", process, flags)


def private_mounts() -> None:
    """What is mounted from here on is seen in this mount namespace alone."""
    _call("mount", b"none", b"/", None, ctypes.c_ulong(_PRIVATE), None, what="making the mounts private")


def mount_tmpfs(folder: str, megabytes: int, uid: int) -> None:
    """A new, empty folder in memory, writable by `uid` alone."""
    options = f"size={megabytes}m,nr_inodes=4096,mode=0700,uid={uid},gid={uid}".encode()
    flags = ctypes.c_ulong(_NO_SUID | _NO_DEVICES | _NO_EXEC)
    _call("mount", b"tmpfs", folder.encode(), b"tmpfs", flags, options, what=f"an empty {folder}")


def _prctl(option, value):
    _call("prctl", option, ctypes.c_ulong(value), 0, 0, 0)


def become_subreaper() -> None:
    """Processes that lose their parent become our children, so that we can end them."""
    _prctl(_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """SIGKILL when the parent ends; to be called after a change of user, which forgets it."""
    _prctl(_DIE_WITH_PARENT, 9)


def forbid_new_privileges() -> None:
    """No program started from here on gains rights by being set-uid or by file capabilities."""
    _prctl(_NO_NEW_PRIVILEGES, 1)


def hide_memory() -> None:
    """No other process of this user may look into our memory, and no core file is written."""
    _prctl(_NOT_DUMPABLE, 0)


def drop_capabilities() -> None:
    """Give up every capability: effective, permitted and inheritable."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this process
    _call("capset", header, (ctypes.c_uint32 * 6)())


def become(uid: int) -> None:
    """Be the user and group `uid` alone, where we have the right to; otherwise stay who we are."""
    if os.geteuid() == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EINVAL):  # in a user namespace there may be one user only
                raise


def limit(megabytes: int, cpu_seconds: int, processes: int, file_megabytes: int, files: int) -> None:
    """Limits of this process and each of its children; memory counts on top of what is mapped now."""
    most = {
        "AS": _mapped() + (megabytes << 20), "CPU": cpu_seconds, "NPROC": processes, "FSIZE": file_megabytes << 20,
        "NOFILE": files, "CORE": 0,
    }  # fmt: skip
    for name, value in most.items():
        which = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))


def forget_limits() -> None:
    """Take back the soft limits on data and CPU time: they were meant for the process that started this one."""
    for which in (resource.RLIMIT_DATA, resource.RLIMIT_CPU):
        hard = resource.getrlimit(which)[1]
        resource.setrlimit(which, (hard, hard))


def _mapped():
    """Bytes of address space in use; without /proc, a guess for Python with NumPy."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 30


def call_filter() -> bytes:
    """A seccomp filter that refuses `FORBIDDEN_CALLS`, as the kernel reads it: see `load_filter`. Needs pyseccomp.

    It is made outside a sandbox, so that a sandbox needs neither pyseccomp nor libseccomp to load it.
    """
    import pyseccomp

    refuse = pyseccomp.ERRNO(errno.EPERM)
    chosen = pyseccomp.SyscallFilter(defaction=pyseccomp.ALLOW)
    for name in FORBIDDEN_CALLS:
        try:
            chosen.add_rule(refuse, name)
        except (ValueError, OSError):  # this kernel or processor has no such call
            continue
    chosen.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags cannot be looked at: libc falls back to clone
    shared = 0x01 | 0x20  # and of no file: what is let go of such memory stays, and no limit of a process counts it
    chosen.add_rule(refuse, "mmap", pyseccomp.Arg(3, pyseccomp.MASKED_EQ, shared, shared))
    for flag in (NEW_MOUNTS, NEW_HOSTNAME, NEW_IPC, NEW_PIDS, NEW_NETWORK, 0x10000000, 0x2000000):  # user, cgroup
        chosen.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    with TemporaryFile() as file:
        chosen.export_bpf(file)
        file.seek(0)
        return file.read()


def load_filter(chosen: bytes) -> None:
    """Refuse calls from here on, in this process and its children, for ever; after `forbid_new_privileges`."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))

    program = Program(len(chosen) // 8, chosen)
    _call("prctl", _SECCOMP, ctypes.c_ulong(2), ctypes.byref(program), 0, 0, what="loading the system-call filter")
