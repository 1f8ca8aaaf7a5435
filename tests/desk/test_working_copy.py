"""The working copy: laid without outputs, renewed where the learner has changed nothing, never at the learner's cost."""

import json

import pytest
from small_course import code, exercise, notebook, text

from labkit.desk import notebook as nb
from labkit.desk import places
from labkit.desk.copy import DeskError, WorkingCopy

WRITTEN = 'answer = 7\ncheck("sum", answer)'


def sources(desk, name):
    return ["".join(cell["source"]) for cell in desk.read(name)["cells"]]


# ---- laid ----


def test_notebooks_are_laid_with_all_their_cells_and_no_outputs(desk):
    assert desk.copy().lay().laid == ["00_start.ipynb", "01_more.ipynb", "figures/graph.png"]
    course = json.loads((desk.course / "00_start.ipynb").read_text())
    assert nb.marks(desk.read("00_start.ipynb")) == nb.marks(course)
    ran = [cell for cell in desk.read("00_start.ipynb")["cells"] if cell["cell_type"] == "code"]
    assert len(ran) == 3 and all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in ran)


def test_what_notebooks_refer_to_comes_along_and_what_is_somebodys_does_not(desk):
    desk.copy().lay()
    assert desk.content().keys() == {"00_start.ipynb", "01_more.ipynb", "figures/graph.png"}
    assert desk.content()["figures/graph.png"] == b"a picture"


def test_laying_again_changes_nothing(desk):
    desk.copy().lay()
    before = desk.content() | {"manifest": (desk.folder / places.MANIFEST).read_bytes()}
    changes = desk.copy().lay()
    assert not (changes.laid or changes.renewed or changes.newer or changes.note)
    assert desk.content() | {"manifest": (desk.folder / places.MANIFEST).read_bytes()} == before


def test_a_notebook_that_was_deleted_is_laid_again(desk):
    desk.copy().lay()
    (desk.folder / "01_more.ipynb").unlink()
    assert desk.copy().lay().laid == ["01_more.ipynb"]


def test_a_notebook_that_shares_a_cell_with_the_course_is_the_learners(desk):
    desk.copy().lay()
    (desk.folder / places.MANIFEST).unlink()
    (desk.folder / "01_more.ipynb").unlink()
    assert desk.copy().lay().laid == ["01_more.ipynb"]


def test_a_folder_with_a_foreign_notebook_of_the_same_name_is_refused(desk):
    desk.folder.mkdir()
    (desk.folder / "00_start.ipynb").write_text(json.dumps(notebook(text("mine"))))
    with pytest.raises(DeskError, match=r"holds other files, such as '00_start\.ipynb'"):
        desk.copy().lay()


@pytest.mark.parametrize("where", ["", "figures", "figures/new"])
def test_the_course_itself_is_no_working_copy(desk, where):
    with pytest.raises(DeskError, match="original notebooks"):
        WorkingCopy(desk.course / where, desk.course)


def test_a_course_that_is_damaged_is_told_and_not_laid(desk):
    (desk.course / "01_more.ipynb").write_text("{")
    with pytest.raises(DeskError, match=r"01_more.ipynb' came with labkit and is damaged"):
        desk.copy().lay()


# ---- the course is newer ----


def publish_anew(desk):
    desk.publish("00_start", text("# Start, better"), exercise("sum", "answer = ...  # a number"), exercise("power"))
    (desk.course / "figures" / "graph.png").write_bytes(b"a better picture")


def run_all(cells):
    for count, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            cell |= {"outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}], "execution_count": count}


def test_what_the_learner_has_only_run_is_renewed(desk):
    desk.copy().lay()
    desk.edit("00_start.ipynb", run_all)
    publish_anew(desk)
    assert desk.copy().lay().renewed == ["00_start.ipynb", "figures/graph.png"]
    assert sources(desk, "00_start.ipynb")[0] == "# Start, better"
    assert desk.content()["figures/graph.png"] == b"a better picture"
    assert not desk.copy().lay().renewed


def test_what_the_learner_has_edited_stays_and_is_offered_every_time(desk):
    desk.copy().lay()
    desk.answer("00_start.ipynb", "sum", WRITTEN)
    (desk.folder / "figures" / "graph.png").write_bytes(b"my picture")
    before = desk.content()
    publish_anew(desk)
    assert [desk.copy().lay().newer for _ in range(2)] == [["00_start.ipynb"]] * 2
    assert desk.content() == before


def test_what_was_declined_is_offered_no_more_until_the_course_changes_again(desk):
    desk.copy().lay()
    desk.answer("00_start.ipynb", "sum", WRITTEN)
    publish_anew(desk)
    desk.copy().decline(["00_start.ipynb"])
    changes = desk.copy().lay()
    assert (changes.newer, changes.declined) == ([], ["00_start.ipynb"])
    desk.publish("00_start", text("# Start, once more"))
    assert desk.copy().lay().newer == ["00_start.ipynb"]


# ---- put back ----


def test_a_notebook_is_put_back_and_the_old_one_kept_under_a_free_name(desk):
    desk.copy().lay()
    pristine = desk.content()["00_start.ipynb"]
    for i in (1, 2):
        desk.answer("00_start.ipynb", "sum", WRITTEN)
        edited = desk.content()["00_start.ipynb"]
        assert desk.copy().put_back("00_start.ipynb").kept == f"00_start.old-{i}.ipynb"
        assert desk.content()["00_start.ipynb"] == pristine
        assert desk.content()[f"00_start.old-{i}.ipynb"] == edited
    assert desk.copy().put_back("00_start.ipynb").kept is None
    assert not desk.copy().lay().newer


def test_answers_are_carried_over_by_the_name_of_the_exercise(desk):
    desk.copy().lay()
    desk.answer("00_start.ipynb", "sum", WRITTEN)
    publish_anew(desk)
    done = desk.copy().put_back("00_start.ipynb", keep_answers=True)
    assert (done.kept, done.carried) == ("00_start.old-1.ipynb", ("sum",))
    assert sources(desk, "00_start.ipynb") == ["# Start, better", WRITTEN, 'answer = ...\ncheck("power", answer)']
    assert desk.copy().lay().newer == [] and sources(desk, "00_start.ipynb")[1] == WRITTEN


def test_a_stub_that_the_learner_has_left_alone_is_no_answer(desk):
    desk.copy().lay()
    desk.edit("00_start.ipynb", lambda cells: cells.append(code("mine = 1", "mine")))
    publish_anew(desk)
    assert desk.copy().put_back("00_start.ipynb", keep_answers=True).carried == ()
    assert "a number" in sources(desk, "00_start.ipynb")[1]


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
def test_a_notebook_saved_by_half_is_told_kept_and_put_back_when_asked(desk, half):
    desk.copy().lay()
    (desk.folder / "00_start.ipynb").write_bytes(half)
    publish_anew(desk)
    changes = desk.copy().lay()
    assert changes.unreadable == ["00_start.ipynb"] and desk.content()["00_start.ipynb"] == half
    done = desk.copy().put_back("00_start.ipynb", keep_answers=True)
    assert (done.kept, done.carried) == ("00_start.old-1.ipynb", ())
    assert desk.content()["00_start.old-1.ipynb"] == half and sources(desk, "00_start.ipynb")[0] == "# Start, better"


def test_a_notebook_that_is_mended_after_it_was_saved_by_half_is_offered_the_newer_one(desk):
    desk.copy().lay()
    desk.answer("00_start.ipynb", "sum", WRITTEN)
    whole = desk.content()["00_start.ipynb"]
    (desk.folder / "00_start.ipynb").write_bytes(whole[:-9])
    publish_anew(desk)
    assert desk.copy().lay().unreadable == ["00_start.ipynb"]
    (desk.folder / "00_start.ipynb").write_bytes(whole)
    assert desk.copy().lay().newer == ["00_start.ipynb"]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"laid": 3, "declined": {}}', b'{"laid": {"a": 3}}', b"\xff"])
def test_a_damaged_manifest_is_told_and_costs_nothing(desk, damage):
    desk.copy().lay()
    desk.answer("00_start.ipynb", "sum", WRITTEN)
    before = desk.content()
    (desk.folder / places.MANIFEST).write_bytes(damage)
    assert "was damaged" in desk.copy().lay().note
    assert desk.content() == before and not desk.copy().lay().note
    publish_anew(desk)
    assert desk.copy().lay().newer == ["00_start.ipynb"]


def test_a_working_copy_that_is_interrupted_while_it_is_laid_is_completed(desk, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("labkit.desk.manifest.write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            desk.copy().lay()
    assert not desk.copy().lay().newer
    publish_anew(desk)
    assert desk.copy().lay().renewed == ["00_start.ipynb", "figures/graph.png"]


def test_an_answer_is_folded_whole_whatever_it_holds():
    told = "Six.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```"
    cell = {"cell_type": "markdown", "source": told, "metadata": {"tags": ["answer"]}}
    (folded,) = nb.clear({"cells": [cell]})["cells"]
    assert folded["source"] == f"<details><summary>Explain</summary>\n\n{told}\n\n</details>"


def test_an_explanation_is_folded_and_what_follows_it_is_not():
    told = "**Explain.** 6, as\nexpected.\n\n## 2. Next\n\n**Explain why.** Because."
    (cell,) = nb.clear({"cells": [{"cell_type": "markdown", "source": told}]})["cells"]
    folded = "<details><summary>Explain</summary>\n\n**Explain.** 6, as\nexpected.\n\n</details>"
    assert cell["source"] == told.replace("**Explain.** 6, as\nexpected.", folded)
