"""Mixed models of scores: systems compared while participants and items differ too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from rejudge.analysis.agenda import Agenda, directed, joined, undefined
from rejudge.analysis.columns import Scores, scores
from rejudge.analysis.outline import Asked
from rejudge.analysis.results import Finding, Statistic
from rejudge.analysis.scoring import n_of
from rejudge.analysis.size import TOO_LONG
from rejudge.english import count as counted
from rejudge.judgments import Judgments
from rejudge.stats import (
    LevelContrast,
    MixedFit,
    OrdinalFit,
    binary_mixed,
    estimated_fit_seconds,
    level_contrasts,
    limit_of_df,
    linear_mixed,
    ordinal_mixed,
)
from rejudge.study import PlannedTest, Test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_FIT = 60  # seconds that a linear model may take, by estimate
MOST_FOR_ORDINAL = 20_000  # scores; beyond this a fit takes minutes
FEW_PEOPLE = 5  # below, the linear model rejects 6 to 8 times in 100 what is true (decision 8)
MOST_LEVELS_FOR_ORDINAL = 500  # of all groupings but the largest; the cost grows with their cube

_LINEAR = (
    "linear mixed model, REML: system fixed, {groups} random; t with Satterthwaite's "
    "degrees of freedom"
)
_LATENT = (
    "{name}: system fixed, {groups} random; log odds, t with {df} degrees of freedom and errors "
    "widened for {clusters} clusters"
)
_NAMES: dict[Test, str] = {
    "ordinal-mixed-model": "cumulative link mixed model",
    "binary-mixed-model": "binary mixed model (logistic)",
}
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
    reason = _reason(asked, table, planned.test)
    if not reason and not agenda.is_planned(asked, planned.test):
        reason = _too_few(table)
    if table is None or reason:
        yield undefined(agenda, asked, planned.test, reason)
        return
    groupings = _groups(table)
    fit = _FITS[planned.test](table.value, {"system": table.system}, groupings, level=agenda.level)
    clusters = _clusters(table)
    found = level_contrasts(
        fit,
        "system",
        adjust="none",
        level=agenda.level,
        clusters=clusters,
        df_limit=_limit(fit, groupings),
    )
    if not found:
        yield undefined(agenda, asked, planned.test, f"Undefined: {_lowered(fit.note)}")
        return
    model = (_LINEAR if is_linear else _LATENT).format(
        name=_NAMES.get(planned.test),
        groups=_listed(tuple(groupings)),
        clusters=clusters,
        df=clusters - 1,
    )
    how = f"{model}; {_variances(fit)}"
    note = joined(fit.note, _few(table) if is_linear else "")
    for each in found:
        found_one = _contrast(agenda, asked, table, each, said=(planned.test, how, note))
        yield directed(found_one, planned.alternative)


def _limit(fit: MixedFit | OrdinalFit, groupings: Mapping[str, NDArray[np.integer]]) -> int | None:
    """The most degrees of freedom of a linear model, where participants seem not to vary."""
    if isinstance(fit, OrdinalFit) or "participant" not in groupings:
        return None
    crossed = "system × participant"
    grouping = crossed if crossed in groupings else "participant"
    return limit_of_df(fit, grouping, ("participant", "item"))


def _few(table: Scores) -> str:
    """A warning where a variance between people rests on very few of them (decision 8)."""
    people = _people(table)
    if people is None or people >= FEW_PEOPLE:
        return ""
    return (
        f"With {people} participants the model finds differences that are none slightly too "
        "often; the cluster-robust difference is the cautious one."
    )


def _too_few(table: Scores | None) -> str:
    """Why a model that nobody planned is left out: its error could not be kept (decision 8)."""
    people = None if table is None else _people(table)
    if people is None or people >= FEW_PEOPLE:
        return ""
    return (
        f"Left out: {counted(people, 'participant')} cannot show how much people vary, so the "
        "model would too often find differences that do not exist. The cluster-robust difference "
        "is the cautious choice. To have the model computed anyway, plan it."
    )


def _people(table: Scores) -> int | None:
    """How many participants there are; None where they are not known."""
    return _levels(table.participant) if table.has_participants else None


def _clusters(table: Scores) -> int:
    """How many participants the differences rest on, or items where there are fewer."""
    items = _levels(table.item)
    return min(items, _people(table) or items)


def _reason(asked: Asked, table: Scores | None, test: Test) -> str:
    """Why a model cannot be fitted, or is left out."""
    if table is None:
        return "Undefined: the model needs a score for each output, not choices."
    if len(table.value) and _levels(table.system) == 1:
        return "Undefined: only one system was judged."
    is_latent = test != "mixed-model"
    too_long = _too_long_latent(table) if is_latent else _too_long_linear(table)
    if too_long:
        return too_long
    if is_latent and asked.in_segments:
        return "Left out: means of segments are no points of a scale."
    if test == "ordinal-mixed-model" and asked.level in {"interval", "ratio"}:
        return f"Left out: {asked.level} scores are no points of an ordinal scale."
    return ""


def _too_long_linear(table: Scores) -> str:
    seconds = estimated_fit_seconds(_groups(table), _levels(table.system))
    if seconds <= LONGEST_FIT:
        return ""
    return f"Left out: the model, with an estimated {seconds:,.0f} seconds, {TOO_LONG}"


def _too_long_latent(table: Scores) -> str:
    if len(table.value) > MOST_FOR_ORDINAL:
        return f"Left out: with more than {MOST_FOR_ORDINAL:,} scores the model {TOO_LONG}"
    levels = sum(sorted(map(_levels, _groups(table).values()))[:-1])
    if levels > MOST_LEVELS_FOR_ORDINAL:
        return f"Left out: with {levels:,} levels beside the largest grouping it {TOO_LONG}"
    return ""


def _variances(fit: MixedFit | OrdinalFit) -> str:
    parts = [f"{part.group} {part.variance:.3g}" for part in fit.components if part.variance]
    return f"variances: {', '.join(parts)}"


def _contrast(
    agenda: Agenda,
    asked: Asked,
    table: Scores,
    each: LevelContrast,
    *,
    said: tuple[Test, str, str],
) -> Finding:
    test, how, note = said
    first, second = (agenda.outline.systems[code] for code in (each.first, each.second))
    rows = (table.system == each.first) | (table.system == each.second)
    return Finding(
        id=f"{asked.id}.{test}.{first}.{second}",
        question=asked.id,
        measure="mean-difference" if test == "mixed-model" else "latent-difference",
        by=test,
        systems=(first, second),
        value=each.value,
        n=int(rows.sum()),
        n_of=n_of(asked),
        method=f"{how}; first minus second; p against 0",
        interval=each.interval,
        standard_error=each.standard_error,
        df=each.df,
        p=each.p_alone,
        is_planned=agenda.is_planned(asked, test),
        statistic=_statistic(each),
        note=joined(each.note, note),
    )


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
        if _levels(codes) < _levels(cells) < len(cells)
    }


def _crossed(system: NDArray[np.integer], codes: NDArray[np.integer]) -> NDArray[np.integer]:
    import numpy as np

    cells = codes.astype(np.int64) * (int(system.max(initial=0)) + 1) + system
    return np.unique(cells, return_inverse=True)[1].reshape(-1)


def _levels(codes: NDArray[np.integer]) -> int:
    import numpy as np

    return len(np.unique(codes))


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
