"""Tables that do not say who judged: neither one participant nor as many as there are rows."""

from __future__ import annotations

import json
from statistics import fmean, stdev

import pyarrow as pa
import pytest
from click.testing import CliRunner

import rejudge as rj
from rejudge.cli import main
from rejudge.errors import DataError
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.judgments_csv import fingerprint_of, read_csv, to_csv
from rejudge.judgments.read import read_judgments


def ratings() -> pa.Table:
    """Six texts of two systems, each judged three times by nobody knows whom."""
    rows = [(i, s, k) for i in range(6) for s in ("old", "new") for k in range(3)]
    return pa.table(
        {
            "item": [f"i{i}" for i, _, _ in rows],
            "model": [s for _, s, _ in rows],
            "score": [1 + (i + k * len(s) + (s == "new")) % 5 for i, s, k in rows],
            "seconds": [10 + k for _, _, k in rows],
        }
    )


def choices() -> pa.Table:
    rows = [(i, k) for i in range(6) for k in range(3)]
    return pa.table(
        {
            "item": [f"i{i}" for i, _ in rows],
            "system_a": ["x" if i % 2 else "y" for i, _ in rows],
            "system_b": ["y" if i % 2 else "x" for i, _ in rows],
            "choice": ["left" if (i + k) % 3 else "right" for i, k in rows],
        }
    )


def test_a_table_without_participants_is_read_with_what_cannot_be_computed():
    found = read_judgments(ratings())
    assert found.participant.words() == [None] * 36
    (note,) = [note for note in found.notes if note.startswith("No column names the participants")]
    assert "Agreement" in note
    assert "intervals for new participants" in note


def test_nothing_is_a_duplicate_when_nobody_is_known():
    assert set(read_judgments(ratings()).kind.words()) == {"real"}


def test_a_column_of_participants_that_is_empty_throughout_is_no_participant():
    empty = ratings().append_column("rater", [[""] * 36])
    assert read_judgments(empty).participant.words() == [None] * 36


def test_a_single_empty_cell_among_participants_is_still_a_fault():
    some = ratings().append_column("rater", [[*(f"r{n}" for n in range(35)), ""]])
    with pytest.raises(DataError, match="line 36: participant is empty"):
        read_judgments(some)


@pytest.fixture(scope="module")
def results():
    return rj.analyse(read_judgments(ratings()), scale=(1, 5))


def test_no_number_of_participants_is_invented(results):
    assert (results.flow.participants, results.flow.participants_kept) == (None, None)
    assert {finding.participants for finding in results.findings} == {None}
    assert "people" not in {frame.name for frame in results.frames}


def test_agreement_is_undefined_with_its_reason(results):
    agreement = [f for f in results.findings if f.measure == "agreement"]
    assert agreement
    assert {(f.value, f.note) for f in agreement} == {
        (None, "Undefined: it is not known who judged.")
    }


def test_nothing_is_said_of_trends_repeats_or_more_participants(results):
    assert not [f for f in results.findings if f.measure == "order-effect"]
    assert results.precision == ()


def test_the_error_of_a_mean_is_the_one_of_item_means(results):
    """Three judgments of each item: clusters of equal size, so the error is sd/√n over items."""
    (found,) = [f for f in results.findings if f.id == "judgment.mean.new"]
    rows = [row for row in ratings().to_pylist() if row["model"] == "new"]
    means = [fmean(r["score"] for r in rows if r["item"] == f"i{i}") for i in range(6)]
    assert found.standard_error == pytest.approx(stdev(means) / 6**0.5)
    assert (found.items, found.df) == (6, 5)
    assert "cluster-robust by item, t with" in found.method


def test_choices_without_participants_are_analysed_too():
    found = rj.analyse(read_judgments(choices()))
    assert {f.participants for f in found.findings} == {None}
    assert any(f.measure == "win-percent" and f.value is not None for f in found.findings)
    assert any(f.measure == "first-shown-percent" for f in found.findings)


def test_a_rule_about_participants_is_refused():
    with pytest.raises(DataError, match="it is not known who judged"):
        exclude_rows(read_judgments(ratings()), ExclusionRules.parse(["faster_than_seconds=11"]))


def test_our_own_file_keeps_unknown_participants_unknown():
    found = read_judgments(ratings())
    again = read_csv(to_csv(found))
    assert again.participant.words() == [None] * 36
    assert fingerprint_of(again) == fingerprint_of(found)


def test_our_own_file_with_a_fault_does_not_ask_for_participants():
    text = to_csv(read_judgments(ratings())).replace("i0", "", 1)
    with pytest.raises(DataError) as caught:
        read_csv(text)
    assert [problem.what for problem in caught.value.problems] == ["item is empty."]


def test_the_command_and_the_report_say_that_nobody_is_known(tmp_path):
    rows = ratings().to_pylist()
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    (tmp_path / "anonymous.csv").write_text("\n".join(lines), "utf-8")
    out = tmp_path / "out"
    words = ["analyse", str(tmp_path / "anonymous.csv"), "--out", str(out)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert "It is not known who judged; 36 of 36 judgments count." in result.stdout
    written = json.loads((out / "results.json").read_text("utf-8"))
    assert written["content"]["flow"]["participants"] is None
    reported = CliRunner().invoke(main, ["report", str(out)])
    assert reported.exit_code == 0, reported.output
    page = (out / "report" / "index.html").read_text("utf-8")
    assert "It is not known who judged" in page
    assert "None" not in page
