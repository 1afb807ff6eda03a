"""Labels without order: the share of each label and differences of shares, but no mean."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from judged_study import RATING, analysed, by_id, of_rows, scored, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further, FurtherTest
from rejudge.analysis.derived_scores import DerivedFormula
from rejudge.analysis.partial_analysis import altered_findings
from rejudge.cli import main
from rejudge.cli.results import render_results
from rejudge.errors import UsageError
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgments
from rejudge.report.blocks import to_html
from rejudge.stats import adjusted_difference, mean_by_system
from rejudge.study.score_formula import ScoreFormula
from rejudge.tables.findings import Scope, finding_table
from reported import report_of_rows, tables_of, words_of

LABELS = {1: "helpful", 2: "refusal", 3: "nonsense"}
KIND = {**RATING, "points": 3, "measured": "nominal", "labels": LABELS}
_NEEDS_ORDER = {
    "mean", "mean-difference", "median-difference", "latent-difference", "test", "order-effect"
}  # fmt: skip


def label_of(person, item, system):
    """ash is mostly helpful, beech mostly nonsense, with some variation."""
    turned = (person * 5 + item * 3) % 7
    if system == "ash":
        return 1 if turned < 5 else 2
    return 3 if turned < 4 else 1 + turned % 2


ROWS = [
    scored(f"p{p}", f"i{i}", system, label_of(p, i, system), position=i)
    for p in range(6)
    for i in range(8)
    for system in ("ash", "beech")
]


def test_shares_of_labels_by_hand():
    """ash got helpful 1 of 2 times and refusal 1 of 2 times, beech nonsense twice."""
    rows = [
        scored("p1", "i0", "ash", 1),
        scored("p2", "i0", "ash", 2),
        scored("p1", "i0", "beech", 3),
        scored("p2", "i0", "beech", 3),
    ]
    found = by_id(of_rows(small_study(KIND), rows))
    names = ("helpful.ash", "refusal.ash", "nonsense.beech")
    shares = {name: found[f"fluency.share.{name}"].value for name in names}
    assert shares == {"helpful.ash": 50, "refusal.ash": 50, "nonsense.beech": 100}
    assert found["fluency.share.nonsense.ash"].category == "nonsense"
    assert found["fluency.cluster-robust.nonsense.ash.beech"].value == pytest.approx(-100)


def test_shares_and_their_differences_are_clustered_means_of_zero_and_one():
    found = by_id(of_rows(small_study(KIND), ROWS))
    value = np.array([100.0 * (row.value == 1) for row in ROWS])
    system = np.array([("ash", "beech").index(row.system) for row in ROWS])
    clusters = {
        "item": np.array([int(row.item[1:]) for row in ROWS]),
        "participant": np.array([int(row.participant[1:]) for row in ROWS]),
    }
    share = mean_by_system(value, system, **clusters, systems=2, bounds=(0, 100))[0]
    apart = adjusted_difference(value, system, (0, 1), **clusters)
    assert found["fluency.share.helpful.ash"].interval == share.interval
    difference = found["fluency.cluster-robust.helpful.ash.beech"]
    assert (difference.value, difference.interval, difference.p) == (
        apart.value, apart.interval, apart.p,
    )  # fmt: skip
    assert difference.p_adjusted >= difference.p


def test_nothing_that_needs_an_order_is_computed_of_labels():
    groups = {"groups": ["dataset"], "cases": [{"id": "averaged", "multiple": "mean"}]}
    results = of_rows(small_study(KIND, analysis={**groups, "agreement": ["percent", "icc"]}), ROWS)
    assert not {f.measure for f in results.select()} & (_NEEDS_ORDER - {"order-effect"})
    assert "score-by-position" not in {f.by for f in results.findings}
    assert [f.value for f in results.select("fluency", "agreement", "icc")] == [None]
    assert results.precision == ()
    assert results.frame("reliability", "fluency").rows == ()
    assert [results.select(case=case.id) for case in results.cases] == [()]
    assert [f.value for f in results.of_column("dataset")] == [None, None]


def test_a_test_that_was_planned_on_labels_is_listed_without_a_result():
    tests = [{"question": "fluency", "test": name} for name in ("mixed-model", "cluster-robust")]
    results = of_rows(small_study(KIND, analysis={"tests": tests}), ROWS)
    (model,) = [f for f in results.findings if f.by == "mixed-model"]
    assert (model.value, model.is_planned) == (None, True)
    assert "no mean" in model.note
    assert all(f.is_planned for f in results.select("fluency", "share-difference"))


def test_of_two_labels_one_difference_is_tested():
    yes_or_no = {**KIND, "points": 2, "lowest": 0, "labels": {0: "no", 1: "yes"}}
    rows = [scored(r.participant, r.item, r.system, int(r.value == 1)) for r in ROWS]
    results = of_rows(small_study(yes_or_no), rows)
    assert {f.category for f in results.select("fluency", "share-difference")} == {"yes"}
    assert {f.category for f in results.select("fluency", "share")} == {"no", "yes"}


def test_labels_of_the_same_word_are_told_apart_by_their_numbers():
    alike = {**KIND, "labels": {1: "other", 2: "refusal", 3: "other"}}
    study = small_study(alike)
    results = of_rows(study, ROWS)
    assert [f.category for f in results.select("fluency", "share") if f.systems == ("ash",)] == [
        "other (1)",
        "refusal",
        "other (3)",
    ]
    table = Judgments.from_rows(ROWS, systems=study.system_ids)
    assert altered_findings(results, study, table) == ()


def test_a_claim_about_labels_is_not_testable():
    claims = [{"id": "c", "says": "ash best on fluency"}]
    (claim,) = of_rows(small_study(KIND, claims=claims), ROWS).claims
    assert claim.verdict == "not-testable"
    assert "no score" in claim.because


def test_the_page_tells_shares_and_no_mean():
    page = words_of(to_html(report := report_of_rows(small_study(KIND), ROWS)))
    assert "the most frequent label was helpful for Ash" in page
    assert "mean score" not in page
    assert "a mean of" not in page
    assert "nonsense" in str(tables_of(report))


def test_labels_of_a_file_are_named_on_screen_in_files_and_in_tables(tmp_path):
    lines = ["participant,item,system,value"]
    lines += [f"{r.participant},{r.item},{r.system},{LABELS[int(r.value)]}" for r in ROWS]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    out = tmp_path / "out"
    words = ("--labels", "helpful=1,refusal=2,nonsense=3", "--level", "nominal", "--out", str(out))
    result = CliRunner().invoke(main, ["analyse", str(path), *words])
    assert result.exit_code == 0
    assert re.search(r"helpful +ash – beech", result.stdout)
    assert "difference of means" not in result.stdout
    found = json.loads((out / "results.json").read_bytes())["content"]["findings"]
    assert not {each["key"]["measure"] for each in found} & _NEEDS_ORDER
    table = (out / "report/tables/systems.csv").read_text("utf-8")
    assert table.startswith("question,label,system,measure,value")
    assert "nonsense,beech,share" in table


def test_tests_and_derived_scores_of_labels_in_a_table_are_not_computed():
    table = Judgments.from_rows(ROWS)
    asked = Further(tests=(FurtherTest("paired-t", "item"),))
    found = analyse(table, level="nominal", further=asked).select("fluency", "test", "paired-t")
    assert [each.value for each in found] == [None]
    formula = DerivedFormula("twice", ScoreFormula.parse("2 * fluency"))
    with pytest.raises(UsageError, match="no order"):
        analyse(table, level="nominal", derived=[formula])


def test_a_simulated_study_of_labels_has_shares_of_every_label():
    results = analysed(small_study(KIND))
    by_system = {}
    for each in results.select("fluency", "share"):
        by_system[each.systems[0]] = by_system.get(each.systems[0], 0.0) + each.value
    assert by_system == pytest.approx({"ash": 100, "beech": 100, "cedar": 100})


def test_a_model_of_labels_is_refused(tmp_path):
    path = tmp_path / "labels.csv"
    lines = [f"{r.participant},{r.item},{r.system},{r.value}" for r in ROWS]
    path.write_text("\n".join(["participant,item,system,value", *lines]) + "\n", "utf-8")
    words = ("--model", "value ~ system + (1 | item)", "--level", "nominal")
    result = CliRunner().invoke(main, ["analyse", str(path), *words])
    assert result.exit_code == 2
    assert "labels without order have no mean" in " ".join(result.output.split())


def test_labels_are_left_out_of_cases_that_are_means():
    cases = [{"id": "averaged", "multiple": "mean"}, {"id": "all", "multiple": "each"}]
    results = of_rows(small_study(KIND, analysis={"cases": cases}), ROWS)
    by_case = {
        case.id: {f.measure for f in results.select(case=case.id) if f.value}
        for case in results.cases
    }
    assert by_case == {"averaged": set(), "all": {"share", "share-difference"}}
    assert (
        "The labels of fluency have no order and so no mean, median or majority: they are left out "
        "of the cases averaged."
    ) in results.notes
    shown = finding_table(results, "systems", "csv", {}, Scope(by_case=True))
    assert set(shown.column("case")) == {"all"}


def test_a_system_that_has_a_label_more_often_is_not_called_better():
    """Without p6 to p9, who say the opposite, ash is helpful more often."""
    others = [
        scored(f"p{p}", f"i{i}", system, 4 - label_of(p, i, system))
        for p in range(6, 10)
        for i in range(8)
        for system in ("ash", "beech")
    ]
    rules = ExclusionRules(participants=tuple(f"p{p}" for p in range(6, 10)))
    table = Judgments.from_rows([*ROWS, *others])
    results = analyse(exclude_rows(table, rules), level="nominal")
    assert any(each.finding.startswith("fluency.cluster-robust.1") for each in results.depends)
    console = Console(width=200)
    with console.capture() as caught:
        console.print(*render_results(results, {}))
    said = " ".join(caught.get().split())
    assert "1: ash – beech (with: ash more often; without: open)" in said
    assert "ash better" not in said
