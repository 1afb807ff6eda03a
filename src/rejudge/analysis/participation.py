"""Who took part: the flow of participants, counts of answers, pages and remarks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.columns import answers, has_participants
from rejudge.analysis.details import (
    Page,
    Profile,
    ProfileCount,
    ProfilePart,
    ProfileSource,
    Remark,
    RemarkList,
    RemarkSource,
    Visitor,
)
from rejudge.analysis.planned_looks import done_by_batch
from rejudge.analysis.results import Flow, Places
from rejudge.analysis.times import (
    PagesToExit,
    PageTimes,
    TimedPages,
    has_times_of_batches,
    pace,
    time_bins,
    time_shares,
)
from rejudge.design.plan import Plan
from rejudge.english import count
from rejudge.judgments.exclusions import Cleaned
from rejudge.judgments.read import ReadTable
from rejudge.judgments.table import Coded, Judgments
from rejudge.platforms import order_age_groups
from rejudge.study.model import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PLACES = 200  # of tasks that are listed by their place in the order
_BEFORE: tuple[Page, ...] = ("consent", "instructions", "practice")
_MEASURED = (
    "Consent and instructions: by the server's clock, from one page to the next. Practice, tasks "
    "and the exit page: as recorded on the page. Only participants whose judgments count."
)
_EACH = "Intervals treat times as independent."
_COMMENT = "Comments at the end"


def flow_of(analysis: AnalysisPlan, cleaned: Cleaned, pages: TimedPages) -> Flow:
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
        pace=pace(pages),
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


def profile_of_visitors(
    study: Study, visitors: Sequence[Visitor], cleaned: Cleaned
) -> Profile | None:
    """How many gave each answer about themselves; None where nothing was recorded.

    Everybody who judged something counts as having taken part, as in the flow of participants.
    """
    came, kept = (_names(table) for table in (cleaned.collected, cleaned.kept))
    present = [each for each in visitors if each.participant in came]
    if not present:
        return None
    parts = tuple(part for part in _parts(study, present, kept) if part.counts)
    return Profile(len(came), len(kept), parts) if parts else None


def profile_of_table(
    table: ReadTable | None,
    rows: NDArray[np.bool_],
    names: Sequence[str],
    *,
    kept: Judgments,
) -> Profile | None:
    """Counts of what some columns of a table say of each participant, in these rows."""
    if table is None or not names:
        return None
    columns = {name: table.beside[name].take(rows) for name in names}
    return profile_of_columns(table.judgments.take(rows), columns, kept=kept)


def profile_of_columns(
    judgments: Judgments, columns: Mapping[str, Coded], *, kept: Judgments | None = None
) -> Profile | None:
    """Counts of what further columns of a table say about each participant.

    A participant with two values in a column is counted under the first, and the note says so.
    Without `kept`, everybody counts.
    """
    people = judgments.participant
    known = np.flatnonzero(people.codes >= 0)
    names = _names(judgments)
    counting = names if kept is None else _names(kept)
    parts = []
    for name, column in columns.items():
        said: dict[str, str | None] = dict.fromkeys(sorted(names))
        unlike = set()
        for row in known[column.codes[known] >= 0].tolist():
            who, answer = people.labels[people.codes[row]], column.labels[column.codes[row]]
            before = said[who]
            said[who] = before or answer
            if before not in {None, answer}:
                unlike.add(who)
        part = _part(name, name, "column", said, counting)
        note = f"{count(len(unlike), 'participant')} gave different answers; the first counts."
        parts.append(replace(part, note=note if unlike else ""))
    return Profile(len(names), len(counting), tuple(parts)) if parts and names else None


def navigation(
    visitors: Sequence[Visitor], kept: Judgments, pages: TimedPages, *, level: float
) -> PagesToExit | None:
    """How long each page took, from the consent to the exit; None where no time was recorded."""
    names = _names(kept)
    times = [each.seconds for each in visitors if each.participant in names]

    def found(page: Page) -> Iterator[PageTimes]:
        longest = max((len(own.get(page, ())) for own in times), default=0)
        for place in range(longest):
            seconds = [own[page][place] for own in times if len(own.get(page, ())) > place]
            number = place + 1 if longest > 1 else None
            yield page_times(page, seconds, level=level, place=number)

    listed = (
        *(part for page in _BEFORE for part in found(page)),
        *_tasks(kept, pages, level=level),
        *found("exit"),
    )
    came = len(visitors) or None
    consented = sum("consent" in each.seconds for each in visitors) or None
    tested = [each for each in visitors if each.has_qualified is not None]
    failed = sum(each.has_qualified is False for each in visitors) if tested else None
    return PagesToExit(_MEASURED, listed, _EACH, came, consented, failed) if listed else None


def page_times(
    page: Page, seconds: Sequence[float], *, level: float, place: int | None = None
) -> PageTimes:
    """Summary statistics of the times of one page, with their distribution."""
    known = np.sort(np.asarray(seconds, dtype=np.float64))
    least, lower, median, upper, most = np.quantile(known, [0, 0.25, 0.5, 0.75, 1]).tolist()
    is_single_task = page == "task" and place is not None
    return PageTimes(
        page=page,
        n=len(known),
        least=least,
        lower=lower,
        median=median,
        upper=upper,
        most=most,
        mean=float(known.mean()),
        sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        place=place,
        shares=() if is_single_task else time_shares(known, level=level),
        bins=() if is_single_task else time_bins(known),
    )


def _tasks(kept: Judgments, pages: TimedPages, *, level: float) -> Iterator[PageTimes]:
    """All tasks together, then each by its place in the order; or whole batches."""
    if not len(pages.seconds):
        return
    page: Page = "batch" if has_times_of_batches(kept, pages) else "task"
    yield page_times(page, pages.seconds.tolist(), level=level)
    places = np.unique(pages.position[pages.position >= 0])
    if page == "task" and 1 < len(places) <= MOST_PLACES:
        for place in places.tolist():
            own = _at(pages, place)
            yield page_times(page, own.tolist(), level=level, place=place)


def _at(pages: TimedPages, place: int) -> NDArray[np.float64]:
    found: NDArray[np.float64] = pages.seconds[pages.position == place]
    return found


def _parts(
    study: Study, visitors: Sequence[Visitor], kept: Collection[str]
) -> Iterator[ProfilePart]:
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
    said: dict[str, str | None],
    kept: Collection[str],
    options: Sequence[str] = (),
) -> ProfilePart:
    """Counts in the order of the options; other answers follow by frequency."""
    everybody = Counter(said.values())
    counting = Counter(answer for who, answer in said.items() if who in kept)
    seen = [answer for answer, _ in everybody.most_common() if answer is not None]
    order = dict.fromkeys((*options, *seen)) if seen else {}
    return ProfilePart(
        id=name,
        prompt=prompt,
        source=source,
        counts=tuple(ProfileCount(answer, everybody[answer], counting[answer]) for answer in order),
        silent=everybody[None],
        silent_kept=counting[None],
    )


def _names(judgments: Judgments) -> frozenset[str]:
    column = judgments.participant
    return frozenset(column.labels[code] for code in np.unique(column.codes).tolist() if code >= 0)


def remarks_of_visitors(
    study: Study, visitors: Sequence[Visitor], judgments: Judgments
) -> tuple[RemarkList, ...]:
    """Free-text answers to exit questions and comments of those who judged something."""
    came = _names(judgments)
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


def remarks_of_table(
    table: ReadTable | None, rows: NDArray[np.bool_], names: Sequence[str]
) -> tuple[RemarkList, ...]:
    """The remarks in some columns of a table, in these rows."""
    if table is None or not names:
        return ()
    columns = {name: table.beside[name].take(rows) for name in names}
    return remarks_of_columns(table.judgments.take(rows), columns)


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
