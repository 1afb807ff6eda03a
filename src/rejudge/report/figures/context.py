"""What all figures of a report share: results, how systems look, and sentences about numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rejudge.analysis.results import Results
from rejudge.english import count, plural
from rejudge.findings.model import Finding
from rejudge.findings.words import interval_source
from rejudge.layout.numbers import interval_phrase, interval_text, level_text
from rejudge.report.figures.style import SHADES
from rejudge.tables.findings import Scope, scores
from rejudge.tables.wording import NOUNS, WEIGHTED_INPUTS, digits_of, value_with_unit

UNRANKED = "; not ranked, since they were judged on different items or by different people"


@dataclass(frozen=True, slots=True)
class SystemStyles:
    """The systems of a report: what each is called and how it is drawn, in every figure alike.

    Up to eight have a colour and a shape of their own. Of more, only those have one that lead on a
    question; the others are grey, and known by their labels.
    """

    names: Mapping[str, str]
    shades: Mapping[str, int]  # 0: grey

    def name(self, system: str) -> str:
        """What a system is called."""
        return " ".join(self.names.get(system, system).split())

    def shade(self, system: str) -> int:
        """Its colour and shape; 0 for grey."""
        return self.shades.get(system, 0)


@dataclass(frozen=True, slots=True)
class FigureContext:
    """Results that are about to be drawn."""

    results: Results
    systems: SystemStyles

    @property
    def prefix(self) -> str:
        """What every caption begins with."""
        return "Simulated. " if self.results.flow.is_simulated else ""

    def standings(self, question: str) -> tuple[Finding, ...]:
        """How the systems stand on a question, the best first, what is undefined last."""
        return standings(self.results, question)

    def is_ranked(self, question: str) -> bool:
        """Whether the systems can be ranked by their scores: they rest on the same items."""
        return all(finding.is_comparable for finding in self.standings(question))

    def is_comparison(self, question: str) -> bool:
        """Whether systems were compared rather than scored."""
        return bool(self.results.select(question, "win-percent", "wins"))


def figure_context(results: Results, labels: Mapping[str, str]) -> FigureContext:
    """Everything that the figures of these results share; `labels` in the order of the study."""
    found = dict.fromkeys(system for finding in results.select() for system in finding.systems)
    order = (*(s for s in labels if s in found), *(s for s in found if s not in labels))
    return FigureContext(results, SystemStyles(labels, _shades(results, order)))


def _shades(results: Results, order: Sequence[str]) -> dict[str, int]:
    coloured = order if len(order) <= SHADES else _leaders(results, order)
    return {system: place for place, system in enumerate(coloured, start=1)}


def _leaders(results: Results, order: Sequence[str]) -> list[str]:
    first = {
        found[0].systems[0]
        for question in results.questions
        if (found := standings(results, question)) and found[0].value is not None
    }
    return [system for system in order if system in first][:SHADES]


def standings(results: Results, question: str) -> tuple[Finding, ...]:
    """Means or percentages of wins, the best first, what is undefined last."""
    found = scores(results, Scope(question))
    return tuple(finding for finding in found if not finding.category)


def format_value(finding: Finding) -> str:
    """A value as it stands beside its mark."""
    return "undefined" if finding.value is None else value_with_unit(finding)


def format_interval(finding: Finding) -> str:
    """An interval as it stands beside its mark."""
    if finding.value is None:
        return ""
    if finding.interval is None:
        return "no interval"
    return interval_text(finding.interval, digits_of(finding))


def describe_value(finding: Finding) -> str:
    """A value with its interval, as it is read aloud."""
    if finding.value is None:
        return f"undefined ({finding.note.rstrip('.')})" if finding.note else "undefined"
    return f"{value_with_unit(finding)}, {interval_phrase(finding.interval, digits_of(finding))}"


def describe_sizes(findings: Sequence[Finding], *, per: str) -> str:
    """Such as “615 judgments per pair”."""
    found = sorted({finding.n or 0 for finding in findings if finding.value is not None})
    if not found:
        return ""
    noun = NOUNS[findings[0].n_of]
    several = f"{found[0]:,} to {found[-1]:,} {plural(noun)}"
    many = count(found[0], noun) if len(found) == 1 else several
    return f"{many} {per}".strip()


def describe_intervals(findings: Sequence[Finding]) -> str:
    """What the lines in a figure are: level and method, and what has none."""
    known = [finding for finding in findings if finding.interval is not None]
    levels = {finding.interval.level for finding in findings if finding.interval is not None}
    if not levels:
        return "No interval could be computed."
    ways = dict.fromkeys(
        words for finding in known if (words := interval_source(finding.how, df=False))
    )
    how = f", {next(iter(ways))}" if len(ways) == 1 else ""
    lines = f"Lines are {level_text(max(levels))} intervals{how}"
    bare = sum(f.interval is None and f.value is not None for f in findings)
    ends = f"; {count(bare, 'mark')} without one." if bare else "."
    weighted = f" {WEIGHTED_INPUTS}" if any(f.is_weighted for f in findings) else ""
    return f"{lines}{ends}{weighted}"


def describe_undefined(findings: Iterable[tuple[str, Finding]]) -> str:
    """What could not be drawn, by name."""
    names = [name for name, finding in findings if finding.value is None]
    return f" Undefined and not drawn: {', '.join(names)}." if names else ""
