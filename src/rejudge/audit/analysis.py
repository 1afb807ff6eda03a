"""Rules about how numbers were obtained: tests, corrections, agreement, mixed models."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rejudge.audit import ranges
from rejudge.audit.evidence import ZERO_SUM, Discrepancy, Outcomes, PaperEvidence, is_of_judgments
from rejudge.audit.ranges import Range, digits
from rejudge.english import count, verb
from rejudge.paper.arithmetic import MixedModel, NamedCorrection
from rejudge.paper.model import PrintedTest
from rejudge.stats import adjust_p

_CLUSTERED = ("mixed", "cluster", "robust", "multilevel", "random effect")
_ALPHA = 0.05
_SEVERAL = 2
_NARROW = 1.5  # standard errors; an interval of 90 % reaches 1.64
_WIDE = 12.8  # 〃; of 95 % with one degree of freedom, 12.71


def uncorrected_tests(seen: PaperEvidence) -> Outcomes:
    """Several differences were tested without correction for multiple testing.

    Of 20 tests without any difference, one is significant at 5 % on average. With 16 of them the
    probability of at least one false positive is 56 %, if they are independent.

    Remedy: correct them, for instance by Holm's method, or treat single stars as hints.
    """
    for case in seen.paper.cases:
        tests = [each for each in case.tests if each.systems and each.correction != "unknown"]
        plain = [each for each in tests if each.correction == "none"]
        if len(plain) < _SEVERAL:
            yield from (None for _ in tests[:1])
            continue
        chance = 1 - (1 - _ALPHA) ** len(plain)
        marked = sum(each.is_significant is True for each in plain)
        yield Discrepancy(
            f"Case {case.id}: {count(len(plain), 'test')} without correction, {marked} of them "
            "called significant.",
            f"Probability of a false positive, if they are independent: 1 − 0.95^{len(plain)} = "
            f"{chance:.2f}. Holm's first threshold would be 0.05/{len(plain)} = "
            f"{digits(_ALPHA / len(plain))}.{_after_holm(plain)}",
            next((each.place for each in plain if each.place), seen.case_path(case)),
            "Correct for the number of tests; Holm's method costs the least power.",
        )


def misnamed_correction(seen: PaperEvidence) -> Outcomes:
    """A correction is called Holm's or Bonferroni's, but the other one was applied.

    Holm compares the smallest p with α/m, the next with α/(m − 1), and so on; Bonferroni compares
    all of them with α/m. Both control the error rate, and Holm rejects at least as many: the name
    matters to those who repeat the analysis.

    Remedy: name the correction that was applied, or apply the one that is named.
    """
    for entry, place in seen.entries(NamedCorrection):
        done = _done(entry)
        if done is None:
            continue
        if entry.named in done:
            yield None
            continue
        what = f"{min(done).capitalize()}'s" if done else "neither Holm's nor Bonferroni's"
        yield Discrepancy(
            f"{entry.what}: called {entry.named.capitalize()}'s correction, but the one applied is "
            f"{what}.",
            _correction_text(entry),
            place,
            "Name the correction that was applied, or apply the one that is named.",
        )


def judgments_as_independent(seen: PaperEvidence) -> Outcomes:
    """A test treats all judgments as independent observations.

    Several people judge the same item, and one person judges many items, so judgments come in
    clusters. Tests that ignore this have too many false positives: a t test of pooled ratings had a
    false-positive rate of 28 % instead of 5 % in simulated studies (2 systems, 100 items, 3
    people).

    Remedy: test on one value per item, by a cluster-robust test, or by a model with items and
    participants.
    """
    for case in seen.paper.cases:
        pooled = [each for each in case.tests if _counts_judgments(each)]
        others = [each for each in case.tests if each.unit and each not in pooled]
        yield from (None for _ in others)
        if not pooled:
            continue
        sizes = sorted({n for each in pooled for n in each.n})
        yield Discrepancy(
            f"Case {case.id}: {count(len(pooled), 'test')} on {pooled[0].criterion} "
            f"({pooled[0].test or 'unnamed'}) {verb(len(pooled), 'treats', 'treat')} every "
            f"{pooled[0].unit} as independent.",
            f"n = {', '.join(map(str, sizes)) or 'not printed'} per system counts "
            f"{pooled[0].unit}s, not items or people{_clusters(seen)}.",
            next((each.place for each in pooled if each.place), seen.case_path(case)),
            "Test on one value per item, or by a model with items and participants.",
        )


def zero_sum_anova(seen: PaperEvidence) -> Outcomes:
    """A one-way ANOVA, or Tukey's test after it, was applied to scores of comparisons.

    Each win of one system is the loss of another, so the scores of an item are not independent: the
    false-positive rate is 12 % instead of 5 % in simulated studies of 4 systems, 100 items and 3
    judgments each.

    Remedy: use Friedman's test, a repeated-measures analysis or Bradley–Terry strengths, and paired
    contrasts with Holm's correction.
    """
    for case in seen.paper.cases:
        for criterion in seen.paper.criteria:
            tests = [each for each in case.tests if each.criterion == criterion.id]
            if criterion.scale.kind not in ZERO_SUM or not tests:
                continue
            one_way = [each for each in tests if _is_one_way(each)]
            if not one_way:
                yield None
                continue
            names = sorted({each.test for each in one_way})
            yield Discrepancy(
                f"{' and '.join(names)} on {criterion.id}: the scores are of kind "
                f"{criterion.scale.kind}, where each win is another system's loss.",
                f"{count(len(one_way), 'test')} of {len(seen.paper.systems)} systems that the "
                "analysis treats as independent groups.",
                next((each.place for each in one_way if each.place), seen.case_path(case)),
                "Use Friedman's test or a repeated-measures analysis, and paired contrasts.",
            )


def percent_alone(seen: PaperEvidence) -> Outcomes:
    """Agreement between two options is printed only in percent.

    Two people who choose between two options at random agree in half of the cases. With balanced
    options Krippendorff's α is about twice the share of agreement minus 1.

    Remedy: print α or κ with the percentage.
    """
    if seen.paper.conditions.get("tie-allowed") is True:
        return  # three options
    relative = {each.id for each in seen.paper.criteria if each.scale.kind in ZERO_SUM}
    for case in seen.paper.cases:
        printed = [each for each in case.agreement if each.criterion in relative]
        percent = [each for each in printed if each.coefficient == "percent"]
        if not printed:
            continue
        if len(percent) < len(printed):
            yield None
            continue
        overall = next((each for each in percent if not each.systems), percent[0])
        share = overall.value.value
        yield Discrepancy(
            f"Agreement of {overall.value.text} % is not corrected for chance, and two options "
            "give 50 % by chance.",
            f"α is about 2 · {overall.value.text} % − 1 = {2 * share / 100 - 1:.2f}, if both "
            "options are chosen equally often.",
            overall.place or seen.case_path(case),
            "Print α or κ with the percentage.",
        )


def _after_holm(tests: list[PrintedTest]) -> str:
    """How many stay significant, if every p is printed."""
    exact = [each.p.number.value for each in tests if each.p and each.p.relation == "="]
    if len(exact) < len(tests):
        return ""
    before = sum(p < _ALPHA for p in exact)
    after = sum(p is not None and p < _ALPHA for p in adjust_p(exact, "holm"))
    return f" Of {before} p values below 0.05, {after} stay so after Holm's correction."


def _done(entry: NamedCorrection) -> set[str] | None:
    """The corrections that match what was done; None if the paper does not print it."""
    m = len(entry.divided_by)
    if m > 1:
        forms = {"holm": tuple(range(m, 0, -1)), "bonferroni": (m,) * m}
        return {name for name, form in forms.items() if entry.divided_by == form}
    if len(entry.p) > 1 and len(entry.p) == len(entry.adjusted):
        return {name for name in ("holm", "bonferroni") if _corrects(entry, name)}
    return None


def _corrects(entry: NamedCorrection, name: str) -> bool:
    how: Callable[[list[float]], tuple[float | None, ...]] = (
        (lambda p: adjust_p(p, "holm")) if name == "holm" else (lambda p: adjust_p(p, "bonferroni"))
    )
    lows = how([max(0.0, ranges.of(each).low) for each in entry.p])
    highs = how([min(1.0, ranges.of(each).high) for each in entry.p])
    return all(
        ranges.of(each).meets(Range(low or 0.0, high or 0.0))
        for each, low, high in zip(entry.adjusted, lows, highs, strict=True)
    )


def _correction_text(entry: NamedCorrection) -> str:
    m = len(entry.divided_by)
    if m > 1:
        done, holm = (
            ", ".join("α" if each == 1 else f"α/{each}" for each in parts)
            for parts in (entry.divided_by, range(m, 0, -1))
        )
        return f"Compared with {done}; Holm compares with {holm}, Bonferroni each with α/{m}."
    raw = ", ".join(each.text for each in entry.p)
    after = ", ".join(each.text for each in entry.adjusted)
    right = {
        name: ", ".join(digits(p or 0.0) for p in values)
        for name, values in (
            ("Holm", adjust_p([each.value for each in entry.p], "holm")),
            ("Bonferroni", adjust_p([each.value for each in entry.p], "bonferroni")),
        )
    }
    return f"{raw} became {after}; Holm gives {right['Holm']}, Bonferroni {right['Bonferroni']}."


def _counts_judgments(test: PrintedTest) -> bool:
    name = test.test.lower()
    return is_of_judgments(test) and not any(word in name for word in _CLUSTERED)


def _clusters(seen: PaperEvidence) -> str:
    people = seen.paper.conditions.get("participants-per-item")
    return f"; {people} people judged each item" if isinstance(people, int) and people > 1 else ""


def _is_one_way(test: PrintedTest) -> bool:
    name = test.test.lower()
    is_within = "repeated" in name or "rm" in name.replace("-", " ").split()
    return ("anova" in name or "tukey" in name) and not is_within


def no_item_effect(seen: PaperEvidence) -> Outcomes:
    """A mixed model of judgments of shared items has no random effect for items.

    Items differ, and judgments of one item have that in common. Without an item effect, differences
    between items count as noise that averages out over judgments, and the standard errors of what
    varies between items are too small: by half in one published study.

    Remedy: add the item as a random effect, in addition to the participant.
    """
    for entry, place in seen.entries(MixedModel):
        if not entry.items_shared:
            continue
        groups = [each.of for each in entry.random]
        if "item" in groups:
            yield None
            continue
        yield Discrepancy(
            f"{entry.what}: random effects for {' and '.join(groups) or 'nothing'} but not for "
            "items, although several people judged the same items.",
            "Judgments of one item are treated as if each were of a different item.",
            place,
            "Add the item as a random effect and compare the standard errors.",
        )


def model_row_differs(seen: PaperEvidence) -> Outcomes:
    """Estimate, standard error, statistic and interval of one row are inconsistent.

    The statistic is estimate / SE. An interval contains its estimate and extends about two standard
    errors to either side, more with few degrees of freedom; only an interval that is narrower than
    1.5 of them, or wider than with a single degree of freedom, is reported. A variance is the
    square of its SD.

    Remedy: take the whole row from one output of the model.
    """
    for entry, place in seen.entries(MixedModel):
        for found in (*_model_rows(entry), *_variances(entry)):
            yield (
                None
                if found is None
                else Discrepancy(
                    f"{entry.what}, {found[0]}",
                    found[1],
                    place,
                    "Take the whole row from one output.",
                )
            )


def _model_rows(entry: MixedModel) -> Iterator[tuple[str, str] | None]:
    for row in entry.fixed:
        estimate, error = ranges.of(row.estimate), ranges.of(row.se)
        ratio = ranges.quotient(estimate, error)
        if row.statistic is not None and ratio is not None:
            fits = ratio.meets(ranges.of(row.statistic))
            yield (
                None
                if fits
                else (
                    f"{row.name}: the statistic {row.statistic.text} is not estimate / SE.",
                    f"{row.estimate.text} / {row.se.text} = {ratio.text}.",
                )
            )
        if row.interval is not None:
            half = ranges.scale(
                ranges.difference(ranges.of(row.interval[1]), ranges.of(row.interval[0])), 0.5
            )
            wanted = Range(_NARROW * error.low, _WIDE * error.high)
            holds = ranges.of(row.interval[0]).low <= estimate.high and (
                estimate.low <= ranges.of(row.interval[1]).high
            )
            yield (
                None
                if holds and half.meets(wanted)
                else (
                    f"{row.name}: the interval is inconsistent with estimate and SE.",
                    (
                        f"1.96 · {row.se.text} = {ranges.scale(error, 1.96).text}, half of "
                        f"{row.interval[0].text} to {row.interval[1].text} is {half.text}."
                    ),
                )
            )


def _variances(entry: MixedModel) -> Iterator[tuple[str, str] | None]:
    for effect in entry.random:
        if effect.variance is None or effect.sd is None:
            continue
        root = ranges.of(effect.sd)
        square = Range(max(0.0, root.low) ** 2, root.high**2)
        fits = square.meets(ranges.of(effect.variance))
        yield (
            None
            if fits
            else (
                (
                    f"{effect.of}: the variance {effect.variance.text} is not the square of "
                    f"the SD {effect.sd.text}."
                ),
                f"{effect.sd.text}² = {square.text}.",
            )
        )
