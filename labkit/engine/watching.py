"""What the reverse passes of a thread report to, whoever started them."""

from .threads import PerThread


class Watch(PerThread):
    """`observe` sees each step of a reverse pass that has no observer of its own; `node` is the one whose rule is running."""

    observe = node = None


watch = Watch()
