"""Maps of pairs, stacked bars, bars of counts, times, precision and the way of participants."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from pictured import found, made, picture, within, words
from rejudge.analysis import (
    DatasetScores,
    Details,
    Duel,
    Flow,
    Generalizability,
    PageTimes,
    PairOfPeople,
    People,
    Precision,
    PrecisionPoint,
    Profile,
    ProfileCount,
    ProfilePart,
    ReliabilityPoint,
    ScoreCounts,
    SystemScores,
    Times,
    Way,
)
from rejudge.analysis.participation import page_times
from rejudge.analysis.times import time_bins
from rejudge.judgments import Exclusion
from rejudge.report.drawing.marks import CircleMark, LineMark, RectangleMark, TextMark
from rejudge.report.figures import study_pictures

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}


def drawn(name, results):
    return picture(study_pictures(None, results, NAMES), name)


def names_of(results):
    return {each.name for each in study_pictures(None, results, NAMES)}


def boxes(drawing):
    return [mark for mark in drawing.marks if isinstance(mark, RectangleMark)]


def words_in(drawing, rectangle):
    """What is written inside a rectangle."""
    box = rectangle.box
    return [
        mark.words
        for mark in drawing.marks
        if isinstance(mark, TextMark)
        and box.x <= mark.x <= box.x + box.width
        and box.y <= mark.y <= box.y + box.height
    ]


# Who beat whom


def beaten(pairs):
    """Both directions of each duel: wins, losses and ties of the first against the second."""
    for (first, second), (wins, losses, ties) in pairs.items():
        n = wins + losses + ties
        share = 100 * (wins + ties / 2) / n if n else None
        yield Duel(first, second, wins, losses, ties, share)
        yield Duel(second, first, losses, wins, ties, None if share is None else 100 - share)


def duelled(pairs):
    standings = [
        found((system,), value, measure="win-percent", by="wins")
        for system, value in (("ash", 70.0), ("beech", 50.0), ("cedar", 30.0))
    ]
    return made(*standings, details=(Details("fluency", duels=tuple(beaten(pairs))),))


DUELS = {("ash", "beech"): (3, 1, 0), ("ash", "cedar"): (6, 2, 2), ("beech", "cedar"): (0, 0, 0)}


def test_a_map_of_wins_prints_each_share_and_leaves_the_diagonal_empty():
    """3 of 4 are 75 %; 6 wins and 2 ties of 10 are 70 %."""
    drawing = drawn("fluency-wins", duelled(DUELS)).drawing
    written = {text for cell in boxes(drawing) for text in words_in(drawing, cell)}
    assert written == {"75", "25", "70", "30"}
    assert len(boxes(drawing)) == 4
    assert words(drawing).count("–") == 2


def test_a_map_of_wins_is_the_stronger_the_further_from_fifty():
    cells = boxes(drawn("fluency-wins", duelled(DUELS)).drawing)
    by_fill = {(cell.look.fill, round(cell.look.strength, 3)) for cell in cells}
    assert by_fill == {("s1", 0.275), ("s2", 0.275), ("s1", 0.22), ("s2", 0.22)}


def test_a_map_of_wins_says_how_often_each_pair_met():
    figure = drawn("fluency-wins", duelled(DUELS))
    assert "Ash against Beech: 75.0\u202f% of 4 comparisons" in figure.drawing.description
    assert "Beech against Cedar: never met" in figure.drawing.description
    assert "4 to 10 comparisons per pair. A dash: the two never met." in figure.caption


def test_two_systems_need_no_map():
    assert "fluency-wins" not in names_of(duelled({("ash", "beech"): (3, 1, 0)}))


# Who judges like whom


def alike(values, measure="spearman"):
    pairs = tuple(PairOfPeople(*pair, n=12, value=value) for pair, value in values.items())
    people = People(len(pairs), measure, (), pairs)
    return made(found(("ash",), 3.0), details=(Details("fluency", people=people),))


def test_people_are_ordered_by_how_well_they_go_with_the_others():
    """Means over the others: p2 (.9 + .5)/2, p1 (.9 + .1)/2, p3 (.5 + .1)/2."""
    values = {("p1", "p2"): 0.9, ("p2", "p3"): 0.5, ("p1", "p3"): 0.1}
    drawing = drawn("fluency-people", alike(values)).drawing
    rows = [m.words for m in drawing.marks if isinstance(m, TextMark) and m.anchor == "end"]
    assert rows == ["p2", "p1", "p3"]


def test_values_stand_below_the_diagonal_and_shared_units_above():
    values = {("p1", "p2"): 0.9, ("p2", "p3"): -0.5, ("p1", "p3"): None}
    figure = drawn("fluency-people", alike(values))
    assert words(figure.drawing).count("12") == 3
    assert {"0.90", "−0.50", "–"} <= set(words(figure.drawing))
    assert "1 pair without a value" in figure.caption


def test_cells_too_small_for_numbers_have_a_ramp_instead():
    people = [f"participant {place}" for place in range(40)]
    values = dict.fromkeys(combinations(people, 2), 0.5)
    figure = drawn("fluency-people", alike(values))
    assert "0.50" not in words(figure.drawing)
    assert {"−1", "0", "1"} <= set(words(figure.drawing))
    assert "over the units that both judged (12 units)" in figure.caption


def test_a_map_that_would_be_mostly_holes_is_not_drawn():
    chain = {(f"p{place}", f"p{place + 1}"): 0.5 for place in range(9)}
    assert "fluency-people" not in names_of(alike(chain))


def test_shares_of_the_same_answer_have_one_colour():
    drawing = drawn("fluency-people", alike({("p1", "p2"): 80.0}, "percent")).drawing
    assert [(c.look.fill, round(c.look.strength, 2)) for c in boxes(drawing)] == [("s1", 0.44)]


# Scores


def scored(*systems: SystemScores):
    means = [found((each.system,), 3.0) for each in systems]
    scores = ScoreCounts("points", (1, 2, 3, 4), systems)
    return made(*means, details=(Details("fluency", scores),))


def test_parts_of_a_bar_are_as_long_as_their_shares():
    bar = SystemScores("ash", 20, (2, 4, 4, 10), (10, 20, 20, 50))
    drawing = drawn("fluency-scores", scored(bar)).drawing
    widths = [part.box.width for part in boxes(drawing)]
    whole = sum(widths)
    assert [100 * width / whole for width in widths] == pytest.approx([10, 20, 20, 50])
    assert [words_in(drawing, part) for part in boxes(drawing)] == [["10"], ["20"], ["20"], ["50"]]


def test_higher_scores_have_the_stronger_colour():
    bar = SystemScores("ash", 4, (1, 1, 1, 1), (25, 25, 25, 25))
    strengths = [part.look.strength for part in boxes(drawn("fluency-scores", scored(bar)).drawing)]
    assert strengths == sorted(strengths)
    assert strengths[-1] <= 0.55


def test_every_score_is_named_though_nobody_gave_it():
    bar = SystemScores("ash", 4, (0, 0, 0, 4), (0, 0, 0, 100))
    drawing = drawn("fluency-scores", scored(bar)).drawing
    assert {"1", "2", "3", "4"} <= set(words(drawing))
    assert len(boxes(drawing)) == 1


def test_scores_off_the_scale_and_systems_without_any_are_told():
    results = scored(
        SystemScores("ash", 4, (1, 1, 1, 0), (25, 25, 25, 0), off_scale=1),
        SystemScores("beech", 0, (0, 0, 0, 0), ()),
    )
    caption = drawn("fluency-scores", results).caption
    assert "1 score is not on the scale and not shown. 1 system has no scores." in caption


def test_datasets_have_bars_of_their_own():
    parts = tuple(
        DatasetScores(
            name,
            ScoreCounts("points", (1, 2, 3, 4), (SystemScores("ash", n, counts, shares),)),
        )
        for name, n, counts, shares in (
            ("news", 4, (1, 1, 1, 1), (25, 25, 25, 25)),
            ("web", 2, (0, 1, 1, 0), (0, 50, 50, 0)),
        )
    )
    results = made(found(("ash",), 3.0), details=(Details("fluency", scores_by_dataset=parts),))
    figure = drawn("fluency-scores-by-dataset", results)
    assert [part.box.width > 0 for part in boxes(figure.drawing)] == [True] * 6
    assert {"news", "web", "n = 4", "n = 2"} <= set(words(figure.drawing))
    assert "web: Ash, 2 scores: 1 0\u202f%, 2 50\u202f%" in figure.drawing.description


# Times


def page(name, seconds):
    return page_times(name, seconds, level=0.95)


def test_a_histogram_counts_what_lies_in_each_bin_and_what_is_longer():
    """20 times: 0.5, 1.5 … 18.5 and 100. 95 % lie up to 18.5: bins of 2, the last ends at 20."""
    seconds = [place + 0.5 for place in range(19)] + [100]
    drawing = drawn("times", made(way=Way("By the clock.", (page("task", seconds),)))).drawing
    columns = boxes(drawing)
    heights = [column.box.height for column in columns]
    assert len(columns) == 11
    assert [height / heights[0] for height in heights] == pytest.approx([1] * 9 + [0.5, 0.5])
    assert "over 20" in words(drawing)


def test_times_of_equal_length_are_one_bin():
    drawing = drawn("times", made(way=Way("", (page("task", [7.0] * 5),)))).drawing
    assert len(boxes(drawing)) == 1


def test_a_histogram_shows_only_times_that_were_measured():
    """56 pages took 40 seconds and 4 took 6: two columns, fourteen to one, in the right bins."""
    drawing = drawn("times", made(way=Way("", (page("task", [40.0] * 56 + [6.0] * 4),)))).drawing
    short, long = boxes(drawing)
    assert long.box.height / short.box.height == pytest.approx(14)
    assert "over 40" in words(drawing)


def test_bins_count_every_time_once_however_many_there_are():
    seconds = np.sort(np.concatenate([np.full(5000, 3.0), np.full(200, 59.0), [0.0, 7200.0]]))
    bins = time_bins(seconds)
    assert sum(each.n for each in bins) == 5202
    assert {(each.low, each.high): each.n for each in bins if each.n} == {
        (2.5, 3.0): 5000,
        (0.0, 0.5): 1,
        (3.0, None): 201,
    }


def test_results_without_bins_have_no_histogram():
    old = replace(page("task", [2.0, 4.0]), bins=())
    names = names_of(made(way=Way("", (old,))))
    assert "times" not in names
    assert "times-shares" in names


def test_every_kind_of_page_has_a_panel():
    pages = (page("consent", [5.0, 9.0]), page("task", [3.0, 4.0, 8.0]))
    results = made(way=Way("By the clock.", pages))
    for name in ("times", "times-shares"):
        figure = drawn(name, results)
        assert {"Information and consent", "n = 2", "Tasks", "n = 3"} <= set(words(figure.drawing))
        assert figure.caption.endswith("By the clock.")


def test_a_curve_goes_through_its_points_with_a_band_around_it():
    """Up to 8 seconds lie all of the times: the curve ends at the height of 100 %."""
    drawing = drawn("times-shares", made(way=Way("", (page("task", [2.0, 4.0, 8.0]),)))).drawing
    hundred = next(m for m in drawing.marks if isinstance(m, TextMark) and m.words == "100 %")
    curve = next(m for m in drawing.marks if isinstance(m, LineMark) and m.colour == "s1")
    assert curve.points[-1][1] == pytest.approx(hundred.y - 4)
    assert "50% within 4.0\u202fs" in drawing.description


def test_times_without_a_way_are_those_of_all_pages():
    known = page("task", [2.0, 4.0, 8.0])
    times = Times(3, "As recorded.", (), known.shares, bins=known.bins)
    figure = drawn("times", made(times=times))
    assert "All pages with a time" in words(figure.drawing)
    assert figure.numbers_in == "table-times"


def test_seconds_by_place_are_medians_with_their_quarters():
    """Of three tasks, the second takes twice as long as the first and the third."""
    pages = tuple(
        PageTimes("task", 8, 1.0, 0.5 * middle, middle, 1.5 * middle, 9.0, middle, 1.0, place)
        for place, middle in enumerate((2.0, 4.0, 2.0), start=1)
    )
    figure = drawn("times-places", made(way=Way("By the clock.", pages)))
    zero = next(m.y for m in figure.drawing.marks if isinstance(m, TextMark) and m.words == "0") - 4
    heights = [zero - m.y for m in figure.drawing.marks if isinstance(m, CircleMark)]
    assert [height / heights[0] for height in heights] == pytest.approx([1, 2, 1])
    assert "task 2: median 4.0, half of them from 2.0 to 6.0" in figure.drawing.description


# People


def test_bars_of_a_profile_are_as_long_as_their_counts():
    counts = (ProfileCount("Kenya", 4, 4), ProfileCount("Peru", 8, 6))
    part = ProfilePart("country", "Where do you live?", "column", counts, silent=2)
    figure = drawn("profile-country", made(profile=Profile(14, 12, (part,))))
    drawing = figure.drawing
    left_out, peru, kenya = (mark.box.width for mark in boxes(drawing))
    assert (peru / kenya, left_out / kenya) == pytest.approx((1.5, 0.5))
    assert {"8 (67 %)", "4 (33 %)"} <= set(words(drawing))
    assert "12 of 14 participants" in figure.caption
    assert "Of 2 participants nothing is known." in figure.caption


def test_many_answers_end_in_one_bar():
    counts = tuple(ProfileCount(f"c{place}", 1, 1) for place in range(30))
    part = ProfilePart("country", "", "column", counts)
    drawing = drawn("profile-country", made(profile=Profile(30, 30, (part,)))).drawing
    assert "16 others" in words(drawing)
    assert len(boxes(drawing)) == 15


def test_the_options_of_a_question_keep_their_order():
    counts = (ProfileCount("under 30", 1, 1), ProfileCount("30 or more", 9, 9))
    part = ProfilePart("age", "How old are you?", "exit-question", counts)
    written = words(drawn("profile-age", made(profile=Profile(10, 10, (part,)))).drawing)
    assert written.index("under 30") < written.index("30 or more")


def test_the_way_of_participants_adds_up():
    exclusions = (
        Exclusion("p1", None, "failed-checks", "2 of 2 failed", 10),
        Exclusion("p2", None, "failed-checks", "2 of 2 failed", 10),
        Exclusion("p3", "b1", "incomplete", "5 of 10", 5),
    )
    flow = Flow(8, 5, 80, 55, 70, 50, 0, exclusions, None)
    figure = drawn("flow", made(flow=flow, way=Way("", came=12, consented=9)))
    written = words(figure.drawing)
    assert written[:4] == [
        "12 people came", "3 people did not consent", "9 consented", "1 person judged nothing",
    ]  # fmt: skip
    assert "Left out: 3 participants, 25 rows" in written
    assert "– failed checks: 2 participants, 20 rows" in written
    assert {"8 participants judged", "5 participants count", "50 judgments of systems"} <= set(
        written
    )
    assert figure.numbers_in == "table-exclusions"


def test_where_nothing_was_left_out_the_way_says_so():
    assert "Nothing was excluded" in words(drawn("flow", made()).drawing)


def test_without_any_row_there_is_no_way():
    assert "flow" not in names_of(made(flow=Flow(0, 0, 0, 0, 0, 0, 0, (), None)))


# Precision


def foretold(systems=("ash", "beech"), currency=None, **widths: float | None):
    points = tuple(
        PrecisionPoint(
            int(size[1:]), 10, 100, 1.0, width, 7.5 * int(size[1:]) if currency else None
        )
        for size, width in widths.items()
    )
    return Precision(
        f"fluency.cluster-robust.{'.'.join(systems)}", "fluency", systems, "points of the scale",
        0.95, 0.1, 0.1, 0.1, points, currency=currency, method="half-width", note="Foretold.",
    )  # fmt: skip


def test_precision_marks_the_study_itself():
    pair = found(
        ("ash", "beech"),
        0.5,
        within(0.1, 0.9),
        measure="mean-difference",
        by="cluster-robust",
    )
    figure = drawn("fluency-precision", made(pair, precision=(foretold(_4=0.8, _8=0.4, _16=0.2),)))
    dots = sorted(
        (m for m in figure.drawing.marks if isinstance(m, CircleMark)), key=lambda dot: dot.x
    )
    zero = next(m.y for m in figure.drawing.marks if isinstance(m, TextMark) and m.words == "0") - 4
    heights = [zero - dot.y for dot in dots]
    assert [dot.radius for dot in dots] == [2.5, 4, 2.5]
    assert [height / heights[2] for height in heights] == pytest.approx([4, 2, 1])
    assert "this study" in words(figure.drawing)
    assert "0.40 with 8" in figure.drawing.description


def test_precision_tells_the_cost_where_it_is_known():
    pair = found(("ash", "beech"), 0.5, measure="mean-difference", by="cluster-robust")
    precise = foretold(currency="GBP", _4=0.8, _8=0.4)
    written = words(drawn("fluency-precision", made(pair, precision=(precise,))).drawing)
    assert {"£30", "£60"} <= set(written)


def test_precision_needs_two_sizes_with_a_value():
    pair = found(("ash", "beech"), 0.5, measure="mean-difference", by="cluster-robust")
    results = made(pair, precision=(foretold(_4=None, _8=0.4),))
    assert "fluency-precision" not in names_of(results)


def reliable(currency=None):
    points = tuple(
        ReliabilityPoint(size, 10, 10 * size, order, means, 7.5 * size if currency else None)
        for size, order, means in ((4, 0.5, 0.25), (8, 0.75, 0.5))
    )
    return Generalizability(
        "fluency", now=points[1], by_participants=points, currency=currency, note="Foretold."
    )


def test_reliability_has_a_line_for_the_order_and_one_for_the_means():
    results = made(found(("ash",), 3.0, measure="mean"), reliability=(reliable("GBP"),))
    figure = drawn("fluency-reliability", results)
    dots = [mark for mark in figure.drawing.marks if isinstance(mark, CircleMark)]
    heights = sorted({round(dot.y, 3) for dot in dots})
    assert len(dots) == 4
    assert len(heights) == 3  # .75, .5 twice and .25
    assert heights[2] - heights[1] == pytest.approx(heights[1] - heights[0])
    assert {"order", "means", "this study", "£30", "£60"} <= set(words(figure.drawing))
    assert "0.75 and 0.50 with 8 for £60" in figure.drawing.description


def test_without_a_reliability_there_is_no_figure_of_it():
    bare = Generalizability("fluency", note="Undefined: there is one system only.")
    results = made(found(("ash",), 3.0, measure="mean"), reliability=(bare,))
    assert "fluency-reliability" not in names_of(results)
