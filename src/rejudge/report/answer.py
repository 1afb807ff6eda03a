"""The answer of a study in two sentences and three numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rejudge.analysis.evidence import is_first_ahead
from rejudge.english import capital, count, join_words, verb
from rejudge.findings.model import Finding
from rejudge.findings.words import POPULATIONS
from rejudge.layout.numbers import interval_phrase, interval_text, level_text, number, percent
from rejudge.report.blocks import KeyNumber
from rejudge.report.subject import Criterion, Subject
from rejudge.tables.findings import Scope, decisions, headlines, scores
from rejudge.tables.wording import (
    COEFFICIENTS,
    NOUNS,
    digits_of,
    name_of_test,
    pair_limit,
    value_with_unit,
)

_MOST_NAMED = 4  # systems in one sentence


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """The findings on one question, sorted for telling."""

    question: Criterion
    labels: Mapping[str, str]
    is_simulated: bool
    standings: tuple[Finding, ...]  # one per system that was judged, the best first if comparable
    pairs: tuple[Finding, ...]  # of the test that decides
    agreement: tuple[Finding, ...]
    others: Mapping[str, Finding] = field(default_factory=dict)  # that decide, by id of the pair
    checks: Mapping[tuple[str, ...], Finding] = field(default_factory=dict)  # by pair
    limit: str = ""  # which pairs were tested, where only some were
    shares: tuple[Finding, ...] = ()  # of labels without order, which have no standings
    share_pairs: tuple[Finding, ...] = ()

    @property
    def is_judged(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.standings or self.shares)

    @property
    def is_comparable(self) -> bool:
        """Whether the systems can be ranked by their scores: they rest on the same items."""
        return all(finding.is_comparable for finding in self.standings)

    @property
    def leading_figure(self) -> str:
        """The family of the figure that shows the answer: scores, or differences within items."""
        if self.shares:
            return "scores"
        return "systems" if self.is_comparable or not self.pairs else "pairs"

    @property
    def is_comparison(self) -> bool:
        """Whether systems were compared rather than scored."""
        return self.question.is_comparison

    def deciding_test(self, pair: Finding) -> Finding:
        """What decides on a pair: the test of all pairs, or another where that has no result."""
        return self.others.get(pair.id, pair)

    def against(self, system: str) -> Iterator[tuple[str, Finding, bool]]:
        """The other systems met by one: which, the finding, and whether the one is ahead."""
        for pair in map(self.deciding_test, self.pairs):
            if system in pair.systems and pair.value is not None:
                is_first = pair.systems[0] == system
                other = pair.systems[1] if is_first else pair.systems[0]
                yield other, pair, is_first_ahead(pair) == is_first


def question_outcome(subject: Subject, question: Criterion) -> QuestionOutcome:
    """Sort the findings on a question for telling."""
    results, scope = subject.results, Scope(question.id)
    known = [f for f in scores(results, scope) if f.value is not None]
    pairs = headlines(results, scope)
    compared = tuple(f for f in pairs if f.measure != "share-difference")
    return QuestionOutcome(
        question=question,
        labels=subject.labels,
        is_simulated=results.flow.is_simulated,
        standings=tuple(f for f in known if not f.category),
        pairs=compared,
        agreement=results.select(question.id, "agreement"),
        others=decisions(scope.select(results), compared),
        checks={f.systems: f for f in results.select(question.id) if f.role == "check"},
        limit=pair_limit(results, question.id, subject.labels),
        shares=tuple(f for f in known if f.category),
        share_pairs=tuple(f for f in pairs if f.measure == "share-difference"),
    )


def answer(
    outcome: QuestionOutcome, correction: str, *, with_limit: bool = True
) -> tuple[str, ...]:
    """What was found, and how far it is supported; which pairs were tested is said once."""
    if outcome.shares:
        return _of_labels(outcome, correction)
    if not outcome.standings:
        return (f"There are no judgments to analyse on {outcome.question.id}.",)
    if not outcome.is_comparable:
        return _within_items(outcome, correction)
    best = outcome.standings[0]
    first = _finding_sentence(outcome, best)
    if len(outcome.standings) == 1:
        return (first, "There is no other system to compare it with.")
    limit = (outcome.limit,) if outcome.limit and with_limit else ()
    return (first, *limit, _support_sentence(outcome, best, correction))


def _of_labels(outcome: QuestionOutcome, correction: str) -> tuple[str, ...]:
    """The most frequent label of each system, and which shares differ."""
    where = "In these simulated judgments of" if outcome.is_simulated else "On"
    most: dict[str, Finding] = {}
    for share in outcome.shares:
        known = most.setdefault(share.systems[0], share)
        most[share.systems[0]] = max(known, share, key=lambda each: each.value or 0.0)
    named = [
        f"{each.category} for {outcome.labels[system]} ({percent(each.value)})"
        for system, each in list(most.items())[:_MOST_NAMED]
    ]
    left = len(most) - len(named)
    also = f"; {count(left, 'other system')} in the table" if left else ""
    first = f"{where} {outcome.question.id}, the most frequent label was {join_words(named)}{also}."
    tested = [each for each in outcome.share_pairs if each.is_supported is not None]
    if not tested:
        return (first, "No difference of shares could be tested.")
    found = [_share_ahead(outcome, each) for each in tested if each.is_supported]
    words = _test_words(tested[0], correction).replace("its pairs", "labels and pairs")
    if not found:
        last = "No difference of shares is supported, which does not show that they are equal"
    else:
        more = f"; and {count(len(found) - _MOST_NAMED, 'more difference')}"
        more = more if len(found) > _MOST_NAMED else ""
        last = f"Supported differences: {'; '.join(found[:_MOST_NAMED])}{more}"
    return (first, f"{last} ({words}).")


def _share_ahead(outcome: QuestionOutcome, pair: Finding) -> str:
    best = pair if (pair.value or 0.0) > 0 else mirror(pair)
    one, other = (outcome.labels[system] for system in best.systems)
    points = number(best.value, 1)
    return (
        f"{pair.category} is more frequent for {one} than for {other} ({points} percentage points)"
    )


def _within_items(outcome: QuestionOutcome, correction: str) -> tuple[str, ...]:
    """What was found where means rest on different items or people and cannot be ranked."""
    where = "In these simulated judgments of" if outcome.is_simulated else "On"
    first = (
        f"{where} {outcome.question.id}, the systems were judged on different items or by "
        "different people, so their means do not show which is better."
    )
    pairs = [outcome.deciding_test(pair) for pair in outcome.pairs]
    known = [pair for pair in pairs if pair.is_supported is not None]
    if not known:
        return (first, "No two of them could be compared within items.")
    ahead = [_ahead(outcome, pair) for pair in known if pair.is_supported]
    said = "; ".join(ahead[:_MOST_NAMED]) or "no difference is supported"
    more = f"; and {count(len(ahead) - _MOST_NAMED, 'other difference')}"
    also = more if len(ahead) > _MOST_NAMED else ""
    missing = len(pairs) - len(known)
    left = f" {capital(count(missing, 'pair'))} could not be compared." if missing else ""
    words = "; ".join({each.by: _test_words(each, correction) for each in known}.values())
    limit = (outcome.limit,) if outcome.limit else ()
    return (first, *limit, f"Compared within items, {said}{also} ({words}).{left}")


def _ahead(outcome: QuestionOutcome, pair: Finding) -> str:
    """Which of two systems a test supports as better, and by how much."""
    best = pair if (pair.value or 0.0) > 0 else mirror(pair)
    one, other = (outcome.labels[system] for system in best.systems)
    return f"{one} scored higher than {other} ({value_with_unit(best)})"


def _finding_sentence(outcome: QuestionOutcome, best: Finding) -> str:
    where = "In these simulated judgments of" if outcome.is_simulated else "On"
    level_with = [f for f in outcome.standings if f.value == best.value]
    names = [outcome.labels[finding.systems[0]] for finding in level_with]
    interval = interval_phrase(best.interval, digits_of(best))
    if outcome.is_comparison and len(outcome.standings) == 2 and len(names) == 1:
        other = outcome.labels[outcome.standings[1].systems[0]]
        return (
            f"{where} {outcome.question.id}, {names[0]} was preferred to {other} in "
            f"{_share(best)}{_ties(best)} ({interval})."
        )
    if outcome.is_comparison:
        who = (
            f"{names[0]} was preferred most often: it won"
            if len(names) == 1
            else f"{join_words(names)} were preferred equally often: each won"
        )
        return (
            f"{where} {outcome.question.id}, {who} {percent(best.value)} of its "
            f"{count(best.n or 0, 'comparison')}{_ties(best)} ({interval})."
        )
    who = f"{names[0]} scored highest" if len(names) == 1 else f"{join_words(names)} scored equally"
    if len(outcome.standings) == 1:
        who = f"{names[0]} was judged alone"
    scale = f" on a scale from {outcome.question.scale}" if outcome.question.scale else ""
    mean = number(best.value, 2)
    return f"{where} {outcome.question.id}, {who}: a mean of {mean}{scale} ({interval})."


def _share(finding: Finding) -> str:
    if finding.n == 1:
        return "the only comparison"
    return f"{percent(finding.value)} of {count(finding.n or 0, 'comparison')}"


def _ties(finding: Finding) -> str:
    """Where some comparisons were won by neither, a percentage of wins is not what it seems."""
    return ", counting a tie as half" if finding.tally and finding.tally.ties else ""


def _support_sentence(outcome: QuestionOutcome, best: Finding, correction: str) -> str:
    name = outcome.labels[best.systems[0]]
    met: dict[str, list[str]] = {"ahead": [], "behind": [], "open": [], "untested": []}
    tests: dict[str, Finding] = {}
    untested: list[Finding] = []
    for other, finding, is_ahead in outcome.against(best.systems[0]):
        verdict = _outcome(finding, is_ahead=is_ahead)
        met[verdict].append(outcome.labels[other])
        if verdict == "untested":
            untested.append(finding)
        else:
            tests.setdefault(finding.by, finding)
    if not any(met.values()):
        return _other_pairs(outcome, name) or "No pair of systems was compared with it."
    if not tests:
        whom = _whom(met, "untested", "or")
        return f"Whether {name} differs from {whom} could not be tested{_reason(untested)}."
    met["unmet"] = [""] * (len(outcome.standings) - 1 - sum(map(len, met.values())))
    said = capital("; ".join(_support(name, met)))
    words = "; ".join(_test_words(each, correction) for each in tests.values())
    return f"{said} ({words}{_instead(outcome, tests)})."


def _other_pairs(outcome: QuestionOutcome, name: str) -> str:
    """What tests of other pairs say, where the best system was not to be tested."""
    pairs = [outcome.deciding_test(pair) for pair in outcome.pairs]
    known = [pair for pair in pairs if pair.is_supported is not None]
    if not outcome.limit or not known:
        return ""
    ahead = [_leader(outcome, pair) for pair in known if pair.is_supported]
    supported = join_words(ahead) or "no difference"
    are = verb(len(ahead) or 1, "is", "are")
    return f"{name} was not among them. {capital(supported)} {are} supported."


def _leader(outcome: QuestionOutcome, pair: Finding) -> str:
    best = pair if is_first_ahead(pair) else mirror(pair)
    one, other = (outcome.labels[system] for system in best.systems)
    return f"an advantage of {one} over {other}"


def _instead(outcome: QuestionOutcome, tests: Mapping[str, Finding]) -> str:
    """That the test of all pairs has no result for some of them, and why."""
    usual = outcome.pairs[0]
    lacking = [pair for pair in outcome.pairs if pair.id in outcome.others]
    if set(tests) == {usual.by}:
        lacking = [check for check in outcome.checks.values() if check.is_supported is None]
    if not lacking:
        return ""
    usual = lacking[0]
    these = "" if len(lacking) == len(outcome.pairs) else " for some pairs"
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


def _whom(met: Mapping[str, Sequence[str]], verdict: str, joint: str) -> str:
    """The systems by name; of many, only how many they are."""
    names = met[verdict]
    if len(names) <= _MOST_NAMED:
        return join_words(names, joint)
    if any(others for other, others in met.items() if other != verdict):
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


def key_numbers(outcome: QuestionOutcome) -> tuple[KeyNumber, ...]:
    """The best system, its lead over the next, and how far people agree."""
    return tuple(_key_numbers(outcome))


def _key_numbers(outcome: QuestionOutcome) -> Iterator[KeyNumber]:
    if outcome.standings and not outcome.is_comparable:
        yield from _clearest(outcome)
    elif outcome.standings:
        best = outcome.standings[0]
        what = "of comparisons won by" if outcome.is_comparison else "mean score of"
        yield _key(best, f"{what} {outcome.labels[best.systems[0]]}{_ties(best)}")
        yield from _lead(outcome)
    known = [f for f in outcome.agreement if f.value is not None]
    if known:
        chosen = next((f for f in known if f.by == "krippendorff-alpha"), known[0])
        what = f"agreement ({COEFFICIENTS.get(chosen.by, chosen.by)})"
        if chosen.by == "percent":
            what = "of pairs of participants agree"
        yield _key(chosen, what)


def _clearest(outcome: QuestionOutcome) -> Iterator[KeyNumber]:
    """The difference with the smallest p value, where systems cannot be ranked."""
    tested = [pair for pair in map(outcome.deciding_test, outcome.pairs) if pair.p is not None]
    if tested:
        pair = min(tested, key=lambda each: each.p or 0.0)
        best = pair if (pair.value or 0.0) > 0 else mirror(pair)
        one, other = (outcome.labels[system] for system in best.systems)
        yield _key(best, f"{_unit(best)} between {one} and {other}, compared within items")


def lead(outcome: QuestionOutcome) -> Finding | None:
    """The best against the runner-up, read from the side of the best; None without either."""
    if len(outcome.standings) < 2 or not outcome.is_comparable:
        return None
    best, other = (finding.systems[0] for finding in outcome.standings[:2])
    pair = next((f for f in outcome.pairs if set(f.systems) == {best, other}), None)
    if pair is None or pair.value is None:
        return None
    return pair if pair.systems[0] == best else mirror(pair)


def _lead(outcome: QuestionOutcome) -> Iterator[KeyNumber]:
    pair = lead(outcome)
    if pair is None:
        return
    best_id, next_id = pair.systems
    best, other = outcome.labels[best_id], outcome.labels[next_id]
    label = f"preferred {best} to {other}, the next best{_ties(pair)}"
    if pair.measure != "win-percent":
        label = f"{_unit(pair)} between {best} and {other}, the next best"
    yield _key(pair, label)


def _unit(pair: Finding) -> str:
    if pair.measure == "score-difference":
        return "points of best–worst score"
    return "log odds" if pair.measure in {"latent-difference", "strength"} else "points"


def mirror(pair: Finding) -> Finding:
    """The same finding read from the other system's side."""
    whole = 100.0 if pair.measure == "win-percent" else 0.0
    interval = pair.interval and replace(
        pair.interval, low=whole - pair.interval.high, high=whole - pair.interval.low
    )
    value = None if pair.value is None else whole - pair.value
    key = replace(pair.key, systems=pair.systems[::-1])
    return replace(pair, key=key, value=value, interval=interval)


def _key(finding: Finding, label: str) -> KeyNumber:
    if finding.interval is None:
        spread = "no interval"
    else:
        ends = interval_text(finding.interval, digits_of(finding))
        spread = f"{level_text(finding.interval.level)} interval {ends}"
    return KeyNumber(
        value_with_unit(finding), label, f"{spread} · {count(finding.n or 0, NOUNS[finding.n_of])}"
    )
