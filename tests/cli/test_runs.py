"""Tables of judgments as runs: compared as they are, or by the column that distinguishes labs."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.analysis.analyse import analyse
from rejudge.cli import main
from rejudge.cli.options import TableOptions
from rejudge.cli.runs import read_runs, slug
from rejudge.compare.compare import compare
from rejudge.compare.run import Run
from rejudge.errors import DataError, FileError, RejudgeError, UsageError
from rejudge.files.step_files import to_bytes
from rejudge.judgments.exclusions import ExclusionRules, drop_excluded, exclude_rows, excluded_csv
from rejudge.judgments.judgments_csv import fingerprint_of, to_csv
from rejudge.judgments.read import read_judgments

SCALE = TableOptions(scale="1..5")
HEAD = "participant,item,system,question,value\n"


@cache
def rows(shift: int) -> tuple[str, ...]:
    """Three people rate two systems on four items; `ours` is one point ahead, mostly."""
    return tuple(
        f"p{person},i{item},{system},fluency,{2 + ahead + (person * item + shift) % 3}\n"
        for person in range(3)
        for item in range(4)
        for system, ahead in (("ours", 1), ("base", 0))
    )


def table(path: Path, shift: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD + "".join(rows(shift)), "utf-8")
    return path


def by_lab(path: Path, **labs: int) -> Path:
    lines = [f"{lab},{row}" for lab, shift in labs.items() for row in rows(shift)]
    path.write_text(f"lab,{HEAD}{''.join(lines)}", "utf-8")
    return path


def runs(*names: Path, conditions: tuple[Path, ...] = (), options: TableOptions = SCALE):
    found = read_runs([str(name) for name in names], conditions, options)
    return [run for given in found for run in given.runs]


def numbers(run: Run) -> object:
    return run.findings, run.conditions


def test_two_tables_are_compared_by_all_four_types(tmp_path):
    one, two = table(tmp_path / "one.csv", 0), table(tmp_path / "two.csv", 1)
    words = ["compare", str(one), str(two), "--scale", "1..5", "--json"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert [run["id"] for run in said["runs"]] == ["one", "two"]
    found = {
        (each["key"]["measure"], each["key"]["method"], *each["key"]["runs"]): each["value"]
        for each in said["findings"]
    }
    assert ("mean", "mean", "one") in found
    assert found["cv-star", "mean", "one", "two"] is not None
    assert found["agreement", "cross-kappa", "one", "two"] is not None
    assert found["confirmed-share", "pairwise-ranks", "one", "two"] is not None
    assert found["pooled-effect", "g", "one", "two"] is not None
    assert any("only the conditions that the table shows" in note for note in said["notes"])


def test_one_file_with_a_lab_column_gives_the_same_runs_as_a_file_for_each(tmp_path):
    together = by_lab(tmp_path / "all.csv", one=0, two=1)
    apart = table(tmp_path / "one.csv", 0), table(tmp_path / "two.csv", 1)
    found, expected = runs(together), runs(*apart)
    assert [run.id for run in found] == ["one", "two"]
    assert list(map(numbers, found)) == list(map(numbers, expected))
    assert found[0].judgments is not None


def test_a_table_shows_some_of_its_conditions(tmp_path):
    (run,) = runs(table(tmp_path / "one.csv", 0))
    assert run.conditions == {
        "items": 4,
        "units": 8,
        "criteria": ("fluency",),
        "elicitation": "rating of one output",
        "participants": 3,
        "participants-per-item": 3,
    }


def analysed(folder: Path, source: Path, *, exclude: str = "") -> Path:
    """What `rejudge analyse FILE --out` leaves."""
    folder.mkdir()
    rules = ExclusionRules.parse([exclude] if exclude else [])
    cleaned = exclude_rows(read_judgments(source), rules)
    results = analyse(cleaned, scale=(1, 5), seed=1)
    (folder / "results.json").write_bytes(
        to_bytes(results, made_from={"judgments": results.signature.judgments})
    )
    (folder / "judgments.csv").write_text(to_csv(cleaned.collected), "utf-8")
    (folder / "excluded.csv").write_text(excluded_csv(cleaned), "utf-8")
    return folder


def test_the_folder_of_an_analysed_table_gives_the_same_as_the_table(tmp_path):
    source = table(tmp_path / "one.csv", 0)
    beside = tmp_path / "beside.yaml"
    beside.write_text(
        "conditions: {platform: Prolific}\n"
        "criteria: [{id: fluency, scale: {kind: rating, low: 1, high: 5}}]\n",
        "utf-8",
    )
    options = TableOptions(exclude=("participants=p2",))
    (raw,) = runs(source, conditions=(beside,), options=options)
    folder = analysed(tmp_path / "results", source, exclude="participants=p2")
    (stored,) = runs(folder, conditions=(beside,), options=TableOptions())
    assert numbers(stored) == numbers(raw)
    assert fingerprint_of(stored.judgments) == fingerprint_of(raw.judgments)


def test_judgments_that_do_not_belong_to_the_results_are_refused(tmp_path):
    folder = analysed(tmp_path / "results", table(tmp_path / "one.csv", 0))
    changed = (folder / "judgments.csv").read_text("utf-8").replace(",2.0,", ",1.0,", 1)
    changed = changed if changed.count(",1.0,") else changed.replace(",2,", ",1,", 1)
    (folder / "judgments.csv").write_text(changed, "utf-8")
    with pytest.raises(FileError, match="were not computed from these judgments"):
        runs(folder, options=TableOptions())


def test_excluded_rows_are_taken_out_once_each(tmp_path):
    judgments = read_judgments(table(tmp_path / "one.csv", 0))
    cleaned = exclude_rows(judgments, ExclusionRules.parse(["participants=p0"]))
    kept = drop_excluded(cleaned.collected, excluded_csv(cleaned))
    assert fingerprint_of(kept) == fingerprint_of(cleaned.kept)


# ── ids and names ────────────────────────────────────────────────────────────────────────────────


def test_tables_of_one_name_are_distinguished_by_their_folders(tmp_path):
    one, two = table(tmp_path / "a" / "data.csv", 0), table(tmp_path / "b" / "data.csv", 1)
    assert [run.id for run in runs(one, two)] == ["a-data", "b-data"]


def test_a_table_whose_name_is_not_utf_8_can_be_compared_and_kept(tmp_path):
    """So are all names but ASCII where the terminal is set to the POSIX locale."""
    odd = os.fsdecode(b"\xff.csv")
    try:
        paths = [table(tmp_path / odd, 0), table(tmp_path / "b.csv", 1)]
    except OSError:
        pytest.skip("this file system has no such names")
    words = ["compare", *map(str, paths), "--scale", "1..5", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code in {0, 1}, result.output
    assert "\N{REPLACEMENT CHARACTER}" in (tmp_path / "out/comparison.json").read_text("utf-8")


def test_labs_that_two_files_share_are_distinguished_by_their_files(tmp_path):
    one = by_lab(tmp_path / "first.csv", x=0, y=1)
    two = by_lab(tmp_path / "second.csv", x=2)
    assert [run.id for run in runs(one, two)] == ["first-x", "y", "second-x"]


def test_a_table_given_twice_has_two_ids_and_is_found_to_be_the_same(tmp_path):
    one = table(tmp_path / "one.csv", 0)
    first, second = runs(one, one)
    assert first.id != second.id
    with pytest.raises(DataError, match="have the same judgments"):
        compare(first, second)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("東京 lab", "東京-lab"), ("../../etc", "etc"), ("a:b/c", "a-b-c"), ("…", "results")],
)
def test_an_id_is_safe_as_a_name_of_a_file(name, expected):
    assert slug(name) == expected


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


def refusal(*words: str) -> str:
    result = CliRunner().invoke(main, ["compare", *words])
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.split())


def test_bad_requests_get_one_message_with_the_remedy(tmp_path):
    one, two = (str(table(tmp_path / f"{name}.csv", 0)) for name in ("one", "two"))
    assert "holds one run" in refusal(one, "--scale", "1..5")
    assert "no such file" in refusal(one, str(tmp_path / "none.csv"))
    assert "--scale is for a table" in refusal("hosking-2021", "steen-2025", "--scale", "1..5")
    assert "no run 'three'" in refusal(one, two, "--original", "three")
    said = refusal(one, two, "--systems", "theirs=ours")
    assert "there is no 'theirs'; the reproductions have base, ours" in said
    said = refusal(one, two, "--systems", "ours=mine")
    assert "there is no 'mine'; the original has base, ours" in said
    said = refusal(one, two, "--criteria", "fluency=quality")
    assert "there is no 'quality'; the original has fluency" in said


def test_a_table_beside_a_paper_needs_the_ends_of_its_scale(tmp_path):
    one = str(table(tmp_path / "one.csv", 0))
    said = refusal("august-2022", one, "--systems", "ours=svm,base=gedi")
    assert "--scale 1..5" in said


# ── conditions of several runs in one file ───────────────────────────────────────────────────────

SECTIONS = """\
one:
  conditions: {platform: Prolific}
two:
  conditions: {platform: MTurk}
  reproduces: one
  deviations: [{property: platform, reason: The first was closed., impact: low}]
"""


def test_one_file_gives_the_conditions_of_all_runs_by_name(tmp_path):
    beside = tmp_path / "conditions.yaml"
    beside.write_text(SECTIONS, "utf-8")
    for names in (
        (by_lab(tmp_path / "all.csv", one=0, two=1),),
        (table(tmp_path / "one.csv", 0), table(tmp_path / "two.csv", 1)),
    ):
        first, second = runs(*names, conditions=(beside,))
        assert first.conditions["platform"] == "Prolific"
        assert second.conditions["platform"] == "MTurk"
        assert second.conditions["items"] == 4
        (deviation,) = [
            each for each in compare(first, second).deviations if each.property == "platform"
        ]
        assert deviation.reason == "The first was closed."


def test_a_file_for_each_table_is_taken_in_their_order(tmp_path):
    names = [table(tmp_path / f"{name}.csv", 0) for name in ("one", "two")]
    beside = []
    for platform in ("Prolific", "MTurk"):
        beside.append(tmp_path / f"{platform}.yaml")
        beside[-1].write_text(f"conditions: {{platform: {platform}}}\n", "utf-8")
    found = runs(*names, conditions=tuple(beside))
    assert [run.conditions["platform"] for run in found] == ["Prolific", "MTurk"]
    with pytest.raises(UsageError, match="does not belong to any of the runs"):
        runs(names[0], conditions=tuple(beside))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            SECTIONS.replace("two:", "tow:"),
            "'tow' does not belong to any table or results",
        ),
        (SECTIONS.replace("platform: MTurk", "platfrom: MTurk"), "Did you mean 'platform'"),
        ("one: {}\ntwo: {conditions: {items: 3}}\n", "no conditions in the section 'one'"),
        ("one: {conditions: {items: 3}, colour: red}\n", "colour"),
    ],
)
def test_a_wrong_section_is_refused_with_what_there_is(tmp_path, text, said):
    beside = tmp_path / "conditions.yaml"
    beside.write_text(text, "utf-8")
    names = table(tmp_path / "one.csv", 0), table(tmp_path / "two.csv", 1)
    with pytest.raises(RejudgeError) as refused:
        runs(*names, conditions=(beside,))
    assert said in str(refused.value)
