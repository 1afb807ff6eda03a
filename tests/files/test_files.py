"""Opening a study folder: all of it, or one clear message."""

from __future__ import annotations

import pytest

from judged_study import analysed, small_study
from rejudge.bundle.privacy import find_participant
from rejudge.design.draw import draw
from rejudge.errors import DataError, FileError, StudyError
from rejudge.files.step_files import open_study, read_baselines, read_power, to_bytes
from rejudge.prolific.study import read_record


def test_a_folder_is_opened_with_its_items(folder):
    study = open_study(folder)
    assert study.spec.id == "colours"
    assert [item.id for item in study.items] == ["i0", "i1", "i2", "i3"]


def test_a_folder_can_be_named_by_a_text(folder):
    assert open_study(str(folder)).fingerprint == open_study(folder).fingerprint


def test_pages_are_read_from_their_folder(folder):
    (folder / "pages").mkdir()
    (folder / "pages" / "consent.md").write_text("I agree. 我同意", encoding="utf-8")
    assert open_study(folder).pages["consent"] == "I agree. 我同意"


def test_a_missing_folder_says_how_to_start_one(tmp_path):
    with pytest.raises(FileError, match=r"no such folder.* `rejudge new "):
        open_study(tmp_path / "nowhere")


def test_a_file_instead_of_a_folder_says_which_folder(folder):
    with pytest.raises(FileError, match="this is a file, not a folder") as error:
        open_study(folder / "study.yaml")
    assert str(folder) in error.value.problems[0].remedy


def test_a_folder_without_a_study_says_how_to_start_one(tmp_path):
    with pytest.raises(FileError, match=r"study\.yaml: there is no such file.* `rejudge new "):
        open_study(tmp_path)


def test_a_folder_called_study_yaml_is_no_study(tmp_path):
    (tmp_path / "study.yaml").mkdir()
    with pytest.raises(FileError, match="this is a folder, not a file"):
        open_study(tmp_path)


def test_a_name_that_no_disk_takes_is_refused(tmp_path):
    with pytest.raises(FileError, match="name too long"):
        open_study(tmp_path / ("x" * 5000))


def test_a_study_that_is_not_utf_8_is_refused_with_its_line(folder):
    (folder / "study.yaml").write_bytes("id: a\ntitle: Größe\n".encode("latin-1"))
    with pytest.raises(StudyError, match=r"study\.yaml:2: .* not UTF-8"):
        open_study(folder)


def test_a_byte_order_mark_does_no_harm(folder):
    path = folder / "study.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert open_study(folder).spec.id == "colours"


def test_missing_items_are_a_fault_of_the_study(folder):
    (folder / "items.csv").unlink()
    with pytest.raises(StudyError, match=r"items\.csv"):
        open_study(folder)


def test_a_folder_that_does_not_exist_is_not_taken_for_an_empty_one(tmp_path):
    study, absent = small_study(), tmp_path / "missing"
    for read in (
        lambda: read_power(absent, study),
        lambda: read_baselines(absent, analysed(study)),
        lambda: find_participant(absent, None, study=study, plan=draw(study)),
        lambda: read_record(absent),
    ):
        with pytest.raises(FileError, match="missing: there is no such folder"):
            read()


def test_what_is_not_a_step_cannot_be_written():
    with pytest.raises(
        DataError, match=r"str is not the content of a step file\. The step files are Audit"
    ):
        to_bytes("x", made_from={})
