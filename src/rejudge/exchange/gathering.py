"""Answers of another tool, gathered into judgments, with everything that did not become one.

Each reader gathers what people said about items; here it is decided which system that was about,
which of two answers counts, what participants are called, and what is said about the rest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, Literal

from rejudge.english import count, verb
from rejudge.errors import FileError, Problem
from rejudge.exchange.formats import Imported, Rejected
from rejudge.exchange.items import ItemFields
from rejudge.exchange.matching import StudyMatcher
from rejudge.exchange.opening import Record
from rejudge.exchange.pseudonyms import KEY_VARIABLE, pseudonyms
from rejudge.exchange.repeated import keep_last, what_was_judged
from rejudge.exchange.spans import MarkedOutput, Span, count_spans
from rejudge.exchange.values import ItemAnswers, clean, duration, number, outcome, shorten
from rejudge.judgments.duplicates import are_many_duplicates
from rejudge.judgments.table import Choice, Judgment, Judgments

ONE_SYSTEM: Final = "all"  # as in tables without a column of systems
_LABELS: Final = 4  # labels of one question that are listed with their counts
_OFTEN: Final = 2  # an answer in words that is given once may be a text that somebody wrote


@dataclass(frozen=True, slots=True)
class _Row:
    """A judgment and the submission that it comes from."""

    judgment: Judgment
    submission: ItemAnswers


class Gathering:
    """The answers of some files, as they are read."""

    def __init__(
        self,
        items: ItemFields,
        *,
        key: bytes | None = None,  # of pseudonyms
        tool: str = "",
        matcher: StudyMatcher | None = None,
    ) -> None:
        self.items = items
        self._key = key
        self._tool = tool
        self._matcher = matcher
        self._pseudonyms: dict[str, str] = {}
        self._rows: list[_Row] = []
        self._without_system: list[tuple[ItemAnswers, str]] = []  # with the question
        self._has_named_system = False  # whether any item named its system
        self._marked: list[MarkedOutput] = []
        self._rejected: list[Rejected] = []
        self._left_out: dict[str, Counter[str]] = {}
        self._words: dict[str, Counter[str]] = {}  # by question
        self._notes: dict[str, None] = {}

    def participant(self, identity: object) -> str | None:
        """The pseudonym of somebody; ids of other tools are often e-mail addresses."""
        known = clean(identity)
        if known is None:
            return None
        if known not in self._pseudonyms:
            self._pseudonyms[known] = self._pseudonym(known)
        return self._pseudonyms[known]

    def _pseudonym(self, known: str) -> str:
        if self._key is None:
            return f"p{len(self._pseudonyms) + 1:04d}"
        # A number is given out by the tool: the first user of another tool is somebody else.
        name = f"{self._tool} {known}" if known.isdecimal() else known
        return pseudonyms([name], key=self._key)[name]

    def item(self, tool_id: object, data: Record) -> tuple[str, Record]:
        """The id of an item and all its fields, with those of the table beside the files.

        With a study: the id that the item has there, and the systems whose outputs it shows.
        """
        name, fields = self.items.resolve(clean(tool_id), data)
        if self._matcher is None:
            return name, fields
        found, systems = self._matcher.resolve((name, clean(tool_id)), fields)
        return found or name, {**systems, **fields}

    def is_question(self, name: str) -> bool:
        """Whether a field is known to hold answers: it was named, or the study asks it."""
        asked = self._matcher is not None and self._matcher.asks(self.items.question(name))
        return asked or name in self.items.answers

    def rate(
        self, submission: ItemAnswers, question: str, value: object, *, system: str | None = None
    ) -> None:
        """A number for one system: the one given, or the one that the item names."""
        score = number(value)
        if score is None:
            self.reject(submission, f"'{shorten(value)}' is not a number.", column=question)
            return
        named = system or self._system_of(submission)
        if named is None:
            self._without_system.append((submission, question))
            return
        self._has_named_system |= system is None
        self._add(submission, question, score, system=named)

    def prefer(
        self,
        submission: ItemAnswers,
        question: str,
        choice: Choice,
        *,
        pair: tuple[str, str] | None = None,
        first: Literal["a", "b"] | None = None,
    ) -> None:
        """The better of two systems, which the item names; `first` is the one shown first."""
        systems = pair or self.pair_of(submission)
        if systems is None:
            self._without_system.append((submission, question))
            return
        self._has_named_system |= pair is None
        if systems[0] == systems[1]:
            what = f"'{systems[0]}' is compared with itself."
            self.reject(submission, what, column=question)
            return
        self._add(submission, question, choice, pair=systems, side=first)

    def choose(self, submission: ItemAnswers, question: str, answer: object) -> None:
        """One chosen label: a number, the better of two systems, or a label that has no place."""
        word = clean(answer)
        if word is None:
            return
        pair = self.pair_of(submission)
        is_number = number(word) is not None
        is_of_pair = pair is not None and not (is_number and self._system_of(submission))
        choice = outcome(word, pair) if pair is not None and is_of_pair else None
        if choice is not None:
            self.prefer(submission, question, choice, pair=pair)
        elif is_number:
            self.rate(submission, question, word)
        else:
            self._words.setdefault(question, Counter())[shorten(word)] += 1

    def rank(self, submission: ItemAnswers, question: str, tiers: Sequence[Sequence[str]]) -> None:
        """An order of systems, best first; those of one tier are tied. All pairs of one answer."""
        placed = [(name, tier) for tier, names in enumerate(tiers) for name in names]
        names = [name for name, _ in placed]
        if len(set(names)) < len(names):
            self.reject(submission, "a system is ranked twice.", column=question)
            return
        if len(names) < 2:
            self.reject(submission, "fewer than two systems are ranked.", column=question)
            return
        task = replace(submission, task=submission.task or submission.item)
        for (one, high), (two, low) in combinations(sorted(placed), 2):  # sides must not tell ranks
            choice: Choice = "tie" if high == low else "a" if high < low else "b"
            self._add(task, question, choice, pair=(one, two))

    def best_and_worst(
        self,
        submission: ItemAnswers,
        question: str,
        systems: Sequence[str],
        *,
        best: str,
        worst: str,
    ) -> None:
        """The best and the worst of several systems, as the comparisons that follow from it."""
        others = [name for name in systems if name not in {best, worst}]
        if best == worst or not {best, worst} <= set(systems):
            self.reject(submission, "best and worst are not two of the systems.", column=question)
            return
        task = replace(submission, task=submission.task or submission.item)
        implied = [(best, worst), *((best, each) for each in others)]
        implied += [(each, worst) for each in others]
        for winner, loser in implied:
            one, two = sorted((winner, loser))
            self._add(task, question, "a" if winner == one else "b", pair=(one, two))

    def mark(
        self,
        submission: ItemAnswers,
        question: str,
        spans: Sequence[Span],
        *,
        system: str | None = None,
        texts: Sequence[object] = (),
    ) -> None:
        """The spans that somebody marked in one output, which may be none; `texts` are those in
        which they may be."""
        named = system or self._system_of(submission)
        if named is None and (self.pair_of(submission) or self.systems_of(submission)):
            self.leave_out(f"spans of `{question}` in the outputs of several systems",
                           times=len(spans))  # fmt: skip
            return
        if named is None:
            self._without_system.append((submission, question))
            return
        self._has_named_system |= system is None
        readable = tuple(text for text in texts if isinstance(text, str))
        asked = clean(question) or "spans"
        self._marked.append(MarkedOutput(submission, asked, named, tuple(spans), readable))

    def pair_of(self, submission: ItemAnswers) -> tuple[str, str] | None:
        """The two systems that an item compares, if it names them."""
        a, b = (clean(self.items.find(role, submission.data)) for role in ("system_a", "system_b"))
        return (a, b) if a is not None and b is not None else None

    def systems_of(self, submission: ItemAnswers) -> list[str]:
        """All systems that an item shows, in their order: a list, or names joined with |."""
        found = self.items.find("systems", submission.data)
        if isinstance(found, str):
            found = found.split("|")
        if isinstance(found, Mapping):
            found = list(found)
        if not isinstance(found, list):
            return []
        names = [self.name_of(each) for each in found]
        return [name for name in names if name is not None]

    def reject(self, submission: ItemAnswers, reason: str, *, column: str | None = None) -> None:
        """An answer that cannot be used, with the reason."""
        self._rejected.append(
            Rejected(
                reason,
                file=submission.file,
                row=submission.row,
                column=column,
                value=submission.item,
                participant=submission.participant,
            )
        )

    def reject_record(self, file: str, row: int | None, reason: str) -> None:
        """A record that is not what the tool writes."""
        self._rejected.append(Rejected(reason, file=file, row=row))

    def leave_out(self, what: str, label: object = "", times: int = 1) -> None:
        """Something for which a table of judgments has no place, counted by label."""
        if times:
            counts = self._left_out.setdefault(what, Counter())
            counts[shorten(clean(label) or "")] += times

    def note(self, note: str) -> None:
        """Something that was decided; each is said once."""
        self._notes.setdefault(note)

    def note_options(self, question: str) -> None:
        """That ranked options have no system of their own and were taken as systems."""
        self.note(
            f"It is not known which systems were ranked in `{question}`: the names of the options "
            "were taken as systems."
        )

    def imported(self, *, file: str) -> Imported:
        """Everything that was gathered. A FileError if no judgment is among it."""
        counted = count_spans(self._marked)
        for each, name, value in counted.numbers:
            self._add(each.submission, name, value, system=each.system)
        for note in counted.notes:
            self.note(note)
        if not self._rows or (self._without_system and not self._has_named_system):
            raise FileError(self._why_nothing(file))
        for submission, question in self._without_system:
            self.reject(submission, "the item names no system.", column=question)
        settled = self._settle_repeated(self._matched(self._rows))
        if not settled:
            raise FileError(self._why_nothing(file))
        if any(row.judgment.participant is None for row in settled):
            settled = self._without_participants(settled)
        if self._pseudonyms:
            self.note(self._describe_pseudonyms())
        return Imported(
            Judgments.from_rows(row.judgment for row in settled),
            rejected=tuple(self._rejected),
            unmapped=tuple(self._describe_left_out()),
            notes=tuple(self._notes),
            files=counted.files,
        )

    def _matched(self, rows: list[_Row]) -> list[_Row]:
        """The rows as judgments of the study, if there is one; the others are said to be left."""
        if self._matcher is None:
            return rows
        real = [row for row in rows if row.judgment.kind == "real"]
        self.leave_out("checks and exercises of the tool itself", times=len(rows) - len(real))
        kept: list[_Row] = []
        for row, found in zip(
            real, self._matcher.match([row.judgment for row in real]), strict=True
        ):
            question = row.judgment.question
            if found.judgment is not None:
                kept.append(replace(row, judgment=found.judgment))
            elif found.is_not_asked:
                self.leave_out(f"answers to `{question}`, which the study does not ask")
            else:
                self.reject(row.submission, found.reason, column=question)
        return kept

    def _describe_pseudonyms(self) -> str:
        if self._key is not None:
            return (
                f"Participants are called by keyed hashes of their ids, the same in every import "
                f"with this {KEY_VARIABLE}."
            )
        known = len(self._pseudonyms)
        names = "p0001" if known == 1 else f"p0001 to p{known:04d}"
        return (
            f"Participants are called {names}, in the order of the files. Set {KEY_VARIABLE} to "
            "get the same pseudonyms in every import."
        )

    def _add(
        self,
        submission: ItemAnswers,
        question: str,
        value: float | Choice,
        *,
        system: str | None = None,
        pair: tuple[str, str] | tuple[None, None] = (None, None),
        side: Literal["a", "b"] | None = None,
    ) -> None:
        dataset = submission.dataset or clean(self.items.find("dataset", submission.data))
        judgment = Judgment(
            participant=submission.participant,
            item=clean(submission.item) or "item",
            question=clean(self.items.question(question)) or "judgment",
            value=value,
            system=clean(system),
            system_a=pair[0],
            system_b=pair[1],
            dataset=dataset,
            segment=submission.segment,
            batch=submission.batch,
            task=submission.task,
            position=submission.position,
            side=side,
            seconds=duration(submission.seconds),
            kind=submission.kind,
            submitted_at=submission.submitted_at,
            passed=submission.passed,
        )
        self._rows.append(_Row(judgment, submission))

    def _system_of(self, submission: ItemAnswers) -> str | None:
        if self.items.is_off("system"):
            return ONE_SYSTEM
        return self.name_of(self.items.find("system", submission.data))

    def name_of(self, value: Any) -> str | None:
        """A system's name; where a tool keeps more about it, its `system`, `model` or `id`."""
        if isinstance(value, Mapping):
            named = self.items.find("system", value)
            return clean(named if named is not None else value.get("id"))
        return clean(value) if isinstance(value, str | int) else None

    def _why_nothing(self, file: str) -> Problem:
        if self._without_system:
            submission, question = self._without_system[0]
            names = self.items.names(submission.data)
            fields = f" The items have: {names}." if names else ""
            return Problem(
                f"the files do not say which system was judged in `{question}`.",
                f"Name the field of the items that does: --columns system=FIELD, or "
                f"system_a=FIELD,system_b=FIELD for comparisons.{fields} "
                "Or give a table of the items with --items FILE. If all outputs are of one "
                "system, write --columns system=.",
                file=submission.file,
            )
        if self._rows:
            return self._why_nothing_matched(file)
        left = "; ".join(self._describe_left_out())
        said = f" Not imported: {left}." if left else ""
        rejected = f" {self._rejected[0]}" if self._rejected else ""
        what = f"there are no judgments in this export.{said}"
        return Problem(what, f"Check that it is the right file.{rejected}", file=file)

    def _why_nothing_matched(self, file: str) -> Problem:
        names = [f"`{name}`" for name in dict.fromkeys(row.judgment.question for row in self._rows)]
        rejected = f" The first: {self._rejected[0]}" if self._rejected else ""
        return Problem(
            "none of the answers belongs to the study.",
            f"The files answer {', '.join(names[:_LABELS])}. If the study calls a question by "
            f"another name, say so: --rename-question NAME=ID.{rejected}",
            file=file,
        )

    def _settle_repeated(self, rows: Sequence[_Row]) -> list[_Row]:
        given = [row.judgment for row in rows]
        settled = keep_last(given)
        dropped = sum(new is not old for new, old in zip(settled, given, strict=True))
        rows = [replace(r, judgment=j) for r, j in zip(rows, settled, strict=True)]
        if dropped:
            self._refuse_many_repeated(rows)
            what = count(dropped, "judgment")
            self.note(
                f"{what} {verb(dropped, 'was', 'were')} given again by the same participant: the "
                "last one counts, and earlier ones are kept as kind `dropped`."
            )
        return rows

    def _refuse_many_repeated(self, rows: Sequence[_Row]) -> None:
        """Refuse when most judgments repeat others: then several items have the same name.

        Where the item's texts are the same, somebody did give an answer again.
        """
        kept = {what_was_judged(r.judgment): r for r in rows if r.judgment.kind == "real"}
        repeated = [row for row in rows if row.judgment.kind == "dropped"]
        again = []
        for row in repeated:
            data = row.submission.data
            if not data or data != kept[what_was_judged(row.judgment)].submission.data:
                again.append(row)
        total = len(repeated) + sum(row.judgment.kind == "real" for row in rows)
        if not are_many_duplicates(len(again), total, most=self.items.most_repeated):
            return
        judged, names = again[0].judgment, self.items.names(again[0].submission.data)
        fields = f" The items have: {names}." if names else ""
        share = math.ceil(100 * len(again) / total) / 100
        raise FileError(
            Problem(
                f"{len(again):,} of {count(total, 'judgment')} were given again by the same "
                f"participant, such as '{judged.question}' of item '{judged.item}' by "
                f"'{judged.participant}'.",
                "This usually means that several items have one name. Name the field that "
                f"tells them apart: --columns item=FIELD.{fields} If they were given again, allow "
                f"it with --duplicate-share {share:g}: then the last one counts.",
                file=again[0].submission.file,
            )
        )

    def _without_participants(self, rows: list[_Row]) -> list[_Row]:
        """Either all participants of a table are known or none."""
        known = [row for row in rows if row.judgment.participant is not None]
        if not known:
            self.note("The files do not say who judged.")
            return rows
        for row in rows:
            if row.judgment.participant is None:
                self.reject(row.submission, "the answer names no participant.",
                            column=row.judgment.question)  # fmt: skip
        return known

    def _describe_left_out(self) -> Iterator[str]:
        for what, counts in self._left_out.items():
            yield _describe(what, counts, counts)
        for question, counts in self._words.items():
            often = {word: times for word, times in counts.items() if times >= _OFTEN}
            yield _describe(f"answers in words to `{question}`", counts, often)


def _describe(what: str, counts: Counter[str], listed: Mapping[str, int]) -> str:
    """How many things were left out, with their most frequent labels."""
    named = sorted(((times, label) for label, times in listed.items() if label), reverse=True)
    shown = ", ".join(f"{label} {times:,}" for times, label in named[:_LABELS])
    more = f" and {len(named) - _LABELS:,} others" if len(named) > _LABELS else ""
    return f"{what}: {counts.total():,}{f' ({shown}{more})' if shown else ''}"
