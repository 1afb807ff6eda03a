"""Who took part, in counts, and how long the pages of their way took."""

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


def counts(part):
    return {each.answer: (each.participants, each.participants_kept) for each in part.counts}


def test_answers_are_counted_for_all_and_for_those_who_count():
    """Three came, of whom the last is left out; one said nothing."""
    visitors = [
        Visitor("p1", {"country": "Wales", "age": "31"}, device="phone"),
        Visitor("p2", {}, device="desktop"),
        Visitor("p3", {"country": "Wales"}, device="phone"),
    ]
    profile = told(judgments("p1", "p2", "p3"), visitors, judgments("p1", "p2")).profile
    assert (profile.participants, profile.participants_kept) == (3, 2)
    country, device = profile.parts
    assert counts(country) == {"Wales": (2, 1), "Kenya": (0, 0), "Chile": (0, 0)}
    assert (country.prompt, country.source) == ("Where do you live?", "exit-question")
    assert (country.silent, country.silent_kept) == (1, 1)
    assert counts(device) == {"phone": (2, 1), "desktop": (1, 1)}


def test_numbers_and_words_of_ones_own_are_not_counted():
    profile = told(judgments("p1"), [Visitor("p1", {"age": "31"}, language="cy")]).profile
    assert [part.id for part in profile.parts] == ["language"]


def test_who_came_and_judged_nothing_is_not_in_the_profile():
    visitors = [Visitor("p1", device="phone"), Visitor("p9", device="tablet")]
    (device,) = told(judgments("p1"), visitors).profile.parts
    assert counts(device) == {"phone": (1, 1)}


@pytest.mark.parametrize("visitors", [[], [Visitor("p1")], [Visitor("p9", device="phone")]])
def test_without_records_there_is_no_profile(visitors):
    assert told(judgments("p1"), visitors).profile is None


def test_pages_come_in_the_order_of_the_way():
    """Consent of 20, 30 and 70 seconds: median 30, mean 40, SD √700."""
    visitors = [
        Visitor(f"p{n}", seconds={"consent": (s,), "practice": (5.0, 6.0), "exit": (9.0,)})
        for n, s in enumerate((20.0, 30.0, 70.0))
    ]
    way = told(judgments("p0", "p1", "p2"), visitors).navigation
    assert [(page.page, page.place, page.n) for page in way.pages] == [
        ("consent", None, 3),
        ("practice", 1, 3),
        ("practice", 2, 3),
        ("task", None, 6),
        ("task", 1, 3),
        ("task", 2, 3),
        ("exit", None, 3),
    ]
    consent = way.pages[0]
    assert (consent.least, consent.median, consent.most, consent.mean) == (20, 30, 70, 40)
    assert consent.sd == pytest.approx(700**0.5)
    assert [point.seconds for point in consent.shares] == [20, 30, 70]
    assert consent.shares[0].share == pytest.approx(1 / 3)


def test_times_of_those_who_do_not_count_are_left_out():
    visitors = [Visitor("p1", seconds={"exit": (5.0,)}), Visitor("p2", seconds={"exit": (500.0,)})]
    way = told(judgments("p1", "p2"), visitors, judgments("p1")).navigation
    assert way.pages[-1].most == 5


def test_one_time_for_a_whole_list_is_the_time_of_a_batch():
    table = judgments("p1", "p2", seconds=lambda person, _: {"p1": 100.0, "p2": 300.0}[person])
    way = analyse(replace(table, task=table.batch)).navigation
    assert [(page.page, page.n, page.median) for page in way.pages] == [("batch", 2, 200)]


def test_the_way_tells_how_many_came_and_consented_though_they_judged_nothing():
    agreed = {"consent": (20.0,)}
    visitors = [Visitor("p1", seconds=agreed), Visitor("p8", seconds=agreed), Visitor("p9")]
    way = told(judgments("p1"), visitors).navigation
    assert (way.came, way.consented) == (3, 2)


def test_without_times_there_is_no_way():
    table = judgments("p1", "p2", seconds=lambda *_: None)
    assert analyse(table).navigation is None


def test_a_profile_is_read_as_it_was_written(tmp_path):
    visitors = [Visitor("p1", {"country": "Wales"}, "phone", "cy", {"consent": (3.0,)})]
    results = told(judgments("p1", "p2"), visitors)
    write(results, tmp_path / "results.json", made_from={}, force=False)
    assert read(Results, tmp_path / "results.json") == results
