"""The papers that come with rejudge say what their tables print."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from rejudge.errors import UsageError
from rejudge.paper.model import Paper
from rejudge.paper.paper_file import open_shipped, shipped_ids, shipped_text

ORIGINALS = {
    "hosking-2022": {"arvan-2024"},
    "hosking-2021": {"steen-2025", "arvan-2025"},
    "lin-2022": {"ito-2023"},
    "august-2022": {"miltenburg-2024", "miltenburg-2024-second"},
}
REPRODUCTIONS = [name for names in ORIGINALS.values() for name in sorted(names)]


def scores(name: str) -> dict[str, str]:
    (case,) = open_shipped(name).cases
    return {score.system: score.value.text for score in case.scores}


def figures(paper: Paper, measure: str) -> list[str]:
    return [figure.value.text for figure in paper.reproducibility if figure.measure == measure]


def test_all_of_them_are_there():
    assert set(shipped_ids()) == {*ORIGINALS, *REPRODUCTIONS}


@pytest.mark.parametrize("name", shipped_ids())
def test_each_is_sound_and_tells_conditions_and_places(name):
    paper = open_shipped(name)
    assert paper.id == name
    assert len(paper.conditions) >= 20
    for case in paper.cases:
        assert all(score.place for score in case.scores)
        assert all(agreement.place for agreement in case.agreement)
        assert all(test.place for test in case.tests)
    assert all(claim.place for claim in paper.claims)
    assert all(figure.place for figure in paper.reproducibility)


@pytest.mark.parametrize(
    ("original", "name"), [(o, r) for o, names in ORIGINALS.items() for r in sorted(names)]
)
def test_a_reproduction_names_its_original_and_uses_its_names(original, name):
    first, paper = open_shipped(original), open_shipped(name)
    assert paper.reproduces == original
    assert {system.id for system in paper.systems} == {system.id for system in first.systems}
    assert {each.id for each in paper.criteria} <= {each.id for each in first.criteria}
    assert all(deviation.reason and deviation.place for deviation in paper.deviations)
    assert paper.deviations


@pytest.mark.parametrize("name", ORIGINALS)
def test_an_original_has_claims_that_can_be_tested_again(name):
    assert open_shipped(name).claims


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_conditions_that_were_kept_are_called_by_the_same_words(name):
    paper = open_shipped(name)
    first = open_shipped(paper.reproduces)
    shared = first.conditions.keys() & paper.conditions.keys()
    equal = {key for key in shared if first.conditions[key] == paper.conditions[key]}
    assert "system-outputs" in equal
    assert "language" in equal
    assert "analysis" in shared - equal


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("hosking-2022", "vae 36, latent-bow -16, separator -24, hrq-vae 4"),
        ("arvan-2024", "vae 37.04, latent-bow -14.52, separator -29.78, hrq-vae 7.26"),
        ("hosking-2021", "vae 0.58, separator -0.06, lbow -0.12, dips -0.39"),
        ("steen-2025", "vae 0.57, separator -0.03, lbow -0.09, dips -0.46"),
        ("august-2022", "svm 3.71, gedi 3.20, dexpert 2.33"),
        ("miltenburg-2024", "svm 3.12, gedi 2.57, dexpert 2.28"),
        ("miltenburg-2024-second", "svm 3.62, gedi 3.23, dexpert 2.27"),
    ],
)
def test_scores_are_those_of_the_tables(name, printed):
    assert ", ".join(f"{system} {value}" for system, value in scores(name).items()) == printed


def test_preferences_of_a_zero_sum_add_up_to_zero():
    for name in ("hosking-2022", "arvan-2024", "hosking-2021", "steen-2025", "arvan-2025"):
        (case,) = open_shipped(name).cases
        slack = sum(score.value.half_unit for score in case.scores)
        assert abs(sum(score.value.value for score in case.scores)) <= slack + 1e-9, name


def test_counts_behind_the_second_reproduction_give_its_scores():
    won = {"vae": 1413, "separator": 913, "lbow": 779, "dips": 495}
    for system, value in scores("arvan-2025").items():
        assert float(value) == pytest.approx(100 * (2 * won[system] - 1800) / 1800)


def test_reproducibility_figures_are_printed_as_they_are():
    assert figures(open_shipped("arvan-2024"), "cv-star") == ["0.76", "1.74", "7.88", "3.08"]
    assert figures(open_shipped("steen-2025"), "cv-star") == ["0.49", "3.47", "3.83", "12.14"]
    assert figures(open_shipped("miltenburg-2024"), "cv-star") == ["17.225", "21.772", "2.163"]
    ito = open_shipped("ito-2023")
    assert figures(ito, "pearson") == ["0.90", "0.89", "0.90", "0.90"]
    assert figures(ito, "matching-accuracy") == ["0.75", "0.69", "0.56", "0.62"]
    assert figures(ito, "significance-f1") == ["0.25", "0.29", "0.25", "0.25"]


def test_p_values_stand_as_printed_also_where_they_cannot_be():
    found = {
        name: [figure.p.text for figure in open_shipped(name).reproducibility if figure.p]
        for name in ("arvan-2024", "steen-2025", "miltenburg-2024")
    }
    assert found == {
        "arvan-2024": ["0.01", "0.00"],
        "steen-2025": ["< 0.05", "< 0.05"],
        "miltenburg-2024": ["0.208", "0.00"],
    }


def test_significance_is_what_the_stars_say():
    lin = open_shipped("lin-2022").cases[0]
    starred = {(t.criterion, t.systems[0]) for t in lin.tests if t.is_significant}
    assert starred == {
        ("non-red-agent", "pgn-both"),
        ("overall-agent", "pgn-both"),
        ("info-user", "bert-both"),
        ("info-agent", "bert-both"),
    }
    ito = open_shipped("ito-2023")
    assert [sum(bool(t.is_significant) for t in case.tests) for case in ito.cases] == [4, 3, 4, 4]
    assert all(len(case.tests) == 16 for case in (lin, *ito.cases))


def test_dialogue_summaries_are_scored_as_in_the_table(published):
    folder, _ = published("lin2022_ito2023_printed")
    rows = list(csv.DictReader((folder / "table1.csv").read_text("utf-8").splitlines()))
    cases = {"original": open_shipped("lin-2022").cases[0]}
    cases |= {case.id.replace("-", ""): case for case in open_shipped("ito-2023").cases}
    printed = {
        (study, score.criterion, score.system): score.value.value
        for study, case in cases.items()
        for score in case.scores
    }
    assert len(printed) == len(rows) == 160
    for row in rows:
        criterion = f"{row['criterion'].lower()}-{row['role']}"
        assert printed[row["study"], criterion, row["system"].lower()] == float(row["value"])


def test_claims_out_of_the_scope_of_the_reproduction_are_there_too():
    claims = Counter(claim.question for claim in open_shipped("hosking-2022").claims)
    assert claims == {"meaning": 2, "dissimilarity": 2, "fluency": 1}


def test_a_misspelt_name_comes_with_the_nearest():
    with pytest.raises(UsageError, match="Did you mean 'steen-2025'"):
        open_shipped("sten-2025")
    with pytest.raises(UsageError, match="arvan-2024"):
        shipped_text("../model")
