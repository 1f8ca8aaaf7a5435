"""Cases from the comparison with PyTorch: backward, autograd.grad, grad modes, retained graphs, higher order."""

from typing import Any

from .ledger import Case, Figures, Slip, message_of

COMPARISON = ("master", "r2.3.q1")
FREED = (
    "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)


def square_plus(x, y) -> Any:
    """The documents' function: z = x² + y at (1, 2), so z = 3, dz/dx = 2, dz/dy = 1."""
    return x**2 + y


def leaves(torch) -> tuple[Any, Any]:
    return torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)


def weighted_backward(torch) -> Figures:
    leaf = torch.autograd.Variable(torch.ones(2, 2), requires_grad=True)
    doubled = leaf * 2
    less = doubled - 1
    less.backward(doubled)
    return {"grad": leaf.grad, "leaf": leaf.is_leaf, "doubled is a leaf": doubled.is_leaf}


def backward_method(torch) -> Figures:
    x, y = leaves(torch)
    before = x.grad, y.grad
    z = square_plus(x, y)
    z.backward()
    return {"before": before, "z": str(z), "d/dx": x.grad, "d/dy": y.grad}


def backward_function(torch) -> Figures:
    x, y = leaves(torch)
    z = square_plus(x, y)
    torch.autograd.backward(z)
    return {"z": str(z), "d/dx": x.grad, "d/dy": y.grad}


def grad_by_position(ms) -> Figures:
    x, y = ms.Tensor(1.0), ms.Tensor(2.0)
    return {"d/dx": ms.grad(square_plus, grad_position=0)(x, y), "d/dy": ms.grad(square_plus, grad_position=1)(x, y)}


def two_outputs(ms) -> Figures:
    x, y = ms.Tensor(1.0), ms.Tensor(2.0)

    def net(x, y):
        return square_plus(x, y), x

    return {"out": ms.grad(net, grad_position=0)(x, y), "out1": ms.grad(net, grad_position=1)(x, y)}


def first_output(ms) -> Figures:
    x, y = ms.Tensor(1.0), ms.Tensor(2.0)

    def net(x, y):
        return square_plus(x, y), x

    return {f"position {p}": ms.grad(net, grad_position=p, has_aux=True)(x, y)[0] for p in (0, 1)}


def first_output_torch(torch) -> Figures:
    x, y = leaves(torch)
    torch.autograd.backward(square_plus(x, y))
    return {"position 0": x.grad, "position 1": y.grad}


def grad_function(torch) -> Figures:
    x, y = leaves(torch)
    z = square_plus(x, y)
    return {"x": torch.autograd.grad(z, x), "y": torch.autograd.grad(z, y), "x.grad": x.grad}


def recording_off(torch) -> Figures:
    x, y = leaves(torch)
    outside = square_plus(x, y).requires_grad
    with torch.no_grad():
        inside = square_plus(x, y).requires_grad
    return {"outside": outside, "inside": inside}


def recording_on_again(torch) -> Figures:
    x, y = leaves(torch)
    with torch.no_grad():
        off = square_plus(x, y).requires_grad
        with torch.enable_grad():
            on = square_plus(x, y).requires_grad
    return {"no_grad": off, "enable_grad": on}


def nothing_recorded(ms) -> Figures:
    z = square_plus(ms.Tensor(1.0), ms.Tensor(2.0))
    return {"z": z, "has backward": hasattr(z, "backward"), "has grad": hasattr(z, "grad")}


def backward_twice(torch) -> Figures:
    x, y = leaves(torch)
    z = square_plus(x, y)
    z.backward()
    return {"error": message_of(z.backward)}


def backward_twice_retained(torch) -> Figures:
    x, y = leaves(torch)
    z = square_plus(x, y)
    z.backward(retain_graph=True)
    z.backward()
    return {"x.grad": x.grad, "y.grad": y.grad}


def accumulation(torch) -> Figures:
    x, _ = leaves(torch)
    seen = []
    for _ in range(3):
        (x**2).backward()
        seen.append(x.grad.item())
    x.grad = None
    (x**2).backward()
    return {"without clearing": tuple(seen), "after clearing": x.grad}


def no_accumulation(ms) -> Figures:
    gradient = ms.grad(lambda x: x**2)
    seen = tuple(gradient(ms.Tensor(1.0)).item() for _ in range(3))
    return {"after clearing": seen[2]}


def vector_without_cotangent(torch) -> Figures:
    x = torch.ones(2, 2, requires_grad=True)
    return {"error": message_of((x * 2).backward)}


def vector_with_cotangent(torch) -> Figures:
    x = torch.ones(2, 2, requires_grad=True)
    (x * 2).backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    return {"grad": x.grad}


def vector_with_sens(ms) -> Figures:
    x = ms.Tensor([[1.0, 1.0], [1.0, 1.0]])
    operation = ms.ops.GradOperation(sens_param=True)
    return {"grad": operation(lambda x: x * 2)(x, ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))}


def second_order(torch) -> Figures:
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return {"first": first.detach(), "second": second, "text": str(first)}


def second_order_by_nesting(ms) -> Figures:
    x = ms.Tensor(3.0)
    first = ms.grad(lambda x: x**3)
    return {"first": first(x), "second": ms.grad(first)(x)}


def hidden_graph(torch) -> Figures:
    x, y = leaves(torch)
    node = square_plus(x, y).grad_fn
    return {
        "node": node.name(),
        "next": tuple(f.name() for f, _ in node.next_functions),
        "after the power": tuple(f.name() for f, _ in node.next_functions[0][0].next_functions),
    }


ACCUMULATE = "torch::autograd::AccumulateGrad"

CASES = [
    Case("tape-cotangent", COMPARISON, "comparison", "backward of a matrix with a cotangent: only the leaf gets a gradient",
         {"grad": [[4.0, 4.0], [4.0, 4.0]], "leaf": True, "doubled is a leaf": False}, {"torch": weighted_backward},
         printed=False),
    Case("backward-method", COMPARISON, "torch.autograd.backward", "z.backward() fills .grad of the leaves, which was None",
         {"before": (None, None), "z": "tensor(3., grad_fn=<AddBackward0>)", "d/dx": 2.0, "d/dy": 1.0},
         {"torch": backward_method, "mindspore": grad_by_position}),
    Case("backward-function", COMPARISON, "torch.autograd.backward", "torch.autograd.backward(z) is the same",
         {"z": "tensor(3., grad_fn=<AddBackward0>)", "d/dx": 2.0, "d/dy": 1.0}, {"torch": backward_function}),
    Case("printed-grad-fn", ("r2.3.q1",), "torch.autograd.backward", "a result prints the node that made it",
         {"z": "tensor(3., grad_fn=)", "d/dx": 2.0, "d/dy": 1.0}, {"torch": backward_function},
         corrections={"z": Slip("tensor(3., grad_fn=<AddBackward0>)", "<AddBackward0> was taken for an HTML tag and lost")}),
    Case("two-outputs", COMPARISON, "torch.autograd.backward", "several outputs: the gradients of all of them add up",
         {"out": 3.0, "out1": 3.0}, {"mindspore": two_outputs},
         corrections={"out1": Slip(1.0, "the document prints `out` twice, not `out1`; the gradient for y is 1")}),
    Case("first-output-only", COMPARISON, "torch.autograd.backward", "has_aux=True differentiates only the first output",
         {"position 0": 2.0, "position 1": 1.0}, {"mindspore": first_output, "torch": first_output_torch}),
    Case("autograd-grad", COMPARISON, "torch.autograd.grad", "returns a tuple of gradients and leaves .grad alone",
         {"x": (2.0,), "y": (1.0,), "x.grad": None}, {"torch": grad_function}),
    Case("no-grad", COMPARISON, "torch.no_grad", "nothing is recorded inside no_grad",
         {"outside": True, "inside": False}, {"torch": recording_off}),
    Case("enable-grad", COMPARISON, "torch.enable_grad", "enable_grad records again inside no_grad",
         {"no_grad": False, "enable_grad": True}, {"torch": recording_on_again}),
    Case("forward-records-nothing", COMPARISON, "torch.no_grad", "in MindSpore a plain forward pass records nothing at all",
         {"z": 3.0, "has backward": False, "has grad": False}, {"mindspore": nothing_recorded}, printed=False),
    Case("retain-graph-missing", COMPARISON, "retain_graph", "a second backward fails: saved values were freed",
         {"error": FREED}, {"torch": backward_twice}, printed=False),
    Case("retain-graph", COMPARISON, "retain_graph", "retain_graph=True keeps them; the gradients accumulate",
         {"x.grad": 4.0, "y.grad": 2.0}, {"torch": backward_twice_retained}, printed=False),
    Case("accumulation", COMPARISON, "comparison", "backward adds to .grad until it is cleared; a gradient function does not",
         {"without clearing": (2.0, 4.0, 6.0), "after clearing": 2.0},
         {"torch": accumulation, "mindspore": no_accumulation}, printed=False),
    Case("vector-backward", COMPARISON, "torch.autograd.backward", "backward of a matrix needs a cotangent",
         {"error": "RuntimeError: grad can be implicitly created only for scalar outputs"},
         {"torch": vector_without_cotangent}, printed=False),
    Case("vector-cotangent", COMPARISON, "torch.autograd.backward", "with a cotangent: each element of it times 2",
         {"grad": [[2.0, 4.0], [6.0, 8.0]]}, {"torch": vector_with_cotangent, "mindspore": vector_with_sens}, printed=False),
    Case("create-graph", COMPARISON, "torch.autograd.backward", "higher order: record the backward pass too, or nest grad",
         {"first": 27.0, "second": 18.0, "text": "tensor(27., grad_fn=<MulBackward0>)"},
         {"torch": second_order, "mindspore": second_order_by_nesting}, printed=False),
    Case("hidden-graph", COMPARISON, "comparison", "the tape can be seen through grad_fn and next_functions",
         {"node": "AddBackward0", "next": ("PowBackward0", ACCUMULATE), "after the power": (ACCUMULATE,)},
         {"torch": hidden_graph}, printed=False),
]  # fmt: skip
