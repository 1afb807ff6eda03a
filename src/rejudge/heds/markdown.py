"""A sheet as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rejudge.heds.printing import (
    NO_ANSWER,
    PrintedAnswer,
    PrintedSection,
    printed_sections,
    split_links,
)
from rejudge.heds.sheet import Sheet

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>|~$])")
_AT_START: Final = re.compile(r"^(\s*\d*)([#+=.)-])")


def to_markdown_sheet(sheet: Sheet) -> str:
    """The sheet with a heading for each section and a paragraph for each answer."""
    lines = [f"# Human Evaluation Datasheet (HEDS {sheet.version})", ""]
    for printed in printed_sections(sheet):
        lines += _section(printed)
    return "\n".join(lines)


def _section(printed: PrintedSection) -> Iterator[str]:
    section = printed.section
    if printed.criterion is not None and section.number == "4.1":
        yield from (f"### {_escape(printed.criterion)}", "")
    if section.level == 1 or printed.answers:
        deeper = 1 if printed.criterion is not None else 0
        yield from ("#" * (min(section.level, 2) + 1 + deeper) + f" {printed.title}", "")
    for each in printed.answers:
        yield from _answer(each)


def _answer(each: PrintedAnswer) -> Iterator[str]:
    yield f"**{each.question.number} {_escape(each.question.label)}**"
    yield ""
    for option in each.chosen:
        yield f"- {_escape(option.name)}"
    if each.chosen:
        yield ""
    text = each.answer.text.strip()
    if text:
        yield from _quoted(text)
    elif each.state == "blank":
        yield from (f"*{NO_ANSWER}*", "")


def _quoted(text: str) -> Iterator[str]:
    """A quotation, in which every line stays a line."""
    lines = [_line(line) for line in text.replace("\r\n", "\n").split("\n")]
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        yield f"> {line}\\" if line and after else f"> {line}".rstrip()
    yield ""


def _line(line: str) -> str:
    return "".join(
        f"<{words}>" if kind == "link" else _escape(words)
        for kind, words in split_links(line.strip())
    )


def _escape(text: str) -> str:
    """Text as it is, not as markup: neither emphasis, nor links, nor the beginning of a list."""
    plain = _SPECIAL.sub(r"\\\1", text.replace("&", "&amp;"))
    return _AT_START.sub(r"\1\\\2", plain)
