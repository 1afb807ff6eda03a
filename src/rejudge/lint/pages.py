"""Rules about pages that contradict study.yaml, often left over from another study.

Pages are read as participants see them, with every placeholder filled. Numbers and addresses are
found in any language; words in English, German, Dutch, Spanish, Chinese and Arabic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejudge.design.pages import batches_of
from rejudge.lint.evidence import StudyEvidence, Violation, abridge, in_quotes
from rejudge.lint.page_text import (
    Amount,
    amounts,
    has_word,
    language_words,
    scales,
    sentences,
    stated_minutes,
)
from rejudge.study.kinds.registry import KINDS
from rejudge.study.model import PLACEHOLDERS, placeholders
from rejudge.study.parse import ROLES

_LETTERS = ("information", "consent")  # where time and pay are stated; elsewhere they are examples
_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_EXAMPLE_DOMAIN = re.compile(r"(?i)@(.*\.)?(example\.(org|com|net)|example|invalid|test)$")
_NEAR = 0.2  # of the stated minutes: “about 10” for 9 or 11
_NEAR_ESTIMATE = 0.5  # an estimate is less precise
_NEAR_MINUTES = 1.0
_CENT = 0.011  # amounts per hour are rounded


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


def other_minutes(seen: StudyEvidence) -> Iterator[Violation]:
    """A page states a different duration from the study's.

    The information and consent pages are searched for minutes and hours, in any language. Reported
    when a page states a time and none of the times on it is the study's: per batch or in total,
    within 20 % of `payment.minutes`, or within half of the estimate where no minutes are given.
    Deadlines (“within 24 hours”) and breaks are ignored.

    Remedy: write `{minutes}` or `{duration}` instead of the number, or correct
    `payment.minutes`.
    """
    expected = _expected_minutes(seen)
    if not expected:
        return
    payment = seen.study.spec.payment
    near = _NEAR if payment and payment.minutes else _NEAR_ESTIMATE
    for role in _LETTERS:
        found = stated_minutes(seen.pages.get(role, ""))
        fits = any(
            low - max(_NEAR_MINUTES, near * e) <= e <= high + max(_NEAR_MINUTES, near * e)
            for low, high, _ in found
            for e in expected
        )
        if found and not fits:
            yield Violation(
                f"The page says {in_quotes(words for _, _, words in found)}, but the study takes "
                f"about {expected[0]:g} minutes.",
                (getattr(seen.study.spec.pages, role),),
                "Write {minutes} or {duration} instead of the number, or correct "
                "`payment.minutes`.",
            )


def other_pay(seen: StudyEvidence) -> Iterator[Violation]:
    """A page states a different amount from what the study pays.

    What a page promises has to be paid, and the reward often changes late. The information and
    consent pages are searched for amounts of money with a currency. Reported
    when a page states amounts and none of them is what people get: per batch, in total, or per
    hour. An amount on the page of an unpaid study is reported too.

    Remedy: write `{reward}` or `{payment}` instead of the amount, or correct `payment`.
    """
    known = _expected_amounts(seen)
    if known is None:
        return
    for role in _LETTERS:
        found = amounts(seen.pages.get(role, ""))
        if found and not any(_is_among(amount, known) for amount in found):
            pays = "but the study pays no money"
            if known and seen.quote is not None:
                paid, currency = seen.quote, seen.quote.currency
                pays = f"but the study pays {currency} {paid.reward} ({currency} "
                pays += f"{paid.effective_hourly} an hour)"
            yield Violation(
                f"The page says {in_quotes(amount.words for amount in found)}, {pays}.",
                (getattr(seen.study.spec.pages, role),),
                "Write {reward} or {payment} instead of the amount, or correct `payment`.",
            )


def other_contact(seen: StudyEvidence) -> Iterator[Violation]:
    """A page gives a different address from `contact` in study.yaml.

    People who want to ask or to withdraw write to the address they read. Reported when a page
    names an address of an example domain that is not the contact's, or when
    pages name addresses and none of them is the contact's. Further addresses, such as that of an
    ethics board, are fine in addition to the contact's.

    Remedy: write `{contact}` or `{email}` instead of the address.
    """
    contact = seen.study.spec.contact
    if contact is None:
        return
    own = contact.email.lower()
    found = {role: _addresses(seen.pages.get(role, "")) for role in ROLES}
    is_named = any(own in addresses for addresses in found.values())
    for role, addresses in found.items():
        strange = [
            address
            for address in addresses
            if address != own and (not is_named or _EXAMPLE_DOMAIN.search(address))
        ]
        if strange:
            yield Violation(
                f"The page names {in_quotes(strange)}, but the contact of the study is {own}.",
                (getattr(seen.study.spec.pages, role),),
                "Write {contact} or {email} instead of the address, or correct `contact`.",
            )


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


def absent_practice(seen: StudyEvidence) -> Iterator[Violation]:
    """A page announces practice, but the study has none.

    People wait for examples that never come, and mistake the first real tasks for them.

    Remedy: write `{practice}` instead of the sentence (it is empty without practice), or add
    `practice`.
    """
    words = language_words(seen.study.spec.language)
    if words is None or seen.study.spec.practice is not None:
        return
    for role, sentence in _sentences_with(seen, words.practice):
        yield Violation(
            f"The page announces practice, but the study has none: “{sentence}”",
            (getattr(seen.study.spec.pages, role),),
            "Write {practice} instead of the sentence, or add `practice` to study.yaml.",
        )


def unmentioned_practice(seen: StudyEvidence) -> Iterator[Violation]:
    """The study has practice, but no page mentions it.

    People are told when the practice begins, so this is not an error; but people who know that
    nothing counts yet try more freely.

    Remedy: add `{practice}` to the instructions.
    """
    words = language_words(seen.study.spec.language)
    if words is None or seen.study.spec.practice is None or not seen.pages.get("instructions"):
        return
    if not any(_sentences_with(seen, words.practice)):
        yield Violation(
            "The study has practice examples, but no page mentions them.",
            (seen.study.spec.pages.instructions,),
            "Add {practice} to the instructions.",
        )


def absent_tie(seen: StudyEvidence) -> Iterator[Violation]:
    """A page offers “about the same”, but no question lets people choose it.

    People look for a button that is not there. Found where the words of the button are quoted.

    Remedy: write `{ties}` instead of the sentence (it is empty where there is no tie), or set
    `tie: true`.
    """
    words = language_words(seen.study.spec.language)
    if words is None or any(question.allows_tie for question in seen.study.spec.questions):
        return
    for role, sentence in _sentences_with(seen, words.tie):
        yield Violation(
            f"The page offers a tie, but no question has one: “{sentence}”",
            (getattr(seen.study.spec.pages, role),),
            "Write {ties} instead of the sentence, or set `tie: true` for a pairwise question.",
        )


def other_task(seen: StudyEvidence) -> Iterator[Violation]:
    """The instructions describe a different kind of task from the study's.

    English instructions are searched for phrases that belong to one kind of question: “the slider”,
    “two versions, A and B”, “put them in order”, “sentence by sentence”. Reported when there are
    phrases of another kind and none of the study's own.

    Remedy: describe what people see and do in this study.
    """
    if seen.study.spec.language.partition("-")[0] != "en":
        return
    text = " ".join(seen.pages.get("instructions", "").split())
    asked = {question.kind for question in seen.study.spec.questions}
    found = {kind: hit[0] for kind, mark in _marks_of_kinds() if (hit := mark.search(text))}
    if found and not asked & found.keys():
        kinds = abridge([f"{kind} (“{words}”)" for kind, words in found.items()])
        yield Violation(
            f"The instructions describe {kinds}, but the study asks {abridge(sorted(asked))}.",
            (seen.study.spec.pages.instructions,),
            "Describe what people see and do in this study.",
        )


def other_scale(seen: StudyEvidence) -> Iterator[Violation]:
    """The instructions name a different scale from the questions'.

    People who read “1 is best” for a scale of seven points use it in different ways. Ranges such
    as “from 1 to 5” or “0–100” are found in any language. Reported when the
    instructions name ranges and none of them belongs to a question.

    Remedy: correct the numbers, on the page or in study.yaml.
    """
    found = scales(seen.pages.get("instructions", ""))
    own = {question.bounds for question in seen.study.spec.questions if question.bounds is not None}
    if found and own and not own & {(low, high) for low, high, _ in found}:
        ranges = abridge([f"{low:g} to {high:g}" for low, high in sorted(own)])
        yield Violation(
            f"The instructions name {in_quotes(words for _, _, words in found)}, but the answers "
            f"range from {ranges}.",
            (seen.study.spec.pages.instructions,),
            "Correct the numbers, on the page or in study.yaml.",
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


def shared_code(seen: StudyEvidence) -> Iterator[Violation]:
    """A page asks people to withdraw with the completion code.

    The code on the last page is the same for everybody: it proves to the platform that somebody
    finished, but not who. The receipt code on the same page identifies the person.

    Remedy: write `{withdrawal}`, or ask for the receipt code.
    """
    words = language_words(seen.study.spec.language)
    if words is None:
        return
    for role in ROLES:
        for sentence in sentences(seen.pages.get(role, "")):
            if has_word(sentence, words.withdrawal) and words.code.search(sentence):
                yield Violation(
                    "The page asks people who withdraw for the code, but the code is the same "
                    f"for everybody: “{sentence}”",
                    (getattr(seen.study.spec.pages, role),),
                    "Write {withdrawal}, or ask for the receipt code.",
                )


def _marks_of_kinds() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Phrases by which English instructions describe one kind of question."""
    for name, kind in KINDS.items():
        if kind.described_by is not None:
            yield name, kind.described_by


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


def _expected_minutes(seen: StudyEvidence) -> list[float]:
    """Minutes per batch and in total, where they are known."""
    values = seen.page_values
    if "minutes" in values:
        expected = [float(values["minutes"]), float(values["total"])]
        if seen.plan is not None and seen.duration is not None and seen.duration.calibration:
            expected.append(expected[1] - expected[0] * batches_of(seen.plan))
        return [each for each in expected if each > 0]
    payment = seen.study.spec.payment
    if payment is None or payment.minutes is None:
        return []
    return [payment.minutes, payment.minutes * seen.study.spec.design.batches_per_participant]


def _expected_amounts(seen: StudyEvidence) -> list[Amount] | None:
    """All amounts that may be stated as pay; None if unknown."""
    payment, quote = seen.study.spec.payment, seen.quote
    if payment is None or payment.kind in ("credit", "unpaid"):
        return [] if payment is not None else None
    if quote is None or quote.reward is None:
        return None
    everything = quote.reward * quote.work.rewards_per_participant
    extra = quote.calibration_reward
    paid = [quote.reward, everything, everything + (extra or 0), extra, quote.effective_hourly]
    paid += [floor.hourly for floor in quote.floors]
    found = [Amount(float(each), payment.currency) for each in paid if each is not None]
    found += [Amount(float(f.wage.hourly), f.wage.currency) for f in quote.floors if f.wage]
    return found


def _is_among(stated: Amount, known: list[Amount]) -> bool:
    if stated.value == 0:
        return not known
    return any(
        abs(stated.value - each.value) < _CENT and each.currency in stated.currencies
        for each in known
    )


def _addresses(text: str) -> list[str]:
    return list(dict.fromkeys(found[0].rstrip(".").lower() for found in _EMAIL.finditer(text)))


def _sentences_with(seen: StudyEvidence, mark: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    for role in ("information", "consent", "instructions"):
        for sentence in sentences(seen.pages.get(role, "")):
            if mark.search(sentence):
                yield role, sentence
