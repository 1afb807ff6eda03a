"""One test decides between two systems, a second checks it, and both say whom they speak for."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console
from scipy.stats import ttest_1samp

from judged_study import RATING, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further, FurtherTest
from rejudge.analysis.decide import unit_of_few
from rejudge.analysis.evidence import headline_disagreements
from rejudge.cli import main
from rejudge.cli.results import render_results
from rejudge.findings.model import Finding
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.blocks import Listing
from rejudge.report.build import build
from rejudge.report.figures.context import figure_context
from rejudge.report.figures.distributions import scores_picture
from rejudge.report.figures.estimates import standings_picture
from rejudge.report.subject import Subject
from rejudge.tables.results import result_tables


def rated(people: int, items: int, systems: dict[str, object], *, seed: int = 1) -> Judgments:
    """Everybody rates every item; `systems` give the items that each was judged on.

    Items from the middle on are harder by 1.5 points. System C is better than A by 0.3.
    """
    rng = np.random.default_rng(seed)
    easy = np.where(np.arange(items) < items // 2, 0.75, -0.75) + rng.normal(0, 0.3, items)
    strict = rng.normal(0, 0.4, people)
    better = {"A": 0.0, "B": -0.1, "C": 0.3}

    def score(expected: float) -> float:
        return float(np.clip(np.round(expected + rng.normal(0, 0.8)), 1, 5))

    return Judgments.from_rows(
        Judgment(
            f"p{p}",
            f"i{i}",
            "quality",
            float(
                np.clip(np.round(3 + easy[i] + strict[p] + better[s] + rng.normal(0, 0.8)), 1, 5)
            ),
            system=s,
        )
        for p in range(people)
        for s, judged in systems.items()
        for i in judged
    )


def by_role(results, role: str) -> dict[tuple[str, ...], Finding]:
    return {f.systems: f for f in results.findings if f.role == role}


def on_screen(results) -> str:
    screen = Console(file=io.StringIO(), width=200)
    for part in render_results(results, {}):
        screen.print(part)
    return screen.file.getvalue()


EVERY = range(20)
HARD = range(10, 20)
EASY = range(10)


@pytest.fixture(scope="module")
def unequal():
    """C was judged on the harder half alone."""
    return analyse(rated(12, 20, {"A": EVERY, "B": EVERY, "C": HARD}))


def test_a_system_that_had_the_harder_items_is_not_called_worse(unequal):
    means = {f.systems[0]: f.value for f in unequal.select("quality", "mean")}
    assert means["A"] > means["C"] + 0.3  # the trap
    headline, check = (by_role(unequal, role)["A", "C"] for role in ("headline", "check"))
    assert (headline.by, check.by) == ("mixed-model", "cluster-robust")
    assert headline.value < 0
    assert check.value < 0
    assert headline.interval.low < -0.3 < headline.interval.high


def test_the_headline_equals_a_regression_with_dummies_of_items_and_participants(unequal):
    """Of the check: ordinary least squares over the rows of the two systems."""
    table = rated(12, 20, {"A": EVERY, "B": EVERY, "C": HARD})
    names = np.array(table.system.labels)[table.system.codes]
    rows = np.isin(names, ("A", "C"))
    item, person = table.item.codes[rows], table.participant.codes[rows]
    columns = [
        names[rows] == "A",
        *(item == i for i in range(20)),
        *(person == p for p in range(12)),
    ]
    design = np.column_stack(columns).astype(float)
    slope = np.linalg.lstsq(design, table.value[rows], rcond=None)[0][0]
    assert by_role(unequal, "check")["A", "C"].value == pytest.approx(slope, abs=1e-7)


def test_means_over_different_items_are_not_ranked(unequal):
    assert not any(f.is_comparable for f in unequal.select("quality", "mean"))
    report = build(Subject(unequal, "unequal"), pictures=())
    assert "different items or by different people" in report.answer[0]
    assert "highest" not in " ".join(report.answer)
    assert "do not show which is better" in on_screen(unequal)


def test_the_first_figure_shows_differences_where_means_cannot_be_ranked(unequal):
    assert build(Subject(unequal, "unequal")).figure.id == "figure-quality-pairs"
    equal = analyse(rated(6, 8, {"A": range(8), "B": range(8)}))
    assert build(Subject(equal, "equal")).figure.id == "figure-quality-systems"


def test_coverage_is_shown(unequal):
    rows = unequal.frame("coverage-pairs", "quality").rows
    pair = next(row for row in rows if {row["first"], row["second"]} == {"A", "C"})
    assert (pair["shared_items"], pair["shared_participants"]) == (10, 12)
    assert pair["information_share"] == pytest.approx(0.75)
    table = next(each for each in result_tables(unequal) if each.name == "coverage-pairs")
    assert ("A", "C") in zip(table.column("first"), table.column("second"), strict=True)


def test_even_coverage_says_nothing_of_it():
    results = analyse(rated(6, 8, {"A": range(8), "B": range(8)}))
    assert all(f.is_comparable for f in results.findings)
    assert "coverage" not in " ".join(f.method for f in results.findings)
    assert "shared by two systems" not in on_screen(results)
    assert results.frame("coverage", "quality").facts["is_even"]


def test_systems_without_shared_items_are_not_compared():
    table = rated(8, 20, {"A": EASY, "C": HARD})
    results = analyse(table)
    assert all(f.value is None for f in results.findings if len(f.systems) == 2 and f.role)
    assert "items_dealt_at_random" in on_screen(results)
    report = build(Subject(results, "apart"), pictures=())
    assert "No two of them could be compared" in report.answer[1]


def test_systems_without_shared_items_are_compared_if_chance_dealt_them():
    table = rated(8, 20, {"A": range(0, 20, 2), "C": range(1, 20, 2)})
    results = analyse(table, further=Further(items_dealt_at_random=True))
    check = by_role(results, "check")["A", "C"]
    names = np.array(table.system.labels)[table.system.codes]
    means = [table.value[names == system].mean() for system in "AC"]
    assert check.value == pytest.approx(means[0] - means[1])
    assert by_role(results, "headline")["A", "C"].p is not None
    assert results.signature.options["items-dealt-at-random"] == ("yes",)


def test_systems_linked_by_a_third_are_compared_by_the_model_alone():
    systems = {"A": range(15), "B": range(5, 20), "C": range(15, 20)}
    results = analyse(rated(8, 20, systems))
    assert by_role(results, "headline")["A", "C"].value is not None
    assert by_role(results, "check")["A", "C"].value is None


@pytest.mark.parametrize(
    ("people", "items", "test", "population"),
    [
        (12, 20, "mixed-model", "items and participants"),
        (4, 20, "paired-t", "items"),
        (12, 4, "paired-t", "participants"),
        (1, 20, "paired-t", "items"),
        (2, 2, "paired-t", "items"),
    ],
)
def test_the_headline_follows_from_the_numbers_of_participants_and_items(
    people, items, test, population
):
    results = analyse(rated(people, items, {"A": range(items), "B": range(items)}))
    (headline,) = by_role(results, "headline").values()
    assert (headline.by, headline.population) == (test, population)
    (check,) = by_role(results, "check").values()
    assert check.population == "items and participants"


def test_few_participants_have_their_own_differences():
    table = rated(3, 12, {"A": range(12), "B": range(12)})
    own = analyse(table).frame("own-differences", "quality").columns
    assert own["participant"] == ("p0", "p1", "p2")
    (headline,) = by_role(analyse(table), "headline").values()
    assert headline.value == pytest.approx(np.mean(own["value"]))
    five = analyse(rated(5, 12, {"A": range(12), "B": range(12)}))
    assert "own-differences" not in {frame.name for frame in five.frames}


def test_the_first_planned_test_is_the_headline():
    tests = [{"question": RATING["id"], "test": t} for t in ("welch", "cluster-robust")]
    study = small_study(RATING, analysis={"tests": tests})
    systems = study.system_ids
    rng = np.random.default_rng(2)
    table = Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", RATING["id"], float(rng.integers(1, 6)), system=s)
        for p in range(6)
        for i in range(8)
        for s in systems
    )
    results = analyse(table, study=study)
    headlines = by_role(results, "headline")
    assert {f.by for f in headlines.values()} == {"welch"}
    assert {f.population for f in headlines.values()} == {"judgments"}
    assert all(f.is_planned for f in headlines.values())


def test_a_test_that_somebody_asks_for_does_not_become_the_headline():
    table = rated(8, 10, {"A": range(10), "B": range(10)})
    results = analyse(table, further=Further(tests=(FurtherTest("t-test"),)))
    assert {f.by for f in by_role(results, "headline").values()} == {"mixed-model"}
    assert "t-test" in {f.by for f in by_role(results, "further").values()}


def test_a_usual_test_in_one_direction_takes_the_place_of_the_two_sided_one():
    table = rated(8, 10, {"A": range(10), "B": range(10), "C": range(10)})
    further = Further(tests=(FurtherTest("mixed-model", alternative="greater"),))
    headlines = [f for f in analyse(table, further=further).findings if f.role == "headline"]
    assert len(headlines) == 3
    assert {f.alternative for f in headlines} == {"greater"}


def test_headline_and_check_that_disagree_are_named(unequal):
    headline = by_role(unequal, "headline")["A", "B"]
    findings = tuple(
        replace(
            f, is_supported=f.role == "headline", p_adjusted=0.03 if f.role == "headline" else 0.2
        )
        if f.role in {"headline", "check"} and f.systems == headline.systems
        else f
        for f in unequal.findings
    )
    results = replace(unequal, findings=findings)
    (found,) = [
        d for d in headline_disagreements(findings) if d.headline.systems == headline.systems
    ]
    assert found.check.by == "cluster-robust"
    text = on_screen(results)
    assert "the headline and its check disagree" in text
    assert "for new items and new participants" in text


def test_every_test_says_whom_it_speaks_for(unequal):
    tested = [f for f in unequal.findings if f.role]
    assert tested
    assert all(f.population for f in tested)
    assert "for new items and new participants" in on_screen(unequal)


def test_roles_are_given_once_for_each_pair(unequal):
    for role in ("headline", "check"):
        found = [f for f in unequal.findings if f.role == role]
        assert sorted(f.systems for f in found) == [("A", "B"), ("A", "C"), ("B", "C")]


@pytest.mark.parametrize(
    ("items", "participants", "unit"),
    [(5, 5, None), (5, 4, "item"), (4, 5, "participant"), (1, 1, "item"), (100, 100, None)],
)
def test_the_unit_where_items_or_participants_are_few(items, participants, unit):
    assert unit_of_few(items, participants) == unit


def outputs(people: int = 8, inputs: int = 10) -> Judgments:
    """Each item is one output of one system; its name says for which input."""
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 0.8, inputs)
    return Judgments.from_rows(
        Judgment(f"p{p}", f"{s}-{i}", "quality", 3 + hard[i] + k + rng.normal(0, 0.5), system=s)
        for p in range(people)
        for i in range(inputs)
        for k, s in enumerate("AB")
    )


def test_items_that_are_outputs_are_noticed():
    results = analyse(outputs())
    assert any("--inputs" in note for note in results.notes)
    assert all(f.value is None for f in by_role(results, "headline").values())


def test_systems_are_compared_on_the_same_inputs():
    table = outputs()
    results = analyse(table, inputs={item: item.split("-")[1] for item in table.item.labels})
    assert not any("--inputs" in note for note in results.notes)
    headline = by_role(results, "headline")["A", "B"]
    assert headline.interval.low < -1 < headline.interval.high
    assert headline.items == 10


def test_a_column_of_inputs_is_read_from_the_file(tmp_path):
    path = tmp_path / "outputs.csv"
    lines = [
        f"p{p},{s}{i},{s},t{i},{1 + (p + i + k) % 5}"
        for p in range(6)
        for i in range(6)
        for k, s in enumerate("AB")
    ]
    path.write_text("\n".join(["participant,item,system,term,score", *lines, ""]), "utf-8")
    run = CliRunner().invoke(main, ["analyse", str(path), "--inputs", "term"])
    assert run.exit_code == 0, run.output
    assert "inputs term" in run.output
    assert "undefined" not in run.output
    refused = CliRunner().invoke(main, ["analyse", str(path), "--inputs", "participant"])
    assert refused.exit_code == 2
    assert "has two inputs" in refused.output


def unevenly_judged(units: int, *, few: str) -> Judgments:
    """Two systems that are equally good.

    Of every fourth unit everybody judges both; of the others the lenient (or easy) half has A and
    the strict (or hard) half B. `few`: "participants" or "items", of which there are four.
    """
    rng = np.random.default_rng(8)
    offset = (1.0, 0.8, -0.8, -1.0)
    rows = []
    for unit in range(units):
        for other in range(4):
            for k, s in enumerate("AB"):
                if unit % 4 == 0 or (other >= 2) == bool(k):
                    who, what = (other, unit) if few == "participants" else (unit, other)
                    score = round(3 + offset[other] + rng.normal(0, 0.6))
                    rows.append(Judgment(f"p{who}", f"i{what}", "quality", score, system=s))
    return Judgments.from_rows(rows)


@pytest.mark.parametrize("few", ["participants", "items"])
def test_the_test_for_few_compares_within_participants_and_items(few):
    """By hand: a difference for each person and item with both, averaged by unit, one-sample t."""
    table = unevenly_judged(24, few=few)
    results = analyse(table)
    means = [f.value for f in results.select("quality", "mean")]
    assert means[0] - means[1] > 0.8  # the trap: A had the lenient people, or the easy items
    headline = by_role(results, "headline")["A", "B"]
    apart = {}
    for row in table.rows():
        apart.setdefault((row.participant, row.item), {})[row.system] = row.value
    by_unit = {}
    for (person, item), scores in apart.items():
        if len(scores) == 2:
            unit = item if few == "participants" else person
            by_unit.setdefault(unit, []).append(scores["A"] - scores["B"])
    differences = np.array([np.mean(each) for each in by_unit.values()])
    expected = ttest_1samp(differences, 0)
    assert headline.value == pytest.approx(differences.mean())
    assert headline.p == pytest.approx(expected.pvalue)
    assert (headline.by, headline.n) == ("paired-t", 6)
    assert not headline.is_supported


def latin_square(deal) -> Judgments:
    """Three people, three systems, 30 items: each output is judged by one person."""
    rng = np.random.default_rng(5)
    return Judgments.from_rows(
        Judgment(
            f"p{p}", f"i{i}", "q", float(np.round(3 + p - 1 + rng.normal(0, 0.6), 2)), system=s
        )
        for i in range(30)
        for s, p in zip("ABC", deal(i), strict=True)
    )


def test_three_people_in_a_latin_square_have_a_headline_by_item():
    """Nobody judged two systems of an item, but each judged every system equally often: how strict
    people are cancels out."""
    table = latin_square(lambda i: [(i + k) % 3 for k in range(3)])
    (found,) = (
        f for f in analyse(table).findings if f.role == "headline" and f.systems == ("A", "B")
    )
    scores = {(row.item, row.system): row.value for row in table.rows()}
    differences = [scores[f"i{i}", "A"] - scores[f"i{i}", "B"] for i in range(30)]
    assert (found.by, found.population) == ("paired-t", "items")
    assert found.value == pytest.approx(np.mean(differences))
    assert found.p == pytest.approx(ttest_1samp(differences, 0).pvalue)
    assert "each participant counting as often for both systems" in found.method


def test_three_people_who_judged_one_system_each_of_an_item_unevenly_are_not_compared_by_item():
    table = latin_square(lambda i: [0, 1, 2] if i % 5 else [2, 0, 1])
    found = next(
        f for f in analyse(table).findings if f.by == "paired-t" and f.systems == ("A", "B")
    )
    assert found.p is None
    assert found.role != "headline"
    assert "nobody judged both systems on the same item" in found.note


@pytest.mark.parametrize("test", ["mixed-model", "ordinal-mixed-model"])
def test_a_model_of_fewer_than_five_items_is_left_out_unless_it_was_planned(test):
    """With 3 items × 40 participants the mixed model rejected 7.3 % without a difference."""
    rng = np.random.default_rng(6)
    table = Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", "q", int(rng.integers(1, 6)), system=s)
        for p in range(12) for i in range(4) for s in "AB"
    )  # fmt: skip
    further = Further(tests=(FurtherTest(test),))
    (found,) = (f for f in analyse(table, further=further).findings if f.by == test)
    assert found.p is None
    assert found.note.startswith("Left out: 4 items cannot show how much items vary")


def test_few_people_who_judged_one_system_each_decide_nothing():
    rng = np.random.default_rng(3)
    results = analyse(
        Judgments.from_rows(
            Judgment(f"p{p}", f"i{i}", "quality", 3 - p // 2 + rng.integers(2), system="AB"[p // 2])
            for p in range(4)
            for i in range(20)
        )
    )
    by_item = next(f for f in results.findings if f.by == "paired-t")
    assert by_item.value is None
    assert "nobody judged both systems on the same item" in by_item.note
    assert by_role(results, "headline")["A", "B"].by == "cluster-robust"


def test_the_screen_warns_where_few_items_carry_a_comparison():
    results = analyse(rated(6, 20, {"A": range(11), "B": range(9, 20)}))
    assert "A – B: Only 2 items were judged for both systems" in on_screen(results)


def test_figures_and_tables_do_not_rank_means_over_different_items(unequal):
    """A, B and C stay in the order of the study, though A has the highest mean and B the next."""
    means = unequal.select("quality", "mean")
    turned = replace(unequal, findings=tuple(reversed(unequal.findings)))
    context = figure_context(turned, {})
    assert [f.systems for f in context.standings("quality")] == [("C",), ("B",), ("A",)]
    assert max(means, key=lambda f: f.value).systems == ("A",)
    for picture in (standings_picture(context, "quality"), scores_picture(context, "quality")):
        assert "not ranked, since they were judged on different items" in picture.caption
        assert "best" not in picture.caption
    sheet = next(each for each in result_tables(unequal) if each.name == "systems")
    assert "their means do not show which is better" in " ".join(sheet.notes)


def test_means_given_by_people_in_other_proportions_are_not_ranked():
    """Both systems have the same items, but A mostly the lenient people and B the strict ones."""
    results = analyse(unevenly_judged(24, few="participants"))
    assert not any(f.is_comparable for f in results.select("quality", "mean"))


def test_means_given_by_people_who_judged_by_lot_are_ranked():
    rng = np.random.default_rng(6)
    table = Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", "quality", int(rng.integers(1, 6)), system=s)
        for i in range(60)
        for s in "AB"
        for p in rng.choice(20, 2, replace=False)
    )
    assert all(f.is_comparable for f in analyse(table).select("quality", "mean"))


def test_a_comparison_of_means_over_dealt_items_says_on_what_it_rests():
    results = analyse(
        rated(8, 20, {"A": EASY, "B": HARD}), further=Further(items_dealt_at_random=True)
    )
    for role in ("headline", "check"):
        assert (
            "items assumed to be assigned to systems at random"
            in by_role(results, role)["A", "B"].method
        )
    report = build(Subject(results, "dealt"), pictures=())
    listing = next(b for s in report.sections for b in s.blocks if isinstance(b, Listing))
    assert "--items-dealt-at-random --seed" in listing.lines[0]  # a flag has no value


def test_as_many_systems_as_participants_leave_the_model_its_degrees_of_freedom():
    """Shares of seven systems say all about the means of six people; no variance is left.

    It had no information, and took the degrees of freedom of every difference down to 0.00001.
    """
    rng = np.random.default_rng(5)
    table = rated(6, 14, {s: range(14) for s in "ABC"})
    more = [
        replace(row, system=name, value=float(rng.integers(1, 6)))
        for name in "DEFG"
        for row in table.rows()
        if row.system == "A"
    ]
    rows = [row for row in (*table.rows(), *more) if rng.random() > 0.3]
    headlines = by_role(analyse(Judgments.from_rows(rows)), "headline")
    assert {f.by for f in headlines.values()} == {"mixed-model"}
    assert min(f.df for f in headlines.values()) > 9
