"""Rules about texts that give away which system wrote them, or the right answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rejudge.english import count
from rejudge.lint.evidence import StudyEvidence, Violation, listed, quoted
from rejudge.study import Item, as_shown

_SHORTEST_NAME = 3  # “t5” or “a” are found in too many innocent texts
_SHORTEST_REFERENCE = 20  # a short correct answer necessarily equals the reference

# Names of systems that are also everyday words; in a text they give nothing away.
_EVERYDAY = frozenset(
    """
    ablation adapter advanced all alpha and any approach attention average base baseline basic
    best beta big both bottom candidate chat clean combined complete control copy current default
    delta direct dual dynamic easy enhanced extended extract final first fixed full gamma gold
    good graph greedy ground hard head high human hybrid improved input joint large last latent
    lead learned left light linear local long low main mean medium memory method mini mixed mode
    model modified multi naive neural new nil none normal nothing off old omega one only open
    oracle original other our ours output own pair paper plain plus prior prompt proposed pure
    query random rank raw reader reference regular retrieval revised right rule rules sample
    second select self sequence short simple single small source standard static step strong
    student system target teacher template test text the their theirs third tiny top truth turbo
    two ultra unified updated using vanilla version weak with without worst writer zero
    """.split()  # noqa: SIM905 - words read best as words
)


def system_names(seen: StudyEvidence) -> Iterator[Violation]:
    """An output or an item's id names the system behind it.

    People who know which system wrote an output judge the name. Ids and names of systems are
    searched for as whole words, ignoring case, in outputs and in ids of items.

    To avoid false alarms, these are ignored: names shorter than three characters and everyday words
    such as “base” or “human”; a name that is in the item's own input, which the output then only
    repeats; and a name that is a plain word (“separator”) anywhere but in the system's own
    outputs.

    Remedy: remove the name from the texts, and give the items neutral ids.
    """
    names = _names(seen)
    if not names:
        return
    told: Counter[str] = Counter()
    places = []
    for item in seen.judged:
        leaks = [*_leaks_in_id(item, names), *_leaks_in_outputs(seen, item, names)]
        told.update(leaks)
        if leaks:
            places.append(seen.line(item))
    if told:
        found = [f"{where} {number:,}" for where, number in told.most_common()]
        yield Violation(
            f"Participants can read the names of systems: {listed(found)}.",
            tuple(places),
            "Remove the names from the texts, and give the items neutral ids.",
        )


def shown_references(seen: StudyEvidence) -> Iterator[Violation]:
    """An output equals the reference that is shown with it.

    People who judge an output against a reference see the same text twice and give the highest
    score, whatever the question. The usual causes are a “system” that is the reference itself, and
    outputs taken from the wrong column. Texts under 20 characters are ignored, because a short
    correct answer necessarily equals the reference.

    Remedy: fix the column, or leave the reference out of `beside` for this question.
    """
    shows_reference = any(question.needs_reference for question in seen.study.spec.questions)
    if not shows_reference:
        return
    equal: Counter[str] = Counter()
    places = []
    for item in seen.judged:
        reference = as_shown(item.reference or "")
        outputs = zip(seen.study.system_ids, seen.shown_outputs[item.id], strict=True)
        if len(reference) < _SHORTEST_REFERENCE:
            continue
        systems = [system for system, output in outputs if output == reference]
        equal.update(systems)
        if systems:
            places.append(seen.line(item))
    if equal:
        told = listed([f"{system} {number:,}" for system, number in equal.most_common()])
        yield Violation(
            f"Equal to the reference that is shown with it: {count(equal.total(), 'output')} "
            f"({told}).",
            tuple(places),
            "Check whether columns were mixed up, or do not show the reference.",
        )


@dataclass(frozen=True, slots=True)
class _Name:
    """A name that gives a system away."""

    system: int
    word: str  # in lower case
    pattern: re.Pattern[str]
    is_plain: bool  # letters only, as any word of a language


def _names(seen: StudyEvidence) -> list[_Name]:
    words = {
        (place, word.lower())
        for place, system in enumerate(seen.study.spec.systems)
        for word in (system.id, system.name)
        if len(word) >= _SHORTEST_NAME and word.lower() not in _EVERYDAY
    }
    return [
        # `_` does not join words here: “vae_17” names vae.
        _Name(place, word, re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])"), word.isalpha())
        for place, word in sorted(words)
    ]


def _leaks_in_id(item: Item, names: list[_Name]) -> list[str]:
    return [f"{quoted([name.word])} in ids" for name in names if _occurs(name, item.id.lower())]


def _leaks_in_outputs(seen: StudyEvidence, item: Item, names: list[_Name]) -> list[str]:
    leaks = []
    for place, output in enumerate(item.outputs):
        text = (output or "").lower()
        for name in names:
            if name.word not in text or (name.is_plain and name.system != place):
                continue
            if _occurs(name, text) and not _occurs(name, item.input.lower()):
                leaks.append(f"{quoted([name.word])} in outputs of {seen.study.system_ids[place]}")
    return leaks


def _occurs(name: _Name, text: str) -> bool:
    # The plain search first: it is fifty times quicker, and nearly always says no.
    return name.word in text and name.pattern.search(text) is not None
