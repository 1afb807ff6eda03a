"""Rules about power analyses: their inputs, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rejudge.audit import ranges
from rejudge.audit.evidence import Discrepancy, Outcomes, PaperEvidence
from rejudge.audit.ranges import Range
from rejudge.paper.arithmetic import PowerAnalysis
from rejudge.stats import (
    CohenD,
    CohenF,
    EtaSquared,
    anova_power,
    anova_sample_size,
    t_test_power,
    t_test_sample_size,
)

_PAIR = 2
_NEVER = 1e9  # no study is as large


def power_misread(seen: PaperEvidence) -> Outcomes:
    """A power analysis mistook η² for Cohen's f, or the size of a group for the total.

    f is √(η² / (1 − η²)), so η² = 0.17 is f = 0.45, not 0.17. Programs differ in whether n is the
    size of one group or of all. The printed figure results from one or both mistakes, and not from
    the right input.

    Remedy: name the effect and the sample size correctly, and recompute the power.
    """
    for analysis, place in seen.entries(PowerAnalysis):
        for figure in _figures(analysis):
            if figure.is_right:
                yield None
            elif figure.mistake:
                yield Discrepancy(
                    f"{analysis.what}: {figure.printed} results only if {figure.mistake}.",
                    figure.right_text,
                    place,
                    "Use f = √(η² / (1 − η²)) and the sample size that the program expects.",
                )


def power_differs(seen: PaperEvidence) -> Outcomes:
    """A printed power or sample size does not follow from effect, groups, size and level.

    The usual mistakes do not explain it either. A study planned by such a figure will be too small
    or too large.

    Remedy: print the inputs of the power analysis, and recompute it.
    """
    for analysis, place in seen.entries(PowerAnalysis):
        for figure in _figures(analysis):
            if figure.is_right or figure.mistake:
                yield None
                continue
            yield Discrepancy(
                f"{analysis.what}: {figure.printed} does not follow from {analysis.effect} = "
                f"{analysis.value.text} and {analysis.groups} groups.",
                figure.right_text,
                place,
                "Print the inputs, and recompute it.",
            )


def observed_power(seen: PaperEvidence) -> Outcomes:
    """Power was computed at the observed effect.

    Such power is a transformation of the p value and adds nothing: it is above about one half for a
    significant result and below for any other (Hoenig & Heisey 2001).

    Remedy: compute power at the smallest effect that would matter, before the study.
    """
    for analysis, place in seen.entries(PowerAnalysis):
        if not analysis.observed:
            yield None
            continue
        yield Discrepancy(
            f"{analysis.what}: the effect used, {analysis.effect} = {analysis.value.text}, is "
            "the observed one.",
            "Power at the observed effect follows from p alone.",
            place,
            "Compute power at the smallest effect that would matter.",
        )


@dataclass(frozen=True, slots=True)
class _PowerFigure:
    """One printed result of a power analysis, and what its inputs give."""

    printed: str
    is_right: bool
    mistake: str
    right_text: str


@dataclass(frozen=True, slots=True)
class _Interpretation:
    """One way to interpret the inputs of a power analysis."""

    effect_as_f: bool
    other_size: bool

    def words(self, analysis: PowerAnalysis) -> str:
        mistakes = []
        if self.effect_as_f:
            mistakes.append((f"{analysis.effect} = {analysis.value.text}", "Cohen's f"))
        if self.other_size and analysis.n_counts == "per-group":
            mistakes.append((f"{analysis.n}, the size of one group,", "the total"))
        elif self.other_size:
            mistakes.append((f"{analysis.n}, the total,", "the size of one group"))
        parts = [f"{given} for {taken}" for given, taken in mistakes[1:]]
        given, taken = mistakes[0]
        return " and ".join([f"{given} is mistaken for {taken}", *parts])


def _figures(analysis: PowerAnalysis) -> Iterator[_PowerFigure]:
    if analysis.power is not None and analysis.n is not None:
        yield _power_figure(analysis)
    if analysis.needed is not None:
        yield _needed_figure(analysis)


def _power_figure(analysis: PowerAnalysis) -> _PowerFigure:
    printed = analysis.power
    if printed is None:
        raise ValueError("no power is printed")
    wanted = ranges.of(printed)
    right = _power(analysis, _Interpretation(effect_as_f=False, other_size=False))
    readings = [
        _Interpretation(effect_as_f=as_f, other_size=other)
        for as_f in ((True, False) if "eta" in analysis.effect else (False,))
        for other in (False, True)
        if as_f or other
    ]
    mistakes = [each for each in readings if wanted.meets(_power(analysis, each))]
    size = analysis.n if analysis.n_counts == "total" else (analysis.n or 0) * analysis.groups
    return _PowerFigure(
        f"the power {printed.text}",
        wanted.meets(right) or _is_one_sided(analysis, wanted),
        mistakes[0].words(analysis) if mistakes else "",
        f"f = {_f_text(analysis)} and N = {size} in {analysis.groups} groups give a power of "
        f"{right.text}.",
    )


def _is_one_sided(analysis: PowerAnalysis, wanted: Range) -> bool:
    """Whether the power is that of a one-sided test of two groups."""
    if analysis.effect != "d" or analysis.alpha >= 0.5:
        return False
    doubled = analysis.model_copy(update={"alpha": 2 * analysis.alpha})
    return wanted.meets(_power(doubled, _Interpretation(effect_as_f=False, other_size=False)))


def _needed_figure(analysis: PowerAnalysis) -> _PowerFigure:
    needed = analysis.needed or 0
    total, group = _needed_size(analysis, as_f=False)
    allowed = {"total": [total], "per-group": [group], "unknown": [total, group]}
    is_right = any(_holds(each, needed) for each in allowed[analysis.needed_counts])
    mistake = ""
    if "eta" in analysis.effect and _holds(_needed_size(analysis, as_f=True)[0], needed):
        mistake = f"{analysis.effect} = {analysis.value.text} is mistaken for Cohen's f"
    elif analysis.needed_counts == "per-group" and _holds(total, needed):
        mistake = "the total is mistaken for the size of one group"
    elif analysis.needed_counts == "total" and _holds(group, needed):
        mistake = "the size of one group is mistaken for the total"
    return _PowerFigure(
        f"the needed sample size {needed}",
        is_right,
        mistake,
        f"f = {_f_text(analysis)} needs {Range(group.low + 1, group.high).text} per group for a "
        f"power of {analysis.target:g}.",
    )


def _holds(sizes: Range, printed: int) -> bool:
    return sizes.low <= printed <= sizes.high


def _effects(analysis: PowerAnalysis, *, as_f: bool) -> list[CohenF | EtaSquared | CohenD]:
    near = ranges.of(analysis.value)
    ends = [max(1e-6, near.low), max(1e-6, near.high)]
    if as_f or analysis.effect == "f":
        return [CohenF(each) for each in ends]
    if analysis.effect == "d":
        return [CohenD(each) for each in ends]
    return [EtaSquared(min(0.999, each)) for each in ends]


def _power(analysis: PowerAnalysis, reading: _Interpretation) -> Range:
    counts_total = (analysis.n_counts == "total") != reading.other_size
    found = []
    for effect in _effects(analysis, as_f=reading.effect_as_f):
        if analysis.effect == "d" and analysis.groups == _PAIR:
            power = (
                t_test_power(effect, total=analysis.n, alpha=analysis.alpha)
                if counts_total
                else t_test_power(effect, per_group=analysis.n, alpha=analysis.alpha)
            )
        elif counts_total:
            power = anova_power(
                effect, groups=analysis.groups, total=analysis.n, alpha=analysis.alpha
            )
        else:
            power = anova_power(
                effect, groups=analysis.groups, per_group=analysis.n, alpha=analysis.alpha
            )
        found.append(power.value if power.value is not None else 0.0)
    return Range(min(found), max(found))


def _needed_size(analysis: PowerAnalysis, *, as_f: bool) -> tuple[Range, Range]:
    """The sample size in total and per group, rounded down or up to whole groups."""
    found = []
    for effect in _effects(analysis, as_f=as_f):
        size = (
            t_test_sample_size(effect, power=analysis.target, alpha=analysis.alpha)
            if analysis.effect == "d" and analysis.groups == _PAIR
            else anova_sample_size(
                effect, groups=analysis.groups, power=analysis.target, alpha=analysis.alpha
            )
        )
        found.append(_NEVER if size.total_unrounded is None else size.total_unrounded)
    per_group = math.ceil(max(found) / analysis.groups)
    return (
        Range(math.floor(min(found)), per_group * analysis.groups),
        Range(math.floor(min(found) / analysis.groups), per_group),
    )


def _f_text(analysis: PowerAnalysis) -> str:
    ends = []
    for effect in _effects(analysis, as_f=False):
        value = effect.value
        if isinstance(effect, EtaSquared):
            value = math.sqrt(value / (1 - value))
        elif isinstance(effect, CohenD):
            value = abs(value) / 2
        ends.append(value)
    return Range(min(ends), max(ends)).text
