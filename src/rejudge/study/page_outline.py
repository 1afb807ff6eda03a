"""What stands around the fields of a layout: the words that ask, labels, and whether it is hidden.

A field's own part of the page is the largest element that has no other field in it. Its words are
looked for there, from the inside out: before the field, then below it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import takewhile
from typing import Final

from rejudge.study.page_elements import (
    BLOCKS,
    DEEPEST,
    LABELLED,
    LEFT_OUT,
    LOADED,
    PLACEHOLDER,
    VOID,
    control_of,
)
from rejudge.study.page_visibility import HidingStyles

_CHOICES: Final = frozenset({"label", "option", "button", "select", *LABELLED})
_RUNS: Final = frozenset({*BLOCKS, *_CHOICES, "fieldset", "legend", "table", "form"})
_HEADINGS: Final = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
_CLOSED_BY_THE_NEXT: Final = frozenset({"p", "li", "tr", "td", "th", "dt", "dd", "option"})
_LISTS: Final = frozenset({"table", "ul", "ol", "dl", "select", "div", "form", "fieldset"})
_FEWEST_LETTERS: Final = 3  # one or two name an option
_LONGEST_LABEL: Final = 40
_LONGEST_WORDS: Final = 2_000  # of one value; more are the page around it
_NUMBER = re.compile(r"[\d\s.,/()-]*")


@dataclass(frozen=True, slots=True)
class FieldContext:
    """What people read beside a field."""

    prompt: str
    labels: Mapping[str, str]  # words by value of the field
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class HiddenPart:
    """An element that the page hides until a script shows it."""

    number: int  # of its start tag
    fields: frozenset[str]
    has_texts: bool  # placeholders


@dataclass(frozen=True, slots=True)
class PageOutline:
    """The surroundings of all fields of a page, and its hidden parts."""

    fields: Mapping[str, FieldContext]
    hidden: tuple[HiddenPart, ...]


def outline_page(html: str) -> PageOutline:
    """Read the elements of a page around its fields."""
    reader = _OutlineReader(HidingStyles(html))
    reader.feed(html)
    reader.close()
    return _Outliner(reader.marks, reader.hidden).outline()


@dataclass(slots=True, eq=False)
class _Element:
    number: int  # of its start tag, in the order of the page
    tag: str
    given: Mapping[str, str]
    parent: _Element | None
    is_hidden: bool = False
    depth: int = 0
    last: float = math.inf  # number of the last start tag inside
    run: _Element = field(init=False)  # the block around its words
    choice: _Element | None = field(init=False)  # the label, option or button around its words

    def __post_init__(self) -> None:
        around = self.parent
        self.run = self if self.tag in _RUNS or around is None else around.run
        self.choice = self if self.tag in _CHOICES else around and around.choice

    def chain(self) -> Iterator[_Element]:
        """The element and everything around it, from the inside out."""
        here: _Element | None = self
        while here is not None:
            yield here
            here = here.parent

    def has(self, other: _Element) -> bool:
        return self.number <= other.number <= self.last


@dataclass(slots=True, eq=False)
class _Mark:
    """One control, or one run of words."""

    element: _Element
    field: str = ""
    value: str = ""
    words: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.words.split())

    @property
    def label(self) -> _Element | None:
        """The label, option or button that the words are in."""
        return self.element.choice

    def is_in_label(self, numbers: Collection[int], names: Collection[str | None]) -> bool:
        """Whether these are words in one of these labels, or in one for one of these names."""
        label = None if self.field else self.label
        return label is not None and (label.number in numbers or label.given.get("for") in names)

    @property
    def is_text(self) -> bool:
        """Whether these are words of the page itself."""
        return not self.field and PLACEHOLDER.search(self.words) is None


class _OutlineReader(HTMLParser):
    def __init__(self, styles: HidingStyles) -> None:
        super().__init__(convert_charrefs=True)
        self.marks: list[_Mark] = []
        self.hidden: list[_Element] = []
        self._styles = styles
        self._here = _Element(0, "", {}, None)
        self._number = 0
        self._skipped: list[str] = []
        self._is_new_run = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._number += 1
        if tag in LEFT_OUT:
            self._skipped.append(tag)
        if self._skipped or tag == "style":
            return
        given = {name: value or "" for name, value in attrs}
        self._is_new_run = self._is_new_run or tag in _RUNS
        if tag in _CLOSED_BY_THE_NEXT:
            self._close_same(tag)
        is_hidden = self._styles.hides(tag, given)
        depth = self._here.depth + 1
        element = _Element(self._number, tag, given, self._here, is_hidden, depth)
        if is_hidden:
            self.hidden.append(element)
        name = given.get("name", "").strip()
        found = control_of(tag, given, "")
        if name and found is not None:
            value = found.values[0] if found.values else ""
            self.marks.append(_Mark(element, name, value))
        if tag not in VOID and tag not in LOADED and depth <= DEEPEST:
            self._here = element
        else:
            element.last = element.number

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID and tag not in LOADED:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.pop()
            return
        self._is_new_run = self._is_new_run or tag in _RUNS
        found = next((each for each in self._here.chain() if each.tag == tag), None)
        if found is not None:
            self._leave(found, self._number)

    def _close_same(self, tag: str) -> None:
        for each in self._here.chain():
            if each.tag in _LISTS:
                return
            if each.tag == tag:
                self._leave(each, self._number - 1)
                return

    def _leave(self, element: _Element, last: int) -> None:
        for each in self._here.chain():
            each.last = last
            if each is element:
                break
        self._here = element.parent or self._here

    def handle_data(self, data: str) -> None:
        if self._skipped or not data.strip() or self.cdata_elem is not None:
            return
        last = self.marks[-1] if self.marks else None
        if last is not None and not last.field and not self._is_new_run:
            last.words += data
            return
        self.marks.append(_Mark(self._here, words=data))
        self._is_new_run = False

    def parse_marked_section(self, i: int, report: int = 1) -> int:  # noqa: ARG002 - of the library
        """Skip `<![if …]>` of office programs, which the library takes for a fault."""
        end = self.rawdata.find(">", i)
        return end + 1 if end >= 0 else -1


@dataclass(slots=True)
class _Outliner:
    marks: Sequence[_Mark]
    hidden: Sequence[_Element]
    controls: list[int] = field(default_factory=list)  # their places among the marks
    places: dict[str, list[int]] = field(default_factory=dict)  # the same by field
    own: dict[str, _Element | None] = field(default_factory=dict)  # parts of the page, by field
    asking: dict[str, list[int]] = field(default_factory=dict)  # words by field, or of no field: ""
    filled: list[_Mark] = field(default_factory=list)  # controls and placeholders, by their element
    around: set[int] = field(default_factory=set)  # numbers of elements that have a control
    words_in: dict[int, list[_Mark]] = field(default_factory=dict)  # by number of their label
    words_for: dict[str, list[_Mark]] = field(default_factory=dict)  # by id of their control

    def outline(self) -> PageOutline:
        for place, mark in enumerate(self.marks):
            if mark.field:
                self.controls.append(place)
                self.places.setdefault(mark.field, []).append(place)
                self.around |= {each.number for each in mark.element.chain()}
            elif mark.label is not None:
                self.words_in.setdefault(mark.label.number, []).append(mark)
                if name := mark.label.given.get("for"):
                    self.words_for.setdefault(name, []).append(mark)
        self.own = {name: self._own_part(name) for name in self.places}
        self.asking = self._asking_words()
        filled = [each for each in self.marks if each.field or PLACEHOLDER.search(each.words)]
        self.filled = sorted(filled, key=_number_of)
        return PageOutline(
            {name: self._context(name) for name in self.places},
            tuple(self._hidden_part(each) for each in self.hidden),
        )

    def _hidden_part(self, element: _Element) -> HiddenPart:
        first = bisect_left(self.filled, element.number, key=_number_of)
        inside = self.filled[first : bisect_right(self.filled, element.last, key=_number_of)]
        names = frozenset(mark.field for mark in inside if mark.field)
        return HiddenPart(element.number, names, any(not mark.field for mark in inside))

    def _levels(self, name: str) -> Iterator[_Element]:
        """The elements that have all controls of a field, from the inside out."""
        controls = [self.marks[place].element for place in self.places[name]]
        for each in controls[0].chain():
            if each is not controls[0] and each.has(controls[-1]):
                yield each

    def _own_part(self, name: str) -> _Element | None:
        found, places = None, self.places[name]
        first = bisect_left(self.controls, places[0])
        last = first + len(places)
        if self.controls[first:last] != places:  # another field is in between
            return None
        # the elements are nested, so the nearest of the others are enough
        near = self.controls[max(first - 1, 0) : first] + self.controls[last : last + 1]
        for level in self._levels(name):
            if any(level.has(self.marks[at].element) for at in near):
                break
            found = level
        return found

    def _asking_words(self) -> dict[str, list[int]]:
        """Words that may ask, by the field in whose part of the page they are."""
        found: dict[str, list[int]] = {}
        owners = {part.number: name for name, part in self.own.items() if part is not None}
        for place, mark in enumerate(self.marks):
            if self._asks(mark, is_label=False):
                around = (owners.get(each.number, "") for each in mark.element.chain())
                found.setdefault(next(filter(None, around), ""), []).append(place)
        return found

    def _context(self, name: str) -> FieldContext:
        places = self.places[name]
        labels = self._labels(name)
        ends = self._ends(name) if not labels else ()
        prompt = self._own_prompt(name, ends) or self._earlier_prompt(name)
        values = [self.marks[place].value for place in places]
        labels |= {values[0 if at < places[0] else -1]: self.marks[at].text for at in ends}
        hidden = all(
            any(each.is_hidden for each in self.marks[place].element.chain()) for place in places
        )
        return FieldContext(prompt, labels, hidden)

    def _own_prompt(self, name: str, ends: Sequence[int]) -> str:
        places, own = self.places[name], self.own[name]
        first, last = places[0], places[-1] + 1  # what was looked at, and what not any more
        for level in self._levels(name) if own is not None else ():
            before = self._places_in(level, range(first - 1, -1, -1))
            after = self._places_in(level, range(last, len(self.marks)))
            first, last = first - len(before), last + len(after)
            for order, is_label in ((before, False), (after, False), (before, True)):
                for at in order:
                    if at not in ends and self._asks(self.marks[at], is_label=is_label):
                        return self.marks[at].text
            if level is own:
                break
        return ""

    def _places_in(self, level: _Element, order: Iterable[int]) -> list[int]:
        return list(takewhile(lambda at: level.has(self.marks[at].element), order))

    def _asks(self, mark: _Mark, *, is_label: bool) -> bool:
        if not mark.is_text or len(mark.text) < _FEWEST_LETTERS:
            return False
        return (mark.label is not None) == is_label and not self._is_beside_control(mark)

    def _is_beside_control(self, mark: _Mark) -> bool:
        label = mark.label
        if label is None:
            return False
        return label.number in self.around or label.tag != "label" or "for" in label.given

    def _earlier_prompt(self, name: str) -> str:
        """The last words before a field that are not those of another one."""
        first, last = self.places[name][0], -1
        for places in (self.asking.get("", []), self.asking.get(name, [])):
            last = max(last, *places[: bisect_left(places, first)][-1:], -1)
        return self.marks[last].text if last >= 0 else ""

    def _labels(self, name: str) -> dict[str, str]:
        """Words in the label of each value that say more than the value itself."""
        found = {}
        for place in self.places[name]:
            mark = self.marks[place]
            words = self._words_of(mark)
            if words and not _NUMBER.fullmatch(words) and words != mark.value:
                found[mark.value] = words
        return found

    def _words_of(self, control: _Mark) -> str:
        found, length = [], 0
        for each in self._label_words(control):
            length += len(each.words)
            if length > _LONGEST_WORDS:
                return ""
            found.append(each.text)
        return " ".join(found)

    def _label_words(self, control: _Mark) -> Iterator[_Mark]:
        for label in control.element.chain():
            yield from self.words_in.get(label.number, ())
        yield from self.words_for.get(control.element.given.get("id", ""), ())

    def _ends(self, name: str) -> Sequence[int]:
        """Words directly before the first and after the last point of a scale, in one line."""
        places = self.places[name]
        line = next((each for each in self._levels(name) if each.tag not in {"td", "th"}), None)
        if self.own[name] is None or line is None or len(places) < 2:
            return ()
        controls = [self.marks[place].element for place in places]
        labels = {each.number for control in controls for each in control.chain()}
        names = {control.given.get("id") for control in controls} - {None, ""}
        orders = (range(places[0] - 1, -1, -1), range(places[-1] + 1, len(self.marks)))
        ends = [
            next((n for n in order if not self.marks[n].is_in_label(labels, names)), None)
            for order in orders
        ]
        found = [at for at in ends if at is not None and self._is_end(self.marks[at], line)]
        return found if len(found) == len(ends) else ()

    def _is_end(self, mark: _Mark, line: _Element) -> bool:
        text, run = mark.text, mark.element.run
        is_short = mark.is_text and len(text) <= _LONGEST_LABEL and not _NUMBER.fullmatch(text)
        is_here = line.has(mark.element) and run.tag not in _HEADINGS
        return is_short and is_here and not {"?", ":"} & set(text)


def _number_of(mark: _Mark) -> int:
    return mark.element.number
