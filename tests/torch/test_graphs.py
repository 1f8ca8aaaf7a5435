"""The backward graph of an expression of two 2 x 2 leaves: node names, and who feeds whom."""

import pytest

import labkit.torch as torch
import labkit.torch.nn.functional as F  # noqa: F401

# fmt: off
GRAPHS = [
    ("x+y", "AddBackward0(AccumulateGrad, AccumulateGrad)"),
    ("x+1", "AddBackward0(AccumulateGrad, None)"),
    ("1+x", "AddBackward0(AccumulateGrad, None)"),
    ("x-y", "SubBackward0(AccumulateGrad, AccumulateGrad)"),
    ("1-x", "RsubBackward1(AccumulateGrad)"),
    ("x*y", "MulBackward0(AccumulateGrad, AccumulateGrad)"),
    ("x*2", "MulBackward0(AccumulateGrad, None)"),
    ("2*x", "MulBackward0(AccumulateGrad, None)"),
    ("x/y", "DivBackward0(AccumulateGrad, AccumulateGrad)"),
    ("x/2", "DivBackward0(AccumulateGrad, None)"),
    ("1/x", "MulBackward0(ReciprocalBackward0(AccumulateGrad), None)"),
    ("x**2", "PowBackward0(AccumulateGrad)"),
    ("x**y", "PowBackward1(AccumulateGrad, AccumulateGrad)"),
    ("2**x", "PowBackward2(AccumulateGrad)"),
    ("x**0.5", "PowBackward0(AccumulateGrad)"),
    ("x%2", "RemainderBackward0(AccumulateGrad)"),
    ("x@y", "MmBackward0(AccumulateGrad, AccumulateGrad)"),
    ("x@y[0]", "MvBackward0(AccumulateGrad, SelectBackward0(AccumulateGrad))"),
    ("x[0]@y", "SqueezeBackward4(MmBackward0(UnsqueezeBackward0(SelectBackward0), AccumulateGrad))"),
    ("x[0]@y[0]", "DotBackward0(SelectBackward0(AccumulateGrad), SelectBackward0(AccumulateGrad))"),
    ("torch.maximum(x,y)", "MaximumBackward0(AccumulateGrad, AccumulateGrad)"),
    ("torch.minimum(x,y)", "MinimumBackward0(AccumulateGrad, AccumulateGrad)"),
    ("torch.max(x,y)", "MaximumBackward0(AccumulateGrad, AccumulateGrad)"),
    ("torch.where(x>2,x,y)", "WhereBackward0(AccumulateGrad, AccumulateGrad)"),
    ("torch.where(x>2,x,0.)", "WhereBackward0(AccumulateGrad, None)"),
    ("torch.stack([x,y])", "StackBackward0(AccumulateGrad, AccumulateGrad)"),
    ("torch.cat([x,y],1)", "CatBackward0(AccumulateGrad, AccumulateGrad)"),
    ("torch.cat([x,torch.ones(2,2)])", "CatBackward0(AccumulateGrad, None)"),
    ("torch.einsum('ij,jk->ik',x,y)", "EinsumBackward0(AccumulateGrad, AccumulateGrad)"),
    ("x.t().reshape(2,1,2)", "ReshapeAliasBackward0(TBackward0(AccumulateGrad))"),
    ("torch.outer(x[0],y[0])",
     "MulBackward0(ViewBackward0(SelectBackward0(AccumulateGrad)), SelectBackward0(AccumulateGrad))"),
    ("F.mse_loss(x,y)", "MseLossBackward0(AccumulateGrad, AccumulateGrad)"),
    ("F.mse_loss(x,y,reduction='sum')", "MseLossBackward0(AccumulateGrad, AccumulateGrad)"),
    ("F.mse_loss(x,y,reduction='none')", "MseLossBackward0(AccumulateGrad, AccumulateGrad)"),
    ("F.linear(x,y)", "MmBackward0(AccumulateGrad, TBackward0(AccumulateGrad))"),
    ("F.linear(x,y,torch.ones(2))", "AddmmBackward0(None, AccumulateGrad, TBackward0(AccumulateGrad))"),
    ("F.linear(x.view(1,2,2),y)",
     "UnsafeViewBackward0(MmBackward0(ViewBackward0(ViewBackward0), TBackward0(AccumulateGrad)))"),
    ("F.linear(x.view(1,2,2),y,torch.ones(2))",
     "ViewBackward0(AddmmBackward0(None, ViewBackward0(ViewBackward0), TBackward0(AccumulateGrad)))"),
    ("F.linear(x[0],y)",
     "SqueezeBackward4(MmBackward0(UnsqueezeBackward0(SelectBackward0), TBackward0(AccumulateGrad)))"),
    ("F.linear(x[0],y,torch.ones(2))",
     "ViewBackward0(AddmmBackward0(None, ViewBackward0(SelectBackward0), TBackward0(AccumulateGrad)))"),
    ("torch.bmm(x.view(1,2,2),y.view(1,2,2))",
     "BmmBackward0(ViewBackward0(AccumulateGrad), ViewBackward0(AccumulateGrad))"),
    ("x.view(1,2,2)@y", "UnsafeViewBackward0(MmBackward0(ViewBackward0(ViewBackward0), AccumulateGrad))"),
    ("x.view(1,2,2)@y.view(1,2,2)",
     "UnsafeViewBackward0(BmmBackward0(ViewBackward0(ExpandBackward0), ViewBackward0(ExpandBackward0)))"),
    ("torch.addmm(x,x,y)", "AddmmBackward0(AccumulateGrad, AccumulateGrad, AccumulateGrad)"),
    ("torch.add(x,y,alpha=2)", "AddBackward0(AccumulateGrad, AccumulateGrad)"),
    ("x.clamp(2,3)", "ClampBackward1(AccumulateGrad)"),
    ("x.clamp(min=2)", "ClampBackward1(AccumulateGrad)"),
    ("x.clamp(max=2)", "ClampBackward1(AccumulateGrad)"),
    ("x.clamp(min=y)", "ClampBackward0(AccumulateGrad, AccumulateGrad, None)"),
    ("F.cross_entropy(x,torch.tensor([0,1]))", "NllLossBackward0(LogSoftmaxBackward0(AccumulateGrad))"),
    ("F.cross_entropy(x,torch.tensor([[.5,.5],[0.,1.]]))", "DivBackward1(NegBackward0(SumBackward0(MulBackward0)))"),
    ("F.cross_entropy(x,torch.tensor([0,1]),reduction='sum')",
     "NllLossBackward0(LogSoftmaxBackward0(AccumulateGrad))"),
    ("F.cross_entropy(x,torch.tensor([0,1]),reduction='none')",
     "NllLossBackward0(LogSoftmaxBackward0(AccumulateGrad))"),
    ("F.cross_entropy(x,torch.tensor([0,1]),weight=torch.tensor([1.,3.]))",
     "NllLossBackward0(LogSoftmaxBackward0(AccumulateGrad))"),
    ("F.cross_entropy(x,torch.tensor([0,1]),label_smoothing=0.1)",
     "AddBackward0(MulBackward1(NllLossBackward0(LogSoftmaxBackward0)), "
     "MulBackward1(DivBackward0(SumBackward0, None)))"),
    ("F.cross_entropy(x,torch.tensor([0,-100]))", "NllLossBackward0(LogSoftmaxBackward0(AccumulateGrad))"),
    ("F.binary_cross_entropy_with_logits(x,torch.ones(2,2))",
     "BinaryCrossEntropyWithLogitsBackward0(AccumulateGrad, None)"),
    ("F.nll_loss(x.log_softmax(1),torch.tensor([0,1]))", "NllLossBackward0(LogSoftmaxBackward0(AccumulateGrad))"),
    ("F.gelu(y)", "GeluBackward0(AccumulateGrad)"),
    ("F.silu(y)", "SiluBackward0(AccumulateGrad)"),
    ("F.softplus(y)", "SoftplusBackward0(AccumulateGrad)"),
    ("F.leaky_relu(y)", "LeakyReluBackward0(AccumulateGrad)"),
    ("x.sum(0)", "SumBackward1(AccumulateGrad)"),
    ("x.sum(1,keepdim=True)", "SumBackward1(AccumulateGrad)"),
    ("x.sum((0,1))", "SumBackward1(AccumulateGrad)"),
    ("x.mean(1)", "MeanBackward1(AccumulateGrad)"),
    ("x.max(1)[0]", "MaxBackward0(AccumulateGrad)"),
    ("x.max(0).values", "MaxBackward0(AccumulateGrad)"),
    ("x.min(1,keepdim=True)[0]", "MinBackward0(AccumulateGrad)"),
    ("x.prod(0)", "ProdBackward1(AccumulateGrad)"),
    ("x.var(0)", "VarBackward0(AccumulateGrad)"),
    ("x.var(unbiased=False)", "VarBackward0(AccumulateGrad)"),
    ("x.std(1)", "StdBackward0(AccumulateGrad)"),
    ("x.std(0,correction=0)", "StdBackward0(AccumulateGrad)"),
    ("x.norm(1)", "LinalgVectorNormBackward0(AccumulateGrad)"),
    ("x.norm(dim=1)", "LinalgVectorNormBackward0(AccumulateGrad)"),
    ("x.norm(float('inf'))", "LinalgVectorNormBackward0(AccumulateGrad)"),
    ("x.norm(3)", "LinalgVectorNormBackward0(AccumulateGrad)"),
    ("torch.logsumexp(x,1)", "LogsumexpBackward0(AccumulateGrad)"),
    ("x.cumsum(1)", "CumsumBackward0(AccumulateGrad)"),
    ("y.sort()[0]", "SortBackward0(AccumulateGrad)"),
    ("x.view(4)", "ViewBackward0(AccumulateGrad)"),
    ("x.reshape(1,4)", "ViewBackward0(AccumulateGrad)"),
    ("x.t().reshape(4)", "UnsafeViewBackward0(CloneBackward0(TBackward0(AccumulateGrad)))"),
    ("x.transpose(0,1)", "TransposeBackward0(AccumulateGrad)"),
    ("x.T", "PermuteBackward0(AccumulateGrad)"),
    ("x.mT", "TransposeBackward0(AccumulateGrad)"),
    ("x.permute(1,0)", "PermuteBackward0(AccumulateGrad)"),
    ("x.unsqueeze(1)", "UnsqueezeBackward0(AccumulateGrad)"),
    ("x.view(1,4).squeeze()", "SqueezeBackward0(ViewBackward0(AccumulateGrad))"),
    ("x.view(1,4).squeeze(0)", "SqueezeBackward1(ViewBackward0(AccumulateGrad))"),
    ("x.flatten()", "ViewBackward0(AccumulateGrad)"),
    ("x.view(1,2,2).flatten(1)", "ViewBackward0(ViewBackward0(AccumulateGrad))"),
    ("x[0].expand(3,2)", "ExpandBackward0(SelectBackward0(AccumulateGrad))"),
    ("x.repeat(2,1)", "RepeatBackward0(AccumulateGrad)"),
    ("x.diagonal()", "DiagonalBackward0(AccumulateGrad)"),
    ("x.split(1)[0]", "SplitBackward0(AccumulateGrad)"),
    ("x.split(1)[1]", "SplitBackward0(AccumulateGrad)"),
    ("x.chunk(2,1)[1]", "SplitBackward0(AccumulateGrad)"),
    ("x.unbind(0)[1]", "UnbindBackward0(AccumulateGrad)"),
    ("x[0]", "SelectBackward0(AccumulateGrad)"),
    ("x[0,1]", "SelectBackward0(SelectBackward0(AccumulateGrad))"),
    ("x[:1]", "SliceBackward0(AccumulateGrad)"),
    ("x[:,1:]", "SliceBackward0(AccumulateGrad)"),
    ("x[:,0]", "SelectBackward0(AccumulateGrad)"),
    ("x[:]", "SliceBackward0(AccumulateGrad)"),
    ("x[...,0]", "SelectBackward0(AccumulateGrad)"),
    ("x[None]", "UnsqueezeBackward0(AccumulateGrad)"),
    ("x[x>2]", "IndexBackward0(AccumulateGrad)"),
    ("x[torch.tensor([0,0,1])]", "IndexBackward0(AccumulateGrad)"),
    ("x[[0,1],[1,0]]", "IndexBackward0(AccumulateGrad)"),
    ("x[:,[0,0]]", "IndexBackward0(AccumulateGrad)"),
    ("x.masked_fill(x>2,0.)", "MaskedFillBackward0(AccumulateGrad)"),
    ("x.select(1,0)", "SelectBackward0(AccumulateGrad)"),
    ("[r for r in x][1]", "UnbindBackward0(AccumulateGrad)"),
    ("x.movedim(0,1)", "PermuteBackward0(AccumulateGrad)"),
    ("torch.broadcast_to(x,(2,2,2))", "ExpandBackward0(AccumulateGrad)"),
    ("x.double()", "ToCopyBackward0(AccumulateGrad)"),
    ("x.half()", "ToCopyBackward0(AccumulateGrad)"),
    ("x.t().contiguous()", "CloneBackward0(TBackward0(AccumulateGrad))"),
    ("x*torch.ones(2,2,dtype=torch.float64)", "MulBackward0(AccumulateGrad, None)"),
    ("x*torch.tensor(2)", "MulBackward0(AccumulateGrad, None)"),
    ("torch.softmax(x,1)", "SoftmaxBackward0(AccumulateGrad)"),
    ("F.softmax(x,-1)", "SoftmaxBackward0(AccumulateGrad)"),
]
# fmt: on


def leaf(*rows):
    return torch.tensor(rows, requires_grad=True)


def drawn(node, depth=3):
    """`Name(inputs)`, to a depth of three nodes."""
    if node is None:
        return "None"
    inputs = [drawn(following, depth - 1) for following, _ in node.next_functions] if depth else []
    name = node.name().replace("torch::autograd::", "")
    return f"{name}({', '.join(inputs)})" if inputs else name


@pytest.mark.parametrize("expression, graph", GRAPHS)
def test_the_graph_of_an_expression(expression, graph):
    x, y = leaf([1.0, 2.0], [3.0, 4.0]), leaf([0.5, 2.0], [1.5, -1.0])  # noqa: F841
    assert drawn(eval(expression).grad_fn) == graph


@pytest.fixture
def stand_ins(monkeypatch):
    """Replace whatever is not saved by a stand-in, however small, so that a rule that needs it fails."""
    monkeypatch.setattr("labkit.torch._tape.saved_values.KEEP_BELOW", 0)


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("expression", [e for e, _ in GRAPHS if "half" not in e])
def test_first_and_second_derivatives_agree_with_differences(expression, stand_ins):
    x = torch.tensor([[1.1, 2.3], [3.2, 4.1]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[0.5, 2.1], [1.5, -1.3]], dtype=torch.float64, requires_grad=True)
    torch.set_default_dtype(torch.float64)
    try:
        fun = eval(f"lambda x, y: {expression}")
        assert torch.autograd.gradcheck(fun, (x, y))
        assert torch.autograd.gradgradcheck(fun, (x, y), atol=1e-4)
    finally:
        torch.set_default_dtype(torch.float32)
