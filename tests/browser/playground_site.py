"""A site of the playground alone, served to this machine; and what more than one test of it runs there."""

from contextlib import contextmanager

from live_site import served

from labkit.widgets.playground import build

LINK = "#run&code=h+%3D+tanh(w*x)%0A(h+-+x)**2&dialect=numpy&in.x=2&in.w=0.5&at.step=6"
UNLEAVABLE = "x * sum(range(10**12))"  # one call into compiled code


@contextmanager
def playground(runtime, folder):
    """The address of a playground below `folder`."""
    build(folder / "playground", "../runtime")
    (folder / "runtime").symlink_to(runtime)
    with served(folder) as place:
        yield f"{place}/playground/"
