"""Rules about the treatment of participants: what they must be told, pay and time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejudge.lint.evidence import StudyEvidence, Violation, quoted
from rejudge.lint.page_text import LanguageWords, has_word, spoken

_EMAIL = re.compile(r"[^\s@<>()\[\]]+@[^\s@<>()\[\]]+\.[^\s@<>()\[\].,;]{2,}")
_MUCH_BELOW = 2 / 3  # of the estimate: further off than the estimate itself may be
_LONGEST_STRETCH = 30  # minutes without a break


def no_consent(seen: StudyEvidence) -> Iterator[Violation]:
    """There is no consent page, or it does not ask for consent.

    Without consent nothing may be collected. The page is searched for words of consent in the
    study's language (English, German, Dutch, Spanish, Chinese and Arabic are supported; in other
    languages only the page itself must exist).

    Remedy: write `pages/consent.md`: what people agree to, in the first person.
    """
    page = seen.pages.get("consent", "")
    words = spoken(seen.study.spec.language)
    path = seen.study.spec.pages.consent
    if not page.strip():
        yield Violation(
            "There is no consent page.",
            (path,),
            f"Write {path}: what people agree to by taking part.",
        )
    elif words and not has_word(page, words.consent):
        yield Violation(
            "The consent page does not ask for consent: none of "
            f"{quoted(words.consent)} was found.",
            (path,),
            "Add a sentence in which people say that they agree to take part.",
        )


def no_contact(seen: StudyEvidence) -> Iterator[Violation]:
    """Participants are not told whom to contact.

    There is neither `contact` in study.yaml nor an e-mail address on the information or consent
    page.

    Remedy: add `contact` with a name and an address that somebody reads.
    """
    pages = seen.pages
    told = pages.get("information", "") + "\n" + pages.get("consent", "")
    if seen.study.spec.contact is None and not _EMAIL.search(told):
        yield Violation(
            "No contact is given: neither `contact` in study.yaml nor an address on the "
            "information or consent page.",
            ("contact",),
            "Add `contact: {name: …, email: …}` to study.yaml.",
        )


def no_withdrawal(seen: StudyEvidence) -> Iterator[Violation]:
    """Participants are not told that they can stop.

    The right to stop at any time without giving a reason belongs to consent. Information, consent
    and instructions are searched for words of withdrawal in the study's language (English, German,
    Dutch, Spanish, Chinese and Arabic are supported; other languages are not checked).

    Remedy: add a sentence such as “You can stop at any time, without giving a reason”.
    """
    words = spoken(seen.study.spec.language)
    if words is None or not _is_told_anything(seen) or _tells_of_withdrawal(seen, words):
        return
    yield Violation(
        "No page says that people can stop at any time: none of "
        f"{quoted(words.withdrawal)} was found on the information, consent or instructions page.",
        (seen.study.spec.pages.consent,),
        "Add a sentence such as “You can stop at any time, without giving a reason”.",
    )


def no_information(seen: StudyEvidence) -> Iterator[Violation]:
    """There is no information letter.

    Consent is informed only if people know who is asking, why, what happens to their answers, how
    long it takes and what they get.

    Remedy: write `pages/information.md`.
    """
    path = seen.study.spec.pages.information
    if not seen.pages.get("information", "").strip():
        yield Violation(
            "There is no information letter.",
            (path,),
            f"Write {path}: who is asking, why, what happens to the answers, time and pay.",
        )


def no_instructions(seen: StudyEvidence) -> Iterator[Violation]:
    """There are no instructions.

    A criterion such as fluency can be understood in many ways. A published study of definitions
    asked about fluency without defining it, its examples were lost, and the participants of its
    reproduction used the scale very differently.

    Remedy: write `pages/instructions.md`: what is shown, what is asked, what the words mean.
    """
    path = seen.study.spec.pages.instructions
    if not seen.pages.get("instructions", "").strip():
        yield Violation(
            "There is no page with instructions.",
            (path,),
            f"Write {path}: what is shown, what is asked, what each criterion means.",
        )


def no_approval(seen: StudyEvidence) -> Iterator[Violation]:
    """Participants come from a paid platform, but no ethics approval is named.

    Journals, conferences and datasheets ask for it. Only checked on crowd platforms.

    Remedy: state in `ethics` who approved the study and under which number, or why no approval is
    needed.
    """
    spec = seen.study.spec
    if seen.is_crowd and not spec.ethics.strip():
        yield Violation(
            "No ethics approval is named.",
            ("ethics",),
            "State in `ethics` who approved the study and its number, or why none is needed.",
        )


def _is_told_anything(seen: StudyEvidence) -> bool:
    """If both pages are missing, the findings about those are enough."""
    pages = seen.pages
    return any(pages.get(role, "").strip() for role in ("information", "consent"))


def _tells_of_withdrawal(seen: StudyEvidence, words: LanguageWords) -> bool:
    roles = ("information", "consent", "instructions")
    return any(has_word(seen.pages.get(role, ""), words.withdrawal) for role in roles)


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

    Remedy: add `payment` with the minutes and a region whose living wage is the floor.
    """
    payment = seen.study.spec.payment
    if seen.is_crowd and (payment is None or payment.kind == "unpaid"):
        yield Violation(
            f"People on {seen.study.spec.recruitment.platform} are paid, but the study states no "
            "payment.",
            ("payment",),
            "Add `payment: {currency: GBP, living_wage: GB}`; the reward follows from it.",
        )


def too_few_minutes(seen: StudyEvidence) -> Iterator[Violation]:
    """The stated minutes are far below what the texts and questions take.

    The reward follows from the stated minutes, so people would be underpaid, and platforms judge
    pay by the time that people actually needed. Reported when less than two thirds of the estimate
    are stated; the estimate uses published reading speeds and a few seconds for each answer.

    Remedy: state what a pilot needed, or omit `payment.minutes`.
    """
    payment = seen.study.spec.payment
    stated = payment.minutes if payment else None
    if stated and seen.duration and stated < _MUCH_BELOW * seen.duration.minutes:
        yield Violation(
            f"{stated:g} minutes per batch are stated, but reading and answering take about "
            f"{seen.duration.minutes:.0f}.",
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
        told = f"breaks come every {every} tasks" if every else "no break is offered"
        yield Violation(
            f"A batch takes about {minutes:.0f} minutes and {told}, so people work for "
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
