"""The working copy: laid without outputs, renewed where the learner has changed nothing, never at the learner's cost."""

import json

import pytest
from small_course import code, exercise, notebook, text

from labkit.working_copy import notebook as nb
from labkit.working_copy import places
from labkit.working_copy.copy import WorkingCopy, WorkingCopyError

WRITTEN = 'answer = 7\ncheck("sum", answer)'


def sources(learner, name):
    return ["".join(cell["source"]) for cell in learner.read(name)["cells"]]


# ---- laid ----


def test_notebooks_are_laid_with_all_their_cells_and_no_outputs(learner):
    assert learner.copy().lay().laid == ["00_start.ipynb", "01_more.ipynb", "figures/graph.png"]
    course = json.loads((learner.course / "00_start.ipynb").read_text())
    assert nb.marks(learner.read("00_start.ipynb")) == nb.marks(course)
    ran = [cell for cell in learner.read("00_start.ipynb")["cells"] if cell["cell_type"] == "code"]
    assert len(ran) == 3 and all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in ran)


def test_what_notebooks_refer_to_comes_along_and_what_is_somebodys_does_not(learner):
    learner.copy().lay()
    assert learner.content().keys() == {"00_start.ipynb", "01_more.ipynb", "figures/graph.png"}
    assert learner.content()["figures/graph.png"] == b"a picture"


def test_laying_again_changes_nothing(learner):
    learner.copy().lay()
    before = learner.content() | {"manifest": (learner.folder / places.MANIFEST).read_bytes()}
    changes = learner.copy().lay()
    assert not (changes.laid or changes.renewed or changes.newer or changes.note)
    assert learner.content() | {"manifest": (learner.folder / places.MANIFEST).read_bytes()} == before


def test_a_notebook_that_was_deleted_is_laid_again(learner):
    learner.copy().lay()
    (learner.folder / "01_more.ipynb").unlink()
    assert learner.copy().lay().laid == ["01_more.ipynb"]


def test_a_notebook_that_shares_a_cell_with_the_course_is_the_learners(learner):
    learner.copy().lay()
    (learner.folder / places.MANIFEST).unlink()
    (learner.folder / "01_more.ipynb").unlink()
    assert learner.copy().lay().laid == ["01_more.ipynb"]


def test_a_folder_with_a_foreign_notebook_of_the_same_name_is_refused(learner):
    learner.folder.mkdir()
    (learner.folder / "00_start.ipynb").write_text(json.dumps(notebook(text("mine"))))
    with pytest.raises(WorkingCopyError, match=r"holds other files, such as '00_start\.ipynb'"):
        learner.copy().lay()


@pytest.mark.parametrize("where", ["", "figures", "figures/new"])
def test_the_course_itself_is_no_working_copy(learner, where):
    with pytest.raises(WorkingCopyError, match="original notebooks"):
        WorkingCopy(learner.course / where, learner.course)


def test_a_course_that_is_damaged_is_told_and_not_laid(learner):
    (learner.course / "01_more.ipynb").write_text("{")
    with pytest.raises(WorkingCopyError, match=r"01_more.ipynb' came with labkit and is damaged"):
        learner.copy().lay()


# ---- the course is newer ----


def publish_anew(learner):
    learner.publish("00_start", text("# Start, better"), exercise("sum", "answer = ...  # a number"), exercise("power"))
    (learner.course / "figures" / "graph.png").write_bytes(b"a better picture")


def run_all(cells):
    for count, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            cell |= {"outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}], "execution_count": count}


def test_what_the_learner_has_only_run_is_renewed(learner):
    learner.copy().lay()
    learner.edit("00_start.ipynb", run_all)
    publish_anew(learner)
    assert learner.copy().lay().renewed == ["00_start.ipynb", "figures/graph.png"]
    assert sources(learner, "00_start.ipynb")[0] == "# Start, better"
    assert learner.content()["figures/graph.png"] == b"a better picture"
    assert not learner.copy().lay().renewed


def test_what_the_learner_has_edited_stays_and_is_offered_every_time(learner):
    learner.copy().lay()
    learner.answer("00_start.ipynb", "sum", WRITTEN)
    (learner.folder / "figures" / "graph.png").write_bytes(b"my picture")
    before = learner.content()
    publish_anew(learner)
    assert [learner.copy().lay().newer for _ in range(2)] == [["00_start.ipynb"]] * 2
    assert learner.content() == before


def test_what_was_declined_is_offered_no_more_until_the_course_changes_again(learner):
    learner.copy().lay()
    learner.answer("00_start.ipynb", "sum", WRITTEN)
    publish_anew(learner)
    learner.copy().decline(["00_start.ipynb"])
    changes = learner.copy().lay()
    assert (changes.newer, changes.declined) == ([], ["00_start.ipynb"])
    learner.publish("00_start", text("# Start, once more"))
    assert learner.copy().lay().newer == ["00_start.ipynb"]


# ---- put back ----


def test_a_notebook_is_put_back_and_the_old_one_kept_under_a_free_name(learner):
    learner.copy().lay()
    pristine = learner.content()["00_start.ipynb"]
    for i in (1, 2):
        learner.answer("00_start.ipynb", "sum", WRITTEN)
        edited = learner.content()["00_start.ipynb"]
        assert learner.copy().put_back("00_start.ipynb").kept == f"00_start.old-{i}.ipynb"
        assert learner.content()["00_start.ipynb"] == pristine
        assert learner.content()[f"00_start.old-{i}.ipynb"] == edited
    assert learner.copy().put_back("00_start.ipynb").kept is None
    assert not learner.copy().lay().newer


def test_answers_are_carried_over_by_the_name_of_the_exercise(learner):
    learner.copy().lay()
    learner.answer("00_start.ipynb", "sum", WRITTEN)
    publish_anew(learner)
    done = learner.copy().put_back("00_start.ipynb", keep_answers=True)
    assert (done.kept, done.carried) == ("00_start.old-1.ipynb", ("sum",))
    assert sources(learner, "00_start.ipynb") == ["# Start, better", WRITTEN, 'answer = ...\ncheck("power", answer)']
    assert learner.copy().lay().newer == [] and sources(learner, "00_start.ipynb")[1] == WRITTEN


def test_a_stub_that_the_learner_has_left_alone_is_no_answer(learner):
    learner.copy().lay()
    learner.edit("00_start.ipynb", lambda cells: cells.append(code("mine = 1", "mine")))
    publish_anew(learner)
    assert learner.copy().put_back("00_start.ipynb", keep_answers=True).carried == ()
    assert "a number" in sources(learner, "00_start.ipynb")[1]


@pytest.mark.parametrize("call", ['check("sum", answer)', "check( name='sum', answer=7)", "labkit.check('sum', 7)"])
def test_an_answer_whose_cell_has_lost_its_id_is_known_by_its_check(call):
    old = notebook(code("check('summary', 1)", "a"), {**code(f"answer = 7\n{call}", "b"), "id": "a1b2"})
    new = notebook(exercise("sum"))
    assert nb.carry_answers(old, new, nb.marks(new)) == ["sum"]
    assert new["cells"][0]["source"] == f"answer = 7\n{call}"


def test_a_call_of_check_that_the_course_makes_itself_is_no_answer():
    shown = code('check("sum", 3)', "wrong")
    new = notebook(exercise("sum"))
    assert nb.carry_answers(notebook(shown, text('check("sum", 3)')), new, nb.marks(notebook(shown))) == []


# ---- what can go wrong ----


HALF = [
    b"", b"{", b"null", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"cells": 3}', b'{"cells": [{}]}',
    b'{"cells": [{"cell_type": "code", "source": [1]}]}',
]  # fmt: skip


@pytest.mark.parametrize("half", HALF)
def test_a_notebook_saved_by_half_is_told_kept_and_put_back_when_asked(learner, half):
    learner.copy().lay()
    (learner.folder / "00_start.ipynb").write_bytes(half)
    publish_anew(learner)
    changes = learner.copy().lay()
    assert changes.unreadable == ["00_start.ipynb"] and learner.content()["00_start.ipynb"] == half
    done = learner.copy().put_back("00_start.ipynb", keep_answers=True)
    assert (done.kept, done.carried) == ("00_start.old-1.ipynb", ())
    assert (
        learner.content()["00_start.old-1.ipynb"] == half and sources(learner, "00_start.ipynb")[0] == "# Start, better"
    )


def test_a_notebook_that_is_mended_after_it_was_saved_by_half_is_offered_the_newer_one(learner):
    learner.copy().lay()
    learner.answer("00_start.ipynb", "sum", WRITTEN)
    whole = learner.content()["00_start.ipynb"]
    (learner.folder / "00_start.ipynb").write_bytes(whole[:-9])
    publish_anew(learner)
    assert learner.copy().lay().unreadable == ["00_start.ipynb"]
    (learner.folder / "00_start.ipynb").write_bytes(whole)
    assert learner.copy().lay().newer == ["00_start.ipynb"]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"laid": 3, "declined": {}}', b'{"laid": {"a": 3}}', b"\xff"])
def test_a_damaged_manifest_is_told_and_costs_nothing(learner, damage):
    learner.copy().lay()
    learner.answer("00_start.ipynb", "sum", WRITTEN)
    before = learner.content()
    (learner.folder / places.MANIFEST).write_bytes(damage)
    assert "was damaged" in learner.copy().lay().note
    assert learner.content() == before and not learner.copy().lay().note
    publish_anew(learner)
    assert learner.copy().lay().newer == ["00_start.ipynb"]


def test_a_working_copy_that_is_interrupted_while_it_is_laid_is_completed(learner, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("labkit.working_copy.manifest.write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            learner.copy().lay()
    assert not learner.copy().lay().newer
    publish_anew(learner)
    assert learner.copy().lay().renewed == ["00_start.ipynb", "figures/graph.png"]


def test_an_answer_is_folded_whole_whatever_it_holds():
    told = "Six.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```"
    cell = {"cell_type": "markdown", "source": told, "metadata": {"tags": ["answer"]}}
    (folded,) = nb.clear({"cells": [cell]})["cells"]
    assert folded["source"] == f"<details><summary>Explain</summary>\n\n{told}\n\n</details>"
