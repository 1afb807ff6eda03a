"""How large a difference is in words, next to the number and never instead of it.

The thresholds are conventions: of Cohen (1988) for standardised differences, of Vargha & Delaney
(2000) for how often one of two is preferred. Whether a size matters is for the reader to say.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from rejudge.analysis.results import Results
from rejudge.findings.model import EffectSize, Finding
from rejudge.layout.numbers import NARROW, interval_phrase, number, percent
from rejudge.report.answer import QuestionOutcome, lead, mirror

_WORDS = ("very small", "small", "medium", "large")
_WIN_STEPS = (6.0, 14.0, 21.0)  # percentage points from 50 (Vargha & Delaney 2000)
_EVEN = 50.0
_D_STEPS = (0.2, 0.5, 0.8)  # Cohen (1988)
_STANDARDISED = ("d", "g", "dz", "gz")


def win_size(value: float) -> str:
    """How far a share of comparisons won is from an even one, in words."""
    return _WORDS[bisect_right(_WIN_STEPS, abs(value - _EVEN))]


def d_size(value: float) -> str:
    """How large a standardised difference is, in words."""
    return _WORDS[bisect_right(_D_STEPS, abs(value))]


def size_sentence(outcome: QuestionOutcome, results: Results) -> str | None:
    """How large the lead of the best system over the next is; None where there is none to tell."""
    pair = lead(outcome)
    if pair is None or pair.value is None or pair.interval is None:
        return None  # without an interval a size would say too much
    if outcome.standings[0].value == outcome.standings[1].value:
        return None
    who, whom = (outcome.labels[system] for system in pair.systems)
    if pair.measure == "win-percent":
        return _of_wins(pair, who, whom)
    if pair.measure == "score-difference":
        return _of_best_worst_scores(pair, whom)
    if pair.measure in {"mean-difference", "median-difference"}:
        return _of_scores(outcome, pair, whom, _standardised_effect(results, pair))
    return None


def _of_wins(pair: Finding, who: str, whom: str) -> str:
    of_whom = f"The estimated lead over {whom}, the next best,"
    if (pair.value or 0.0) < _EVEN:  # the best of all can lose to the next best head to head
        of_whom = f"Head to head, the estimated lead of {whom}, the next best, over {who}"
        pair, who, whom = mirror(pair), whom, who
    value = pair.value or 0.0
    return (
        f"{of_whom} is {win_size(value)}: {percent(value)} of comparisons, where "
        f"50{NARROW}% would be even ({interval_phrase(pair.interval, 1)})"
        f"{_interval_in_words(pair, who, whom)}."
    )


def _interval_in_words(pair: Finding, who: str, whom: str) -> str:
    """What the interval allows besides, where that has another name."""
    interval = pair.interval
    if interval is None:
        return ""
    if interval.low >= _EVEN:
        low, high = win_size(interval.low), win_size(interval.high)
        return f"; the interval ranges from {low} to {high}" if low != high else ""
    return (
        f"; the interval ranges from a {win_size(interval.low)} lead for {whom} to a "
        f"{win_size(interval.high)} one for {who}"
    )


def _of_best_worst_scores(pair: Finding, whom: str) -> str:
    points = number(pair.value or 0.0, 1)
    return (
        f"Its best–worst score (−100 to 100) is estimated to be {points} points above that of "
        f"{whom}, the next best ({interval_phrase(pair.interval, 1)})."
    )


def _of_scores(
    outcome: QuestionOutcome, pair: Finding, whom: str, effect: EffectSize | None
) -> str:
    length = outcome.question.length
    value = pair.value or 0.0
    points = "point" if number(value, 2) in {"1.00", "−1.00"} else "points"
    share = f", {percent(100 * abs(value) / length)} of the scale’s length" if length else ""
    said = (
        f"The estimated lead over {whom}, the next best, is {number(value, 2)} {points}{share} "
        f"({interval_phrase(pair.interval, 2)}){_besides_means(outcome, pair)}"
    )
    if effect is None:
        return f"{said}."
    spread = f" ({interval_phrase(effect.interval, 2)})" if effect.interval else ""
    name = {"dz": "d_z", "gz": "g_z"}.get(effect.name, effect.name)
    size = f"{said}; {name} = {number(effect.value, 2)}{spread}"
    if effect.name in {"dz", "gz"}:  # Cohen's words are for d, which does not grow with raters
        return f"{size}."
    return f"{size} is {d_size(effect.value)} by Cohen’s rule of thumb."


def _besides_means(outcome: QuestionOutcome, pair: Finding) -> str:
    """Why the lead is not the difference of the means that stand beside it."""
    best, second = (each.value or 0.0 for each in outcome.standings[:2])
    plain = number(best - second, 2)
    if pair.measure != "mean-difference" or plain == number(pair.value or 0.0, 2):
        return ""
    return f", compared within items; their means over all judgments differ by {plain}"


def _standardised_effect(results: Results, pair: Finding) -> EffectSize | None:
    """The same difference in standard deviations, by whichever test gives it."""
    for finding in results.select():
        if finding.question != pair.question or set(finding.systems) != set(pair.systems):
            continue
        for effect in (finding.effect, *finding.further_effects):
            if effect is not None and effect.name in _STANDARDISED:
                return effect if finding.systems == pair.systems else _mirror_effect(effect)
    return None


def _mirror_effect(effect: EffectSize) -> EffectSize:
    """An effect read from the other system's side."""
    ends = effect.interval
    interval = None if ends is None else replace(ends, low=-ends.high, high=-ends.low)
    return replace(effect, value=-effect.value, interval=interval)
