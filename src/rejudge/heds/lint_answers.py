"""Rules about single answers: placeholders, links, addresses, power, pay, quality assurance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from rejudge.heds.findings import SheetFinding, finding
from rejudge.heds.sheet import Sheet, SheetCell

_PLACEHOLDERS: Final = frozenset(
    ("tba", "tbc", "tbd", "todo", "xxx", "?", "??", "???", "…", "...", "to be added")
)
_LINK: Final = re.compile(r"\bhttps?://[^\s<>\"'\])}]+", re.IGNORECASE)
_GOOGLE: Final = re.compile(r"//(docs|drive|forms)\.(google|gle)\b", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
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
