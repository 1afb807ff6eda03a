"""The answer of a study in two sentences and three numbers, as far as its judgments support it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rejudge.analysis import Finding, Results
from rejudge.english import count
from rejudge.report.blocks import KeyNumber
from rejudge.report.wording import (
    NOUNS,
    TEST_NAMES,
    between,
    digits_of,
    in_words,
    level,
    listed,
    number,
    percent,
    shown,
)
from rejudge.study import Question, Rating, Segments, Slider, Study


@dataclass(frozen=True, slots=True)
class Told:
    """The findings on one question, sorted for telling."""

    question: Question
    labels: Mapping[str, str]
    is_simulated: bool
    standings: tuple[Finding, ...]  # one per system that was judged, the best first
    pairs: tuple[Finding, ...]  # of the test that decides
    agreement: tuple[Finding, ...]

    @property
    def is_comparison(self) -> bool:
        """Whether systems were compared rather than scored."""
        return not isinstance(self.question, Rating | Slider | Segments)

    def against(self, system: str) -> Iterator[tuple[str, Finding, bool]]:
        """The other systems met by one: which, the finding, and whether the one is ahead."""
        for pair in self.pairs:
            middle = 50.0 if pair.measure == "win-percent" else 0.0
            if system in pair.systems and pair.value is not None:
                is_first = pair.systems[0] == system
                other = pair.systems[1] if is_first else pair.systems[0]
                yield other, pair, (pair.value > middle) == is_first


def told(study: Study, results: Results, question: Question) -> Told:
    """Sort the findings on a question for telling."""
    is_score = isinstance(question, Rating | Slider | Segments)
    standings = (
        results.of(question.id, "mean")
        if is_score
        else results.of(question.id, "win-percent", "wins")
    )
    ranked = sorted(
        (finding for finding in standings if finding.value is not None),
        key=lambda finding: -(finding.value or 0.0),
    )
    return Told(
        question=question,
        labels={system.id: system.label for system in study.spec.systems},
        is_simulated=results.flow.is_simulated,
        standings=tuple(ranked),
        pairs=_deciding(results, question),
        agreement=results.of(question.id, "agreement"),
    )


_DECIDING = (
    "cluster-robust", "mixed-model", "sign-flip", "ordinal-mixed-model", "bradley-terry",
    "paired-t", "wilcoxon", "welch", "t-test", "mann-whitney", "one-way-anova",
)  # fmt: skip


def _deciding(results: Results, question: Question) -> tuple[Finding, ...]:
    """The pairs by the planned test; by the cluster-robust one where it or none is planned."""
    pairs = [
        finding
        for finding in results.findings
        if finding.question == question.id
        and len(finding.systems) == 2  # noqa: PLR2004 - a pair
        and finding.measure != "agreement"
    ]
    planned = {finding.by for finding in pairs if finding.is_planned}
    chosen = next((test for test in _DECIDING if test in planned), _DECIDING[0])
    return tuple(finding for finding in pairs if finding.by == chosen)


def answer(tale: Told, correction: str) -> tuple[str, ...]:
    """What was found, and how far it is supported."""
    if not tale.standings:
        return (f"There are no judgments on {tale.question.id} that count.",)
    best = tale.standings[0]
    first = _finding_sentence(tale, best)
    if len(tale.standings) == 1:
        return (first, "There is no other system to compare it with.")
    return (first, _support_sentence(tale, best, correction))


def _finding_sentence(tale: Told, best: Finding) -> str:
    where = "In these simulated judgments of" if tale.is_simulated else "On"
    level_with = [f for f in tale.standings if f.value == best.value]
    names = [tale.labels[finding.systems[0]] for finding in level_with]
    interval = in_words(best.interval, digits_of(best))
    if tale.is_comparison and len(tale.standings) == 2 and len(names) == 1:  # noqa: PLR2004
        other = tale.labels[tale.standings[1].systems[0]]
        return (
            f"{where} {tale.question.id}, {names[0]} was preferred to {other} in "
            f"{percent(best.value)} of {count(best.n, 'comparison')} ({interval})."
        )
    if tale.is_comparison:
        who = (
            f"{names[0]} was preferred most often: it won"
            if len(names) == 1
            else f"{listed(names)} were preferred equally often: each won"
        )
        return (
            f"{where} {tale.question.id}, {who} {percent(best.value)} of its "
            f"{count(best.n, 'comparison')} ({interval})."
        )
    who = f"{names[0]} scored highest" if len(names) == 1 else f"{listed(names)} scored equally"
    if len(tale.standings) == 1:
        who = f"{names[0]} scored"
    return (
        f"{where} {tale.question.id}, {who}: a mean of {number(best.value, 2)} on a scale from "
        f"{_scale(tale.question)} ({interval})."
    )


def _support_sentence(tale: Told, best: Finding, correction: str) -> str:
    ahead: list[str] = []
    behind: list[str] = []
    open_: list[str] = []
    for other, finding, is_ahead in tale.against(best.systems[0]):
        name = tale.labels[other]
        if not finding.is_supported:
            open_.append(name)
        else:
            (ahead if is_ahead else behind).append(name)
    name = tale.labels[best.systems[0]]
    parts = []
    if ahead:
        parts.append(f"an advantage of {name} over {listed(ahead)} is supported")
    if behind:
        parts.append(f"head to head, {listed(behind)} did better than {name}, which is supported")
    if open_:
        whom = listed(open_, "or")
        parts.append(
            f"an advantage over {whom} is not supported"
            if ahead
            else f"an advantage of {name} over {whom} is not supported, "
            "which does not show that they are equally good"
        )
    if not parts:
        return "No pair of systems was compared with it."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]} ({_test_words(tale, correction)})."


def _test_words(tale: Told, correction: str) -> str:
    by = TEST_NAMES[tale.pairs[0].by]
    corrected = "" if correction == "none" else f", {correction.title()} correction"
    if tale.pairs[0].by == "one-way-anova":
        corrected = ""  # Tukey's test is for all pairs at once
    planned = "" if tale.pairs[0].is_planned else ", not planned beforehand"
    return f"{by}{corrected}{planned}"


def key_numbers(tale: Told) -> tuple[KeyNumber, ...]:
    """The best system, its lead over the next, and how far people agree."""
    return tuple(_key_numbers(tale))


def _key_numbers(tale: Told) -> Iterator[KeyNumber]:
    if tale.standings:
        best = tale.standings[0]
        what = "of comparisons won by" if tale.is_comparison else "mean score of"
        yield _key(best, f"{what} {tale.labels[best.systems[0]]}")
        yield from _lead(tale, best)
    known = [f for f in tale.agreement if f.value is not None]
    if known:
        chosen = next((f for f in known if f.by == "krippendorff-alpha"), known[0])
        what = "agreement (Krippendorff’s alpha)"
        if chosen.by == "percent":
            what = "of pairs of participants agree"
        yield _key(chosen, what)


def _lead(tale: Told, best: Finding) -> Iterator[KeyNumber]:
    """The best against the runner-up, read from the side of the best."""
    if len(tale.standings) < 2:  # noqa: PLR2004 - nobody to lead
        return
    best_id, next_id = best.systems[0], tale.standings[1].systems[0]
    pair = next((f for o, f, _ in tale.against(best_id) if o == next_id), None)
    if pair is None or pair.value is None:
        return
    label = f"preferred {tale.labels[best_id]} to {tale.labels[next_id]}, the next best"
    if pair.measure != "win-percent":
        unit = "log odds" if pair.measure in {"latent-difference", "strength"} else "points"
        label = f"{unit} between {tale.labels[best_id]} and {tale.labels[next_id]}, the next best"
    yield _key(pair if pair.systems[0] == best_id else mirrored(pair), label)


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
        spread = (
            f"{level(finding.interval)} interval {between(finding.interval, digits_of(finding))}"
        )
    return KeyNumber(shown(finding), label, f"{spread} · {count(finding.n, NOUNS[finding.n_of])}")


def _scale(question: Question) -> str:
    if isinstance(question, Slider):
        return "0 to 100"
    points: Sequence[float] = getattr(question, "values", ())
    return f"{points[0]:g} to {points[-1]:g}" if points else "low to high"
