"""Rules about the treatment of participants: what pages must say, promises, and retention."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejudge.compare.conditions import unknown_deviation_keys
from rejudge.lint.evidence import StudyEvidence, Violation, in_quotes
from rejudge.lint.page_text import LanguageWords, has_word, language_words

_EMAIL = re.compile(r"[^\s@<>()\[\]]{1,64}@[^\s@<>()\[\]]+\.[^\s@<>()\[\].,;]{2,}")


def no_consent(seen: StudyEvidence) -> Iterator[Violation]:
    """There is no consent page, or it does not ask for consent.

    Without consent nothing may be collected. The page is searched for words of consent in the
    study's language (English, German, Dutch, Spanish, Chinese and Arabic are supported; in other
    languages only the page itself must exist).

    Remedy: write `pages/consent.md`: what people agree to, in the first person.
    """
    page = seen.pages.get("consent", "")
    words = language_words(seen.study.spec.language)
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
            f"{in_quotes(words.consent)} was found.",
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
    text = pages.get("information", "") + "\n" + pages.get("consent", "")
    if seen.study.spec.contact is None and not _EMAIL.search(text):
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

    Remedy: add a sentence such as “You can stop at any time, without giving a reason”, and say
    what happens to the answers given so far.
    """
    words = language_words(seen.study.spec.language)
    if words is None or not _has_pages_about_consent(seen) or _mentions_withdrawal(seen, words):
        return
    yield Violation(
        "No page says that people can stop at any time: none "
        f"of {in_quotes(words.withdrawal)} was found on the information, "
        "consent or instructions page.",
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


def no_retention(seen: StudyEvidence) -> Iterator[Violation]:
    """Participants come from a paid platform, but it is not stated how long data are kept.

    The platform's ids are personal data. Data protection law and ethics boards ask when they are
    deleted.

    Remedy: add `retention` to study.yaml and write `{retention}` on the information page.
    """
    if seen.is_crowd and seen.study.spec.retention is None:
        yield Violation(
            "The study does not say how long data about participants are kept.",
            ("retention",),
            "Add `retention`, such as `retention: {days: 365, delete: [platform-ids]}`, and write "
            "{retention} on the information page.",
        )


def past_retention(seen: StudyEvidence) -> Iterator[Violation]:
    """The day on which data are deleted is in the past.

    Before data collection the date is wrong: it may come from a study that is reproduced.
    Afterwards the data are due for deletion.

    Remedy: correct `retention.until`; for a finished study run `rejudge purge`.
    """
    retention = seen.study.spec.retention
    if retention is None or retention.until is None or seen.today is None:
        return
    if retention.until < seen.today:
        yield Violation(
            f"Data were to be deleted on {retention.until}, which is in the past.",
            ("retention.until",),
            "Give a later date; if the study is over, run `rejudge purge`.",
        )


def unknown_deviations(seen: StudyEvidence) -> Iterator[Violation]:
    """A reason is given for something that is neither a key nor a condition.

    `deviations` explains keys of study.yaml, such as `payment.reward`, and conditions of
    measurement, such as `interface`. Anything else belongs to nothing that a comparison shows.

    Remedy: write the key as it is in study.yaml, or the name of the condition as `compare` has it.
    """
    for key, remedy in unknown_deviation_keys(seen.study):
        yield Violation(
            f"`deviations` explains '{key}', which is neither a key of study.yaml nor a condition.",
            ("deviations", key),
            remedy,
        )


def _has_pages_about_consent(seen: StudyEvidence) -> bool:
    """If both pages are missing, the findings about those are enough."""
    pages = seen.pages
    return any(pages.get(role, "").strip() for role in ("information", "consent"))


def _mentions_withdrawal(seen: StudyEvidence, words: LanguageWords) -> bool:
    roles = ("information", "consent", "instructions")
    return any(has_word(seen.pages.get(role, ""), words.withdrawal) for role in roles)
