"""What is written on paper, as Python."""

import pytest

from labkit.widgets.playground.formula import NoFormula, as_python
from labkit.widgets.playground.reading import functions

KNOWN = functions("numpy")


@pytest.mark.parametrize(
    ("paper", "python"),
    [
        ("2x", "2*x"), ("2xy", "2*x*y"), ("3x^2 + 2x - 1", "3*x**2 + 2*x - 1"), ("x y", "x*y"), ("x(x+1)", "x*(x + 1)"),
        ("(x+1)(x-1)", "(x + 1)*(x - 1)"), ("2(x+1)^2", "2*(x + 1)**2"), ("-x^2", "-x**2"), ("2^-x", "2**-x"),
        ("a-(b-c)", "a - (b - c)"), ("x^2y", "x**2*y"), ("e^(-x^2/2)", "exp(-x**2/2)"), ("e^x", "exp(x)"),
        ("sin x", "sin(x)"), ("sin 2x cos x", "sin(2*x)*cos(x)"), ("sin^2(x)", "sin(x)**2"), ("sin^-1 x", "arcsin(x)"),
        ("sqrt x + 1", "sqrt(x) + 1"), ("ln x", "log(x)"), ("sin[x]", "sin(x)"), ("max(0, x)", "max(0, x)"),
        ("|x|", "abs(x)"), ("|x - 1| + 2", "abs(x - 1) + 2"), ("2|x|", "2*abs(x)"),
        ("x²", "x**2"), ("x⁻¹", "x**(-1)"), ("√x", "sqrt(x)"), ("√x·e^x", "sqrt(x)*exp(x)"),
        ("√2x", "sqrt(2)*x"), ("sin x/2", "sin(x)/2"),
        ("√(x+1)", "sqrt(x + 1)"),
        ("2πx", "2*π*x"), ("½x", "0.5*x"),
        ("x·y", "x*y"), ("x×y÷2", "x*y/2"), ("x − 1", "x - 1"), ("x₁ + 2x₂", "x1 + 2*x2"), ("x\u00a0+ 1", "x + 1"),
        ("$x^{2}$", "x**2"), (r"\frac{1}{x}", "1/x"), (r"\frac{x+1}{x-1}^2", "((x + 1)/(x - 1))**2"),
        (r"2 \cdot \sin(x)", "2*sin(x)"), (r"\left(x\right)^2", "x**2"),
        ("y = 2x", "y = 2*x"), ("f(x, y) = xy + 1", "def f(x, y): return xy + 1"), ("def f(x) = x^2", "def f(x): return x**2"),
        ("let y = 2x;", "y = 2*x"), ("x -> 2x", "2*x"), ("f: x ↦ x²", "x**2"), ("x => x^2", "x**2"),
        ("d/dx x^2", "x**2"), ("derivative of sin(x)", "sin(x)"), ("plot x^2", "x**2"), ("x squared plus 1", "x**2 + 1"),
        ("    2x", "    2*x"),
    ],
)  # fmt: skip
def test_a_formula(paper, python):
    assert as_python(paper, KNOWN) == python


@pytest.mark.parametrize(
    "words",
    [
        "how does it work",
        "10 dogs",
        "x +",
        "(x + 1",
        "x^2 = 4",
        "||x||",
        "f(3)",
        "\u03c3(x)",
        "w.x + b",
        "x!",
        "",
        "lim x->0 x",
        "1.5.2*x",
    ],
)
def test_what_is_none(words):
    with pytest.raises(NoFormula):
        as_python(words, KNOWN)
