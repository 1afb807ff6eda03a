"""Answers to section 4 of the datasheet: how one criterion was defined, asked and analysed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rejudge.english import as_sentence, capital, count, join_words
from rejudge.findings.model import EffectSize, Finding
from rejudge.heds.answers import SheetAnswer
from rejudge.heds.facts import KnownStudy, Proposal, question_source
from rejudge.layout.numbers import level_text, number, range_text
from rejudge.stats import Interval
from rejudge.study.kinds.question import Question
from rejudge.study.methods import USUAL_AGREEMENT
from rejudge.tables.wording import (
    NOUNS,
    TEST_NAMES,
    coefficient,
    name_of_coefficient,
    shared_method,
)

_AGREES: Final = re.compile(r"\b(dis)?agree", re.IGNORECASE)
_STANDINGS: Final = ("mean", "share", "win-percent", "best-worst-score")
_SELF: Final = "self-consistency"
_PAIR: Final = 2


def answer_criterion(
    question: Question, facts: KnownStudy, *, criterion: str
) -> Iterator[Proposal]:
    """The answers about one question of the study."""
    stated = question_source(question.id)
    for number_, answer in (*_mode(question), *_wording(question), *_scale(question)):
        yield Proposal(number_, answer, stated, criterion)
    found = facts.findings(question.id)
    source = "results" if facts.results is not None else "study.yaml, analysis"
    answers = (*_analysis(question, facts, found), *_agreement(facts, found))
    for number_, answer in answers:
        yield Proposal(number_, answer, source, criterion)


def _mode(question: Question) -> Iterator[tuple[str, SheetAnswer]]:
    yield "4.2.2", _option(2 if question.is_comparison else 1)
    yield "4.2.3", _option(1)


def _wording(question: Question) -> Iterator[tuple[str, SheetAnswer]]:
    yield "4.3.1.1", SheetAnswer(is_absent=True)  # pages show the question, not the criterion's id
    definition = question.definition.strip()
    yield "4.3.2", SheetAnswer(definition) if definition else SheetAnswer(is_absent=True)
    yield "4.3.7", SheetAnswer(question.prompt)


def _scale(question: Question) -> Iterator[tuple[str, SheetAnswer]]:
    size, values, presentation = _answer_scale(question)
    absent = SheetAnswer(is_absent=True)
    yield "4.3.3", SheetAnswer(size) if size else absent
    yield "4.3.4", SheetAnswer(values) if values else absent
    yield "4.3.5", _option(presentation)
    yield "4.3.6", absent if size else SheetAnswer(f"{capital(question.task_in_words)}.")
    yield "4.3.8", _option(_form_of_response(question))


def _answer_scale(question: Question) -> tuple[str, str, int]:
    """Size, values and presentation of the scale; no size where there is no scale."""
    if question.values:
        labels = question.labels_by_value
        points = [f"{value:g}" + _label(labels.get(value)) for value in question.values]
        return str(len(points)), ", ".join(points), 1
    if question.bounds is not None:
        low, high = question.bounds
        return "continuous", f"[{low:g}, {high:g}]", 3
    if question.least_outputs == _PAIR and not question.is_order:
        options = ["A is better", "B is better", *(["about the same"] * question.allows_tie)]
        return str(len(options)), ", ".join(options), 1
    return "", "", 4


def _label(label: str | None) -> str:
    """A label in brackets; a comma in it would look like one more value."""
    return f" ({label.replace(',', ';')})" if label else ""


def _form_of_response(question: Question) -> int:
    if question.is_comparison:
        return 3
    return 1 if any(_AGREES.search(each) for each in question.labels_by_value.values()) else 2


def _analysis(
    question: Question, facts: KnownStudy, found: Sequence[Finding]
) -> Iterator[tuple[str, SheetAnswer]]:
    standings = [each for each in found if each.measure in _STANDINGS and len(each.systems) == 1]
    aggregation = shared_method(standings) if standings else question.scoring
    yield "4.3.9", SheetAnswer(as_sentence(capital(aggregation)))
    tests = _tests(question, facts, found)
    yield "4.3.10", SheetAnswer(tests) if tests else SheetAnswer(is_absent=True)


def _tests(question: Question, facts: KnownStudy, found: Sequence[Finding]) -> str:
    analysis = facts.study.spec.analysis
    if facts.results is not None:
        tested = [each for each in found if each.p is not None and each.role in ("headline", None)]
        tested = [each for each in tested if each.by in TEST_NAMES]
        names = [TEST_NAMES[each.by] for each in tested]
        correction = facts.results.signature.correction
        effects = dict.fromkeys(e.name for each in tested for e in _effects(each))
    elif analysis is not None:
        names = [TEST_NAMES[each.test] for each in analysis.tests if each.question == question.id]
        correction, effects = analysis.correction, {}
    else:
        return ""
    if not names:
        return ""
    parts = [capital(join_words(list(dict.fromkeys(names))))]
    parts.append(
        "p values not corrected" if correction == "none" else f"p values corrected ({correction})"
    )
    if effects:
        parts.append(f"effect sizes: {join_words(list(effects))}")
    return f"{'; '.join(parts)}."


def _effects(finding: Finding) -> tuple[EffectSize, ...]:
    first = () if finding.effect is None else (finding.effect,)
    return (*first, *finding.further_effects)


def _agreement(facts: KnownStudy, found: Sequence[Finding]) -> Iterator[tuple[str, SheetAnswer]]:
    absent = SheetAnswer(is_absent=True)
    if facts.results is None:
        analysis = facts.study.spec.analysis
        planned = analysis.agreement if analysis else USUAL_AGREEMENT
        names = join_words([coefficient(each) for each in planned])
        yield "4.3.11.1", SheetAnswer(f"{capital(names)}.") if planned else absent
        if not planned:
            yield "4.3.11.2", absent
        if facts.study.spec.design.repeats is None:
            yield "4.3.12.1", absent
            yield "4.3.12.2", absent
        else:
            yield "4.3.12.1", SheetAnswer("Share of repeated tasks with the same answer.")
        return
    known = [each for each in found if each.measure == "agreement" and each.value is not None]
    within = [each for each in known if each.by.startswith(_SELF)]
    between = [each for each in known if not each.by.startswith(_SELF)]
    for part, findings in (("4.3.11", between), ("4.3.12", within)):
        ordered = sorted(findings, key=lambda each: "percent" in each.by)  # percentages last
        yield f"{part}.1", SheetAnswer(_methods(ordered)) if ordered else absent
        yield f"{part}.2", SheetAnswer(_scores(ordered)) if ordered else absent


def _methods(findings: Sequence[Finding]) -> str:
    return "\n".join(as_sentence(capital(each.method)) for each in findings)


def _scores(findings: Sequence[Finding]) -> str:
    return "; ".join(_score(each) for each in findings)


def _score(finding: Finding) -> str:
    is_percent = "percent" in finding.by
    digits = 1 if is_percent else 2
    value = number(finding.value, digits) + (" %" if is_percent else "")
    size = count(finding.n or 0, NOUNS[finding.n_of])
    interval = "" if finding.interval is None else f"{_interval(finding.interval, digits)}, "
    return f"{value} ({name_of_coefficient(finding)}; {interval}{size})"


def _interval(interval: Interval, digits: int) -> str:
    return f"{level_text(interval.level)} interval {range_text(interval, digits)}"


def _option(key: int) -> SheetAnswer:
    return SheetAnswer(options=(key,))
