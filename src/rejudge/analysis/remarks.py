"""What participants wrote in their own words: answers to exit questions, comments, a column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejudge.analysis.profile import Visitor
from rejudge.judgments import Coded, Judgments
from rejudge.study import Study

RemarkSource: TypeAlias = Literal["exit-question", "comment", "column"]
_COMMENT = "Comments at the end"


@dataclass(frozen=True, slots=True)
class Remark:
    """What one participant wrote, and about what, as far as it is known."""

    text: str
    participant: str | None = None  # pseudonym
    item: str | None = None
    systems: tuple[str, ...] = ()  # one, or the two that were compared


@dataclass(frozen=True, slots=True)
class RemarkList:
    """All remarks on one question or in one column. They are personal data."""

    id: str
    prompt: str  # what was asked, or the name of the column
    source: RemarkSource
    remarks: tuple[Remark, ...]
    answered: int | None = None  # participants who wrote something; None: not known who wrote
    participants: int | None = None  # who took part


def remarks_of_visitors(
    study: Study, visitors: Sequence[Visitor], came: Collection[str]
) -> tuple[RemarkList, ...]:
    """Free-text answers to exit questions and comments of those who judged something."""
    present = [each for each in visitors if each.participant in came]
    lists = [
        _of_people(
            (question.id, question.prompt, "exit-question"),
            {each.participant: each.answers.get(question.id, "") for each in present},
        )
        for question in study.spec.site.exit_questions
        if question.kind == "text"
    ]
    comments = {each.participant: each.comment for each in present}
    lists.append(_of_people(("comment", _COMMENT, "comment"), comments))
    return tuple(each for each in lists if each.remarks)


def remarks_of_columns(
    judgments: Judgments, columns: Mapping[str, Coded]
) -> tuple[RemarkList, ...]:
    """The remarks in further columns of a table, row for row beside its judgments.

    A remark that is repeated for each criterion of an output counts once. Where a column says one
    thing of each participant in all their rows, it is about no single item.
    """
    people = {word for word in judgments.participant.words() if word}
    lists = []
    for name, column in columns.items():
        rows = list(_rows(judgments, column))
        if _is_about_people(rows):
            rows = [Remark(each.text, each.participant) for each in rows]
        written = tuple(dict.fromkeys(each for each in rows if each.text))
        authors = {each.participant for each in written if each.participant}
        counts = (len(authors), len(people)) if people else (None, None)
        lists.append(RemarkList(name, name, "column", written, *counts))
    return tuple(each for each in lists if each.remarks)


def _of_people(about: tuple[str, str, RemarkSource], said: Mapping[str, str]) -> RemarkList:
    remarks = tuple(Remark(text.strip(), who) for who, text in said.items() if text.strip())
    return RemarkList(*about, remarks, answered=len(remarks), participants=len(said))


def _rows(judgments: Judgments, column: Coded) -> Iterator[Remark]:
    """One for each row; its text is empty where the cell is."""
    systems = (judgments.system, judgments.system_a, judgments.system_b)
    for text, who, item, *named in zip(
        column.words(),
        judgments.participant.words(),
        judgments.item.words(),
        *(each.words() for each in systems),
        strict=True,
    ):
        yield Remark((text or "").strip(), who, item, tuple(name for name in named if name))


def _is_about_people(rows: Sequence[Remark]) -> bool:
    """Whether everybody who wrote has the same text in all rows, and somebody on several items."""
    texts: dict[str | None, set[str]] = defaultdict(set)
    items: dict[str | None, set[str | None]] = defaultdict(set)
    for each in rows:
        texts[each.participant].add(each.text)
        items[each.participant].add(each.item)
    authors = [who for who, said in texts.items() if said != {""}]
    return (
        None not in authors
        and all(len(texts[who]) == 1 for who in authors)
        and any(len(items[who]) > 1 for who in authors)
    )
