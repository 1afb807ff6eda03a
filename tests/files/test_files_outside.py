"""Nothing that a study names may lie outside of its folder, by any path or link."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.errors import FileError, StudyError
from rejudge.files.disk import write_files
from rejudge.files.step_files import PLAN, RESULTS, STUDY, open_study
from rejudge.incoming import read_inside
from rejudge.starters.folders import folder_files
from rejudge.web.site import Serving, open_site

SECRET = b"Do you agree? The password is tulip.\n"
NAMED = ("items.csv", "pages/consent.md", "pages/information.md", "pages/thanks.md")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_files(tmp_path / "study", folder_files("pairwise"), force=False)
    (tmp_path / "secret").write_bytes(SECRET)
    return tmp_path / "study"


def link(home: Path, name: str, target: str) -> None:
    (home / name).unlink(missing_ok=True)
    (home / name).symlink_to(target)


def run(*words: str | Path) -> str:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 2, result.output
    return result.output


@pytest.mark.parametrize("name", NAMED)
def test_a_link_to_a_file_elsewhere_is_refused(home: Path, name: str) -> None:
    link(home, name, str(home.parent / "secret"))
    with pytest.raises(StudyError, match="leads out of the folder") as caught:
        open_study(home)
    assert f"'{name}' cannot be used" in str(caught.value)
    assert "tulip" not in str(caught.value)


def test_a_link_that_climbs_is_refused(home: Path) -> None:
    link(home, "pages/consent.md", "../../secret")
    with pytest.raises(StudyError, match="leads out of the folder"):
        open_study(home)


def test_a_folder_that_is_a_link_to_elsewhere_is_refused(home: Path) -> None:
    (home / "pages").rename(home.parent / "pages")
    link(home, "pages", "../pages")
    with pytest.raises(StudyError, match="leads out of the folder"):
        open_study(home)


def test_a_link_by_way_of_another_is_refused(home: Path) -> None:
    link(home, "inner", "../secret")
    link(home, "pages/consent.md", "../inner")
    with pytest.raises(StudyError, match="leads out of the folder"):
        open_study(home)


def test_a_link_inside_of_the_folder_is_followed(home: Path) -> None:
    (home / "pages" / "consent.md").rename(home / "agreed.md")
    link(home, "pages/consent.md", "../agreed.md")
    assert "consent" in open_study(home).pages


def test_a_study_folder_may_itself_be_a_link(home: Path) -> None:
    (home.parent / "linked").symlink_to(home)
    assert open_study(home.parent / "linked").pages


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret", "pages/../../secret", "a\\..\\b"])
def test_a_path_out_of_the_folder_is_refused(home: Path, name: str) -> None:
    text = (home / STUDY).read_text("utf-8")
    (home / STUDY).write_text(text + f"\npages: {{consent: '{name}'}}\n", "utf-8")
    with pytest.raises(StudyError, match="is not a file in the study's folder"):
        open_study(home)


@pytest.mark.parametrize("command", ["check", "plan"])
def test_commands_refuse_what_leads_outside(home: Path, command: str) -> None:
    link(home, "pages/consent.md", "../../secret")
    assert "leads out of the folder" in run(command, home)


@pytest.mark.parametrize("command", ["freeze", "simulate", "rehearse"])
def test_what_was_linked_after_the_plan_is_refused_too(home: Path, command: str) -> None:
    CliRunner().invoke(main, ["plan", str(home)])
    assert (home / PLAN).exists()
    link(home, "pages/consent.md", "../../secret")
    assert "leads out of the folder" in run(command, home)


def test_the_site_does_not_serve_what_leads_outside(home: Path) -> None:
    CliRunner().invoke(main, ["plan", str(home)])
    serving = Serving(str(home), str(home / "study.db"))
    link(home, "pages/interface.json", "../../secret")
    with pytest.raises(StudyError, match="leads out of the folder"):
        open_site(serving)
    assert not (home / "study.db").exists()
    link(home, "pages/consent.md", "../../secret")
    with pytest.raises(StudyError, match="leads out of the folder"):
        open_site(serving)


@pytest.mark.parametrize("name", [STUDY, PLAN])
def test_the_site_does_not_serve_a_study_or_plan_from_elsewhere(home: Path, name: str) -> None:
    CliRunner().invoke(main, ["plan", str(home)])
    (home / name).rename(home.parent / name)
    link(home, name, f"../{name}")
    with pytest.raises(FileError, match="leads out of the folder"):
        open_site(Serving(str(home), str(home / "study.db")))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that could be bundled."""
    home = tmp_path_factory.mktemp("finished") / "study"
    for words in (["new", home], ["plan", home], ["simulate", home], ["analyse", home]):
        assert CliRunner().invoke(main, [str(word) for word in words]).exit_code == 0
    return home


@pytest.mark.parametrize("name", [STUDY, PLAN, RESULTS, "items.csv", "pages/thanks.md"])
def test_nothing_from_outside_gets_into_a_bundle(finished: Path, name: str) -> None:
    path, aside = finished / name, finished.parent / "aside"
    path.rename(aside)
    path.symlink_to(aside)
    try:
        said = run("bundle", finished, "--licence", "CC0-1.0", "--out", finished.parent / "b.zip")
    finally:
        path.unlink()
        aside.rename(path)
    assert "leads out of the folder" in said
    assert not (finished.parent / "b.zip").exists()


def test_a_file_in_its_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    assert read_inside(tmp_path, "a", remedy="") == b"1"
