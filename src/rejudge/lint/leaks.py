"""Rules about what the texts give away: which system wrote them, or what the right answer is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rejudge.english import count
from rejudge.lint.evidence import Evidence, Found
from rejudge.lint.phrasing import listed, quoted
from rejudge.study import Item, as_shown

_SHORTEST_NAME = 3  # “t5” or “a” are found in too many innocent texts
_SHORTEST_REFERENCE = 20  # a short answer that is right equals the reference by necessity

# Names of systems that are everyday words as well; in a text they give nothing away.
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


def system_names(seen: Evidence) -> Iterator[Found]:
    """An output or an item's id names the system behind it.

    Who knows which output is whose judges the name. Ids and names of systems are looked for as
    whole words, whatever their case, in outputs and in ids of items.

    To keep innocent texts out, these are not looked for or not counted: names shorter than three
    characters and everyday words such as “base” or “human”; a name that stands in the item's own
    input, which the output then only repeats; and a name that is a plain word (“separator”)
    anywhere but in the system's own outputs.

    Remedy: take the name out of the texts; give the items neutral ids.
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
        yield Found(
            f"Names of systems can be read by participants: {listed(found)}.",
            tuple(places),
            "Take the names out of the texts, and give the items neutral ids.",
        )


def shown_references(seen: Evidence) -> Iterator[Found]:
    """An output equals the reference that is shown beside it.

    Whoever judges an output against a reference sees the same text twice and gives the highest
    score, whatever the question was. Mostly a “system” that is the reference itself, or outputs
    taken from the wrong column. Texts under 20 characters are not counted, because a short answer
    that is right equals the reference by necessity.

    Remedy: mend the column; or leave the reference out of `beside` for this question.
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
        yield Found(
            f"Equal to the reference that is shown beside it: {count(equal.total(), 'output')} "
            f"({told}).",
            tuple(places),
            "Look whether a column was mixed up, or do not show the reference.",
        )


@dataclass(frozen=True, slots=True)
class _Name:
    """A name that gives a system away."""

    system: int
    word: str  # in lower case
    pattern: re.Pattern[str]
    is_plain: bool  # letters only, as any word of a language


def _names(seen: Evidence) -> list[_Name]:
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


def _leaks_in_outputs(seen: Evidence, item: Item, names: list[_Name]) -> list[str]:
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
