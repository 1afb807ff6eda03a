"""Rules about the treatment of participants: what pages must say, promises, and retention."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejudge.english import count
from rejudge.lint.evidence import StudyEvidence, Violation, in_quotes
from rejudge.lint.page_text import LanguageWords, has_word, in_digits, language_words, sentences

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


def _has_pages_about_consent(seen: StudyEvidence) -> bool:
    """If both pages are missing, the findings about those are enough."""
    pages = seen.pages
    return any(pages.get(role, "").strip() for role in ("information", "consent"))


def _mentions_withdrawal(seen: StudyEvidence, words: LanguageWords) -> bool:
    roles = ("information", "consent", "instructions")
    return any(has_word(seen.pages.get(role, ""), words.withdrawal) for role in roles)


_NUMBER = r"(?<![\d.,–-])(\d{1,4})(?![.,–-]?\d)"
_THINGS = {
    "question": re.compile(rf"{_NUMBER} (questions|respects|criteria|aspects)\b"),
    "version": re.compile(
        rf"{_NUMBER} (versions?|outputs?|rewritings?|paraphrases?|candidates?|summaries|"
        r"translations|responses|definitions)\b"
    ),
    "practice example": re.compile(rf"{_NUMBER} (?:practice )?examples?\b"),
}
_PAGES = re.compile(
    rf"{_NUMBER} ?(pages?\b|tasks?\b|Seiten?\b|Aufgaben?\b|pagina(?:[’']s)?\b|taken\b|páginas?\b|"
    r"tareas?\b|页)",
    re.IGNORECASE,
)


def other_reward(seen: StudyEvidence) -> Iterator[Violation]:
    """A page promises a different kind of reward from what the study gives.

    The information and consent pages are searched for a living or minimum wage, vouchers, course
    credit and pay. Reported when `payment` names no such wage or the pay is below it, when people
    get a different kind of reward, and when they get none.

    Remedy: write `{payment}` and `{wage}` instead of the sentence, or correct `payment`.
    """
    words = language_words(seen.study.spec.language)
    if words is None or seen.study.spec.payment is None:
        return
    for role in ("information", "consent"):
        for sentence in sentences(seen.pages.get(role, "")):
            promised = _false_promise(seen, words, sentence)
            if promised:
                yield Violation(
                    f"The page promises {promised}, but the study does not: “{sentence}”",
                    (getattr(seen.study.spec.pages, role),),
                    "Write {payment} and {wage} instead of the sentence, or correct `payment`.",
                )


def other_counts(seen: StudyEvidence) -> Iterator[Violation]:
    """A page states wrong numbers of questions, versions, examples or pages.

    English instructions are searched for the number of questions, versions side by side and
    practice examples; the information and instructions pages for the number of pages or tasks, in
    six languages. Reported when a page gives such a number and none of them is right.

    Remedy: correct the number, or write `{tasks}`, `{pages}` or `{duration}` in its place.
    """
    for role, thing, stated, right in _stated_counts(seen):
        if stated and right and not right & {number for number, _ in stated}:
            *others, last = sorted(right)
            has = "".join(f"{number} or " for number in others) + count(last, thing)
            yield Violation(
                f"The page says {in_quotes(words for _, words in stated)}, but the study has "
                f"{has}.",
                (getattr(seen.study.spec.pages, role),),
                "Correct the number. {tasks}, {pages} and {duration} follow the study.",
            )


def starter_sentences(seen: StudyEvidence) -> Iterator[Violation]:
    """A page keeps sentences about a starter's texts, but the items are different.

    The page was changed in part and still has whole sentences of a starter about its own texts
    (news reports, definitions, dialogues).

    Remedy: describe your own texts. If the sentence is correct, leave it.
    """
    inputs = {item.input for item in seen.study.items}
    for role in ("information", "instructions"):
        page = seen.study.pages.get(role, "")
        own = dict.fromkeys(sentences(page))
        for template in seen.templates:
            if template.role != role or not template.subject or inputs & template.inputs:
                continue
            about = re.compile(template.subject, re.IGNORECASE)
            kept = [each for each in sentences(template.text) if about.search(each) and each in own]
            if kept and page.split() != template.text.split():  # all of it: template-text
                yield Violation(
                    f"The page still describes the texts of the starter {template.starter}: "
                    f"{in_quotes(kept)}",
                    (getattr(seen.study.spec.pages, role),),
                    "Describe your own texts. If the sentence is correct, leave it.",
                )
                break


def _false_promise(seen: StudyEvidence, words: LanguageWords, sentence: str) -> str | None:
    """What a sentence promises but the study does not give."""
    payment, quote = seen.study.spec.payment, seen.quote
    if payment is None:
        return None
    names_wage = payment.living_wage or payment.minimum_wage
    is_below = quote is not None and quote.is_below_floor
    is_money = payment.kind in {"paid", "voucher"}
    if words.wage.search(sentence) and (not is_money or not names_wage or is_below):
        return "a wage"
    if words.voucher.search(sentence) and payment.kind != "voucher":
        return "a voucher"
    if words.credit.search(sentence) and payment.kind != "credit":
        return "course credit"
    if words.pay.search(sentence) and not is_money and not words.no_pay.search(sentence):
        return "pay"
    return None


def _stated_counts(
    seen: StudyEvidence,
) -> Iterator[tuple[str, str, list[tuple[int, str]], set[int]]]:
    """Page, thing, the numbers that the page gives with their words, and the right numbers."""
    spec, values = seen.study.spec, seen.page_values
    text = {role: _plain(seen.pages.get(role, "")) for role in ("information", "instructions")}
    if spec.language.partition("-")[0] == "en":
        examples = {len(spec.practice.examples)} if spec.practice else set()
        right = {
            "question": {len(spec.questions)},
            "version": _side_by_side(seen),
            "practice example": examples,
        }
        for thing, mark in _THINGS.items():
            yield "instructions", thing, _find_marks(mark, text["instructions"]), right[thing]
    if "tasks" in values:
        tasks, batches, pages = (int(values[name]) for name in ("tasks", "batches", "pages"))
        sizes = {len(batch.tasks) for batch in seen.plan.batches} if seen.plan else set()
        known = {tasks, pages, tasks * batches, *sizes}
        for role, page in text.items():
            yield role, "task", _find_marks(_PAGES, page), known


def _side_by_side(seen: StudyEvidence) -> set[int]:
    """How many versions a page shows; a reference may be called one too."""
    sizes = set()
    for question in seen.study.spec.questions:
        shown = question.shows(len(seen.study.system_ids))
        sizes |= {shown, shown + 1} if "reference" in question.beside else {shown}
    return sizes


def _find_marks(mark: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    return [(int(hit[1]), hit[0]) for hit in mark.finditer(text)]


def _plain(page: str) -> str:
    """A page on one line, without emphasis, with numbers as digits."""
    return in_digits(" ".join(page.replace("*", "").split()))
