"""Tables as labs really have them: each is read with its notes, or refused with one remedy."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest

from rejudge.errors import DataError, FileError
from rejudge.judgments.read import read_judgments
from rejudge.judgments.shapes import Wide

MTURK = (
    '"HITId","Title","WorkerId","SubmitTime","WorkTimeInSeconds","Input.id","Input.system",'
    '"Input.text","Answer.rating"\n'
    '"H1","Rate","W1","Mon Mar 01 09:31:00 PST 2021","60","i1","x","Hi","4"\n'
    '"H1","Rate","W2","Mon Mar 01 09:31:00 PST 2021","61","i1","x","Hi","5"\n'
)
QUALTRICS = (
    "EndDate,ResponseId,item,Score\n"
    'End Date,Response ID,Item,"Score,\nof the text"\n'
    '"{""ImportId"":""endDate""}","{""ImportId"":""_recordId""}","{""ImportId"":""x""}",'
    '"{""ImportId"":""QID1""}"\n'
    "2021-03-01 09:30:00,W1,i1,4\n2021-03-01 09:40:00,W2,i1,5\n"
)
FORMS = (
    "Timestamp,Email Address,How fluent is text A?,How fluent is text B?\n"
    "2021/03/01 9:30:00 AM GMT+1,W1,4,5\n"
)
LABEL_STUDIO = (
    "annotation_id,annotator,choice,created_at,id,lead_time,system,text\n"
    "1,W1,4,2021-03-01T09:30:00.1Z,i1,12.3,x,Hello\n2,W2,5,2021-03-01T09:30:00.1Z,i1,10,x,Hello\n"
)
GERMAN = "Bewerter;Text;System;Note\nMüller;t1;A;1,5\nJäger;t1;A;2\n"


@dataclass(frozen=True)
class Table:
    """A file, how it is read, and what must come of it."""

    text: str
    scores: list[float]
    note: str = ""
    name: str = "table.csv"
    encoding: str = "utf-8"
    wide: str = ""
    columns: dict[str, str] = field(default_factory=dict)

    def put(self, folder: Path) -> Path:
        path = folder / self.name
        path.write_bytes(self.text.encode(self.encoding))
        return path


def long(*cells: str, head: str = "rater,item,system,score") -> str:
    """One rating per cell, by different people."""
    lines = [f'r{n},i1,x,"{cell}"' for n, cell in enumerate(cells)]
    return "\n".join([head, *lines]) + "\n"


READ = {
    "mturk": Table(MTURK, [4, 5], "item=Input.id, system=Input.system, value=Answer.rating"),
    "qualtrics": Table(QUALTRICS, [4, 5], "Qualtrics' two rows"),
    "google forms": Table(
        FORMS, [4, 5], "item=name of the column", wide="item=How*",
        columns={"participant": "Email Address"},
    ),
    "label studio": Table(LABEL_STUDIO, [4, 5], "item=id"),
    "german excel": Table(
        GERMAN, [1.5, 2], "Decimal commas are read as points: '1,5' is 1.5.", encoding="cp1252",
        columns={"participant": "Bewerter", "item": "Text", "value": "Note"},
    ),
    "windows-1252": Table(long("4").replace("r0", "Zoë"), [4], "Windows-1252", encoding="cp1252"),
    "utf-16 with tabs": Table(long("4", "5").replace(",", "\t"), [4, 5], "UTF-16",
                              encoding="utf-16"),
    "excel's line": Table("sep=;\n" + long("4", "5").replace(",", ";"), [4, 5], "by ';'"),
    "tsv with a mark": Table("\ufeff" + long("4").replace(",", "\t"), [4], name="table.tsv"),
    "commas in a .tsv": Table(long("4"), [4], "Cells are separated by commas.", name="table.tsv"),
    "bars": Table(long("4").replace(",", "|"), [4], "Cells are separated by bars."),
    "an index": Table("," + long("4").replace("\nr0", "\n0,r0"), [4], "ignored: (no name)"),
    "pandas' index": Table("Unnamed: 0," + long("4").replace("\nr0", "\n0,r0"), [4], "Unnamed: 0"),
    "not there": Table(long("N/A", "4", "-", "#N/A", "n.a."), [4], "4 of 5 rows have no value"),
    "labelled": Table(long("5 - very good", "5", "4 - good", "very bad (1)"), [5, 5, 4, 1],
                      "Labels of scores are dropped: '5 - very good' is 5."),
    "stars": Table(long("1 star", "4 stars", "5 stars", "-"), [1, 4, 5],
                   "Labels of scores are dropped: '1 star' is 1."),
    "percent": Table(long("85%", "70 %"), [85, 70], "Percent signs are dropped: '85%' is 85."),
    "a real minus": Table(long("\N{MINUS SIGN}3", "2"), [-3, 2]),
    "blank lines": Table(
        long("4", "5").replace("\nr1", "\n\n,,,\nr1") + "\n\n", [4, 5], "1 of 3 rows have no value"
    ),
    "numbered rows": Table(
        "id,rater,text,system,score\n1,r1,t1,x,4\n2,r2,t1,x,5\n3,r1,t1,y,3\n", [4, 5, 3],
        "Each row has an item of its own in 'id'",
    ),
    "milliseconds": Table(
        "subject,stimulus,model,response,rt\nr1,i1,x,4,5200.5\nr2,i1,x,5,880\nr3,i1,x,3,1400\n",
        [4, 5, 3], "with a median of 1,400 they may be milliseconds, so it is not read",
    ),
    "perhaps runs": Table(
        long("4", head="rater,item,system,score,Lab no.").replace('"4"', "4,1"), [4],
        "All rows are pooled. If 'Lab no.' distinguishes runs: --columns 'run=Lab no.'.",
    ),
    "spaces in names": Table(long("4", head=" rater , item , system , score "), [4],
                             "participant=rater, item=item, system=system, value=score."),
    "one column per system": Table(
        "rater,item,GPT,BART\nr1,i1,4,5\n", [4, 5], "value=GPT, BART", wide="system=GPT,BART"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_messy_table_is_read_and_says_how(name, tmp_path):
    table = READ[name]
    wide = Wide.parse(table.wide) if table.wide else None
    found = read_judgments(table.put(tmp_path), wide=wide, columns=table.columns)
    assert found.value.tolist() == table.scores
    assert any(table.note in note for note in found.notes)


REFUSED = {
    "wide": ("rater,item,GPT,BART\nr1,i1,4,5\n", "--wide criterion=GPT,BART (or participant="),
    "forms": (FORMS, "--wide 'participant=How fluent is text A?,How fluent is text B?' (or crit"),
    "wide with names": ("item,system,Ana,Ben,Eve,remark\ni1,x,4,5,3,good\n",
                        "--wide participant=Ana,Ben,Eve (or criterion="),
    "wide with remarks": ("rater,item,adequacy,fluency,comment\nr1,i1,4,5,good\n",
                          "--wide criterion=adequacy,fluency (or"),
    "merged": ("rater,item,Fluency,,Gist,\n,,x,y,x,y\nr1,i1,4,5,3,2\n", "write one row of names"),
    "a title": ("Our study,,,\n" + long("4"), "write one row of names"),
    "a title alone": ("Our study\n\n" + long("4", "5"),
                      "table.csv:1: the first line has 1 cell, but most lines have 4."),
    "a title and semicolons": ("Our study\n" + long("4", "5").replace(",", ";"),
                               "It is the only one: if a title"),
    "units in the names": ("rater,item,system,Score (1-5)\nr1,i1,x,4\n",
                           "'Score (1-5)' may be the value: --columns 'value=Score (1-5)'."),
    "one column per rater": (
        "item,system,Rater 1,Rater 2,Rater 3\ni1,x,4,5,3\n",
        "--wide 'participant=Rater 1,Rater 2,Rater 3'.",
    ),
    "an unknown separator": (long("4").replace(",", " "), "It is the only one"),
    "a deviation": (long("4", "5") + "SD,all,all,1.2\n", "table.csv:4: the row holds a total"),
    "a grand total": (long("4", "5") + "Grand total:,x,x,9\n", "table.csv:4: the row holds"),
    "a mean of scores": (long("4", "5") + "x,Mean score,x,4.5\n", "table.csv:4: the row holds"),
    "mixed percent": (long("85%", "0.7"), "table.csv:2: '85%' is not a number"),
    "thousands": (long("1,500"), "table.csv:2: '1,500' is not a number"),
    "units that differ": (long("3 min", "3 h"), "'3 min' is not a number"),
    "a date": (long("2021-04-03"), "'2021-04-03' is a date"),
    "a total": (long("4", "5") + "Total,,,9\n", "table.csv:4: the row holds a total"),
    "a mean with names": (long("4", "5") + "Mean,Mean,Mean,4.5\n", "table.csv:4: the row holds"),
    "a fraction": (long("4/5"), "'4/5' is not a number"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_table_that_cannot_be_read_safely_is_refused_with_the_remedy(name, tmp_path):
    text, said = REFUSED[name]
    with pytest.raises((DataError, FileError)) as caught:
        read_judgments(Table(text, []).put(tmp_path))
    assert said in str(caught.value)


def test_lines_are_those_of_the_file_below_explaining_rows(tmp_path):
    """The question of Qualtrics runs over two lines."""
    path = Table(QUALTRICS.replace("W2,i1,5", "W2,i1,bad"), []).put(tmp_path)
    with pytest.raises(DataError, match=r"table.csv:6: 'bad' is not a number"):
        read_judgments(path)


def test_lines_are_those_of_the_file_below_excels_line(tmp_path):
    path = Table("sep=;\n" + long("4", "bad").replace(",", ";"), []).put(tmp_path)
    with pytest.raises(DataError, match=r"table.csv:4: 'bad' is not a number"):
        read_judgments(path)


def test_a_participant_called_total_in_the_middle_is_a_participant(tmp_path):
    text = long("4", "5", "3", "2", "1").replace("r0", "Total")
    assert read_judgments(Table(text, []).put(tmp_path)).participant.words()[0] == "Total"


def workbook(folder: Path, *rows: tuple[object, ...]) -> Path:
    book = openpyxl.Workbook()
    for row in (("rater", "item", "system", "score"), *rows):
        book.active.append(row)
    book.save(folder / "table.xlsx")
    return folder / "table.xlsx"


def test_empty_cells_of_a_workbook_are_left_out(tmp_path):
    path = workbook(tmp_path, ("r1", "i1", "x", 4), ("r2", "i1", "x", None))
    assert read_judgments(path).value.tolist() == [4]


def test_what_a_workbook_has_beside_its_cells_is_passed_over_quietly(tmp_path, recwarn):
    """Drop-down lists, as Excel keeps them, make openpyxl warn."""
    path = workbook(tmp_path, ("r1", "i1", "x", 4))
    lists = b'<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}"/></extLst></worksheet>'
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b"</worksheet>", lists)
    with zipfile.ZipFile(path, "w") as book:
        for name, part in parts.items():
            book.writestr(name, part)
    assert read_judgments(path).value.tolist() == [4]
    assert not recwarn.list


def test_columns_of_a_workbook_without_a_name_are_listed_as_ignored(tmp_path):
    path = workbook(tmp_path, ("r1", "i1", "x", 4))
    book = openpyxl.load_workbook(path)
    book.active.insert_cols(2)
    book.active["B2"] = "late"
    book.save(path)
    assert read_judgments(path).notes[0].endswith("; ignored: (no name).")


def test_empty_columns_of_a_workbook_are_not_mentioned(tmp_path):
    path = workbook(tmp_path, ("r1", "i1", "x", 4))
    book = openpyxl.load_workbook(path)
    book.active.insert_cols(2)
    book.save(path)
    assert read_judgments(path).notes[0].endswith("value=score.")


def test_printing_judgments_is_short():
    table = pa.table({"rater": ["p"] * 500, "item": list(map(str, range(500))), "score": [3] * 500})
    assert str(read_judgments(table)).startswith(
        "<500 judgments: 1 system, 500 items, 1 question, 1 participant."
    )


def test_dates_of_a_workbook_in_place_of_scores_are_refused(tmp_path):
    from datetime import UTC, datetime

    book = openpyxl.Workbook()
    book.active.append(["rater", "item", "score"])
    book.active.append(["r1", "i1", datetime(2021, 4, 3, tzinfo=UTC).replace(tzinfo=None)])
    book.save(tmp_path / "table.xlsx")
    with pytest.raises(DataError, match="is a date, not a number: a spreadsheet may have made it"):
        read_judgments(tmp_path / "table.xlsx")


# Names that are spelt alike


# Numbers and times
