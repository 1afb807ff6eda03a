"""Participants who do not judge: they follow rules such as “the longer output wins”.

A rule looks at the surface of the texts, at their order, or at nothing at all. Rules are tried in
order, and the first one that decides counts. Steen & Markert (2025, section 6) let such rules
answer a study of paraphrases: a copy of the input wins, an output with an unknown word loses, and
chance decides the rest. The ranking of systems was nearly that of the participants.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

from rejudge.design.order import order_for
from rejudge.design.plan import Plan, Task, answer_parts, option_text
from rejudge.design.sampling import Chance
from rejudge.judgments.answers import Answer
from rejudge.simulate.people import participant_seats
from rejudge.study.baselines import OPPOSITES, Baseline, RuleName
from rejudge.study.items import page_text
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study
from rejudge.study.procedure import Gold
from rejudge.study.qualification import GoldTask

OF_ORDER: Final[frozenset[RuleName]] = frozenset({"first-shown", "last-shown"})
OF_SCALE: Final[frozenset[RuleName]] = frozenset({"top", "middle", "bottom"})
_UNKNOWN = re.compile(r"(?<!\w)[<\[]?unk(nown)?[>\]]|(?<!\w)unk(?!\w)", re.IGNORECASE)
_TOKEN = re.compile(  # a word; a character where words are not set apart by spaces
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
    "|[^\\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_MIDDLE = 0.5  # of the scale


# ── which baselines a study has ──────────────────────────────────────────────────────────────────


def baselines_of(study: Study) -> tuple[Baseline, ...]:
    """The baselines that a study declares, or the usual ones."""
    return study.spec.baselines or usual_baselines(study)


def usual_baselines(study: Study) -> tuple[Baseline, ...]:
    """The baselines of a study that declares none: as many as its questions and texts allow."""
    chains: dict[str, tuple[RuleName, ...]] = {}
    if any(item.input.strip() for item in study.items):
        chains["copy-unk"] = ("copy-wins", "unknown-loses")
        chains["input-overlap"] = ("input-overlap-wins",)
    if any(item.has_reference for item in study.items):
        chains["reference-overlap"] = ("reference-overlap-wins",)
    chains["longer"] = ("longer-wins",)
    if any(question.is_comparison for question in study.spec.questions):
        chains["first-shown"] = ("first-shown",)
    if any(not question.is_comparison for question in study.spec.questions):
        chains["top"], chains["middle"] = ("top",), ("middle",)
    chains["random"] = ("random",)
    return tuple(Baseline(id=name, rules=rules) for name, rules in chains.items())


def unread_baselines(study: Study) -> tuple[Baseline, ...]:
    """Baselines that read nothing: always the same answer, the longer or the shorter output."""
    names: list[RuleName] = ["longer-wins", "shorter-wins"]
    if any(question.is_comparison for question in study.spec.questions):
        names += ["first-shown", "last-shown"]
    if any(not question.is_comparison for question in study.spec.questions):
        names += ["top", "middle", "bottom"]
    return tuple(Baseline(id=name, rules=(name,)) for name in names)


def reversed_questions(study: Study, baseline: Baseline) -> tuple[str, ...]:
    """The questions that ask for the opposite; unless stated, those where the input must lose."""
    if baseline.reversed is not None:
        return baseline.reversed
    aims = [
        check.question
        for check in study.spec.checks
        if isinstance(check, Gold) and check.contrast == "input"
    ]
    return tuple(question.id for question in study.spec.questions if question.id in aims)


def decides(rule: RuleName, question: Question) -> bool:
    """Whether a rule can decide a question of this kind at all."""
    return rule not in (OF_SCALE if question.is_comparison else OF_ORDER)


# ── answers ──────────────────────────────────────────────────────────────────────────────────────


def answer_by_rules(study: Study, plan: Plan, baseline: Baseline) -> tuple[Answer, ...]:
    """Let participants who follow the rules of a baseline fill every place of a plan."""
    return RuleFollower(study, baseline).fill(plan)


@dataclass(frozen=True, slots=True)
class SeenTexts:
    """The texts of a task: what a rule can look at."""

    input: str
    reference: str
    outputs: tuple[str, ...]

    @classmethod
    def of_task(cls, study: Study, plan: Plan, task: Task) -> SeenTexts:
        """The texts of a task of the plan; an instruction is shown instead of the input."""
        item = study.item[task.item]
        return cls(
            page_text(item.input if task.instruction is None else task.instruction),
            page_text(item.reference or ""),
            tuple(page_text(option_text(study, plan, task, each)) for each in task.options),
        )

    @classmethod
    def of_gold_task(cls, task: GoldTask) -> SeenTexts:
        """The texts of a practice example or of a task of the qualification."""
        outputs = tuple(map(page_text, task.outputs))
        return cls(page_text(task.input), page_text(task.reference), outputs)


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """A raw answer, and how much of it the rules decided."""

    raw: str
    decided: float  # share of the pairs of outputs, or 1 for a score
    is_by_chance: bool = False


class RuleFollower:
    """Somebody who follows the rules of one baseline."""

    def __init__(self, study: Study, baseline: Baseline) -> None:
        self.study, self.baseline = study, baseline
        turned = reversed_questions(study, baseline)
        self._rules = {
            question.id: tuple(
                OPPOSITES.get(rule, rule) if question.id in turned else rule
                for rule in baseline.rules
                if decides(rule, question)
            )
            for question in study.spec.questions
        }
        self._chance = Chance(baseline.seed, "baseline", baseline.id)
        self._known: dict[tuple[str, str], RuleAnswer] = {}
        self.has_chanced = False  # whether anything was left to chance so far

    def suits(self, question: Question) -> bool:
        """Whether one of its rules can decide such a question."""
        return bool(self._rules[question.id])

    def fill(self, plan: Plan, draw: int = 0) -> tuple[Answer, ...]:
        """All answers to a plan; each `draw` differs in what is left to chance."""
        taken = participant_seats(plan)
        digits = max(3, len(str(len(taken))))
        return tuple(
            Answer(person, seat.batch.id, task.id, question.id, answer.raw, position)
            for number, own in enumerate(taken, start=1)
            for person in (f"rule-{number:0{digits}}",)
            for seat in own
            for position, task in enumerate(order_for(plan, seat.batch, seat.number), start=1)
            for question, answer in self.answers(plan, task, by=f"{person} {draw}")
        )

    def answers(self, plan: Plan, task: Task, by: str) -> Iterator[tuple[Question, RuleAnswer]]:
        """The answers to a task of the plan, question by question; none where no rule can decide.

        What is left to chance differs between participants (`by`).
        """
        seen: SeenTexts | None = None
        for question in self.study.questions_beside(len(task.options)):
            if not self.suits(question):
                continue
            key = (task.id, question.id)
            if key not in self._known:
                seen = seen or SeenTexts.of_task(self.study, plan, task)
                parts = answer_parts(plan, task, question)
                found = self.answer(question, seen, parts, by=f"{by} {task.id}")
                if found.is_by_chance:
                    yield question, found
                    continue
                self._known[key] = found
            yield question, self._known[key]

    def answer(self, question: Question, seen: SeenTexts, parts: int, *, by: str) -> RuleAnswer:
        """The answer to one question about these texts."""
        opinion = _RuleOpinion(self, question, seen, self._chance.stream(by, question.id))
        raw = question.simulated_answer(opinion, parts)
        self.has_chanced |= opinion.is_by_chance
        return RuleAnswer(raw, opinion.decided, opinion.is_by_chance)

    def rules(self, question: Question) -> tuple[RuleName, ...]:
        """The rules that can decide a question, reversed if it asks for the opposite."""
        return self._rules[question.id]

    @cached_property
    def lengths(self) -> list[int]:
        """The lengths of all outputs of the study, the shortest first."""
        outputs = (text for item in self.study.items for text in item.outputs if text is not None)
        return sorted(len(page_text(text)) for text in outputs)


class _RuleOpinion:
    """What the rules say of one task, as an opinion that every kind of question can ask."""

    tie_width = 0.5  # opinions are whole numbers

    def __init__(
        self, follower: RuleFollower, question: Question, seen: SeenTexts, chance: Chance
    ) -> None:
        self._follower, self._question, self._seen = follower, question, seen
        self._chance = chance
        self._rules = follower.rules(question)
        self.decided = 0.0
        self.is_by_chance = False

    def compare(self) -> Sequence[float]:
        """The place of each output from the worst, 0, upwards; equal ones share a place."""
        keys = self._keys()
        pairs = list(combinations(keys, 2))
        self.decided = sum(one != two for one, two in pairs) / len(pairs) if pairs else 0.0
        may_tie = self._question.allows_tie and "random" not in self._rules
        if len(set(keys)) < len(keys) and not may_tie:
            self.is_by_chance = True
            lots = self._chance.shuffle(range(len(keys)))
            keys = [(*key, float(lot)) for key, lot in zip(keys, lots, strict=True)]
        places = {key: float(place) for place, key in enumerate(sorted(set(keys)))}
        return [places[key] for key in keys]

    def _keys(self) -> list[tuple[float, ...]]:
        """How good each output is by each rule before the first random one, the first first."""
        rules = self._rules[: self._rules.index("random")] if "random" in self._rules else None
        return [
            tuple(self._value(rule, place) for rule in (self._rules if rules is None else rules))
            for place in range(len(self._seen.outputs))
        ]

    def _value(self, rule: RuleName, place: int) -> float:
        if rule in OF_ORDER:
            return float(-place if rule == "first-shown" else place)
        text = self._seen.outputs[place]
        return _sign(rule) * (
            len(text) if _is_about_length(rule) else _share(rule, text, self._seen)
        )

    def score(self, points: Sequence[float]) -> float:
        """The point that the first rule gives that decides; the middle if none does."""
        for rule in self._rules:
            if rule == "random":
                self.is_by_chance = True
                return self._chance.choice(points)
            if rule == "middle":
                self.decided = 1.0
                break
            share = self._share_of_scale(rule)
            if share is not None:
                self.decided = 1.0
                return _nearest(points, share)
        return self._middle(points)

    def _middle(self, points: Sequence[float]) -> float:
        """The middle of a scale; of two middle points either."""
        middle = (points[(len(points) - 1) // 2], points[len(points) // 2])
        self.is_by_chance |= middle[0] != middle[1]
        return self._chance.choice(middle)

    def _share_of_scale(self, rule: RuleName) -> float | None:
        """Where the output belongs on the scale, from 0 to 1; None if the rule cannot say."""
        if rule in OF_SCALE:
            return float(rule == "top")
        text = self._seen.outputs[0]
        is_up = _sign(rule) > 0
        if _is_about_length(rule):
            share = _quantile(self._follower.lengths, len(text))
        else:
            share = _share(rule, text, self._seen)
            if rule.startswith(("copy", "unknown")) and not share:
                return None
            if "overlap" in rule and not _tokens(_source(rule, self._seen)):
                return None
        return share if is_up else 1 - share


def _sign(rule: RuleName) -> float:
    return -1.0 if rule.endswith("-loses") or rule == "shorter-wins" else 1.0


def _is_about_length(rule: RuleName) -> bool:
    return rule in ("longer-wins", "shorter-wins")


def _source(rule: RuleName, seen: SeenTexts) -> str:
    return seen.reference if rule.startswith("reference") else seen.input


def _share(rule: RuleName, text: str, seen: SeenTexts) -> float:
    """How far a text has what the rule is about, from 0 to 1."""
    if rule.startswith("copy"):
        return float(bool(text) and text == seen.input)
    if rule.startswith("unknown"):
        return float(_UNKNOWN.search(text) is not None)
    return word_overlap(text, _source(rule, seen))


def word_overlap(one: str, two: str) -> float:
    """F1 of the words that two texts share, counting repetitions; 0 if there are no words.

    Letters are compared without case. Where words are not set apart by spaces (Chinese, Japanese,
    Thai), characters are counted instead of words.
    """
    first, second = Counter(_tokens(one)), Counter(_tokens(two))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold())


def _quantile(lengths: Sequence[int], length: int) -> float:
    """The place of a length among all, from 0 for the shortest to 1 for the longest."""
    last = len(lengths) - 1
    if last < 1:
        return _MIDDLE
    place = (bisect_left(lengths, length) + bisect_right(lengths, length) - 1) / 2
    return min(1.0, max(0.0, place / last))


def _nearest(points: Sequence[float], share: float) -> float:
    mark = points[0] + share * (points[-1] - points[0])
    return min(points, key=lambda point: abs(point - mark))
