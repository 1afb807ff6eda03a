"""Who took part, and who was left out."""

from __future__ import annotations

from pictured import boxes, drawn, made, names_of, profile_frame, words
from rejudge.analysis.results import Flow
from rejudge.findings.frame import Frame
from rejudge.judgments.exclusions import Exclusion


def test_bars_of_a_profile_are_as_long_as_their_counts():
    profile = profile_frame({"Kenya": (4, 4), "Peru": (8, 6), None: (2, 2)})
    figure = drawn("profile-country", made(frames=(profile,)))
    assert [bar.get_width() for bar in boxes(figure)] == [6, 2, 4]  # Peru, its excluded, Kenya
    assert {"8 (67 %)", "4 (33 %)"} <= set(words(figure))
    assert "12 of 14 participants" in figure.caption
    assert "Nothing is known about 2 participants." in figure.caption


def test_many_answers_end_in_one_bar():
    profile = profile_frame({f"c{place}": (1, 1) for place in range(30)})
    drawing = drawn("profile-country", made(frames=(profile,)))
    assert "16 others" in words(drawing)
    assert len(boxes(drawing)) == 15


def test_the_options_of_a_question_keep_their_order():
    counts = {"under 30": (1, 1), "30 or more": (9, 9)}
    profile = profile_frame(counts, about="age", source="exit-question")
    written = words(drawn("profile-age", made(frames=(profile,))))
    assert written.index("under 30") < written.index("30 or more")


def test_the_way_of_participants_adds_up():
    exclusions = (
        Exclusion("p1", None, "failed-checks", "2 of 2 failed", 10),
        Exclusion("p2", None, "failed-checks", "2 of 2 failed", 10),
        Exclusion("p3", "b1", "incomplete", "5 of 10", 5),
    )
    flow = Flow(8, 5, 80, 55, 70, 50, 0, exclusions, 70, 50)
    steps = ({"step": "came", "people": 12}, {"step": "consented", "people": 9})
    arrivals = Frame.of("arrivals", steps)
    figure = drawn("flow", made(flow=flow, frames=(arrivals,)))
    written = words(figure)
    assert written[:4] == [
        "12 people arrived", "3 people did not consent", "9 consented",
        "1 person gave no judgments",
    ]  # fmt: skip
    assert "Excluded: 3 participants, 25 rows" in written
    assert "– failed checks: 2 participants, 20 rows" in written
    assert {"8 participants judged", "5 participants analysed", "50 judgments of systems"} <= set(
        written
    )
    assert figure.numbers_in == "table-exclusions"


def test_where_nothing_was_left_out_the_way_says_so():
    assert "Nothing was excluded" in words(drawn("flow", made()))


def test_without_any_row_there_is_no_way():
    assert "flow" not in names_of(made(flow=Flow(0, 0, 0, 0, 0, 0, 0, (), 0, 0)))
