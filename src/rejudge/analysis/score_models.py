"""Mixed models of scores: systems compared while participants and items differ too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import (
    FEWEST,
    MOST_JUDGMENTS,
    AnalysisPlan,
    over_size,
    too_few,
)
from rejudge.analysis.columns import Scores, levels, scores
from rejudge.analysis.descriptives import (
    coverage_of,
    dealt_in_words,
    terms_in_words,
    terms_note,
    terms_of,
    within_items,
)
from rejudge.analysis.estimates import n_of
from rejudge.analysis.findings import (
    population_of_clusters,
    undefined_finding,
    with_alternative,
    with_population,
)
from rejudge.analysis.formula import (
    DF_IN_WORDS,
    FixedEffects,
    df_limit_in_words,
    free_contrasts,
    random_effects,
    slopes_in_words,
    variances_in_words,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.english import join_notes, join_words
from rejudge.findings.model import Finding, Key, Statistic
from rejudge.findings.planned_keys import method_of
from rejudge.judgments.table import Judgments
from rejudge.study.analysis_plan import DfMethod, PlannedTest, Slopes
from rejudge.study.methods import Test

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LINEAR = "linear mixed model, REML: {fixed} fixed, {groups} random{dealt}; t with {df}"
_FREE = "linear mixed model, REML: {fixed} fixed, {slopes}; t with {df}"
_LATENT = (
    "{name}: {fixed} fixed, {groups} random{dealt}; log odds, t with {df} degrees of freedom and "
    "errors widened for {clusters} clusters"
)
_CROSSED = "system × participant"
_MOST_FREE = 2_500  # columns of a model with free slopes
_MOST_FURTHER = 200_000  # judgments of a model that nobody planned and that decides nothing
_MOST_COLUMNS_OF_FURTHER = 1_000
_COLUMNS = "participants (or items, if they are fewer) times systems"
_NAMES: dict[Test, str] = {
    "ordinal-mixed-model": "cumulative link mixed model",
    "binary-mixed-model": "binary mixed model (logistic)",
}
AnyFit: TypeAlias = stats.MixedFit | stats.OrdinalFit | stats.FreeSlopesFit
_FITS: dict[Test, Callable[..., stats.MixedFit | stats.OrdinalFit]] = {
    "mixed-model": stats.linear_mixed,
    "ordinal-mixed-model": stats.ordinal_mixed,
    "binary-mixed-model": stats.binary_mixed,
}


def score_model_findings(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """Differences of systems in models with random intercepts for participants and items."""
    table = None if asked.is_comparison else scores(analysis.outline, judgments)
    is_linear = planned.test == "mixed-model"
    slopes = analysis.slopes_of(asked, planned) if is_linear else "equal"
    reason = _reason(analysis, asked, table, planned)
    if table is not None and not reason and not analysis.is_planned(asked, planned.test):
        reason = too_few(levels(table.item), _participants(table))
    if table is None or reason:
        yield undefined_finding(analysis, asked, planned.test, reason)
        return
    terms = terms_of(analysis, table)
    fit, found = fit_contrasts(
        table,
        terms,
        planned.test,
        level=analysis.level,
        df=analysis.df_of(asked, planned),
        slopes=slopes,
        progress=analysis.steps.within,
    )
    if not found:
        yield undefined_finding(
            analysis, asked, planned.test, f"Undefined: {_lower_first(fit.note)}"
        )
        return
    model = _method(planned.test, table, terms, fit, dealt=dealt_in_words(analysis, table))
    variances = _variances(fit, analysis.outline.systems)
    note = join_notes(
        fit.note,
        _few(table) if is_linear else "",
        terms_note(analysis, {each.term: each.statistic for each in fit.coefficients}, terms),
    )
    coverage = coverage_of(analysis, table)
    population = population_of_clusters(has_participants=table.has_participants)
    for each in found:
        how = f"{model}{_limit_in_words(fit, table, each)}; {variances}"
        found_one = _contrast(analysis, asked, coverage, each, planned=planned, how=how, note=note)
        known = replace(found_one, participants=None) if not table.has_participants else found_one
        yield with_population(with_alternative(known, planned.alternative), population)


def _method(
    test: Test, table: Scores, terms: Sequence[stats.CoverageTerm], fit: AnyFit, *, dealt: str
) -> str:
    """How the differences were computed, without the variances."""
    fixed = join_words(("system", *terms_in_words(terms)))
    if isinstance(fit, stats.FreeSlopesFit):
        slopes = f"{slopes_in_words(fit)}{dealt}"
        return _FREE.format(fixed=fixed, slopes=slopes, df=DF_IN_WORDS[fit.df_method])
    clusters = _clusters(table)
    return (_LINEAR if test == "mixed-model" else _LATENT).format(
        name=_NAMES.get(test),
        fixed=fixed,
        groups=join_words(tuple(random_effects(table, terms))),
        dealt=dealt,
        clusters=clusters,
        df=DF_IN_WORDS[fit.df_method] if isinstance(fit, stats.MixedFit) else clusters - 1,
    )


def fit_contrasts(
    table: Scores,
    terms: Sequence[stats.CoverageTerm],
    test: Test = "mixed-model",
    *,
    level: float,
    df: DfMethod = "satterthwaite",
    slopes: Slopes = "equal",
    progress: Callable[[float], None] | None = None,
) -> tuple[AnyFit, tuple[stats.LevelContrast, ...]]:
    """A model of scores, and its difference of each two systems; none where it is undefined."""
    if slopes == "free":
        return free_contrasts(table, terms, level=level)
    groupings = random_effects(table, terms)
    columns = FixedEffects(table.system, terms)
    options = {"df": df, "progress": progress} if test == "mixed-model" else {}
    fit = _FITS[test](table.value, columns, groupings, level=level, **options)
    found = stats.level_contrasts(
        fit,
        "system",
        adjust="none",
        level=level,
        clusters=_clusters(table),
        df_limit=_limit(fit, table, groupings),
    )
    return fit, found


def _limit(
    fit: stats.MixedFit | stats.OrdinalFit,
    table: Scores,
    groupings: Mapping[str, NDArray[np.integer]],
) -> int | None:
    """The most degrees of freedom of a linear model, where participants seem not to vary."""
    if isinstance(fit, stats.OrdinalFit) or not table.has_participants:
        return None
    if fit.df_method == "kenward-roger":  # which counts how surely a variance of 0 is known
        return None
    grouping = _CROSSED if _CROSSED in groupings else "participant"
    if stats.limit_of_df(fit, grouping, (grouping,)) is None:
        return None
    return 2 * (min(levels(table.participant), levels(table.item)) - 1)


def _limit_in_words(fit: AnyFit, table: Scores, each: stats.LevelContrast) -> str:
    """The limit of the degrees of freedom, where a difference meets it."""
    if isinstance(fit, stats.OrdinalFit) or not table.has_participants:
        return ""
    without = _CROSSED
    if isinstance(fit, stats.FreeSlopesFit):
        if stats.limit_of_slopes_df(fit, (each.first, each.second), "participant") is None:
            return ""
    else:
        groups = {part.group for part in fit.components}
        without = _CROSSED if _CROSSED in groups else "participant"
        if fit.df_method == "kenward-roger" or fit.variance(without) != 0:
            return ""
    return df_limit_in_words(
        each.df, items=levels(table.item), participants=levels(table.participant), without=without
    )


def _few(table: Scores) -> str:
    """A warning if a variance between people is based on very few of them (decision 8)."""
    people = _participants(table)
    if people is None or people >= FEWEST:
        return ""
    return (
        f"With {people} participants the model has slightly too many false positives; the "
        "cluster-robust difference is the cautious one."
    )


def _participants(table: Scores) -> int | None:
    """How many participants there are; None where they are not known."""
    return levels(table.participant) if table.has_participants else None


def _clusters(table: Scores) -> int:
    """How many participants the differences are based on, or items if there are fewer."""
    items = levels(table.item)
    return min(items, _participants(table) or items)


def _reason(
    analysis: AnalysisPlan, asked: AnalysedQuestion, table: Scores | None, planned: PlannedTest
) -> str:
    """Why a model cannot be fitted, or is left out."""
    if table is None:
        return "Undefined: the model needs a score for each output, not choices."
    if len(table.value) and levels(table.system) == 1:
        return "Undefined: only one system was judged."
    is_latent = planned.test != "mixed-model"
    if not is_latent and analysis.slopes_of(asked, planned) == "free":
        columns = _smaller_side(table)
        return over_size(columns, _MOST_FREE, _COLUMNS, "the model with free slopes")
    too_large = over_size(len(table.value), MOST_JUDGMENTS, "judgments")
    if is_latent and not analysis.is_planned(asked, planned.test):
        too_large = over_size(len(table.value), _MOST_FURTHER, "judgments unless it is planned")
        too_large = too_large or over_size(
            _smaller_side(table), _MOST_COLUMNS_OF_FURTHER, f"{_COLUMNS} unless it is planned"
        )
    if too_large:
        return too_large
    if is_latent and asked.in_segments:
        return "Left out: means of segments are not points of a scale."
    if planned.test == "ordinal-mixed-model" and asked.level in {"interval", "ratio"}:
        return f"Left out: {asked.level} scores are not points of an ordinal scale."
    return ""


def _smaller_side(table: Scores) -> int:
    """How many columns are solved together: participants or items, times the systems."""
    if not table.has_participants:
        return 0
    return min(levels(table.item), levels(table.participant)) * levels(table.system)


def _variances(fit: AnyFit, systems: Sequence[str]) -> str:
    if isinstance(fit, stats.FreeSlopesFit):
        return variances_in_words(fit, systems)
    parts = [f"{part.group} {part.variance:.3g}" for part in fit.components if part.variance]
    return f"variances: {', '.join(parts)}"


def _contrast(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    coverage: stats.Coverage,
    each: stats.LevelContrast,
    *,
    planned: PlannedTest,
    how: str,
    note: str,
) -> Finding:
    test = planned.test
    pair = coverage.pair(each.first, each.second)
    sides = [coverage.systems[code] for code in (each.first, each.second)]
    first, second = (analysis.outline.systems[side.system] for side in sides)
    finding = Finding(
        key=Key(
            asked.id,
            "mean-difference" if test == "mixed-model" else "latent-difference",
            method_of(planned),
            (first, second),
        ),
        by=test,
        value=each.value,
        n=sum(side.judgments for side in sides),
        n_of=n_of(asked),
        method=f"{how}; first minus second; p against 0",
        interval=each.interval,
        standard_error=each.standard_error,
        df=each.df,
        p=each.p_alone,
        is_planned=analysis.is_planned(asked, test),
        items=sum(side.items for side in sides) - pair.shared_items,
        participants=sum(side.participants for side in sides) - pair.shared_participants,
        statistic=_statistic(each),
        note=join_notes(each.note, note),
    )
    return finding if analysis.items_dealt_at_random else within_items(finding, pair)


def _statistic(each: stats.LevelContrast) -> Statistic | None:
    if each.statistic is None:
        return None
    return (
        Statistic("z", each.statistic)
        if each.df is None
        else Statistic("t", each.statistic, (float(each.df),))
    )


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
