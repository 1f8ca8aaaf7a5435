"""What goes wrong says so: an expression, and the error (or the value, where it is none after all)."""

import ast
from pathlib import Path
from string import Formatter

import pytest

import labkit.torch as torch
import labkit.torch.nn.functional as F  # noqa: F401
from labkit.torch._error_texts import _texts

# fmt: off
RAISED = [
    ("torch.ones(2,3)@torch.ones(2,3)", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    ("torch.ones(2,3)@torch.ones(2)", "RuntimeError: size mismatch, got input (2), mat (2x3), vec (2)"),
    ("torch.ones(2)@torch.ones(3)",
     "RuntimeError: inconsistent tensor size, expected tensor [2] and src [3] to have the same number of "
     "elements, but got 2 and 3 elements respectively"),
    ("torch.nn.LayerNorm(2)(torch.ones(2).numpy())",
     "TypeError: layer_norm(): argument 'input' (position 1) must be Tensor, not numpy.ndarray"),
    ("F.max_pool2d(torch.ones(1,2,2).numpy(), 2)",
     "TypeError: max_pool2d(): argument 'input' (position 1) must be Tensor, not numpy.ndarray"),
    ("torch.ones(2)+torch.ones(3)",
     "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
     "dimension 0"),
    ("torch.logsumexp(torch.ones(2,0),1)", "tensor([-inf, -inf])"),
    ("F.log_softmax(torch.ones(2,0),1)", "tensor([], size=(2, 0))"),
    ("__import__('copy').copy(torch.ones(1, requires_grad=True) * 2)", "tensor([2.], requires_grad=True)"),
    ("F.cross_entropy(torch.ones(0,3), torch.zeros(0,dtype=torch.long))", "tensor(nan)"),
    ("F.pad(torch.ones(2),(1,1,1,1))",
     "RuntimeError: Padding length should be less than or equal to two times the input dimension but got padding length 4 "
     "and input of dimension 1"),
    ("torch.ones(2,3)*torch.ones(3,2)",
     "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton "
     "dimension 1"),
    ("torch.ones(2,3).view(4)", "RuntimeError: shape '[4]' is invalid for input of size 6"),
    ("torch.ones(2,3).reshape(-1,4)", "RuntimeError: shape '[-1, 4]' is invalid for input of size 6"),
    ("torch.ones(2,3).t().view(6)",
     "RuntimeError: view size is not compatible with input tensor's size and stride (at least one "
     "dimension spans across two contiguous subspaces). Use .reshape(...) instead."),
    ("torch.ones(2,3).reshape(-1,-1)", "RuntimeError: only one dimension can be inferred"),
    ("torch.ones(2)[2]", "IndexError: index 2 is out of bounds for dimension 0 with size 2"),
    ("torch.ones(2)[0,0]", "IndexError: too many indices for tensor of dimension 1"),
    ("torch.ones(2)[0:len('ab')/2]", "TypeError: slice indices must be integers or None or have an __index__ method"),
    ("torch.where(torch.ones(2) > 0, torch.ones(2))",
     "TypeError: where() received an invalid combination of arguments: other is missing"),
    ("torch.tensor(1.)[0]",
     "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()"
     "` in "
     "C++ to convert a 0-dim tensor to a number"),
    ("torch.ones(2)[1.5]",
     "IndexError: only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
     "valid"
     " indices (got float)"),
    ('torch.ones(2)["a"]', "TypeError: new(): invalid data type 'str'"),
    ("torch.ones(3)[torch.tensor([5])]", "IndexError: index 5 is out of bounds for dimension 0 with size 3"),
    ("torch.ones(3)[torch.tensor([True,False])]",
     "IndexError: The shape of the mask [2] at index 0 does not match the shape of the indexed tensor"
     " [3] "
     "at index 0"),
    ("torch.ones(2,2).sum(2)", "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("torch.ones(2).squeeze(3)",
     "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 3)"),
    ("torch.cat([torch.ones(2),torch.ones(2,2)])",
     "RuntimeError: Tensors must have same number of dimensions: got 1 and 2"),
    ("torch.cat([torch.ones(2,2),torch.ones(2,3)])",
     "RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 2 but got size 3"
     " for "
     "tensor number 1 in the list."),
    ("torch.cat([torch.tensor(1.)])", "RuntimeError: zero-dimensional tensor (at position 0) cannot be concatenated"),
    ("torch.stack([torch.ones(2),torch.ones(3)])",
     "RuntimeError: stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1"),
    ("torch.tensor([[1,2],[3]])", "ValueError: expected sequence of length 2 at dim 1 (got 1)"),
    ('torch.tensor("a")', "TypeError: new(): invalid data type 'str'"),
    ('torch.tensor([1,"a"])', "TypeError: new(): invalid data type 'str'"),
    ("torch.tensor(None)", "RuntimeError: Could not infer dtype of NoneType"),
    ("torch.ones(2).expand(3)",
     "RuntimeError: The expanded size of the tensor (3) must match the existing size (2) at non-singl"
     "eton "
     "dimension 0.  Target sizes: [3].  Tensor sizes: [2]"),
    ("torch.ones(2,2).expand(2)",
     "RuntimeError: expand(torch.FloatTensor{[2, 2]}, size=[2]): the number of sizes provided (1) mus"
     "t be "
     "greater or equal to the number of dimensions in the tensor (2)"),
    ("torch.ones(2,3).T.view(2,3)",
     "RuntimeError: view size is not compatible with input tensor's size and stride (at least one "
     "dimension spans across two contiguous subspaces). Use .reshape(...) instead."),
    ("torch.exp(1.0)", "TypeError: exp(): argument 'input' (position 1) must be Tensor, not float"),
    ('torch.ones(2)+"a"', "TypeError: unsupported operand type(s) for +: 'Tensor' and 'str'"),
    ("torch.ones(2)+None", "TypeError: unsupported operand type(s) for +: 'Tensor' and 'NoneType'"),
    ("torch.ones(2)@2", "TypeError: unsupported operand type(s) for @: 'Tensor' and 'int'"),
    ("torch.tensor([1])**-1", "RuntimeError: Integers to negative integer powers are not allowed."),
    ("torch.mm(torch.ones(2),torch.ones(2))", "RuntimeError: self must be a matrix"),
    ("torch.bmm(torch.ones(1,2,3),torch.ones(1,2,3))",
     "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [1, 3] but got: [1"
     ", 2]."),
    ("torch.ones(2,2).t().t().permute(0)",
     "RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match the "
     "length of the desired ordering of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 1"),
    ("torch.ones(2,2,2).t()", "RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D"),
    ("len(torch.tensor(1))", "TypeError: len() of a 0-d tensor"),
    ("list(torch.tensor(1))", "TypeError: iteration over a 0-d tensor"),
    ("torch.ones(2).item()", "RuntimeError: a Tensor with 2 elements cannot be converted to Scalar"),
    ("int(torch.ones(2))", "ValueError: only one element tensors can be converted to Python scalars"),
    ("bool(torch.ones(0))", "RuntimeError: Boolean value of Tensor with no values is ambiguous"),
    ("torch.zeros(-1)", "RuntimeError: zeros: Dimension size must be non-negative."),
    ("torch.arange(5,1)", "RuntimeError: upper bound and lower bound inconsistent with step sign"),
    ("torch.ones(2,dtype=torch.float64)@torch.ones(2)",
     "RuntimeError: dot : expected both vectors to have same dtype, but found Double and Float"),
    ("torch.ones(2,2,dtype=torch.float64)@torch.ones(2,2)",
     "RuntimeError: expected m1 and m2 to have the same dtype, but got: double != float"),
    ("torch.tensor(1.,requires_grad=True).numpy()",
     "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."),
    ("torch.ones(2,requires_grad=True).tolist()", "[1.0, 1.0]"),
    ("torch.tensor([1],requires_grad=True)",
     "RuntimeError: Only Tensors of floating point and complex dtype can require gradients"),
    ("torch.ones(2).int().requires_grad_()",
     "RuntimeError: only Tensors of floating point dtype can require gradients"),
    ("torch.ones(2).backward()",
     "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"),
    ("(torch.ones(2,requires_grad=True)*2).retain_grad()", "None"),
    ("torch.ones(2).retain_grad()", "RuntimeError: can't retain_grad on Tensor that has requires_grad=False"),
    ("torch.ones(2).register_hook(print)",
     "RuntimeError: cannot register a hook on a tensor that doesn't require gradient"),
    ("F.mse_loss(torch.ones(2),torch.ones(3))",
     "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
     "dimension 0"),
    ("F.cross_entropy(torch.ones(2,3),torch.tensor([0,3]))", "IndexError: Target 3 is out of bounds."),
    ("F.cross_entropy(torch.ones(2,3),torch.tensor([0]))",
     "ValueError: Expected input batch_size (2) to match target batch_size (1)."),
    ('F.mse_loss(torch.ones(2),torch.ones(2),reduction="x")', "ValueError: x is not a valid value for reduction"),
    ("F.linear(torch.ones(2,3),torch.ones(2,2))",
     "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x2)"),
    ("torch.nn.Linear(3,2)(torch.ones(1,2))",
     "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 3x2)"),
    ("torch.softmax(torch.ones(2))", 'TypeError: softmax() missing 1 required positional arguments: "dim"'),
    ("torch.ones(2).nosuch", "AttributeError: 'Tensor' object has no attribute 'nosuch'"),
    ("torch.ones(2).split(0) if False else torch.ones(5).split([1,1])",
     "RuntimeError: split_with_sizes expects split_sizes to sum exactly to 5 (input tensor's size at "
     "dimension 0), but got split_sizes=[1, 1]"),
    ('torch.einsum("ij,jk",torch.ones(2,2),torch.ones(2,2))', "tensor([[2., 2.],\n        [2., 2.]])"),
    ("torch.ones(2).fill_(torch.ones(2))",
     "RuntimeError: fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions."),
    ("torch.from_numpy([1])", "TypeError: expected np.ndarray (got list)"),
    ("torch.tensor([1,2]).mean()",
     "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or "
     "complex dtype. Got: Long"),
    ("torch.tensor([1,2]).norm()",
     "RuntimeError: linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"),
    ("torch.ones(2)[0:2:-1]", "ValueError: step must be greater than zero"),
    ("torch.full((2,),True)", "tensor([True, True])"),
    ("torch.ones(3).masked_fill(torch.tensor([1,0,1]),0)",
     "RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype long int"),
    ("torch.clamp(torch.ones(1))", "RuntimeError: torch.clamp: At least one of 'min' or 'max' must not be None"),
    ("torch.where(torch.tensor([1]),1,2)",
     "RuntimeError: where expected condition to be a boolean tensor, but got a tensor with dtype Long"),
    ("torch.ones(2).copy_(torch.ones(3))",
     "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
     "dimension 0"),
    ("torch.tensor(3).add_(1.5)", "RuntimeError: result type Float can't be cast to the desired output type Long"),
    ("torch.ones(2).add_(torch.ones(2,2))",
     "RuntimeError: output with shape [2] doesn't match the broadcast shape [2, 2]"),
    ("torch.tensor([1,2]).div_(2)", "RuntimeError: result type Float can't be cast to the desired output type Long"),
    ("torch.tensor([1,2]).exp_()", "RuntimeError: result type Float can't be cast to the desired output type Long"),
    ("torch.dot(torch.ones(2),torch.ones(3))",
     "RuntimeError: inconsistent tensor size, expected tensor [2] and src [3] to have the same number of "
     "elements, but got 2 and 3 elements respectively"),
    ("torch.unsqueeze(torch.ones(1),5)",
     "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
    ("torch.tensor([1.,2.]).chunk(3)", "(tensor([1.]), tensor([2.]))"),
    ("torch.allclose(torch.ones(1),torch.ones(1).double())", "RuntimeError: Float did not match Double"),
    ("torch.ones(1).bool()+torch.ones(1).bool()", "tensor([True])"),
    ("torch.ones(1).bool()-torch.ones(1).bool()",
     "RuntimeError: Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^"
     "` or "
     "`logical_xor()` operator instead."),
    ("-torch.ones(1).bool()",
     "RuntimeError: Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
     "invert a mask, use the `~` or `logical_not()` operator instead."),
    ("torch.cat([])", "ValueError: torch.cat(): expected a non-empty list of Tensors"),
    ("torch.stack([])", "RuntimeError: stack expects a non-empty TensorList"),
    ("torch.ones(2,3).flatten(1,0)", "RuntimeError: flatten() has invalid args: start_dim cannot come after end_dim"),
    ("torch.ones(2,3)[...,0].shape", "torch.Size([2])"),
    ("torch.ones(2,3)[:,None].shape", "torch.Size([2, 1, 3])"),
    ("torch.nn.Parameter(torch.tensor([1]))",
     "RuntimeError: Only Tensors of floating point and complex dtype can require gradients"),
]
# fmt: on


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("expression, outcome", RAISED)
def test_an_expression_raises(expression, outcome):
    try:
        found = str(eval(expression))
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    assert found == outcome


def test_each_text_of_the_table_is_said_somewhere_with_its_placeholders():
    texts = {name: {part[1] for part in Formatter().parse(text) if part[1]} for name, (_, text) in _texts().items()}
    trees = [ast.parse(path.read_text()) for path in Path(torch.__file__).parent.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    calls = [node for node in nodes if getattr(getattr(node, "func", None), "id", "") in ("error", "said")]
    given = {n.args[0].value: {word.arg for word in n.keywords} for n in calls if isinstance(n.args[0], ast.Constant)}
    assert given == {name: texts[name] for name in given}
    assert {*texts} <= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
