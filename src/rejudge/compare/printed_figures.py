"""Reproducibility figures that a paper prints, each beside the finding of its key.

A printed figure is reproduced where rounding explains the rest: that of the figure itself, or that
of the printed scores it can be recomputed from. Where another definition gives it, it is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.compare.alignment import Alignment, study_of
from rejudge.compare.comparison import SHARE, PrintedCheck
from rejudge.compare.precision import (
    BY_ROUNDING,
    MEASURES,
    Measure,
    from_rounding,
    lists,
    mean_variation,
    places,
    variation,
)
from rejudge.compare.run import Run, RunCriterion
from rejudge.findings.model import Finding
from rejudge.paper.model import Reproducibility
from rejudge.paper.printed import PrintedNumber, PrintedProbability
from rejudge.stats import (
    CVVariant,
    Estimate,
    ExplainedFigure,
    Interval,
    attainable_range,
    kendall_w,
    likeliest_definitions,
    spearman,
)

_DEFINITIONS: tuple[CVVariant, ...] = get_args(CVVariant)
_TAU_UP_TO = 6  # values; beyond, a search over exact tests takes too long
_LEFT_OUT = {
    "unshifted": "the scores were not shifted to start at 0",
    "without-c4": "the standard deviation was not corrected for so few runs",
    "without-small-sample-factor": "the factor 1 + 1/(4n) was left out",
    "plain": "neither correction for so few runs was made",
    "unshifted-plain": "the scores were not shifted to start at 0, and neither correction was made",
}


@dataclass(frozen=True, slots=True)
class _Recomputation:
    """What we have instead of a printed figure; None: it cannot be computed."""

    value: float | None
    is_reproduced: bool | None
    because: str


def printed_checks(aligned: Alignment, findings: Sequence[Finding]) -> Iterator[PrintedCheck]:
    """Every reproducibility figure that the runs' papers print, beside ours."""
    checker = _Checker(aligned, findings)
    for run in aligned.others:
        yield from checker.of_run(run)


@dataclass(frozen=True, slots=True)
class _Fits:
    """A CV* of ours instead of a printed one, and the definitions that give the printed one."""

    ours: Finding
    figure: ExplainedFigure


@dataclass(frozen=True, slots=True)
class _Checker:
    aligned: Alignment
    findings: Sequence[Finding]

    def of_run(self, run: Run) -> Iterator[PrintedCheck]:
        tables: dict[tuple[str, tuple[str, ...]], list[_Fits]] = {}
        fits = [self._fits(run, entry) for entry in run.printed]
        for entry, found in zip(run.printed, fits, strict=True):
            if isinstance(found, _Fits):
                tables.setdefault((entry.place, entry.among), []).append(found)
        for entry, found in zip(run.printed, fits, strict=True):
            if found is None:
                yield from self._of(run, entry)
            elif isinstance(found, _Recomputation):
                yield _check(run, entry, found)
            else:
                table = tables[entry.place, entry.among]
                yield _check(run, entry, _decide(entry, found, table))

    def _of(self, run: Run, entry: Reproducibility) -> Iterator[PrintedCheck]:
        group, absent = self._group(run, entry)
        if absent:
            reason = f"It is about {', '.join(absent)}, which is not in this comparison."
            yield _check(run, entry, _Recomputation(None, None, reason))
        elif entry.measure in MEASURES:
            yield from self._correlation(run, entry, group)
        elif entry.measure == "kendall-w":
            yield _check(run, entry, self._concordance(entry, group))
        else:
            yield _check(run, entry, self._tally(run, entry))

    def _group(self, run: Run, entry: Reproducibility) -> tuple[tuple[str, ...], list[str]]:
        """The runs that a figure is about, and the studies that are not here."""
        there = {study_of(each): each.id for each in reversed(self.aligned.runs)}
        wanted = entry.among or (run.reproduces or self.aligned.original.id,)
        absent = [study for study in wanted if study not in there]
        ids = [there[study] for study in wanted if study in there and there[study] != run.id]
        order = [each.id for each in self.aligned.runs]
        return tuple(sorted((*ids, run.id), key=order.index)), absent

    def _fits(self, run: Run, entry: Reproducibility) -> _Fits | _Recomputation | None:
        """Every definition that gives a printed CV*, as far as rounding can tell.

        None for another measure, or where a run is missing.
        """
        group, absent = self._group(run, entry)
        if entry.measure != "cv-star" or absent:
            return None
        ours = self._variation(entry, group)
        if isinstance(ours, _Recomputation):
            return ours
        found = {name: ours.extra.get(name) for name in _DEFINITIONS} | {"cv*": ours.value}
        known = {name: value for name, value in found.items() if isinstance(value, float)}
        exact = frozenset(name for name, value in known.items() if entry.number.could_be(value))
        fits = {
            name: value
            for name, value in known.items()
            if name in exact or _touches(entry.number, self._reach(ours, group, name))
        }
        return _Fits(ours, ExplainedFigure(entry.number.value, fits, exact))

    def _variation(
        self, entry: Reproducibility, group: tuple[str, ...]
    ) -> Finding | _Recomputation:
        """Our CV* of what a printed one is of, or why there is none."""
        aligned = self.aligned
        asked = _criterion(aligned, entry)
        if entry.system is None:
            ours = mean_variation(aligned, group, asked.id if asked else None)
        elif asked is None:
            return _Recomputation(
                None, None, "It does not name a criterion, and there are several."
            )
        elif entry.system not in aligned.shared(asked.id, group):
            return _Recomputation(
                None, None, f"Not all of these runs have a score of {entry.system}."
            )
        else:
            ours = variation(aligned, asked, entry.system, group)
        if ours.value is None:
            return _Recomputation(None, None, ours.note or "CV* is undefined here.")
        return ours

    def _reach(
        self, ours: Finding, group: tuple[str, ...], definition: CVVariant
    ) -> Interval | None:
        """Where a CV*, or a mean of several, may lie, given how the scores were rounded."""
        if definition == "cv*":
            return _interval(ours)
        low = {criterion.id: criterion.low for criterion in self.aligned.criteria}
        asked = (each.id for each in self.aligned.criteria if each.cell == ours.key.cell)
        by_criterion: dict[str, list[Interval]] = {}
        for criterion, system in places(self.aligned, group, next(asked, None)):
            if (ours.systems or (system,)) != (system,) or low[criterion] is None:
                continue
            scores = [self.aligned.scores[criterion, run, system] for run in group]
            between = from_rounding(scores, low[criterion], definition)
            if between is None:
                return None
            by_criterion.setdefault(criterion, []).append(between)
        means = [_mean(parts) for parts in by_criterion.values()]
        return _mean(means) if means else None

    def _correlation(
        self, run: Run, entry: Reproducibility, group: tuple[str, ...]
    ) -> Iterator[PrintedCheck]:
        measure: Measure = entry.measure  # type: ignore[assignment]  # one of MEASURES
        asked = _criterion(self.aligned, entry)
        joined = places(self.aligned, group, asked.id if asked else None)
        table = lists(self.aligned, group, joined)
        if len(group) != 2 or len(joined) < 2:
            reason = "A correlation needs two runs with the same systems."
            yield _check(run, entry, _Recomputation(None, None, reason))
            return
        found = MEASURES[measure](*table)
        between = None
        if found.value is not None and not entry.number.could_be(found.value):
            between = self._span(group, joined, measure)
        yield _check(run, entry, _recompute_correlation(entry.number, found, between))
        if entry.p is not None:
            ours = _probability(entry.p, found, measure, table)
            if not ours.is_reproduced and measure == "pearson":
                ours = _within_rounding_of_scores(
                    entry.p, ours, self._span(group, joined, measure, of_p=True)
                )
            yield _check(run, entry, ours, measure=f"{measure} p", printed=entry.p.text)

    def _span(
        self,
        group: Sequence[str],
        joined: Sequence[tuple[str, str]],
        measure: Measure,
        *,
        of_p: bool = False,
    ) -> Interval | None:
        """Where a correlation, or its p, may lie, given how the scores were rounded."""
        n = len(joined)
        if measure == "kendall-tau" and n > _TAU_UP_TO:
            return None
        scores = [
            self.aligned.scores[criterion, run, system]
            for run in group
            for criterion, system in joined
        ]

        def figure(inputs: NDArray[np.float64]) -> float | None:
            one, two = inputs[:n], inputs[n:]
            if measure == "spearman":
                return spearman(one, two, p_value="t").value  # counting all orders would take long
            found = MEASURES[measure](one, two)
            return found.p if of_p else found.value

        return attainable_range(
            figure,
            np.array([score.value or 0.0 for score in scores]),
            np.array([score.half_unit for score in scores]),
        )

    def _concordance(self, entry: Reproducibility, group: tuple[str, ...]) -> _Recomputation:
        """Kendall's W over the runs, with and without correction for ties."""
        asked = _criterion(self.aligned, entry)
        joined = places(self.aligned, group, asked.id if asked else None)
        table = np.array(lists(self.aligned, group, joined))
        found = kendall_w(table) if len(joined) > 1 else None
        if found is None or found.value is None:
            return _Recomputation(None, None, "W needs two runs or more with the same systems.")
        if entry.number.could_be(found.value):
            return _Recomputation(found.value, True, "")
        m, k = table.shape
        plain = found.value * _share_without_ties(table)
        if entry.number.could_be(plain):
            reason = f"It is W without correction for ties ({plain:.3f}). W is {found.value:.3f}."
            return _Recomputation(found.value, bool(entry.variant), reason)
        return _Recomputation(
            found.value, False, f"The {m} runs give W = {found.value:.3f} for {k} scores."
        )

    def _tally(self, run: Run, entry: Reproducibility) -> _Recomputation:
        """A share of findings, which has been computed: of its criterion, or of all."""
        is_share = entry.measure not in {"matching-accuracy", "significance-f1"}
        found = {
            each.key.cell: each.value
            for each in self.findings
            if each.key.measure == (SHARE if is_share else entry.measure)
            and (not is_share or each.by == entry.measure)
            and (each.key.runs[1:], each.key.case) == self._address(run)
        }
        asked = _criterion(self.aligned, entry) if entry.criterion else None
        value = found.get(("", ()))
        if asked is not None:
            value = found.get(asked.cell, value)
        if value is None:
            return _Recomputation(None, None, "There is no data to compute it from.")
        is_same = entry.number.could_be(value)
        return _Recomputation(
            value, is_same, "" if is_same else f"The recomputed value is {value:.3f}."
        )

    def _address(self, run: Run) -> tuple[tuple[str, ...], str]:
        original = self.aligned.original.id
        key = self.aligned.key(None, SHARE, "", (original, run.id))
        return key.runs[1:], key.case


def _share_without_ties(table: NDArray[np.float64]) -> float:
    """1 − Σ (t³ − t) / (m (k³ − k)): what the correction for t equal scores divides W by."""
    m, k = table.shape
    ties = sum(int(t) ** 3 - int(t) for row in table for t in np.unique(row, return_counts=True)[1])
    return float(1 - ties / (m * (k**3 - k)))


def _criterion(aligned: Alignment, entry: Reproducibility) -> RunCriterion | None:
    """What a figure is about; the only criterion where it does not say."""
    if entry.criterion is None:
        return aligned.criteria[0] if len(aligned.criteria) == 1 else None
    return next((each for each in aligned.criteria if each.id == entry.criterion), None)


def _decide(entry: Reproducibility, found: _Fits, table: Sequence[_Fits]) -> _Recomputation:
    """Whether a printed CV* is ours, could be by rounding, or follows another definition.

    Where several definitions give it, the one that explains the whole table decides.
    """
    ours, value, fits = found.ours, found.ours.value, found.figure.fits
    if value is None or not fits:
        return _Recomputation(value, False, f"No known definition gives it. {_reach(ours)}")
    order = likeliest_definitions(found.figure, [each.figure for each in table])
    best, others = order[0], order[1:]
    explains_all = all(best in each.figure.fits for each in table)
    whole = f"all {len(table)} CV* of {entry.place or 'this paper'}"
    if best == "cv*":
        rounding = "" if "cv*" in found.figure.exact else _within(_interval(ours))
        return _Recomputation(value, True, rounding)
    reason = f"It is {best} ({fits[best]:.3f}): {_LEFT_OUT[best]}. CV* is {value:.3f}."
    if len(table) > 1 and explains_all:
        reason += f" That explains {whole}."
    if others and best not in found.figure.exact:
        named = " or ".join(f"{name} ({fits[name]:.3f})" for name in others)
        reason += f" Within the rounding of the scores it could also be {named}."
    return _Recomputation(value, entry.variant in fits, reason)


def _mean(parts: Sequence[Interval]) -> Interval:
    n = len(parts)
    return Interval(sum(each.low for each in parts) / n, sum(each.high for each in parts) / n, 1.0)


def _interval(found: Finding) -> Interval | None:
    between = found.extra.get(BY_ROUNDING)
    return between if isinstance(between, Interval) else None


def _touches(printed: PrintedNumber, between: Interval | None) -> bool:
    if between is None:
        return False
    low, high = printed.value - printed.half_unit, printed.value + printed.half_unit
    return low <= between.high and between.low <= high


def _within(between: Interval | None) -> str:
    if between is None:
        return ""
    return f"Within the rounding of the scores: {between.low:.2f} to {between.high:.2f}."


def _reach(ours: Finding) -> str:
    between = _interval(ours)
    if between is None:
        return f"The scores give {ours.value:.3f}."
    return f"Allowing for rounding, the scores give {between.low:.2f} to {between.high:.2f}."


def _recompute_correlation(
    printed: PrintedNumber, found: Estimate, between: Interval | None
) -> _Recomputation:
    if found.value is None:
        return _Recomputation(None, None, found.note)
    if printed.could_be(found.value):
        return _Recomputation(found.value, True, "")
    if _touches(printed, between):
        told = f"{between.low:.3f} to {between.high:.3f}" if between else ""
        return _Recomputation(found.value, True, f"Within the rounding of the scores: {told}.")
    return _Recomputation(found.value, False, f"The scores give {found.value:.3f}.")


def _probability(
    printed: PrintedProbability,
    found: Estimate,
    measure: Measure,
    table: Sequence[Sequence[float]],
) -> _Recomputation:
    """Whether a printed p is ours; that of the t approximation is named where it is not."""
    if found.p is None:
        return _Recomputation(None, None, found.note)
    if _fits(printed, found.p):
        return _Recomputation(found.p, True, "")
    how = "Counted over all orders" if found.test and found.test.is_exact else "From t"
    reason = f"{how}, p is {found.p:.3f}."
    if measure == "spearman":
        usual = spearman(*table, p_value="t")  # type: ignore[arg-type]  # numbers in a list
        if usual.p is not None and _fits(printed, usual.p):
            reason += f" The t approximation, which fails for so few values, gives {usual.p:.3f}."
    return _Recomputation(found.p, False, reason)


def _within_rounding_of_scores(
    printed: PrintedProbability, ours: _Recomputation, between: Interval | None
) -> _Recomputation:
    """The same, unless the rounding of the scores explains the printed p."""
    if between is None or printed.relation != "=" or not _touches(printed.number, between):
        return ours
    told = f"Within the rounding of the scores: {between.low:.3f} to {between.high:.3f}."
    return _Recomputation(ours.value, True, told)


def _fits(printed: PrintedProbability, p: float) -> bool:
    if printed.relation == "=":
        return printed.number.could_be(p)
    return p < printed.number.value if printed.relation == "<" else p > printed.number.value


def _check(
    run: Run, entry: Reproducibility, ours: _Recomputation, *, measure: str = "", printed: str = ""
) -> PrintedCheck:
    return PrintedCheck(
        run=run.study,
        case=run.case,
        measure=measure or entry.measure,
        criterion=entry.criterion,
        system=entry.system,
        printed=printed or entry.number.text,
        computed=ours.value,
        is_reproduced=ours.is_reproduced,
        because=ours.because,
        place=entry.place,
    )
