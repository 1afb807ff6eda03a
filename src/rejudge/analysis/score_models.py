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
from rejudge.analysis.columns import Scores, levels
from rejudge.analysis.data import QuestionData, in_order
from rejudge.analysis.descriptives import (
    terms_in_words,
    terms_reasons,
    within_items,
)
from rejudge.analysis.estimates import n_of
from rejudge.analysis.findings import (
    population_of_clusters,
    undefined_test,
    with_alternative,
)
from rejudge.analysis.formula import (
    DF_IN_WORDS,
    FixedEffects,
    df_limit_facts,
    free_contrasts,
    random_effects,
    slopes_in_words,
    variances_of_slopes,
)
from rejudge.english import join_words
from rejudge.findings.model import Finding, Statistic
from rejudge.findings.planned_keys import method_of
from rejudge.findings.words import Fact, How
from rejudge.stats.reasons import Reason, Why, unique
from rejudge.study.analysis_plan import DfMethod, PlannedTest, Slopes
from rejudge.study.methods import Test

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CROSSED = "system × participant"
_MOST_FREE = 2_500  # columns of a model with free slopes
_MOST_FURTHER = 200_000  # judgments of a model that nobody planned and that decides nothing
_MOST_COLUMNS_OF_FURTHER = 1_000
_COLUMNS = "participants (or items, if they are fewer) times systems"
_NAMES: dict[Test, str] = {
    "mixed-model": "linear mixed model, REML",
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
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """Differences of systems in models with random intercepts for participants and items."""
    reason = _reason(analysis, data, planned)
    if reason is not None:
        yield undefined_test(analysis, data, planned.test, reason)
        return
    table, terms = data.scores, data.terms
    is_linear = planned.test == "mixed-model"
    slopes = analysis.slopes_of(data.question, planned) if is_linear else "equal"
    fit, found = fit_contrasts(
        table,
        terms,
        planned.test,
        level=analysis.level,
        df=analysis.df_of(data.question, planned),
        slopes=slopes,
        progress=analysis.steps.within,
    )
    if not found:
        yield undefined_test(analysis, data, planned.test, *fit.reasons)
        return
    model = _method(planned.test, table, terms, fit, dealt=data.dealt_facts)
    variances = _variances(fit, analysis.outline.systems)
    statistics = {each.term: each.statistic for each in fit.coefficients}
    reasons = (
        *fit.reasons,
        *(_few(table) if is_linear else ()),
        *terms_reasons(analysis, statistics, terms),
    )
    population = population_of_clusters(has_participants=table.has_participants)
    listed = [
        _contrast(
            analysis,
            data,
            each,
            planned=planned,
            how=(*model, *_limit_facts(fit, table, each), variances),
            reasons=reasons,
        )
        for each in found
    ]
    for finding in in_order(listed, planned):
        yield replace(with_alternative(finding, planned.alternative), population=population)


def _method(
    test: Test,
    table: Scores,
    terms: Sequence[stats.CoverageTerm],
    fit: AnyFit,
    *,
    dealt: tuple[Fact, ...],
) -> tuple[Fact, ...]:
    """How the differences were computed, without the variances."""
    fixed = join_words(("system", *terms_in_words(terms)))
    if isinstance(fit, stats.FreeSlopesFit):
        random = slopes_in_words(fit)
    else:
        groups = random_effects(table, terms, is_linear=test == "mixed-model")
        random = f"{join_words(tuple(groups))} random"
    model = How.MODEL(name=_NAMES[test], fixed=fixed, random=random)
    if isinstance(fit, stats.OrdinalFit):
        clusters = _clusters(table)
        return model, *dealt, How.LOG_ODDS(df=clusters - 1, clusters=clusters)
    return model, *dealt, How.T_DF(errors=DF_IN_WORDS[fit.df_method])


def fit_contrasts(
    table: Scores,
    terms: Sequence[stats.CoverageTerm],
    test: Test = "mixed-model",
    *,
    level: float,
    df: DfMethod = "satterthwaite",
    slopes: Slopes = "equal",
    progress: Callable[[float], None] | None = None,
) -> tuple[AnyFit, tuple[stats.Contrast, ...]]:
    """A model of scores, and its difference of each two systems; none where it is undefined."""
    if slopes == "free":
        return free_contrasts(table, terms, level=level)
    groupings = random_effects(table, terms, is_linear=test == "mixed-model")
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


def _limit_facts(fit: AnyFit, table: Scores, each: stats.Contrast) -> tuple[Fact, ...]:
    """The limit of the degrees of freedom, where a difference meets it."""
    if isinstance(fit, stats.OrdinalFit) or not table.has_participants:
        return ()
    without = _CROSSED
    if isinstance(fit, stats.FreeSlopesFit):
        if stats.limit_of_slopes_df(fit, (each.first, each.second), "participant") is None:
            return ()
    else:
        groups = {part.group for part in fit.components}
        without = _CROSSED if _CROSSED in groups else "participant"
        if fit.df_method == "kenward-roger" or fit.variance(without) != 0:
            return ()
    return df_limit_facts(
        each.df, items=levels(table.item), participants=levels(table.participant), without=without
    )


def _few(table: Scores) -> tuple[Reason, ...]:
    """A warning if a variance between people is based on very few of them (decision 8)."""
    people = _participants(table)
    if people is None or people >= FEWEST:
        return ()
    effect = (
        "the model has slightly too many false positives; the cluster-robust difference is the "
        "cautious one"
    )
    return (Why.FEW(n=people, what="participants", effect=effect),)


def _participants(table: Scores) -> int | None:
    """How many participants there are; None where they are not known."""
    return levels(table.participant) if table.has_participants else None


def _clusters(table: Scores) -> int:
    """How many participants the differences are based on, or items if there are fewer."""
    items = levels(table.item)
    return min(items, _participants(table) or items)


def _reason(analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest) -> Reason | None:
    """Why a model cannot be fitted, or is left out."""
    if data.question.is_comparison:
        return Why.WRONG_KIND(what="the model", needs="a score for each output", has="a choice")
    table, is_planned = data.scores, analysis.is_planned(data.question, planned.test)
    if len(table.value) and levels(table.system) == 1:
        return Why.ALONE(where="")
    found = _misfit(
        data, planned, is_planned=is_planned, slopes=analysis.slopes_of(data.question, planned)
    )
    return found if found or is_planned else too_few(levels(table.item), _participants(table))


def _misfit(
    data: QuestionData, planned: PlannedTest, *, is_planned: bool, slopes: Slopes
) -> Reason | None:
    """Why a model does not suit the scores, or would take too long."""
    table = data.scores
    is_latent = planned.test != "mixed-model"
    if not is_latent and slopes == "free":
        columns = _smaller_side(table)
        return over_size(columns, _MOST_FREE, _COLUMNS, "the model with free slopes")
    too_large = over_size(len(table.value), MOST_JUDGMENTS, "judgments")
    if is_latent and not is_planned:
        too_large = over_size(len(table.value), _MOST_FURTHER, "judgments unless it is planned")
        too_large = too_large or over_size(
            _smaller_side(table), _MOST_COLUMNS_OF_FURTHER, f"{_COLUMNS} unless it is planned"
        )
    if too_large:
        return too_large
    if is_latent and data.question.in_segments:
        return _not_points("a mean of segments")
    if planned.test == "ordinal-mixed-model" and data.question.level in {"interval", "ratio"}:
        level = data.question.level
        return _not_points(f"{'an' if level == 'interval' else 'a'} {level} score")
    return None


def _not_points(has: str) -> Reason:
    needs = "points of an ordinal scale"
    return Why.WRONG_KIND("computation", what="the model", needs=needs, has=has)


def _smaller_side(table: Scores) -> int:
    """How many columns are solved together: participants or items, times the systems."""
    if not table.has_participants:
        return 0
    return min(levels(table.item), levels(table.participant)) * levels(table.system)


def _variances(fit: AnyFit, systems: Sequence[str]) -> Fact:
    if isinstance(fit, stats.FreeSlopesFit):
        return variances_of_slopes(fit, systems)
    parts = {part.group: part.variance for part in fit.components if part.variance}
    return How.VARIANCES(**parts)


def _contrast(
    analysis: AnalysisPlan,
    data: QuestionData,
    each: stats.Contrast,
    *,
    planned: PlannedTest,
    how: tuple[Fact, ...],
    reasons: tuple[Reason, ...],
) -> Finding:
    test, coverage = planned.test, data.coverage
    pair = coverage.pair(each.first, each.second)
    sides = [coverage.systems[code] for code in (each.first, each.second)]
    finding = Finding(
        key=data.key(
            "mean-difference" if test == "mixed-model" else "latent-difference",
            method_of(planned),
            data.names([side.system for side in sides]),
        ),
        by=test,
        value=each.value,
        n=sum(side.judgments for side in sides),
        n_of=n_of(data.question),
        how=(*how, How.MINUS(), How.AGAINST(null="0")),
        interval=each.interval,
        standard_error=each.standard_error,
        df=each.df,
        p=each.p,
        is_planned=analysis.is_planned(data.question, test),
        items=sum(side.items for side in sides) - pair.shared_items,
        participants=sum(side.participants for side in sides) - pair.shared_participants
        if data.knows_clusters
        else None,
        statistic=_statistic(each),
        reasons=unique(each.reasons, reasons),
    )
    return finding if data.is_dealt else within_items(finding, pair)


def _statistic(each: stats.Contrast) -> Statistic | None:
    if each.statistic is None:
        return None
    return (
        Statistic("z", each.statistic)
        if each.df is None
        else Statistic("t", each.statistic, (float(each.df),))
    )
