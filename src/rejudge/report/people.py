"""Who took part, who was left out and why, what they were paid and how long it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis.details import Profile, ProfilePart, Remark, RemarkList
from rejudge.analysis.results import Flow, Results
from rejudge.analysis.times import PagesToExit, Times
from rejudge.design.pay import MOST_PLAUSIBLE, Earnings, Quote
from rejudge.english import count, day, join_words, verb
from rejudge.findings.model import WITHOUT_EXCLUSIONS
from rejudge.layout.numbers import number
from rejudge.report.blocks import (
    Block,
    Fold,
    PageTable,
    Paragraph,
    Passage,
    Section,
    Texts,
    figures_in,
    page_table,
)
from rejudge.report.figures.registry import Picture
from rejudge.report.subject import Subject
from rejudge.tables.participants import (
    MOST_REMARK_CHARACTERS,
    batch_time_table,
    page_time_table,
    profile_table,
    quantile_table,
    remark_systems,
    shorten_remark,
)
from rejudge.tables.quality import exclusion_table
from rejudge.tables.wording import (
    name_of_test,
    names_of,
    remark_counts,
    unfinished_sentences,
)

_REASONS = 8  # so many are listed on the page
_MOST_ANSWERS = 12  # to a question about people


def people_blocks(subject: Subject, drawn: Sequence[Picture]) -> Iterator[Block]:
    """Who took part and counts, what was left out, and what people were paid."""
    results = subject.results
    yield Paragraph(" ".join((*who_took_part(results.flow), *_who_failed(results))))
    for sentence in unfinished_sentences(results.flow):
        yield Paragraph(sentence, "warn")
    if subject.period:
        yield Paragraph(f"They answered {period_words(subject)}.")
    table = exclusions(results)
    if isinstance(table, PageTable):
        yield from figures_in(drawn, "participants", "flow")
        yield Fold("Exclusions by rule, with reasons", (table,))
    else:
        yield table
    if results.select(case=WITHOUT_EXCLUSIONS):
        yield _without_exclusions(results, subject.labels)
    yield from _pay(subject)


def profile_blocks(subject: Subject, drawn: Sequence[Picture]) -> Iterator[Block]:
    """Who the participants were and how long they took, each figure before its numbers."""
    results = subject.results
    yield from figures_in(drawn, "participants", "profile")
    yield from _profile(results.profile)
    yield from figures_in(drawn, "participants", "times")
    yield from _pace(results)


def who_took_part(flow: Flow) -> Iterator[str]:
    """How many came, and how many count."""
    if not flow.rows:
        yield "Nobody has judged anything yet."
        return
    if flow.participants is None or flow.participants_kept is None:
        yield (
            f"It is not known who judged; {flow.judgments_kept:,} of "
            f"{count(flow.judgments, 'judgment')} of systems "
            f"{verb(flow.judgments_kept, 'is', 'are')} analysed."
        )
        return
    came = count(flow.participants, "participant")
    if not flow.is_simulated:
        yield f"{came} took part."
    elif flow.simulated_rows < flow.rows:
        yield (
            f"{flow.simulated_rows:,} of {flow.rows:,} rows "
            f"{verb(flow.simulated_rows, 'is', 'are')} simulated; the rest are real."
        )
    else:
        yield (
            f"{came} {verb(flow.participants, 'was', 'were')} simulated by a program; no people "
            "took part."
        )
    yield f"{_who_counts(flow.participants, flow.participants_kept, flow)}{_exclusions(flow)}."


def _who_failed(results: Results) -> Iterator[str]:
    """How many did not pass the qualification, and so judged nothing."""
    people = results.navigation.not_qualified if results.navigation else None
    if people:
        yield (
            f"Before that, {count(people, 'person')} did not pass the qualification and got no "
            "tasks."
        )


def _who_counts(came: int, kept: int, flow: Flow) -> str:
    who = f"{kept:,}"
    if kept == came:
        who = "All" if came > 1 else "This participant"
    return (
        f"{who} {verb(kept, 'is', 'are')} included in the analysis, with "
        f"{count(flow.judgments_kept, 'judgment')} of systems"
    )


def _exclusions(flow: Flow) -> str:
    left_out = flow.judgments - flow.judgments_kept
    if not left_out:
        return ""
    were = verb(left_out, "was", "were")
    return f"; {left_out:,} of {count(flow.judgments, 'judgment')} {were} excluded"


def period_words(subject: Subject) -> str:
    """When people answered, as far as it is known."""
    if subject.period is None:
        return ""
    first, last = subject.period
    return f"on {day(first)}" if first == last else f"between {day(first)} and {day(last)}"


def exclusions(results: Results) -> Block:
    """What each rule left out; kept and excluded add up."""
    flow = results.flow
    if not flow.exclusions:
        return Paragraph("Nobody was excluded by a rule.")
    reasons = [f"{each.participant}: {each.reason}." for each in flow.exclusions]
    if len(reasons) > _REASONS:
        reasons = [*reasons[:_REASONS], f"And {len(reasons) - _REASONS:,} more in excluded.csv."]
    return page_table(exclusion_table(flow), notes=tuple(reasons))


def _without_exclusions(results: Results, labels: Mapping[str, str]) -> Block:
    """Whether a comparison of two systems comes out differently when everybody counts."""
    if not results.flow.judgments_kept:
        return Paragraph("After the exclusions no judgments are left to compare systems with.")
    changed = [each for each in results.depends if each.choice == "exclusions"]
    if not changed:
        return Paragraph("Without exclusions, every comparison of two systems comes out the same.")
    by_id = {finding.id: finding for finding in results.select()}
    told_of = [
        f"{f'{found.category}, ' if found.category else ''}"
        f"{' and '.join(names_of(found, labels))} on {found.question} ({name_of_test(found)})"
        for each in changed
        if (found := by_id.get(each.finding)) is not None
    ]
    these = verb(len(told_of), "this comparison comes", "these comparisons come")
    return Paragraph(f"Without exclusions, {these} out differently: {join_words(told_of)}.", "warn")


def _profile(profile: Profile | None) -> Iterator[Block]:
    if profile is None:
        return
    for part in profile.parts:
        yield _answers(part, profile)
    if profile.note:
        yield Paragraph(profile.note, "aside")


def _answers(part: ProfilePart, profile: Profile) -> Block:
    whole = profile_table(profile).where(lambda row: row[0] == part.id)
    table = page_table(
        whole.keep("answer", "participants", "of those analysed"),
        name=f"profile-{part.id}",
        caption=f"{part.prompt.rstrip(' .')}{'' if part.prompt.rstrip().endswith('?') else '.'} "
        f"{count(profile.participants, 'participant')}, of whom {profile.participants_kept:,} "
        f"{verb(profile.participants_kept, 'is', 'are')} analysed.",
        notes=(part.note,) if part.note else (),
    )
    if len(table.rows) <= _MOST_ANSWERS:
        return table
    return Fold(f"{part.prompt.rstrip(' .')}: {count(len(table.rows), 'answer')}", (table,))


def _pay(subject: Subject) -> Iterator[Block]:
    designed = subject.designed
    if designed is None:
        return
    said = [*pay_sentences(designed.quote), *earned_sentences(designed.earned)]
    if not said:
        return
    is_simulated = subject.results.flow.is_simulated
    nobody = ["Simulated people are not paid."] if is_simulated and designed.quote else []
    yield Paragraph(" ".join([*said, *nobody]))


def pay_sentences(quote: Quote | None) -> Iterator[str]:
    """What people were promised."""
    if quote is None:
        return
    if quote.kind == "credit":
        yield "Participants were promised course credit."
    elif quote.kind == "unpaid":
        yield "Participants were not paid."
    elif quote.reward is not None:
        each = "participant" if quote.work.unit == "participant" else "batch"
        what = "a voucher of " if quote.kind == "voucher" else ""
        hourly = (
            f", {quote.currency} {quote.effective_hourly} an hour at the expected "
            f"{float(quote.work.minutes):g} minutes"
            if quote.effective_hourly is not None
            else ""
        )
        reward = f"{what}{quote.currency} {quote.reward} per {each}"
        yield f"Participants were promised {reward}{hourly}."


def earned_sentences(earned: Earnings | None) -> Iterator[str]:
    """The median hourly pay; where times are too short to be true, that instead."""
    if earned is None:
        return
    whose = f"{count(earned.people, 'paid participant')}, by elapsed time"
    if not earned.is_plausible:
        yield (
            f"The recorded times of {whose}, are implausibly short: the median hourly pay would be "
            f"more than {MOST_PLAUSIBLE} times the {earned.currency} {earned.promised} promised, "
            "and is not reported."
        )
        return
    said = f"Median hourly pay of {whose}: {earned.currency} {earned.hourly}"
    if earned.promised is None:
        yield f"{said}."
    elif earned.top_up is None:
        yield f"{said}, not less than the {earned.currency} {earned.promised} promised."
    else:
        yield (
            f"{said}, less than the {earned.currency} {earned.promised} promised; a top-up of "
            f"{earned.currency} {earned.top_up} for each reward would make up for it."
        )


def _pace(results: Results) -> Iterator[Block]:
    pace = results.flow.pace
    if pace:
        yield Paragraph(
            f"The median time per task was {number(pace.median)} seconds; the middle half took "
            f"between {number(pace.lower)} and {number(pace.upper)} ({count(pace.tasks, 'task')})."
        )
    yield from _page_times(results.navigation)
    yield from time_blocks(results.times)


def _page_times(navigation: PagesToExit | None) -> Iterator[Block]:
    """Seconds on each page; single tasks are in the file."""
    pages = (
        [page for page in navigation.pages if page.place is None or page.page != "task"]
        if navigation
        else []
    )
    if navigation and pages:
        table = page_time_table(replace(navigation, pages=tuple(pages)))
        yield page_table(table, caption=f"Seconds on each page. {navigation.measured}")


# times


_MOST_BATCHES = 40


def time_blocks(times: Times | None) -> Iterator[Block]:
    """Seconds per page, and how long each batch took."""
    if times is None or not times.quantiles:
        return
    notes = tuple(note for note in (times.note, _mean_time(times)) if note)
    yield page_table(quantile_table(times), notes=notes)
    if len(times.batches) > 1:  # one batch is all of it
        listed = replace(times, batches=times.batches[:_MOST_BATCHES])
        more = len(times.batches) - len(listed.batches)
        notes = (f"{more:,} more in times-batches.csv.",) if more > 0 else ()
        table = page_table(batch_time_table(listed).without("pages"), notes=notes)
        yield Fold("Times by batch", (table,))


def _mean_time(times: Times) -> str:
    mean = times.mean_of_participants
    return "" if mean is None else f"Mean per participant: {number(mean)} seconds on all pages."


# remarks


_MOST_SHOWN = 200  # remarks of one list on the page
_PERSONAL = (
    "As participants wrote them. Remarks can identify people: read them before you share this page."
)


def remark_sections(
    lists: Sequence[RemarkList], labels: Mapping[str, str], *, is_simulated: bool
) -> Iterator[Section]:
    """The section of remarks, folded; none where nobody wrote anything."""
    if not lists:
        return
    by_program = ["Written by a program, not by people."] if is_simulated else []
    intro = Paragraph(" ".join([*by_program, _PERSONAL]))
    folds = (Fold(_title(each), tuple(_blocks(each, labels))) for each in lists)
    yield Section("remarks", "Remarks", (intro, *folds))


def _title(found: RemarkList) -> str:
    return f"{found.prompt.rstrip(' .:')}: {remark_counts(found)}"


def _blocks(found: RemarkList, labels: Mapping[str, str]) -> Iterator[Block]:
    shown = found.remarks[:_MOST_SHOWN]
    passages = tuple(Passage(_label(each, labels), shorten_remark(each.text), "") for each in shown)
    yield Texts(found.prompt, f"{remark_counts(found)}.", passages)
    if len(shown) < len(found.remarks) or any(
        len(each.text) > MOST_REMARK_CHARACTERS for each in shown
    ):
        first = f"The first {len(shown):,} of {count(len(found.remarks), 'remark')}"
        yield Paragraph(
            f"{first}, at most {MOST_REMARK_CHARACTERS:,} characters of each; all of it is in "
            "tables/remarks.csv.",
            "aside",
        )


def _label(remark: Remark, labels: Mapping[str, str]) -> str:
    item = f"item {remark.item}" if remark.item else ""
    parts = (remark.participant or "", item, remark_systems(remark, labels))
    return ", ".join(part for part in parts if part) or "Unknown"
