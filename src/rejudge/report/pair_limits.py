"""Sentences that say which pairs of systems were tested, where these are only some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import LimitedPairs, Results
from rejudge.english import verb
from rejudge.report.wording import TEST_NAMES, listed

_MOST_NAMED = 8  # pairs in one sentence; more are counted


def pair_limit(results: Results, question: str, labels: Mapping[str, str]) -> str:
    """One sentence on the pairs that were tested on a question; nothing where all were."""
    limits = [each for each in results.limited_pairs if each.question == question]
    return " ".join(f"{_limited(each, labels)}." for each in limits)


def pair_limits(results: Results, labels: Mapping[str, str]) -> Iterator[str]:
    """The same for all questions; those with the same pairs share a sentence."""
    shared: dict[tuple[str, ...], list[LimitedPairs]] = {}
    for each in results.limited_pairs:
        tests = () if each.is_every_test else each.tests
        shared.setdefault((*tests, *map(str, each.pairs)), []).append(each)
    for same in shared.values():
        yield f"{_limited(same[0], labels)} on {listed([each.question for each in same])}"


def pairs_in_words(pairs: Sequence[tuple[str, str]], labels: Mapping[str, str]) -> str:
    """Such as ours – baseline and ours – reference."""
    named = [" – ".join(labels.get(system, system) for system in pair) for pair in pairs]
    if len(named) <= _MOST_NAMED:
        return listed(named)
    return f"{', '.join(named[:_MOST_NAMED])} and {len(named) - _MOST_NAMED:,} more pairs"


def _limited(limit: LimitedPairs, labels: Mapping[str, str]) -> str:
    were = verb(len(limit.pairs), "was", "were")
    tests = dict.fromkeys(TEST_NAMES.get(test, test) for test in limit.tests)
    by = "" if limit.is_every_test else f" by the {listed(list(tests))}"
    return f"Only {pairs_in_words(limit.pairs, labels)} {were} tested{by}"
