"""Who took part, in counts, and how long the pages took that they saw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judged_study import PAIRWISE, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.details import Visitor
from rejudge.analysis.results import Results
from rejudge.files.step_files import read, write
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgment, Judgments

COUNTRY = {"id": "country", "prompt": "Where do you live?", "options": ["Wales", "Kenya", "Chile"]}
AGE = {"id": "age", "prompt": "How old are you?", "kind": "number"}
STUDY = small_study(PAIRWISE, site={"exit_questions": [COUNTRY, AGE]})


def judgments(*people: str, seconds=lambda _, place: 10.0 * place):
    return Judgments.from_rows(
        [
            Judgment(
                person, f"i{place}", "meaning", "a", system_a="ash", system_b="beech",
                task=f"t{place}", position=place, seconds=seconds(person, place),
            )
            for person in people
            for place in (1, 2)
        ]
    )  # fmt: skip


def told(table, visitors, kept=None):
    cleaned = exclude_rows(table, ExclusionRules())
    cleaned = cleaned if kept is None else replace(cleaned, kept=kept)
    return analyse(cleaned, study=STUDY, visitors=visitors)


def counts(frame, about):
    rows = [row for row in frame.rows if row["about"] == about]
    return {row["answer"]: (row["participants"], row["participants_kept"]) for row in rows}


def test_answers_are_counted_for_all_and_for_those_who_count():
    """Three came, of whom the last is left out; one said nothing."""
    visitors = [
        Visitor("p1", {"country": "Wales", "age": "31"}, device="phone"),
        Visitor("p2", {}, device="desktop"),
        Visitor("p3", {"country": "Wales"}, device="phone"),
    ]
    profile = told(judgments("p1", "p2", "p3"), visitors, judgments("p1", "p2")).frame("profile")
    assert profile.facts == {"participants": 3, "participants_kept": 2}
    assert counts(profile, "country") == {
        "Wales": (2, 1), "Kenya": (0, 0), "Chile": (0, 0), None: (1, 1),
    }  # fmt: skip
    assert counts(profile, "device") == {"phone": (2, 1), "desktop": (1, 1)}
    first = profile.rows[0]
    assert (first["asked"], first["source"]) == ("Where do you live?", "exit-question")


def test_numbers_and_words_of_ones_own_are_not_counted():
    profile = told(judgments("p1"), [Visitor("p1", {"age": "31"}, language="cy")]).frame("profile")
    assert set(profile.columns["about"]) == {"language"}


def test_who_came_and_judged_nothing_is_not_in_the_profile():
    visitors = [Visitor("p1", device="phone"), Visitor("p9", device="tablet")]
    profile = told(judgments("p1"), visitors).frame("profile")
    assert counts(profile, "device") == {"phone": (1, 1)}


@pytest.mark.parametrize("visitors", [[], [Visitor("p1")], [Visitor("p9", device="phone")]])
def test_without_records_there_is_no_profile(visitors):
    assert not len(told(judgments("p1"), visitors).frame("profile"))


def test_pages_come_in_the_order_in_which_people_meet_them():
    """Consent of 20, 30 and 70 seconds: median 30, mean 40, SD √700."""
    visitors = [
        Visitor(f"p{n}", seconds={"consent": (s,), "practice": (5.0, 6.0), "exit": (9.0,)})
        for n, s in enumerate((20.0, 30.0, 70.0))
    ]
    results = told(judgments("p0", "p1", "p2"), visitors)
    pages = results.frame("times-pages").rows
    assert [(row["page"], row["place"], row["n"]) for row in pages] == [
        ("consent", None, 3),
        ("practice", 1, 3),
        ("practice", 2, 3),
        ("task", None, 6),
        ("task", 1, 3),
        ("task", 2, 3),
        ("exit", None, 3),
    ]
    consent = pages[0]
    assert [consent[name] for name in ("least", "median", "most", "mean")] == [20, 30, 70, 40]
    assert consent["sd"] == pytest.approx(700**0.5)
    shares = [row for row in results.frame("times-shares").rows if row["page"] == "consent"]
    assert [row["seconds"] for row in shares] == [20, 30, 70]
    assert shares[0]["share"] == pytest.approx(1 / 3)


def test_times_of_those_who_do_not_count_are_left_out():
    visitors = [Visitor("p1", seconds={"exit": (5.0,)}), Visitor("p2", seconds={"exit": (500.0,)})]
    results = told(judgments("p1", "p2"), visitors, judgments("p1"))
    assert results.frame("times-pages").rows[-1]["most"] == 5


def test_one_time_for_a_whole_list_is_the_time_of_a_batch():
    table = judgments("p1", "p2", seconds=lambda person, _: {"p1": 100.0, "p2": 300.0}[person])
    (page,) = analyse(replace(table, task=table.batch)).frame("times-pages").rows
    assert (page["page"], page["n"], page["median"]) == ("batch", 2, 200)


def test_arrivals_count_those_who_came_and_consented_though_they_judged_nothing():
    agreed = {"consent": (20.0,)}
    visitors = [Visitor("p1", seconds=agreed), Visitor("p8", seconds=agreed), Visitor("p9")]
    rows = told(judgments("p1"), visitors).frame("arrivals").rows
    assert {row["step"]: row["people"] for row in rows} == {"came": 3, "consented": 2}


def test_a_profile_is_read_as_it_was_written(tmp_path):
    visitors = [Visitor("p1", {"country": "Wales"}, "phone", "cy", {"consent": (3.0,)})]
    results = told(judgments("p1", "p2"), visitors)
    write(results, tmp_path / "results.json", made_from={}, force=False)
    assert read(Results, tmp_path / "results.json") == results
