"""Results and judgments in Python: short when printed, whole as a frame."""

from __future__ import annotations

import math
import sys
from datetime import UTC, datetime

import numpy as np
import pytest

import rejudge as rj
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.outline import Grouping
from rejudge.analysis.results import Results
from rejudge.errors import UsageError
from rejudge.judgments.table import Judgment, Judgments


def rated(systems=("ash", "beech"), people=3, items=4) -> Judgments:
    return Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", "fluency", float((p + i + s) % 5), system=system)
        for p in range(people)
        for i in range(items)
        for s, system in enumerate(systems)
    )


def compared() -> Judgments:
    return Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", "meaning", c, system_a="ash", system_b="beech", side="a")
        for p, row in enumerate(("abtab", "aabba", "bbaat"))
        for i, c in enumerate({"t": "tie"}.get(c, c) for c in row)
    )


@pytest.fixture(scope="module")
def results() -> Results:
    return rj.analyse(rated(), scale=(0, 4))


def test_printed_results_are_short_and_say_where_the_rest_is(results):
    lines = str(results).splitlines()
    assert len(lines) == 7  # what, head, two means, one pair, the rest, the signature
    counts = "3 of 3 participants and 24 of 24 judgments count."
    assert lines[0] == f"Results on fluency (nothing was planned): {counts}"
    assert lines[2].split()[:4] == ["fluency", "mean", "of", "ash"]
    assert "ash – beech, paired-t" in lines[4]
    assert ".to_pandas(), .findings, .select(criterion, measure)." in lines[5]
    assert "scale 0..4" in lines[6]
    assert repr(results) == str(results)


def test_many_systems_are_still_short():
    text = str(rj.analyse(rated([f"s{n}" for n in range(12)], people=2, items=2)))
    assert len(text.splitlines()) <= 16
    assert "more rows and all" in text


def test_a_notebook_shows_the_same_numbers(results):
    html = results._repr_html_()
    for line in str(results).splitlines()[2:5]:
        for cell in line.split("  "):
            assert cell.strip() in html


def test_nothing_judged_can_be_printed():
    assert "0 of 0 participants" in str(rj.analyse(Judgments.from_rows([])))


def test_findings_as_a_frame_have_one_row_each(results):
    frame = results.to_pandas()
    assert len(frame) == len(results.findings)
    row = frame[(frame.by == "cluster-robust") & (frame["first"] == "ash")].iloc[0]
    (finding,) = results.select("fluency", "mean-difference", "cluster-robust")
    assert (row.criterion, row.second, row.value) == ("fluency", "beech", finding.value)
    assert (row.low, row.high) == (finding.interval.low, finding.interval.high)
    assert (row.p, row.n, row.method) == (finding.p, finding.n, finding.method)
    one = frame[frame.by == "mean"].iloc[0]
    assert one.second is None or one.second != one.second
    assert math.isnan(one.p)


def test_a_frame_tells_groups_and_cases_from_the_analysis_itself():
    groupings = [Grouping("half", "items", {f"i{i}": ("low", "high")[i // 2] for i in range(4)})]
    results = rj.analyse(rated(), groupings=groupings, further=Further(cases=("mean",)))
    means = [row for row in results.to_arrow().to_pylist() if row["by"] == "mean"]
    assert {row["category"] for row in means} == {None}
    assert [(row["first"], row["grouping"], row["group"], row["case"]) for row in means] == [
        ("ash", None, None, None),
        ("beech", None, None, None),
        ("ash", "half", "high", None),
        ("beech", "half", "high", None),
        ("ash", "half", "low", None),
        ("beech", "half", "low", None),
        ("ash", None, None, "mean"),
        ("beech", None, None, "mean"),
        ("ash", "half", "high", "mean"),
        ("beech", "half", "high", "mean"),
        ("ash", "half", "low", "mean"),
        ("beech", "half", "low", "mean"),
    ]


def test_judgments_as_a_frame_can_be_read_again():
    for table in (rated(), compared()):
        frame = table.to_pandas()
        assert len(frame) == len(table)
        assert rj.read_judgments(frame).rows() == table.rows()


def test_a_frame_keeps_types_beside_gaps():
    moment = datetime(2026, 5, 3, 12, tzinfo=UTC)
    table = Judgments.from_rows(
        [
            Judgment("p1", "i1", "q", 3.0, system="ash", position=2, submitted_at=moment),
            Judgment("p1", "i2", "q", 4.0, system="ash", passed=True, kind="check", seconds=1.5),
            Judgment("p1", "i1", "r", "tie", system_a="ash", system_b="beech"),
        ]
    )
    frame = table.to_pandas()
    assert frame.value.tolist() == ["3", "4", "tie"]
    assert frame.position.iloc[0] == 2
    assert frame.position.isna().tolist() == [False, True, True]
    assert frame.passed.iloc[1] is np.True_ or frame.passed.iloc[1] is True
    assert frame.submitted_at.iloc[0] == moment
    assert "batch" not in frame
    assert table.to_arrow().num_rows == 3


def test_nothing_as_a_frame():
    frame = Judgments.from_rows([]).to_pandas()
    assert list(frame.columns) == ["participant", "item", "question", "value"]
    assert not len(frame)


def test_without_pandas_the_remedy_is_told(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"pandas is not installed.*pip install pandas"):
        results.to_pandas()
    with pytest.raises(UsageError, match="to_arrow"):
        rated().to_pandas()
    assert results.to_arrow().num_rows == len(results.findings)
