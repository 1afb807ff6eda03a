"""What tests and coefficients are called, and sentences that screens and reports share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis.cases import outcome
from rejudge.analysis.evidence import headline_disagreements, is_first_ahead
from rejudge.analysis.results import Flow, Groups, LimitedPairs, Results
from rejudge.english import capital, count, join_words, span, verb, versus
from rejudge.findings.frame import Frame
from rejudge.findings.model import Finding
from rejudge.findings.words import POPULATIONS, How, with_df_range
from rejudge.layout.numbers import NARROW, df_text, interval_text, number, p_equals
from rejudge.study import methods
from rejudge.study.claims import Claim

_TWO_DIGITS = frozenset(
    ("mean", "mean-difference", "median-difference", "latent-difference", "strength", "test")
)
NOUNS = {
    "judgments": "judgment",
    "scores": "score",
    "units": "unit",
    "items": "item",
    "participants": "participant",
    "batches": "batch",
    "pairs": "matched pair",
    "comparisons": "comparison",
}
TEST_NAMES: dict[str, str] = {name: test.label for name, test in methods.TESTS.items()}


def name_of_test(finding: Finding) -> str:
    """What the test behind a finding is called, with its direction if it has one."""
    side = "" if finding.alternative == "two-sided" else ", one-sided"
    return f"{TEST_NAMES.get(finding.by, finding.by)}{side}"


COEFFICIENTS: dict[str, str] = {
    **{name: each.label for name, each in methods.COEFFICIENTS.items()},
    "cohen-kappa-linear": "Cohen’s kappa, linear weights",
    "cohen-kappa-quadratic": "Cohen’s kappa, quadratic weights",
    "self-consistency, percent": "Same answer when asked again, percent",
    "self-consistency, alpha": "Alpha of participants with themselves",
}


def claim_in_words(says: str, labels: Mapping[str, str]) -> str:
    """A claim with the names of systems and coefficients instead of their ids."""
    claim = Claim(id="claim", says=says)
    systems = [labels.get(system, system) for system in claim.systems]
    first, others = systems[:1], ", ".join(systems[1:])
    words = {
        "best": f"{''.join(first)} is best",
        "worst": f"{''.join(first)} is worst",
        "order": " > ".join(systems),
        "better": f"{''.join(first)} > {others}",
        "equivalent": " ≈ ".join(systems),
        "agreement": f"{COEFFICIENTS.get(claim.statistic or '', '')} ≥ {claim.bound or 0:g}",
    }[claim.kind]
    within = f" within {claim.bound:g}" if claim.kind == "equivalent" else ""
    tested = "" if claim.p_below is None else f" with p < {claim.p_below:g}"
    return f"{words} on {claim.question}{within}{tested}"


def name_of_coefficient(finding: Finding) -> str:
    """What the coefficient behind a finding is called in a table."""
    is_pooled = finding.fact(How.POOLED_KAPPA) is not None
    return "Cohen’s kappa, pooled" if is_pooled else COEFFICIENTS.get(finding.by, finding.by)


def coefficient(by: str) -> str:
    """What a coefficient of agreement is called inside a sentence."""
    name = COEFFICIENTS.get(by, by)
    return name if name.startswith(_AUTHORS) else name[:1].lower() + name[1:]


_AUTHORS = ("Krippendorff", "Cohen", "Fleiss", "Gwet", "Kendall")


def verdict(finding: Finding) -> str:
    """Whether a difference is supported; what is not supported is not thereby refuted."""
    if finding.is_supported is None:
        return "not tested"
    return "supported" if finding.is_supported else "not supported"


WEIGHTED_INPUTS = "Inputs are weighted by the inverse of their probability of selection."


def shared_method(findings: Sequence[Finding]) -> str:
    """How findings of one kind were computed, in words."""
    finding = representative(findings)
    return finding.method


def representative(findings: Sequence[Finding]) -> Finding:
    """One finding of a kind; where their degrees of freedom differ, its method has the range.

    One that has no interval does not speak for those that have.
    """
    known = {f.id: fact for f in findings if (fact := f.fact(How.CLUSTERED, How.T)) is not None}
    finding = next((f for f in findings if f.id in known), findings[0])
    df = sorted({float(f"{fact.get('df'):.4g}") for fact in known.values()})
    if len(df) < 2:
        return finding
    return replace(finding, how=with_df_range(finding.how, df))


def digits_of(finding: Finding) -> int:
    """How many decimals a number is given: as many as its standard error has a use for."""
    least = 2 if finding.measure in _TWO_DIGITS or is_coefficient(finding) else 1
    if not finding.standard_error:
        return least
    needed = math.ceil(-math.log10(finding.standard_error / _UNITS_IN_AN_ERROR))
    return min(max(least, needed), least + _MOST_FURTHER_DIGITS)


def is_coefficient(finding: Finding) -> bool:
    """Whether it is agreement on a scale that ends at 1, and no percentage."""
    return finding.measure == "agreement" and finding.by not in _PERCENTAGES


_PERCENTAGES = ("percent", "self-consistency, percent")
_UNITS_IN_AN_ERROR = 4  # units of the last digit that a standard error has at least
_MOST_FURTHER_DIGITS = 2


def value_with_unit(finding: Finding) -> str:
    """The value of a finding with its unit."""
    return number_with_unit(finding, digits_of(finding))


def number_with_unit(finding: Finding, digits: int) -> str:
    """The value of a finding with so many decimals, and its unit."""
    is_share = finding.measure in {"win-percent", "first-shown-percent", "share"}
    is_percent = is_share or finding.by in _PERCENTAGES
    unit = f"{NARROW}%" if is_percent and finding.value is not None else ""
    return f"{number(finding.value, digits)}{unit}"


def names_of(finding: Finding, labels: Mapping[str, str]) -> list[str]:
    """The systems of a finding by their labels."""
    return [labels.get(system, system) for system in finding.systems]


def final_p(finding: Finding) -> float | None:
    """The p value to report: corrected if there is a correction."""
    return finding.p if finding.p_adjusted is None else finding.p_adjusted


def statistic_text(finding: Finding) -> str | None:
    """Such as t(12) = 2.31; None if there is no statistic."""
    statistic = finding.statistic
    if statistic is None:
        return None
    df = df_text(statistic.df)
    return f"{statistic.name}{f'({df})' if df else ''} = {number(statistic.value, 2)}"


MOST_GROUPS = 6  # groups or differences in one sentence; more are counted
_MOST_PAIRS = 8  # in one sentence; more are counted


def unfinished_sentences(flow: Flow) -> Iterator[str]:
    """Sentences saying that places of the plan are still empty."""
    if flow.places is not None and flow.is_unfinished:
        filled, planned = flow.places.filled, flow.places.planned
        yield (
            f"Collection is not finished: {filled:,} of {count(planned, 'planned place')} "
            f"{verb(planned, 'is', 'are')} filled."
        )


def remark_counts(remarks: Frame) -> str:
    """How many remarks there are, and how many participants wrote them."""
    people = remarks.facts["participants"]
    many = count(len(remarks), "remark")
    if not isinstance(people, int):
        return f"{many}; it is not known who wrote them"
    authors = {row["participant"] for row in remarks.rows if row["participant"]}
    return f"{many} by {len(authors):,} of {count(people, 'participant')}"


def dependence_sentences(
    results: Results, labels: Mapping[str, str], choice: str = ""
) -> Iterator[str]:
    """Comparisons that come out differently by exclusions or by case; of one choice, or of both."""
    by_id = {finding.key.in_case("").id: finding for finding in results.select(case=None)}
    for dependence in results.depends:
        if choice in {"", dependence.choice}:
            finding = by_id[dependence.finding]
            names = names_of(finding, labels)
            ahead = "more often" if finding.category else "better"
            better = {"first": f"{names[0]} {ahead}", "second": f"{names[1]} {ahead}"}
            states = "; ".join(
                f"{state}: {better.get(out, out)}" for state, out in dependence.outcomes.items()
            )
            label = f"{finding.category}: " if finding.category else ""
            what = f"{name_of_test(finding)}, {label}{versus(names, finding.measure)}"
            yield f"Depends on {dependence.choice}: {finding.question}, {what} ({states})."


def disagreement_sentences(
    results: Results, question: str, labels: Mapping[str, str]
) -> Iterator[str]:
    """Comparisons on a question whose headline test and check disagree."""
    for each in headline_disagreements(f for f in results.select() if f.question == question):
        names = names_of(each.headline, labels)
        sides = [_outcome_in_words(f, names) for f in (each.headline, each.check)]
        pair = versus(names, each.headline.measure)
        is_other_question = each.headline.population != each.check.population
        how = "answer different questions" if is_other_question else "disagree"
        said = capital("; ".join(sides))
        yield f"{pair} on {question}: the headline and its check {how}. {said}."


def _outcome_in_words(finding: Finding, names: Sequence[str]) -> str:
    result = outcome(finding)
    what = (
        "does not support a difference"
        if result == "open"
        else f"supports that {names[0 if result == 'first' else 1]} is ahead"
    )
    population = f", {POPULATIONS[finding.population]}" if finding.population else ""
    return f"the {name_of_test(finding)} {what} ({p_equals(final_p(finding) or 0.0)}{population})"


def pair_limit(results: Results, question: str, labels: Mapping[str, str]) -> str:
    """Which pairs of systems were tested on a question; empty if all were."""
    limits = [each for each in results.limited_pairs if each.question == question]
    return " ".join(f"{_limit_in_words(each, labels)}." for each in limits)


def pair_limits(results: Results, labels: Mapping[str, str]) -> Iterator[str]:
    """The same for all questions; those with the same pairs share a sentence."""
    shared: dict[tuple[str, ...], list[LimitedPairs]] = {}
    for each in results.limited_pairs:
        tests = () if each.is_every_test else each.tests
        shared.setdefault((*tests, *map(str, each.pairs)), []).append(each)
    for same in shared.values():
        questions = join_words([each.question for each in same])
        yield f"{_limit_in_words(same[0], labels)} on {questions}"


def pairs_in_words(pairs: Sequence[tuple[str, str]], labels: Mapping[str, str]) -> str:
    """Such as ours – baseline and ours – reference."""
    named = [" – ".join(labels.get(system, system) for system in pair) for pair in pairs]
    if len(named) <= _MOST_PAIRS:
        return join_words(named)
    return f"{', '.join(named[:_MOST_PAIRS])} and {len(named) - _MOST_PAIRS:,} more pairs"


def _limit_in_words(limit: LimitedPairs, labels: Mapping[str, str]) -> str:
    were = verb(len(limit.pairs), "was", "were")
    tests = dict.fromkeys(TEST_NAMES.get(test, test) for test in limit.tests)
    by = "" if limit.is_every_test else f" by the {join_words(list(tests))}"
    return f"Only {pairs_in_words(limit.pairs, labels)} {were} tested{by}"


def group_sentences(results: Results, groups: Groups, labels: Mapping[str, str]) -> Iterator[str]:
    """The groups, what is supported within them, and where differences differ between them."""
    planned = "planned" if groups.is_planned else "exploratory"
    left = groups.without_group
    without = f" {capital(count(left, 'judgment'))} {verb(left, 'is', 'are')} in no group."
    yield (
        f"By {groups.column} ({planned}; groups of {groups.of}): {group_sizes(groups)}."
        f"{without if left else ''}"
    )
    for question in results.questions:
        found = [f for f in results.of_column(groups.column) if f.question == question]
        yield from _group_sentences_on(groups, found, question, labels)


def group_sizes(groups: Groups) -> str:
    """Such as agent (432 judgments, 12 items, 6 participants); for many groups, their range."""
    if len(groups.sizes) > MOST_GROUPS:
        people = [size.participants for size in groups.sizes if size.participants is not None]
        ranges = [
            span([size.judgments for size in groups.sizes], "judgment"),
            span([size.items for size in groups.sizes], "item"),
            *([span(people, "participant")] if people else []),
        ]
        return f"{count(len(groups.sizes), 'group')} with {join_words(ranges)} each"
    return "; ".join(
        f"{size.name} ({', '.join(_size_counts(size.judgments, size.items, size.participants))})"
        for size in groups.sizes
    )


def _size_counts(judgments: int, items: int, participants: int | None) -> Iterator[str]:
    yield count(judgments, "judgment")
    yield count(items, "item")
    if participants is not None:
        yield count(participants, "participant")


def _group_sentences_on(
    groups: Groups, found: Sequence[Finding], question: str, labels: Mapping[str, str]
) -> Iterator[str]:
    tested = [f for f in found if f.role == "headline" and f.is_supported is not None]
    if tested:
        ahead = [_lead_in_group(f, labels) for f in tested if f.is_supported]
        named = _first_names(ahead)
        of = f"{len(ahead):,} of {count(len(tested), 'difference')} within groups"
        are = verb(len(ahead), "is", "are")
        yield f"On {question}, {of} {are} supported{': ' if named else ''}{join_words(named)}."
    yield from _between_groups(groups, [f for f in found if f.measure == "interaction"], labels)
    for each in found:
        if each.value is None and each.measure != "interaction" and each.group:
            pair = versus(names_of(each, labels), each.measure)
            what = f", {pair}" if pair else ""
            yield f"{groups.column} {each.key.group_name}{what} on {question}: {each.note}"


def _first_names(names: Sequence[str]) -> list[str]:
    more = len(names) - MOST_GROUPS
    return [*names[:MOST_GROUPS], *([f"{more:,} more"] if more > 0 else [])]


def _lead_in_group(finding: Finding, labels: Mapping[str, str]) -> str:
    group = finding.key.group_name
    names = names_of(finding, labels)
    one, other = names if is_first_ahead(finding) else names[::-1]
    return f"{one} over {other} in {group}"


def _between_groups(
    groups: Groups, found: Sequence[Finding], labels: Mapping[str, str]
) -> Iterator[str]:
    """For how many pairs the difference differs between groups, and which could not be tested."""
    tested = [f for f in found if f.p is not None]
    if tested:
        differ = [f for f in tested if f.is_supported]
        named = _first_names([_interaction(groups, f, labels) for f in differ])
        populations = join_words(
            list(dict.fromkeys(POPULATIONS[f.population] for f in tested if f.population))
        )
        yield (
            f"On {tested[0].question}, the tests support that the difference between two systems "
            f"differs by {groups.column} for {len(differ):,} of {count(len(tested), 'pair')}"
            f"{f', {populations}' if populations else ''}{': ' if named else ''}"
            f"{join_words(named)}."
        )
    for each in found:
        if each.p is None:
            yield (
                f"Whether {_difference(each, labels)} on {each.question} differs by "
                f"{groups.column} could not be tested. {each.note}".strip()
            )


def _difference(finding: Finding, labels: Mapping[str, str]) -> str:
    return versus(names_of(finding, labels), "mean-difference")


def _interaction(groups: Groups, finding: Finding, labels: Mapping[str, str]) -> str:
    effect, size = finding.effect, ""
    if effect:
        names = [each.name for each in groups.sizes if each.judgments]
        size = f"{names[0]} minus {names[1]} {number(effect.value, 2)} "
        size += f"{interval_text(effect.interval, 2)}, "
    return f"{_difference(finding, labels)} ({size}{p_equals(final_p(finding) or 0.0)})"
