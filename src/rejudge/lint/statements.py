"""Rules about what pages say in words: rewards, numbers of things, a starter's texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rejudge.english import count
from rejudge.lint.evidence import StudyEvidence, Violation, quoted
from rejudge.lint.page_text import LanguageWords, in_digits, sentences, spoken

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

    Remedy: write `{payment}` and `{wage}` in place of the sentence, or correct `payment`.
    """
    words = spoken(seen.study.spec.language)
    if words is None or seen.study.spec.payment is None:
        return
    for role in ("information", "consent"):
        for sentence in sentences(seen.pages.get(role, "")):
            promised = _promised(seen, words, sentence)
            if promised:
                yield Violation(
                    f"The page promises {promised}, but the study does not: “{sentence}”",
                    (getattr(seen.study.spec.pages, role),),
                    "Write {payment} and {wage} in place of the sentence, or correct `payment`.",
                )


def other_counts(seen: StudyEvidence) -> Iterator[Violation]:
    """A page states wrong numbers of questions, versions, examples or pages.

    English instructions are searched for the number of questions, versions side by side and
    practice examples; the information and instructions pages for the number of pages or tasks, in
    six languages. Reported when a page gives such a number and none of them is right.

    Remedy: correct the number, or write `{tasks}`, `{pages}` or `{duration}` in its place.
    """
    for role, thing, stated, right in _counted(seen):
        if stated and right and not right & {number for number, _ in stated}:
            *others, last = sorted(right)
            has = "".join(f"{number} or " for number in others) + count(last, thing)
            yield Violation(
                f"The page says {quoted(words for _, words in stated)}, but the study has {has}.",
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
                    f"{quoted(kept)}",
                    (getattr(seen.study.spec.pages, role),),
                    "Describe your own texts. If the sentence is correct, leave it.",
                )
                break


def _promised(seen: StudyEvidence, words: LanguageWords, sentence: str) -> str | None:
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


def _counted(
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
            yield "instructions", thing, _found(mark, text["instructions"]), right[thing]
    if "tasks" in values:
        tasks, batches, pages = (int(values[name]) for name in ("tasks", "batches", "pages"))
        sizes = {len(batch.tasks) for batch in seen.plan.batches} if seen.plan else set()
        known = {tasks, pages, tasks * batches, *sizes}
        for role, page in text.items():
            yield role, "task", _found(_PAGES, page), known


def _side_by_side(seen: StudyEvidence) -> set[int]:
    """How many versions a page shows; a reference may be called one too."""
    sizes = set()
    for question in seen.study.spec.questions:
        shown = question.shows(len(seen.study.system_ids))
        sizes |= {shown, shown + 1} if "reference" in question.beside else {shown}
    return sizes


def _found(mark: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    return [(int(hit[1]), hit[0]) for hit in mark.finditer(text)]


def _plain(page: str) -> str:
    """A page on one line, without emphasis, with numbers as digits."""
    return in_digits(" ".join(page.replace("*", "").split()))
