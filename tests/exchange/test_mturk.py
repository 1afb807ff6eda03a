"""Past studies on Mechanical Turk: layout, input and results become study, plan and judgments."""

from __future__ import annotations

import csv
import html
import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import mturk_files as files
from rejudge.analysis import analyse
from rejudge.design import Plan, check_plan, draw, option_text
from rejudge.errors import FileError
from rejudge.exchange import find_reader
from rejudge.exchange.formats import Imported, Reader, Writer
from rejudge.exchange.mturk import FORMAT
from rejudge.exchange.mturk_export import hit_fields
from rejudge.exchange.mturk_files import flatten_answers, melt, shape_of, split_name
from rejudge.files import from_bytes
from rejudge.judgments import Answer, Judgments, read_judgments, tabulate
from rejudge.study import Study, parse
from small_study import FILES, parse_files


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return files.hits()


@pytest.fixture(scope="module")
def sent() -> list[tuple[int, str, dict[str, str]]]:
    return files.random_answers()


def put(folder: Path, **texts: str) -> list[Path]:
    """Files by name; `layout_html` is layout.html."""
    paths = []
    for name, text in texts.items():
        path = folder / ".".join(name.rsplit("_", 1))
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


@pytest.fixture(scope="module")
def imported(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, str]],
    sent: list[tuple[int, str, dict[str, str]]],
) -> Imported:
    paths = put(
        tmp_path_factory.mktemp("hits"),
        layout_html=files.layout(),
        input_csv=files.table(rows),
        results_csv=files.table(files.results(rows, sent)),
    )
    return FORMAT.read(paths, study=None, plan=None)


def study_of(imported: Imported) -> tuple[Study, Plan]:
    def content(name: str) -> bytes:
        if name not in imported.files:
            raise FileNotFoundError(name)
        return imported.files[name]

    study = parse(content("study.yaml").decode(), content)
    return study, from_bytes(Plan, content("plan.json"), file="plan.json").content


# ── the published shape: 60 HITs of 32 ───────────────────────────────────────────────────────────


def test_the_format_can_be_read_and_written() -> None:
    assert isinstance(FORMAT, Reader)
    assert isinstance(FORMAT, Writer)


def test_the_plan_has_the_batches_order_and_sides_of_the_original(
    imported: Imported, rows: list[dict[str, str]]
) -> None:
    study, plan = study_of(imported)
    assert check_plan(study, plan) == ()
    assert [len(batch.tasks) for batch in plan.batches] == [32] * 60
    assert {batch.participants for batch in plan.batches} == {3}
    assert plan.order == "listed"
    shown = [
        [option_text(study, plan, task, option) for option in task.options] for task in plan.tasks()
    ]
    original = [
        [html.unescape(row[f"output{side}{i}"]) for side in "ab"] for row in rows for i in range(32)
    ]
    assert shown == original


def test_attention_checks_know_which_text_must_lose(imported: Imported) -> None:
    _, plan = study_of(imported)
    checks = [task for task in plan.tasks() if task.kind == "check"]
    right = Counter((t.check, t.expected.question, t.expected.worst) for t in checks if t.expected)
    assert right == {("distractor", "meaning", "a"): 60, ("inputs", "dissim", "a"): 60}


def test_a_check_shows_its_own_input(imported: Imported) -> None:
    _, plan = study_of(imported)
    first = next(task for task in plan.tasks() if task.kind == "check")
    assert (first.instruction or "").startswith("Control ")


def test_the_analysis_equals_that_of_the_equivalent_table(
    tmp_path: Path,
    imported: Imported,
    rows: list[dict[str, str]],
    sent: list[tuple[int, str, dict[str, str]]],
) -> None:
    table = [
        {
            "participant": worker,
            "batch": str(place),
            "item": f"{rows[place][f'dataset{i}']}-{rows[place][f'ix{i}']}",
            "dataset": rows[place][f"dataset{i}"],
            "system_a": rows[place][f"systema{i}"],
            "system_b": rows[place][f"systemb{i}"],
            "question": question,
            "choice": answers[f"{question}{i}"],
            "control": str(rows[place][f"systemb{i}"] == "golds"),
            "position": str(i + 1),
        }
        for place, worker, answers in sent
        for question in files.QUESTIONS
        for i in range(32)
    ]
    (tmp_path / "table.csv").write_text(files.table(table))
    direct = read_judgments(tmp_path / "table.csv")
    assert scores(imported.judgments) == scores(direct)


def scores(judgments: Judgments) -> list[tuple[Any, ...]]:
    """Every estimate, interval and p value, with the rows in one order."""
    real = judgments.of_kind("real").rows()
    ordered = sorted(real, key=lambda r: (r.item, r.question, r.batch or "", str(r.position)))
    people: dict[str | None, str] = {}
    other: dict[Any, Any] = {"a": "b", "b": "a"}
    canonical = []
    for row in ordered:
        name = people.setdefault(row.participant, f"p{len(people):03}")
        a, b = sorted([row.system_a or "", row.system_b or ""])
        swapped = row.system_a != a
        value = other.get(row.value, row.value) if swapped else row.value
        side = other[row.side] if swapped else row.side
        same = replace(row, participant=name, system_a=a, system_b=b, value=value, side=side)
        canonical.append(replace(same, batch=None, task=None, plan=None, submitted_at=None))
    found = analyse(Judgments.from_rows(sorted(canonical, key=repr)))
    return [(f.id, f.value, f.interval, f.p, f.n) for f in found.findings]


def test_the_preview_shows_what_people_read(imported: Imported) -> None:
    framed = imported.files["layout_preview.html"].decode()
    page = html.unescape(framed.partition('srcdoc="')[2].partition('"></iframe>')[0])
    assert "Sentence, qqp 0" in page
    assert "&#44;" not in page


def test_what_is_no_judgment_is_listed(imported: Imported) -> None:
    assert any(each.startswith("consent") for each in imported.unmapped)
    assert any(each.startswith("meaningex") for each in imported.unmapped)
    assert imported.rejected == ()


def test_worker_ids_are_nowhere_in_what_is_written(imported: Imported) -> None:
    whole = b"".join(imported.files.values()).decode() + repr(
        (imported.notes, imported.judgments.rows())
    )
    assert "XYZ0000" not in whole
    assert "3ASSIGNMENT" not in whole


def test_the_conditions_of_the_original_are_recorded(imported: Imported) -> None:
    said = yaml.safe_load(imported.files["original_conditions.yaml"])
    assert said["reward_usd"] == 3.5
    assert said["workers"] == 40
    assert said["approval_percent"] is None
    assert said["first_submission"] == "2021-10-09T15:00:00+00:00"


def test_times_are_in_utc(imported: Imported) -> None:
    first = min(row.submitted_at for row in imported.judgments.rows() if row.submitted_at)
    assert first == datetime(2021, 10, 9, 15, 0, tzinfo=UTC)


def test_results_alone_are_enough(
    tmp_path: Path,
    imported: Imported,
    rows: list[dict[str, str]],
    sent: list[tuple[int, str, dict[str, str]]],
) -> None:
    (path,) = put(tmp_path, results_csv=files.table(files.results(rows, sent)))
    assert find_reader([path]) is FORMAT
    alone = FORMAT.read([path], study=None, plan=None)
    assert scores(alone.judgments) == scores(imported.judgments)


def test_a_layout_and_an_input_file_become_a_study_without_judgments(
    tmp_path: Path, rows: list[dict[str, str]]
) -> None:
    paths = put(tmp_path, layout_html=files.layout(), input_csv=files.table(rows))
    found = FORMAT.read(paths, study=None, plan=None)
    _, plan = study_of(found)
    assert len(found.judgments) == 0
    assert len(plan.batches) == 60


# ── assignments ──────────────────────────────────────────────────────────────────────────────────


def small(
    tmp_path: Path,
    change: Any = None,
    *,
    statuses: dict[int, str] | None = None,
    more: Sequence[dict[str, str]] = (),
) -> Imported:
    """One HIT of two pairs and the checks, three workers; `change` may edit the rows of results."""
    rows = files.hits(1, 6)
    sent = files.random_answers(1, 8)
    found = files.results(rows, sent, statuses=statuses)
    if change is not None:
        change(found)
    paths = put(tmp_path, input_csv=files.table(rows), results_csv=files.table([*found, *more]))
    return FORMAT.read(paths, study=None, plan=None)


def test_rejected_assignments_are_left_out_and_counted(tmp_path: Path) -> None:
    found = small(tmp_path, statuses={1: "Rejected", 2: "Submitted"})
    assert len(found.judgments.participant.used()) == 2
    assert "1 assignment that the requester rejected left out." in found.notes
    table = list(csv.DictReader(io.StringIO(found.files["assignments.csv"].decode())))
    assert Counter(row["status"] for row in table) == {"Approved": 1, "Rejected": 1, "Submitted": 1}


def test_the_same_assignment_in_two_files_counts_once(tmp_path: Path) -> None:
    rows = files.hits(1, 6)
    text = files.table(files.results(rows, files.random_answers(1, 8)))
    paths = put(tmp_path, one_csv=text, two_csv=text)
    assert len(FORMAT.read(paths, study=None, plan=None).judgments) == 3 * 8 * 3


def test_one_assignment_id_with_two_answers_is_an_error(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[1]["AssignmentId"] = found[0]["AssignmentId"]

    with pytest.raises(FileError, match="occurs twice"):
        small(tmp_path, change)


def test_inputs_that_differ_within_a_hit_are_an_error(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[2]["Input.outputa0"] = "something else"

    with pytest.raises(FileError, match="same HIT"):
        small(tmp_path, change)


def test_results_of_another_input_file_are_rejected_row_by_row(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        for row in found:
            row["Input.outputa0"] = "something else"

    found = small(tmp_path, change)
    assert len(found.judgments) == 0
    assert [each.row for each in found.rejected] == [2, 3, 4]


def test_missing_and_unknown_answers_are_rejected_with_their_place(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[0]["Answer.meaning3"] = ""

    found = small(tmp_path, change)
    (rejected,) = found.rejected
    assert (rejected.row, rejected.column) == (2, "Answer.meaning3")


def test_too_few_assignments_are_noted(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        del found[2]

    found = small(tmp_path, change)
    assert any("MaxAssignments" in note for note in found.notes)


def test_a_hit_that_was_posted_again_is_the_same_batch(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[2]["HITId"] = "3HITAGAIN"
        found[2]["WorkerId"] = found[0]["WorkerId"]

    found = small(tmp_path, change)
    assert found.judgments.batch.used() == ("b01",)
    assert len(found.judgments.of_kind("repeat")) == 6 * 3


def test_an_unknown_time_zone_is_an_error(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[0]["SubmitTime"] = "Thu Oct 09 07:30:20 MARS 2025"

    with pytest.raises(FileError, match="not a time"):
        small(tmp_path, change)


def test_a_key_gives_keyed_pseudonyms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = small(tmp_path).judgments.participant.used()
    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", "secret")
    keyed = small(tmp_path).judgments.participant.used()
    assert plain == ("p001", "p002", "p003")
    assert all(len(name) == 11 for name in keyed)
    assert keyed == small(tmp_path).judgments.participant.used()


# ── answers of crowd forms ───────────────────────────────────────────────────────────────────────


def test_answers_arrive_however_the_form_sent_them() -> None:
    sent = {
        "taskAnswers": json.dumps(
            [{"q1": {"a": True, "b": False}, "n": 3, "kind": {"label": "x"}}]
        ),
        "sentiment.label": "Positive",
        "topics.sports": "true",
        "topics.news": "true",
        "topics.other": "false",
        "plain": " 4 ",
        "empty": "",
    }
    assert flatten_answers(sent) == {
        "q1": "a", "n": "3", "kind": "x", "sentiment": "Positive", "topics": "sports|news",
        "plain": "4",
    }  # fmt: skip


def test_broken_json_is_no_answer() -> None:
    assert flatten_answers({"taskAnswers": "[{"}) == {}


def test_crowd_forms_give_the_same_judgments_as_plain_ones(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        for row in found:
            answers = {n: row.pop(n) for n in list(row) if n.startswith("Answer.")}
            choices = {
                name.removeprefix("Answer."): {side: side == cell for side in "AB"}
                for name, cell in answers.items()
            }
            row["Answer.taskAnswers"] = json.dumps([choices])

    plain, crowd = small(tmp_path), small(tmp_path, change)
    assert plain.judgments.rows() == crowd.judgments.rows()


# ── wide columns ─────────────────────────────────────────────────────────────────────────────────


def test_the_longest_run_of_digits_is_the_number() -> None:
    assert split_name("ix10") == ("ix", 10)
    assert split_name("output_3") == ("output", 3)
    assert split_name("ix") == ("ix", None)


def test_a_missing_column_is_named() -> None:
    columns = [f"{f}{i}" for f in ("input", "output") for i in range(4)]
    columns.remove("output2")
    with pytest.raises(FileError, match="output2"):
        shape_of(columns, (), file="x.csv")


def test_two_names_of_one_number_are_refused() -> None:
    with pytest.raises(FileError, match="same number"):
        shape_of(["input1", "input01", "output1", "output01"], (), file="x.csv")


def test_two_outputs_of_one_item_are_not_two_items() -> None:
    shape = shape_of(["input", "system1", "system2", "output1", "output2"], ["better"], file="x")
    assert shape.indices == ()


@given(
    st.integers(2, 40), st.lists(st.sampled_from("abcdxyz"), min_size=2, max_size=4, unique=True)
)
def test_melting_keeps_every_cell(items: int, stems: list[str]) -> None:
    row = {f"{stem}{i}": f"{stem}-{i}" for i in range(items) for stem in stems} | {"shared": "s"}
    records = list(melt(row, shape_of(list(row), (), file="x.csv")))
    assert records == [{**{s: f"{s}-{i}" for s in stems}, "shared": "s"} for i in range(items)]


# ── ratings, one item in a HIT, and mapping files ────────────────────────────────────────────────

RATING_LAYOUT = """
<crowd-form><p>${source}</p><p>${text}</p>How fluent is it?
<crowd-slider name="fluency" min="1" max="5" step="1" required></crowd-slider></crowd-form>
"""


def rating_rows() -> list[dict[str, str]]:
    return [
        {"id": f"s{n}", "source": f"Source {n}", "model": model, "text": f"{model} of {n}"}
        for n in range(4)
        for model in ("System One", "two")
    ]


def test_ratings_of_one_output_become_a_study(tmp_path: Path) -> None:
    rows = rating_rows()
    sent = [
        (n, f"A{w}00WORKER{w}", {"fluency": str(1 + (n + w) % 5)})
        for n in range(8)
        for w in range(2)
    ]
    paths = put(
        tmp_path,
        layout_html=RATING_LAYOUT,
        input_csv=files.table(rows),
        results_csv=files.table(files.results(rows, sent, wanted=2)),
    )
    found = FORMAT.read(paths, study=None, plan=None)
    study, plan = study_of(found)
    assert [(q.kind, q.bounds) for q in study.spec.questions] == [("rating", (1.0, 5.0))]
    assert study.spec.questions[0].prompt == "How fluent is it?"
    assert study.system_ids == ("System-One", "two")
    assert len(plan.batches) == 8
    assert len(found.judgments) == 16


def test_items_that_lack_a_system_still_give_judgments(tmp_path: Path) -> None:
    rows = rating_rows()[:-1]
    sent = [(n, "A100WORKER1", {"fluency": "3"}) for n in range(7)]
    paths = put(tmp_path, layout_html=RATING_LAYOUT, input_csv=files.table(rows),
                results_csv=files.table(files.results(rows, sent, wanted=1)))  # fmt: skip
    found = FORMAT.read(paths, study=None, plan=None)
    assert "study.yaml" not in found.files
    assert any("no study was written" in note for note in found.notes)
    assert {(r.item, r.system) for r in found.judgments.rows()} == {
        (row["id"], {"System One": "System-One"}.get(row["model"], row["model"])) for row in rows
    }


def test_fields_that_cannot_be_recognised_are_listed_with_a_remedy(tmp_path: Path) -> None:
    rows = [{"foo": "x", "bar": "y"}]
    (path,) = put(tmp_path, results_csv=files.table(files.results(rows, [(0, "A1", {"q": "1"})])))
    with pytest.raises(FileError, match="foo, bar") as error:
        FORMAT.read([path], study=None, plan=None)
    assert "mapping file" in error.value.problems[0].remedy


def test_a_mapping_file_names_what_names_do_not_say(tmp_path: Path) -> None:
    rows = [{"foo": f"x{n}", "bar": who, "key": f"k{n}"} for n in range(2) for who in "st"]
    sent = [(n, "A100W", {"q": word}) for n, word in enumerate(["good", "bad", "bad", "good"])]
    mapping = (
        "outputs: [foo]\nsystems: [bar]\nitem: key\nid: mapped\n"
        "questions: {q: {id: quality, kind: rating, prompt: Good, values: {good: 2, bad: 1}}}\n"
        "criteria: {approval_percent: 96, previous_submissions: 5000, regions: [US, GB]}\n"
    )
    paths = put(
        tmp_path, results_csv=files.table(files.results(rows, sent, wanted=1)), map_yaml=mapping
    )
    found = FORMAT.read(paths, study=None, plan=None)
    study, _ = study_of(found)
    assert sorted((r.item, r.system, r.value) for r in found.judgments.rows()) == [
        ("k0", "s", 2.0), ("k0", "t", 1.0), ("k1", "s", 1.0), ("k1", "t", 2.0),
    ]  # fmt: skip
    assert study.spec.recruitment.approval_percent == 96
    assert study.spec.questions[0].id == "quality"


def test_faults_of_a_mapping_file_are_named(tmp_path: Path) -> None:
    results = files.table(files.results([{"a": "x"}], [(0, "A1", {"q": "1"})]))
    paths = put(tmp_path, results_csv=results, map_yaml="outputz: [foo]\n")
    with pytest.raises(FileError, match="outputz"):
        FORMAT.read(paths, study=None, plan=None)


def test_entities_stay_where_the_mapping_says_so(tmp_path: Path) -> None:
    rows = files.hits(1, 6)
    paths = put(tmp_path, layout_html=files.layout(8), input_csv=files.table(rows),
                map_yaml="unescape: false\n")  # fmt: skip
    found = FORMAT.read(paths, study=None, plan=None)
    assert b"&#44;" in found.files["items.csv"]


def test_an_item_with_two_inputs_is_an_error(tmp_path: Path) -> None:
    rows = files.hits(1, 6)
    rows[0]["ix1"] = rows[0]["ix0"]
    rows[0]["input1"] = "another"
    rows[0]["dataset1"] = rows[0]["dataset0"]
    for i in (0, 1):
        rows[0][f"systema{i}"], rows[0][f"systemb{i}"] = "vae", "lbow"
    paths = put(tmp_path, layout_html=files.layout(8), input_csv=files.table(rows))
    with pytest.raises(FileError, match="differs between HITs"):
        FORMAT.read(paths, study=None, plan=None)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", b""),
        ("x.csv", b"\xff\xfe\x00\x00broken"),
        ("x.csv", b"PK\x03\x04truncated"),
        ("x.html", b"<p>${input}</p>"),
        ("x.yaml", b"a: ["),
    ],
)
def test_files_that_cannot_be_used_give_one_clear_message(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError):
        FORMAT.read([path], study=None, plan=None)


@given(st.binary(max_size=300), st.sampled_from(["x.csv", "x.html", "x.bin"]))
def test_recognising_never_raises(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    file = tmp_path_factory.mktemp("any") / name
    file.write_bytes(content)
    assert FORMAT.recognises(file) in {True, False}


# ── HITs for a plan of our own ───────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def own() -> tuple[Study, Plan]:
    study = parse_files(FILES)
    return study, draw(study)


def test_results_of_our_own_hits_become_the_judgments_that_were_given(
    tmp_path: Path, own: tuple[Study, Plan]
) -> None:
    study, plan = own
    exported = FORMAT.write(study, plan, people=())
    rows = list(csv.DictReader(io.StringIO(exported.files["input.csv"].decode())))
    answers, sent = [], []
    for place, batch in enumerate(plan.batches):
        cells = {}
        for field in hit_fields(study, plan, batch):
            raw = field.control.options[(place + field.index) % len(field.control.options)].raw
            cells[field.name] = raw
            task = batch.tasks[field.index]
            at = datetime(2021, 10, 9, 15, 0, place, tzinfo=UTC)
            key = ("p001", batch.id, task.id, field.question.id)
            answers.append(Answer(*key, raw, field.index + 1, submitted_at=at))
        sent.append((place, "A1WORKER11", cells))
    (path,) = put(tmp_path, results_csv=files.table(files.results(rows, sent, wanted=1)))
    found = FORMAT.read([path], study=study, plan=plan)
    assert found.rejected == ()
    assert sorted(map(repr, found.judgments.rows())) == sorted(
        map(repr, tabulate(study, plan, answers).rows())
    )


def test_values_are_escaped_because_the_site_puts_them_in_as_they_are(
    own: tuple[Study, Plan],
) -> None:
    text = FILES["items.csv"].replace("How fly birds?", "<b>How</b> ${x} & why?")
    study = parse_files({**FILES, "items.csv": text})
    exported = FORMAT.write(study, draw(study), people=())
    whole = exported.files["input.csv"].decode()
    assert "<b>" not in whole
    assert "${" not in whole


def test_results_for_another_plan_are_refused(tmp_path: Path, own: tuple[Study, Plan]) -> None:
    rows = files.hits(1, 6)
    (path,) = put(
        tmp_path, results_csv=files.table(files.results(rows, files.random_answers(1, 8)))
    )
    with pytest.raises(FileError, match="not of HITs"):
        FORMAT.read([path], study=own[0], plan=own[1])


def test_a_layout_has_every_placeholder_in_its_input_file(own: tuple[Study, Plan]) -> None:
    from rejudge.exchange.mturk_layout import placeholders_of

    exported = FORMAT.write(*own, people=())
    header = exported.files["input.csv"].decode().partition("\n")[0].split(",")
    assert set(placeholders_of(exported.files["layout.html"].decode())) <= set(header)
