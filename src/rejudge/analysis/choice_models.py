"""Models of choices: mixed models, Bradley–Terry strengths and Plackett–Luce worths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import MOST_JUDGMENTS, AnalysisPlan, over_size, too_few
from rejudge.analysis.columns import (
    answers,
    combine_codes,
    levels,
)
from rejudge.analysis.data import QuestionData, in_order
from rejudge.analysis.estimates import n_of
from rejudge.analysis.findings import (
    population_of_clusters,
    texts,
    undefined_test,
    with_alternative,
    with_estimate,
)
from rejudge.analysis.formula import DF_IN_WORDS, df_limit_facts
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.findings.model import Finding
from rejudge.findings.planned_keys import method_of
from rejudge.findings.words import Fact, How
from rejudge.judgments.table import Judgments
from rejudge.stats.reasons import Reason, Why
from rejudge.study.analysis_plan import PlannedTest

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CROSSED = "system fixed, system × item and system × participant random"
_MOST_PAIRS = 6_000  # of systems, each with a model of its own


def choice_models(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """How often the first of two systems is preferred, for new items and new participants."""
    reason = _reason(analysis, data, planned)
    if reason is not None:
        yield undefined_test(analysis, data, planned.test, reason)
        return
    if planned.test == "joint-mixed-model":
        models: tuple[stats.ChoiceModel, ...] = (_joint(analysis, data),)
    else:
        models = _pairs(analysis, data, planned)
    found = [(model, contrast) for model in models for contrast in model.contrasts]
    if not found:
        reasons = texts(next((model.note for model in models), ""))
        yield undefined_test(analysis, data, planned.test, *(reasons or (Why.NOT_COMPARED(),)))
    listed = [_finding(analysis, data, planned, each) for each in found]
    for finding in in_order(listed, planned):
        null = 50.0 if finding.measure == "win-percent" else 0.0
        tested = with_alternative(finding, planned.alternative, null=null)
        is_known = finding.participants is not None
        yield replace(tested, population=population_of_clusters(has_participants=is_known))


def _reason(analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest) -> Reason | None:
    """Why there is no model."""
    if not data.question.is_comparison:
        return Why.WRONG_KIND(what="the model", needs="choices", has="a score; plan mixed-model")
    if not data.are_choices:
        return Why.SHARES()
    rows = data.unweighted_comparisons
    if not analysis.is_planned(data.question, planned.test):
        few = too_few(*data.sizes)
        if few:
            return few
    return _too_large(rows) if planned.test == "mixed-model" else None


def _too_large(rows: stats.Comparisons) -> Reason | None:
    """The models of all pairs are fitted one by one; together they take as long as all rows do."""
    pairs = levels(combine_codes(rows.first, rows.second)) if len(rows.first) else 0
    reason = over_size(len(rows.first), MOST_JUDGMENTS, "judgments")
    return reason or over_size(pairs, _MOST_PAIRS, "pairs of systems")


def _with_participants(data: QuestionData) -> stats.Comparisons:
    """The comparisons; unknown participants have no separate code."""
    rows = data.unweighted_comparisons
    if data.knows_clusters:
        return rows
    return replace(rows, participant=np.full(len(rows.item), -1))


def _pairs(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> tuple[stats.ChoiceModel, ...]:
    rows, side = _with_participants(data), data.sides
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    met = set(np.unique(low.astype(np.int64) * rows.systems + high).tolist())
    return tuple(
        stats.pair_model(rows, pair, side=side, level=analysis.level)
        for pair in sorted({(min(pair), max(pair)) for pair in data.pairs(planned)})
        if pair[0] * rows.systems + pair[1] in met
    )


def _joint(analysis: AnalysisPlan, data: QuestionData) -> stats.ChoiceModel:
    rows = _with_participants(data)
    if data.question.is_implied:
        sets = judged_sets(rows, data.rows)
        return stats.set_model(sets, adjust="none", level=analysis.level)
    return stats.choice_model(rows, side=data.sides, adjust="none", level=analysis.level)


def judged_sets(rows: stats.Comparisons, judgments: Judgments) -> stats.JudgedSets:
    """Whole judgments from the comparisons that they imply, on the scale of best–worst scores:
    100 · (wins − losses) / (systems − 1)."""
    judgment = answers(judgments)
    both = np.tile(judgment, 2)
    system = np.concatenate([rows.first, rows.second])
    won = np.concatenate([2 * rows.preference - 1, 1 - 2 * rows.preference])
    cell, place = np.unique(both * rows.systems + system, return_inverse=True)
    owner = cell // rows.systems
    shown = np.bincount(owner)[owner]
    score = 100 * np.bincount(place, won) / np.maximum(shown - 1, 1)
    first = np.unique(both, return_index=True)[1] % len(judgment)
    return stats.JudgedSets(
        judgment=owner,
        system=cell % rows.systems,
        score=score,
        item=rows.item[first][owner],
        participant=rows.participant[first][owner],
        systems=rows.systems,
    )


def _finding(
    analysis: AnalysisPlan,
    data: QuestionData,
    planned: PlannedTest,
    found: tuple[stats.ChoiceModel, stats.Contrast],
) -> Finding:
    model, contrast = found
    estimate = contrast
    is_share = not (planned.test == "joint-mixed-model" and data.question.is_implied)
    is_known = model.participants > 0
    return with_estimate(
        Finding(
            key=data.key(
                "win-percent" if is_share else "score-difference",
                method_of(planned),
                data.names((contrast.first, contrast.second)),
            ),
            by=planned.test,
            value=estimate.value,
            n=estimate.n,
            n_of="comparisons" if data.question.is_implied and is_share else "judgments",
            how=(
                *_method(data.question, planned, model),
                How.T_DF(errors=DF_IN_WORDS["satterthwaite"]),
                *_df_limit(model, estimate.df),
                How.VARIANCES(**{name: each for name, each in model.variances.items() if each}),
                How.AGAINST(null="50 %" if is_share else "0"),
            ),
            p=contrast.p,
            is_planned=analysis.is_planned(data.question, planned.test),
        ),
        estimate,
        *model.reasons,
        has_participants=is_known,
    )


def _method(
    asked: AnalysedQuestion, planned: PlannedTest, model: stats.ChoiceModel
) -> tuple[Fact, ...]:
    side = "side fixed, " if model.side is not None else ""
    if planned.test == "mixed-model":
        what = "this pair's choices (1, 0 for a tie, −1)"
        effects = f"{side}item and participant random"
        return How.CHOICES(what=what, effects=effects), How.PREFERENCE()
    if asked.is_implied:
        scale = "each system's score in a judgment runs from −100 (last) to 100 (first)"
        return How.CHOICES(what="whole judgments", effects=_CROSSED), How.SCALE(scale=scale)
    return (
        How.CHOICES(what="all choices", effects=f"{side}{_CROSSED}"),
        How.SCALE(scale="additive strengths"),
    )


def _df_limit(model: stats.ChoiceModel, df: float | None) -> tuple[Fact, ...]:
    """The limit of the degrees of freedom, where participants seem not to vary."""
    for prefix in ("system × ", ""):
        if model.variances.get(f"{prefix}participant") == 0:
            items = model.items if f"{prefix}item" in model.variances else None
            without = f"{prefix}participant"
            return df_limit_facts(df, items=items, participants=model.participants, without=without)
    return ()


_NOT_RANKED = Why.WRONG_KIND(
    what="the model",
    needs="rankings",
    has="not one: best–worst answers do not order the other systems, so plan joint-mixed-model, "
    "and bradley-terry for choices between two",
)
_MODEL = (
    "Plackett–Luce model of whole rankings, log worths that sum to 0, ties averaged over all orders"
)
_MOST_RANKED = 1_200_000_000  # outputs, times the estimates of all strengths and differences


def bradley_terry_findings(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """Bradley–Terry strengths of systems, and the difference of each pair."""
    if not data.question.is_comparison:
        reason = Why.WRONG_KIND(what="the model", needs="comparisons", has="a score")
        yield undefined_test(analysis, data, planned.test, reason)
        return
    if not data.are_choices:
        yield undefined_test(analysis, data, planned.test, Why.SHARES())
        return
    rows = data.unweighted_comparisons
    is_known = data.knows_clusters
    fit = stats.bradley_terry(rows, level=analysis.level, errors="two-way" if is_known else "item")
    systems = analysis.outline.systems
    if all(each.value is None for each in fit.strengths):
        yield undefined_test(analysis, data, planned.test, *why_no_strengths(fit, systems))
        return
    model = "Bradley–Terry model, log strengths that sum to 0, a tie as half a win for each"
    blank = blank_strength(analysis, data, planned, fit, model=model, is_known=is_known)
    yield from strength_findings(analysis, planned, fit, replace(blank, n_of=n_of(data.question)))


def blank_strength(
    analysis: AnalysisPlan,
    data: QuestionData,
    planned: PlannedTest,
    fit: stats.BradleyTerry | stats.PlackettLuce,
    *,
    model: str,
    is_known: bool,
) -> Finding:
    """What the findings of a model of strengths have in common."""
    return Finding(
        key=data.key("strength", method_of(planned)),
        by=planned.test,
        value=None,
        n=fit.n,
        n_of="judgments",
        how=(How.STRENGTHS(model=model), How.SANDWICH(clusters=fit.errors)),
        is_planned=analysis.is_planned(data.question, planned.test),
        items=fit.items,
        participants=fit.participants if is_known else None,
        reasons=fit.reasons,
    )


def strength_findings(
    analysis: AnalysisPlan,
    planned: PlannedTest,
    fit: stats.BradleyTerry | stats.PlackettLuce,
    blank: Finding,
    *,
    reasons: Mapping[int, Reason] | None = None,
) -> Iterator[Finding]:
    """The strength of each system, with its own reason, and the difference of each pair."""
    systems = analysis.outline.systems
    model, error = blank.how
    for each in fit.strengths:
        if each.value is not None:
            name = systems[each.system]
            yield replace(
                blank,
                key=replace(blank.key, systems=(name,)),
                value=each.value,
                interval=each.interval,
                standard_error=each.standard_error,
                df=each.df,
                how=(model, error, *_by_t(each.df)),
                reasons=(
                    *((reasons[each.system],) if reasons and each.system in reasons else ()),
                    *blank.reasons,
                ),
            )
    listed = [
        replace(
            blank,
            key=replace(blank.key, systems=(systems[pair.first], systems[pair.second])),
            value=pair.value,
            how=(model, How.MINUS(), error, *_by_t(pair.df), How.AGAINST(null="0")),
            interval=pair.interval,
            standard_error=pair.standard_error,
            df=pair.df,
            p=pair.p,
        )
        for pair in fit.differences
    ]
    for finding in in_order(listed, planned):
        yield replace(
            with_alternative(finding, planned.alternative),
            population=population_of_clusters(has_participants=blank.participants is not None),
        )


def _by_t(df: float | None) -> tuple[Fact, ...]:
    return () if df is None else (How.T(df=float(df)),)


def why_no_strengths(
    fit: stats.BradleyTerry | stats.PlackettLuce, systems: Sequence[str]
) -> tuple[Reason, ...]:
    """Why there are no strengths, with the groups of systems by name."""
    names = stats.list_groups([[systems[code] for code in group] for group in fit.groups])
    return tuple(
        each.using(groups=names) if each.get("groups") is not None else each for each in fit.reasons
    )


def plackett_luce_findings(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """Log worths of systems, and the difference of each pair."""
    found = _sets(data)
    is_wanted = analysis.is_planned(data.question) or any(
        each.test == planned.test for each in analysis.further.tests
    )
    if isinstance(found, Reason):
        if is_wanted or found not in {_NOT_RANKED, Why.SHARES()}:
            yield undefined_test(analysis, data, planned.test, found)
        return
    reason = _rankings_too_large(found)
    if reason:
        yield undefined_test(analysis, data, planned.test, reason)
        return
    is_known = data.knows_clusters
    fit = stats.plackett_luce(found, level=analysis.level, errors="two-way" if is_known else "item")
    if not fit.differences:
        why = why_no_strengths(fit, analysis.outline.systems)
        yield undefined_test(analysis, data, planned.test, *why)
        return
    blank = blank_strength(analysis, data, planned, fit, model=_MODEL, is_known=is_known)
    reasons = {
        each.system: reason
        for each, chance in zip(fit.strengths, fit.first, strict=True)
        if (reason := _first(chance)) is not None
    }
    yield from strength_findings(analysis, planned, fit, blank, reasons=reasons)


def _sets(data: QuestionData) -> stats.JudgedSets | Reason:
    """The rankings of a question, or why it has none."""
    if not data.question.is_comparison or not data.question.is_implied:
        return _NOT_RANKED
    if not data.are_choices:
        return Why.SHARES()
    rows = data.unweighted_comparisons
    sets = judged_sets(rows, data.rows)
    judgment = answers(data.rows)
    unranked = _scores_of_ranked(sets, judgment)
    if unranked is None:
        return _NOT_RANKED
    if not _is_consistent(rows, sets, judgment):
        return Why.CONTRADICTORY()
    return replace(sets, score=unranked)


def _scores_of_ranked(
    sets: stats.JudgedSets, judgment: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """The scores, −∞ for systems at the end whose order was not asked for.

    None if the order of others is not known: not all pairs of an answer were decided.
    """
    shown = np.bincount(sets.judgment)
    missing = shown * (shown - 1) // 2 - np.bincount(judgment, minlength=len(shown))
    lowest = np.full(len(shown), np.inf)
    np.minimum.at(lowest, sets.judgment, sets.score)
    is_last = sets.score == lowest[sets.judgment]
    last = np.bincount(sets.judgment, is_last).astype(np.int64)
    open_end = (missing > 0) & (missing == last * (last - 1) // 2)
    if bool(((missing > 0) & ~open_end).any()):
        return None
    return np.where(is_last & open_end[sets.judgment], -np.inf, sets.score)


def _is_consistent(
    rows: stats.Comparisons, sets: stats.JudgedSets, judgment: NDArray[np.int64]
) -> bool:
    """Whether the order by scores agrees with every pair."""
    key = sets.judgment * rows.systems + sets.system  # sorted, as the rows of sets are
    sides = (
        sets.score[np.searchsorted(key, judgment * rows.systems + side)]
        for side in (rows.first, rows.second)
    )
    first, second = sides
    said = np.where(first > second, 1.0, np.where(first < second, 0.0, 0.5))
    return bool((said == rows.preference).all())


def _rankings_too_large(sets: stats.JudgedSets) -> Reason | None:
    estimates = sets.systems * (sets.systems + 3) // 2
    unit = f"ranked outputs of {sets.systems:,} systems"
    return over_size(len(sets.system), _MOST_RANKED // estimates, unit)


def _first(chance: stats.FirstChance) -> Reason | None:
    if chance.value is None:
        return None
    ends = ""
    if chance.interval is not None:
        ends = f" [{100 * chance.interval.low:.1f}, {100 * chance.interval.high:.1f}]"
    return Why.FIRST_OF_ALL(percent=100 * chance.value, ends=ends)
