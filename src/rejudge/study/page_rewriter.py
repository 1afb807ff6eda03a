"""Rewrites HTML from a list of allowed elements and attributes, and notes what it asks for."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from html.parser import HTMLParser
from typing import Final

from rejudge.errors import Problem, StudyError
from rejudge.study.page_elements import (
    ATTRIBUTES,
    BLOCKS,
    CROWD,
    DATA_IMAGE,
    DEEPEST,
    LABELLED,
    LEFT_OUT,
    LOADED,
    PLACEHOLDER,
    PLAIN,
    STATES,
    UNSEEN_INPUTS,
    VOID,
    LayoutControl,
    categories,
    control_of,
    input_type,
)
from rejudge.study.page_visibility import visible_sheet, visible_style

_LOADS = re.compile(r"url\s*\(|expression|@import|\\", re.IGNORECASE)
_STYLE_LOADS = re.compile(r"@import[^;]*;?|url\s*\([^)]*\)?|expression\s*\(", re.IGNORECASE)
_CONTROLS: Final = frozenset({"input", "select", "textarea"})
_OFTEN_OPEN: Final = frozenset({"p", "li", "tr", "td", "th", "dt", "dd", "option", "tbody"})
_LONGEST: Final = 1_000_000  # characters of a page; Mechanical Turk takes 65,535
_MOST_UNCLOSED: Final = 20  # at the end: for each, the library reads all the rest
_MOST_VALUES: Final = 1_000  # of one field


@dataclass(frozen=True, slots=True)
class FieldTarget:
    """Where the answers of a layout's field go."""

    name: str  # of the control in the study's own form, such as 3:meaning
    answers: Mapping[str, str] = field(default_factory=dict)  # raw answers by what the field sends


@dataclass(frozen=True, slots=True)
class Filling:
    """What a layout is filled with."""

    values: Mapping[str, str] | None  # by placeholder; None: `${…}` is text
    html_columns: Collection[str] = ()  # whose values have markup, which is cleaned
    fields: Mapping[str, FieldTarget] | None = None  # None: a picture of the page, with all fields
    empty: Mapping[str, int] = field(default_factory=dict)  # placeholders and fields without a task
    prefix: str = ""  # of ids, where a page repeats the layout
    hidden: Collection[int] = ()  # start tags of parts that nobody has to see


def placeholders_of(html: str) -> tuple[str, ...]:
    """The names in `${…}`, each once, in the order of the layout."""
    return tuple(dict.fromkeys(PLACEHOLDER.findall(html)))


class PageRewriter(HTMLParser):
    """Rewrites one layout."""

    def __init__(self, filling: Filling) -> None:
        super().__init__(convert_charrefs=True)
        self.left_out: set[str] = set()
        self.untranslated: set[str] = set()
        self.repaired: dict[str, None] = {}  # faults of the markup, which browsers read otherwise
        self._filling = filling
        self._out: list[str] = []
        self._open: list[tuple[str, str]] = []  # tags of the layout and what closes them
        self._inside: Counter[str] = Counter()  # the same tags, counted
        self._skipped: list[str] = []  # elements that are left out with their content
        self._sheet: list[str] | None = None  # a style sheet that is being read
        self._fields: dict[str, LayoutControl] = {}
        self._option: tuple[str, list[str]] | None = None  # field and words of an open option
        self._is_chosen = False  # whether it is chosen in advance
        self._number = 0  # of the last start tag
        self._paragraphs: list[list[str]] = [[]]
        self._first_placeholder: int | None = None  # the block that it is in

    def rewrite(self, html: str) -> str:
        """The same page from allowed parts alone; a StudyError if it would take too long."""
        _refuse_slow(html)
        self.feed(html)
        self.close()
        self._end_sheet()
        while self._open:
            tag, closing = self._open.pop()
            self._note_repair(tag, f"<{tag}> is never closed")
            self._out.append(closing)
        return "".join(self._out)

    def controls(self) -> tuple[LayoutControl, ...]:
        """The fields that were found, in their order."""
        return tuple(self._fields.values())

    def introduction(self) -> tuple[str, ...]:
        """Everything before the block in which the first placeholder is."""
        before = self._paragraphs[: self._first_placeholder]
        joined = (" ".join(" ".join(words).split()) for words in before)
        return tuple(text for text in joined if text)

    # ── what the parser calls ────────────────────────────────────────────────────────────────────

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep, translate or leave out an element."""
        self._number += 1
        if self._skipped or tag in LEFT_OUT:
            if tag in LEFT_OUT:
                self._skipped.append(tag)
                self.left_out.add(tag)
            return
        given = {name: value or "" for name, value in attrs}
        if tag == "style":
            self._sheet = []
        elif tag in LOADED:
            self._replace_loaded(tag, given)
        else:
            if tag in BLOCKS:
                self._paragraphs.append([])
            if len(self._open) <= DEEPEST:
                self._note_control(tag, given)
                self._write_start(tag, given)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._note_repair(tag, f"<{tag}/> closes nothing")
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what is open; an end without a beginning is left out."""
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.pop()
            return
        if tag == "style":
            self._end_sheet()
        if tag in {"option", "select"}:
            self._end_option()
        if not self._inside[tag]:
            return
        self._close(tag)

    def _close(self, tag: str) -> None:
        while True:
            name, closing = self._open.pop()
            self._inside[name] -= 1
            self._out.append(closing)
            if name == tag:
                return
            self._note_repair(name, f"<{name}> is never closed")

    def handle_data(self, data: str) -> None:
        """Text, with its placeholders filled."""
        if self._skipped:
            return
        if self._sheet is not None:
            self._sheet.append(data)
            return
        if self._option is not None:
            self._option[1].append(data)
        self._note_words(data)
        self._out.append(self._escaped(data))

    def parse_marked_section(self, i: int, report: int = 1) -> int:  # noqa: ARG002 - of the library
        """Skip `<![if …]>` of office programs, which the library takes for a fault."""
        end = self.rawdata.find(">", i)
        return end + 1 if end >= 0 else -1

    # ── writing ──────────────────────────────────────────────────────────────────────────────────

    def _write_start(self, tag: str, given: Mapping[str, str]) -> None:
        plain = CROWD.get(tag, tag)
        if plain not in PLAIN:
            self._note_unknown(tag, given)
            return
        if self._is_unseen(plain, given):
            return
        if plain == "form" and self._filling.fields is not None:
            plain = "div"
        attributes = dict(self._attributes(tag, plain, given))
        before, after = ("<label>", "</label>") if tag in LABELLED else ("", "")
        self._out.append(f"{before}<{plain}{_spell(attributes)}>")
        if tag == "crowd-classifier":
            self._write_classifier(given)
        if plain == "select" and self._filling.fields is not None:
            self._out.append('<option value=""></option>')  # nothing is chosen in advance
        closing = after if plain in VOID else f"</{plain}>{after}"
        if closing:
            self._open.append((tag, closing))
            self._inside[tag] += 1

    def _note_unknown(self, tag: str, given: Mapping[str, str]) -> None:
        """An element without a counterpart; what is in it is shown."""
        if tag.startswith("crowd-"):
            self.untranslated.add(tag)
            self._out.append(f"<p>[{escape(tag)}: not shown]</p>")
        elif tag == "a" and given.get("href", "#")[:1] != "#":
            self.left_out.add("a")

    def _is_unseen(self, plain: str, given: Mapping[str, str]) -> bool:
        """Buttons that send, hidden fields, and fields that nobody may be asked to fill in."""
        kind = given.get("type", "").lower()
        if plain != "input" or kind not in UNSEEN_INPUTS:
            return False
        if kind in {"file", "password"}:
            self.left_out.add(f"input type={kind}")
        return True

    def _write_classifier(self, given: Mapping[str, str]) -> None:
        self._out.append(f"<legend>{self._escaped(given.get('header', ''))}</legend>")
        for each in categories(given):
            radio = {"type": "radio", "name": given.get("name", ""), "value": each}
            attributes = dict(self._attributes("input", "input", radio))
            self._out.append(f"<label><input{_spell(attributes)}>{escape(each)}</label> ")

    def _attributes(
        self, tag: str, plain: str, given: Mapping[str, str]
    ) -> Iterator[tuple[str, str]]:
        if plain in {"input", "button"}:
            yield "type", input_type(tag, plain, given)
        if tag == "crowd-checkbox" and "value" not in given:
            yield "value", "true"
        left = {"type", *(STATES if self._filling.fields is not None else ())}
        for name, value in given.items():
            if name in ATTRIBUTES and name not in left and plain != "form":
                filled = self._attribute(name, value)
                if filled is not None:
                    yield name, filled
        if self._number in self._filling.hidden:
            yield "hidden", ""
        if plain == "details":
            yield "open", ""
        yield from self._field_attributes(plain, given)

    def _attribute(self, name: str, value: str) -> str | None:
        """What an attribute says here; None for a style that says nothing or loads something."""
        filled = self._filled(value)
        if name in {"id", "for"}:
            return self._filling.prefix + filled
        if name != "style":
            return filled
        kept = visible_style(filled)
        return kept if kept and _LOADS.search(kept) is None else None

    def _field_attributes(self, plain: str, given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The name under which a field is known outside; fields that ask nothing are not shown."""
        fields = self._filling.fields
        if fields is None or plain not in {*_CONTROLS, "button"}:
            return
        name = given.get("name", "").strip()
        target = fields.get(name)
        if target is not None and plain != "button":
            yield "name", target.name
            if target.answers:
                yield "data-answers", json.dumps(dict(target.answers))
            return
        yield "name", ""
        yield "hidden", ""
        yield "disabled", ""
        if name in self._filling.empty:
            yield "data-empty", str(self._filling.empty[name])

    def _filled(self, text: str) -> str:
        """A text with its placeholders replaced, once; values are not scanned again."""
        if self._filling.values is None:
            return text
        values = self._filling.values
        return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)

    def _escaped(self, text: str) -> str:
        """The same as HTML; columns with markup are cleaned instead of escaped."""
        if self._filling.values is None:
            return escape(text)
        parts = PLACEHOLDER.split(text)  # every second one is a name
        texts = [self._value(each) if n % 2 else escape(each) for n, each in enumerate(parts)]
        return "".join(texts)

    def _value(self, name: str) -> str:
        if name in self._filling.empty:
            return f'<span data-empty="{self._filling.empty[name]}"></span>'
        value = (self._filling.values or {}).get(name, f"${{{name}}}")
        if name in self._filling.html_columns:
            fields: Mapping[str, FieldTarget] = {}  # a value asks for nothing
            with suppress(StudyError):  # markup that takes too long to read is shown as text
                return PageRewriter(Filling(None, fields=fields)).rewrite(value)
        return escape(value)

    def _replace_loaded(self, tag: str, given: Mapping[str, str]) -> None:
        source = self._filled(given.get("src", "")).strip()
        if tag == "img" and DATA_IMAGE.fullmatch(source):
            kept = {name: given[name] for name in ("alt", "width", "height") if name in given}
            self._out.append(f"<img{_spell({'src': source, **kept})}>")
            return
        self.left_out.add(tag)
        if tag == "img":
            words = given.get("alt") or given.get("src") or ""
            self._out.append(f"<span>[image: {self._escaped(words)}]</span>")

    def _end_sheet(self) -> None:
        """A style sheet of the layout itself, without what it would load."""
        if self._sheet is None:
            return
        sheet = "".join(self._sheet).replace("<!--", "").replace("-->", "")
        kept = _STYLE_LOADS.sub("", sheet)
        self._sheet = None
        if kept != sheet:
            self.left_out.add("style that loads")
        if "<" in kept or self._filling.values is None:  # it could end the element early
            self.left_out.add("style")
        elif kept.strip():
            self._out.append(f"<style>{visible_sheet(kept)}</style>")

    # ── what is noted ────────────────────────────────────────────────────────────────────────────

    def _note_repair(self, tag: str, what: str) -> None:
        if tag in PLAIN and tag not in _OFTEN_OPEN:
            self.repaired[what] = None

    def _note_words(self, data: str) -> None:
        if self._first_placeholder is None and PLACEHOLDER.search(data):
            self._first_placeholder = len(self._paragraphs) - 1
        is_choice = self._inside["option"] or self._inside["select"]
        if self._first_placeholder is None and not is_choice:
            self._paragraphs[-1].append(data)

    def _note_control(self, tag: str, given: Mapping[str, str]) -> None:
        if tag == "option":
            self._note_option(given)
            return
        name = given.get("name", "").strip()
        found = control_of(tag, given, "")
        if not name or found is None:
            return
        before = self._fields.get(name)
        if before is not None:
            values = dict.fromkeys((*before.values, *found.values))
            required = before.is_required or found.is_required
            chosen = (*before.chosen, *found.chosen)
            found = replace(before, values=tuple(values), is_required=required, chosen=chosen)
            _refuse_values(found)
        self._fields[name] = found

    def _note_option(self, given: Mapping[str, str]) -> None:
        """An option belongs to the select around it, which was noted last."""
        self._end_option()
        if not self._inside["select"] or not self._fields:
            return
        name = next(reversed(self._fields))
        self._is_chosen = "selected" in given
        if "value" not in given:
            self._option = (name, [])  # then its text is its value
        else:
            self._add_value(name, given["value"])

    def _end_option(self) -> None:
        if self._option is not None:
            name, words = self._option
            self._option = None
            self._add_value(name, " ".join("".join(words).split()))

    def _add_value(self, name: str, value: str) -> None:
        before = self._fields[name]
        if value and value not in before.values:
            chosen = (*before.chosen, value) if self._is_chosen else before.chosen
            values = (*before.values, value)
            self._fields[name] = replace(before, values=values, chosen=chosen)
            _refuse_values(self._fields[name])


def _refuse_slow(html: str) -> None:
    if len(html) > _LONGEST:
        what = f"the page has {len(html):,} characters; at most {_LONGEST:,} are read."
        raise StudyError(Problem(what, "Check that it is the right file."))
    unclosed = html.count("<", html.rfind(">") + 1) + html.count("<!--", html.rfind("-->") + 1)
    if unclosed > _MOST_UNCLOSED:
        what = f"{unclosed:,} elements or comments are begun with < and never closed."
        raise StudyError(Problem(what, "Check that the file is HTML; write &lt; in texts."))


def _refuse_values(found: LayoutControl) -> None:
    if len(found.values) > _MOST_VALUES:
        what = f"the field '{found.name[:60]}' has more than {_MOST_VALUES:,} values."
        raise StudyError(Problem(what, "Check that it is the right file."))


def _spell(attributes: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
