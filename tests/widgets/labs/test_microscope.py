"""The microscope: bits, neighbours and rounding are those of NumPy's own formats; what it shows is what was computed."""

import json
import re
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from labkit.precision import FORMATS, format_of, rounded
from labkit.widgets import Microscope
from labkit.widgets.kit.scene import holds, to_json, width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.strokes import px
from labkit.widgets.labs.microscope.ranges import STRIP
from labkit.widgets.labs.microscope.ruler import DIAL, NUMBERS, WIDTH, Window
from labkit.widgets.labs.microscope.run import (
    Number,
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
from labkit.widgets.labs.microscope.scene import NAMES
from labkit.widgets.labs.microscope.sums import FIRST, LINE, ROW, Columns
from labkit.widgets.labs.microscope.training import in_training
from labkit.widgets.labs.microscope.words import fate

RNG = np.random.default_rng(0)
LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
formats = pytest.mark.parametrize("name", FORMATS)
native = pytest.mark.parametrize("name", ["float16", "float32", "float64"])


@pytest.fixture(scope="module")
def tenth():
    return Microscope("0.1")


@pytest.fixture(scope="module")
def plus_one():
    return Microscope(lambda a: a + 1, 2048.0)


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

FUNCTIONS = [lambda x: x + 1, lambda x: x * x, lambda x: 1 / x, lambda x: (x + 1) - x, np.sqrt, abs]


@pytest.mark.parametrize("fn", FUNCTIONS)
@native
def test_a_function_gives_what_numpy_gives_in_the_format(fn, name):
    of = format_of(name)
    for value in (0.1, 3.0, 2048.0, 1e-4, 60000.0):
        with np.errstate(all="ignore"):
            expected = float(fn(np.array([value], of.dtype))[0])  # NumPy 1 makes a single number and an integer wider
        got = landing(fn, Fraction(value), of, "x").result
        assert got == expected or (np.isnan(got) and np.isnan(expected))


@native
def test_a_power_is_rounded_once_on_every_processor(name):
    of = format_of(name)
    for value in (0.1, 3.0, 2048.0, 1e-4, 60000.0):
        held = np.array([stored(Fraction(value), of)], of.dtype)
        got = landing(lambda x: -(x**3), Fraction(value), of, "x").result
        assert got == stored(-(Fraction(float(held[0])) ** 3), of)
        with np.errstate(all="ignore"):
            numpys = float(-(held**3)[0])  # IEEE 754 asks no library to round a power correctly; some are one place off
        assert abs(place(got, of) - place(numpys, of)) <= 1


def test_what_is_exact_is_not_rounded():
    found = landing(lambda x: x / 3 + 1, Fraction(2), FORMATS["float16"], "x")
    assert found.exact == Fraction(5, 3) and found.ops == 2
    assert landing(np.exp, Fraction(1), FORMATS["float16"], "x").exact == pytest.approx(np.e)


def test_constants_are_stored_in_the_format():
    found = landing(lambda x: x + 0.1, Fraction(0), FORMATS["float16"], "x")
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
    assert landing(fn, Fraction(3), FORMATS["float32"], "x").words == words


def test_what_an_addition_does_not_change_is_absorbed():
    of = FORMATS["float16"]
    assert landing(lambda a: a + 1, Fraction(2048), of, "a").absorbed == "1"
    assert landing(lambda a: a + 1, Fraction(1, 2**12), of, "a").absorbed == "a"
    assert landing(lambda a: a + 1, Fraction(2047), of, "a").absorbed == ""
    assert landing(lambda a: a + 1, Fraction(1, 2**30), of, "a").absorbed == "", "stored as 0: nothing is added"


def test_autograd_functions_work_too():
    import autograd.numpy as anp

    assert landing(anp.tanh, Fraction(1), FORMATS["float32"], "x").result == float(np.tanh(np.float32(1)))


def test_a_branch_looks_at_the_stored_number():
    assert landing(lambda x: x + 1 if x > 0 else x, Fraction(1, 2**30), FORMATS["float16"], "x").result == 0.0


# ---- the picture ----


@pytest.mark.parametrize("power, row", [(0, 3), (17, 3)])
def test_the_result_is_in_the_middle_of_its_neighbours(tenth, power, row):
    window = Window(tenth.at("float16", power))
    assert window.landed == row and len(window.rows) == 7
    assert sorted(window.heights) == window.heights and all(0 < y < 364 for y in window.heights)


def test_infinity_stands_above_the_largest_number(tenth):
    window = Window(tenth.at("float16", 22))
    assert [window.name(0), window.name(1)] == ["inf", "65504"] and window.landed == 0
    assert Window(tenth.at("float8_e4m3", 22)).name(0) == "nan"


def test_below_a_power_of_two_the_gap_is_half_as_wide(plus_one):
    window = Window(plus_one.at("float16"))
    steps = np.diff(window.heights)
    assert np.allclose(steps[:3], 2 * steps[3:])


def test_what_is_exact_stands_between_its_neighbours(plus_one):
    found = plus_one.at("float16")
    window = Window(found)
    assert window.height(found.target) == pytest.approx((window.heights[2] + window.heights[3]) / 2)


@pytest.mark.parametrize("name", NAMES)
def test_the_caption_names_the_result(tenth, name):
    for position, found in enumerate(tenth.landings[name]):
        said = tenth.describe(format=name, **{DIAL: position}).splitlines()[-1]
        if not np.isfinite(found.result):
            assert "Beyond" in said
        elif found.result == 0:
            assert "becomes 0" in said
        else:
            assert digits(found.result, gap_at(Fraction(found.result), found.of)) in said


def seen(lens, name, **dials):
    """The marks of a panel as they are seen."""
    (panel,) = [panel for panel in lens.scene.panels if panel.name == name]
    return list(visible_marks(panel, lens.scene.state(**dials)))


def test_every_row_shows_its_number_and_the_boxes_the_bits_of_the_result(plus_one):
    said = [words for _, _, words, _ in seen(plus_one, "ruler", format="float16")]
    assert {str(n) for n in (2045, 2046, 2047, 2048, 2050, 2052, 2054)} <= set(said)
    for name in NAMES:
        marks = seen(plus_one, f"bits {name}", format=name)
        boxes = [words for mark, _, words, _ in marks if words in ("0", "1") and mark.role == "heading"]
        assert boxes == list("".join(bits(plus_one.at(name).result, FORMATS[name])))


def test_a_row_fits_into_the_ruler(tenth, plus_one):
    for lens in (tenth, plus_one, Microscope(np.exp, 8.0)):
        for found in (f for landings in lens.landings.values() for f in (*landings[::4], landings[-1])):
            window = Window(found)
            for row in range(len(window.rows)):
                assert NUMBERS + width_of(window.name(row), 12, mono=True) < WIDTH


@pytest.mark.parametrize("name", NAMES)
def test_the_number_lies_in_the_part_of_the_range_that_says_what_becomes_of_it(tenth, name):
    for position, found in enumerate(tenth.landings[name]):
        marks = seen(tenth, f"bits {name}", format=name, **{DIAL: position})
        dot = [at["cx"] for mark, at, _, _ in marks if mark.tag == "circle"]
        strip = [(mark.role, at["x"], at["x"] + at["width"]) for mark, at, _, _ in marks if at.get("height") == STRIP]
        for x in dot:
            role = next(role for role, left, right in strip if left - 0.1 <= x < right - 0.1)
            exponent = exponent_of(found.x)
            of = found.of
            kept = "op" if exponent >= of.min_exponent else "leaf"
            beyond = "zone-zero" if exponent < exponent_of(Fraction(of.min_subnormal)) else "zone-over"
            inside = exponent_of(Fraction(of.min_subnormal)) <= exponent <= of.max_exponent
            assert role == (kept if inside else beyond)
        grip = next(g for g in tenth.scene.grips if g.name == f"bits range {name}")
        assert [spot[0] for spot in [grip.spots[position]] if spot] == pytest.approx(dot, abs=0.1)
        assert len(dot) == 1


def test_predictions_are_what_the_lens_shows(plus_one):
    for position, asked in plus_one.scene.dials[1].asks.items():
        for ask in asked:
            (i,) = ask.when["format"]
            assert ask.answer == plus_one.landings[NAMES[i]][position].result
            assert all(value != ask.answer for value, _ in ask.slips)


def test_the_slider_starts_at_the_value_and_knows_both_ends_of_the_formats(tenth):
    assert tenth.positions[tenth.scene.start()[DIAL]] == 0
    for name in set(NAMES) - {"float64"}:
        results = [f.result for f in tenth.landings[name]]
        assert results[0] == 0.0 and not np.isfinite(results[-1])


def test_own_powers():
    lens = Microscope(1.0, powers=range(-3, 4), format="bfloat16")
    assert lens.positions == [-3, -2, -1, 0, 1, 2, 3] and lens.scene.dials[0].start == NAMES.index("bfloat16")
    with pytest.raises(ValueError, match="expected one of the powers"):
        lens.at("float16", 9)


@pytest.mark.parametrize("given", [(1,), ("0.1",), (0.0,), (-3.5,), (np.float16(0.1),), (lambda x: x + 0.1, 0.0)])
def test_all_kinds_of_values(given):
    json.dumps(to_json(Microscope(*given, powers=[-1, 0, 1]).scene), allow_nan=False)


def test_zero_has_one_position():
    assert Microscope(0.0).positions == [0]


def test_hard_functions_are_shown_all_the_same():
    for fn, x in [(np.log, 0.0), (lambda x: 1 / x, 0.0), (lambda x: x - x, 1.0), (np.log, -1.0), (lambda x: 2.0, 1.0)]:
        lens = Microscope(fn, x, powers=[0, 1])
        assert lens.svg() and lens.describe()


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
        ((lambda x: 1 / 0, 1.0), ZeroDivisionError, "division"),
    ],
)
def test_what_cannot_be_shown_says_what_to_do(given, error, words):
    with pytest.raises(error, match=words):
        Microscope(*given)


def test_an_unknown_format_is_named():
    with pytest.raises(ValueError, match="float7"):
        Microscope(1.0, format="float7")


def test_a_scene_of_moderate_size(plus_one):
    assert len(json.dumps(to_json(plus_one.scene))) < 500_000


def test_number_does_not_hide_in_python_floats():
    import math

    given = Number.stored(FORMATS["float16"], Fraction(1), "x")
    with pytest.raises(TypeError):
        math.exp(given)


# ---- what is dragged ----


def test_what_is_exact_is_dragged_along_the_line_which_stands_still_meanwhile():
    lens = Microscope("0.1", powers=range(-2, 3))
    at = lens.state
    del at["inputs"]

    def seen():
        panel, state = lens.scene.panels[0], lens.scene.state(**at)
        lit = [(at_["y"], at_["y"] + at_["height"]) for _, at_, _, name in visible_marks(panel, state) if name == "lit"]
        numbers = [words for mark, _, words, _ in visible_marks(panel, state) if mark.role == "code"]
        (grip,) = [g for g in lens.scene.grips if g.name == "exact" and holds(g.when, state)]
        return lit[0], numbers, grip

    _, numbers, grip = seen()
    along = grip.free["y"]
    for share in (0.3, 0.42, 0.61):
        value = along.low + share * (along.high - along.low)
        lens.respond({"set": {"value": value}, "at": at})
        (top, bottom), now, moved = seen()
        assert now == numbers and top - 0.1 <= moved.at[1] <= bottom + 0.1  # in the band of what lands where it does
        assert moved.at[1] == pytest.approx(along.start + share * (along.end - along.start), abs=0.2)
    lens.respond({"set": {"value": value}})
    assert float(lens.landings["float16"][lens.positions.index(0)].result) == float(np.float16(value))


def test_the_power_is_dragged_along_its_axis(tenth):
    (grip,) = [g for g in tenth.scene.grips if g.name == "power"]
    xs = [spot[0] for spot in grip.spots]
    assert grip.dial == DIAL and xs == sorted(xs) and len(xs) == len(tenth.positions)


@pytest.mark.parametrize("of", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("power", [-4, 0, 3])
def test_a_sum_is_written_by_hand_with_what_falls_behind_the_end(of, power):
    found = Microscope(lambda a: a + 1, 2048.0, powers=range(-12, 6)).at(of, power)
    written = Columns(found)
    (a, _), (one, sunk), (exact, behind), (stored, nothing) = written.rows()
    sunk = sunk.rstrip("…")  # zeros alone follow
    value = lambda front, rest="": (
        Fraction(int((front + rest).strip() or "0", 2)) * Fraction(2) ** (written.last - len(rest))
    )
    assert value(a) == Fraction(2048) * Fraction(2) ** power
    assert value(one, sunk) == 1
    assert value(exact, behind) == found.target
    assert value(stored) == Fraction(found.result)
    assert nothing == ""
    assert bool(behind.strip("0")) == (Fraction(found.result) != found.target)


@pytest.mark.parametrize("of", ["float32", "float64"])
def test_no_digit_of_a_sum_is_cut_off(of):
    lens = Microscope(lambda a: a + 1, 2.0**-30 * 3, powers=range(-20, 31))
    panel = next(p for p in lens.scene.panels if p.name == f"sum {of}")
    for power in lens.positions:
        found = lens.at(of, power)
        seen = visible_marks(panel, lens.scene.state(format=of, power=lens.landings[of].index(found)))
        rows = {}
        for mark, at, words, _ in seen:
            if mark.role == "place":
                rows.setdefault((at["y"] - FIRST) // (ROW + LINE * (of == "float64")), []).append(words)
        stored = int("".join(rows[3]).replace("\u2007", ""), 2)
        assert stored * Fraction(2) ** Columns(found).last == Fraction(found.result)
        assert all("…" not in words for lines in rows.values() for words in lines)


@pytest.mark.parametrize("of", ["float16", "float32", "float8_e4m3"])
@pytest.mark.parametrize("what", [lambda a: a + 1, lambda a: a - 0.75, None])
def test_what_is_said_of_training_is_true(of, what):
    lens = Microscope(what, 3.0) if what else Microscope(3.0)
    for found in lens.landings[of]:
        first, second = in_training(found)
        if "when less than" in second:
            half = Fraction(re.search(r"than (\S+) is", second)[1].replace("−", "-"))
            moved = [stored(Fraction(found.result) + half * Fraction(k, 10), found.of) for k in (9, 11)]
            assert moved[0] == found.result != moved[1]
        elif "the update is lost" in second:
            assert found.result == float(max(found.terms, key=abs)) and all(found.terms)
        elif "skipped" in first:
            assert not np.isfinite(found.result)
        elif first:
            scale = Fraction(2) ** int(second.split("of 2", 1)[1].split(" ")[0].translate(LOWERED))
            assert abs(found.result) < found.of.min_normal <= abs(stored(found.target * scale, found.of))


def test_what_is_rounded_away_is_said_in_gaps():
    shown = Microscope(lambda a: a + 1, 2048.0, powers=[0])
    texts = [words for mark, _, words, _ in visible_marks(shown.scene.panels[-6], shown.scene.state())]
    assert "1 = 0.5 gap" in texts
    assert shown.scene.state()["beside"] == 2
    assert len(Microscope(lambda a: a * 3, 2.0, powers=[0]).scene.dials[2].values) == 2


def test_of_what_is_no_number_no_sum_is_written():
    found = Microscope(lambda a: a + 1, 2048.0, powers=[0]).at("float8_e4m3")
    assert Columns(found).rows() == [("", ""), ("", ""), ("", ""), ("nan", "")]


def test_wherever_it_is_there_is_something_to_grab(plus_one, tenth):
    for lens in (plus_one, tenth):
        for i, beside in product(range(len(NAMES)), range(len(lens.scene.dials[2].values))):
            held = [g for g in lens.scene.grips if holds(g.when, lens.scene.state(format=i, beside=beside)) and g.dial]
            along_the_line = [g.panel for g in held].count("ruler")
            assert len(held) == 1 + along_the_line and along_the_line == (lens is plus_one and NAMES[i] == "float16")
            assert all(spot is not None for g in held if g.panel != "ruler" for spot in g.spots)


def test_it_stops_where_something_else_becomes_of_the_number(plus_one, tenth):
    for lens in (plus_one, tenth):
        dial, found = lens.scene.dials[1], lens.landings["float16"]
        assert dial.start in dial.stops and 3 < len(dial.stops) < 10
        for a, b in pairwise([0, *(i for i in dial.stops if i != dial.start or fate(found[i]) != fate(found[i - 1]))]):
            assert {fate(f) for f in found[a:b]} == {fate(found[a])}


@pytest.mark.parametrize("name", NAMES)
def test_inf_and_nan_have_a_picture_that_says_what_they_mean(name):
    for lens in (Microscope(lambda a: a + 1, 2048.0), Microscope(lambda a: a - a, 2048.0)):
        for position, found in enumerate(lens.landings[name]):
            if np.isfinite(found.result):
                continue
            dials = {"format": name, DIAL: position, "beside": 2}
            said = [words for _, _, words, _ in seen(lens, f"sum {name}", **dials)]
            assert f"exponent {'1' * FORMATS[name].exponent_bits}: all ones" in said
            assert f"that means {'inf' if np.isinf(found.result) else 'nan'}" in " ".join(said)
            boxes = [w for m, _, w, _ in seen(lens, f"sum {name}", **dials) if w in ("0", "1") and m.role == "heading"]
            assert "".join(boxes) == "".join(bits(found.result, FORMATS[name]))
            ruler = seen(lens, "ruler", **dials)
            rows = [words for mark, _, words, _ in ruler if mark.role == "code"]
            assert rows[0] == ("inf" if FORMATS[name].infinity else "nan") and len(rows) == 7
            lit = any(state == "lit" for *_, state in ruler)
            assert lit != ("nan lies nowhere on this line" in [words for _, _, words, _ in ruler])
            assert "is beyond" in lens.scene.said(lens.scene.state(**dials))


def test_the_input_of_a_function_is_dragged_along_the_line_over_numbers_that_stay(plus_one):
    i, found = NAMES.index("float16"), plus_one.landings["float16"]
    (grip,) = [g for g in plus_one.scene.grips if g.name == "input" and g.when == {"format": [i]}]
    reached = [k for k, spot in enumerate(grip.spots) if spot]
    assert [int(found[k].x) for k in reached] == [2045, 2046, 2047, 2048, 2050, 2052]
    heights = [grip.spots[k][1] for k in reached]
    assert heights == sorted(heights, reverse=True) and len(set(heights)) == len(heights)
    panel, rows = plus_one.scene.panels[0], set()
    for k in reached:
        seen = list(visible_marks(panel, plus_one.scene.state(format=i, power=k)))
        rows.add(tuple(words for mark, _, words, _ in seen if mark.role == "code"))
        heights = [at["d"] for mark, at, *_ in seen if mark.role == "edge"]
        assert px(grip.spots[k][1]) in heights[0]  # the handle stands on its line
    assert len(rows) == 1


@pytest.mark.parametrize(
    "of, power, top", [("float16", 0, "4096"), ("float16", -30, "2⁻¹³"), ("float32", 0, "4096"), ("float16", 4, "2¹⁶")]
)
def test_the_line_that_is_magnified_goes_up_to_the_next_power_of_two(of, power, top):
    lens = Microscope(lambda a: a + 1 if power >= 0 else a * 1, 2048.0, powers=range(-36, 6), format=of)
    position = lens.landings[of].index(lens.at(of, power))
    seen = list(visible_marks(lens.scene.panels[0], lens.scene.state(format=of, power=position)))
    assert top in [words for mark, _, words, _ in seen if mark.role == "tick"]
    assert [mark.role for mark, *_ in seen].count("lens") == 1


def test_two_gaps_do_not_run_over_each_other(plus_one):
    gaps = [
        m
        for m in plus_one.scene.panels[0].marks
        if any("gap" in str(w) for _, w in m.vary.get(DIAL, {}).get("text", []))
    ]
    assert gaps and all(
        {(move.property, move.start, move.length) for move in m.moves} == {("y", 1000.0, 0.0), ("text", 1000.0, 0.0)}
        for m in gaps
    )
