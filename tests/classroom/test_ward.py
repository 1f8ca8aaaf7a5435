"""The ward of elective E8: each fault is a change in a program that runs, and some measurement tells it from all others."""

import inspect
from itertools import combinations

import numpy as np
import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter

from labkit.classroom import EXERCISES, clinic
from labkit.classroom.clinic.drawing import admission, textbook
from labkit.classroom.clinic.faults import FAULTS, PARTS, program, sets_of, together
from labkit.classroom.clinic.instruments import INSTRUMENTS, measured
from labkit.classroom.clinic.patient import JUDGED

SEEDS = 3
BY_NUMBERS = {
    "moved",
    "formats",
    "gradients",
}  # differ for single faults, too, but not whatever the plan and the other faults are
HEALTHY = ""
COMPARED = [what for what in INSTRUMENTS if what != "losses"]  # takes longest, and tells nothing for sure


def numbers(shown):
    """What an instrument shows, as numbers: None is -1, and of a list also how it goes on from its first number."""
    if isinstance(shown, dict):
        shown = [one != "healthy" if isinstance(one, str) else one for one in shown.values()]
    if not isinstance(shown, (list, tuple)):
        return [float(shown)]
    found = [-1.0 if one is None else float(one) for one in shown]
    return [len(found), *found[:3], *found[-1:], found[-1] / found[0] if found and found[0] > 0 else -1.0]


@pytest.fixture(scope="module")
def shown():
    """Of each fault, and of the healthy patient, what each instrument shows of some patients: a row for each."""
    cases = {name: [textbook((name,) if name else (), i) for i in range(SEEDS)] for name in (HEALTHY, *FAULTS)}
    return {
        (name, what): [numbers(measured(what, one)) for one in patients]
        for name, patients in cases.items()
        for what in COMPARED
    }


def different(ours, theirs):
    """True where one of the numbers lies in two ranges that have nothing in common; nan is a range of its own."""
    if {len(one) for one in ours}.isdisjoint({len(one) for one in theirs}):
        return True
    pairs = zip(np.array(ours).T, np.array(theirs).T, strict=True)
    return any(_apart(a, b) for a, b in pairs)


def _apart(a, b):
    if np.isnan(a).any() or np.isnan(b).any():
        return bool(np.isnan(a).all() != np.isnan(b).all())
    return a.max() < b.min() or b.max() < a.min()


@pytest.mark.parametrize("name", FAULTS)
def test_the_measurements_of_a_fault_tell_it_from_every_other_and_from_health(name, shown):
    others = [other for other in (HEALTHY, *FAULTS) if other != name]
    telling = {what for what in COMPARED if all(different(shown[name, what], shown[other, what]) for other in others)}
    assert set(FAULTS[name].shown_by) <= telling <= {*FAULTS[name].shown_by, *BY_NUMBERS}


@pytest.mark.parametrize("one, other", list(combinations((HEALTHY, *FAULTS), 2)))
def test_any_two_are_different_by_some_measurement(one, other, shown):
    assert any(different(shown[one, what], shown[other, what]) for what in COMPARED)


def test_each_fault_is_one_change_in_the_text_of_a_part():
    for fault in FAULTS.values():
        text = inspect.getsource(program(())[fault.part])
        assert (text.count(fault.healthy) == 1 and fault.ill not in text) or fault.ill in fault.healthy, fault.name
        made = program((fault.name,))
        assert [part for part in PARTS if made[part].__code__.co_filename == "<a patient>"] == [fault.part]


def test_faults_of_one_part_do_not_disturb_each_other():
    parts = [fault.part for fault in FAULTS.values()]
    shared = [f for f in FAULTS.values() if parts.count(f.part) > 1]
    assert {f.name for f in shared} == {"left-out", "l2-decay"}
    update = clinic.admit(1, with_faults=("left-out", "l2-decay")).measure("update")
    assert update["W1"] == 1 and update["W2"] < 1


def test_a_patient_shows_no_source_and_no_fault():
    patient = clinic.admit("somebody")
    with pytest.raises(OSError):
        inspect.getsource(program(("broadcast",))["loss"])
    seen = [repr(patient), str(vars(patient)), str(patient.plan), repr(admission("somebody"))]
    assert not [name for name in FAULTS for text in seen if name in text]


def test_no_completion_leads_to_who_has_what():
    completer = IPCompleter(namespace={"clinic": clinic, "patient": clinic.admit("somebody")})
    for text in ("clinic.", "patient.", "patient._", "patient.plan."):
        with provisionalcompleter():
            told = {one.text.rsplit(".", 1)[-1] for one in completer.completions(text, len(text))}
        assert told and not told & {"drawing", "admission", "textbook", "faults", "_who"}, text


def test_three_faults_leave_the_losses_as_they_are():
    """To two digits: what a loss curve cannot show."""
    healthy = clinic.admit(1, with_faults=()).measure("losses")
    for name in ("sum-of-pieces", "clip-early", "half-weights"):
        assert np.allclose(clinic.admit(1, with_faults=(name,)).measure("losses"), healthy, atol=0.01), name


def test_patients_are_drawn_from_their_name():
    assert admission(7) == admission("7") != admission(8)
    counts = np.bincount([len(admission(i).faults) for i in range(700)], minlength=4)
    assert len(counts) == 4 and abs(counts - np.array([50, 250, 250, 150])).max() < 45
    assert {fault for i in range(300) for fault in admission(i).faults} == set(FAULTS)


def test_no_fault_hides_another():
    assert not together(("overflow", "clip-early")) and together(("overflow", "broadcast"))
    assert all(together(admission(i).faults) for i in range(300))
    assert len(sets_of(1)) == 12 and len(sets_of(2)) == 66 - 3


def test_the_solution_finds_what_is_there_within_the_budget():
    scope = {}
    exec(EXERCISES["ward-diagnose"].solution, scope)
    for i in range(12):
        assert scope["answer"](i) == tuple((name, "shown") for name in sorted(admission(i).faults)), i


def test_a_measurement_is_paid_once_and_not_beyond_the_budget():
    patient = clinic.admit(3)
    assert [patient.measure("pieces") == patient.measure("pieces"), patient.spent] == [True, 4]
    with pytest.raises(clinic.OverBudget, match=r"'(\w+)' costs \d, and \d+ of 20 points are left"):
        for what in INSTRUMENTS:
            patient.measure(what)
    assert patient.spent <= patient.budget < sum(one.price for one in INSTRUMENTS.values())


def test_a_sheet_says_what_a_measurement_is_worth_and_nothing_about_the_patient():
    patient = clinic.admit("nobody", with_faults=())
    patient.measure("moved")
    assert patient.submit({"left-out": "moved", "overflow": "moved", "detached": "gradients"}) == (
        ("detached", "not measured"), ("left-out", "not shown"), ("overflow", "shown"),
    )  # fmt: skip


def test_names_that_there_are_not_are_said():
    patient = clinic.admit(1)
    with pytest.raises(ValueError, match=r"no 'loses'. Did you mean 'losses'"):
        patient.measure("loses")
    with pytest.raises(ValueError, match=r"no 'detach'. Did you mean 'detached'"):
        patient.submit({"detach": "gradients"})
    with pytest.raises(ValueError, match=r"no 'los'. Did you mean 'loss'"):
        patient.replace(los=print)
    with pytest.raises(ValueError, match="expected names from detached"):
        clinic.admit(1, with_faults=("flu",)).measure("rates")


def test_a_healthy_part_in_its_place_makes_the_patient_well_and_nothing_else_does():
    for name, fault in FAULTS.items():
        ill = clinic.admit(5, with_faults=(name,))
        ill.replace(**{fault.part: program(())[fault.part]})
        assert ill.discharge() == ((fault.part,), ()), name
    still = {name: clinic.admit(5, with_faults=(name,)).discharge()[1] for name in FAULTS}
    assert [name for name, differs in still.items() if not differs] == ["half-weights"]
    assert set().union(*still.values()) == set(JUDGED)


def test_who_is_discharged_is_gone():
    patient = clinic.admit(1, with_faults=())
    assert patient.discharge() == ((), ())
    with pytest.raises(ValueError, match="has been discharged"):
        patient.measure("rates")
