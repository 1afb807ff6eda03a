"""The Responsible NLP checklist of ARR, answered with the study's own facts.

The items are those of https://aclrollingreview.org/responsibleNLPresearch/ that a human evaluation
can answer: section D (human participants), B2 and B4–B6 (data), C3 and C4 (statistics). The labels
are ours. What nobody has stated is listed with the key of study.yaml that would state it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from rejudge.english import as_sentence, capital, count, join_words, verb
from rejudge.findings.frame import Frame, Row
from rejudge.layout.latex import escape_latex
from rejudge.layout.table import escape_markdown
from rejudge.report.answer import QuestionOutcome
from rejudge.report.methods import analysis_sentences, recruitment_sentences, sample_in_words
from rejudge.report.people import earned_sentences, pay_sentences, period_words
from rejudge.report.subject import PlannedStudy, Subject

SOURCE: Final = "https://aclrollingreview.org/responsibleNLPresearch/"
_TITLE = "Responsible NLP checklist"
_MOST_ANSWERS = 8  # of one question about participants; more are only counted
_SIMULATED = "Some or all judgments were made by a program, not by people"
_OWN_ACCOUNT = {"exit-question": "by their own account", "platform": "as they told the platform"}


@dataclass(frozen=True, slots=True)
class MissingFact:
    """What an item asks and nobody has stated."""

    what: str
    key: str | None = None  # of study.yaml that would state it; None: it belongs into the paper


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One item: what can be said in the paper, and what is missing."""

    id: str
    label: str
    facts: tuple[str, ...]  # whole sentences
    missing: tuple[MissingFact, ...] = ()

    @property
    def paragraph(self) -> str:
        """The facts, ready to paste."""
        return " ".join(self.facts)


_Answer: TypeAlias = Iterator[str | MissingFact]


def checklist(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> tuple[ChecklistItem, ...]:
    """Every item in the order of the form."""
    answers: tuple[tuple[str, str, Callable[[], _Answer]], ...] = (
        ("B2", "Licences and terms of use", lambda: _licences(subject)),
        ("B4", "Personal information and offensive content", lambda: _personal(subject)),
        ("B5", "What the data cover", lambda: _coverage(subject)),
        ("B6", "Size of the data", lambda: _size(subject)),
        ("C3", "Descriptive statistics", lambda: _statistics(subject, outcomes)),
        ("C4", "Software and its settings", lambda: _software(subject)),
        ("D1", "Instructions and risks to participants", lambda: _instructions(subject)),
        ("D2", "Recruitment and pay", lambda: _recruitment(subject)),
        ("D3", "Consent", lambda: _consent(subject)),
        ("D4", "Ethics review", lambda: _ethics(subject)),
        ("D5", "Who the participants were", lambda: _demographics(subject)),
    )
    return tuple(_item(name, label, answer()) for name, label, answer in answers)


def _item(name: str, label: str, answer: _Answer) -> ChecklistItem:
    said = tuple(answer)
    facts = tuple(as_sentence(" ".join(each.split())) for each in said if isinstance(each, str))
    return ChecklistItem(
        name, label, facts, tuple(each for each in said if isinstance(each, MissingFact))
    )


def _stated(text: str, missing: MissingFact) -> _Answer:
    """What the authors wrote, or that they wrote nothing."""
    yield capital(text.strip()) if text.strip() else missing


# ── data ─────────────────────────────────────────────────────────────────────────────────────────


def _licences(subject: Subject) -> _Answer:
    licence = MissingFact("the licence of the published judgments", "publication.licence")
    terms = MissingFact("the terms of use of the inputs and outputs", "publication.item_terms")
    if subject.designed is None:
        yield from (licence, terms)
        return
    stated = subject.designed.study.spec.publication
    if stated.licence.strip():
        yield f"The data of this evaluation are published under {stated.licence.strip()}"
    else:
        yield licence
    yield from _stated(stated.item_terms, terms)


def _personal(subject: Subject) -> _Answer:
    missing = MissingFact(
        "whether the texts name people or are offensive, and how this was checked",
        "publication.personal_information",
    )
    if subject.designed is None:
        yield MissingFact("whether the table identifies participants")
        yield missing
        return
    yield (
        "Participants are identified by pseudonyms alone; identifiers from recruitment platforms "
        "are not part of the data"
    )
    yield from _stated(subject.designed.study.spec.publication.personal_information, missing)


def _coverage(subject: Subject) -> _Answer:
    criteria = [question.id for question in subject.criteria]
    if subject.designed is None:
        if criteria:
            yield f"The data contain judgments of {join_words(criteria)}"
        yield MissingFact("the languages and domains of the texts")
        return
    study = subject.designed.study
    languages = sorted({item.language or study.spec.language for item in study.items})
    datasets = [name for name in dict.fromkeys(item.dataset for item in study.items) if name]
    yield f"{verb(len(languages), 'Language', 'Languages')} of the texts: {', '.join(languages)}"
    if datasets:
        yield f"They are from {join_words(datasets)}"
    else:
        yield MissingFact("the sources of the items", "items.columns.dataset")
    yield f"The judgments cover {join_words(criteria)}"
    yield from _stated(
        study.spec.publication.intended_use,
        MissingFact("what the data are meant for", "publication.intended_use"),
    )


def _size(subject: Subject) -> _Answer:
    flow = subject.results.flow
    if flow.is_simulated:
        yield _SIMULATED
    if subject.designed is not None:
        study, plan = subject.designed.study, subject.designed.plan
        yield (
            f"{count(len(subject.labels), 'system')} {verb(len(subject.labels), 'was', 'were')} "
            f"judged on {sample_in_words(study, plan)}"
        )
    judged = count(flow.judgments, "judgment")
    by = "" if flow.participants is None else f" by {count(flow.participants, 'participant')}"
    kept = f"{flow.judgments_kept:,} {verb(flow.judgments_kept, 'is', 'are')} analysed"
    yield f"The data contain {judged}{by}, of which {kept}"


# ── statistics ───────────────────────────────────────────────────────────────────────────────────


def _statistics(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> _Answer:
    said = analysis_sentences(subject, outcomes)
    yield from said
    if not said:
        yield MissingFact("any estimate: there are no judgments to analyse")


def _software(subject: Subject) -> _Answer:
    signature = subject.results.signature
    yield (
        f"Judgments were analysed with rejudge {signature.version} (seed {signature.seed}, level "
        f"{signature.level:g}, correction: {signature.correction}); every number carries its "
        "method and settings"
    )
    yield MissingFact("other software that the paper uses, such as metrics, with its settings")


# ── participants ─────────────────────────────────────────────────────────────────────────────────


def _instructions(subject: Subject) -> _Answer:
    risks = MissingFact("risks to participants, and how they were warned", "publication.risks")
    if subject.designed is None:
        yield MissingFact("what participants were told")
        yield risks
        return
    study = subject.designed.study
    shown = [role for role in ("information", "instructions") if study.pages.get(role, "").strip()]
    prompts = [f"“{question.prompt}”" for question in study.spec.questions]
    if shown:
        yield f"The full {_pages_in_words(shown)} given to participants is in Appendix [X]"
    if "instructions" not in shown:
        yield MissingFact("instructions to participants", "pages.instructions")
    yield f"Participants were asked {join_words(prompts)}"
    if study.spec.practice is not None:
        examples = count(len(study.spec.practice.examples), "practice example")
        yield f"They first judged {examples} with feedback"
    yield MissingFact("screenshots of the pages, in the appendix")
    yield from _stated(study.spec.publication.risks, risks)


def _pages_in_words(shown: Sequence[str]) -> str:
    names = {"information": "information letter", "instructions": "instructions"}
    return f"text of the {join_words([names[role] for role in shown])}"


def _recruitment(subject: Subject) -> _Answer:
    adequate = MissingFact(
        "whether the pay is adequate for where participants live", "publication.adequate_pay"
    )
    if subject.designed is None:
        yield MissingFact("how participants were recruited and paid")
        yield adequate
        return
    designed = subject.designed
    spec = designed.study.spec
    yield from recruitment_sentences(spec.recruitment)
    if subject.period:
        yield f"They took part {period_words(subject)}"
    pay = [*pay_sentences(designed.quote)]
    if not subject.results.flow.is_simulated:
        pay += earned_sentences(designed.earned)
    yield from pay
    if not pay:
        rates = "payment" if spec.payment is None else "payment.date"
        yield MissingFact("what participants were paid, and on which day's rates", rates)
    yield from _floor(designed)
    if spec.payment is not None and spec.payment.kind == "paid" and spec.payment.minutes is None:
        yield "The expected duration was estimated from the length of the texts"
    elif spec.payment is not None and spec.payment.minutes is not None:
        yield MissingFact(f"how the expected {spec.payment.minutes:g} minutes were determined")
    if spec.payment is not None and spec.payment.kind == "unpaid":
        return
    yield from _stated(spec.publication.adequate_pay, adequate)


def _floor(designed: PlannedStudy) -> _Answer:
    """A wage that the study itself names; whether it is the right one, people decide."""
    quote = designed.quote
    if quote is None or quote.floor is None:
        return
    floor = quote.floor
    holds = "is below" if quote.is_below_floor else "is not below"
    wage = f"{floor.source} ({quote.currency} {floor.hourly} an hour)"
    yield f"The promised pay per hour {holds} {wage}"


def _consent(subject: Subject) -> _Answer:
    if subject.designed is None:
        yield MissingFact("whether and how participants consented")
        return
    study = subject.designed.study
    if not study.pages.get("consent", "").strip():
        yield MissingFact("what participants consented to", "pages.consent")
        return
    yield "The consent form is in Appendix [X]"
    yield from _decisions(subject)
    statements = study.spec.site.consent_statements
    if statements:
        listed = join_words([f"“{each.text}”" for each in statements])
        yield f"Participants tick each of these statements separately: {listed}"
    yield MissingFact("that the form says how the data are used: check this")


def _decisions(subject: Subject) -> _Answer:
    """Who agreed, where the site recorded it; answers from elsewhere prove nothing."""
    arrivals = {row["step"]: row["people"] for row in subject.results.frame("arrivals").rows}
    if "consented" not in arrivals:
        yield MissingFact(
            "that participants agreed before they began: the site has no record of it"
        )
        return
    yield (
        f"Of {arrivals['came']:,} people who opened the study, {arrivals['consented']:,} agreed to "
        "take part; nothing was collected from the others"
    )


def _ethics(subject: Subject) -> _Answer:
    missing = MissingFact("who approved the study, or why no approval was needed", "ethics")
    if subject.designed is None:
        yield missing
        return
    ethics = subject.designed.study.spec.ethics.strip()
    yield f"Ethics review: {ethics}" if ethics else missing


def _demographics(subject: Subject) -> _Answer:
    parts = tuple(_told_parts(subject.results.frame("profile")))
    yield from map(_answers_in_words, parts)
    designed = subject.designed
    stated = "" if designed is None else designed.study.spec.publication.demographics
    if stated.strip():
        yield capital(stated.strip())
    elif not parts:
        yield MissingFact(
            "age, gender, country and languages of participants, as far as the study needs them",
            "site.exit_questions, or publication.demographics",
        )


def _told_parts(profile: Frame) -> Iterator[Sequence[Row]]:
    """What participants said about themselves; devices and browsers say little about people."""
    own = profile.where(lambda row: row["source"] in _OWN_ACCOUNT)
    yield from (part.rows for part in own.by("about").values())


def _answers_in_words(part: Sequence[Row]) -> str:
    asked = f"“{part[0]['asked'].rstrip()}” ({_OWN_ACCOUNT[part[0]['source']]})"
    answers = [row for row in part if row["answer"] is not None]
    if len(answers) > _MOST_ANSWERS:
        return f"{asked}: {count(len(answers), 'different answer')}"
    told = [f"{row['answer'] or 'not given'} {row['participants']:,}" for row in part]
    return f"{asked}: {', '.join(told)}"


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def checklist_files(items: Sequence[ChecklistItem]) -> dict[str, bytes]:
    """The checklist by the names of its files."""
    return {
        "checklist.md": _to_markdown(items).encode("utf-8"),
        "checklist.tex": _to_latex(items).encode("utf-8"),
    }


_USE = (
    "Paste what you need into the paper, and answer each item of the form with its section. "
    "What the study does not state is listed as missing. Replace [X] with your own number."
)


def _to_markdown(items: Sequence[ChecklistItem]) -> str:
    lines = [f"# {_TITLE}", "", f"{escape_markdown(_USE)} The items are those of <{SOURCE}>.", ""]
    for item in items:
        lines += [f"## {item.id} {item.label}", ""]
        if item.facts:
            lines += [escape_markdown(item.paragraph), ""]
        lines += [f"- Not stated: {_missing_markdown(each)}" for each in item.missing]
        lines += [""] if item.missing else []
    return "\n".join([*lines, *_summary(items)])


def _missing_markdown(missing: MissingFact) -> str:
    where = f"`{missing.key}` in study.yaml" if missing.key else "for the paper itself"
    return f"{missing.what} ({where})."


def _summary(items: Sequence[ChecklistItem]) -> Iterator[str]:
    keys = dict.fromkeys(each.key for item in items for each in item.missing if each.key)
    yield "## What is missing"
    yield ""
    if keys:
        stated = join_words([f"`{key}`" for key in keys])
        yield f"State in study.yaml, and run `rejudge report` again: {stated}."
    else:
        yield "Nothing is missing in study.yaml."
    yield ""


def _to_latex(items: Sequence[ChecklistItem]) -> str:
    lines = [f"% {_TITLE}: {SOURCE}", "% For the appendix. Remove the items that you do not need."]
    for item in items:
        label = escape_latex(f"{item.id} {item.label}.")
        lines += ["", rf"\paragraph{{{label}}}"]
        lines += [escape_latex(item.paragraph)] if item.facts else []
        lines += [rf"\emph{{Not stated: {escape_latex(each.what)}.}}" for each in item.missing]
        lines += [f"% study.yaml: {each.key}" for each in item.missing if each.key]
    return "\n".join(lines) + "\n"
