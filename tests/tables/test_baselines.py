"""Baselines as tables and sentences."""

from __future__ import annotations

from dataclasses import replace

from rejudge.analysis.results import ClaimOutcome
from rejudge.findings.model import Finding, Key, Tally
from rejudge.layout.latex import to_latex
from rejudge.layout.table import to_csv
from rejudge.simulate.baseline_checks import BaselineCheck
from rejudge.simulate.baselines import (
    AGREES,
    AGREES_DECIDED,
    IN_ORDER,
    SUPPORTED_IN_ORDER,
    BaselineRun,
    Baselines,
    RuledQuestion,
)
from rejudge.stats import Interval
from rejudge.tables.baselines import baseline_sentences, baseline_tables

LABELS = {"ash": "Ash & Co", "beech": "Beech"}
RULED = RuledQuestion("meaning", ("longer-wins",), decided=95.0)


def score(system, value, interval=None) -> Finding:
    key = Key("meaning", "best-worst-score", "wins", (system,))
    return Finding(key, "wins", value, 40, "judgments", "", interval)


def comparison(by, value, n, **parts: object) -> Finding:
    return Finding(Key("meaning", "agreement", by), by, value, n, "judgments", "", **parts)


def compared(kept: int = 1) -> tuple[Finding, ...]:
    order = Tally(kept, 1 - kept, 0)
    return (
        comparison(AGREES, 71.25, 80, interval=Interval(60.0, 82.5, 0.95)),
        comparison(AGREES_DECIDED, 73.0, 76),
        comparison(IN_ORDER, 100.0 * kept, 1, tally=order),
        comparison(SUPPORTED_IN_ORDER, 100.0 * kept, 1, tally=order),
    )


def verdict(word):
    return (ClaimOutcome("best", "ash best on meaning", word, ""),)


def run(name="longer", claim="supported", *, is_passed=True, kept=1) -> BaselineRun:
    check = BaselineCheck("check", "gold", 12 if is_passed else 6, 12, "answer", is_passed)
    found = (score("ash", 40.0), score("beech", -40.0), *compared(kept))
    return BaselineRun(
        name, ("longer-wins",), (RULED,), found, verdict(claim), (check,), participants=6, kept=6
    )


def baselines(*runs: BaselineRun, **parts: object) -> Baselines:
    scores = (
        score("ash", 30.0, Interval(10, 50, 0.95)), score("beech", -30.0, Interval(-50, -10, 0.95))
    )  # fmt: skip
    fixed = Baselines(
        runs=runs or (run(),), findings=scores, claims=verdict("supported"), judgments=80,
        participants=6, is_simulated=False, is_declared=True, study="s", plan="p", judged="j",
        seed=1, level=0.95, version="1",
    )  # fmt: skip
    return replace(fixed, **parts)  # type: ignore[arg-type]  # of baselines


def table(name, found):
    return next(each for each in baseline_tables(found, LABELS) if each.name == name)


def test_the_first_table_has_every_number_with_its_n_and_interval():
    head, row = to_csv(table("baselines", baselines())).splitlines()
    cells = dict(
        zip(head.replace('"', "").replace(", percent", "").split(","), row.split(","), strict=True)
    )
    assert (cells["decided"], cells["agreement"], cells["n"]) == ("95.0", "71.25", "80")
    assert (cells["low"], cells["high"]) == ("60.0", "82.5")
    assert (cells["pairs in order"], cells["supported"]) == ("1", "1")


def test_captions_say_n_method_and_level():
    caption = table("baselines", baselines()).caption
    assert "80 rows by 6 participants" in caption
    assert "95 % intervals account for clustering" in caption.replace("\u202f", " ")
    assert "20 draws" in caption


def test_before_data_collection_empty_columns_are_left_out():
    bare = replace(run(), findings=run().findings[:2], claims=())
    found = baselines(bare, findings=(), claims=(), judged=None, judgments=0, participants=0)
    shown = table("baselines", found)
    assert [column.name for column in shown.columns] == [
        "question", "baseline", "rules", "decided, percent"
    ]  # fmt: skip
    assert "No judgments have been collected yet" in shown.caption


def test_scores_are_a_grid_in_papers_and_a_list_in_files():
    shown = table("baseline-scores", baselines())
    assert len(to_csv(shown).splitlines()) == 1 + 4
    grid = shown.rendering("print")
    assert [column.name for column in grid.columns] == ["question", "by", "Ash & Co", "Beech"]
    assert grid.rows[0][2] == "30.0 [10.0, 50.0]"
    assert r"Ash \& Co" in to_latex(shown)


def test_checks_are_told_by_baseline():
    found = baselines(run(), run("first", is_passed=False))
    grid = table("baseline-checks", found).rendering("print")
    assert grid.rows == (("longer", "passes"), ("first", "6 of 12"))
    enough = BaselineCheck("qualification", "qualification", 8, 10, "answer", True)
    grid = table("baseline-checks", baselines(replace(run(), checks=(enough,)))).rendering("print")
    assert grid.rows == (("longer", "8 of 10, enough"),)


def test_claims_stand_beside_those_of_participants():
    rows = table("baseline-claims", baselines(run(), run("first", "opposite-direction"))).rows
    assert rows == (
        ("ash best on meaning", "supported", "supported", "opposite direction, not supported"),
    )


def test_sentences_name_the_nearest_baseline_its_claims_and_the_checks_it_passes():
    far = run("first", "opposite-direction", is_passed=False, kept=0)
    said = list(baseline_sentences(baselines(far, run())))
    assert said[0].replace("\u202f", " ") == (
        "On meaning, the baseline 'longer' puts the two systems in the order of "
        "participants and agrees with 71.3 % of their judgments (95 % interval 60.0 to 82.5)."
    )
    assert said[1] == "The claim “ash best on meaning” is also supported when 'longer' answers."
    assert said[2] == "1 baseline of 2 passes every check: 'longer'."


def test_sentences_where_nothing_comes_out():
    far = run("first", "opposite-direction", is_passed=False, kept=0)
    said = list(baseline_sentences(baselines(far)))
    assert said == [
        "On meaning, no baseline puts any two systems in the order of participants.",
        "Every baseline fails at least one check of the study.",
    ]
    bare = replace(far, checks=())
    assert "no checks" in list(baseline_sentences(baselines(bare)))[-1]
