"""How long people took."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from rejudge.analysis.analyse import analyse
from rejudge.analysis.times import page_frames
from rejudge.judgments.table import Judgment, Judgments
from rejudge.tables.columns import frame_file, frame_table


def rated(participant, item, system, value, **columns: Any):
    return Judgment(participant, item, "fluency", value, system=system, **columns)


def test_the_time_of_a_page_counts_once_and_is_added_up_exactly():
    """Two questions share each page; the clock runs over midnight, with one long pause."""
    start = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    moments = [start, start + timedelta(seconds=60), start + timedelta(seconds=7260)]
    rows = [
        replace(rated("p1", f"i{k}", "ash", 3), question=question, task=f"t{k}", seconds=10.0 + k,
                submitted_at=moments[k])
        for k in range(3)
        for question in ("fluency", "ease")
    ]  # fmt: skip
    results = analyse(Judgments.from_rows(rows))
    (spent,) = results.frame("times-people").rows
    assert (results.frame("times").facts["pages"], spent["pages"], spent["seconds"]) == (3, 3, 33)
    assert (spent["wall_seconds"], spent["active_seconds"], spent["pauses"]) == (7260, 360, 1)
    assert results.frame("times-shares").rows[-1]["share"] == 1
    assert {row["share"]: row["seconds"] for row in results.frame("times").rows}[0.5] == 11


def test_one_time_throughout_a_batch_is_the_time_of_the_batch():
    rows = [rated("p1", f"i{k}", "ash", 3, seconds=90.0, batch="b1") for k in range(4)]
    assert analyse(Judgments.from_rows(rows)).frame("times").facts["pages"] == 1


def test_without_times_there_are_none_and_the_note_says_so():
    results = analyse(Judgments.from_rows([rated("p1", "i0", "ash", 3)]))
    times = results.frame("times")
    assert (times.facts["pages"], times.rows) == (0, ())
    assert times.notes == ("No page has a time.",)
    assert not [frame for frame in results.frames if frame.name.startswith("times-")]


def test_a_participants_pages_have_least_median_most_and_spread():
    """10, 20 and 60 seconds: SD √700."""
    rows = [
        rated("p1", f"i{n}", "ash", 1, task=f"t{n}", seconds=s) for n, s in enumerate((10, 20, 60))
    ]
    (spent,) = analyse(Judgments.from_rows(rows)).frame("times-people").rows
    assert (spent["least"], spent["median"], spent["most"]) == (10, 20, 60)
    assert spent["sd"] == pytest.approx(700**0.5)


def test_times_have_percentiles_up_to_the_95th_and_means_by_batch_and_participant():
    """p1: 10 and 20 in b1, p2: 30 and 60 in b1, p3: 40 in b2; totals 30, 90 and 40."""
    seen = (
        ("p1", "b1", 10),
        ("p1", "b1", 20),
        ("p2", "b1", 30),
        ("p2", "b1", 60),
        ("p3", "b2", 40),
    )
    rows = [
        rated(who, f"i{n}", "ash", 1, task=f"t{n}", batch=batch, seconds=s)
        for n, (who, batch, s) in enumerate(seen)
    ]
    results = analyse(Judgments.from_rows(rows))
    times = results.frame("times")
    assert times.columns["share"] == (0.05, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95)
    first, second = results.frame("times-batches").rows
    assert (first["batch"], first["participants"], first["pages"]) == ("b1", 2, 4)
    assert (first["mean"], first["median"], first["least"], first["most"]) == (60, 60, 30, 90)
    assert first["mean_of_pages"] == 30
    assert (second["participants"], second["mean"]) == (1, 40)
    assert times.facts["mean_of_participants"] == pytest.approx(160 / 3)
    assert results.frame("times-people").columns["mean"] == (15, 45, 40)


def test_a_list_that_was_done_twice_has_two_times_of_a_whole_list():
    """The second pass took longer; both are one page each, not one page per judgment."""
    rows = [
        rated("p1", f"i{n}", "ash", 1, batch="b1", kind=kind, seconds=seconds)
        for kind, seconds in (("real", 100.0), ("repeat", 300.0))
        for n in range(5)
    ]
    results = analyse(Judgments.from_rows(rows))
    (page,) = results.frame("times-pages").rows
    assert (page["page"], page["n"], page["most"]) == ("batch", 2, 300)


def of_lists(lists, items, *, batch=False, wobble=0):
    """Each of two people did some lists; the seconds of a list are repeated for its items."""
    return Judgments.from_rows(
        rated(
            f"p{p}",
            f"i{one}-{n}",
            "ash",
            1 + n % 4,
            batch=f"l{one}" if batch else None,
            seconds=400.0 + 50 * one + 7 * p + wobble * (n % 4),
        )
        for p in range(2)
        for one in range(lists)
        for n in range(items)
    )


def test_seconds_that_repeat_for_whole_lists_count_once_for_each_list():
    results = analyse(of_lists(3, 30))
    assert results.frame("times").facts["pages"] == 6
    assert results.frame("times-people").columns["seconds"] == (1350, 1371)
    (page,) = results.frame("times-pages").rows
    assert (page["page"], page["n"]) == ("batch", 6)
    (note,) = [each for each in results.notes if "same seconds" in each]
    assert "repeated for 30 items" in note
    assert "--columns batch=COLUMN" in note


def test_lists_of_other_lengths_are_lists_too():
    """Two people, lists of 27, 31 and 33 items."""
    table = Judgments.from_rows(
        rated(f"p{p}", f"i{size}-{n}", "ash", 1 + n % 4, seconds=10.0 * size + p)
        for p in range(2)
        for size in (27, 31, 33)
        for n in range(size)
    )
    results = analyse(table)
    assert results.frame("times").facts["pages"] == 6
    assert results.frame("times-people").columns["seconds"] == (910, 913)
    assert [note for note in results.notes if "repeated for 31 items" in note]


def test_repeated_seconds_are_the_same_where_the_list_is_named():
    named, unnamed = (analyse(of_lists(3, 30, batch=batch)) for batch in (True, False))
    assert named.frame("times-people") == unnamed.frame("times-people")
    assert not [each for each in named.notes if "same seconds" in each]


def test_seconds_of_single_judgments_may_coincide():
    """Whole seconds repeat, but not for the same number of items each time."""
    results = analyse(of_lists(3, 30, wobble=1))
    assert results.frame("times").facts["pages"] == 180
    assert not [each for each in results.notes if "same seconds" in each]


def test_tasks_that_share_the_time_of_their_list_are_not_called_whole_batches():
    """A page without a script tells nothing of single tasks: each gets its share of 300 seconds."""
    rows = [
        rated(who, f"i{n}", "ash", 1, task=f"t{n}", batch="b1", seconds=300 / 32)
        for who in ("p1", "p2")
        for n in range(32)
    ]
    page = analyse(Judgments.from_rows(rows)).frame("times-pages").rows[0]
    assert (page["page"], page["n"], page["median"]) == ("task", 64, 300 / 32)


def test_bins_count_every_time_once_however_many_there_are():
    """95 % lie up to 3 seconds: bins of half a second, and one for all longer times."""
    seconds = np.sort(np.concatenate([np.full(5000, 3.0), np.full(200, 59.0), [0.0, 7200.0]]))
    bins = next(
        f for f in page_frames([("task", None, seconds)], level=0.95) if f.name == "times-bins"
    )
    assert sum(bins.columns["n"]) == 5202
    assert {(row["low"], row["high"]): row["n"] for row in bins.rows if row["n"]} == {
        (2.5, 3.0): 5000,
        (0.0, 0.5): 1,
        (3.0, None): 201,
    }


def test_long_times_are_shown_in_minutes_and_written_in_seconds():
    """Lists of 400 and 600 seconds: 6.7 and 10 minutes."""
    rows = [
        rated("p1", f"i{n}", "ash", 1, batch=f"b{n % 2}", seconds=(400.0, 600.0)[n % 2])
        for n in range(10)
    ]
    frame = analyse(Judgments.from_rows(rows)).frame("times-people")
    files, page = frame_file([frame], {}), frame_table(frame, {}, "page")
    assert files.rendering("csv").column("most") == (600,)
    assert page.column("most") == files.rendering("print").column("most") == (10,)
    assert "in minutes" in page.caption
