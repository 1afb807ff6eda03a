"""One source of parameters, and only what fits the study."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from judged_study import EVERY_KIND, PAIRWISE, RATING, small_study
from rejudge.errors import UsageError
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.sources import parameters_from_preset, presets, read_parameters

STUDY = small_study(RATING, PAIRWISE)
ROOT = Path(__file__).resolve().parents[2]


def test_without_a_source_the_assumed_values_are_used():
    found = read_parameters(STUDY)
    assert dict(found.by_question) == {"fluency": Parameters(), "meaning": Parameters()}
    assert "without data" in found.source


def test_two_sources_are_refused():
    with pytest.raises(UsageError, match="only one"):
        read_parameters(STUDY, file="", preset="arvan-2025")


def test_each_preset_has_its_source_and_size():
    listed = presets()
    assert {each.name for each in listed} == {"arvan-2025", "miltenburg-2024"}
    assert all("https://" in each.source for each in listed)
    assert "3,600 judgments by 120 participants on 200 items" in {each.size for each in listed}


@pytest.mark.parametrize("question", EVERY_KIND, ids=[q["kind"] for q in EVERY_KIND])
def test_a_preset_fits_any_study_and_says_what_it_assumes(question):
    study = small_study(question)
    found = parameters_from_preset(study, "miltenburg-2024")
    (values,) = found.by_question.values()
    assert values.quality["ash"] > values.quality["beech"] > values.quality["cedar"]
    assert any("other systems" in sentence for sentence in found.assumptions)
    assert "van Miltenburg" in found.source


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="arvan-2025") as caught:
        parameters_from_preset(small_study(RATING), "arvan-2024")
    assert "Did you mean" in str(caught.value)


@pytest.mark.slow
def test_presets_are_what_the_public_judgments_show(published):
    """`tools/make_presets.py` computes the file again."""
    folder, _ = published("hosking2021_arvan2025")
    path = ROOT / "tools" / "make_presets.py"
    if not path.exists():
        pytest.skip("needs the folder tools of the repository")
    module = importlib.util.module_from_spec(
        spec := importlib.util.spec_from_file_location("make_presets", path)
    )
    import sys

    sys.modules["make_presets"] = module
    spec.loader.exec_module(module)
    written = (ROOT / "src/rejudge/simulate/presets.yaml").read_text(encoding="utf-8")
    assert module.presets_text(folder.parents[1]) == written
    assert os.fspath(folder) not in written
