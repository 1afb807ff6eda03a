"""Rules about pay and time."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.lint.evidence import StudyEvidence, Violation
from rejudge.platforms import platform

_MUCH_BELOW = 2 / 3  # of the estimate: further off than the estimate itself may be
_LONGEST_STRETCH = 30  # minutes without a break


def pay_below_floor(seen: StudyEvidence) -> Iterator[Violation]:
    """The hourly pay is below the highest floor that applies.

    The floors are the living wage and the legal minimum of the regions named in `payment`, your own
    rate, and the platform's minimum. Published reproductions pay the larger of the British living
    wage and the local minimum; one of their originals paid 10.50 dollars an hour.

    Remedy: raise `reward`, or omit it and let it be computed.
    """
    quote = seen.quote
    if quote is None or not quote.is_below_floor or quote.floor is None:
        return
    yield Violation(
        f"The hourly pay is {quote.effective_hourly} {quote.currency} ({quote.reward} for "
        f"{quote.work.minutes:g} minutes), below the {quote.floor.reason} of "
        f"{quote.floor.hourly} {quote.currency}.",
        ("payment.reward",),
        "Raise `payment.reward`, or omit it: it is then computed from the floor.",
    )


def no_payment(seen: StudyEvidence) -> Iterator[Violation]:
    """Participants come from a paid platform, but no payment is stated.

    People on these platforms are paid. Without `payment` no price can be computed, and nobody can
    check that it is fair.

    Remedy: add `payment` with a region whose living wage is the floor, such as
    `payment: {currency: GBP, living_wage: GB}`.
    """
    payment = seen.study.spec.payment
    if seen.is_crowd and (payment is None or payment.kind == "unpaid"):
        yield Violation(
            f"People on {platform(seen.study.spec.recruitment.platform).title} are paid, but the "
            "study states no payment.",
            ("payment",),
            "Add `payment: {currency: GBP, living_wage: GB}`; the reward follows from it.",
        )


def too_few_minutes(seen: StudyEvidence) -> Iterator[Violation]:
    """The stated minutes are far below what the longest batch takes.

    The reward follows from the stated minutes, so people with that batch would be underpaid, and
    platforms judge pay by the time that people actually needed. Reported when less than two thirds
    of the estimate are stated; the estimate uses published reading speeds and a few seconds for
    each answer.

    Remedy: state what a pilot needed for the longest batch, or omit `payment.minutes`.
    """
    payment = seen.study.spec.payment
    stated = payment.minutes if payment else None
    if stated and seen.duration and stated < _MUCH_BELOW * seen.duration.longest:
        longest = seen.duration.longest
        in_longest = " in the longest batch" if longest > seen.duration.minutes else ""
        yield Violation(
            f"{stated:g} minutes per batch are stated, but reading and answering take about "
            f"{longest:.0f}{in_longest}.",
            ("payment.minutes",),
            "State what a pilot needed, or omit `payment.minutes`: it is then estimated.",
        )


def long_without_break(seen: StudyEvidence) -> Iterator[Violation]:
    """People work for more than 30 minutes without being offered a break.

    Attention drops, and repetitive work strains hands and eyes. A published reproduction split 300
    ratings into lists of 30 with a break after each, and listed that among its ethical
    considerations. Not checked where people judge in a spreadsheet and stop when they like.

    Remedy: set `design.break_every`, or make the batches smaller.
    """
    minutes = _longest_batch(seen)
    every = seen.study.spec.design.break_every
    if minutes is None or seen.study.spec.recruitment.platform == "spreadsheet":
        return
    tasks = max((len(batch.tasks) for batch in seen.plan.main), default=1) if seen.plan else 1
    stretch = minutes * min(1.0, every / tasks) if every else minutes
    if stretch > _LONGEST_STRETCH:
        breaks = f"breaks come every {every} tasks" if every else "no break is offered"
        yield Violation(
            f"A batch takes about {minutes:.0f} minutes and {breaks}, so people work for "
            f"{stretch:.0f} minutes at a stretch.",
            ("design.break_every",),
            "Set `design.break_every` for a break every 10 to 20 minutes, or make the "
            "batches smaller.",
        )


def _longest_batch(seen: StudyEvidence) -> float | None:
    payment = seen.study.spec.payment
    if payment and payment.minutes:
        return payment.minutes
    return seen.duration.longest if seen.duration else None
