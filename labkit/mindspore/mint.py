"""`mindspore.mint`, MindSpore's functions under PyTorch's names and with PyTorch's arguments, which labkit does not implement."""

__all__: list[str] = []
__path__: list[str] = []

MINT = (
    "labkit does not implement mindspore.mint, MindSpore's functions under PyTorch's names. Write {instead}, or use"
    " labkit.torch."
)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    instead = "mindspore.nn" if name == "nn" else f"mindspore.ops.{name} or mindspore.nn.{name}"
    raise AttributeError(MINT.format(instead=instead), name=name)
