"""The warnings and errors of the official form, exactly: same questions, levels and counts.

An untouched sheet has 42 warnings in 2.x and 41 in 3.0, and 20 or 21 more for each criterion. One
fault of the form is not repeated: for section 4 it looks for explanations of the open criterion
only. Everything else that is wrong or doubtful is found by `lint`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from rejudge.english import shorten
from rejudge.heds.convert import OLDER_NUMBER, convert, misread_answers
from rejudge.heds.sheet import Sheet, SheetCell, describe_answer
from rejudge.rules import SEVERITIES, Severity

FindingOrigin: TypeAlias = Literal["form", "lint"]
_COUNT: Final = re.compile(r"[0-9]+|N/A|")


@dataclass(frozen=True, slots=True)
class SheetFinding:
    """One problem of a sheet, and what to do about it."""

    rule: str
    severity: Severity
    question: str  # its number; empty: the sheet as a whole
    criterion: str | None
    says: str
    remedy: str = ""
    origin: FindingOrigin = "lint"


def finding(
    rule: str,
    severity: Severity,
    says: str,
    remedy: str = "",
    *,
    at: SheetCell | None = None,
    origin: FindingOrigin = "lint",
) -> SheetFinding:
    """A problem of the sheet, or of one of its answers."""
    number = at.question.number if at else ""
    return SheetFinding(rule, severity, number, at.criterion if at else None, says, remedy, origin)


def check(sheet: Sheet) -> tuple[SheetFinding, ...]:
    """What the official form complains about, in its order."""
    return tuple(found for cell in sheet.cells() for found in _of_cell(sheet, cell))


def _of_cell(sheet: Sheet, cell: SheetCell) -> Iterator[SheetFinding]:
    if cell.question.is_choice:
        yield from _choice(sheet, cell)
        return
    text = sheet.stored(cell).text
    if _is_blank(text):
        yield _form("blank", cell, "No answer.", "Answer it, or write N/A.")
    if cell.question.kind == "integer" and not _COUNT.fullmatch(text):
        says = f"'{text}' is neither a number in digits nor N/A."
        yield finding(
            "count", "error", says, "Write digits only, for instance 24.", at=cell, origin="form"
        )


def _choice(sheet: Sheet, cell: SheetCell) -> Iterator[SheetFinding]:
    answer = sheet.stored(cell)
    ticked = [cell.question.option(key) for key in answer.options]
    if not ticked:
        yield _form("no-option", cell, "No option is ticked.", "Tick at least one.")
    needed = [option for option in ticked if option.needs_text]
    if needed and _is_blank(answer.text):
        says = f"'{needed[0].name}' is ticked, but not explained."
        yield _form("no-explanation", cell, says, "Write the explanation that the option asks for.")
    alone = next((option for option in ticked if option.exclusive), None)
    if alone and len(ticked) > 1:
        says = f"'{alone.name}' is ticked together with other options."
        yield finding(
            "exclusive", "error", says, "Tick either it or the others.", at=cell, origin="form"
        )


def _form(rule: str, cell: SheetCell, says: str, remedy: str) -> SheetFinding:
    return finding(rule, "warning", says, remedy, at=cell, origin="form")


def _is_blank(text: str) -> bool:
    return not text.replace("\ufeff", "").strip()


_VALUE: Final = r"[-−+]?\d+(?:[.,]\d+)?"
_LABEL: Final = r"(?:\s*[(\[:=][^,;]*?|\s+[^\d\s,;–-][^,;]*?)?"
_BRACKETS: Final = re.compile(rf"[\[({{]\s*({_VALUE})\s*[,;]\s*({_VALUE})\s*[\])}}]")
_RANGE: Final = re.compile(
    rf"[\[(]?\s*({_VALUE})({_LABEL})\s*(?:-|–|—|−|\bto\b|\.\.+|…)\s*({_VALUE})({_LABEL})\s*[\])]?",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(
    rf"[\[({{]?({_VALUE})[\])}}]?(?:\s*[:=.)(\[–—-]\s*(.*)|\s+(.*))?", re.DOTALL
)
_FEW: Final = 2


@dataclass(frozen=True, slots=True)
class ParsedScale:
    """The values of a scale."""

    kind: Literal["numbers", "range", "labels"]
    values: tuple[str, ...]  # of a range, its ends
    labels: tuple[str, ...] = ()

    @property
    def size(self) -> int | None:
        """How many values there are; None for a range whose ends are not whole numbers."""
        if self.kind != "range":
            return len(self.values)
        low, high = (float(value) for value in self.values)
        whole = low.is_integer() and high.is_integer() and high >= low
        return int(high - low) + 1 if whole else None


def parse_scale(text: str) -> ParsedScale | None:
    """The scale that a text describes; None where it cannot be recognised."""
    words = " ".join(text.split()).rstrip(".")
    ends = _BRACKETS.fullmatch(words)
    if ends:
        return ParsedScale("range", (_plain(ends[1]), _plain(ends[2])))
    span = _RANGE.fullmatch(words)
    if span:
        labels = tuple(label.strip(" :=()[]") for label in (span[2], span[4]))
        return ParsedScale("range", (_plain(span[1]), _plain(span[3])), _said(labels))
    return _listed(_parts(text))


def _listed(parts: list[str]) -> ParsedScale | None:
    if len(parts) < _FEW:
        return None
    items = [_ITEM.fullmatch(part) for part in parts]
    if all(items):
        found = [item for item in items if item]
        labels = tuple((item[2] or item[3] or "").strip(" ()[]") for item in found)
        return ParsedScale("numbers", tuple(_plain(item[1]) for item in found), _said(labels))
    return ParsedScale("labels", tuple(parts), tuple(parts))


def _parts(text: str) -> list[str]:
    """The items of a list, separated by semicolons or lines, else by commas or slashes."""
    inner = text.strip().strip("[]{}")
    for sign in (";", "\n", ",", "/", "|"):
        parts = [part.strip() for part in _split_outside(inner, sign)]
        kept = [part for part in parts if part]
        if len(kept) >= _FEW:
            return kept
    return []


def _split_outside(text: str, sign: str) -> list[str]:
    """Split at a sign that is not inside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]" and depth > 0)
        if letter == sign and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _plain(number: str) -> str:
    value = float(number.replace("−", "-").replace(",", "."))
    return f"{value:g}"


def _said(labels: tuple[str, ...]) -> tuple[str, ...]:
    return labels if any(labels) else ()


_PLACEHOLDERS: Final = frozenset(
    ("tba", "tbc", "tbd", "todo", "xxx", "?", "??", "???", "…", "...", "to be added")
)
_LINK: Final = re.compile(r"\bhttps?://[^\s<>\"'\])}]+", re.IGNORECASE)
_GOOGLE: Final = re.compile(r"//(docs|drive|forms)\.(google|gle)\b", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"[\w.+%-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_AMOUNT: Final = re.compile(
    r"[€$£¥₹]\s*\d|\d\s*(?:€|£|\$|¥|₹|usd|eur|gbp|cad|aud|chf|jpy|dollars?|euros?|pounds?|pence"
    r"|cents?\b|per hour|an hour|/\s*h(?:our|r)?\b)|(?:usd|eur|gbp|cad|aud|chf|jpy)\s*\d",
    re.IGNORECASE,
)
_CROWD: Final = re.compile(
    r"prolific|mturk|mechanical turk|crowdflower|figure eight|appen\b|clickworker|toloka",
    re.IGNORECASE,
)
_POWER: Final = re.compile(r"power\b[^.\d\n]{0,40}([01]?\.\d+|\d{1,3}\s*%)", re.IGNORECASE)
_BARE_NUMBER: Final = re.compile(r"([-−]?\d*[.,]?\d+)\s*(%?)")
_ENOUGH: Final = 0.8
_E_MAILS: Final = ("1.3.1.3", "1.3.2.3")
_RELATIVE: Final = 3  # option of 4.3.8
_NO_SCALE: Final = 4  # option of 4.3.5
_PAIR: Final = 2
_PREFERENCE: Final = re.compile(r"\b(better|best|prefer\w*|wins?)\b", re.IGNORECASE)
_COEFFICIENT: Final = re.compile(r"[-−]?\d+(?:[.,]\d+)?")
_MUST_DIFFER: Final = ("4.3.1.1", "4.3.1.2", "4.3.2", "4.3.7", "4.3.11.2")
_AGREEMENT: Final = (("4.3.11.1", "4.3.11.2"), ("4.3.12.1", "4.3.12.2"))


def placeholders(sheet: Sheet) -> Iterator[SheetFinding]:
    """Answers that stand for an answer still to come."""
    for cell, answer in sheet.answers():
        said = answer.text.strip()
        if said.rstrip(".!").casefold() in _PLACEHOLDERS or said in _PLACEHOLDERS:
            remedy = "Answer the question before the sheet is published."
            yield finding("placeholder", "error", f"'{said}' is a placeholder.", remedy, at=cell)


def links(sheet: Sheet) -> Iterator[SheetFinding]:
    """Links that are not secure, or that only some people can open."""
    for cell, answer in sheet.answers():
        for link in dict.fromkeys(_LINK.findall(answer.text)):
            if link[:5].casefold() == "http:":
                remedy = "Use https, or a DOI."
                yield finding("link", "warning", f"{link} is not secure.", remedy, at=cell)
            if _GOOGLE.search(link):
                says = f"{link} can be changed or closed at any time."
                remedy = "Put a copy into a public archive and link that."
                yield finding("link", "warning", says, remedy, at=cell)


def addresses(sheet: Sheet) -> Iterator[SheetFinding]:
    """E-mail addresses that are wrong, or where none is asked for."""
    for cell, answer in sheet.answers():
        found = _ADDRESS.findall(answer.text)
        if cell.question.number not in _E_MAILS:
            if found:
                says = f"The answer contains an e-mail address: {found[0]}."
                remedy = "Datasheets are published; remove it unless its owner agrees."
                yield finding("e-mail", "warning", says, remedy, at=cell)
        elif answer.state == "value" and not found:
            says = f"'{answer.text.strip()}' is not an e-mail address."
            yield finding("e-mail", "warning", says, "Correct it, or write N/A.", at=cell)


def sample_size(sheet: Sheet) -> Iterator[SheetFinding]:
    """A number of outputs that programs cannot read."""
    cell, answer = SheetCell(sheet.schema.question("3.1.1")), sheet.answer("3.1.1")
    if answer.state == "value" and not re.match(r"\s*\d", answer.text):
        says = "The answer does not begin with the number of outputs."
        remedy = "Begin with the number per system, then explain."
        yield finding("sample-size", "warning", says, remedy, at=cell)


def power(sheet: Sheet) -> Iterator[SheetFinding]:
    """A statistical power that is impossible, or too low to detect what was looked for."""
    cell, answer = SheetCell(sheet.schema.question("3.1.3.2")), sheet.answer("3.1.3.2")
    if answer.state != "value":
        return
    stated = _stated_power(answer.text)
    if any(not 0 <= value <= 1 for value in stated):
        says = f"A statistical power lies between 0 and 1, but the answer is {answer.text.strip()}."
        yield finding("power", "warning", says, "Correct it.", at=cell)
    elif any(value < _ENOUGH for value in stated):
        says = f"The statistical power is {min(stated):g}, below the usual {_ENOUGH}."
        yield finding("power", "warning", says, "Discuss what could be missed.", at=cell)


def pay(sheet: Sheet) -> Iterator[SheetFinding]:
    """Evaluators who are paid, but it is not said how much."""
    cell = SheetCell(sheet.schema.question("3.2.2.2"))
    if sheet.answer(cell.question).options != (1,):
        return
    if not any(_AMOUNT.search(answer.text) for _, answer in sheet.answers()):
        says = "Evaluators are paid, but no answer says how much."
        yield finding("pay", "warning", says, "Add the amount to 3.2.3 or 3.2.5.", at=cell)


def crowd(sheet: Sheet) -> Iterator[SheetFinding]:
    """Evaluators from a platform who are said to be known to the authors, or authors."""
    platform = _CROWD.search(sheet.answer("3.2.3").text)
    for number, who in (("3.2.2.3", "known to the authors"), ("3.2.2.4", "authors")):
        cell = SheetCell(sheet.schema.question(number))
        if platform and 1 in sheet.answer(number).options:
            says = f"Evaluators are {who}, but were recruited on {platform[0]} according to 3.2.3."
            yield finding("crowd", "warning", says, "Check both answers.", at=cell)


def quality_assurance(sheet: Sheet) -> Iterator[SheetFinding]:
    """No quality assurance, but its details are given."""
    cell = SheetCell(sheet.schema.question("3.3.3.2"))
    is_none = sheet.answer("3.3.3.1").options == (7,)
    if is_none and sheet.answer("3.3.3.2").state == "value":
        says = "3.3.3.1 says that no quality assurance is used, but this answer describes some."
        yield finding("quality-assurance", "warning", says, "Check both answers.", at=cell)


def conditions(sheet: Sheet) -> Iterator[SheetFinding]:
    """Evaluators at places of their own choosing, but conditions do not vary."""
    cell = SheetCell(sheet.schema.question("3.3.8"))
    if 1 in sheet.answer("3.3.7").options and sheet.answer("3.3.8").state == "absent":
        says = "Evaluators work at places of their own choosing (3.3.7), so conditions vary."
        yield finding("conditions", "warning", says, "Say how: device, place, time.", at=cell)


def _stated_power(text: str) -> list[float]:
    bare = _BARE_NUMBER.fullmatch(text.strip())
    said = ["".join(bare.groups())] if bare else _POWER.findall(text)
    return [_share(each) for each in said]


def _share(said: str) -> float:
    number = float(said.rstrip("% ").replace("−", "-").replace(",", "."))
    return number / 100 if said.endswith("%") else number


ANSWER_RULES: Final[tuple[Callable[[Sheet], Iterator[SheetFinding]], ...]] = (
    placeholders,
    links,
    addresses,
    sample_size,
    power,
    pay,
    crowd,
    quality_assurance,
    conditions,
)


def scale_size(sheet: Sheet) -> Iterator[SheetFinding]:
    """A scale size that is not the number of values."""
    for name in sheet.criteria:
        cell = sheet.cell("4.3.3", name)
        size, listed = sheet.answer("4.3.3", name), sheet.answer("4.3.4", name)
        found = re.match(r"\s*(\d{1,15})\b(?!\s*[-–.,]\d)", size.text)
        scale = parse_scale(listed.text) if listed.state == "value" else None
        if found and scale and scale.size is not None and int(found[1]) != scale.size:
            says = f"The size is {found[1]}, but '{listed.text.strip()}' has {scale.size} values."
            yield finding("scale-size", "warning", says, "Correct one of the two.", at=cell)


def scale_values(sheet: Sheet) -> Iterator[SheetFinding]:
    """Scale values that cannot be read, or whose ends are not labelled."""
    for name in sheet.criteria:
        cell, answer = sheet.cell("4.3.4", name), sheet.answer("4.3.4", name)
        if answer.state != "value":
            continue
        scale = parse_scale(answer.text)
        if scale is None:
            says = f"The values of the scale cannot be read from '{shorten(answer.text, 60)}'."
            remedy = "List them: 1 (bad), 2, 3 (good); or give both ends: [0, 100]."
            yield finding("scale-values", "warning", says, remedy, at=cell)
        elif not scale.labels:
            says = "The answer does not say what the values of the scale mean."
            remedy = "Add the labels that evaluators see: 1 (bad), 2, 3 (good)."
            yield finding("scale-labels", "note", says, remedy, at=cell)


def scale_or_task(sheet: Sheet) -> Iterator[SheetFinding]:
    """Either there is a scale, or a task without one."""
    for name in sheet.criteria:
        size, shown, task = (sheet.answer(each, name) for each in ("4.3.3", "4.3.5", "4.3.6"))
        if size.state == "absent" and shown.options and _NO_SCALE not in shown.options:
            says = "There is no scale according to 4.3.3, but this answer says how it is shown."
            yield _contradiction(sheet, "4.3.5", name, says)
        if size.state == task.state == "absent":
            says = "There is neither a scale (4.3.3) nor a task without one."
            yield _contradiction(sheet, "4.3.6", name, says)
        if size.state == task.state == "value":
            says = "A task without a scale is described, but 4.3.3 gives the size of one."
            yield _contradiction(sheet, "4.3.6", name, says)


def mode(sheet: Sheet) -> Iterator[SheetFinding]:
    """Relative evaluation is elicited by relative responses, absolute evaluation is not."""
    for name in sheet.criteria:
        kind, form = sheet.answer("4.2.2", name).options, sheet.answer("4.3.8", name).options
        values = sheet.answer("4.3.4", name).text
        if kind == (2,) and form and form != (_RELATIVE,):
            says = "The evaluation is relative (4.2.2), but the form of response is not."
            yield _contradiction(sheet, "4.3.8", name, says)
        elif kind == (1,) and form == (_RELATIVE,):
            says = "The evaluation is absolute, but the form of response is relative (4.3.8)."
            yield _contradiction(sheet, "4.2.2", name, says)
        elif kind == (1,) and _is_preference(values):
            says = f"The evaluation is absolute, but the scale compares: '{shorten(values, 60)}'."
            yield _contradiction(sheet, "4.2.2", name, says)


def agreement(sheet: Sheet) -> Iterator[SheetFinding]:
    """A coefficient of agreement and its value belong together."""
    alone = sheet.answer("3.2.1").text.strip() == "1"
    for name in sheet.criteria:
        for method_number, value_number in _AGREEMENT:
            method, value = (sheet.answer(each, name) for each in (method_number, value_number))
            if method.state == "value" and value.state == "absent":
                says = f"{method_number} names a method, but there is no value."
                yield _contradiction(sheet, value_number, name, says)
            if value.state == "value" and method.state == "absent":
                says = f"There is a value, but no method in {method_number}."
                yield _contradiction(sheet, value_number, name, says)
            if _is_impossible(value.text):
                says = f"Agreement lies between −1 and 1, but the answer is {value.text.strip()}."
                yield _contradiction(sheet, value_number, name, says)
        if alone and sheet.answer("4.3.11.1", name).state == "value":
            says = "There is one evaluator (3.2.1), but agreement between evaluators is reported."
            yield _contradiction(sheet, "4.3.11.1", name, says)


def same_answers(sheet: Sheet) -> Iterator[SheetFinding]:
    """The same text for all criteria where each needs its own."""
    if len(sheet.criteria) < _PAIR:
        return
    for number in _MUST_DIFFER:
        answers = [sheet.answer(number, name) for name in sheet.criteria]
        texts = {" ".join(answer.text.split()).casefold() for answer in answers}
        if len(texts) == 1 and all(answer.state == "value" for answer in answers):
            says = "All criteria have the same answer."
            remedy = "Check that it was not copied by mistake."
            cell = SheetCell(sheet.schema.question(number))
            yield finding("same-answer", "warning", says, remedy, at=cell)


def _contradiction(sheet: Sheet, number: str, criterion: str, says: str) -> SheetFinding:
    rule = "agreement" if number.startswith(("4.3.11", "4.3.12")) else "mode"
    if number in {"4.3.5", "4.3.6"}:
        rule = "scale-or-task"
    return finding(rule, "warning", says, "Check both answers.", at=sheet.cell(number, criterion))


def _is_preference(values: str) -> bool:
    scale = parse_scale(values)
    is_pair = scale is not None and scale.kind == "labels" and scale.size == _PAIR
    return is_pair and bool(_PREFERENCE.search(values))


def _is_impossible(text: str) -> bool:
    said = _COEFFICIENT.fullmatch(text.strip())
    return said is not None and abs(float(said[0].replace("−", "-").replace(",", "."))) > 1


CRITERION_RULES: Final[tuple[Callable[[Sheet], Iterator[SheetFinding]], ...]] = (
    scale_size,
    scale_values,
    scale_or_task,
    mode,
    agreement,
    same_answers,
)


_Rule: TypeAlias = Callable[[Sheet], Iterator[SheetFinding]]
_CONTENT: Final[tuple[_Rule, ...]] = (*ANSWER_RULES, *CRITERION_RULES)
_AUTOMATIC, _PEOPLE_EXCLUDED, _RESPONSES_EXCLUDED = 2, 4, 5  # options of 3.3.3.1
_NONE: Final[Mapping[str, int]] = MappingProxyType({})


def lint(sheet: Sheet, facts: StudyFacts | None = None) -> tuple[SheetFinding, ...]:
    """Everything that is wrong or doubtful, the gravest first."""
    found = [each for rule in FILE_RULES for each in rule(sheet)]
    found += _content_findings(sheet, facts)
    order = {severity: place for place, severity in enumerate(SEVERITIES)}
    return tuple(sorted(found, key=lambda each: order[each.severity]))


def _content_findings(sheet: Sheet, facts: StudyFacts | None) -> list[SheetFinding]:
    """Rules are written for 3.0; of a 2.x sheet its conversion is read, under its own numbers."""
    newer = sheet if sheet.version == "3.0" else convert(sheet).sheet
    found = [each for rule in _CONTENT for each in rule(newer)]
    found += study_findings(newer, facts) if facts else ()
    if sheet.version == "3.0":
        return found
    known = [each for each in found if each.rule != "conditions" and each.question != "4.3.1.2"]
    return [
        replace(each, question=OLDER_NUMBER.get(each.question, each.question)) for each in known
    ]


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """What a study's files show; None: they do not show it."""

    evaluators: int | None = None  # whose judgments are in the results
    outputs_per_system: int | None = None
    excluded_participants: int | None = None
    excluded_judgments: int | None = None
    has_attention_checks: bool | None = None
    scale_sizes: Mapping[str, int] = field(default_factory=lambda: _NONE)  # by criterion


def study_findings(sheet: Sheet, facts: StudyFacts) -> tuple[SheetFinding, ...]:
    """Answers that contradict the study; the sheet is one of 3.0."""
    return (
        *_wrong_numbers(sheet, facts),
        *_wrong_checks(sheet, facts),
        *_wrong_scales(sheet, facts),
    )


def _wrong_numbers(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    known = {
        "3.1.1": (facts.outputs_per_system, "outputs per system were judged"),
        "3.2.1": (facts.evaluators, "evaluators have judgments in the results"),
    }
    for number, (value, what) in known.items():
        said = re.match(r"\s*(\d{1,15})(?!\d)", sheet.answer(number).text)
        if value is not None and said and int(said[1]) != value:
            says = f"The answer is {said[1]}, but in the study {value} {what}."
            yield _study_finding(sheet, number, says)


def _wrong_checks(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    ticked = sheet.answer("3.3.3.1").options
    if _PEOPLE_EXCLUDED in ticked and facts.excluded_participants == 0:
        yield _study_finding(sheet, "3.3.3.1", "No evaluator was excluded in the study.")
    if _RESPONSES_EXCLUDED in ticked and facts.excluded_judgments == 0:
        yield _study_finding(sheet, "3.3.3.1", "No judgment was excluded in the study.")
    if facts.has_attention_checks and ticked and _AUTOMATIC not in ticked:
        says = "The study has attention checks, but automatic checks are not ticked."
        yield _study_finding(sheet, "3.3.3.1", says)


def _wrong_scales(sheet: Sheet, facts: StudyFacts) -> Iterator[SheetFinding]:
    for name, size in facts.scale_sizes.items():
        if name not in sheet.criteria:
            continue
        said = re.match(r"\s*(\d{1,15})\b", sheet.answer("4.3.3", name).text)
        if said and int(said[1]) != size:
            says = f"The size is {said[1]}, but the scale of the study has {size} values."
            yield _study_finding(sheet, "4.3.3", says, name)


def _study_finding(
    sheet: Sheet, number: str, says: str, criterion: str | None = None
) -> SheetFinding:
    cell = SheetCell(sheet.schema.question(number), criterion)
    return finding("study", "warning", says, "Correct the answer, or explain it.", at=cell)


def mixed_version(sheet: Sheet) -> Iterator[SheetFinding]:
    """A 2.x sheet that was opened and saved in the form of 3.0, which misreads it."""
    if not sheet.is_mixed:
        return
    doubtful = "; ".join(
        f"{cell} {describe_answer(cell.question, answer)}"
        for cell, answer in misread_answers(sheet)
    )
    says = (
        f"A 2.x sheet was opened in the form of 3.0, which misreads it: {doubtful or 'no answer'}."
    )
    yield finding(
        "mixed-version", "error", says, "Convert the file as it was before it was opened there."
    )


def several_options(sheet: Sheet) -> Iterator[SheetFinding]:
    """Two ticks where one is allowed."""
    for cell in sheet.cells():
        if cell.question.kind == "single" and len(sheet.stored(cell).options) > 1:
            says = "Two options are ticked where one is allowed; the form of 3.0 keeps the last."
            yield finding("two-options", "error", says, "Choose one.", at=cell)


def leftovers(sheet: Sheet) -> Iterator[SheetFinding]:
    """What the file holds beside its answers."""
    for name in sheet.orphans:
        says = f"Answers on the deleted criterion '{name}' are still stored."
        remedy = (
            f"Remove them with `rejudge heds convert --prune`, or restore the criterion '{name}'."
        )
        yield finding("orphan", "warning", says, remedy)
    for hidden in sheet.hidden_texts:
        cell = SheetCell(hidden.question, hidden.criterion)
        says = f"An explanation is stored that the form hides: '{shorten(hidden.text, 60)}'."
        remedy = "Tick the option that it belongs to, or run `rejudge heds convert --prune`."
        yield finding("hidden-text", "warning", says, remedy, at=cell)


FILE_RULES: Final[tuple[_Rule, ...]] = (
    mixed_version,
    several_options,
    leftovers,
)
