"""Surveys for Qualtrics, and the responses that it exports."""

from __future__ import annotations

import csv
import html
import io
import random
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualtrics_files import NOON, answered, export, session, write
from rejudge.analysis import analyse
from rejudge.design import Plan, draw
from rejudge.errors import DesignError, FileError
from rejudge.exchange import find_reader
from rejudge.exchange.formats import Reader, Writer
from rejudge.exchange.qualtrics import FORMAT
from rejudge.exchange.qualtrics_survey import _text, survey_questions
from rejudge.judgments import Answer, Judgment, Judgments, read_judgments, tabulate
from rejudge.study import Study
from small_study import FILES, ITEMS, parse_files

ALL_KINDS = """\
id: kinds
title: All kinds
systems: [vae, dips, lbow]
questions:
  - {kind: pairwise, id: meaning, prompt: "Which keeps the meaning?", tie: true}
  - {kind: rating, id: fluency, prompt: "Fluent?", points: 3, lowest: 0, labels: {0: bad, 2: ok}}
  - {kind: slider, id: overall, prompt: "How good?", low: bad, high: good}
  - {kind: best-worst, id: quality, prompt: "Best and worst?", of: 3}
  - {kind: ranking, id: order, prompt: "Which order?"}
  - {kind: segments, id: parts, prompt: "How true is it?", points: 3}
design: {seed: 3, batch: {inputs: 3}, participants_per_batch: 2}
"""


@pytest.fixture(scope="module")
def study() -> Study:
    return parse_files({"study.yaml": ALL_KINDS, "items.csv": ITEMS})


@pytest.fixture(scope="module")
def plan(study: Study) -> Plan:
    return draw(study)


def random_answers(study: Study, plan: Plan, batch: str, person: str, seed: int) -> list[Answer]:
    """Answers of somebody to every question of a batch."""
    from rejudge.design import answer_parts

    chance = random.Random(seed)  # noqa: S311 - no secret

    class _Whim:
        tie_width = 0.2

        def compare(self) -> Sequence[float]:
            return [chance.random() for _ in task.options]

        def score(self, points: Sequence[float]) -> float:
            return chance.choice(points)

    answers = []
    for position, task in enumerate(plan.batch[batch].tasks, start=1):
        for question in study.questions_beside(len(task.options)):
            raw = question.simulated_answer(_Whim(), answer_parts(plan, task, question))
            answers.append(Answer(person, batch, task.id, question.id, raw, position))
    return answers


def at_end(
    answers: Sequence[Answer], moment: datetime = NOON + timedelta(seconds=420)
) -> list[Answer]:
    return [replace(a, submitted_at=moment) for a in answers]


def same(left: Judgments, right: Judgments) -> bool:
    def rows(judgments: Judgments) -> list[str]:
        return sorted(map(repr, judgments.rows()))

    return rows(left) == rows(right)


# ── the survey ───────────────────────────────────────────────────────────────────────────────────


def test_the_format_can_be_read_and_written() -> None:
    assert isinstance(FORMAT, Reader)
    assert isinstance(FORMAT, Writer)


def test_a_survey_has_one_block_for_each_batch_and_one_tag_for_each_control(
    study: Study, plan: Plan
) -> None:
    exported = FORMAT.write(study, plan, people=())
    text = exported.files["survey.txt"].decode()
    blocks = [line for line in text.splitlines() if line.startswith("[[Block:")]
    assert text.startswith("[[AdvancedFormat]]\n")
    assert blocks == ["[[Block:start]]", *(f"[[Block:{batch.id}]]" for batch in plan.batches)]
    tags = [line[5:-2] for line in text.splitlines() if line.startswith("[[ID:")]
    assert len(set(tags)) == len(tags)
    assert tags[2:] == [asked.tag for asked in survey_questions(study, plan)]
    assert all(tag[0].isalpha() and len(tag) <= 32 for tag in tags)


def test_only_proven_tags_are_written(study: Study, plan: Plan) -> None:
    text = FORMAT.write(study, plan, people=()).files["survey.txt"].decode()
    tags = {line.split("]]")[0].split(":Choice")[0] for line in text.splitlines() if "[[" in line}
    kinds = {tag for tag in tags if not tag.startswith(("[[ID:", "[[Block:", "[[Choice:"))}
    assert kinds == {
        "[[AdvancedFormat", "[[AdvancedChoices", "[[PageBreak", "[[Question:Text",
        "[[Question:TE:SingleLine", "[[Question:MC:Dropdown",
        "[[Question:MC:SingleAnswer:Horizontal",
    }  # fmt: skip


def test_the_manifest_says_what_every_tag_is_about(study: Study, plan: Plan) -> None:
    content = FORMAT.write(study, plan, people=()).files["manifest.csv"].decode()
    rows = {row["tag"]: row for row in csv.DictReader(io.StringIO(content))}
    asked = next(a for a in survey_questions(study, plan) if a.question.id == "meaning")
    row = rows[asked.tag]
    assert (row["item"], row["question"]) == (asked.task.item, "meaning")
    assert (row["system_a"], row["system_b"]) == asked.task.options
    assert row["choices"] == "1=a|2=b|3=tie"


@pytest.mark.parametrize(
    "hostile",
    [
        "[[Block]] of ]] text",
        "<script>alert(1)</script> <supers",
        "one\n\n\n[[PageBreak]]\ntwo",
        "${e://Field/secret}",
        "\u202eمرحبا\u202c 你好",
    ],
)
def test_texts_are_never_taken_for_commands(hostile: str) -> None:
    quoted = '"' + hostile.replace('"', '""') + '"'
    files = {"study.yaml": ALL_KINDS, "items.csv": ITEMS.replace("How do birds fly?", quoted)}
    odd = parse_files(files)
    text = FORMAT.write(odd, draw(odd), people=()).files["survey.txt"].decode()
    plain = FORMAT.write(study := parse_files({"study.yaml": ALL_KINDS, "items.csv": ITEMS}),
                         draw(study), people=()).files["survey.txt"].decode()  # fmt: skip

    def commands(survey: str) -> Counter[str]:
        return Counter(line.split(":")[0] for line in survey.splitlines() if line.startswith("[["))

    assert commands(text) == commands(plain)
    assert "<script" not in text
    assert "${" not in text


def test_a_text_that_is_only_nan_stops_the_export() -> None:
    files = {"study.yaml": ALL_KINDS, "items.csv": ITEMS.replace("How fly birds?", "nan")}
    odd = parse_files(files)
    with pytest.raises(DesignError, match="nan"):
        FORMAT.write(odd, draw(odd), people=())


def test_the_steps_tell_what_the_text_cannot_express(study: Study, plan: Plan) -> None:
    exported = FORMAT.write(study, plan, people=())
    said = " ".join(exported.steps)
    assert "Force response" in said
    assert "branch" in said
    assert exported.files["steps.txt"].decode().count("\n") == len(exported.steps)


def test_people_from_a_platform_are_not_asked_for_a_number() -> None:
    files = {"study.yaml": ALL_KINDS + "recruitment: {platform: prolific}\n", "items.csv": ITEMS}
    odd = parse_files(files)
    exported = FORMAT.write(odd, draw(odd), people=())
    assert "[[ID:participant]]" not in exported.files["survey.txt"].decode()
    assert any("Embedded data" in step for step in exported.steps)


@given(st.text(max_size=80))
def test_no_text_begins_a_part_of_the_survey(text: str) -> None:
    written = _text(text)
    assert "[[" not in written
    assert "${" not in written
    assert "\n" not in written
    assert html.unescape(written.replace("<br>", "")) == "".join(
        line.strip() for line in text.splitlines()
    )


# ── answers to our own survey ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("choices", ["numbers", "text"])
def test_responses_become_the_judgments_that_were_given(
    tmp_path: Path, study: Study, plan: Plan, choices: str
) -> None:
    as_text = choices == "text"
    rows, given_answers = [], []
    for number, batch in enumerate(plan.batches):
        answers = random_answers(study, plan, batch.id, f"00{number}", seed=number)
        row = session(f"00{number}", answered(study, plan, answers, as_text=as_text), number=number)
        rows.append(row | ({"Finished": "True", "Status": "IP Address"} if as_text else {}))
        given_answers += at_end(answers)
    file = write(tmp_path, export(rows))
    imported = FORMAT.read([file], study=study, plan=plan)
    assert imported.rejected == ()
    assert same(imported.judgments, tabulate(study, plan, given_answers))


@pytest.mark.parametrize("choices", ["numbers", "text"])
def test_choices_are_recognised_by_content_where_no_column_says_what_they_are(
    tmp_path: Path, study: Study, plan: Plan, choices: str
) -> None:
    answers = random_answers(study, plan, plan.batches[0].id, "001", seed=1)
    cells = answered(study, plan, answers, as_text=choices == "text")
    row = session("001", cells, number=1) | {"Finished": "", "Status": ""}
    row["Finished"] = "done"
    text = export([row]).replace('"Finished"', '"Ended"', 1)
    imported = FORMAT.read([write(tmp_path, text)], study=study, plan=plan)
    assert f"Choices were read as {choices}." in imported.notes
    assert same(imported.judgments, tabulate(study, plan, at_end(answers)))


def test_dates_are_converted_from_the_zone_of_the_third_row(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    answers = random_answers(study, plan, plan.batches[0].id, "001", seed=1)
    row = session("001", answered(study, plan, answers), number=1, zone="Europe/Amsterdam")
    file = write(tmp_path, export([row], zone="Europe/Amsterdam"))
    imported = FORMAT.read([file], study=study, plan=plan)
    assert {row.submitted_at for row in imported.judgments.rows()} == {
        datetime(2023, 9, 20, 12, 7, tzinfo=UTC)
    }


def test_previews_are_counted_and_unfinished_sessions_kept_apart(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [
        session("001", cells, number=1),
        session("", cells, number=2, status="1"),
        session("002", dict(list(cells.items())[:3]), number=3, finished=False),
    ]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    assert imported.judgments.participant.used() == ("001",)
    assert "1 preview or test session left out." in imported.notes
    left = list(csv.DictReader(io.StringIO(imported.files["unfinished.csv"].decode())))
    assert [row["participant"] for row in left] == ["002"] * 3
    times = csv.DictReader(io.StringIO(imported.files["sessions.csv"].decode()))
    assert [row["standing"] for row in times] == ["finished", "unfinished", "preview"]


def test_a_list_done_again_is_kept_as_repeats_whatever_the_order_of_rows(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    batch = plan.batches[0].id
    first = random_answers(study, plan, batch, "001", seed=1)
    again = random_answers(study, plan, batch, "001", seed=2)
    rows = [
        session("001", answered(study, plan, again), number=2, start=NOON + timedelta(days=1)),
        session("001", answered(study, plan, first), number=1),
    ]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    expected = tabulate(study, plan, at_end(first))
    assert same(imported.judgments.of_kind("real"), expected.of_kind("real"))
    assert len(imported.judgments.of_kind("repeat")) == len(tabulate(study, plan, again))


def test_people_who_did_not_consent_are_left_out(tmp_path: Path, study: Study, plan: Plan) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [
        session("001", cells | {"consent": "1"}, number=1),
        session("002", cells | {"consent": "2"}, number=2),
    ]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    assert imported.judgments.participant.used() == ("001",)
    assert "1 session without consent left out." in imported.notes
    assert imported.unmapped == ()


def test_a_session_of_seven_days_keeps_all_its_seconds(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    row = session("001", cells, number=1, seconds=7 * 86400 + 5)
    imported = FORMAT.read([write(tmp_path, export([row]))], study=study, plan=plan)
    (times,) = csv.DictReader(io.StringIO(imported.files["sessions.csv"].decode()))
    assert float(times["seconds"]) == 7 * 86400 + 5


def test_personal_columns_and_platform_ids_are_nowhere_in_the_result(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    person = "5f3a" * 6
    private = {
        "IPAddress": "192.0.2.7",
        "RecipientEmail": "ada@example.org",
        "RecipientLastName": "Lovelace",
    }
    row = session(person, cells | private, number=1, column="PROLIFIC_PID")
    imported = FORMAT.read([write(tmp_path, export([row]))], study=study, plan=plan)
    whole = repr((imported.judgments.rows(), imported.notes, imported.unmapped, imported.files))
    assert (
        "Personal columns were left out: IPAddress, RecipientEmail, RecipientLastName."
        in imported.notes
    )
    assert not any(word in whole for word in (person, "192.0.2.7", "ada@", "Lovelace"))
    assert imported.judgments.participant.used() == ("p001",)


def test_a_key_gives_the_same_pseudonym_in_every_import(
    tmp_path: Path, study: Study, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", "secret")
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [
        session(name, cells, number=n, column="PROLIFIC_PID")
        for n, name in enumerate(["x@y", "z@y"])
    ]
    one = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    two = FORMAT.read([write(tmp_path, export(rows[1:]), "two.csv")], study=study, plan=plan)
    assert set(two.judgments.participant.used()) < set(one.judgments.participant.used())


def test_a_choice_that_does_not_exist_is_rejected_with_its_place(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    tag = next(a.tag for a in survey_questions(study, plan) if a.question.id == "fluency")
    cells[tag] = "9"
    imported = FORMAT.read(
        [write(tmp_path, export([session("001", cells, number=1)]))], study=study, plan=plan
    )
    (rejected,) = imported.rejected
    assert (rejected.row, rejected.column, rejected.value) == (4, tag, "9")


def test_a_typed_number_out_of_range_is_rejected(tmp_path: Path, study: Study, plan: Plan) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    tag = next(a.tag for a in survey_questions(study, plan) if a.question.id == "overall")
    cells[tag] = "101"
    imported = FORMAT.read(
        [write(tmp_path, export([session("001", cells, number=1)]))], study=study, plan=plan
    )
    assert [each.column for each in imported.rejected] == [tag]


def test_answers_to_another_plan_are_refused(tmp_path: Path, study: Study, plan: Plan) -> None:
    files = {"study.yaml": ALL_KINDS.replace("seed: 3", "seed: 4"), "items.csv": ITEMS}
    other = parse_files(files)
    cells = answered(other, draw(other), random_answers(other, draw(other), "b01", "001", seed=1))
    file = write(tmp_path, export([session("001", cells, number=1)]))
    with pytest.raises(FileError, match="another plan"):
        FORMAT.read([file], study=study, plan=plan)


def test_rows_that_occur_in_two_exports_count_once(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    text = export([session("001", cells, number=1)])
    files = [write(tmp_path, text, name) for name in ("a.csv", "b.csv")]
    imported = FORMAT.read(files, study=study, plan=plan)
    assert not len(imported.judgments.of_kind("repeat"))
    assert "1 row occurred in several files and counted once." in imported.notes


def test_ids_that_differ_by_zeros_are_pointed_out(tmp_path: Path, study: Study, plan: Plan) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [session(name, cells, number=n) for n, name in enumerate(["2", "002"])]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    assert any("2 and 002 may be one person" in note for note in imported.notes)


# ── other people's surveys ───────────────────────────────────────────────────────────────────────

MAPPING = "tag,item,question,system\nQ1,one,fluency,vae\nQ2,one,fluency,dips\n"


def test_a_mapping_file_explains_somebody_elses_survey(tmp_path: Path) -> None:
    row = session("001", {"Q1": "4", "Q2": "2 – poor", "Q9": "a comment"}, number=1)
    mapping = tmp_path / "mapping.csv"
    mapping.write_text(MAPPING)
    imported = FORMAT.read([write(tmp_path, export([row])), mapping], study=None, plan=None)
    assert {(r.item, r.system, r.value) for r in imported.judgments.rows()} == {
        ("one", "vae", 4.0), ("one", "dips", 2.0),
    }  # fmt: skip
    assert imported.unmapped == ("Q9 (1 answer)",)


def test_choice_texts_are_read_by_the_choices_of_the_mapping(tmp_path: Path) -> None:
    row = session("001", {"Q1": "Very good", "Q2": "Awful"}, number=1)
    mapping = tmp_path / "mapping.csv"
    mapping.write_text(
        "tag,item,question,system,choices\nQ1,one,q,s,Very good=5|Bad=1\nQ2,one,q,t,Bad=1\n"
    )
    imported = FORMAT.read([write(tmp_path, export([row])), mapping], study=None, plan=None)
    assert [r.value for r in imported.judgments.rows()] == [5.0]
    assert [r.value for r in imported.rejected] == ["Awful"]


def test_tags_that_name_item_and_system_need_no_mapping(tmp_path: Path) -> None:
    row = session("001", {"one__vae__fluency": "4", "one__dips__fluency": "3"}, number=1)
    imported = FORMAT.read([write(tmp_path, export([row]))], study=None, plan=None)
    assert {(r.system, r.question, r.value) for r in imported.judgments.rows()} == {
        ("vae", "fluency", 4.0), ("dips", "fluency", 3.0),
    }  # fmt: skip


def test_a_survey_that_nobody_explains_is_refused_with_its_columns(tmp_path: Path) -> None:
    file = write(tmp_path, export([session("001", {"Q1": "4"}, number=1)]))
    with pytest.raises(FileError, match="Q1") as error:
        FORMAT.read([file], study=None, plan=None)
    assert "mapping file" in error.value.problems[0].remedy


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tag,item,question,system\nQ1,,fluency,vae\n", "`item` is empty"),
        ("tag,item,question,system\nQ1,one,fluency,\n", "needs a `system`"),
        ("tag,item,question,system\nQ1,a,f,v\nQ1,b,f,v\n", "listed twice"),
        ("tag,item,question,system,kind\nQ1,a,f,v,odd\n", "`kind` must be"),
    ],
)
def test_faults_of_a_mapping_file_are_named(tmp_path: Path, text: str, said: str) -> None:
    mapping = tmp_path / "mapping.csv"
    mapping.write_text(text)
    file = write(tmp_path, export([session("001", {"Q1": "4"}, number=1)]))
    with pytest.raises(FileError, match=said):
        FORMAT.read([file, mapping], study=None, plan=None)


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def simple_export() -> str:
    return export([session("001", {"one__vae__fluency": "4"}, number=1)])


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        simple_export().encode(),
        simple_export().encode("utf-8-sig"),
        export([session("001", {"one__vae__fluency": "4"}, number=1)], delimiter="\t").encode(
            "utf-16"
        ),
        zipped({"My survey.csv": simple_export().encode(), "__MACOSX/._x.csv": b"x"}),
    ],
    ids=["csv", "csv with mark", "tsv in utf-16", "zip"],
)
def test_csv_tsv_and_zip_are_recognised_and_read(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    assert find_reader([file]) is FORMAT
    assert len(FORMAT.read([file], study=None, plan=None).judgments) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"a,b\n1,2\n", "three header rows"),
        (simple_export().encode("utf-16-le"), "NUL|UTF-8"),
        (simple_export().encode()[:-3] + b"\xff\xfe\x00", "UTF-8"),
        (zipped({"a.csv": b"x"})[:40], "zip"),
        (zipped({"a.csv": b"x", "b.csv": b"x"}), "2 tables"),
        (zipped({"a.csv": b"0" * 50_000_000}), "zip bomb"),
        (simple_export().replace("America/Denver", "Mars/Base").encode(), "Mars/Base"),
        (simple_export().replace("2023-09-20 06:07:00", "9/20/2023 6:07").encode(), "not a date"),
        (simple_export().replace('"UserLanguage"', '"Status"', 1).encode(), "several columns"),
    ],
)
def test_files_that_cannot_be_used_give_one_clear_message(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "file.csv"
    file.write_bytes(content)
    with pytest.raises(FileError, match=said):
        FORMAT.read([file], study=None, plan=None)


@given(st.binary(max_size=400))
def test_recognising_never_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "file"
    file.write_bytes(content)
    assert FORMAT.recognises(file) in {True, False}


# ── the shape of a published study: 300 items in 10 lists of 30, ten people ──────────────────────


def tables_of(rows: Sequence[dict[str, str]]) -> tuple[str, str]:
    """An export and a mapping that say what a long table says, one session per person and list."""
    sessions: dict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        sessions[row["rater"], row["batch"], row["attempt"]].append(row)
    written = [
        session(
            person,
            {f"t{row['item']}": row["score"] for row in judged},
            number=number,
            start=NOON + timedelta(days=40 * int(attempt), hours=number),
            seconds=float(judged[0]["session_wall_seconds"]),
        )
        for number, ((person, _, attempt), judged) in enumerate(sessions.items())
    ]
    head = "tag,item,question,system,position\n"
    lines = {
        f"t{r['item']},{r['item']},{r['criterion']},{r['system']},{r['position']}\n" for r in rows
    }
    return export(written), head + "".join(sorted(lines))


def test_the_published_responses_give_the_published_durations_and_the_same_analysis(
    tmp_path: Path, published: Callable[[str], tuple[Path, dict[str, Any]]]
) -> None:
    """Seed 004: sums of minutes and numbers of lists by participant, from the raw export."""
    table = published("august2022_miltenburg2024")[0] / "judgments.csv"
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    text, mapping = tables_of(rows)
    (tmp_path / "mapping.csv").write_text(mapping)
    imported = FORMAT.read([write(tmp_path, text), tmp_path / "mapping.csv"], study=None, plan=None)
    minutes: defaultdict[str, float] = defaultdict(float)
    lists: Counter[str] = Counter()
    for row in csv.DictReader(io.StringIO(imported.files["sessions.csv"].decode())):
        minutes[row["participant"]] += float(row["seconds"]) / 60
        lists[row["participant"]] += 1
    people = sorted(minutes)
    assert [round(minutes[p]) for p in people] == [10500, 156, 19, 1437, 37, 40, 62, 26, 55, 76]
    assert [lists[p] for p in people] == [10, 13, 4, 4, 4, 4, 4, 4, 10, 10]
    direct = read_judgments(table)
    assert findings(imported.judgments) == findings(direct)


def findings(judgments: Judgments) -> object:
    """Every number of an analysis that depends on what was judged by whom."""
    rows = sorted(judgments.rows(), key=lambda r: (r.kind, r.participant or "", r.item))
    results = analyse(Judgments.from_rows(rows))  # in one order: sums differ in the last digit
    return results.findings, len(judgments.of_kind("real")), len(judgments.of_kind("repeat"))


def test_a_survey_in_the_published_shape_gives_the_analysis_of_the_equivalent_table(
    tmp_path: Path,
) -> None:
    """300 items in 10 lists of 30, ten people with 4 or 10 lists, three lists done twice."""
    chance = random.Random(4)  # noqa: S311 - no secret
    rows = []
    for person in range(1, 11):
        for batch in range(1, 11 if person in {1, 2, 9, 10} else 5):
            for attempt in range(1, 3 if person == 2 and batch <= 3 else 2):
                seconds = str(chance.randint(200, 900))
                for position in range(1, 31):
                    number = (batch - 1) * 30 + position
                    rows.append({
                        "rater": f"{person:03}", "item": f"{number:032x}",
                        "system": ("svm", "gedi", "dexpert")[number % 3], "criterion": "fluency",
                        "score": str(chance.randint(1, 4)), "batch": str(batch),
                        "position": str(position), "attempt": str(attempt),
                        "session_wall_seconds": seconds,
                    })  # fmt: skip
    text, mapping = tables_of(rows)
    (tmp_path / "mapping.csv").write_text(mapping)
    imported = FORMAT.read([write(tmp_path, text), tmp_path / "mapping.csv"], study=None, plan=None)
    with (tmp_path / "table.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert findings(imported.judgments) == findings(read_judgments(tmp_path / "table.csv"))


def test_the_manifest_alone_reads_the_survey_without_the_study(
    tmp_path: Path,
) -> None:
    pair = parse_files(FILES)
    plan = draw(pair)
    answers = random_answers(pair, plan, plan.batches[0].id, "001", seed=5)
    manifest = tmp_path / "manifest.csv"
    manifest.write_bytes(FORMAT.write(pair, plan, people=()).files["manifest.csv"])
    file = write(tmp_path, export([session("001", answered(pair, plan, answers), number=1)]))
    alone = FORMAT.read([file, manifest], study=None, plan=None).judgments
    whole = FORMAT.read([file], study=pair, plan=plan).judgments

    def said(judgments: Judgments) -> Counter[object]:
        return Counter((r.item, r.question, r.kind, *_outcome(r)) for r in judgments.rows())

    assert said(alone) == said(whole)


def _outcome(row: Judgment) -> tuple[object, ...]:
    """What a judgment says, whichever of two systems is named first."""
    if row.system is not None:
        return row.system, row.value
    return (frozenset({(row.system_a, row.value == "a"), (row.system_b, row.value == "b")}),)
