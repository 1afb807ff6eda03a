"""Rules about what participants must be told before they begin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejudge.lint.evidence import Evidence, Found
from rejudge.lint.phrasing import quoted
from rejudge.lint.words import Words, has_word, spoken

_EMAIL = re.compile(r"[^\s@<>()\[\]]+@[^\s@<>()\[\]]+\.[^\s@<>()\[\].,;]{2,}")


def no_consent(seen: Evidence) -> Iterator[Found]:
    """There is no consent page, or it does not ask for consent.

    Without consent nothing may be collected. The page is searched for words of consent in the
    study's language (English, German, Dutch, Spanish, Chinese and Arabic are known; in other
    languages only the page itself is looked for).

    Remedy: write `pages/consent.md`: what people agree to, in the first person.
    """
    page = seen.pages.get("consent", "")
    words = spoken(seen.study.spec.language)
    path = seen.study.spec.pages.consent
    if not page.strip():
        yield Found(
            "There is no consent page.",
            (path,),
            f"Write {path}: what people agree to by taking part.",
        )
    elif words and not has_word(page, words.consent):
        yield Found(
            "The consent page does not ask for consent: none of "
            f"{quoted(words.consent)} was found.",
            (path,),
            "Add a sentence in which people say that they agree to take part.",
        )


def no_contact(seen: Evidence) -> Iterator[Found]:
    """Participants find nobody to ask.

    Neither `contact` in study.yaml nor an e-mail address on the information or consent page.

    Remedy: add `contact` with a name and an address that is read.
    """
    pages = seen.pages
    told = pages.get("information", "") + "\n" + pages.get("consent", "")
    if seen.study.spec.contact is None and not _EMAIL.search(told):
        yield Found(
            "No contact is given: neither `contact` in study.yaml nor an address on the "
            "information or consent page.",
            ("contact",),
            "Add `contact: {name: …, email: …}` to study.yaml.",
        )


def no_withdrawal(seen: Evidence) -> Iterator[Found]:
    """Participants are not told that they can stop.

    The right to stop at any time without giving a reason belongs to consent. Information, consent
    and instructions are searched for words of withdrawal in the study's language (English, German,
    Dutch, Spanish, Chinese and Arabic are known; other languages are not looked at).

    Remedy: add a sentence such as “You can stop at any time, without giving a reason”.
    """
    words = spoken(seen.study.spec.language)
    if words is None or not _is_told_anything(seen) or _tells_of_withdrawal(seen, words):
        return
    yield Found(
        "No page says that people can stop at any time: none of "
        f"{quoted(words.withdrawal)} was found on the information, consent or instructions page.",
        (seen.study.spec.pages.consent,),
        "Add a sentence such as “You can stop at any time, without giving a reason”.",
    )


def no_information(seen: Evidence) -> Iterator[Found]:
    """There is no information letter.

    Consent is informed only if people know who asks, what for, what happens with their answers,
    how long it takes and what they get.

    Remedy: write `pages/information.md`.
    """
    path = seen.study.spec.pages.information
    if not seen.pages.get("information", "").strip():
        yield Found(
            "There is no information letter.",
            (path,),
            f"Write {path}: who asks, what for, what happens with the answers, time and pay.",
        )


def no_instructions(seen: Evidence) -> Iterator[Found]:
    """There are no instructions.

    A criterion such as fluency is understood in many ways. A published study of definitions asked
    for fluency without defining it, the examples it had shown were lost, and its reproduction
    found people who used the scale very differently.

    Remedy: write `pages/instructions.md`: what is shown, what is asked, what the words mean.
    """
    path = seen.study.spec.pages.instructions
    if not seen.pages.get("instructions", "").strip():
        yield Found(
            "There is no page with instructions.",
            (path,),
            f"Write {path}: what is shown, what is asked, what each criterion means.",
        )


def no_approval(seen: Evidence) -> Iterator[Found]:
    """Strangers are paid to take part, and no ethics approval is named.

    Journals, conferences and datasheets ask for it. Only looked at on crowd platforms.

    Remedy: write into `ethics` who approved the study and under which number, or why none is
    needed.
    """
    spec = seen.study.spec
    if seen.is_crowd and not spec.ethics.strip():
        yield Found(
            "No ethics approval is named.",
            ("ethics",),
            "Write into `ethics` who approved the study and its number, or why none is needed.",
        )


def _is_told_anything(seen: Evidence) -> bool:
    """Where neither page is there, the findings about those say enough."""
    pages = seen.pages
    return any(pages.get(role, "").strip() for role in ("information", "consent"))


def _tells_of_withdrawal(seen: Evidence, words: Words) -> bool:
    roles = ("information", "consent", "instructions")
    return any(has_word(seen.pages.get(role, ""), words.withdrawal) for role in roles)
