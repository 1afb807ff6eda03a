"""Rules about answers: placeholders, links, pay and power; criteria that contradict themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from rejudge.heds.check import SheetFinding, finding
from rejudge.heds.scales import parse_scale
from rejudge.heds.sheet import Sheet, SheetCell

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
            says = f"The values of the scale cannot be read from '{_shorten(answer.text)}'."
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
            says = f"The evaluation is absolute, but the scale compares: '{_shorten(values)}'."
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


def _shorten(text: str, longest: int = 60) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


CRITERION_RULES: Final[tuple[Callable[[Sheet], Iterator[SheetFinding]], ...]] = (
    scale_size,
    scale_values,
    scale_or_task,
    mode,
    agreement,
    same_answers,
)
