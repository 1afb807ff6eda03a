"""What a study answers to the questions of the datasheet: one function for each question.

    @answers("3.2.3")
    def recruitment(known: KnownStudy) -> Given | None: ...

Numbers of questions and options are those of version 3.0. A function about a criterion (section 4)
also receives the question of the study. None leaves the answer to people: what a study does not
know is never guessed, and what people saw or could do depends on the channel that they answered by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from rejudge.channels import Ask
from rejudge.collect.assignment import lease
from rejudge.design.duration import text_length, workload
from rejudge.design.stages import stages_of
from rejudge.english import as_sentence, capital, count, join_words, span
from rejudge.files.step_files import POWER
from rejudge.findings.frame import Frame
from rejudge.findings.model import EffectSize, Finding
from rejudge.heds.facts import PROFILE, KnownStudy, named_options
from rejudge.heds.schema import language_option, schema
from rejudge.heds.sheet import SheetAnswer
from rejudge.judgments.exclusions import rules_of, stated_rules
from rejudge.layout.numbers import level_text, number, range_text
from rejudge.platforms import platform
from rejudge.report.conditions import planned_exclusions
from rejudge.report.methods import (
    check_sentences,
    exclusion_sentences,
    recruitment_sentences,
    sample_in_words,
    simulation_sentence,
)
from rejudge.report.people import earned_sentences, pay_sentences, period_words
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.study.kinds.question import Question
from rejudge.study.methods import USUAL_AGREEMENT
from rejudge.tables.looks import stop_sentence
from rejudge.tables.power import power_method, power_value
from rejudge.tables.wording import (
    NOUNS,
    TEST_NAMES,
    coefficient,
    name_of_coefficient,
    shared_method,
)
from rejudge.version import __version__

_STUDY: Final = "study.yaml"
_SMALLEST: Final = 5  # participants; smaller groups are not distinguished
_PAIR: Final = 2
_PAGES: Final = ("information", "consent", "instructions")
_AGREES: Final = re.compile(r"\b(dis)?agree", re.IGNORECASE)
_STANDINGS: Final = ("mean", "share", "win-percent", "best-worst-score")
_SELF: Final = "self-consistency"


@dataclass(frozen=True, slots=True)
class Given:
    """An answer, and where the study says it."""

    answer: SheetAnswer
    source: str


ANSWERS: Final[dict[str, Callable[..., Given | None]]] = {}
F = TypeVar("F", bound=Callable[..., Given | None])


def answers(number_: str) -> Callable[[F], F]:
    """Register a function as the one that answers a question of the sheet."""

    def register(function: F) -> F:
        ANSWERS[number_] = function
        return function

    return register


def _text(text: str, source: str) -> Given:
    return Given(SheetAnswer(text), source)


def _choice(source: str, *options: int, text: str = "") -> Given:
    return Given(SheetAnswer(text, options), source)


def _absent(source: str) -> Given:
    return Given(SheetAnswer(is_absent=True), source)


def _profile(key: str) -> str:
    return f"{PROFILE}, {key}"


def _sentences(sentences: Iterable[str]) -> str:
    return " ".join(as_sentence(sentence) for sentence in sentences)


# 1. The paper, its resources, and people to ask


@answers("1.1.1")
def reference(known: KnownStudy) -> Given | None:
    """Where the study is described."""
    stated = known.profile.reference
    if stated is None:
        return None
    option = {"paper": 1, "unpublished": 2, "preregistration": 3}[stated.kind]
    return _choice(_profile("reference"), option, text=stated.url)


@answers("1.2")
def resources(known: KnownStudy) -> Given | None:
    """Links to data and code."""
    stated = known.profile.resources
    if stated is None or not stated:
        return None
    if stated == "none":
        return _choice(_profile("resources"), 2)
    return _choice(_profile("resources"), 1, text="\n".join(stated))


def _add_person(section: str, place: int, field: str) -> None:
    """One field of the person who completes the sheet (1.3.1), or of the contact (1.3.2)."""

    @answers(f"{section}.{place}")
    def person(known: KnownStudy) -> Given | None:
        who, source = known.profile.completed_by, _profile("completed_by")
        if section == "1.3.2":
            who, source = known.contact
        said = getattr(who, field, None)
        return _text(said, source) if said else None


for _section in ("1.3.1", "1.3.2"):
    for _place, _field in enumerate(("name", "affiliation", "email"), start=1):
        _add_person(_section, _place, _field)


# 2. The systems


def _add_names(number_: str, key: str) -> None:
    """What the systems take, give and do, by the names of the form."""

    @answers(number_)
    def names(known: KnownStudy) -> Given | None:
        stated = getattr(known.profile, key)
        if not stated:
            return None
        keys, other = named_options(schema("3.0").question(number_), stated)
        return _choice(_profile(key), *keys, text=other)


_add_names("2.1", "input_types")
_add_names("2.2", "output_types")
_add_names("2.3", "tasks")


@answers("2.4")
def input_languages(known: KnownStudy) -> Given | None:
    """In which languages inputs are, if there are any."""
    if known.items and not any(item.input.strip() for item in known.items):
        return _absent("items, languages")
    return _languages(known, "2.4")


@answers("2.5")
def output_languages(known: KnownStudy) -> Given | None:
    """In which languages outputs are."""
    return _languages(known, "2.5")


def _languages(known: KnownStudy, number_: str) -> Given | None:
    question = schema("3.0").question(number_)
    tags = dict.fromkeys(item.language for item in known.items)
    options = [language_option(question, tag) for tag in tags]
    keys = {option.key for option in options if option is not None}
    if not keys or None in options:
        return None
    return _choice("items, languages", *sorted(keys))


# 3.1 The sample


@answers("3.1.1")
def sample_size(known: KnownStudy) -> Given | None:
    """How many outputs of each system were judged."""
    counts = known.items_by_system
    labels = {system.id: system.label for system in known.study.spec.systems}
    few, many = min(counts.values()), max(counts.values())
    text = str(many)
    if few < many:
        each = join_words([f"{labels[system]} {size:,}" for system, size in counts.items()])
        text = f"{few} to {many}, not the same for each system: {each}."
    return _text(text, "judgments" if known.kept is not None else "plan")


@answers("3.1.2")
def sample_selection(known: KnownStudy) -> Given | None:
    """How the inputs were chosen; None where they were chosen before the study."""
    source = f"{_STUDY}, items, sample"
    sample, selection = known.study.spec.items.sample, known.plan.selection
    other = {
        "weighted": "The probability of each is recorded in the plan.",
        "listed": "Describe the criteria by which they were chosen.",
    }
    if selection is not None and selection.method in other:
        how = selection.describe(known.study.spec.items.file)
        return _choice(source, 6, text=f"{how} {other[selection.method]}")
    if sample is None:
        return None
    if sample.method is not None:
        return _choice(source, 2 if sample.method == "stratified" else 1)
    inputs = {item.group for item in known.study.items}
    if sample.inputs is None or sample.inputs >= len(inputs):
        return None
    datasets = {item.dataset for item in known.study.items}
    return _choice(source, 2 if sample.balance and len(datasets) > 1 else 1)


_NO_POWER: Final = "No power analysis is recorded for this study."


@answers("3.1.3.1")
def power_methods(known: KnownStudy) -> Given | None:
    """How the power was computed, and whether the study may stop early."""
    stated, stop = known.profile.power, known.study.spec.stop
    stages = stages_of(known.study, known.plan)
    early = ""
    if stop is not None and stages is not None:
        looks = stop_sentence(stop, stages.places)
        early = f" The sample may stay smaller than planned: {looks}"
    if stated is not None:
        return _text(f"{stated.method}{early}", _profile("power"))
    if known.power is not None:
        return _text(f"{power_method(known.power)}{early}", POWER)
    return _text(f"{_NO_POWER}{early}", "no power analysis")


@answers("3.1.3.2")
def power(known: KnownStudy) -> Given | None:
    """The power."""
    if known.profile.power is not None:
        return _text(known.profile.power.value, _profile("power"))
    if known.power is not None:
        return _text(power_value(known.power), POWER)
    return _text(f"N/A ({_NO_POWER})", "no power analysis")


@answers("3.1.3.3")
def power_script(known: KnownStudy) -> Given | None:
    """How anybody can compute the power again."""
    stated, found = known.profile.power, known.power
    if stated is not None:
        script = stated.script or "N/A (the script is not shared)"
        return _text(script, _profile("power"))
    if found is not None:
        script = (
            f"`{found.command}`, where DIR is the study's folder (rejudge {__version__}, seed "
            f"{found.seed}); its result is power.json."
        )
        return _text(script, POWER)
    return _text(f"N/A ({_NO_POWER})", "no power analysis")


# 3.2 The evaluators


@answers("3.2.1")
def evaluators(known: KnownStudy) -> Given | None:
    """How many people judged."""
    if known.results is None:
        return _text(str(workload(known.study, known.plan).participants), "plan")
    people = known.results.flow.participants_kept
    return None if people is None else _text(str(people), "judgments")


@answers("3.2.2.2")
def is_paid(known: KnownStudy) -> Given | None:
    """Whether people are paid."""
    payment = known.study.spec.payment
    if payment is None:
        return None
    option = {"paid": 1, "voucher": 2, "credit": 2, "unpaid": 3}[payment.kind]
    return _choice(f"{_STUDY}, payment", option)


@answers("3.2.3")
def recruitment(known: KnownStudy) -> Given | None:
    """Where people came from, who could take part, what they were paid, and when they answered."""
    sentences = _sentences(_recruitment(known))
    return _text(sentences, f"{_STUDY}, recruitment, payment") if sentences else None


def _recruitment(known: KnownStudy) -> Iterator[str]:
    results = known.results
    is_simulated = results is not None and results.flow.is_simulated
    if results is not None and is_simulated:
        yield simulation_sentence(results)
    stated = known.study.spec.recruitment
    if known.channel.name != "site" and stated.platform == "link":  # nobody followed it
        stated = stated.model_copy(update={"platform": "spreadsheet"})
    yield from recruitment_sentences(stated)
    yield from pay_sentences(known.quote)
    if results is not None and not is_simulated:
        yield from earned_sentences(known.earned)
    if results is not None and known.period is not None:
        yield f"They answered {period_words(_subject(known))}"


@answers("3.2.4")
def training(known: KnownStudy) -> Given | None:
    """What people read and practised first, if their channel shows it."""
    if not known.channel.is_known:
        return None
    return _text(_sentences(_training(known)), f"{_STUDY}, pages, practice, design")


def _training(known: KnownStudy) -> Iterator[str]:
    spec, allowed = known.study.spec, known.channel.allows
    page = known.study.pages.get("instructions", "") if "instructions" in allowed else ""
    length = text_length(page)
    practice = spec.practice if "practice" in allowed else None
    if length and known.channel.shows == "sheet":
        yield f"Participants read the first sheet, which has {length} of instructions"
    elif length:
        yield f"Participants read a page of instructions of {length}"
    if practice is not None and "practice feedback" in allowed:
        examples = count(len(practice.examples), "practice example")
        tries = count(practice.attempts, "attempt")
        yield (
            f"They did {examples} with feedback first ({tries} at each before the answer was shown)"
        )
    elif practice is not None:
        yield f"They could read {count(len(practice.examples), 'example')} with answers first"
    if spec.design.calibration:
        yield f"Everybody judged the same {count(spec.design.calibration, 'input')} first"
    if not length and practice is None and not spec.design.calibration:
        yield "Participants were neither trained nor instructed beyond the questions themselves"


@answers("3.2.5")
def characteristics(known: KnownStudy) -> Given | None:
    """What people said about themselves, in numbers."""
    profile = known.results.frame("profile") if known.results else Frame("profile")
    text = "Nothing about participants is recorded beyond the recruitment criteria."
    if len(profile):
        text = "\n".join(_counts(part) for part in profile.by("about").values())
    elif known.results is None and "exit questions" in known.channel.allows:
        prompts = "; ".join(each.prompt for each in known.study.spec.site.exit_questions)
        if prompts:
            text = f"Participants will be asked after the last task: {prompts}"
    return _text(text, "answers about participants")


def _counts(part: Frame) -> str:
    """How many gave each answer; small groups are put together, so that nobody is recognised."""
    kept = {row["answer"]: row["participants_kept"] for row in part.rows}
    silent = kept.pop(None, 0)
    rest = sum(people for people in kept.values() if people < _SMALLEST)
    named = [f"{answer} {people}" for answer, people in kept.items() if people >= _SMALLEST]
    if rest:
        named.append(f"other answers {rest if rest >= _SMALLEST else f'fewer than {_SMALLEST}'}")
    if silent:
        named.append(f"not known {silent}")
    whole = count(int(str(part.facts["participants_kept"])), "participant")
    asked = part.rows[0]["asked"].rstrip(" .:?")
    return f"{asked} ({whole}): {', '.join(named) or 'no answers'}."


# 3.3 How the evaluation is done


@answers("3.3.1")
def preregistration(known: KnownStudy) -> Given | None:
    """Whether the study is preregistered."""
    link = known.profile.preregistration
    if link:
        return _choice(_profile("preregistration"), 1, text=link)
    return _choice("no preregistration is stated", 2)


@answers("3.3.2")
def collection(known: KnownStudy) -> Given | None:
    """With what answers are collected."""
    source = platform(known.study.spec.recruitment.platform)
    tool, channel = f"rejudge {__version__}", known.channel
    text = f"{capital(channel.title)}, with files written and read by {tool}."
    if channel.name == "site":
        people = f"; participants came from {source.title}" if source.is_crowd else ""
        text = f"{tool}, {channel.title}{people}."
    elif channel.assigns == "unknown":
        text = f"Outside rejudge; the answers were imported by {tool}."
    return _text(text, known.channel_source)


@answers("3.3.3.1")
def quality_assurance(known: KnownStudy) -> Given | None:
    """By which means the quality of answers is assured."""
    keys = _quality(known)
    none = "Neither attention checks nor exclusion rules were used." if not keys else ""
    return _choice(f"{_STUDY}, checks, recruitment, analysis", *(keys or (7,)), text=none)


@answers("3.3.3.2")
def quality_details(known: KnownStudy) -> Given | None:
    """The checks and exclusions in words."""
    source = f"{_STUDY}, checks, recruitment, analysis"
    if not _quality(known):
        return _absent(source)
    where = f"{source}; judgments" if known.results else source
    return _text(_sentences(_quality_details(known)), where)


def _quality(known: KnownStudy) -> tuple[int, ...]:
    spec = known.study.spec
    noticed = {rule.by for rule in stated_rules(rules_of(known.study))}
    ticked = {
        1: spec.language.partition("-")[0] in {each[:2] for each in spec.recruitment.languages},
        2: bool(spec.checks) or bool(noticed & {"time", "answers"}),
        4: bool(noticed & {"checks", "answers"}),
        5: "time" in noticed,
    }
    return tuple(key for key, holds in ticked.items() if holds)


def _quality_details(known: KnownStudy) -> Iterator[str]:
    spec = known.study.spec
    if spec.recruitment.languages:
        languages = join_words(spec.recruitment.languages, "or")
        yield f"Participants had to have {languages} as a first language"
    if known.results is not None:
        yield from check_sentences(known.study, known.plan, known.results)
        yield from exclusion_sentences(_subject(known))
        return
    if spec.checks:
        kinds = join_words(list(dict.fromkeys(check.kind for check in spec.checks)))
        per_batch = sum(check.per_batch for check in spec.checks)
        yield f"Each batch has {count(per_batch, 'check')} ({kinds})"
    rules = planned_exclusions(spec.analysis)
    if rules != "none":
        yield f"The plan is to exclude {rules}"


@answers("3.3.4.1")
def interface_link(known: KnownStudy) -> Given | None:
    """A link to the pages."""
    link = known.profile.interface
    return _text(link, _profile("interface")) if link else None


@answers("3.3.4.2")
def interface(known: KnownStudy) -> Given | None:
    """What people see, as far as their channel shows it."""
    return _text(_sentences(_interface(known)), f"{_STUDY}, questions, site; plan")


def _interface(known: KnownStudy) -> Iterator[str]:
    spec = known.study.spec
    is_on_our_pages = known.channel.shows == "rejudge pages"
    for question in spec.questions:
        shown = question.shows(len(spec.systems))
        beside = [each for each in ("input", "reference") if each in question.beside]
        above = f", with the {join_words(beside)}" if beside else ""
        outputs = "one output" if shown == 1 else f"{shown} outputs side by side"
        yield f"For {question.id}, people see {outputs}{above}, and are asked “{question.prompt}”"
    if is_on_our_pages and any(question.definition for question in spec.questions):
        yield "The definition of a criterion can be opened next to its question"
    real = [sum(task.is_real for task in batch.tasks) for batch in known.plan.main]
    inputs = sample_in_words(known.study, known.plan)
    yield f"A batch has {span(real, 'task')} to judge; all batches together have {inputs}"
    if is_on_our_pages and spec.site.show == "list":
        yield "All tasks of a batch are on one page"
    elif known.channel.shows == "sheet":
        yield "Each batch is a sheet of a workbook, with a row for each text and cells for answers"
    yield "Participants are not told which system an output is from"


@answers("3.3.5")
def time_constraints(known: KnownStudy) -> Given | None:
    """How long people have. Only the site sets limits that are known here."""
    if "reassign" not in known.channel.allows:
        return None
    where = platform(known.study.spec.recruitment.platform)
    idle = lease(known.study, known.plan).total_seconds() / 60
    limit = f"{where.title} sets a maximum time" if where.is_crowd else "No time limit"
    limits = f"{limit}; a batch is reassigned after {idle:.0f} minutes without an answer."
    return _choice(f"{_STUDY}, site", 5, text=limits)


@answers("3.3.6")
def feedback(known: KnownStudy) -> Given | None:
    """Whether people can ask and comment, where the channel shows whom to ask, and how."""
    if not known.channel.is_known or known.channel.shows == "original page":
        return None
    told = [2] if _shows_contact(known) else []
    if "comment" in known.channel.records and known.study.spec.site.comment:
        told.append(3)
    return _choice(f"{_STUDY}, contact, site", *(told or (5,)))


def _shows_contact(known: KnownStudy) -> bool:
    contact = known.study.spec.contact
    if contact is None or "contact on every page" in known.channel.allows:
        return contact is not None
    texts = [known.study.pages.get(role, "") for role in _PAGES]
    marks = ("{contact}", "{email}", contact.email)
    return any(mark in text for text in texts for mark in marks)


@answers("3.3.7")
def place(known: KnownStudy) -> Given | None:
    """Where people work: known only where they use their own browser."""
    return _choice(known.channel_source, 1) if known.channel.is_online else None


@answers("3.3.8")
def variation(known: KnownStudy) -> Given | None:
    """How their conditions differ."""
    if not known.channel.is_online:
        return None
    varies = "Device, place and time differ between participants and are not controlled."
    return _text(varies, known.channel_source)


def _subject(known: KnownStudy) -> Subject:
    if known.results is None:
        raise ValueError("there are no results yet")
    designed = PlannedStudy(known.study, known.plan, quote=known.quote, earned=known.earned)
    return Subject(known.results, known.study.spec.title, designed=designed, period=known.period)


# 4. One criterion


def question_source(question: str) -> str:
    """How the source of an answer names a question of the study."""
    return f"study.yaml, question '{question}'"


@answers("4.2.2")
def absolute_or_relative(_known: KnownStudy, question: Question) -> Given:
    """Whether outputs are judged alone or against others."""
    return _choice(question_source(question.id), 2 if question.is_comparison else 1)


@answers("4.2.3")
def intrinsic(_known: KnownStudy, question: Question) -> Given:
    """The outputs themselves are judged."""
    return _choice(question_source(question.id), 1)


@answers("4.3.1.1")
def name_shown(_known: KnownStudy, question: Question) -> Given:
    """Pages show the question, not the id of the criterion."""
    return _absent(question_source(question.id))


@answers("4.3.2")
def definition(_known: KnownStudy, question: Question) -> Given:
    """The definition as people read it."""
    said, source = question.definition.strip(), question_source(question.id)
    return _text(said, source) if said else _absent(source)


@answers("4.3.3")
def scale_size(_known: KnownStudy, question: Question) -> Given:
    """How many values the scale has."""
    size, source = _scale(question)[0], question_source(question.id)
    return _text(size, source) if size else _absent(source)


@answers("4.3.4")
def scale_values(_known: KnownStudy, question: Question) -> Given:
    """The values and their labels."""
    values, source = _scale(question)[1], question_source(question.id)
    return _text(values, source) if values else _absent(source)


@answers("4.3.5")
def scale_presentation(known: KnownStudy, question: Question) -> Given | None:
    """With which control people answer; None where the channel does not tell."""
    if not _scale(question)[0]:
        return _choice(question_source(question.id), 4)
    if known.study.layout is not None and known.channel.name == "site":
        return _original_control(known, question)
    ask: Ask = "number" if question.bounds is not None and not question.values else "one"
    source = f"{question_source(question.id)}; {known.channel_source}"
    presentation = known.channel.asks.get(ask)
    if presentation is None:
        return None
    option = {"options": 1, "slider": 3}.get(presentation)
    if option is not None:
        return _choice(source, option)
    text = {
        "list cell": "A cell of a spreadsheet, with a list of the values",
        "number field": "A field in which the number is typed",
    }
    return _choice(source, 5, text=text[presentation])


def _original_control(known: KnownStudy, question: Question) -> Given | None:
    """The field of the original's page that asks the question."""
    layout, stated = known.study.layout, known.study.spec.site.layout
    if layout is None or stated is None:
        return None
    names = {each.name for each in stated.fields if each.question == question.id}
    kinds = {each.kind for each in layout.controls if stated.split(each.name)[0] in names}
    option = {"choice": 1, "choices": 2}.get(kinds.pop()) if len(kinds) == 1 else None
    return None if option is None else _choice(f"{_STUDY}, site, layout", option)


@answers("4.3.6")
def task_without_scale(_known: KnownStudy, question: Question) -> Given:
    """What people do where there is no scale."""
    source = question_source(question.id)
    has_scale = bool(_scale(question)[0])
    return _absent(source) if has_scale else _text(f"{capital(question.task_in_words)}.", source)


@answers("4.3.7")
def verbatim_question(_known: KnownStudy, question: Question) -> Given:
    """The question as people read it."""
    return _text(question.prompt, question_source(question.id))


@answers("4.3.8")
def form_of_response(_known: KnownStudy, question: Question) -> Given:
    """Whether people compare, agree with a statement, or rate."""
    says_agree = any(_AGREES.search(each) for each in question.labels_by_value.values())
    option = 3 if question.is_comparison else 1 if says_agree else 2
    return _choice(question_source(question.id), option)


def _scale(question: Question) -> tuple[str, str]:
    """Size and values of the scale; empty where there is none."""
    if question.values:
        labels = question.labels_by_value
        points = [f"{value:g}" + _label(labels.get(value)) for value in question.values]
        return str(len(points)), ", ".join(points)
    if question.bounds is not None:
        low, high = question.bounds
        return "continuous", f"[{low:g}, {high:g}]"
    if question.least_outputs == _PAIR and not question.is_order:
        options = ["A is better", "B is better", *(["about the same"] * question.allows_tie)]
        return str(len(options)), ", ".join(options)
    return "", ""


def _label(label: str | None) -> str:
    """A label in brackets; a comma in it would look like one more value."""
    return f" ({label.replace(',', ';')})" if label else ""


@answers("4.3.9")
def aggregation(known: KnownStudy, question: Question) -> Given:
    """How answers become a score."""
    found = known.findings(question.id)
    standings = [each for each in found if each.measure in _STANDINGS and len(each.systems) == 1]
    method = shared_method(standings) if standings else question.scoring
    return _text(as_sentence(capital(method)), known.analysis_source)


@answers("4.3.10")
def tests(known: KnownStudy, question: Question) -> Given:
    """Which tests are made, how p values are corrected, and the effect sizes."""
    analysis, results = known.study.spec.analysis, known.results
    names: list[str] = []
    effects: list[str] = []
    correction: str = analysis.correction if analysis else "none"
    if results is not None:
        found = [each for each in known.findings(question.id) if each.by in TEST_NAMES]
        tested = [each for each in found if each.p is not None and each.role in ("headline", None)]
        names = [TEST_NAMES[each.by] for each in tested]
        effects = [effect.name for each in tested for effect in _effects(each)]
        correction = results.signature.correction
    elif analysis is not None:
        names = [TEST_NAMES[each.test] for each in analysis.tests if each.question == question.id]
    if not names:
        return _absent(known.analysis_source)
    corrected = "not corrected" if correction == "none" else f"corrected ({correction})"
    parts = [capital(join_words(list(dict.fromkeys(names)))), f"p values {corrected}"]
    if effects:
        parts.append(f"effect sizes: {join_words(list(dict.fromkeys(effects)))}")
    return _text(f"{'; '.join(parts)}.", known.analysis_source)


def _effects(finding: Finding) -> tuple[EffectSize, ...]:
    first = () if finding.effect is None else (finding.effect,)
    return (*first, *finding.further_effects)


@answers("4.3.11.1")
def agreement_methods(known: KnownStudy, question: Question) -> Given:
    """The coefficients of agreement between people."""
    if known.results is not None:
        return _methods(known, _agreement(known, question, within=False))
    analysis = known.study.spec.analysis
    planned = analysis.agreement if analysis else USUAL_AGREEMENT
    if not planned:
        return _absent(known.analysis_source)
    names = join_words([coefficient(each) for each in planned])
    return _text(f"{capital(names)}.", known.analysis_source)


@answers("4.3.11.2")
def agreement(known: KnownStudy, question: Question) -> Given | None:
    """The agreement between people; None before data collection if it is planned."""
    if known.results is not None:
        return _scores(known, _agreement(known, question, within=False))
    analysis = known.study.spec.analysis
    is_planned = bool(analysis.agreement if analysis else USUAL_AGREEMENT)
    return None if is_planned else _absent(known.analysis_source)


@answers("4.3.12.1")
def consistency_methods(known: KnownStudy, question: Question) -> Given:
    """How the agreement of people with themselves is measured."""
    if known.results is not None:
        return _methods(known, _agreement(known, question, within=True))
    if known.study.spec.design.repeats is None:
        return _absent(known.analysis_source)
    return _text("Share of repeated tasks with the same answer.", known.analysis_source)


@answers("4.3.12.2")
def consistency(known: KnownStudy, question: Question) -> Given | None:
    """The agreement of people with themselves."""
    if known.results is not None:
        return _scores(known, _agreement(known, question, within=True))
    return None if known.study.spec.design.repeats else _absent(known.analysis_source)


def _agreement(known: KnownStudy, question: Question, *, within: bool) -> list[Finding]:
    """The coefficients: over all systems first, then by pair; percentages last."""
    found = [
        each
        for each in known.findings(question.id)
        if each.measure == "agreement" and each.value is not None
        if each.by.startswith(_SELF) is within
    ]
    return sorted(found, key=lambda each: (bool(each.systems), "percent" in each.by))


def _methods(known: KnownStudy, found: Sequence[Finding]) -> Given:
    said = dict.fromkeys(as_sentence(capital(each.method)) for each in found)
    return _text("\n".join(said), "results") if said else _absent(known.analysis_source)


def _scores(known: KnownStudy, found: Sequence[Finding]) -> Given:
    said = "; ".join(_score(known, each) for each in found)
    return _text(said, "results") if said else _absent(known.analysis_source)


def _score(known: KnownStudy, finding: Finding) -> str:
    is_percent = "percent" in finding.by
    digits = 1 if is_percent else 2
    parts = [count(finding.n or 0, NOUNS[finding.n_of])]
    if finding.interval is not None:
        level, bounds = level_text(finding.interval.level), range_text(finding.interval, digits)
        parts.insert(0, f"{level} interval {bounds}")
    labels = {system.id: system.label for system in known.study.spec.systems}
    pair = " and ".join(labels.get(each, each) for each in finding.systems)
    what = name_of_coefficient(finding) + (f" for {pair}" if pair else "")
    value = number(finding.value, digits) + (" %" if is_percent else "")
    return f"{value} ({what}; {', '.join(parts)})"


# 5. Ethics


@answers("5.1")
def ethics(known: KnownStudy) -> Given | None:
    """Who approved the study."""
    if known.profile.ethics:
        return _text(known.profile.ethics, _profile("ethics"))
    stated = known.study.spec.ethics
    return _text(stated, f"{_STUDY}, ethics") if stated else None
