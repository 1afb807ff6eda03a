"""What an analysis gives."""

from __future__ import annotations

from judged_study import (
    BEST_WORST,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    analysed,
    checked_study,
    drawn,
    small_study,
)


def test_every_number_carries_its_n_its_method_and_an_interval_or_a_note():
    questions = (PAIRWISE, RATING, SLIDER, RANKING, BEST_WORST, SEGMENTS)
    for question in questions:
        for finding in analysed(checked_study(question)).findings:
            assert finding.method
            assert finding.n > 0
            assert finding.interval is not None or finding.note or finding.by == "sign-flip"


def test_the_signature_names_study_plan_judgments_and_seed():
    study = small_study(PAIRWISE)
    signature = analysed(study, seed=4).signature
    assert signature.study == study.fingerprint
    assert signature.plan == drawn(study).fingerprint
    assert signature.seed == 4
    assert signature.short.startswith("rejudge ")


def test_the_same_seed_gives_the_same_results():
    study = checked_study(PAIRWISE)
    assert analysed(study, seed=2) == analysed(study, seed=2)
