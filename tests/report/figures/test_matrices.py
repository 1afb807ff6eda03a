"""Maps of pairs: who beat whom, who judges like whom."""

from __future__ import annotations

from itertools import combinations

from pictured import cells, found, made, picture, words
from rejudge.findings.frame import Frame
from rejudge.report.figures.study import study_pictures
from rejudge.report.figures.style import COLOURS

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}


def drawn(name, results):
    return picture(study_pictures(None, results, NAMES), name)


def names_of(results):
    return {each.name for each in study_pictures(None, results, NAMES)}


def beaten(pairs):
    """Both directions of each duel: wins, losses and ties of the first against the second."""
    for (first, second), (wins, losses, ties) in pairs.items():
        n = wins + losses + ties
        share = 100 * (wins + ties / 2) / n if n else None
        other = None if share is None else 100 - share
        for row, column, won, lost, percent in (
            (first, second, wins, losses, share), (second, first, losses, wins, other)
        ):  # fmt: skip
            yield {"row": row, "column": column, "wins": won, "losses": lost, "ties": ties,
                   "win_percent": percent}  # fmt: skip


def duelled(pairs):
    standings = [
        found((system,), value, measure="win-percent", by="wins")
        for system, value in (("ash", 70.0), ("beech", 50.0), ("cedar", 30.0))
    ]
    return made(*standings, frames=(Frame.of("wins", beaten(pairs), question="fluency"),))


DUELS = {("ash", "beech"): (3, 1, 0), ("ash", "cedar"): (6, 2, 2), ("beech", "cedar"): (0, 0, 0)}


def test_a_map_of_wins_prints_each_share_and_leaves_the_diagonal_empty():
    """3 of 4 are 75 %; 6 wins and 2 ties of 10 are 70 %."""
    drawing = drawn("fluency-wins", duelled(DUELS))
    assert {"75", "25", "70", "30"} <= set(words(drawing))
    assert len(cells(drawing)) == 4
    assert words(drawing).count("–") == 2


def test_a_map_of_wins_is_the_stronger_the_further_from_fifty():
    by_fill = set(cells(drawn("fluency-wins", duelled(DUELS))))
    blue, orange = COLOURS["s1"], COLOURS["s2"]
    assert by_fill == {(blue, 0.25), (orange, 0.25), (blue, 0.2), (orange, 0.2)}


def test_a_map_of_wins_says_how_often_each_pair_met():
    figure = drawn("fluency-wins", duelled(DUELS))
    assert "Ash against Beech: 75.0\u202f% of 4 comparisons" in figure.description
    assert "Beech against Cedar: never met" in figure.description
    assert "4–10 comparisons per pair. A dash: the two were never compared." in figure.caption


def test_a_map_of_fifty_systems_shows_the_first_forty():
    names = [f"s{place:02d}" for place in range(50)]
    standings = [found((name,), 90.0 - place, measure="win-percent", by="wins")
                 for place, name in enumerate(names)]  # fmt: skip
    duels = beaten(dict.fromkeys(combinations(names, 2), (6, 4, 0)))
    wins = Frame.of("wins", duels, question="fluency")
    figure = drawn("fluency-wins", made(*standings, frames=(wins,)))
    assert "The first 40 of 50 systems." in figure.caption
    assert {"s00", "s39"} <= {word.split()[-1] for word in words(figure)}
    assert "s40" not in {word.split()[-1] for word in words(figure)}


def test_two_systems_need_no_map():
    assert "fluency-wins" not in names_of(duelled({("ash", "beech"): (3, 1, 0)}))


def alike(values, measure="spearman"):
    rows = [{"first": a, "second": b, "n": 12, measure: x} for (a, b), x in values.items()]
    pairs = Frame.of("people-pairs", rows, question="fluency", facts={"measure": measure})
    return made(found(("ash",), 3.0), frames=(pairs,))


def test_people_are_ordered_by_how_well_they_go_with_the_others():
    """Means over the others: p2 (.9 + .5)/2, p1 (.9 + .1)/2, p3 (.5 + .1)/2."""
    values = {("p1", "p2"): 0.9, ("p2", "p3"): 0.5, ("p1", "p3"): 0.1}
    drawing = drawn("fluency-people", alike(values))
    assert [each for each in words(drawing) if each.startswith("p")][:3] == ["p2", "p1", "p3"]


def test_values_stand_below_the_diagonal_and_shared_units_above():
    values = {("p1", "p2"): 0.9, ("p2", "p3"): -0.5, ("p1", "p3"): None}
    figure = drawn("fluency-people", alike(values))
    assert words(figure).count("12") == 3
    assert {"0.90", "−0.50", "–"} <= set(words(figure))
    assert "1 pair without a value" in figure.caption


def test_cells_too_small_for_numbers_have_a_ramp_instead():
    people = [f"participant {place}" for place in range(40)]
    values = dict.fromkeys(combinations(people, 2), 0.5)
    figure = drawn("fluency-people", alike(values))
    assert "0.50" not in words(figure)
    assert {"−1", "0", "1"} <= set(words(figure))
    assert "over the units that both judged (12 units)" in figure.caption


def test_a_map_that_would_be_mostly_holes_is_not_drawn():
    chain = {(f"p{place}", f"p{place + 1}"): 0.5 for place in range(9)}
    assert "fluency-people" not in names_of(alike(chain))


def test_shares_of_the_same_answer_have_one_colour():
    drawing = drawn("fluency-people", alike({("p1", "p2"): 80.0}, "percent"))
    assert cells(drawing) == [(COLOURS["s1"], 0.4)]
