"""The microscope: bits, neighbours and rounding are those of NumPy's own formats; the page computes what Python does."""

from fractions import Fraction

import numpy as np
import pytest
from javascript import call

from labkit.precision import FORMATS, format_of, rounded
from labkit.widgets import Microscope
from labkit.widgets.kit.module import module
from labkit.widgets.labs.microscope.landing import (
    Lines,
    at_place,
    bits,
    digits,
    exponent_of,
    gap_at,
    landing,
    last_place,
    place,
    stored,
)
from labkit.widgets.labs.microscope.microscope import NAMES

RNG = np.random.default_rng(0)
formats = pytest.mark.parametrize("name", FORMATS)
native = pytest.mark.parametrize("name", ["float16", "float32", "float64"])


def some_numbers(name, count=300):
    """Numbers of a format, drawn by their bits."""
    of = format_of(name)
    stored_as = np.dtype(f"u{of.bits // 8}")
    raw = RNG.integers(0, 2**of.bits, count, dtype=np.uint64).astype(stored_as)
    with np.errstate(invalid="ignore"):
        values = raw.view(of.dtype).astype(np.float64)
    return [(f"{int(r):0{of.bits}b}", float(v)) for r, v in zip(raw, values, strict=True) if np.isfinite(v)]


# ---- numbers ----


@formats
def test_bits_are_those_in_memory(name):
    for memory, value in some_numbers(name):
        assert "".join(bits(value, format_of(name))) == memory


@formats
def test_places_count_the_numbers(name):
    of = format_of(name)
    for _, value in some_numbers(name):
        assert at_place(place(value, of), of) == Fraction(value)
    assert place(of.min_subnormal, of) == 1 and place(-of.min_subnormal, of) == -1
    assert last_place(of) == place(of.max, of) + 1


@native
def test_neighbours_are_numpys(name):
    of = format_of(name)
    for _, value in some_numbers(name):
        above = np.nextafter(of.dtype.type(value), of.dtype.type(np.inf))
        if np.isfinite(above):
            assert float(at_place(place(value, of) + 1, of)) == float(above)


@formats
def test_rounding_a_fraction_is_rounding_its_float(name):
    of = format_of(name)
    for value in RNG.normal(size=300) * 2.0 ** RNG.integers(-30, 20, 300):
        assert np.array_equal(stored(Fraction(value), of), rounded(value, of), equal_nan=True)


def test_a_fraction_is_rounded_once():
    near_tie = Fraction(2049) + Fraction(1, 2**80)  # rounded to float64 first it would be the tie
    assert stored(near_tie, FORMATS["float16"]) == 2050.0


def test_ties_go_to_the_even_neighbour():
    of = FORMATS["float16"]
    for n in range(2049, 2101, 2):
        assert stored(Fraction(n), of) == float(np.float16(n))
        assert place(stored(Fraction(n), of), of) % 2 == 0


def test_too_large_is_infinite_or_nan_where_there_is_no_infinity():
    assert stored(Fraction(10**9), FORMATS["float16"]) == np.inf
    assert stored(Fraction(-(10**9)), FORMATS["float16"]) == -np.inf
    assert np.isnan(stored(Fraction(449 + 31), FORMATS["float8_e4m3"]))


def test_exponents_and_gaps():
    assert [exponent_of(Fraction(x)) for x in (1, 1.999, 2, 0.5, -3)] == [0, 0, 1, -1, 1]
    assert gap_at(Fraction(0), FORMATS["float16"]) == Fraction(2) ** -24


@pytest.mark.parametrize("value, gap, words", [(0.1, 1.0, "0.1"), (1.625, 0.125, "1.625"), (65504.0, 32.0, "65504")])
def test_digits(value, gap, words):
    assert digits(value, Fraction(gap)) == words


def test_digits_tell_neighbours_apart():
    for _, value in some_numbers("float16"):
        of = FORMATS["float16"]
        written = digits(value, gap_at(Fraction(value), of)).replace("−", "-")
        assert float(np.float16(float(written))) == value


# ---- functions ----


def landed(fn, x, of, name="x"):
    return landing(Lines(fn, float(x), name), Fraction(x), of, name)


FUNCTIONS = [lambda x: x + 1, lambda x: x * x, lambda x: 1 / x, lambda x: (x + 1) - x, np.sqrt, abs]


@pytest.mark.parametrize("fn", FUNCTIONS)
@native
def test_a_function_gives_what_numpy_gives_in_the_format(fn, name):
    of = format_of(name)
    for value in (0.1, 3.0, 2048.0, 1e-4, 60000.0):
        with np.errstate(all="ignore"):
            expected = float(fn(np.array([value], of.dtype))[0])  # NumPy 1 makes a single number and an integer wider
        got = landed(fn, Fraction(value), of, "x").result
        assert got == expected or (np.isnan(got) and np.isnan(expected))


@native
def test_a_power_is_rounded_once_on_every_processor(name):
    of = format_of(name)
    for value in (0.1, 3.0, 2048.0, 1e-4, 60000.0):
        held = np.array([stored(Fraction(value), of)], of.dtype)
        got = landed(lambda x: -(x**3), Fraction(value), of, "x").result
        assert got == stored(-(Fraction(float(held[0])) ** 3), of)
        with np.errstate(all="ignore"):
            numpys = float(-(held**3)[0])  # IEEE 754 asks no library to round a power correctly; some are one place off
        assert abs(place(got, of) - place(numpys, of)) <= 1


def test_what_is_exact_is_not_rounded():
    found = landed(lambda x: x / 3 + 1, Fraction(2), FORMATS["float16"], "x")
    assert found.exact == Fraction(5, 3) and found.ops == 2
    assert landed(np.exp, Fraction(1), FORMATS["float16"], "x").exact == pytest.approx(np.e)


def test_constants_are_stored_in_the_format():
    found = landed(lambda x: x + 0.1, Fraction(0), FORMATS["float16"], "x")
    assert found.exact == Fraction(float(np.float16(0.1)))


@pytest.mark.parametrize(
    "fn, words",
    [
        (lambda x: x + 1, "x + 1"),
        (lambda x: 2 * (x - 1), "2 × (x − 1)"),
        (lambda x: np.exp(-x), "exp(−x)"),
        (lambda x: x**2, "x ** 2"),
    ],
)
def test_a_function_in_words(fn, words):
    assert landed(fn, Fraction(3), FORMATS["float32"], "x").words == words


def test_what_an_addition_does_not_change_is_absorbed():
    of = FORMATS["float16"]
    assert landed(lambda a: a + 1, Fraction(2048), of, "a").absorbed == "1"
    assert landed(lambda a: a + 1, Fraction(1, 2**12), of, "a").absorbed == "a"
    assert landed(lambda a: a + 1, Fraction(2047), of, "a").absorbed == ""
    assert landed(lambda a: a + 1, Fraction(1, 2**30), of, "a").absorbed == "", "stored as 0: nothing is added"


def test_autograd_functions_work_too():
    import autograd.numpy as anp

    assert landed(anp.tanh, Fraction(1), FORMATS["float32"], "x").result == float(np.tanh(np.float32(1)))


# ---- the lab ----


def said_by(lens, **state):
    return " ".join(lens.describe(**state).splitlines()).split("bits of the result. ")[1]


@pytest.mark.parametrize("name", NAMES)
def test_the_sentence_names_the_result(name):
    lens = Microscope("0.1")
    for power in (-40, -30, -24, -12, -8, 0, 3, 12, 19, 22, 140):
        found, said = lens.at(name, power), said_by(lens, format=name, power=power)
        if not np.isfinite(found.result):
            assert "Beyond" in said
        elif found.result == 0:
            assert "becomes 0" in said
        else:
            assert digits(found.result, gap_at(Fraction(found.result), found.of)) in said


@pytest.mark.parametrize(
    "given", [(1,), ("0.1",), (0.0,), (-3.5,), (np.float16(0.1),), (Fraction(1, 3),), (lambda x: x + 0.1, 0.0)]
)
def test_a_number_is_kept_exactly(given):
    lens = Microscope(*given)
    wanted = Fraction(given[-1]) if isinstance(given[-1], (str, int, Fraction)) else Fraction(float(given[-1]))
    assert Fraction(lens.x) * Fraction(2) ** lens.power == wanted


def test_hard_functions_are_shown_all_the_same():
    for fn, x in [(np.log, 0.0), (lambda x: 1 / x, 0.0), (lambda x: x - x, 1.0), (np.log, -1.0), (lambda x: x, 1.0)]:
        lens = Microscope(fn, x)
        assert "<svg" in lens.svg("dark") and lens.describe()


@pytest.mark.parametrize(
    "given, error, words",
    [
        ((float("inf"),), ValueError, "finite number"),
        (("one",), ValueError, "finite number"),
        ((None,), TypeError, "expected a number"),
        ((np.ones(3),), TypeError, "expected a number"),
        ((lambda x: x,), TypeError, "expected a number"),
        ((1.0, 2.0), TypeError, "two values"),
        ((lambda x: x + np.ones(2), 1.0), TypeError, "function of one number"),
        ((lambda x: "a", 1.0), TypeError, "one number"),
        ((lambda x: None, 1.0), TypeError, "one number"),
        ((lambda x: x + 1 if x > 0 else x, 1.0), ValueError, "without if and loops"),
        ((lambda x: 1 / 0, 1.0), ZeroDivisionError, "division"),
    ],
)
def test_what_cannot_be_shown_says_what_to_do(given, error, words):
    with pytest.raises(error, match=words):
        Microscope(*given)


def test_a_state_that_there_is_not_is_named():
    lens = Microscope(1.0)
    for wrong in ({"x": "one"}, {"power": 5000}, {"format": "float128"}):
        with pytest.raises(ValueError, match="expected"):
            lens.state = wrong
    with pytest.raises(ValueError, match="float7"):
        Microscope(1.0, format="float7")
    assert lens.state == {"format": "float16", "x": "1", "power": 0, "table": False}


# ---- the page ----


def in_page(lens, expression, *given):
    """What the lab's own module answers."""
    script = module(Microscope.path).replace("export default", "const lab =")
    return call(f"(data, ...given) => {{ {script}\nreturn ({expression})(data, ...given); }}", lens.data, *given)


SENTENCES = """(data, asked) => asked.map(([called, x, power]) => {
  const of = format(data.formats[called]), f = landingOf(data, times(exactOf(x), twoTo(power)), of);
  return [String(number(f.result)), bitsOf(f.result, of), sentenceOf(data, f, of, called)];
})"""
EXACT = [
    None, lambda a: a + 1, lambda a: a - 0.75, lambda x: x * x, lambda x: 1 / x, lambda x: x / 3 + 1, lambda x: -(x**3),
    lambda x: np.maximum(abs(x), 2) - x, np.sqrt,
]  # fmt: skip


@pytest.mark.needs("node")
@pytest.mark.parametrize("fn", EXACT)
def test_the_page_computes_the_results_bits_and_sentences_of_python(fn):
    lens = Microscope(fn, 3.0) if fn else Microscope(3.0)
    asked = [(name, "0.1", power) for name in NAMES for power in (-160, -30, -20, 0, 5, 12, 18, 135)]
    asked += [(name, str(int(RNG.integers(1, 5000))), int(RNG.integers(-30, 20))) for name in NAMES for _ in range(25)]
    for (name, x, power), (result, memory, said) in zip(asked, in_page(lens, SENTENCES, asked), strict=True):
        found = landing(lens.program, Fraction(x) * Fraction(2) ** power, format_of(name), lens.name)
        assert float(result.replace("Infinity", "inf")) == pytest.approx(found.result, rel=0, abs=0, nan_ok=True)
        assert memory == "".join(bits(found.result, format_of(name)))
        assert said == said_by(lens, format=name, x=x, power=power)


@pytest.mark.needs("node")
@pytest.mark.parametrize("of", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("power", [-4, 0, 3])
def test_a_sum_is_written_by_hand_with_what_falls_behind_the_end(of, power):
    lens = Microscope(lambda a: a + 1, 2048.0)
    found = lens.at(of, power)
    code = """(data, called, power) => { const of = format(data.formats[called]);
      return sumOf(landingOf(data, times([2048n, 1n], twoTo(power)), of), of, 60); }"""
    written = in_page(lens, code, of, power)
    values = [Fraction(int(row, 2)) * Fraction(2) ** (written["top"] + 1 - len(row)) for row in written["rows"]]
    assert values == [2048 * Fraction(2) ** power, 1, found.target, Fraction(found.result)] and not written["cut"]
    last = exponent_of(gap_at(found.target, found.of))
    assert len(written["rows"][3]) == written["kept"] == written["top"] - last + 1


@pytest.mark.needs("node")
def test_the_page_reads_numbers_exactly_and_knows_every_place():
    wanted = ["0.1", "1/3", "1e-8", "-2.50", "5.96e-8"]
    found = in_page(Microscope(1.0), "(_, all) => all.map((one) => exactOf(one).map(String))", wanted)
    assert [Fraction(int(n), int(d)) for n, d in found] == [Fraction(one) for one in wanted]
    code = """(data, called, all) => { const of = format(data.formats[called]); return all.map((value) => {
      const n = placeOf(ofFloat(value), of); return [String(n), float(atPlace(n, of))]; }); }"""
    for name in NAMES:
        values = [v for _, v in some_numbers(name, 40)] + [FORMATS[name].max, FORMATS[name].min_subnormal]
        for value, (n, back) in zip(values, in_page(Microscope(1.0), code, name, values), strict=True):
            assert int(n) == place(value, FORMATS[name]) and float(back) == value
