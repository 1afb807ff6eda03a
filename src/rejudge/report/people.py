"""Who took part, who was left out and why, what they were paid and how long it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis.results import Flow, Results
from rejudge.design.pay import MOST_PLAUSIBLE, Earnings, Quote
from rejudge.english import count, day, join_words, verb, versus
from rejudge.findings.frame import Frame, Row
from rejudge.findings.model import WITHOUT_EXCLUSIONS
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
from rejudge.tables.columns import (
    MEASURED_ON_PAGES,
    MOST_REMARK_CHARACTERS,
    duration,
    frame_table,
    quantile_table,
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
    for part in results.frame("profile").by("about").values():
        yield _answers(part)
    yield from figures_in(drawn, "participants", "times")
    yield from time_blocks(results)


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
    arrivals = {row["step"]: row["people"] for row in results.frame("arrivals").rows}
    people = arrivals.get("not qualified")
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


def _answers(part: Frame) -> Block:
    first = part.rows[0]
    asked, kept = first["asked"].rstrip(" ."), int(str(part.facts["participants_kept"]))
    everybody = count(int(str(part.facts["participants"])), "participant")
    table = page_table(
        frame_table(part, {}, "page"),
        name=f"profile-{first['about']}",
        caption=f"{asked}{'' if asked.endswith('?') else '.'} {everybody}, of whom {kept:,} "
        f"{verb(kept, 'is', 'are')} analysed.",
        notes=(first["note"],) if first["note"] else (),
    )
    if len(table.rows) <= _MOST_ANSWERS:
        return table
    return Fold(f"{asked}: {count(len(table.rows), 'answer')}", (table,))


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


_MOST_LISTED = 40  # batches or participants


def time_blocks(results: Results) -> Iterator[Block]:
    """Seconds on each page, and how long each participant and each batch took."""
    pages, times = results.frame("times-pages"), results.frame("times")
    unit = times.facts.get("unit", "seconds")
    for row in pages.rows:
        if row["page"] in {"task", "batch"} and row["place"] is None:
            lower, upper = (duration(row[end], unit) for end in ("lower", "upper"))
            yield Paragraph(
                f"The median time per {row['page']} was {duration(row['median'], unit)}; the "
                f"middle half took between {lower} and {upper} ({count(row['n'], row['page'])})."
            )
    kinds = pages.where(lambda row: row["place"] is None or row["page"] != "task")
    if len(kinds):
        table = frame_table(replace(kinds, total=None), {}, "page")
        yield page_table(table, caption=f"Seconds on each page. {MEASURED_ON_PAGES}")
    if len(times):
        mean = float(str(times.facts["mean_of_participants"]))
        spent = f"Mean per participant: {duration(mean, unit)} on all pages."
        yield page_table(quantile_table(times), notes=(*times.notes, spent))
    yield from _folded("Times of participants", results.frame("times-people"))
    yield from _folded("Times by batch", results.frame("times-batches"))


def _folded(title: str, frame: Frame) -> Iterator[Block]:
    """A table of times, unless it has a single row, which is all of them."""
    if len(frame) > 1:
        listed = frame.with_rows(frame.rows[:_MOST_LISTED])
        more = frame.size - len(listed)
        notes = (f"{more:,} more in {frame.name}.csv.",) if more > 0 else ()
        yield Fold(title, (page_table(frame_table(listed, {}, "page"), notes=notes),))


# remarks


_MOST_SHOWN = 200  # remarks of one list on the page
_PERSONAL = (
    "As participants wrote them. Remarks can identify people: read them before you share this page."
)


def remark_sections(
    remarks: Frame, labels: Mapping[str, str], *, is_simulated: bool
) -> Iterator[Section]:
    """The section of remarks, folded; none where nobody wrote anything."""
    if not len(remarks):
        return
    by_program = ["Written by a program, not by people."] if is_simulated else []
    intro = Paragraph(" ".join([*by_program, _PERSONAL]))
    folds = (
        Fold(f"{asked.rstrip(' .:')}: {remark_counts(part)}", tuple(_blocks(asked, part, labels)))
        for asked, part in remarks.by("asked").items()
    )
    yield Section("remarks", "Remarks", (intro, *folds))


def _blocks(asked: str, part: Frame, labels: Mapping[str, str]) -> Iterator[Block]:
    shown = part.rows[:_MOST_SHOWN]
    passages = [Passage(_label(row, labels), shorten_remark(row["text"]), "") for row in shown]
    yield Texts(asked, f"{remark_counts(part)}.", tuple(passages))
    if len(shown) < len(part) or any(len(row["text"]) > MOST_REMARK_CHARACTERS for row in shown):
        first = f"The first {len(shown):,} of {count(len(part), 'remark')}"
        yield Paragraph(
            f"{first}, at most {MOST_REMARK_CHARACTERS:,} characters of each; all of it is in "
            "tables/remarks.csv.",
            "aside",
        )


def _label(row: Row, labels: Mapping[str, str]) -> str:
    """Who wrote it, and what about."""
    item = f"item {row['item']}" if row["item"] else ""
    systems = [labels.get(system, system) for system in row["systems"]]
    about = versus(systems, "") if len(systems) > 1 else "".join(systems)
    return ", ".join(part for part in (row["participant"], item, about) if part) or "Unknown"
