"""Whatever is drawn keeps within the figure, and no words run into each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged_study import PAIRWISE, RATING, SLIDER, analysed, checked_study
from pictured import found, made, meeting, outside, within, words
from property_settings import examples
from rejudge.analysis.analyse import analyse
from rejudge.analysis.details import (
    DatasetScores,
    Details,
    Duel,
    PairOfPeople,
    ParticipantDetails,
    Precision,
    PrecisionPoint,
    Profile,
    ProfileCount,
    ProfilePart,
    ScoreCounts,
    SystemScores,
)
from rejudge.analysis.participation import page_times
from rejudge.analysis.times import PagesToExit
from rejudge.judgments.reading import read_judgments
from rejudge.report.drawing.marks import COLUMN, WIDTH
from rejudge.report.drawing.picture import to_svg
from rejudge.report.figures.study import study_pictures
from rejudge.simulate.parameters import Parameters
from rejudge.stats import Interval

WIDTHS = (COLUMN, 358.0, WIDTH)
NAMES = st.sampled_from(
    (
        "A",
        "T5",
        "lbow",
        "Ash <tree> & “Co”",
        "T5-3B-paraphrase-v2.1",
        "Supercalifragilisticexpialidocious",
        "Large paraphraser with retrieval, fine-tuned for three epochs on everything",
        "基于检索增强的大型释义生成模型（微调）",
        "نموذج إعادة الصياغة الكبير مع الاسترجاع",
        "WWWWWWWWWWWWWWWW",
    )
)
VALUES = st.floats(-1, 1).map(lambda value: round(value, 3))


@st.composite
def studies(draw):
    """Results of up to twelve systems and thirty people, with whatever numbers, some undefined."""
    size = draw(st.integers(1, 12))
    systems = [f"s{place}" for place in range(size)]
    names = {system: draw(NAMES) for system in systems}

    def spread(value: float, scale: float, middle: float = 0.0) -> tuple[float, Interval | None]:
        half = draw(st.floats(0, 0.5)) * scale
        at = middle + scale * value
        return at, draw(st.sampled_from((None, within(at - half, at + half))))

    findings = []
    for system in systems:
        value = draw(st.one_of(st.none(), VALUES))
        for measure, by, scale, middle in (
            ("win-percent", "wins", 50, 50),
            ("best-worst-score", "best-worst", 100, 0),
            ("strength", "bradley-terry", 3, 0),
        ):
            at = (None, None) if value is None else spread(value, scale, middle)
            findings.append(found((system,), *at, measure=measure, by=by))
    for first, second in combinations(systems, 2):
        at = spread(draw(VALUES), 50, 50)
        findings.append(
            found(
                (first, second), *at, measure="win-percent", by="cluster-robust",
                is_supported=draw(st.booleans()),
            )
        )  # fmt: skip
    people = [f"person {place}" for place in range(draw(st.integers(2, 30)))]
    details = Details(
        "fluency",
        scores=scores(systems, draw(st.sampled_from(((1, 2, 3), tuple(range(1, 21)))))),
        scores_by_dataset=tuple(
            DatasetScores(draw(NAMES), scores(systems, (1, 2, 3))) for _ in range(2)
        ),
        duels=tuple(duels(systems, draw(VALUES))),
        people=ParticipantDetails(
            len(people),
            draw(st.sampled_from(("spearman", "percent"))),
            (),
            tuple(PairOfPeople(a, b, 1200, draw(VALUES)) for a, b in combinations(people, 2)),
        ),
    )
    return made(*findings, details=(details,)), names


def scores(systems, points):
    share = 100 / len(points)
    return ScoreCounts(
        "points",
        points,
        tuple(
            SystemScores(system, 1000, (1,) * len(points), (share,) * len(points))
            for system in systems
        ),
    )


def duels(systems, value):
    for first, second in combinations(systems, 2):
        percent = 50 + 50 * value
        yield Duel(first, second, 10, 10, 0, percent)
        yield Duel(second, first, 10, 10, 0, 100 - percent)


def assert_readable(pictures):
    """No words outside, none in each other's way, no number that is none."""
    for each in pictures:
        assert not outside(each.drawing), each.name
        assert not meeting(each.drawing), each.name
        assert "nan" not in to_svg(each.drawing).lower().replace("banan", ""), each.name
        assert each.drawing.height > 0


@settings(max_examples=examples(30))
@given(studies(), st.sampled_from(WIDTHS))
def test_words_keep_within_and_apart_whatever_the_names(study, width):
    results, names = study
    assert_readable(study_pictures(None, results, names, width=width))


@pytest.fixture(scope="module", params=[0.0, 0.5], ids="careless-{}".format)
def simulated(request):
    study = checked_study(PAIRWISE, RATING, SLIDER)
    return study, analysed(study, parameters=Parameters(careless=request.param))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_simulated_study_of_three_kinds_of_questions_is_readable(width, simulated):
    study, results = simulated
    pictures = study_pictures(study, results, {}, width=width)
    assert_readable(pictures)
    assert all(each.caption.startswith("Simulated. ") for each in pictures)
    assert {"flow", "meaning-systems", "fluency-scores", "ease-pairs", "agreement", "sides"} <= {
        each.name for each in pictures
    }


@settings(max_examples=examples(40))
@given(
    st.lists(st.tuples(NAMES, st.integers(0, 400)), min_size=1, max_size=30),
    st.lists(st.floats(0.01, 5000), min_size=1, max_size=120),
    st.integers(0, 200),
    st.sampled_from(WIDTHS),
)
def test_people_and_times_are_readable(counts, seconds, places, width):
    part = ProfilePart(
        "country", "Where?", "column",
        tuple(ProfileCount(name, n, n - n // 7) for name, n in counts),
    )  # fmt: skip
    pages = tuple(page_times(name, seconds, level=0.95) for name in ("consent", "task", "exit"))
    pages += tuple(
        page_times("task", seconds, level=0.95, place=place) for place in range(1, places + 1)
    )
    results = made(
        profile=Profile(500, 400, (part,)), navigation=PagesToExit("By the clock.", pages)
    )
    assert_readable(study_pictures(None, results, {}, width=width))


@settings(max_examples=examples(40))
@given(
    st.lists(NAMES, min_size=2, max_size=9),
    st.lists(st.floats(0.001, 60), min_size=2, max_size=5),
    st.sampled_from(WIDTHS),
)
def test_precision_is_readable(labels, widths, width):
    names = {f"s{place}": label for place, label in enumerate(labels)}
    points = tuple(
        PrecisionPoint(25 * 2**place, 10, 100, 1.0, each, 1234.5 * 2**place)
        for place, each in enumerate(sorted(widths, reverse=True))
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
    assert_readable(study_pictures(None, results, names, width=width))


def test_the_same_results_give_the_same_figures():
    results = analysed(checked_study(PAIRWISE, RATING))
    one, other = (study_pictures(None, results, {}) for _ in range(2))
    assert [to_svg(each.drawing) for each in one] == [to_svg(each.drawing) for each in other]


def test_results_of_older_versions_have_the_figures_that_need_no_details():
    results = replace(analysed(checked_study(RATING)), details=(), times=None, navigation=None)
    names = {each.name for each in study_pictures(None, results, {})}
    assert {"flow", "fluency-systems", "fluency-pairs", "agreement"} <= names
    assert "fluency-scores" not in names


# Published data


def test_published_ratings_are_drawn_as_published(published):
    """Ten people judged, so there are 45 pairs of them."""
    folder, _ = published("august2022_miltenburg2024")
    results = analyse(read_judgments(folder / "judgments.csv", duplicates="first"), scale=(1, 4))
    pictures = {each.name: each for each in study_pictures(None, results, {})}
    assert_readable(pictures.values())
    assert len([w for w in words(pictures["fluency-people"].drawing) if w.startswith("0.")]) == 45
    assert "SVM-RERANK" in words(pictures["fluency-systems"].drawing)


def test_published_choices_are_drawn_as_published(published):
    folder, _ = published("hosking2021_arvan2025")
    columns = {"seconds": "task_page_seconds"}
    results = analyse(read_judgments(folder / "judgments.csv", columns=columns))
    pictures = {each.name: each for each in study_pictures(None, results, {}, width=COLUMN)}
    assert_readable(pictures.values())
    assert {"meaning-preference", "meaning-strengths", "meaning-wins", "times"} <= set(pictures)
