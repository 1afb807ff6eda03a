"""How the systems stand on a question: scores, wins, preference, strengths."""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.analysis import Finding, ScoreCounts
from rejudge.english import capital
from rejudge.layout.table import file_name
from rejudge.report.drawing import Drawing, Picture, ticks
from rejudge.report.figures.rows import Axis, Row, around, covering, draw_rows
from rejudge.report.figures.scene import (
    UNRANKED,
    Scene,
    in_full,
    interval_words,
    ranked,
    sizes,
    spread_words,
    tick_words,
    undefined_words,
    value_words,
)

_MOST_POINTS = 11


def standings_picture(scene: Scene, question: str) -> Picture | None:
    """Scores or percentages of wins, one mark per system, the best first."""
    found = scene.standings(question)
    rows = _rows(scene, found)
    if not any(row.value is not None for row in rows):
        return None
    if scene.is_comparison(question):
        axis = Axis(0, 100, "Comparisons won, %", (0, 25, 50, 75, 100), reference=50)
        what = f"Share of comparisons won by each system on {question}, a tie as half"
        what += "; the heavy line marks 50\u202f%"
    else:
        axis = _scale(scene, question, rows)
        what = f"Mean score of each system on {question}, on the whole scale"
        details = scene.details(question)
        if details and details.scores:
            low, high = details.scores.at[0], details.scores.at[-1]
            what += f" from {tick_words(low)} to {tick_words(high)}"
        what += "" if scene.is_ranked(question) else UNRANKED
    return _picture(scene, found, axis, texts=(f"{file_name(question)}-systems", what, "systems"))


def preference_picture(scene: Scene, question: str) -> Picture | None:
    """Wins minus losses over all comparisons of a system, as bars from zero."""
    found = ranked(scene.results.of(question, "best-worst-score"))
    rows = _rows(scene, found, is_bar=True)
    if not any(row.value is not None for row in rows):
        return None
    marks = around(rows)
    is_implied = _is_implied(scene, question)
    sides = ("more often worse", "more often better") if is_implied else ("more lost", "more won")
    axis = Axis(marks[0], marks[-1], "Relative preference, %", marks, 0, sides)
    what = f"Relative preference on {question}: {_counted(scene, question)}"
    name = f"{file_name(question)}-preference"
    return _picture(scene, found, axis, texts=(name, what, "systems"), is_bar=True)


def _is_implied(scene: Scene, question: str) -> bool:
    """Whether comparisons follow from rankings or best–worst answers."""
    return any(f.n_of == "comparisons" for f in scene.results.of(question, "win-percent", "wins"))


def _counted(scene: Scene, question: str) -> str:
    if _is_implied(scene, question):
        return (
            "how often each system was best minus how often it was worst (in rankings, the share "
            "of systems ranked below it minus the share ranked above), in percent of the judgments "
            "that it was part of"
        )
    return (
        "wins minus losses of each system, in percent of all its comparisons; 0 means as many won "
        "as lost"
    )


_STRENGTHS = {
    "bradley-terry": "Bradley–Terry strengths",
    "plackett-luce": "Plackett–Luce worths",
}


def strengths_picture(scene: Scene, question: str) -> Picture | None:
    """Strengths by the planned model, or by Bradley and Terry's; the strongest first."""
    alone = [f for f in scene.results.of(question, "strength") if len(f.systems) == 1]
    model = min(alone, key=lambda f: (not f.is_planned, f.by)).by if alone else ""
    found = ranked(f for f in alone if f.by == model)
    rows = _rows(scene, found)
    if not any(row.value is not None for row in rows):
        return None
    marks = around(rows)
    sides = ("weaker", "stronger")
    axis = Axis(marks[0], marks[-1], "Log strength", marks, 0, sides)
    what = (
        f"{_STRENGTHS[model]} on {question}, in log odds, their sum 0: a system 1 above "
        "another is expected to win 73\u202f% of comparisons between the two"
    )
    texts = (f"{file_name(question)}-strengths", what, "")
    return _picture(scene, found, axis, texts=texts, per="in all")


def _rows(scene: Scene, findings: Sequence[Finding], *, is_bar: bool = False) -> list[Row]:
    return [
        Row(
            scene.cast.name(finding.systems[0]),
            value_words(finding),
            finding.value,
            finding.interval,
            spread=interval_words(finding),
            shade=scene.cast.shade(finding.systems[0]),
            is_bar=is_bar,
        )
        for finding in findings
    ]


def _picture(
    scene: Scene,
    found: Sequence[Finding],
    axis: Axis,
    *,
    texts: tuple[str, str, str],
    is_bar: bool = False,
    per: str = "per system",
) -> Picture:
    name, what, table = texts
    rows = _rows(scene, found, is_bar=is_bar)
    many = sizes(found, per=per)
    named = [(row.label, finding) for row, finding in zip(rows, found, strict=True)]
    says = "; ".join(f"{label}: {in_full(finding)}" for label, finding in named)
    caption = (
        f"{scene.said}{what}. {spread_words(found)} {capital(many)}{_people(found)}."
        f"{undefined_words(named)}"
    )
    drawing = draw_rows(Drawing(f"{scene.said}{what}.", f"{says}.", scene.width), rows, axis)
    numbers_in = f"table-{found[0].question}-{table}" if table else ""
    return Picture(name, caption, drawing, numbers_in)


def _people(found: Sequence[Finding]) -> str:
    known = [finding.participants for finding in found if finding.participants]
    return f" by {max(known):,} participants" if known and max(known) > 1 else ""


def _scale(scene: Scene, question: str, rows: Sequence[Row]) -> Axis:
    """The whole scale, so that no difference looks larger than it is, and all intervals."""
    details = scene.details(question)
    scores = details.scores if details else None
    if scores is None or scores.at[0] == scores.at[-1]:
        low, high = covering(rows)
        room = (high - low) * 0.1 or 1.0
        return Axis(low - room, high + room, "Mean score")
    low, high = covering(rows, scores.at[0], scores.at[-1])
    return Axis(low, high, "Mean score", _points(scores))


def _points(scores: ScoreCounts) -> tuple[float, ...]:
    if scores.kind == "points" and len(scores.at) <= _MOST_POINTS:
        return scores.at
    return ticks(scores.at[0], scores.at[-1])
