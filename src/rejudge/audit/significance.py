"""Rules about printed tests: statistic, degrees of freedom, p, effect size, significance."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rejudge.audit import ranges
from rejudge.audit.evidence import Discrepancy, Outcomes, PaperEvidence, is_of_judgments
from rejudge.audit.ranges import Range, digits
from rejudge.paper.model import PaperCase, PrintedStatistic, PrintedTest
from rejudge.stats import Interval, Summary, cohen_d_range, p_range, t_range

_TWO_SIDED = ("t", "z", "r")
_DF = {"t": 1, "F": 2, "chi2": 1, "z": 0, "r": 1}
_ALPHA = 0.05
_SMALL = 0.001
_PAIR = 2
# Words in the name of a test that is not one of independent groups.
_RELATED = (
    "paired", "dependent", "within", "repeated", "mixed", "regression", "cluster", "robust",
    "tukey", "permutation",
)  # fmt: skip


def p_differs(seen: PaperEvidence) -> Outcomes:
    """A p value does not follow from its test statistic and degrees of freedom.

    All three are printed, and two of them determine the third; differences within rounding are not
    reported. A corrected p may be larger than the implied one, never smaller. The idea comes from
    statcheck (Nuijten et al. 2016).

    Remedy: find out which of the three is wrong, and whether the conclusion depends on it.
    """
    for test, place, implied, printed in _implied_p_values(seen):
        if _fits(test, implied, printed) or _fits_one_sided(test, implied, printed):
            yield None
            continue
        turned = (implied.low > _ALPHA) != (printed.low > _ALPHA) and not (
            implied.low <= _ALPHA < implied.high
        )
        yield Discrepancy(
            f"{_test_name(test)}: p {_p_text(test)} does not follow from {_statistic_text(test)}."
            + (" The decision at 0.05 is reversed." if turned else ""),
            f"{_statistic_text(test)} gives p = {implied.text}.",
            place,
            "Check statistic, degrees of freedom and p against the output of the test.",
        )


def one_sided_p(seen: PaperEvidence) -> Outcomes:
    """A p value follows from its statistic only if the test was one-sided.

    A one-sided test halves p. That is defensible if the direction was fixed before the data were
    seen, but it must be stated.

    Remedy: say that the test is one-sided and why, or print the two-sided p.
    """
    for test, place, implied, printed in _implied_p_values(seen):
        if _fits(test, implied, printed) or not _fits_one_sided(test, implied, printed):
            continue
        yield Discrepancy(
            f"{_test_name(test)}: p {_p_text(test)} is that of a one-sided test.",
            f"{_statistic_text(test)} gives p = {implied.text} two-sided.",
            place,
            "State that the test is one-sided and why, or print the two-sided p.",
        )


def df_differs(seen: PaperEvidence) -> Outcomes:
    """Degrees of freedom do not fit the number of judgments.

    Two groups of n₁ and n₂ values have n₁ + n₂ − 2 degrees of freedom, fewer if variances are
    unequal or values come in pairs, never more; k groups of N values leave N − k at most, and a
    correlation of n pairs n − 2. More degrees of freedom mean that judgments were counted that the
    paper does not mention, too few that some were excluded.

    If a test has no n of its own, those printed with the scores are used. Unless its unit is the
    judgment, only too many degrees of freedom are then reported: fewer may be those of a test on
    means.

    Remedy: print how many judgments went into the test, and recompute it.
    """
    for case, test, place in seen.tests():
        statistic, n = test.statistic, _numbers(seen, case, test)
        if statistic is None or not n or len(statistic.df) != _DF.get(statistic.name, -1):
            continue
        systems = len(test.systems) or len(seen.paper.systems)
        bounds = _df_bounds(test, statistic, n, systems=systems)
        if bounds is None:
            continue
        printed = statistic.df[-1]
        if bounds.low - 1e-9 <= printed <= bounds.high + 1e-9:
            yield None
            continue
        yield Discrepancy(
            f"{_test_name(test)}: {digits(printed)} degrees of freedom do not fit "
            f"n = {', '.join(map(str, n))}{'' if test.n else ', as printed with the scores'}.",
            f"They must be {bounds.text}.",
            place,
            "Print how many judgments went into the test, and recompute it.",
        )


def statistic_differs(seen: PaperEvidence) -> Outcomes:
    """A t statistic does not follow from the printed means, standard deviations and n.

    Two means, two SDs and two numbers of judgments determine Student's and Welch's t of independent
    groups. A statistic that rounding cannot explain was computed from different values from those
    in the table.

    Remedy: recompute the test from the values that the table shows.
    """
    for case, test, place in seen.tests():
        pair = _summaries(seen, case, test)
        statistic = test.statistic
        if statistic is None or statistic.name != "t" or pair is None or _is_related(test):
            continue
        first, second, halves = pair
        wide = [
            t_range(first, second, mean_half_unit=halves[0], sd_half_unit=halves[1],
                    equal_variances=pooled)
            for pooled in (True, False)
        ]  # fmt: skip
        allowed = [ranges.absolute(_range(each)) for each in wide if each is not None]
        printed = ranges.absolute(ranges.of(statistic.value))
        if not allowed:
            continue
        if any(printed.meets(each) for each in allowed):
            yield None
            continue
        yield Discrepancy(
            f"{_test_name(test)}: {_statistic_text(test)} does not follow from the printed means "
            "and SDs.",
            f"{_summary_text(first)} against {_summary_text(second)} give |t| = {allowed[0].text}.",
            place,
            "Recompute the test from the values in the table.",
        )


def effect_differs(seen: PaperEvidence) -> Outcomes:
    """An effect size does not follow from its test or from the printed means and SDs.

    Cohen's d of two independent groups is t · √(1/n₁ + 1/n₂), and the difference of the means over
    the pooled SD; η² of a one-way analysis is F · df₁ / (F · df₁ + df₂). Differences within
    rounding are not reported.

    Remedy: say which effect size it is and what it was computed from, and recompute it.
    """
    for case, test, place in seen.tests():
        if test.effect is None:
            continue
        printed = ranges.of(test.effect.value)
        for how, implied in _implied_effects(seen, case, test):
            if printed.meets(implied) or printed.meets(ranges.scale(implied, -1)):
                yield None
                continue
            yield Discrepancy(
                f"{_test_name(test)}: {test.effect.name} = {test.effect.value.text} does not "
                f"follow from {how}.",
                f"{how} gives {test.effect.name} = {implied.text}.",
                place,
                "State how the effect size was computed, and recompute it.",
            )


def significance_differs(seen: PaperEvidence) -> Outcomes:
    """A difference is called significant although its p is above 0.05, or vice versa.

    A p between 0.001 and 0.05 may well be called not significant, after a correction or at a
    stricter level; that is not reported. A p above 0.05 that is called significant is reported,
    whatever the correction.

    Remedy: report what the tests show, and name the level and the correction.
    """
    for _, test, place in seen.tests():
        if test.p is None or test.is_significant is None:
            continue
        p = ranges.of_p(test.p)
        wrongly_marked = test.is_significant and p.low > _ALPHA
        wrongly_unmarked = not test.is_significant and p.high < _SMALL and test.correction == "none"
        if not wrongly_marked and not wrongly_unmarked:
            yield None
            continue
        marked = "significant" if test.is_significant else "not significant"
        yield Discrepancy(
            f"{_test_name(test)}: called {marked}, with p {_p_text(test)}.",
            f"p {_p_text(test)} against the usual level of 0.05.",
            place,
            "Report what the test shows, or name the level that was used.",
        )


def _implied_p_values(seen: PaperEvidence) -> Iterator[tuple[PrintedTest, str, Range, Range]]:
    """Tests with a statistic, its degrees of freedom and p: the p that follows, and the printed."""
    for _, test, place in seen.tests():
        statistic = test.statistic
        if statistic is None or test.p is None:
            continue
        name, df = statistic.name, _degrees(seen, test, statistic)
        if name == "W" or name == "U" or len(df) != _DF[name]:  # noqa: PLR1714 - narrows
            continue
        if any(each <= 0 for each in df):
            continue
        found = p_range(name, statistic.value.value, statistic.value.half_unit, df)
        yield test, place, Range(found.low, found.high), ranges.of_p(test.p)


def _degrees(
    seen: PaperEvidence, test: PrintedTest, statistic: PrintedStatistic
) -> tuple[float, ...]:
    """As printed; those of a one-way analysis follow from the numbers of judgments."""
    groups = len(test.n)
    is_one_way = statistic.name == "F" and "one-way" in test.test.lower()
    if statistic.df or not is_one_way or groups != (len(test.systems) or len(seen.paper.systems)):
        return statistic.df
    return groups - 1, sum(test.n) - groups


def _fits(test: PrintedTest, implied: Range, printed: Range) -> bool:
    if printed.meets(implied):
        return True
    is_larger = printed.low > implied.high
    return is_larger and test.correction != "none"  # a corrected p, or one that may be


def _fits_one_sided(test: PrintedTest, implied: Range, printed: Range) -> bool:
    if test.statistic is None or test.statistic.name not in _TWO_SIDED:
        return False
    return printed.meets(ranges.scale(implied, 0.5))


def _numbers(seen: PaperEvidence, case: PaperCase, test: PrintedTest) -> tuple[int, ...]:
    """Judgments per system that went into a test: its own, or those of the scores it compares."""
    if test.n or (test.unit and not is_of_judgments(test)):
        return test.n
    systems = test.systems or tuple(each.id for each in seen.paper.systems)
    scores = [seen.score(case, test.criterion, system) for system in systems]
    found = [score.n for score in scores if score is not None and score.n is not None]
    return tuple(found) if len(found) == len(systems) else ()


def _df_bounds(
    test: PrintedTest, statistic: PrintedStatistic, n: tuple[int, ...], *, systems: int
) -> Range | None:
    """The fewest and the most degrees of freedom that this many judgments leave."""
    name = test.test.lower()
    if any(word in name for word in ("mixed", "cluster", "robust", "regression")):
        return None  # they follow from the model
    most = sum(n) - systems
    if not test.n and not is_of_judgments(test):  # it may be a test of means over judgments
        return Range(0, most) if statistic.name in {"t", "F"} and len(n) == systems else None
    if statistic.name == "t" and len(n) == _PAIR:
        return Range(min(n) - 1, most)
    if statistic.name == "t" and len(n) == 1:
        return Range(n[0] - 1, 2 * n[0] - 2)  # pairs, or two groups of n
    if statistic.name == "F" and len(n) == systems:
        return Range(min(n) - 1, most)
    if statistic.name == "r" and len(n) == 1:
        return Range(n[0] - 2, n[0] - 2)
    return None


def _summaries(
    seen: PaperEvidence, case: PaperCase, test: PrintedTest
) -> tuple[Summary, Summary, tuple[float, float]] | None:
    """What is printed of the two systems of a test, and the half units of means and SDs."""
    if len(test.systems) != _PAIR:
        return None
    found, means, deviations = [], [], []
    for place, system in enumerate(test.systems):
        score = seen.score(case, test.criterion, system)
        if score is None or score.sd is None or score.sd.value < 0 or score.is_median:
            return None
        n = test.n[place] if len(test.n) == _PAIR else score.n
        if n is None or n < _PAIR or not _is_of_the_same(test, score.n, n):
            return None
        found.append(Summary(score.number.value, score.sd.value, n))
        means.append(score.number.half_unit)
        deviations.append(score.sd.half_unit)
    return found[0], found[1], (max(means), max(deviations))


def _is_of_the_same(test: PrintedTest, printed: int | None, tested: int) -> bool:
    """Whether a test is of the values whose SD is printed, and not of means of them."""
    if test.n:
        return printed in (None, tested)
    return not test.unit or is_of_judgments(test)


def _implied_effects(
    seen: PaperEvidence, case: PaperCase, test: PrintedTest
) -> Iterator[tuple[str, Range]]:
    statistic, effect = test.statistic, test.effect
    if effect is None or _is_related(test):
        return
    if effect.name in {"eta-squared", "partial-eta-squared"} and statistic is not None:
        df = _degrees(seen, test, statistic)
        if statistic.name == "F" and len(df) == _PAIR and min(df) > 0:
            yield _statistic_text(test), _share(statistic, df)
    if effect.name == "d":
        yield from _implied_d(seen, case, test)


def _implied_d(
    seen: PaperEvidence, case: PaperCase, test: PrintedTest
) -> Iterator[tuple[str, Range]]:
    statistic = test.statistic
    if statistic is not None and statistic.name == "t" and len(test.n) == _PAIR:
        per_t = math.sqrt(1 / test.n[0] + 1 / test.n[1])
        yield (
            f"{_statistic_text(test)} with n = {test.n[0]} and {test.n[1]}",
            ranges.scale(ranges.of(statistic.value), per_t),
        )
    pair = _summaries(seen, case, test)
    if pair is not None:
        first, second, halves = pair
        wide = cohen_d_range(first, second, mean_half_unit=halves[0], sd_half_unit=halves[1])
        if wide is not None:
            yield f"{_summary_text(first)} against {_summary_text(second)}", _range(wide)


def _share(statistic: PrintedStatistic, df: tuple[float, ...]) -> Range:
    first, second = df
    printed = ranges.of(statistic.value)
    low, high = (max(0.0, end) * first for end in (printed.low, printed.high))  # F is never below 0
    return Range(low / (low + second), high / (high + second))


def _is_related(test: PrintedTest) -> bool:
    """Whether it compares pairs, or is of a model, and not of independent groups."""
    name = test.test.lower().replace("unpaired", "").replace("independent", "")
    return any(word in name for word in _RELATED)


def _range(interval: Interval) -> Range:
    return Range(interval.low, interval.high)


def _test_name(test: PrintedTest) -> str:
    who = " – ".join(test.systems) if test.systems else "all systems"
    return f"{who}, {test.criterion}"


def _p_text(test: PrintedTest) -> str:
    if test.p is None:
        return "not printed"
    return test.p.text if test.p.relation != "=" else f"= {test.p.text}"


def _statistic_text(test: PrintedTest) -> str:
    statistic = test.statistic
    if statistic is None:
        return test.test
    df = f"({', '.join(digits(each) for each in statistic.df)})" if statistic.df else ""
    return f"{statistic.name}{df} = {statistic.value.text}"


def _summary_text(summary: Summary) -> str:
    return f"{digits(summary.mean)} (SD {digits(summary.sd)}, n {summary.n})"
