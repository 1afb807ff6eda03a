"""Counts of who took part, and seconds per page of their way, from what the site recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.analysis.profile import (
    Page,
    PageTimes,
    Profile,
    ProfileCount,
    ProfilePart,
    ProfileSource,
    Visitor,
    Way,
)
from rejudge.analysis.remarks import remarks_of_visitors
from rejudge.analysis.results import Results
from rejudge.analysis.timing import Pages, pages_of, time_bins, time_shares, varies_by_task
from rejudge.english import count
from rejudge.judgments import Cleaned, Coded, Judgments
from rejudge.study import Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PLACES = 200  # of tasks that are told apart by their place in the order
_BEFORE: tuple[Page, ...] = ("consent", "instructions", "practice")
_MEASURED = (
    "Consent and instructions: by the server's clock, from one page to the next. Practice, tasks "
    "and the exit page: as recorded on the page. Only participants whose judgments count."
)
_EACH = "Intervals take times as independent."


def with_visitors(
    results: Results, cleaned: Cleaned, visitors: Sequence[Visitor], *, study: Study
) -> Results:
    """The results with who took part, what they wrote, and the pages beside the tasks."""
    return replace(
        results,
        profile=profiled(study, visitors, cleaned),
        way=way_of(visitors, cleaned.kept, pages_of(cleaned.kept), level=results.signature.level),
        remarks=remarks_of_visitors(study, visitors, _names(cleaned.collected)),
    )


def profiled(study: Study, visitors: Sequence[Visitor], cleaned: Cleaned) -> Profile | None:
    """How many gave each answer about themselves; None where nothing was recorded.

    Whoever judged something counts as having taken part, as in the flow of participants.
    """
    came, kept = (_names(table) for table in (cleaned.collected, cleaned.kept))
    present = [each for each in visitors if each.participant in came]
    if not present:
        return None
    parts = tuple(part for part in _parts(study, present, kept) if part.counts)
    return Profile(len(came), len(kept), parts) if parts else None


def profile_of_columns(
    judgments: Judgments, columns: Mapping[str, Coded], *, kept: Judgments | None = None
) -> Profile | None:
    """Counts of what further columns of a table say of each participant.

    Somebody of whom a column says two things is counted under the first, and the note tells it.
    Without `kept`, everybody counts.
    """
    import numpy as np

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
        told = f"{count(len(unlike), 'participant')} said different things; the first counts."
        parts.append(replace(part, note=told if unlike else ""))
    return Profile(len(names), len(counting), tuple(parts)) if parts and names else None


def way_of(
    visitors: Sequence[Visitor], kept: Judgments, pages: Pages, *, level: float
) -> Way | None:
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
    return Way(_MEASURED, listed, _EACH, came, consented) if listed else None


def page_times(
    page: Page, seconds: Sequence[float], *, level: float, place: int | None = None
) -> PageTimes:
    """The times of one page in a few numbers, with their distribution."""
    import numpy as np

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


def _tasks(kept: Judgments, pages: Pages, *, level: float) -> Iterator[PageTimes]:
    """All tasks together, then each by its place in the order; or whole batches."""
    import numpy as np

    if not len(pages.seconds):
        return
    page: Page = "task" if varies_by_task(kept) else "batch"
    yield page_times(page, pages.seconds.tolist(), level=level)
    places = np.unique(pages.position[pages.position >= 0])
    if page == "task" and 1 < len(places) <= MOST_PLACES:
        for place in places.tolist():
            own = _at(pages, place)
            yield page_times(page, own.tolist(), level=level, place=place)


def _at(pages: Pages, place: int) -> NDArray[np.float64]:
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


def _part(  # noqa: PLR0917 - what a table of counts consists of
    name: str,
    prompt: str,
    source: ProfileSource,
    said: dict[str, str | None],
    kept: Collection[str],
    options: Sequence[str] = (),
) -> ProfilePart:
    """Counts in the order of the options; what is none of them follows by frequency."""
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
    import numpy as np

    column = judgments.participant
    return frozenset(column.labels[code] for code in np.unique(column.codes).tolist() if code >= 0)
