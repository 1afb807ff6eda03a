"""What a starter holds, read from the package itself."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import rejudge
from property_settings import examples
from rejudge.errors import UsageError
from rejudge.starters.folders import KINDS, LIKES, folder_files, rename_study, starter_names
from rejudge.study.kinds.registry import KINDS as QUESTIONS
from rejudge.study.model import Spec

FILES = {
    "study.yaml",
    "items.csv",
    "pages/information.md",
    "pages/consent.md",
    "pages/instructions.md",
    "pages/thanks.md",
}


def test_every_starter_has_the_same_six_files(name):
    assert set(folder_files(name)) == FILES


def test_study_yaml_and_items_come_before_the_pages(name):
    assert list(folder_files(name))[:2] == ["study.yaml", "items.csv"]


def test_there_is_a_starter_for_every_kind_of_question_and_each_published_study():
    assert set(KINDS) == set(QUESTIONS)
    assert starter_names() == (*KINDS, *LIKES)


def test_an_unknown_starter_is_answered_with_the_known_ones():
    with pytest.raises(UsageError, match=r"There is no starter 'likert'.*pairwise, rating"):
        folder_files("likert")


def test_every_text_is_utf_8_with_plain_line_ends(name):
    for content in folder_files(name).values():
        assert "\r" not in content.decode("utf-8")
        assert content.endswith(b"\n")


def test_the_files_are_found_in_a_package_that_is_not_unpacked(tmp_path):
    """As from a zipped installation: only importlib.resources knows where the files are."""
    source = Path(rejudge.__file__).parent
    archive = tmp_path / "rejudge.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in source.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                packed.write(path, Path("rejudge") / path.relative_to(source))
    script = (
        f"import sys; sys.path.insert(0, {str(archive)!r})\n"
        "from rejudge.starters.folders import folder_files, starter_names\n"
        "assert '.zip' in sys.modules['rejudge.starters'].__file__\n"
        "print(sum(len(folder_files(name)) for name in starter_names()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == len(FILES) * len(starter_names())


@pytest.mark.parametrize(
    ("folder", "study_id", "title"),
    [
        ("my-study", "my-study", "My study"),
        ("news_2024", "news_2024", "News 2024"),
        ("Größe & Form", "Groe-Form", "Größe & Form"),
        ("2024", "2024", "2024"),
        ("no", "no", "No"),
        ("1e3", "1e3", "1e3"),
        ("评价", "my-study", "评价"),
        ("a: b # c", "a-b-c", "A: b # c"),
        ("--", "my-study", "My study"),
    ],
)
def test_id_and_title_are_taken_from_the_folders_name(tmp_path, folder, study_id, title):
    files = rename_study(tmp_path / folder, folder_files("rating"))
    spec = Spec.model_validate(yaml.safe_load(files["study.yaml"]))
    assert (spec.id, spec.title) == (study_id, title)


@settings(max_examples=examples(50))
@given(st.text(min_size=1).filter(lambda name: "/" not in name and "\0" not in name))
def test_any_folders_name_gives_a_study_that_can_be_read(folder):
    files = rename_study(Path("/somewhere") / folder, folder_files("slider"))
    spec = Spec.model_validate(yaml.safe_load(files["study.yaml"]))
    assert spec.id
    assert spec.title


def test_nothing_but_id_and_title_depends_on_the_folder(tmp_path):
    starter = folder_files("pairwise")
    files = rename_study(tmp_path / "another", starter)
    before = starter["study.yaml"].decode().splitlines()
    after = files["study.yaml"].decode().splitlines()
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert [line.split("#")[0].rstrip() for line in changed] == ["id: another", "title: Another"]
    assert {path: files[path] for path in FILES - {"study.yaml"}} == {
        path: starter[path] for path in FILES - {"study.yaml"}
    }
