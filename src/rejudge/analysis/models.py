"""Mixed models of scores: systems compared while participants and items differ too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from rejudge.analysis.analysis_plan import Agenda, directed, joined, speaking_for, undefined
from rejudge.analysis.columns import Scores, levels, scores
from rejudge.analysis.coverage import (
    coverage_of,
    dealt_in_words,
    terms_in_words,
    terms_note,
    terms_of,
    within_items,
)
from rejudge.analysis.formula import DF_IN_WORDS
from rejudge.analysis.limits import SHARE_OF_FURTHER, over_limit, too_few
from rejudge.analysis.outline import Asked
from rejudge.analysis.population import FEWEST, population_of_clusters
from rejudge.analysis.results import Finding, Statistic
from rejudge.analysis.scoring import n_of
from rejudge.analysis.slopes import (
    free_contrasts,
    slopes_in_words,
    slopes_seconds,
    variances_in_words,
)
from rejudge.english import count
from rejudge.judgments import Judgments
from rejudge.stats import (
    Coverage,
    CoverageTerm,
    FreeSlopesFit,
    LevelContrast,
    MixedFit,
    OrdinalFit,
    binary_mixed,
    estimated_fit_seconds,
    estimated_kenward_roger_seconds,
    estimated_ordinal_seconds,
    level_contrasts,
    limit_of_df,
    linear_mixed,
    numbered,
    ordinal_mixed,
)
from rejudge.study import DfMethod, PlannedTest, Slopes, Test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LINEAR = "linear mixed model, REML: {fixed} fixed, {groups} random{dealt}; t with {df}"

_FREE = "linear mixed model, REML: {fixed} fixed, {slopes}; t with {df}"

_LATENT = (
    "{name}: {fixed} fixed, {groups} random{dealt}; log odds, t with {df} degrees of freedom and "
    "errors widened for {clusters} clusters"
)
_NAMES: dict[Test, str] = {
    "ordinal-mixed-model": "cumulative link mixed model",
    "binary-mixed-model": "binary mixed model (logistic)",
}
AnyFit: TypeAlias = MixedFit | OrdinalFit | FreeSlopesFit
_FITS: dict[Test, Callable[..., MixedFit | OrdinalFit]] = {
    "mixed-model": linear_mixed,
    "ordinal-mixed-model": ordinal_mixed,
    "binary-mixed-model": binary_mixed,
}


def mixed(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """Differences of systems where participants and items have offsets of their own."""
    table = None if asked.is_comparison else scores(agenda.outline, judgments)
    is_linear = planned.test == "mixed-model"
    slopes = agenda.slopes_of(asked, planned) if is_linear else "equal"
    limit = _limit_of_time(agenda, asked, planned)
    reason = _reason(asked, table, planned.test, limit, slopes=slopes)
    if table is not None and not reason and not agenda.is_planned(asked, planned.test):
        reason = too_few(levels(table.item), _people(table))
    if table is None or reason:
        yield undefined(agenda, asked, planned.test, reason)
        return
    terms = terms_of(agenda, table)
    wanted, instead = _affordable(agenda.df_of(asked, planned), table, agenda.further.time_limit)
    fit, found = fitted_contrasts(
        table,
        terms,
        planned.test,
        level=agenda.level,
        df=wanted,
        slopes=slopes,
        progress=agenda.steps.within,
    )
    if not found:
        yield undefined(agenda, asked, planned.test, f"Undefined: {_lowered(fit.note)}")
        return
    model = _method(planned.test, table, terms, fit, dealt=dealt_in_words(agenda, table))
    how = f"{model}; {_variances(fit, agenda.outline.systems)}"
    note = joined(
        fit.note,
        instead,
        _few(table) if is_linear else "",
        terms_note(agenda, {each.term: each.statistic for each in fit.coefficients}, terms),
    )
    coverage = coverage_of(agenda, table)
    population = population_of_clusters(has_participants=table.has_participants)
    for each in found:
        found_one = _contrast(agenda, asked, coverage, each, said=(planned.test, how, note))
        known = replace(found_one, participants=None) if not table.has_participants else found_one
        yield speaking_for(directed(known, planned.alternative), population)


def _method(
    test: Test, table: Scores, terms: Sequence[CoverageTerm], fit: AnyFit, *, dealt: str
) -> str:
    """How the differences were computed, without the variances."""
    fixed = _listed(("system", *terms_in_words(terms)))
    if isinstance(fit, FreeSlopesFit):
        slopes = f"{slopes_in_words(fit)}{dealt}"
        return _FREE.format(fixed=fixed, slopes=slopes, df=DF_IN_WORDS[fit.df_method])
    clusters = _clusters(table)
    return (_LINEAR if test == "mixed-model" else _LATENT).format(
        name=_NAMES.get(test),
        fixed=fixed,
        groups=_listed(tuple(_random(table, terms))),
        dealt=dealt,
        clusters=clusters,
        df=DF_IN_WORDS[fit.df_method] if isinstance(fit, MixedFit) else clusters - 1,
    )


def _affordable(df: DfMethod, table: Scores, limit: float) -> tuple[DfMethod, str]:
    """The degrees of freedom that were asked for, or Satterthwaite's with the reason."""
    if df == "satterthwaite":
        return df, ""
    seconds = estimated_kenward_roger_seconds(_groups(table))
    if seconds <= limit:
        return df, ""
    return "satterthwaite", (
        f"Kenward and Roger's adjustment would take an estimated {count(round(seconds), 'second')} "
        f"with a limit of {limit:g}: errors and degrees of freedom are those of Satterthwaite's "
        "method."
    )


def fitted_contrasts(
    table: Scores,
    terms: Sequence[CoverageTerm],
    test: Test = "mixed-model",
    *,
    level: float,
    df: DfMethod = "satterthwaite",
    slopes: Slopes = "equal",
    progress: Callable[[float], None] | None = None,
) -> tuple[AnyFit, tuple[LevelContrast, ...]]:
    """A model of scores, and its difference of each two systems; none where it is undefined."""
    if slopes == "free":
        return free_contrasts(table, terms, level=level)
    groupings = _random(table, terms)
    columns = _FixedEffects(table.system, terms)
    options = {"df": df, "progress": progress} if test == "mixed-model" else {}
    fit = _FITS[test](table.value, columns, groupings, level=level, **options)
    found = level_contrasts(
        fit,
        "system",
        adjust="none",
        level=level,
        clusters=_clusters(table),
        df_limit=_limit(fit, table, groupings),
    )
    return fit, found


class _FixedEffects(Mapping[str, "NDArray[np.integer] | NDArray[np.float64]"]):
    """Codes of systems, and coverage terms, whose columns are made one at a time: together they
    would take as much memory as the table."""

    def __init__(self, system: NDArray[np.integer], terms: Sequence[CoverageTerm]) -> None:
        self._system, self._terms = system, {term.name: term for term in terms}

    def __getitem__(self, name: str) -> NDArray[np.integer] | NDArray[np.float64]:
        return self._system if name == "system" else self._terms[name].column

    def __iter__(self) -> Iterator[str]:
        return iter(("system", *self._terms))

    def __len__(self) -> int:
        return 1 + len(self._terms)


def _random(table: Scores, terms: Sequence[CoverageTerm]) -> dict[str, NDArray[np.integer]]:
    """What is random beside these covariates.

    As many shares as there are participants but one (or items) say everything about the mean of
    each. A variance that nothing is left to show would have no information, and take all degrees
    of freedom with it; leaving it out changes no estimate.
    """
    groupings = _groups(table)
    for kind in ("participant", "item"):
        shares = sum(term.kind == kind for term in terms)
        is_crossed = {kind, f"system × {kind}"} <= groupings.keys()
        if is_crossed and shares >= levels(groupings[kind]) - 1:
            del groupings[kind]
    return groupings


def _limit(
    fit: MixedFit | OrdinalFit, table: Scores, groupings: Mapping[str, NDArray[np.integer]]
) -> int | None:
    """The most degrees of freedom of a linear model, where participants seem not to vary."""
    if isinstance(fit, OrdinalFit) or not table.has_participants:
        return None
    if fit.df_method == "kenward-roger":  # which counts how surely a variance of 0 is known
        return None
    crossed = "system × participant"
    grouping = crossed if crossed in groupings else "participant"
    if limit_of_df(fit, grouping, (grouping,)) is None:
        return None
    return 2 * (min(levels(table.participant), levels(table.item)) - 1)


def _few(table: Scores) -> str:
    """A warning where a variance between people rests on very few of them (decision 8)."""
    people = _people(table)
    if people is None or people >= FEWEST:
        return ""
    return (
        f"With {people} participants the model has slightly too many false positives; the "
        "cluster-robust difference is the cautious one."
    )


def _people(table: Scores) -> int | None:
    """How many participants there are; None where they are not known."""
    return levels(table.participant) if table.has_participants else None


def _clusters(table: Scores) -> int:
    """How many participants the differences rest on, or items where there are fewer."""
    items = levels(table.item)
    return min(items, _people(table) or items)


def _limit_of_time(agenda: Agenda, asked: Asked, planned: PlannedTest) -> float:
    """The seconds that a model may take; fewer if it was not planned and decides nothing."""
    is_further = planned.test != "mixed-model" and not agenda.is_planned(asked, planned.test)
    return agenda.further.time_limit * (SHARE_OF_FURTHER if is_further else 1)


def _reason(
    asked: Asked, table: Scores | None, test: Test, limit: float, *, slopes: Slopes = "equal"
) -> str:
    """Why a model cannot be fitted, or is left out."""
    if table is None:
        return "Undefined: the model needs a score for each output, not choices."
    if len(table.value) and levels(table.system) == 1:
        return "Undefined: only one system was judged."
    is_latent = test != "mixed-model"
    if slopes == "free":
        return over_limit(slopes_seconds(table), limit, "the model with free slopes")
    too_long = over_limit(_seconds(table, is_latent=is_latent), limit)
    if too_long:
        return too_long
    if is_latent and asked.in_segments:
        return "Left out: means of segments are not points of a scale."
    if test == "ordinal-mixed-model" and asked.level in {"interval", "ratio"}:
        return f"Left out: {asked.level} scores are not points of an ordinal scale."
    return ""


def _seconds(table: Scores, *, is_latent: bool) -> float:
    """About how long the model will take."""
    columns = 3 * levels(table.system)  # systems, and their shares of items and of participants
    if is_latent:
        return estimated_ordinal_seconds(_groups(table), columns, _points(table))
    return estimated_fit_seconds(_groups(table), columns)


def _points(table: Scores) -> int:
    import numpy as np

    return len(np.unique(table.value))


def _variances(fit: AnyFit, systems: Sequence[str]) -> str:
    if isinstance(fit, FreeSlopesFit):
        return variances_in_words(fit, systems)
    parts = [f"{part.group} {part.variance:.3g}" for part in fit.components if part.variance]
    return f"variances: {', '.join(parts)}"


def _contrast(
    agenda: Agenda,
    asked: Asked,
    coverage: Coverage,
    each: LevelContrast,
    *,
    said: tuple[Test, str, str],
) -> Finding:
    test, how, note = said
    pair = coverage.pair(each.first, each.second)
    sides = [coverage.systems[code] for code in (each.first, each.second)]
    first, second = (agenda.outline.systems[side.system] for side in sides)
    finding = Finding(
        id=f"{asked.id}.{test}.{first}.{second}",
        question=asked.id,
        measure="mean-difference" if test == "mixed-model" else "latent-difference",
        by=test,
        systems=(first, second),
        value=each.value,
        n=sum(side.judgments for side in sides),
        n_of=n_of(asked),
        method=f"{how}; first minus second; p against 0",
        interval=each.interval,
        standard_error=each.standard_error,
        df=each.df,
        p=each.p_alone,
        is_planned=agenda.is_planned(asked, test),
        items=sum(side.items for side in sides) - pair.shared_items,
        participants=sum(side.participants for side in sides) - pair.shared_participants,
        statistic=_statistic(each),
        note=joined(each.note, note),
    )
    return finding if agenda.items_dealt_at_random else within_items(finding, pair)


def _statistic(each: LevelContrast) -> Statistic | None:
    if each.statistic is None:
        return None
    return (
        Statistic("z", each.statistic)
        if each.df is None
        else Statistic("t", each.statistic, (float(each.df),))
    )


def _groups(table: Scores) -> dict[str, NDArray[np.integer]]:
    """What judgments share: the person, the item, and how far each of them favours a system.

    Without the last two a model takes a liking that some items or people have for one system as
    evidence from every judgment, and finds differences in up to half of all studies that have none
    (decision 7). They are left out where the table cannot show them: items that only one system
    wrote for, or outputs judged once.
    """
    people = {"participant": table.participant} if table.has_participants else {}
    return with_crossings(table.system, {**people, "item": table.item})


def with_crossings(
    system: NDArray[np.integer], shared: dict[str, NDArray[np.integer]]
) -> dict[str, NDArray[np.integer]]:
    """What judgments share, and each of it crossed with the system where the table can show it."""
    crossed = {f"system × {name}": _crossed(system, codes) for name, codes in shared.items()}
    return shared | {
        name: cells
        for (name, cells), codes in zip(crossed.items(), shared.values(), strict=True)
        if levels(codes) < levels(cells) < len(cells)
    }


def _crossed(system: NDArray[np.integer], codes: NDArray[np.integer]) -> NDArray[np.integer]:
    import numpy as np

    cells = codes.astype(np.int64) * (int(system.max(initial=0)) + 1) + system
    return numbered(cells)[1]


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
