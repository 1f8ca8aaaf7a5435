"""The page on the documents: made from the ledger, and true."""

import guides_page
import pytest
from guides_sentences import SENTENCES

import labkit.torch as torch
from labkit.cases import CASES


def test_the_page_is_up_to_date():
    assert guides_page.FILE.read_text(encoding="utf-8") == guides_page.page(), "python tests/tools/guides_page.py"


def test_every_case_is_named_by_a_notebook():
    assert {case.name for case in CASES} <= guides_page.named_in().keys()


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.says[:40])
def test_the_case_of_a_sentence_is_of_its_documents(sentence):
    if sentence.case:
        (case,) = [case for case in CASES if case.name == sentence.case]
        assert set(sentence.documents) & {*case.documents, "r1.10"}


# ---- what the sentences claim of PyTorch ----


def pair():
    return torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)


def test_backward_of_several_outputs_adds_up():
    x, y = pair()
    torch.autograd.backward((x**2 + y, x * 1))
    assert (x.grad.item(), y.grad.item()) == (3.0, 1.0)


def test_grad_returns_and_backward_stores():
    x, y = pair()
    assert [g.item() for g in torch.autograd.grad(x**2 + y, (x, y))] == [2.0, 1.0]
    assert x.grad is None
    (x**2 + y).backward()
    assert x.grad.item() == 2.0


def test_the_first_program_leaves_its_gradient_where_nobody_looks():
    x = first = torch.ones(2, 2).requires_grad_()
    x = x * 2
    y = x - 1
    y.backward(x)
    assert not x.is_leaf and first.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]
    with pytest.warns(UserWarning, match="not a leaf"):
        assert x.grad is None
