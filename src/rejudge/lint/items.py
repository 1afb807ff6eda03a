"""Rules about the items: texts that cannot be judged, or that give the system or answer away."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from rejudge.english import count
from rejudge.lint.evidence import (
    OutputSet,
    StudyEvidence,
    Violation,
    abridge,
    in_quotes,
    share_text,
)
from rejudge.study.items import page_text
from rejudge.study.model import Item
from rejudge.study.procedure import Gold

_COPIES_SHARE = 0.2  # of a system's outputs; below it, copying hardly affects results
_PHONE_COLUMNS = 3_000  # three screens of a phone: some 24 lines of some 42 columns each
_NO_TEXT = re.compile(
    r"(?:nan|none|null|n/a|undefined|(?:<unk>|\[unk\]|<pad>|<s>|</s>|<eos>|\s)+)", re.IGNORECASE
)
_NO_WORD = re.compile(r"[\W_]*")
_WIDE = re.compile(
    r"[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]"
)


def identical_outputs(seen: StudyEvidence) -> Iterator[Violation]:
    """Two identical outputs are shown side by side, and no answer says “the same”.

    People must then choose at random. Their choices count as preferences, pull close systems
    together and lower agreement. In a published study of paraphrases (four systems, 300 inputs)
    182 of 1,800 pairs were identical and there was no tie to choose.

    Texts are compared as a page shows them: runs of white space count as one blank.

    Remedy: set `tie: true` on the pairwise question; or remove these items and say so. Best-worst
    and ranking questions have no tie, so there the items must be removed.
    """
    systems = len(seen.study.system_ids)
    without_tie = [question for question in seen.comparison_questions if not question.allows_tie]
    suspects = {item for item, texts in seen.shown_outputs.items() if len(set(texts)) < len(texts)}
    for size in sorted({question.shows(systems) for question in without_tie}):
        total, same = 0, []
        for comparison in seen.comparisons(size):
            total += 1
            if comparison.item.id in suspects and _has_twins(seen, comparison):
                same.append(comparison)
        if same:
            asked = [question.id for question in without_tie if question.shows(systems) == size]
            yield Violation(
                f"The same text is shown twice in {len(same):,} of "
                f"{_sets(total, size)}, and {abridge(asked)} has no answer for it "
                f"({_twins(seen, same)}).",
                _lines(seen, [each.item for each in same]),
                "Set `tie: true` on the question, or remove these items."
                if size == 2
                else "Remove these items, or compare pairs with `tie: true`.",
            )


def copied_inputs(seen: StudyEvidence) -> Iterator[Violation]:
    """A system often returns its input unchanged.

    If the question is about meaning, a copy wins without merit; if it is about difference, it
    loses. In a published study one of four systems copied 46 % of its inputs (the
    others 7 %, 12 % and 2 %), and a rule as simple as “the copy wins” gave almost the same
    ranking as the people did. The study is not wrong, but it is easier than it looks.

    Reported when it is more than 20 % for some system.

    Remedy: report the shares with the results, or judge the copies separately.
    """
    copies: Counter[str] = Counter()
    written: Counter[str] = Counter()
    places = []
    for item in seen.judged_items:
        copying = _copying_systems(seen, item)
        copies.update(copying)
        written.update(s for s, text in _outputs(seen, item) if text is not None)
        if copying:
            places.append(item)
    shares = [(s, copies[s], written[s]) for s in seen.study.system_ids if written[s]]
    if any(part > _COPIES_SHARE * whole for _, part, whole in shares):
        listing = ", ".join(f"{system} {share_text(part, whole)}" for system, part, whole in shares)
        yield Violation(
            f"Outputs that repeat their input word for word: {listing}.",
            _lines(seen, places),
            "Report these shares with the results, or judge the copies separately.",
        )


def duplicate_inputs(seen: StudyEvidence) -> Iterator[Violation]:
    """The same input occurs under different ids.

    It then counts twice in every mean and test although it was drawn once, and a participant can
    see it in two batches. Items of one `group` may share their input: they are one input.

    Remedy: delete one of them, or give both the same `group`.
    """
    firsts: dict[str, Item] = {}
    twins = []
    texts = set()
    for item in seen.judged_items:
        text = seen.shown_inputs[item.id]
        first = firsts.setdefault(text, item)
        if text and first.group != item.group:
            twins += [first, item] if text not in texts else [item]
            texts.add(text)
    if twins:
        yield Violation(
            f"{count(len(twins), 'item')} share their input with another item "
            f"({count(len(texts), 'text')} in more than one group).",
            _lines(seen, twins),
            "Delete the duplicates, or give items of one input the same `group`.",
        )


def unanswerable_items(seen: StudyEvidence) -> Iterator[Violation]:
    """An input or output has no content that could be judged.

    Empty texts, `nan`, `None`, `null`, nothing but unknown-word marks, or nothing but punctuation
    mostly come from a broken export. In a published study the instructions had to tell
    participants what to do when a definition reads only “nan”.

    Remedy: fix the export, or remove the items. If a system really wrote nothing, decide before
    the study how that is scored instead of asking people.
    """
    is_input_shown = any("input" in question.beside for question in seen.study.spec.questions)
    faults: Counter[str] = Counter()
    places = []
    for item in seen.judged_items:
        texts = [(f"output of {system}", text) for system, text in _outputs(seen, item)]
        if is_input_shown:
            texts.append(("input", seen.shown_inputs[item.id]))
        empty = [where for where, text in texts if text is not None and _says_nothing(text)]
        faults.update(empty)
        if empty:
            places.append(item)
    if faults:
        listing = ", ".join(f"{where} {number:,}" for where, number in faults.items())
        yield Violation(
            f"{count(faults.total(), 'text')} cannot be judged: empty, a placeholder such as "
            f"`nan`, or only punctuation ({listing}).",
            _lines(seen, places),
            "Fix the export that wrote the item file, or remove these items.",
        )


def long_texts(seen: StudyEvidence) -> Iterator[Violation]:
    """A page has more text than can be compared on a phone.

    People use phones unless the study rules them out. A screen of 390 × 844 points shows about 24
    lines of 42 columns, or 1,000 columns; beyond three screens (3,000 columns of input and outputs
    together) people scroll back and forth and never see together what they compare. A Chinese,
    Japanese or Korean character takes two columns. Not checked where people judge in a
    spreadsheet.

    Remedy: shorten the texts, show fewer outputs at a time, or ask for a computer in the study's
    description.
    """
    if seen.study.spec.recruitment.platform == "spreadsheet":
        return
    widths = [(_page_columns(seen, item), item) for item in seen.judged_items]
    long = [(width, item) for width, item in widths if width > _PHONE_COLUMNS]
    if long:
        widest, item = max(long, key=lambda pair: pair[0])
        yield Violation(
            f"More than three screens of a phone ({_PHONE_COLUMNS:,} columns): {len(long):,} of "
            f"{count(len(widths), 'item')}; the longest page has {widest:,} (item '{item.id}').",
            _lines(seen, [item for _, item in long]),
            "Shorten the texts, show fewer outputs at a time, or ask for a computer.",
        )


def item_file(seen: StudyEvidence) -> Iterator[Violation]:
    """Something was assumed when the item file was read.

    A CSV file may be in UTF-8, UTF-16 or Windows-1252 and use commas, semicolons or tabs; of a
    workbook the first sheet is read. Where this had to be guessed, a wrong guess would change the
    texts that people judge.

    Remedy: look at some texts with `rejudge rehearse`; save the file as UTF-8 with commas, or as a
    workbook of one sheet.
    """
    if seen.study.notes:
        yield Violation(
            " ".join(seen.study.notes),
            (seen.study.spec.items.file,),
            "Look at some texts; save the file as UTF-8 with commas to be sure.",
        )


def missing_references(seen: StudyEvidence) -> Iterator[Violation]:
    """A question or a gold check needs references that the item file does not have.

    A page that should show the reference would show an empty box; a gold check needs items whose
    reference is known (two for `other-reference`, one for `input`).

    Remedy: add the column `reference`, or change the question or the check.
    """
    spec = seen.study.spec
    needing = [
        f"questions[{place}]"
        for place, question in enumerate(spec.questions)
        if question.needs_reference
    ]
    without = [item for item in seen.judged_items if not item.has_reference]
    if needing and without:
        yield Violation(
            f"{abridge(needing)} shows the reference, which is missing for "
            f"{count(len(without), 'item')}.",
            _lines(seen, without),
            "Add the references, or remove `reference` from the question.",
        )
    known = sum(item.has_reference for item in seen.study.items)
    made = set() if seen.plan is None else {task.check for task in seen.plan.tasks()}
    for place, check in enumerate(spec.checks):
        if not isinstance(check, Gold) or check.id in made:  # an imported plan has its own texts
            continue
        if known < (2 if check.contrast == "other-reference" else 1):
            yield Violation(
                f"The gold check '{check.id}' is made from references, but the item file has "
                f"{known}.",
                (f"checks[{place}]",),
                "Add a column `reference`, or use another kind of check.",
            )


def _has_twins(seen: StudyEvidence, comparison: OutputSet) -> bool:
    outputs = seen.shown_outputs[comparison.item.id]
    texts = [outputs[place] for place in comparison.systems]
    return len(set(texts)) < len(texts)


def _twins(seen: StudyEvidence, comparisons: list[OutputSet]) -> str:
    """How often each two systems wrote the same, the most frequent first."""
    pairs: Counter[str] = Counter()
    for each in comparisons:
        outputs = seen.shown_outputs[each.item.id]
        for a, b in combinations(sorted(each.systems), 2):
            if outputs[a] == outputs[b]:
                pairs[f"{seen.study.system_ids[a]}/{seen.study.system_ids[b]}"] += 1
    return abridge([f"{pair} {number:,}" for pair, number in pairs.most_common()])


def _sets(number: int, size: int) -> str:
    return count(number, "pair") if size == 2 else f"{count(number, 'set')} of {size}"


def _outputs(seen: StudyEvidence, item: Item) -> Iterator[tuple[str, str | None]]:
    return zip(seen.study.system_ids, seen.shown_outputs[item.id], strict=True)


def _copying_systems(seen: StudyEvidence, item: Item) -> list[str]:
    text = seen.shown_inputs[item.id]
    return [system for system, output in _outputs(seen, item) if text and output == text]


def _says_nothing(text: str) -> bool:
    if _NO_TEXT.fullmatch(text):
        return True
    # An emoji is an answer, a row of dots is not.
    return bool(_NO_WORD.fullmatch(text)) and not any(unicodedata.category(c) == "So" for c in text)


def _page_columns(seen: StudyEvidence, item: Item) -> int:
    """The widest page of an item: its input with as many outputs as are shown side by side."""
    systems = len(seen.study.system_ids)
    size = max(question.shows(systems) for question in seen.study.spec.questions)
    widths = sorted((_columns(text) for text in item.outputs if text), reverse=True)
    return _columns(item.input) + sum(widths[:size])


def _columns(text: str) -> int:
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def _lines(seen: StudyEvidence, items: list[Item]) -> tuple[str, ...]:
    in_order = sorted(items, key=lambda item: item.line)
    return tuple(dict.fromkeys(seen.line(item) for item in in_order))


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
    listing: Counter[str] = Counter()
    places = []
    for item in seen.judged_items:
        leaks = [*_leaks_in_id(item, names), *_leaks_in_outputs(seen, item, names)]
        listing.update(leaks)
        if leaks:
            places.append(seen.line(item))
    if listing:
        found = [f"{where} {number:,}" for where, number in listing.most_common()]
        yield Violation(
            f"Participants can read the names of systems: {abridge(found)}.",
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
    for item in seen.judged_items:
        reference = page_text(item.reference or "")
        outputs = zip(seen.study.system_ids, seen.shown_outputs[item.id], strict=True)
        if len(reference) < _SHORTEST_REFERENCE:
            continue
        systems = [system for system, output in outputs if output == reference]
        equal.update(systems)
        if systems:
            places.append(seen.line(item))
    if equal:
        listing = abridge([f"{system} {number:,}" for system, number in equal.most_common()])
        yield Violation(
            f"Equal to the reference that is shown with it: {count(equal.total(), 'output')} "
            f"({listing}).",
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
    return [f"{in_quotes([name.word])} in ids" for name in names if _occurs(name, item.id.lower())]


def _leaks_in_outputs(seen: StudyEvidence, item: Item, names: list[_Name]) -> list[str]:
    leaks = []
    for place, output in enumerate(item.outputs):
        text = (output or "").lower()
        for name in names:
            if name.word not in text or (name.is_plain and name.system != place):
                continue
            if _occurs(name, text) and not _occurs(name, item.input.lower()):
                leaks.append(
                    f"{in_quotes([name.word])} in outputs of {seen.study.system_ids[place]}"
                )
    return leaks


def _occurs(name: _Name, text: str) -> bool:
    # The plain search first: it is fifty times quicker, and nearly always says no.
    return name.word in text and name.pattern.search(text) is not None
