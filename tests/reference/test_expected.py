"""Every published figure of the available public studies, through the public interface."""

from __future__ import annotations

import json
import re
from typing import Any

import definition_ratings
import dialogue_summaries
import paraphrase_choices
import pytest
from figures import Cautioned, answered, is_met

STUDIES = {
    "august2022_miltenburg2024": definition_ratings.ENTRIES,
    "hosking2021_arvan2025": paraphrase_choices.ENTRIES,
    "lin2022_ito2023_printed": dialogue_summaries.ENTRIES,
}
PROFILE_LIMITS = re.compile(r"T5\..+\.(lo|hi)")  # of the likelihood: rejudge has no such intervals


def outcomes(published, study: str) -> dict[str, list[Any]]:
    """The figures of a study by how they came out."""
    folder, figures = computed(published, study)
    found: dict[str, list[Any]] = {
        name: [] for name in ("met", "missed", "unknown", "false but met", "caution unheeded")
    }
    for figure in figures.values():
        answer = answered(STUDIES[study], folder, figure["id"])
        if answer is None:
            found["unknown"].append(figure["id"])
        elif not figure["reproducible"]:
            if _agrees(figure, answer):
                found["false but met"].append(figure["id"])
        elif "caution" in figure and not isinstance(answer, Cautioned):
            found["caution unheeded"].append(figure["id"])
        elif isinstance(answer, Cautioned):
            key = "met" if is_met(figure, answer.published) else "missed"
            found[key].append((figure["id"], figure["value"], answer))
        else:
            key = "met" if is_met(figure, answer) else "missed"
            found[key].append((figure["id"], figure["value"], answer))
    return found


def computed(published, study: str):
    """The folder of a study, and those of its figures that rejudge can compute."""
    folder, figures = published(study)
    return folder, {key: each for key, each in figures.items() if not PROFILE_LIMITS.match(key)}


def _agrees(figure, answer) -> bool:
    return is_met(figure, answer.published if isinstance(answer, Cautioned) else answer)


@pytest.mark.parametrize("study", STUDIES)
def test_every_published_figure_comes_out_and_no_published_error_does(published, study):
    found = outcomes(published, study)
    _, figures = computed(published, study)
    wanted = sum(figure["reproducible"] for figure in figures.values())
    print(f"{study}: {len(found['met'])} of {wanted} figures, "
          f"{len(figures) - wanted} published errors not matched")  # fmt: skip
    assert not found["unknown"]
    assert not found["missed"]
    assert not found["false but met"]
    assert not found["caution unheeded"]
    assert len(found["met"]) == wanted


def test_the_right_value_differs_from_a_published_one_that_asks_for_caution(published):
    folder, figures = published("august2022_miltenburg2024")
    entries = definition_ratings.ENTRIES
    cautioned = {
        name: answered(entries, folder, name)
        for name, figure in figures.items()
        if "caution" in figure
    }
    differing = [
        name for name, answer in cautioned.items() if not is_met(figures[name], answer.right)
    ]
    # Rounded to whole minutes, the shortest session is the same with and without whole days.
    assert {"T1.cvstar.SVM", "T1.spearman.p", "T2.1.max", "T2.Overall.total"} <= set(differing)


def test_agreement_by_pair_and_the_pull_of_the_first_side_come_out_too(published):
    """Published beside the figures: shares of agreement by pair, and how often A was chosen."""
    folder, _ = published("hosking2021_arvan2025")
    extra = json.loads((folder / "expected.json").read_text("utf-8"))["extra"]
    found = paraphrase_choices.found(folder)
    by_pair = {
        "|".join(finding.systems): finding.value / 100
        for finding in paraphrase_choices.results(folder).select("meaning", "agreement", "percent")
        if finding.systems
    }
    assert by_pair == pytest.approx(extra["agreement_per_pair_this_lab"])
    assert found["meaning.percent"].value == pytest.approx(100 * extra["mean_pairwise_agreement"])
    assert found["meaning.percent"].n == extra["units"]
    assert found["meaning.first-shown"].value == pytest.approx(100 * extra["choice_A_rate"])
