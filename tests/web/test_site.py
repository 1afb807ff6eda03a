"""What is served: exactly what was frozen, or a preview that leaves nothing behind."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bundled import edited
from rejudge.errors import FileError
from rejudge.files.step_files import PLAN
from rejudge.starters.folders import folder_files
from rejudge.study.model import Spec
from rejudge.web.site import OpenSite, Serving, open_site
from served import make_folder, run

ANALYSIS = "analysis: {tests: [{question: meaning, test: cluster-robust}]}\n"


@pytest.fixture(scope="module")
def frozen(tmp_path_factory) -> Path:
    """A folder with a plan and a record of what was frozen."""
    folder = make_folder(tmp_path_factory.mktemp("frozen") / "study")
    text = (folder / "study.yaml").read_text("utf-8")
    (folder / "study.yaml").write_text(text + ANALYSIS, "utf-8")
    (folder / "pages").mkdir()
    for name in ("information", "consent", "instructions", "thanks"):
        (folder / "pages" / f"{name}.md").write_text(f"# {name}\n\nWords.\n", "utf-8")
    assert run("freeze", folder).exit_code == 0
    return folder


@pytest.fixture
def folder(frozen, tmp_path) -> Path:
    return Path(shutil.copytree(frozen, tmp_path / "study"))


def served(folder: Path, **options: bool) -> OpenSite:
    return open_site(Serving(str(folder), str(folder / "study.db"), **options))


def test_what_was_frozen_is_served(folder):
    served(folder).close()


def test_without_a_record_the_plan_is_served(folder):
    (folder / "frozen.json").unlink()
    served(folder).close()


def swap_sides(folder: Path) -> None:
    """In the first task, with every fingerprint in the file as a careful hand leaves it."""
    edit_plan(folder, lambda plan: first_task(plan)["options"].reverse())


def edit_plan(folder: Path, change: Callable[[Any], None]) -> None:
    path = folder / PLAN
    path.write_bytes(edited(change)(path.read_bytes()))


def first_task(plan: Any) -> Any:
    return plan["content"]["batches"][0]["tasks"][0]


def change_page(folder: Path) -> None:
    (folder / "pages" / "consent.md").write_text("# Consent\n\nOther words.\n", "utf-8")


def change_question(folder: Path) -> None:
    path = folder / "study.yaml"
    path.write_text(path.read_text("utf-8").replace("Which keeps", "Which changes"), "utf-8")
    run("plan", folder, "--force")


def change_item(folder: Path) -> None:
    path = folder / "items.csv"
    path.write_text(path.read_text("utf-8").replace("n 3,", "another text,"), "utf-8")
    run("plan", folder, "--force")


def change_button(folder: Path) -> None:
    (folder / "pages" / "interface.json").write_text('{"about_same": "A is better"}', "utf-8")


def add_exit_question(folder: Path) -> None:
    path, asked = folder / "study.yaml", "exit_questions: [{id: age, kind: number, prompt: Age}]"
    text = path.read_text("utf-8").replace("site: {comment: false}", f"site: {{{asked}}}")
    path.write_text(text, "utf-8")


def add_contact(folder: Path) -> None:
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("contact: {name: Somebody Else, email: else@example.org}\n")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (swap_sides, "plan changed"),
        (change_page, r"pages\[consent\] changed"),
        (change_question, "Which changes"),
        (change_item, r"items\[i3\] changed"),
        (change_button, r"pages\[interface\] added"),
        (add_exit_question, r"site.exit_questions.age: nothing →"),
        (add_contact, "contact: nothing →"),
    ],
)
def test_what_is_not_what_was_frozen_is_refused_with_what_changed(folder, spoil, told):
    spoil(folder)
    with pytest.raises(FileError, match=told) as refused:
        served(folder)
    assert "rejudge freeze" in str(refused.value)
    assert not (folder / "study.db").exists()
    result = run("serve", folder, "--port", "0")
    assert result.exit_code == 2


def test_a_change_that_is_frozen_again_is_served(folder):
    change_page(folder)
    assert run("freeze", folder, "--force").exit_code == 0
    served(folder).close()


def test_a_change_of_the_analysis_is_no_matter_for_the_site(folder):
    path = folder / "study.yaml"
    path.write_text(path.read_text("utf-8").replace("cluster-robust", "sign-flip"), "utf-8")
    served(folder).close()


def test_a_plan_with_an_item_that_does_not_exist_is_refused(folder):
    (folder / "frozen.json").unlink()
    edit_plan(folder, lambda plan: first_task(plan).update(item="nowhere"))
    with pytest.raises(FileError, match="nowhere"):
        served(folder)


def test_answers_to_another_plan_are_not_mixed_with_these(folder, person_at):
    site = served(folder)
    person = person_at(site)
    person.to_tasks()
    site.close()
    swap_sides(folder)
    assert run("freeze", folder, "--force").exit_code == 0
    result = run("serve", folder, "--port", "0")
    assert result.exit_code == 2
    assert "different plan" in result.output


def every_file(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    "kind", ["best-worst", "pairwise", "ranking", "rating", "segments", "slider"]
)
def test_a_preview_shows_every_kind_of_study_and_leaves_nothing(tmp_path, kind, person_at):
    """Before anything is planned."""
    for name, content in folder_files(kind).items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content)
    before = every_file(tmp_path)
    site = open_site(Serving(str(tmp_path), str(tmp_path / "study.db"), is_preview=True))
    scratch = Path(site.scratch.name)
    person = person_at(site)
    seen = [person.get("/").text, person.send(agree="yes").text, person.send().text]
    assert person.path in {"/practice", "/task/1"}
    assert all("Preview: nothing here is saved." in page for page in seen)
    again = person.get("/?new")
    assert again.url.path == "/consent"
    site.close()
    assert every_file(tmp_path) == before
    assert not scratch.exists()


def test_a_preview_takes_everybody_and_never_fills_up(folder, person_at):
    site = open_site(Serving(str(folder), str(folder / "study.db"), is_preview=True))
    for _ in range(25):  # the study wants 18
        person = person_at(site)
        person.get("/?p=anybody")
        person.send(agree="yes")
        assert person.path == "/instructions"
    site.close()
    assert not (folder / "study.db").exists()


def test_a_preview_of_a_changed_study_is_shown(folder, person_at):
    change_page(folder)
    site = open_site(Serving(str(folder), str(folder / "study.db"), is_preview=True))
    assert "Other words." in person_at(site).get("/").text
    site.close()


def test_an_open_study_of_a_platform_is_refused():
    with pytest.raises(ValueError, match="platform: link"):
        Spec.model_validate(
            {
                "id": "x",
                "title": "x",
                "systems": ["a", "b"],
                "questions": [{"id": "q", "kind": "pairwise", "prompt": "Which?"}],
                "design": {"seed": 1},
                "recruitment": {"platform": "prolific", "open": True},
            }
        )
