"""Sentences about results that the screen and the report both print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import (
    POPULATIONS,
    Competence,
    Finding,
    Flow,
    LimitedPairs,
    RemarkList,
    Results,
    disagreements,
    outcome,
)
from rejudge.english import capital, count, join_words, verb, versus
from rejudge.layout.numbers import p_equals
from rejudge.tables.wording import TEST_NAMES, final_p, name_of_test, names_of

_MOST_PAIRS = 8  # in one sentence; more are counted


def unfinished_sentences(flow: Flow) -> Iterator[str]:
    """That places of the plan are still empty."""
    if flow.places is not None and flow.is_unfinished:
        filled, planned = flow.places.filled, flow.places.planned
        yield (
            f"Collection is not finished: {filled:,} of {count(planned, 'planned place')} "
            f"{verb(planned, 'is', 'are')} filled."
        )


def guessing_sentences(found: Sequence[Competence]) -> Iterator[str]:
    """How many participants' answers look like guesses, and what that does not mean."""
    for each in found:
        if each.rows and each.like_guessing:
            yield (
                f"On {each.question}, the answers of {each.like_guessing:,} of "
                f"{count(each.total, 'participant')} look like guesses (exploratory; disagreement "
                "with the others is not proof of careless work)."
            )
        elif each.rows:
            yield (
                f"On {each.question}, nobody’s answers look like guesses "
                f"({count(each.total, 'participant')}, exploratory)."
            )


def remark_counts(found: RemarkList) -> str:
    """How many remarks there are, and how many participants wrote them."""
    remarks = count(len(found.remarks), "remark")
    if found.answered is None or found.participants is None:
        return f"{remarks}; it is not known who wrote them"
    return f"{remarks} by {found.answered:,} of {count(found.participants, 'participant')}"


def disagreement_sentences(
    results: Results, question: str, labels: Mapping[str, str]
) -> Iterator[str]:
    """Comparisons on a question whose headline test and check disagree."""
    for each in disagreements(f for f in results.findings if f.question == question):
        names = names_of(each.headline, labels)
        sides = [_outcome_in_words(f, names) for f in (each.headline, each.check)]
        pair = versus(names, each.headline.measure)
        yield f"{pair}: the headline and its check disagree. {capital('; '.join(sides))}."


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
