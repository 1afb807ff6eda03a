"""Who took part: the flow of participants, counts of answers, pages and remarks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.columns import answers, has_participants
from rejudge.analysis.details import ProfileSource, RemarkSource, Visitor
from rejudge.analysis.planned_looks import done_by_batch
from rejudge.analysis.results import Flow, Places
from rejudge.design.plan import Plan
from rejudge.english import count
from rejudge.findings.frame import Frame, Row
from rejudge.judgments.exclusions import Cleaned
from rejudge.judgments.read import ReadTable
from rejudge.judgments.table import Coded, Judgments
from rejudge.platforms import order_age_groups
from rejudge.study.model import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COMMENT = "Comments at the end"


def flow_of(analysis: AnalysisPlan, cleaned: Cleaned) -> Flow:
    collected = cleaned.collected
    implied = tuple(asked.id for asked in analysis.outline.questions if asked.is_implied)
    return Flow(
        participants=_participants(collected),
        participants_kept=_participants(cleaned.kept),
        rows=len(collected),
        rows_kept=len(cleaned.kept),
        real_rows=sum(int(collected.is_of_kind(kind).sum()) for kind in ("real", "dropped")),
        real_rows_kept=int(cleaned.kept.is_of_kind("real").sum()),
        simulated_rows=collected.simulated,
        exclusions=cleaned.exclusions,
        judgments=_judgments_of_systems(collected, implied, ("real", "dropped")),
        judgments_kept=_judgments_of_systems(cleaned.kept, implied, ("real",)),
    )


def _judgments_of_systems(
    judgments: Judgments, implied: Sequence[str], kinds: Sequence[str]
) -> int:
    """How many judgments of systems; an answer that implies comparisons is one."""
    count = 0
    for kind in kinds:
        rows = judgments.of_kind(kind)  # type: ignore[arg-type]  # a kind of judgment
        several = np.isin(rows.question.codes, [rows.question.code(name) for name in implied])
        count += int((~several).sum()) + len(np.unique(answers(rows.take(several))))
    return count


def _participants(judgments: Judgments) -> int | None:
    if not has_participants(judgments):
        return None
    return stats.count_distinct(judgments.participant.codes)


def places_of(plan: Plan, cleaned: Cleaned) -> Places | None:
    """How many places are filled; None where judgments do not say their batch."""
    done = done_by_batch(cleaned)
    if done is None:
        return None
    filled = sum(min(batch.participants, done.get(batch.id, 0)) for batch in plan.main)
    return Places(plan.places, filled)


def arrivals(visitors: Sequence[Visitor]) -> Iterator[Frame]:
    """How many opened the site, consented and passed the qualification, whether or not they judged
    anything; nothing where the site recorded nobody."""
    if not visitors:
        return
    consented = sum("consent" in each.seconds for each in visitors)
    tested = [each for each in visitors if each.has_qualified is not None]
    failed = sum(each.has_qualified is False for each in visitors)
    steps = (("came", len(visitors)), ("consented", consented or None),
             ("not qualified", failed if tested else None))  # fmt: skip
    yield Frame.of("arrivals", ({"step": step, "people": n} for step, n in steps if n is not None))


def profile_of_visitors(
    study: Study, visitors: Sequence[Visitor], cleaned: Cleaned
) -> Iterator[Frame]:
    """How many gave each answer about themselves; nothing where nothing was recorded.

    Everybody who judged something counts as having taken part, as in the flow of participants.
    """
    came, kept = (_names(table) for table in (cleaned.collected, cleaned.kept))
    present = [each for each in visitors if each.participant in came]
    yield from _profile(_parts(study, present, kept), came, kept)


def profile_of_table(
    table: ReadTable | None,
    rows: NDArray[np.bool_],
    names: Sequence[str],
    *,
    kept: Judgments,
) -> Iterator[Frame]:
    """Counts of what some columns of a table say of each participant, in these rows.

    A participant with two values in a column is counted under the first, and a note says so.
    """
    if table is None or not names:
        return
    judgments = table.judgments.take(rows)
    people = judgments.participant
    known = np.flatnonzero(people.codes >= 0)
    came, counting = _names(judgments), _names(kept)
    parts = []
    for name in names:
        column = table.beside[name].take(rows)
        said: dict[str, str | None] = dict.fromkeys(sorted(came))
        unlike = set()
        for row in known[column.codes[known] >= 0].tolist():
            who, answer = people.labels[people.codes[row]], column.labels[column.codes[row]]
            before = said[who]
            said[who] = before or answer
            if before not in {None, answer}:
                unlike.add(who)
        note = f"{count(len(unlike), 'participant')} gave different answers; the first counts."
        part = _part(name, name, "column", said, counting)
        parts.append([{**row, "note": note if unlike else ""} for row in part])
    yield from _profile(parts, came, counting)


def _profile(
    parts: Iterable[Iterable[Row]], came: Collection[str], kept: Collection[str]
) -> Iterator[Frame]:
    """All answers in one table: those about each question one below the other."""
    rows = [row for part in parts for row in part]
    if rows and came:
        facts = {"participants": len(came), "participants_kept": len(kept)}
        yield Frame.of("profile", rows, facts=facts)


def _parts(study: Study, visitors: Sequence[Visitor], kept: Collection[str]) -> Iterator[list[Row]]:
    for question in study.spec.site.exit_questions:
        if question.kind == "choice":
            said = {each.participant: each.answers.get(question.id) for each in visitors}
            yield _part(question.id, question.prompt, "exit-question", said, kept, question.options)
    yield _part("device", "Device", "device", {v.participant: v.device for v in visitors}, kept)
    yield _part(
        "language",
        "Language of the browser",
        "language",
        {v.participant: v.language for v in visitors},
        kept,
    )
    for name in dict.fromkeys(name for each in visitors for name in each.told_platform):
        told = {each.participant: each.told_platform.get(name) for each in visitors}
        prompt = f"{name}, as stated to the platform"
        order = order_age_groups(answer for answer in told.values() if answer is not None)
        yield _part(name.lower(), prompt, "platform", told, kept, order)


def _part(
    name: str,
    prompt: str,
    source: ProfileSource,
    said: Mapping[str, str | None],
    kept: Collection[str],
    options: Sequence[str] = (),
) -> list[Row]:
    """Counts in the order of the options; other answers follow by frequency, and last those who
    said nothing. Nothing where nobody said anything."""
    everybody = Counter(said.values())
    counting = Counter(answer for who, answer in said.items() if who in kept)
    seen = [answer for answer, _ in everybody.most_common() if answer is not None]
    answers: list[str | None] = list(dict.fromkeys((*options, *seen))) if seen else []
    silent = [None] if answers and everybody[None] else []
    return [
        {
            "about": name,
            "asked": prompt,
            "source": source,
            "answer": answer,
            "participants": everybody[answer],
            "participants_kept": counting[answer],
            "note": "",
        }
        for answer in (*answers, *silent)
    ]


def _names(judgments: Judgments) -> frozenset[str]:
    column = judgments.participant
    return frozenset(column.labels[code] for code in np.unique(column.codes).tolist() if code >= 0)


def remarks_of_visitors(
    study: Study, visitors: Sequence[Visitor], judgments: Judgments
) -> Iterator[Frame]:
    """Free-text answers to exit questions and comments of those who judged something."""
    came = _names(judgments)
    present = [each for each in visitors if each.participant in came]
    rows = []
    for question in study.spec.site.exit_questions:
        if question.kind == "text":
            about = _about(question.id, question.prompt, "exit-question")
            said = [(each.participant, each.answers.get(question.id, "")) for each in present]
            rows += [{**about, "participant": who, "text": text} for who, text in said]
    about = _about("comment", _COMMENT, "comment")
    rows += [{**about, "participant": who.participant, "text": who.comment} for who in present]
    yield from _remarks(rows, people=len(present))


def remarks_of_table(
    table: ReadTable | None, rows: NDArray[np.bool_], names: Sequence[str]
) -> Iterator[Frame]:
    """The remarks in some columns of a table, in these rows.

    A remark that is repeated for each criterion of an output counts once. Where a column says one
    thing of each participant in all their rows, it is about no single item.
    """
    if table is None or not names:
        return
    judgments = table.judgments.take(rows)
    found = []
    for name in names:
        own = list(_rows(judgments, table.beside[name].take(rows)))
        if _is_about_people(own):
            own = [{"participant": row["participant"], "text": row["text"]} for row in own]
        once = {tuple(row.items()): row for row in own}.values()
        found += [{**_about(name, name, "column"), **row} for row in once]
    people = {word for word in judgments.participant.words() if word}
    yield from _remarks(found, people=len(people) or None)


def _remarks(rows: Iterable[Row], *, people: int | None) -> Iterator[Frame]:
    """What was written; `people` took part, None: it is not known who wrote."""
    blank = {"participant": None, "item": None, "systems": ()}
    written = [
        {name: row.get(name, blank.get(name)) for name in _REMARK} | {"text": row["text"].strip()}
        for row in rows
        if row["text"].strip()
    ]
    if written:
        yield Frame.of("remarks", written, facts={"participants": people})


_REMARK = ("about", "asked", "source", "participant", "item", "systems")


def _about(name: str, prompt: str, source: RemarkSource) -> dict[str, str]:
    return {"about": name, "asked": prompt, "source": source}


def _rows(judgments: Judgments, column: Coded) -> Iterator[Row]:
    """One for each row; its text is empty where the cell is."""
    systems = (judgments.system, judgments.system_a, judgments.system_b)
    for text, who, item, *named in zip(
        column.words(),
        judgments.participant.words(),
        judgments.item.words(),
        *(each.words() for each in systems),
        strict=True,
    ):
        yield {
            "participant": who,
            "item": item,
            "systems": tuple(name for name in named if name),
            "text": (text or "").strip(),
        }


def _is_about_people(rows: Sequence[Row]) -> bool:
    """Whether everybody who wrote has the same text in all rows, and somebody on several items."""
    texts: dict[str | None, set[str]] = defaultdict(set)
    items: dict[str | None, set[str | None]] = defaultdict(set)
    for row in rows:
        texts[row["participant"]].add(row["text"])
        items[row["participant"]].add(row["item"])
    authors = [who for who, said in texts.items() if said != {""}]
    return (
        None not in authors
        and all(len(texts[who]) == 1 for who in authors)
        and any(len(items[who]) > 1 for who in authors)
    )
