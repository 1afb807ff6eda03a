"""What a rule reads, and what it returns.

A rule yields a discrepancy, or None for numbers that it checked and found consistent, so that an
audit can say how much was checked: a rule that finds nothing may have had no numbers to check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from rejudge.paper.model import (
    Paper,
    PaperCase,
    PaperCriterion,
    PrintedTest,
    Reproducibility,
    Score,
)
from rejudge.paper.printed import Contingency

A = TypeVar("A")

ZERO_SUM = ("best-worst", "win-rate")  # scales on which each win is another system's loss
_JUDGMENTS = ("judgment", "judgement", "rating", "answer", "annotation", "response")


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One thing a rule found: what it is, the arithmetic behind it, where, and what to do."""

    says: str
    arithmetic: str
    place: str
    remedy: str


Outcomes: TypeAlias = Iterator[Discrepancy | None]


@dataclass(frozen=True, slots=True)
class MatchedScores:
    """The scores of one system on one criterion in several papers, this paper's last."""

    system: str
    criterion: PaperCriterion  # of the first paper, on whose scale all are
    scores: tuple[Score, ...]
    values: tuple[float, ...]  # on the first paper's scale
    half_units: tuple[float, ...]


@dataclass(frozen=True)
class PaperEvidence:
    """A paper, and the papers it compares itself with as far as they are given."""

    paper: Paper
    others: Mapping[str, Paper] = field(default_factory=dict)

    def entries(self, kind: type[A]) -> Iterator[tuple[A, str]]:
        """The arithmetic entries of one kind, each with its place."""
        for number, entry in enumerate(self.paper.arithmetic):
            if isinstance(entry, kind):
                yield entry, _place(entry.place, f"arithmetic[{number}]")

    def tests(self) -> Iterator[tuple[PaperCase, PrintedTest, str]]:
        """The printed tests of all cases, each with its place."""
        for case in self.paper.cases:
            for number, test in enumerate(case.tests):
                yield case, test, _place(test.place, f"{self.case_path(case)}.tests[{number}]")

    def scores(self) -> Iterator[tuple[PaperCase, Score, str]]:
        """The printed scores of all cases, each with its place."""
        for case in self.paper.cases:
            for number, score in enumerate(case.scores):
                if score.value is None:
                    continue
                yield case, score, _place(score.place, f"{self.case_path(case)}.scores[{number}]")

    def figures(self, *measures: str) -> Iterator[tuple[Reproducibility, str]]:
        """The printed reproducibility figures of some measures, each with its place."""
        for number, figure in enumerate(self.paper.reproducibility):
            if figure.measure in measures and figure.value is not None:
                yield figure, _place(figure.place, f"reproducibility[{number}]")

    def tables(self) -> Iterator[tuple[Contingency, str]]:
        """The printed contingency tables, each with its place."""
        for number, table in enumerate(self.paper.contingency):
            yield table, _place(table.place, f"contingency[{number}]")

    def case_path(self, case: PaperCase) -> str:
        """Where a case is in the file."""
        return f"cases[{self.paper.cases.index(case)}]"

    def criterion(self, name: str) -> PaperCriterion | None:
        """A criterion by its id."""
        return _criterion(self.paper, name)

    def score(self, case: PaperCase, criterion: str, system: str) -> Score | None:
        """The printed score of a system."""
        return _score(case, criterion, system)

    def matched_scores(self, figure: Reproducibility) -> tuple[MatchedScores, ...] | None:
        """The scores a figure compares, by system and criterion; None where some are missing.

        Other papers' scores are those of their case of the same name, or of their first.
        """
        names = figure.among or ((self.paper.reproduces,) if self.paper.reproduces else ())
        others = [self.others.get(name) for name in names if name != self.paper.id]
        own = _case(self.paper, figure.case)
        if own is None or not others or None in others:
            return None
        cases = [(each, _case(each, figure.case)) for each in others if each is not None]
        found = []
        for score in own.known:
            if figure.criterion not in (None, score.criterion):
                continue
            if figure.system not in (None, score.system):
                continue
            row = self._row(score, cases)
            if row is None:
                return None
            found.append(row)
        return tuple(found) or None

    def _row(self, own: Score, cases: list[tuple[Paper, PaperCase | None]]) -> MatchedScores | None:
        parts = [
            (_criterion(paper, own.criterion), _score(case, own.criterion, own.system))
            for paper, case in cases
        ] + [(self.criterion(own.criterion), own)]
        first = parts[0][0]
        placed = [
            _on_scale(score, criterion, first)
            for criterion, score in parts
            if criterion is not None and score is not None and first is not None
        ]
        if first is None or len(placed) < len(parts) or None in placed:
            return None
        pairs = [each for each in placed if each is not None]
        return MatchedScores(
            own.system,
            first,
            tuple(score for _, score in parts if score is not None),
            tuple(value for value, _ in pairs),
            tuple(half for _, half in pairs),
        )


def figure_name(figure: Reproducibility) -> str:
    """The name of a reproducibility figure: its system and criterion."""
    parts = [each for each in (figure.system, figure.criterion) if each]
    return ", ".join(parts) or "all criteria together"


def is_of_judgments(test: PrintedTest) -> bool:
    """Whether a test treats single judgments as its observations."""
    return test.unit.lower().rstrip("s") in _JUDGMENTS


def _place(printed: str, path: str) -> str:
    return f"{printed} ({path})" if printed else path


def _case(paper: Paper, name: str) -> PaperCase | None:
    for case in paper.cases:
        if case.id == name:
            return case
    return paper.cases[0] if paper.cases else None


def _criterion(paper: Paper, name: str) -> PaperCriterion | None:
    return next((each for each in paper.criteria if each.id == name), None)


def _score(case: PaperCase | None, criterion: str, system: str) -> Score | None:
    if case is None:
        return None
    return next((s for s in case.known if (s.criterion, s.system) == (criterion, system)), None)


def _on_scale(
    score: Score, own: PaperCriterion, first: PaperCriterion
) -> tuple[float, float] | None:
    """A score and its half unit on the first paper's scale; None where a scale has no ends."""
    here, there = own.scale, first.scale
    if (here.low, here.high) == (there.low, there.high):
        return score.number.value, score.number.half_unit
    if None in (here.low, here.high, there.low, there.high):
        return None
    low, high = float(here.low or 0), float(here.high or 0)
    base, top = float(there.low or 0), float(there.high or 0)
    stretch = (top - base) / (high - low)
    return base + (score.number.value - low) * stretch, score.number.half_unit * stretch
