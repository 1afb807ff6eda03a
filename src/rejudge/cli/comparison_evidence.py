"""What a comparison says beyond types I to IV, on the terminal: claims, effects, conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rejudge.cli.console import entries, heading, number_table
from rejudge.english import as_sentence, count, versus
from rejudge.layout.numbers import decimals_of, minus_signs, number, range_text
from rejudge.layout.table import p_text
from rejudge.tables.comparison import value_in_words
from rejudge.tables.runs import criterion_name, system_name

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.compare import (
        ClaimVerdict,
        Comparison,
        Deviation,
        Known,
        PooledEffect,
        PrintedCheck,
    )

_PAIR = 2
_VERDICT_WIDTH = len("contradicted")
_LONGEST = 8  # a figure copied from a file, with all its decimals, is cut
_READINGS = ("hypotheses", "means", "effects")
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
_MODELS = {
    "pooled-mixed-model": "judgments pooled, mixed model",
    "pooled-cluster-robust": "judgments pooled, cluster-robust",
    "random-effects": "random effects",
}
_EFFECT_MEASURES = {
    "g": "Hedges' g",
    "mean-difference": "differences of means",
    "score-difference": "differences of scores",
    "win-percent": "% won",
}


# claims, success and printed figures


def findings(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Claims, trends, readings of success, and printed figures."""
    yield from _claims(comparison, marks)
    yield from _matching(comparison, marks)
    yield from _reading_rows(comparison, marks)
    yield from _printed_figures(comparison, marks)


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
                *_run_mark(comparison, each.run, marks),
                Text(each.verdict.replace("-", " "), _STYLES.get(each.verdict, "")),
                minus_signs(each.because),
            ]
            for each in verdicts
        ]
        yield entries(rows, least=(*(0 for _ in rows[0][2:]), _VERDICT_WIDTH))


def _run_mark(comparison: Comparison, run: str, marks: Mapping[str, str]) -> list[str]:
    """The mark of a run, where it must be told which one is meant."""
    return [marks[run]] if len(comparison.runs) > _PAIR else []


def _matching(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    found = [each for each in comparison.matching if each.f1 is not None]
    if not found:
        return
    yield heading("Trends and significance of differences that match the original's")
    made = number_table("", "same trend", "accuracy", "F1 of significance")
    for each in found:
        alike = f"{each.matched} of {each.pairs}"
        made.add_row(marks[each.run], alike, number(each.matching, 2), number(each.f1, 2))
    yield made


def _reading_rows(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    if not comparison.readings:
        return
    yield heading("Three readings of success, none of them the verdict")
    alike: dict[tuple[str, str], list[str]] = {}
    for each in sorted(comparison.readings, key=lambda each: _READINGS.index(each.by)):
        alike.setdefault((each.by, each.says), []).append(marks[each.run])
    is_named = len(comparison.runs) > _PAIR
    yield entries(
        [
            [f"by {by}", *([", ".join(runs)] if is_named else []), says]
            for (by, says), runs in alike.items()
        ]
    )


def _printed_figures(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    if not comparison.printed:
        return
    yield heading("Printed figures of reproducibility, recomputed")
    is_named = len(comparison.runs) > _PAIR
    made = number_table("", *(["run"] if is_named else []), "printed", "ours", "reproduced")
    for each in comparison.printed:
        made.add_row(
            _figure(comparison, each),
            *_run_mark(comparison, each.run, marks),
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
            told = [_figure(comparison, each), *_run_mark(comparison, each.run, marks)]
            why.setdefault(each.because, []).append(", ".join(told))
    for because, figures in why.items():
        yield Text(f"{'; '.join(figures)}:")
        yield entries([[minus_signs(because)]])


def _figure(comparison: Comparison, each: PrintedCheck) -> str:
    """Of what a figure tells: `CV*, Separator`; the criterion where there are several."""
    measure, _, p = each.measure.partition(" ")
    told = [f"{'p of ' if p else ''}{_FIGURES.get(measure, measure)}"]
    if each.system:
        told.append(system_name(comparison, each.system))
    if each.criterion and len({other.criterion for other in comparison.printed}) > 1:
        told.append(criterion_name(comparison, each.criterion))
    return ", ".join(told)


def _cut(printed: str) -> str:
    return minus_signs(printed if len(printed) <= _LONGEST else f"{printed[: _LONGEST - 1]}…")


def _outcome(each: PrintedCheck) -> Text:
    from rich.text import Text

    if each.is_reproduced is None:
        return Text("–")
    if not each.is_reproduced:
        return Text("no", "red")
    return Text("by rounding" if each.because else "yes", "green")


# all runs together


def together(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Differences of systems over all runs, then how stable each run's order is."""
    tables: dict[tuple[str, str, str], list[PooledEffect]] = {}
    for each in comparison.pooled:
        if each.value is not None:
            tables.setdefault((each.criterion, each.by, each.measure), []).append(each)
    for (criterion, by, measure), found in tables.items():
        name = criterion_name(comparison, criterion)
        where = ", these labs alone" if _is_of_these(found) else ""
        yield heading(
            f"All runs together, {name}: {_EFFECT_MEASURES[measure]} ({_MODELS[by]}{where})"
        )
        yield from _pooled_table(comparison, found)
    yield from _stability(comparison, marks)


def _is_of_these(found: list[PooledEffect]) -> bool:
    """Whether what is shown speaks for these labs alone, not for labs in general."""
    return any(each.speaks_for == "these labs" and each.interval is not None for each in found)


def _pooled_table(comparison: Comparison, found: list[PooledEffect]) -> Iterator[RenderableType]:
    from rich.text import Text

    has_prediction = any(each.prediction for each in found)
    further = ["a further lab's"] if has_prediction else []
    is_corrected = sum(each.p_adjusted is not None for each in found) > 1
    made = number_table("", "value", "95 % interval", *further, "p (Holm)" if is_corrected else "p")
    decimals = max(1, min(2, decimals_of([each.value for each in found if each.value is not None])))
    for each in found:
        names = [system_name(comparison, system) for system in (each.first, each.second)]
        made.add_row(
            versus(names, each.measure),
            number(each.value, decimals),
            range_text(each.interval, decimals),
            *([range_text(each.prediction, decimals)] if has_prediction else []),
            p_text(each.p_adjusted if is_corrected else each.p),
        )
    yield made
    yield from (
        Text(minus_signs(note)) for note in dict.fromkeys(each.note for each in found) if note
    )


def _stability(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    found = [each for each in comparison.stability if each.probability is not None]
    if not found:
        return
    yield heading("How probable it is that a repetition keeps the order of the systems")
    made = number_table("", "run", "probability", left=(0, 1))
    for each in found:
        name = criterion_name(comparison, each.criterion)
        made.add_row(name, marks[each.run], number(each.probability, 3))
    yield made
    yield from (Text(note) for note in dict.fromkeys(each.note for each in found) if note)


# conditions and deviations


def conditions(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Conditions alike in counts; each deviation on one line, its reason on the next."""
    from rich.text import Text

    if comparison.similarities:
        yield heading("Conditions")
    for each in comparison.similarities:
        yield Text(
            f"{marks[each.first]} and {marks[each.second]}: {each.equal} of "
            f"{count(each.known_in_both, 'condition')} known in both "
            f"{'is' if each.equal == 1 else 'are'} equal."
        )
    yield from _deviations(comparison, marks)


def _deviations(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    if not comparison.deviations:
        return
    yield heading("What was done differently")
    alike: dict[tuple[str, str, str], list[str]] = {}
    titles = [each.title for each in comparison.deviations]
    for each in sorted(comparison.deviations, key=lambda each: titles.index(each.title)):
        runs = alike.setdefault((each.title, _change(each), _reason(each)), [])
        runs.append(marks[each.run])
    for (title, change, reason), runs in alike.items():
        whose = "" if len(comparison.runs) <= _PAIR else f" ({', '.join(runs)})"
        yield Text(f"{title}{whose}{change}")
        yield entries([[reason]])


def _change(each: Deviation) -> str:
    """From what to what; empty where it is only told."""
    if each.original == each.here:
        return ""
    return minus_signs(f": {_value(each.original)} → {_value(each.here)}")


def _value(value: Known) -> str:
    return value_in_words(value) or "not known"


def _reason(each: Deviation) -> str:
    return " ".join(
        part
        for part in (
            as_sentence(each.reason.strip() or "No reason given"),
            f"Impact: {each.impact}.",
            each.note,
        )
        if part
    )
