"""The answer of a study in two sentences and three numbers, as far as its judgments support it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rejudge.analysis import POPULATIONS, Finding, Results, tested_pairs
from rejudge.english import capital, count, join_words, verb
from rejudge.layout.numbers import interval_phrase, interval_text, level_text, number, percent
from rejudge.report.blocks import KeyNumber
from rejudge.report.figures import deciding
from rejudge.report.subject import Criterion, Subject
from rejudge.tables.wording import (
    COEFFICIENTS,
    NOUNS,
    TEST_NAMES,
    digits_of,
    name_of_test,
    pair_limit,
    value_with_unit,
)

_MOST_NAMED = 4  # systems in one sentence


@dataclass(frozen=True, slots=True)
class Told:
    """The findings on one question, sorted for telling."""

    question: Criterion
    labels: Mapping[str, str]
    is_simulated: bool
    standings: tuple[Finding, ...]  # one per system that was judged, the best first if comparable
    pairs: tuple[Finding, ...]  # of the test that decides
    agreement: tuple[Finding, ...]
    others: Mapping[tuple[str, ...], Finding] = field(default_factory=dict)
    checks: Mapping[tuple[str, ...], Finding] = field(default_factory=dict)  # by pair
    limit: str = ""  # which pairs were tested, where only some were

    @property
    def is_comparable(self) -> bool:
        """Whether the systems can be ranked by their scores: they rest on the same items."""
        return all(finding.is_comparable for finding in self.standings)

    @property
    def leading_figure(self) -> str:
        """The family of the figure that shows the answer: scores, or differences within items."""
        return "systems" if self.is_comparable or not self.pairs else "pairs"

    @property
    def is_comparison(self) -> bool:
        """Whether systems were compared rather than scored."""
        return self.question.is_comparison

    def decided(self, pair: Finding) -> Finding:
        """What decides on a pair: the test of all pairs, or another where that has no result."""
        return self.others.get(pair.systems, pair)

    def against(self, system: str) -> Iterator[tuple[str, Finding, bool]]:
        """The other systems met by one: which, the finding, and whether the one is ahead."""
        for pair in map(self.decided, self.pairs):
            middle = 50.0 if pair.measure == "win-percent" else 0.0
            if system in pair.systems and pair.value is not None:
                is_first = pair.systems[0] == system
                other = pair.systems[1] if is_first else pair.systems[0]
                yield other, pair, (pair.value > middle) == is_first


def told(subject: Subject, question: Criterion) -> Told:
    """Sort the findings on a question for telling."""
    results = subject.results
    standings = (
        results.of(question.id, "win-percent", "wins")
        if question.is_comparison
        else results.of(question.id, "mean")
    )
    ranked = [finding for finding in standings if finding.value is not None]
    if all(finding.is_comparable for finding in ranked):
        ranked.sort(key=lambda finding: -(finding.value or 0.0))
    pairs = deciding(results, question.id)
    return Told(
        question=question,
        labels=subject.labels,
        is_simulated=results.flow.is_simulated,
        standings=tuple(ranked),
        pairs=pairs,
        agreement=results.of(question.id, "agreement"),
        others=_by_other_tests(results, pairs),
        checks={
            f.systems: f
            for f in results.findings
            if f.question == question.id and f.role == "check"
        },
        limit=pair_limit(results, question.id, subject.labels),
    )


def _by_other_tests(results: Results, pairs: Sequence[Finding]) -> dict[tuple[str, ...], Finding]:
    """For pairs whose headline is another test than that of most, this one.

    A clean sweep does not vary, so the usual test has no error to go by, but signs can be flipped.
    """
    asked = {pair.question for pair in pairs}
    first: dict[tuple[str, ...], Finding] = {}
    for f in tested_pairs([each for each in results.findings if each.question in asked]):
        if f.by in TEST_NAMES and f.is_supported is not None and f.value is not None:
            first.setdefault(f.systems, f)
    return {
        pair.systems: other
        for pair in pairs
        if (other := first.get(pair.systems)) is not None and other != pair
        if pair.is_supported is None or other.role == "headline"
    }


def answer(tale: Told, correction: str) -> tuple[str, ...]:
    """What was found, and how far it is supported."""
    if not tale.standings:
        return (f"There are no judgments on {tale.question.id} that count.",)
    if not tale.is_comparable:
        return _within_items(tale, correction)
    best = tale.standings[0]
    first = _finding_sentence(tale, best)
    if len(tale.standings) == 1:
        return (first, "There is no other system to compare it with.")
    limit = (tale.limit,) if tale.limit else ()
    return (first, *limit, _support_sentence(tale, best, correction))


def _within_items(tale: Told, correction: str) -> tuple[str, ...]:
    """What was found where means rest on different items or people and cannot be ranked."""
    where = "In these simulated judgments of" if tale.is_simulated else "On"
    first = (
        f"{where} {tale.question.id}, the systems were judged on different items or by different "
        "people, so their means do not show which is better."
    )
    pairs = [tale.decided(pair) for pair in tale.pairs]
    known = [pair for pair in pairs if pair.is_supported is not None]
    if not known:
        return (first, "No two of them could be compared within items.")
    ahead = [_ahead(tale, pair) for pair in known if pair.is_supported]
    said = "; ".join(ahead[:_MOST_NAMED]) or "no difference is supported"
    more = f"; and {count(len(ahead) - _MOST_NAMED, 'other difference')}"
    also = more if len(ahead) > _MOST_NAMED else ""
    missing = len(pairs) - len(known)
    left = f" {capital(count(missing, 'pair'))} could not be compared." if missing else ""
    words = "; ".join({each.by: _test_words(each, correction) for each in known}.values())
    limit = (tale.limit,) if tale.limit else ()
    return (first, *limit, f"Compared within items, {said}{also} ({words}).{left}")


def _ahead(tale: Told, pair: Finding) -> str:
    """Which of two systems a test supports as better, and by how much."""
    best = pair if (pair.value or 0.0) > 0 else mirrored(pair)
    one, other = (tale.labels[system] for system in best.systems)
    return f"{one} scored higher than {other} ({value_with_unit(best)})"


def _finding_sentence(tale: Told, best: Finding) -> str:
    where = "In these simulated judgments of" if tale.is_simulated else "On"
    level_with = [f for f in tale.standings if f.value == best.value]
    names = [tale.labels[finding.systems[0]] for finding in level_with]
    interval = interval_phrase(best.interval, digits_of(best))
    if tale.is_comparison and len(tale.standings) == 2 and len(names) == 1:  # noqa: PLR2004
        other = tale.labels[tale.standings[1].systems[0]]
        return (
            f"{where} {tale.question.id}, {names[0]} was preferred to {other} in "
            f"{_share(best)}{_ties(best)} ({interval})."
        )
    if tale.is_comparison:
        who = (
            f"{names[0]} was preferred most often: it won"
            if len(names) == 1
            else f"{join_words(names)} were preferred equally often: each won"
        )
        return (
            f"{where} {tale.question.id}, {who} {percent(best.value)} of its "
            f"{count(best.n, 'comparison')}{_ties(best)} ({interval})."
        )
    who = f"{names[0]} scored highest" if len(names) == 1 else f"{join_words(names)} scored equally"
    if len(tale.standings) == 1:
        who = f"{names[0]} was judged alone"
    scale = f" on a scale from {tale.question.scale}" if tale.question.scale else ""
    return (
        f"{where} {tale.question.id}, {who}: a mean of {number(best.value, 2)}{scale} ({interval})."
    )


def _share(finding: Finding) -> str:
    if finding.n == 1:
        return "the only comparison"
    return f"{percent(finding.value)} of {count(finding.n, 'comparison')}"


def _ties(finding: Finding) -> str:
    """Where some comparisons were won by neither, a percentage of wins is not what it seems."""
    return ", counting a tie as half" if finding.tally and finding.tally.ties else ""


def _support_sentence(tale: Told, best: Finding, correction: str) -> str:
    name = tale.labels[best.systems[0]]
    met: dict[str, list[str]] = {"ahead": [], "behind": [], "open": [], "untested": []}
    tests: dict[str, Finding] = {}
    untested: list[Finding] = []
    for other, finding, is_ahead in tale.against(best.systems[0]):
        outcome = _outcome(finding, is_ahead=is_ahead)
        met[outcome].append(tale.labels[other])
        if outcome == "untested":
            untested.append(finding)
        else:
            tests.setdefault(finding.by, finding)
    if not any(met.values()):
        return _other_pairs(tale, name) or "No pair of systems was compared with it."
    if not tests:
        whom = _whom(met, "untested", "or")
        return f"Whether {name} differs from {whom} could not be tested{_reason(untested)}."
    met["unmet"] = [""] * (len(tale.standings) - 1 - sum(map(len, met.values())))
    said = capital("; ".join(_support(name, met)))
    words = "; ".join(_test_words(each, correction) for each in tests.values())
    return f"{said} ({words}{_instead(tale, tests)})."


def _other_pairs(tale: Told, name: str) -> str:
    """What tests of other pairs say, where the best system was not to be tested."""
    pairs = [tale.decided(pair) for pair in tale.pairs]
    known = [pair for pair in pairs if pair.is_supported is not None]
    if not tale.limit or not known:
        return ""
    ahead = [_leader(tale, pair) for pair in known if pair.is_supported]
    supported = join_words(ahead) or "no difference"
    are = verb(len(ahead) or 1, "is", "are")
    return f"{name} was not among them. {capital(supported)} {are} supported."


def _leader(tale: Told, pair: Finding) -> str:
    middle = 50.0 if pair.measure == "win-percent" else 0.0
    best = pair if (pair.value or 0.0) > middle else mirrored(pair)
    one, other = (tale.labels[system] for system in best.systems)
    return f"an advantage of {one} over {other}"


def _instead(tale: Told, tests: Mapping[str, Finding]) -> str:
    """That the test of all pairs has no result for some of them, and why."""
    usual = tale.pairs[0]
    lacking = [pair for pair in tale.pairs if pair.systems in tale.others]
    if set(tests) == {usual.by}:
        lacking = [check for check in tale.checks.values() if check.is_supported is None]
    if not lacking:
        return ""
    usual = lacking[0]
    these = "" if len(lacking) == len(tale.pairs) else " for some pairs"
    return f"; the {name_of_test(usual)} has no result{these}{_reason(lacking)}"


def _reason(untested: Sequence[Finding]) -> str:
    """Why there is no test, where it is the same for all."""
    notes = {finding.note for finding in untested}
    first = notes.pop() if len(notes) == 1 else ""
    found = _NO_INTERVAL.match(first)
    if not found:
        return ""
    return f": a test {found[1][3:]}" if found[1].startswith("it needs") else f", since {found[1]}"


_NO_INTERVAL = re.compile(r"(?:No interval|Undefined): (.+?)\.(?: |$)")


def _outcome(finding: Finding, *, is_ahead: bool) -> str:
    if finding.is_supported is None:
        return "untested"
    if not finding.is_supported:
        return "open"
    return "ahead" if is_ahead else "behind"


def _support(name: str, met: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if met["ahead"]:
        yield f"an advantage of {name} over {_whom(met, 'ahead', 'and')} is supported"
    if met["behind"]:
        who = _whom(met, "behind", "and")
        yield f"head to head, {who} did better than {name}, which is supported"
    if met["open"]:
        whom = _whom(met, "open", "or")
        yield (
            f"an advantage over {whom} is not supported"
            if met["ahead"]
            else f"an advantage of {name} over {whom} is not supported, "
            "which does not show that they are equally good"
        )
    if met["untested"]:
        yield f"whether it differs from {_whom(met, 'untested', 'or')} could not be tested"


def _whom(met: Mapping[str, Sequence[str]], outcome: str, joint: str) -> str:
    """The systems by name; of many, only how many they are."""
    names = met[outcome]
    if len(names) <= _MOST_NAMED:
        return join_words(names, joint)
    if any(others for other, others in met.items() if other != outcome):
        return f"{len(names):,} others"
    return f"all {len(names):,} others" if joint == "and" else f"any of the {len(names):,} others"


def _test_words(finding: Finding, correction: str) -> str:
    by = name_of_test(finding)
    over = "all planned tests" if finding.is_planned else "its pairs"
    corrected = "" if correction == "none" else f", {correction.title()} correction over {over}"
    if finding.is_simultaneous:
        corrected = ""  # Tukey's test is for all pairs at once
    planned = "" if finding.is_planned else ", not planned beforehand"
    whom = f", {POPULATIONS[finding.population]}" if finding.population else ""
    return f"{by}{corrected}{planned}{whom}"


def key_numbers(tale: Told) -> tuple[KeyNumber, ...]:
    """The best system, its lead over the next, and how far people agree."""
    return tuple(_key_numbers(tale))


def _key_numbers(tale: Told) -> Iterator[KeyNumber]:
    if tale.standings and not tale.is_comparable:
        yield from _clearest(tale)
    elif tale.standings:
        best = tale.standings[0]
        what = "of comparisons won by" if tale.is_comparison else "mean score of"
        yield _key(best, f"{what} {tale.labels[best.systems[0]]}{_ties(best)}")
        yield from _lead(tale)
    known = [f for f in tale.agreement if f.value is not None]
    if known:
        chosen = next((f for f in known if f.by == "krippendorff-alpha"), known[0])
        what = f"agreement ({COEFFICIENTS.get(chosen.by, chosen.by)})"
        if chosen.by == "percent":
            what = "of pairs of participants agree"
        yield _key(chosen, what)


def _clearest(tale: Told) -> Iterator[KeyNumber]:
    """The difference with the smallest p value, where systems cannot be ranked."""
    tested = [pair for pair in map(tale.decided, tale.pairs) if pair.p is not None]
    if tested:
        pair = min(tested, key=lambda each: each.p or 0.0)
        best = pair if (pair.value or 0.0) > 0 else mirrored(pair)
        one, other = (tale.labels[system] for system in best.systems)
        yield _key(best, f"{_unit(best)} between {one} and {other}, compared within items")


def lead(tale: Told) -> Finding | None:
    """The best against the runner-up, read from the side of the best; None without either."""
    if len(tale.standings) < 2 or not tale.is_comparable:  # noqa: PLR2004 - nobody to lead
        return None
    best, other = (finding.systems[0] for finding in tale.standings[:2])
    pair = next((f for f in tale.pairs if set(f.systems) == {best, other}), None)
    if pair is None or pair.value is None:
        return None
    return pair if pair.systems[0] == best else mirrored(pair)


def _lead(tale: Told) -> Iterator[KeyNumber]:
    pair = lead(tale)
    if pair is None:
        return
    best_id, next_id = pair.systems
    label = (
        f"preferred {tale.labels[best_id]} to {tale.labels[next_id]}, the next best{_ties(pair)}"
    )
    if pair.measure != "win-percent":
        best, other = tale.labels[best_id], tale.labels[next_id]
        label = f"{_unit(pair)} between {best} and {other}, the next best"
    yield _key(pair, label)


def _unit(pair: Finding) -> str:
    if pair.measure == "score-difference":
        return "points of best–worst score"
    return "log odds" if pair.measure in {"latent-difference", "strength"} else "points"


def mirrored(pair: Finding) -> Finding:
    """The same finding read from the other system's side."""
    whole = 100.0 if pair.measure == "win-percent" else 0.0
    interval = pair.interval and replace(
        pair.interval, low=whole - pair.interval.high, high=whole - pair.interval.low
    )
    value = None if pair.value is None else whole - pair.value
    return replace(pair, systems=pair.systems[::-1], value=value, interval=interval)


def _key(finding: Finding, label: str) -> KeyNumber:
    if finding.interval is None:
        spread = "no interval"
    else:
        ends = interval_text(finding.interval, digits_of(finding))
        spread = f"{level_text(finding.interval.level)} interval {ends}"
    return KeyNumber(
        value_with_unit(finding), label, f"{spread} · {count(finding.n, NOUNS[finding.n_of])}"
    )
