"""What a comparison says of claims, of success, and of figures that the papers print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rejudge.cli.compared.layout import (
    PAIR,
    criterion_of,
    entries,
    heading,
    minus,
    number,
    system_of,
    table,
)
from rejudge.english import count

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.compare import ClaimVerdict, Comparison, PrintedCheck

_VERDICT_WIDTH = len("contradicted")
_LONGEST = 8  # a figure copied from a file, with all its decimals, is cut
_WAYS = ("hypotheses", "means", "effects")
_STYLES = {"upheld": "green", "contradicted": "red", "not-upheld": "yellow", "undecided": "yellow"}
_FIGURES = {
    "cv-star": "CV*",
    "pearson": "r",
    "spearman": "rho",
    "kendall-tau": "tau",
    "matching-accuracy": "matching accuracy",
    "significance-f1": "F1 of significance",
    "pairwise-ranks": "pairwise ranks",
    "significance": "significant differences",
}


def findings(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Claims, trends, readings of success, and printed figures."""
    yield from _claims(comparison, marks)
    yield from _matching(comparison, marks)
    yield from _readings(comparison, marks)
    yield from _printed(comparison, marks)


def _claims(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Each claim on its own line; below it what every run says, and why."""
    from rich.text import Text

    if not comparison.claims:
        return
    yield heading("Claims of the original")
    by_claim: dict[str, list[ClaimVerdict]] = {}
    for each in comparison.claims:
        by_claim.setdefault(each.says, []).append(each)
    for says, verdicts in by_claim.items():
        yield Text(says)
        rows: list[list[RenderableType]] = [
            [
                *_named(comparison, each.run, marks),
                Text(each.verdict.replace("-", " "), _STYLES.get(each.verdict, "")),
                minus(each.because),
            ]
            for each in verdicts
        ]
        yield entries(rows, least=(*(0 for _ in rows[0][2:]), _VERDICT_WIDTH))


def _named(comparison: Comparison, run: str, marks: Mapping[str, str]) -> list[str]:
    """The mark of a run, where it must be told which one is meant."""
    return [marks[run]] if len(comparison.runs) > PAIR else []


def _matching(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    found = [each for each in comparison.matching if each.f1 is not None]
    if not found:
        return
    yield heading("Trends and significance of differences that match the original's")
    made = table("", "same trend", "accuracy", "F1 of significance")
    for each in found:
        alike = f"{each.matched} of {each.pairs}"
        made.add_row(marks[each.run], alike, number(each.matching), number(each.f1))
    yield made


def _readings(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    if not comparison.readings:
        return
    yield heading("Three readings of success, none of them the verdict")
    alike: dict[tuple[str, str], list[str]] = {}
    for each in sorted(comparison.readings, key=lambda each: _WAYS.index(each.by)):
        alike.setdefault((each.by, each.says), []).append(marks[each.run])
    is_named = len(comparison.runs) > PAIR
    yield entries(
        [
            [f"by {by}", *([", ".join(runs)] if is_named else []), says]
            for (by, says), runs in alike.items()
        ]
    )


def _printed(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    if not comparison.printed:
        return
    yield heading("Printed figures of reproducibility, recomputed")
    is_named = len(comparison.runs) > PAIR
    made = table("", *(["run"] if is_named else []), "printed", "ours", "reproduced")
    for each in comparison.printed:
        made.add_row(
            _figure(comparison, each),
            *_named(comparison, each.run, marks),
            _cut(each.printed),
            number(each.computed, 3),
            _outcome(each),
        )
    yield made
    same = sum(each.is_reproduced is True for each in comparison.printed)
    yield Text(f"{same} of {count(len(comparison.printed), 'printed figure')} reproduced.")
    why: dict[str, list[str]] = {}
    for each in comparison.printed:
        if not each.is_reproduced and each.because:
            told = [_figure(comparison, each), *_named(comparison, each.run, marks)]
            why.setdefault(each.because, []).append(", ".join(told))
    for because, figures in why.items():
        yield Text(f"{'; '.join(figures)}:")
        yield entries([[minus(because)]])


def _figure(comparison: Comparison, each: PrintedCheck) -> str:
    """Of what a figure tells: `CV*, Separator`; the criterion where there are several."""
    measure, _, p = each.measure.partition(" ")
    told = [f"{'p of ' if p else ''}{_FIGURES.get(measure, measure)}"]
    if each.system:
        told.append(system_of(comparison, each.system))
    if each.criterion and len({other.criterion for other in comparison.printed}) > 1:
        told.append(criterion_of(comparison, each.criterion))
    return ", ".join(told)


def _cut(printed: str) -> str:
    return minus(printed if len(printed) <= _LONGEST else f"{printed[: _LONGEST - 1]}…")


def _outcome(each: PrintedCheck) -> Text:
    from rich.text import Text

    if each.is_reproduced is None:
        return Text("–")
    if not each.is_reproduced:
        return Text("no", "red")
    return Text("by rounding" if each.because else "yes", "green")
