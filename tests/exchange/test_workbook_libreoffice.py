"""A workbook that was opened and saved in LibreOffice is still the same."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import openpyxl
import pytest

from filled_workbooks import cell_at, export, fill, layouts, read, rows_of, simulated, tab_of
from judged_study import BEST_WORST, PAIRWISE, RATING, SEGMENTS, SLIDER, drawn, small_study
from rejudge.judgments.answers import tabulate

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        SOFFICE is None, reason="needs LibreOffice: apt-get install libreoffice-calc"
    ),
]


def saved_in_libreoffice(path: Path, folder: Path) -> Path:
    """The workbook after somebody has opened and saved it there."""
    folder.mkdir()
    command = [
        str(SOFFICE), f"-env:UserInstallation=file://{folder}/profile", "--headless",
        "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", str(folder), str(path),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return folder / path.name


@pytest.mark.parametrize(
    "questions",
    [(RATING, SEGMENTS), (PAIRWISE,), (BEST_WORST,), (SLIDER,)],
    ids=lambda asked: "+".join(q["id"] for q in asked),
)
@pytest.mark.parametrize("language", ["en", "zh", "ar"])
def test_protection_lists_and_answers_survive(tmp_path, questions, language):
    study = small_study(*questions, language=language)
    plan = drawn(study)
    path = export(tmp_path, study, plan)[0]
    layout = layouts(study, plan)[0]
    answers = simulated(study, plan, layout)
    fill(path, layout, answers)
    saved = saved_in_libreoffice(path, tmp_path / "saved")
    book = openpyxl.load_workbook(saved)
    sheet = layout.sheets[0]
    tab = tab_of(book, sheet)
    asked = {cell_at(tab, row.key, c).coordinate for row in sheet.rows for c in row.cells}
    unlocked = {
        cell.coordinate for row in tab.iter_rows() for cell in row if not cell.protection.locked
    }
    assert tab.protection.sheet  # LibreOffice 7.4 forgets that sheets cannot be moved
    assert unlocked == asked
    assert len(tab.data_validations.dataValidation) == len(sheet.answer_columns)
    assert tab.column_dimensions["A"].hidden
    assert tab.sheet_view.rightToLeft == (language == "ar")
    imported = read(study, plan, saved)
    assert imported.rejected == ()
    assert imported.unmapped == ()
    assert rows_of(imported.judgments) == rows_of(tabulate(study, plan, answers))


def test_the_counter_counts(tmp_path):
    study = small_study(RATING)
    plan = drawn(study)
    path = export(tmp_path, study, plan)[0]
    layout = layouts(study, plan)[0]
    fill(path, layout, simulated(study, plan, layout)[:4])
    saved = saved_in_libreoffice(path, tmp_path / "saved")
    tab = tab_of(openpyxl.load_workbook(saved, data_only=True), layout.sheets[0])
    assert tab["B2"].value == "4 of 9 cells answered"


def test_a_copy_to_correct_survives_with_its_notes(tmp_path):
    study = small_study(RATING)
    plan = drawn(study)
    path = export(tmp_path, study, plan)[0]
    layout = layouts(study, plan)[0]
    fill(path, layout, simulated(study, plan, layout)[:-1])
    copy = tmp_path / "copy.xlsx"
    copy.write_bytes(read(study, plan, path).files["to-correct/p0001.xlsx"])
    saved = saved_in_libreoffice(copy, tmp_path / "saved")
    book = openpyxl.load_workbook(io.BytesIO(saved.read_bytes()))
    tab = tab_of(book, layout.sheets[0])
    notes = [cell.comment.text for row in tab.iter_rows() for cell in row if cell.comment]
    assert notes == ["There is no answer. Choose one of: 1, 2, 3, 4, 5."]
    assert len(read(study, plan, saved).rejected) == 1
