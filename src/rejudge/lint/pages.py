"""Rules about pages that contradict study.yaml, often left over from another study."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejudge.lint.evidence import StudyEvidence, Violation, abridge, in_quotes
from rejudge.lint.page_text import language_words
from rejudge.study.model import PLACEHOLDERS, placeholders

_LETTERS = ("information", "consent")  # where time and pay are stated; elsewhere they are examples
_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_EXAMPLE_DOMAIN = re.compile(r"(?i)@(.*\.)?(example\.(org|com|net)|example|invalid|test)$")
_MINUTES = re.compile(
    r"\d+[\s-]*(?:min(?:s|ut\w*)?\b|分钟|分鐘|分間|دقيقة|دقائق|минут\w*|хвилин\w*)", re.IGNORECASE
)
_SIGN = r"(?:US\$|CA\$|[£€$¥￥₹₩]|\b(?:AUD|CAD|CHF|CNY|EUR|GBP|INR|JPY|USD)\b)"
_MONEY = re.compile(rf"{_SIGN}\s?\d(?:[\d.,]*\d)?|\d(?:[\d.,]*\d)?\s?{_SIGN}")


def unfilled_placeholders(seen: StudyEvidence) -> Iterator[Violation]:
    """A page has a placeholder that is unknown or has no value.

    `{minutes}`, `{contact}` and others are replaced by what study.yaml and the plan say, so that
    pages cannot contradict them. An unknown name is shown to participants as it is. A known one has
    no value if study.yaml says nothing about it (`{contact}` without `contact`), or if rejudge has
    no such sentence in the study's language.

    Remedy: correct the name, or add the missing key. Write `{{name}}` to show braces.
    """
    for role, text in seen.study.shown_pages.items():
        names = tuple(dict.fromkeys(placeholders(text)))
        path = getattr(seen.study.spec.pages, role)
        unknown = [f"{{{name}}}" for name in names if name not in PLACEHOLDERS]
        if unknown:
            known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            yield Violation(
                f"Unknown: {abridge(unknown)}.",
                (path,),
                f"The placeholders are {known}. To show braces, write {{{unknown[0]}}}.",
            )
        for name in names:
            if name in PLACEHOLDERS and name not in seen.page_values and seen.plan is not None:
                yield Violation(f"{{{name}}} has no value.", (path,), _remedy(seen, name))


def written_by_hand(seen: StudyEvidence) -> Iterator[Violation]:
    """A page says in its own words what a placeholder provides.

    A time, an amount of money or an address that somebody typed stays as it is when the study
    changes, or when the page is copied from another study. The information and consent pages are
    searched for minutes and for amounts with a currency; all pages for the name and address of the
    contact, and for addresses at example.org and similar domains.

    Remedy: write `{minutes}`, `{reward}`, `{contact}` or `{email}` instead.
    """
    for role, text in seen.study.shown_pages.items():
        typed = list(_typed(seen, role, text))
        if typed:
            names = dict.fromkeys(name for _, name in typed)
            yield Violation(
                f"The page says {in_quotes(dict.fromkeys(words for words, _ in typed))} in its "
                "own words.",
                (getattr(seen.study.spec.pages, role),),
                f"Write {' or '.join(names)} instead, which follows the study.",
            )


def _typed(seen: StudyEvidence, role: str, text: str) -> Iterator[tuple[str, str]]:
    """What somebody typed on a page, and the placeholder that provides it."""
    if role in _LETTERS:
        yield from ((found[0], "{minutes}") for found in _MINUTES.finditer(text))
        yield from ((found[0], "{reward}") for found in _MONEY.finditer(text))
    contact = seen.study.spec.contact
    if contact is not None:
        if contact.name in text:
            yield contact.name, "{contact}"
        for found in _EMAIL.finditer(text):
            address = found[0].rstrip(".")
            if address.lower() == contact.email.lower() or _EXAMPLE_DOMAIN.search(address):
                yield address, "{email}"


def example_contact(seen: StudyEvidence) -> Iterator[Violation]:
    """The contact is an example address that nobody reads.

    Addresses at example.org and similar domains reach nobody (RFC 2606). Starters have one, so
    that a study can be tried out.

    Remedy: put a person's name and address into `contact`.
    """
    contact = seen.study.spec.contact
    if contact is not None and _EXAMPLE_DOMAIN.search(contact.email):
        yield Violation(
            f"Participants are asked to write to {contact.email}, which nobody reads.",
            ("contact.email",),
            "Put a real name and address into `contact` before data collection.",
        )


def template_text(seen: StudyEvidence) -> Iterator[Violation]:
    """A page is copied unchanged from a starter, but the items are different.

    The starter describes its own texts (news reports, definitions, dialogues). Participants would
    read about texts that they do not see.

    Remedy: describe your own texts and what you want to know about them.
    """
    texts = {item.input for item in seen.study.items}
    for role in ("information", "instructions"):
        page = seen.study.pages.get(role, "")
        for template in seen.templates:
            is_same = template.role == role and page.split() == template.text.split()
            if is_same and page.strip() and not texts & template.inputs:
                yield Violation(
                    f"The page is copied unchanged from the starter {template.starter}, but the "
                    "items are different.",
                    (getattr(seen.study.spec.pages, role),),
                    "Describe your own texts and what you want to know about them.",
                )
                break


def _remedy(seen: StudyEvidence, name: str) -> str:
    spec = seen.study.spec
    if name in {"contact", "email"} or (name == "withdrawal" and spec.contact is None):
        return "Add `contact: {name: …, email: …}` to study.yaml."
    if name == "ethics":
        return "State in `ethics` who approved the study."
    if name == "payment" and spec.payment is None:
        return "Say under `payment` what people get, such as `payment: {kind: unpaid}`."
    if name in {"reward", "hourly", "earnings"}:
        return "Say under `payment` how much people get; for unpaid work write {payment}."
    if language_words(spec.language) is None:
        return f"rejudge has no such sentence in '{spec.language}'. Write it yourself."
    return "First fix what `rejudge check` reports about the plan and the price."
