"""Scores that are computed from others by a stated formula: what they are, and their scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejudge.english import count, verb
from rejudge.study import Applied, Number, PartScore, ScoreFormula, Term


@dataclass(frozen=True, slots=True)
class DerivedFormula:
    """A score that is to be computed."""

    id: str
    formula: ScoreFormula


@dataclass(frozen=True, slots=True)
class DerivedScore:
    """A score that was computed from others, and how often it could not be."""

    id: str
    formula: str
    parts: tuple[str, ...]
    low: float | None  # the ends of its scale, from those of its parts; None: not known
    high: float | None
    n: int  # scores that count
    missing: int  # outputs and participants that lack a part
    undefined: int = 0  # that the formula has no value for, such as a division by zero
    is_by_segment: bool = False  # False: of segments, the mean of each output was taken first

    @property
    def says(self) -> str:
        """What was computed, in a sentence."""
        over = "segment" if self.is_by_segment else "output"
        missing = f"{self.missing:,} {verb(self.missing, 'lacks', 'lack')} a part"
        undefined = f"{self.undefined:,} {verb(self.undefined, 'has', 'have')} no value"
        lost = [missing if self.missing else "", undefined if self.undefined else ""]
        rest = "; ".join(part for part in lost if part)
        return (
            f"The score {self.id} = {self.formula} was computed for each participant and {over}: "
            f"{count(self.n, 'score')}{f'; {rest}' if rest else ''}."
        )


def bounds_of(
    term: Term, parts: Mapping[str, tuple[float, float] | None]
) -> tuple[float, float] | None:
    """Between which ends a formula lies, given the ends of its parts; None where not known.

    Interval arithmetic: nothing lies outside of it, though a part that occurs twice may make it
    wider than needed.
    """
    if isinstance(term, Number):
        return term.value, term.value
    if isinstance(term, PartScore):
        return parts.get(term.question)
    ends = [bounds_of(each, parts) for each in term.terms]
    known = [each for each in ends if each is not None]
    return _combined_ends(term, known) if len(known) == len(ends) else None


def _combined_ends(
    term: Applied, ends: Sequence[tuple[float, float]]
) -> tuple[float, float] | None:
    low, high = [each[0] for each in ends], [each[1] for each in ends]
    if term.operation == "+":
        return sum(low), sum(high)
    if term.operation == "-":
        return low[0] - high[1], high[0] - low[1]
    if term.operation == "mean":
        return sum(low) / len(low), sum(high) / len(high)
    if term.operation in {"min", "max"}:
        choose = min if term.operation == "min" else max
        return choose(low), choose(high)
    if term.operation == "/" and low[1] <= 0 <= high[1]:
        return None
    corners = [
        one * other if term.operation == "*" else one / other
        for one in (low[0], high[0])
        for other in (low[1], high[1])
    ]
    return min(corners), max(corners)
