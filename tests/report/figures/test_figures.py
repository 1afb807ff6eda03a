"""Whatever is drawn keeps within the figure."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from judged_study import PAIRWISE, RATING, SLIDER, analysed, checked_study
from pictured import found, made, outside, page_frames_of, profile_frame, score_frame, within, words
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further, FurtherTest
from rejudge.analysis.details import Precision, PrecisionPoint
from rejudge.findings.frame import Frame
from rejudge.judgments.read import read_judgments
from rejudge.report.figures.study import study_pictures
from rejudge.report.figures.style import PHONE, WIDTH
from rejudge.simulate.parameters import Parameters

WIDTHS = (PHONE, WIDTH)
NAMES = (
    "A",
    "Ash <tree> & “Co”",
    "T5-3B-paraphrase-v2.1",
    "Supercalifragilisticexpialidocious",
    "Large paraphraser with retrieval, fine-tuned for three epochs on everything",
    "基于检索增强的大型释义生成模型（微调）",
    "نموذج إعادة الصياغة الكبير مع الاسترجاع",
    "WWWWWWWWWWWWWWWW",
    "$x^2$ and 100 % of \\frac",
    "two\nlines",
)
VALUES = (0.9, 0.35, 0.0, -0.123, None, -1.0, 0.7, 0.001, -0.5, 1.0)


def study_of(names):
    """Results of so many systems and thirty people, some undefined or without an interval."""
    labels = {f"s{place}": name for place, name in enumerate(names)}
    findings = []
    for place, system in enumerate(labels):
        value = VALUES[place % len(VALUES)]
        for measure, by, scale, middle in (
            ("win-percent", "wins", 50, 50),
            ("best-worst-score", "best-worst", 100, 0),
            ("strength", "bradley-terry", 3, 0),
        ):
            at = None if value is None else middle + scale * value
            half = scale * (place % 4) / 8
            spread = within(at - half, at + half) if half and at is not None else None
            findings.append(found((system,), at, spread, measure=measure, by=by))
    findings += [
        found(
            (first, second), 50.0 + place, within(45.0, 55.0 + place), measure="win-percent",
            by="cluster-robust", is_supported=place % 2 == 0,
        )
        for place, (first, second) in enumerate(combinations(labels, 2))
    ]  # fmt: skip
    people = [f"person {place}" for place in range(3 * len(labels))]
    both = [(a, b, x) for pair in combinations(labels, 2)
            for a, b, x in ((*pair, 70.0), (*pair[::-1], 30.0))]  # fmt: skip
    frames = (
        score_frame(range(1, 21), dict.fromkeys(labels, (1,) * 20)),
        *(score_frame((1, 2, 3), dict.fromkeys(labels, (1,) * 3), dataset=name) for name in names),
        Frame.of(
            "wins",
            (
                {"row": a, "column": b, "wins": 10, "losses": 10, "ties": 0, "win_percent": x}
                for a, b, x in both
            ),
            question="fluency",
        ),
        Frame.of(
            "people-pairs",
            (
                {"first": a, "second": b, "n": 1200, "spearman": -0.25}
                for a, b in combinations(people, 2)
            ),
            question="fluency",
            facts={"measure": "spearman"},
        ),
    )
    return made(*findings, frames=frames), labels


def assert_readable(pictures, width):
    """No words outside, no number that is none."""
    for each in pictures:
        assert outside(each, width) == [], each.name
        assert "nan" not in each.svg_at(width).lower().replace("banan", ""), each.name


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("names", [NAMES[5:6], NAMES[3:5], NAMES])
def test_words_keep_within_whatever_the_names(names, width):
    results, labels = study_of(names)
    assert_readable(study_pictures(None, results, labels), width)


@pytest.fixture(scope="module", params=[0.0, 0.5], ids="careless-{}".format)
def simulated(request):
    study = checked_study(PAIRWISE, RATING, SLIDER)
    return study, analysed(study, parameters=Parameters(careless=request.param))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_simulated_study_of_three_kinds_of_questions_is_readable(width, simulated):
    study, results = simulated
    pictures = study_pictures(study, results, {})
    assert_readable(pictures, width)
    assert all(each.caption.startswith("Simulated. ") for each in pictures)
    assert {"flow", "meaning-systems", "fluency-scores", "ease-pairs", "agreement", "sides"} <= {
        each.name for each in pictures
    }


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "seconds", [[0.01], [3.0, 3.0, 40.0, 5000.0], [1.0 + p for p in range(99)]]
)
def test_people_and_times_are_readable(seconds, width):
    profile = profile_frame({name: (40 * at, 30 * at) for at, name in enumerate(NAMES)})
    pages = [(name, None, seconds) for name in ("consent", "task", "exit")]
    pages += [("task", place, seconds) for place in range(1, 60)]
    results = made(frames=(profile, *page_frames_of(*pages)))
    assert_readable(study_pictures(None, results, {}), width)


@pytest.mark.parametrize("size", [2, 3, len(NAMES)])
def test_precision_is_readable(size):
    names = {f"s{place}": label for place, label in enumerate(NAMES[:size])}
    points = tuple(
        PrecisionPoint(25 * 2**place, 10, 100, 1.0, 60.0 / 3**place, 1234.5 * 2**place)
        for place in range(4)
    )
    precise = tuple(
        Precision(
            f"fluency.cluster-robust.{a}.{b}", "fluency", (a, b), "percentage points", 0.95,
            1.0, 1.0, 1.0, points, currency="GBP", method="half-width", note="Foretold.",
        )
        for a, b in combinations(names, 2)
    )  # fmt: skip
    findings = [
        found(each.systems, 60.0, measure="win-percent", by="cluster-robust", participants=50)
        for each in precise
    ]
    results = made(*findings, precision=precise)
    assert_readable(study_pictures(None, results, names), WIDTH)


def test_results_without_descriptive_tables_have_the_other_figures():
    results = replace(analysed(checked_study(RATING)), frames=())
    names = {each.name for each in study_pictures(None, results, {})}
    assert {"flow", "fluency-systems", "fluency-pairs", "agreement"} <= names
    assert "fluency-scores" not in names


# Published data


def test_published_ratings_are_drawn_as_published(published):
    """Ten people judged, so there are 45 pairs of them."""
    folder, _ = published("august2022_miltenburg2024")
    results = analyse(read_judgments(folder / "judgments.csv", duplicates="first"), scale=(1, 4))
    pictures = {each.name: each for each in study_pictures(None, results, {})}
    assert_readable(pictures.values(), WIDTH)
    assert len([w for w in words(pictures["fluency-people"]) if w.startswith("0.")]) == 45
    assert "SVM-RERANK" in words(pictures["fluency-systems"])


def test_published_choices_are_drawn_as_published(published):
    folder, _ = published("hosking2021_arvan2025")
    columns = {"seconds": "task_page_seconds"}
    strengths = Further(tests=(FurtherTest("bradley-terry"),))
    results = analyse(read_judgments(folder / "judgments.csv", columns=columns), further=strengths)
    pictures = {each.name: each for each in study_pictures(None, results, {})}
    assert_readable(pictures.values(), PHONE)
    assert {"meaning-wins", "times"} <= set(pictures)
