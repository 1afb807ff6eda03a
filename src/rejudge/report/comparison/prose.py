"""Paragraphs on a comparison for a paper: how it was made, and what bounds it."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.compare import Comparison
from rejudge.english import as_sentence, count, join_words, verb
from rejudge.tables.runs import run_name

_SOURCES = {
    "paper": "the numbers a paper prints",
    "results": "a table of judgments",
    "study": "a study with its judgments",
    "bundle": "a bundle with its judgments",
}


def comparison_methods(comparison: Comparison) -> tuple[str, ...]:
    """How the runs were compared, sentence by sentence."""
    return tuple(as_sentence(sentence) for sentence in _methods(comparison))


def comparison_limitations(comparison: Comparison) -> tuple[str, ...]:
    """What bounds the comparison; only what is true of it."""
    return tuple(as_sentence(sentence) for sentence in _limits(comparison))


def _methods(comparison: Comparison) -> Iterator[str]:
    others = [run for run in comparison.runs if run.id != comparison.original]
    names = join_words([run_name(comparison, run.id) for run in others])
    original = run_name(comparison, comparison.original)
    yield (
        f"{original} was compared with {count(len(others), 'reproduction')} ({names}) on "
        f"{count(len(comparison.systems), 'system')} and "
        f"{count(len(comparison.criteria), 'criterion')}"
    )
    for run in comparison.runs:
        known = f" (fingerprint {run.fingerprint})" if run.fingerprint else ""
        name = run_name(comparison, run.id)
        yield f"{name} was read from {_SOURCES.get(run.source, run.source)}{known}"
    measured = list(_measures(comparison))
    if measured:
        yield f"Reproducibility was assessed by {join_words(measured)} (Belz 2025)"
    yield (
        f"{count(len(comparison.conditions), 'condition')} of measurement "
        f"{verb(len(comparison.conditions), 'was', 'were')} set side by side; "
        f"{count(len(comparison.deviations), 'deviation')} "
        f"{verb(len(comparison.deviations), 'was', 'were')} found"
    )
    yield f"All numbers were computed with rejudge {comparison.version}"


def _measures(comparison: Comparison) -> Iterator[str]:
    if any(each.value is not None for each in comparison.variations):
        yield "the coefficient of variation CV* of single scores (type I)"
    if any(each.value is not None for each in comparison.correlations):
        yield "correlations of scores and ranks (type II)"
    if any(each.value is not None and each.is_between for each in comparison.agreement):
        yield "agreement of labels (type III)"
    if any(each.assessable for each in comparison.confirmed):
        yield "the share of findings confirmed (type IV)"


def _limits(comparison: Comparison) -> Iterator[str]:
    simulated = [run for run in comparison.runs if run.is_simulated]
    if simulated:
        names = join_words([run_name(comparison, run.id) for run in simulated])
        yield f"The judgments of {names} were simulated by a program; no person took part"
    if len(comparison.runs) == 2:  # noqa: PLR2004 - the original and one more
        yield "Two runs alone show how far they differ, not how far further runs would"
    few = len(comparison.systems)
    if few < 5:  # noqa: PLR2004 - with fewer, a rank correlation can take a handful of values
        yield (
            f"With {count(few, 'system')} a correlation of scores or ranks says little about "
            "further systems"
        )
    printed = [run for run in comparison.runs if run.source == "paper"]
    if printed:
        names = join_words([run_name(comparison, run.id) for run in printed])
        yield f"Of {names} only what the paper prints is known, rounded as it is printed there"
    yield from _of_conditions(comparison)
    yield from comparison.dropped


def _of_conditions(comparison: Comparison) -> Iterator[str]:
    unknown = [
        each
        for each in comparison.conditions
        if any(value is None for value in each.values.values())
    ]
    if unknown:
        yield (
            f"{count(len(unknown), 'condition')} of {len(comparison.conditions):,} "
            f"{verb(len(unknown), 'is', 'are')} not known for every run"
        )
    unexplained = [each for each in comparison.deviations if not each.reason]
    if unexplained:
        yield (
            f"For {count(len(unexplained), 'deviation')} of {len(comparison.deviations):,} no "
            "reason is given"
        )
