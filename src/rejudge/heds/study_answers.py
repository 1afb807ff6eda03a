"""Answers to sections 1, 2, 3 and 5 of the datasheet, from a study, its plan and its results.

Numbers of questions and options are those of version 3.0. What a study does not say is left to
people, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rejudge.analysis.details import Profile, ProfilePart
from rejudge.collect.assignment import lease
from rejudge.design.duration import workload
from rejudge.design.stages import stages_of
from rejudge.english import as_sentence, count, join_words, span
from rejudge.files.step_files import POWER
from rejudge.heds.answers import SheetAnswer
from rejudge.heds.facts import KnownStudy, Proposal
from rejudge.heds.languages import language_option
from rejudge.heds.profile import Contributor
from rejudge.heds.schema import SheetQuestion, SheetSchema
from rejudge.platforms import platform
from rejudge.power.results import PlannedPower
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
from rejudge.study.analysis_plan import Analysis, Exclude
from rejudge.tables.looks import stop_sentence
from rejudge.tables.power import power_method, power_value
from rejudge.version import __version__

_PROFILE: Final = "datasheet.yaml"
_STUDY: Final = "study.yaml"
_OTHER_SELECTION: Final[Mapping[str, str]] = {  # the form has no option for these
    "weighted": "The probability of each is recorded in the plan.",
    "listed": "Describe the criteria by which they were chosen.",
}
_SMALLEST: Final = 5  # participants; smaller groups are not distinguished
_REFERENCE: Final = {"paper": 1, "unpublished": 2, "preregistration": 3}
_PAYMENT: Final = {"paid": 1, "voucher": 2, "credit": 2, "unpaid": 3}


def answer_study(facts: KnownStudy, schema: SheetSchema) -> Iterator[Proposal]:
    """All answers outside section 4."""
    yield from _references(facts)
    yield from _systems(facts, schema)
    yield from _sample(facts)
    yield from _power(facts)
    yield from _evaluators(facts)
    yield from _conduct(facts)
    yield from _quality(facts)
    yield from _interface(facts)
    ethics = facts.profile.ethics or facts.study.spec.ethics
    if ethics:
        where = _PROFILE if facts.profile.ethics else _STUDY
        yield _text("5.1", ethics, f"{where}, ethics")


def _references(facts: KnownStudy) -> Iterator[Proposal]:
    profile = facts.profile
    if profile.reference is not None:
        option = _REFERENCE[profile.reference.kind]
        yield _choice("1.1.1", f"{_PROFILE}, reference", option, text=profile.reference.url)
    if profile.resources == "none":
        yield _choice("1.2", f"{_PROFILE}, resources", 2)
    elif profile.resources:
        links = "\n".join(profile.resources)
        yield _choice("1.2", f"{_PROFILE}, resources", 1, text=links)
    yield from _person("1.3.1", profile.completed_by, f"{_PROFILE}, completed_by")
    contact, source = profile.contact, f"{_PROFILE}, contact"
    stated = facts.study.spec.contact
    if contact is None and stated is not None:
        contact, source = Contributor(name=stated.name, email=stated.email), f"{_STUDY}, contact"
    yield from _person("1.3.2", contact, source)


def _person(section: str, person: Contributor | None, source: str) -> Iterator[Proposal]:
    if person is None:
        return
    for place, text in enumerate((person.name, person.affiliation, person.email), start=1):
        if text:
            yield _text(f"{section}.{place}", text, source)


def _systems(facts: KnownStudy, schema: SheetSchema) -> Iterator[Proposal]:
    named = {
        "2.1": ("input_types", facts.profile.input_types),
        "2.2": ("output_types", facts.profile.output_types),
        "2.3": ("tasks", facts.profile.tasks),
    }
    for number, (key, names) in named.items():
        if names:
            yield _named_options(schema.question(number), names, f"{_PROFILE}, {key}")
    used = {item for task in facts.plan.tasks() if task.is_real for item in (task.item,)}
    items = [item for item in facts.study.items if item.id in used]
    has_input = any(item.input.strip() for item in items)
    tags = list(dict.fromkeys(item.language for item in items))
    source = "items, languages"
    if has_input:
        yield from _languages(schema.question("2.4"), tags, source)
    elif items:
        yield Proposal("2.4", SheetAnswer(is_absent=True), source)
    yield from _languages(schema.question("2.5"), tags, source)


def _named_options(question: SheetQuestion, names: Sequence[str], source: str) -> Proposal:
    """The options with these names; other words go to the option “Other”."""
    known = {option.name.casefold(): option.key for option in question.options}
    keys = [known[name.casefold()] for name in names if name.casefold() in known]
    others = [name for name in names if name.casefold() not in known]
    if others:
        other = next(each for each in question.options if each.name.startswith("Other"))
        keys.append(other.key)
    return _choice(question.number, source, *keys, text="; ".join(others))


def _languages(question: SheetQuestion, tags: Iterable[str], source: str) -> Iterator[Proposal]:
    options = [language_option(question, tag) for tag in tags]
    keys = {option.key for option in options if option is not None}
    if keys and all(option is not None for option in options):
        yield _choice(question.number, source, *sorted(keys))


def _sample(facts: KnownStudy) -> Iterator[Proposal]:
    counts = facts.items_by_system
    labels = {system.id: system.label for system in facts.study.spec.systems}
    few, many = min(counts.values()), max(counts.values())
    text = str(many)
    if few < many:
        each = join_words([f"{labels[system]} {number:,}" for system, number in counts.items()])
        text = f"{few} to {many}, not the same for each system: {each}."
    yield _text("3.1.1", text, "judgments" if facts.kept is not None else "plan")
    sample = facts.study.spec.items.sample
    inputs = {item.group for item in facts.study.items}
    selection = facts.plan.selection
    if selection is not None and selection.method in _OTHER_SELECTION:
        how = selection.describe(facts.study.spec.items.file)
        text = f"{how} {_OTHER_SELECTION[selection.method]}"
        yield _choice("3.1.2", f"{_STUDY}, items, sample", 6, text=text)
    elif sample is not None and sample.method is not None:
        chosen = 2 if sample.method == "stratified" else 1
        yield _choice("3.1.2", f"{_STUDY}, items, sample", chosen)
    elif sample is not None and sample.inputs is not None and sample.inputs < len(inputs):
        # if not, they were chosen elsewhere
        datasets = {item.dataset for item in facts.study.items}
        is_stratified = sample.balance and len(datasets) > 1
        yield _choice("3.1.2", f"{_STUDY}, items, sample", 2 if is_stratified else 1)


def _power(facts: KnownStudy) -> Iterator[Proposal]:
    stated, looks = facts.profile.power, _planned_looks(facts)
    if stated is None and facts.power is not None:
        yield from _computed_power(facts.power, looks)
        return
    if stated is None:
        none = "No power analysis is recorded for this study."
        yield _text("3.1.3.1", f"{none}{looks}", "no power analysis")
        for number in ("3.1.3.2", "3.1.3.3"):
            yield _text(number, f"N/A ({none})", "no power analysis")
        return
    source = f"{_PROFILE}, power"
    yield _text("3.1.3.1", f"{stated.method}{looks}", source)
    yield _text("3.1.3.2", stated.value, source)
    yield _text("3.1.3.3", stated.script or "N/A (the script is not shared)", source)


def _planned_looks(facts: KnownStudy) -> str:
    """Where the study may stop early, the sentence that says so, to be put after another one."""
    stop, stages = facts.study.spec.stop, stages_of(facts.study, facts.plan)
    if stop is None or stages is None:
        return ""
    return f" The sample may stay smaller than planned: {stop_sentence(stop, stages.places)}"


def _computed_power(found: PlannedPower, looks: str) -> Iterator[Proposal]:
    """What `rejudge power` computed, and how anybody can compute it again."""
    script = (
        f"`{found.command}`, where DIR is the study's folder (rejudge {__version__}, seed "
        f"{found.seed}); its result is power.json."
    )
    yield _text("3.1.3.1", f"{power_method(found)}{looks}", POWER)
    yield _text("3.1.3.2", power_value(found), POWER)
    yield _text("3.1.3.3", script, POWER)


def _evaluators(facts: KnownStudy) -> Iterator[Proposal]:
    results, spec = facts.results, facts.study.spec
    if results is None:
        people = workload(facts.study, facts.plan).participants
        yield _text("3.2.1", str(people), "plan")
    elif results.flow.participants_kept is not None:
        yield _text("3.2.1", str(results.flow.participants_kept), "judgments")
    if spec.payment is not None:
        yield _choice("3.2.2.2", f"{_STUDY}, payment", _PAYMENT[spec.payment.kind])
    yield _text("3.2.3", _sentences(_recruitment(facts)), f"{_STUDY}, recruitment, payment")
    yield _text("3.2.4", _sentences(_training(facts)), f"{_STUDY}, pages, practice, design")
    yield _text("3.2.5", _characteristics(facts), "answers about participants")


def _recruitment(facts: KnownStudy) -> Iterator[str]:
    if facts.results is not None and facts.results.flow.is_simulated:
        yield simulation_sentence(facts.results)
    yield from recruitment_sentences(facts.study.spec.recruitment)
    yield from pay_sentences(facts.quote)
    if facts.results is not None and not facts.results.flow.is_simulated:
        yield from earned_sentences(facts.earned)
    if facts.results is not None and facts.period is not None:
        yield f"They answered {period_words(_subject(facts))}"


def _training(facts: KnownStudy) -> Iterator[str]:
    spec, pages = facts.study.spec, facts.study.pages
    words = len(pages.get("instructions", "").split())
    if words:
        yield f"Participants read a page of instructions of {count(words, 'word')}"
    if spec.practice is not None:
        examples = count(len(spec.practice.examples), "practice example")
        tries = count(spec.practice.attempts, "attempt")
        yield (
            f"They did {examples} with feedback first ({tries} at each before the answer was shown)"
        )
    if spec.design.calibration:
        yield f"Everybody judged the same {count(spec.design.calibration, 'input')} first"
    if not words and spec.practice is None and not spec.design.calibration:
        yield "Participants were neither trained nor instructed beyond the questions themselves"


def _characteristics(facts: KnownStudy) -> str:
    profile = facts.results.profile if facts.results else None
    if profile is None or not profile.parts:
        asked = facts.study.spec.site.exit_questions
        if asked and facts.results is None:
            prompts = "; ".join(each.prompt for each in asked)
            return f"Participants will be asked after the last task: {prompts}"
        return "Nothing about participants is recorded beyond the recruitment criteria."
    return "\n".join(_counts(part, profile) for part in profile.parts)


def _counts(part: ProfilePart, profile: Profile) -> str:
    """How many gave each answer; small groups are put together, so that nobody is recognised."""
    kept = [each for each in part.counts if each.participants_kept]
    large = [each for each in kept if each.participants_kept >= _SMALLEST]
    rest = sum(each.participants_kept for each in kept if each.participants_kept < _SMALLEST)
    named = [f"{each.answer} {each.participants_kept}" for each in large]
    if rest:
        named.append(f"other answers {rest if rest >= _SMALLEST else f'fewer than {_SMALLEST}'}")
    if part.silent_kept:
        named.append(f"not known {part.silent_kept}")
    whole = count(profile.participants_kept, "participant")
    return f"{part.prompt.rstrip(' .:?')} ({whole}): {', '.join(named) or 'no answers'}."


_ON_OUR_PAGES = ("link", "prolific")  # elsewhere, what limits the time is not known here


def _is_on_our_pages(facts: KnownStudy) -> bool:
    is_imported = facts.kept is not None and facts.kept.is_imported
    return facts.study.spec.recruitment.platform in _ON_OUR_PAGES and not is_imported


def _conduct(facts: KnownStudy) -> Iterator[Proposal]:
    spec, link = facts.study.spec, facts.profile.preregistration
    if link:
        yield _choice("3.3.1", f"{_PROFILE}, preregistration", 1, text=link)
    else:
        yield _choice("3.3.1", "no preregistration is stated", 2)
    yield _text("3.3.2", _tool(spec.recruitment.platform), f"{_STUDY}, recruitment, platform")
    if _is_on_our_pages(facts):
        where = platform(spec.recruitment.platform)
        idle = lease(facts.study, facts.plan).total_seconds() / 60
        limit = f"{where.title} sets a maximum time" if where.is_crowd else "No time limit"
        limits = f"{limit}; a batch is reassigned after {idle:.0f} minutes without an answer."
        yield _choice("3.3.5", f"{_STUDY}, site", 5, text=limits)
    told = [key for key, holds in ((2, spec.contact is not None), (3, spec.site.comment)) if holds]
    yield _choice("3.3.6", f"{_STUDY}, contact, site", *(told or (5,)))
    yield _choice("3.3.7", "study run online", 1)
    varies = "Device, place and time differ between participants and are not controlled."
    yield _text("3.3.8", varies, "study run online")


def _tool(name: str) -> str:
    """With what answers were collected."""
    where, tool = platform(name), f"rejudge {__version__}"
    on_site = f"{tool}, a web site that shows the tasks and stores the answers"
    if where.is_crowd:
        return f"{on_site}; participants came from {where.title}."
    if where.name == "link":
        return f"{on_site}."
    return f"{where.title}, with files written and read by {tool}."


def _quality(facts: KnownStudy) -> Iterator[Proposal]:
    spec = facts.study.spec
    rules = spec.analysis.exclude if spec.analysis else Exclude()
    by_time = rules.faster_than_seconds or rules.too_fast_total_seconds or rules.faster_than_reading
    ticked = {
        1: spec.language.partition("-")[0] in {each[:2] for each in spec.recruitment.languages},
        2: bool(spec.checks or by_time or rules.straight_lining),
        4: bool(rules.failed_checks or rules.straight_lining),
        5: bool(by_time),
    }
    keys = [key for key, holds in ticked.items() if holds]
    source = f"{_STUDY}, checks, recruitment, analysis"
    none = "Neither attention checks nor exclusion rules were used." if not keys else ""
    yield _choice("3.3.3.1", source, *(keys or (7,)), text=none)
    if keys:
        where = f"{source}; judgments" if facts.results else source
        yield _text("3.3.3.2", _sentences(_quality_details(facts, spec.analysis)), where)
    else:
        yield Proposal("3.3.3.2", SheetAnswer(is_absent=True), source)


def _quality_details(facts: KnownStudy, analysis: Analysis | None) -> Iterator[str]:
    spec = facts.study.spec
    if spec.recruitment.languages:
        languages = join_words(spec.recruitment.languages, "or")
        yield f"Participants had to have {languages} as a first language"
    if facts.results is not None:
        yield from check_sentences(facts.study, facts.plan, facts.results)
        yield from exclusion_sentences(_subject(facts))
        return
    if spec.checks:
        kinds = join_words(list(dict.fromkeys(check.kind for check in spec.checks)))
        per_batch = sum(check.per_batch for check in spec.checks)
        yield f"Each batch has {count(per_batch, 'check')} ({kinds})"
    rules = planned_exclusions(analysis)
    if rules != "none":
        yield f"The plan is to exclude {rules}"


def _interface(facts: KnownStudy) -> Iterator[Proposal]:
    if facts.profile.interface:
        yield _text("3.3.4.1", facts.profile.interface, f"{_PROFILE}, interface")
    yield _text("3.3.4.2", _sentences(_page_content(facts)), f"{_STUDY}, questions, site; plan")


def _page_content(facts: KnownStudy) -> Iterator[str]:
    spec = facts.study.spec
    systems = len(spec.systems)
    for question in spec.questions:
        shown = question.shows(systems)
        beside = [each for each in ("input", "reference") if each in question.beside]
        above = f", with the {join_words(beside)}" if beside else ""
        outputs = "one output" if shown == 1 else f"{shown} outputs side by side"
        yield f"For {question.id}, people see {outputs}{above}, and are asked “{question.prompt}”"
    is_on_our_pages = _is_on_our_pages(facts)
    if is_on_our_pages and any(question.definition for question in spec.questions):
        yield "The definition of a criterion can be opened next to its question"
    real = [sum(task.is_real for task in batch.tasks) for batch in facts.plan.main]
    inputs = sample_in_words(facts.study, facts.plan)
    yield f"A batch has {span(real, 'task')} to judge; all batches together have {inputs}"
    if is_on_our_pages and spec.site.show == "list":
        yield "All tasks of a batch are on one page"
    yield "Participants are not told which system an output is from"


def _subject(facts: KnownStudy) -> Subject:
    if facts.results is None:
        raise ValueError("there are no results yet")
    designed = PlannedStudy(facts.study, facts.plan, quote=facts.quote, earned=facts.earned)
    return Subject(facts.results, facts.study.spec.title, designed=designed, period=facts.period)


def _sentences(sentences: Iterable[str]) -> str:
    return " ".join(as_sentence(sentence) for sentence in sentences)


def _text(number: str, text: str, source: str) -> Proposal:
    return Proposal(number, SheetAnswer(text), source)


def _choice(number: str, source: str, *options: int, text: str = "") -> Proposal:
    return Proposal(number, SheetAnswer(text, options), source)
