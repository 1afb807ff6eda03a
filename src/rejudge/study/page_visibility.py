"""Which parts of a layout its own styles hide, and the same styles without that.

On the original page a script showed these parts sooner or later. Scripts do not run here, so
nothing may stay hidden that participants have to see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rejudge.errors import Problem, StudyError

# None of these may look through the rest of the text at each place where it could begin.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SHEET = re.compile(r"<style\b[^>]*>(.*?)(?:</style|\Z)", re.DOTALL | re.IGNORECASE)
_RULE = re.compile(r"(?<![^{}])([^{}]*)\{([^{}]*)\}")
_PRINTED = re.compile(r"@media\s+print\s*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", re.IGNORECASE)
_PSEUDO_ELEMENT = re.compile(r":(?:before|after)\b", re.IGNORECASE)
_NOT = re.compile(r":not\(([^()]*)\)")
_STATE = re.compile(r":[a-z-]+", re.IGNORECASE)  # what somebody does, such as :hover
_SIMPLE = re.compile(r"([.#]?)([\w-]+)|\[([\w-]+)[^\]=]*(?:=\s*[\"']?([^\"'\]]*)[\"']?)?\]")
_NONE = r"0(?:\.0+)?(?:px|em|rem|%|vh|vw|pt)?"
_AWAY = r"-\s*\d{3,}.*"
_HIDING = {
    "display": r"none|var\(.*",
    "visibility": r"hidden|collapse|var\(.*",
    "content-visibility": r"hidden",
    "opacity": rf"{_NONE}|\.0+|var\(.*",
    "clip": r"rect.*",
    "clip-path": r"(?!none).*",
    "transform": r".*scale[xy]?\(\s*0\s*[,)].*|.*translate[xy]?\([^)]*-\s*\d{3,}.*",
    "font-size": _NONE,
    **dict.fromkeys(("left", "right", "top", "bottom", "text-indent"), _AWAY),
    **dict.fromkeys(("margin-left", "margin-right", "margin-top"), _AWAY),
}
# A box that stays in one place of the window covers the fields once it is visible.
_COVERING = {"position": r"fixed", "pointer-events": r"none"}
_SIZES = dict.fromkeys(("height", "width", "max-height", "max-width"), _NONE)
_MOST_SELECTORS = 500  # in the worst case each is compared with each element
_LONGEST_SELECTOR = 1_000  # characters, from the end; what they are about stands there
_BESIDE_HIDING = {**_COVERING, **_SIZES, "position": r".*"}  # left out together with what hides


@dataclass(frozen=True, slots=True)
class _Selector:
    """The element that a rule is about; what stands around it is not looked at."""

    tags: frozenset[str]
    classes: frozenset[str]
    ids: frozenset[str]
    attributes: tuple[tuple[str, str | None], ...]
    excluded: tuple[_Selector, ...] = field(default=())

    @property
    def key(self) -> str:
        """One name that an element must have; empty for a selector of all elements."""
        names = (
            *(f"#{each}" for each in sorted(self.ids)),
            *(f".{each}" for each in sorted(self.classes)),
            *(f"[{name}" for name, _ in self.attributes),
            *sorted(self.tags),
        )
        return names[0] if names else ""

    def matches(self, tag: str, given: Mapping[str, str]) -> bool:
        return (
            self.tags <= {tag}
            and (not self.classes or self.classes <= set(given.get("class", "").split()))
            and self.ids <= {given.get("id", "")}
            and all(n in given and v in {None, given[n]} for n, v in self.attributes)
            and not any(each.matches(tag, given) for each in self.excluded)
        )


class HidingStyles:
    """What a page hides before any of its scripts has run."""

    def __init__(self, html: str) -> None:
        sheets = "\n".join(_SHEET.findall(html))
        found = _hiding_selectors(_PRINTED.sub("", _COMMENT.sub("", sheets)))
        self._selectors: dict[str, list[_Selector]] = {}  # by their key
        selectors = tuple(dict.fromkeys(found))
        for each in selectors:
            self._selectors.setdefault(each.key, []).append(each)
        if len(selectors) > _MOST_SELECTORS:
            what = f"its styles hide more than {_MOST_SELECTORS} kinds of elements."
            raise StudyError(Problem(what, "Leave out style sheets that it does not need."))

    def hides(self, tag: str, given: Mapping[str, str]) -> bool:
        """Whether an element is hidden by its attributes or by a rule about it."""
        if "hidden" in given or (tag == "details" and "open" not in given):
            return True
        if _hides(_declarations(given.get("style", ""))):
            return True
        classes = (f".{name}" for name in given.get("class", "").split())
        keys = {"", tag, f"#{given.get('id', '')}", *classes, *(f"[{name}" for name in given)}
        found = (each for key in keys for each in self._selectors.get(key, ()))
        return any(each.matches(tag, given) for each in found)


def visible_sheet(sheet: str) -> str:
    """A style sheet that hides nothing."""

    def show(rule: re.Match[str]) -> str:
        if _PSEUDO_ELEMENT.search(rule[1]):
            return rule[0]
        return f"{rule[1]}{{{visible_style(rule[2])}}}"

    return _RULE.sub(show, _COMMENT.sub("", sheet))


def visible_style(style: str) -> str:
    """The declarations of one element or rule that do not hide it."""
    given = _declarations(style)
    unwanted = _COVERING if not _hides(given) else {**_BESIDE_HIDING, **_HIDING}
    if not any(_fits(unwanted, *each) for each in given):
        return style
    return "; ".join(
        f"{name}: {value}" for name, value in given if not _fits(unwanted, name, value)
    )


def _hiding_selectors(sheets: str) -> Iterator[_Selector]:
    for rule in _RULE.finditer(sheets):
        if _hides(_declarations(rule[2])):
            yield from _selectors(rule[1])


def _selectors(text: str) -> Iterator[_Selector]:
    # Commas inside :not(…) are rare enough to be read as two selectors.
    for each in text.rpartition(";")[2].split(","):
        end = each.strip()[-_LONGEST_SELECTOR:]
        last = re.split(r"[\s>+~]+(?![^()\[\]]*[)\]])", end)[-1]
        excluded = tuple(found for inner in _NOT.findall(last) for found in _selectors(inner))
        bare = _NOT.sub("", last)
        if last and not _STATE.search(bare) and not bare.startswith("@"):
            yield _selector(bare, excluded)


def _selector(compound: str, excluded: tuple[_Selector, ...]) -> _Selector:
    names: dict[str, set[str]] = {"": set(), ".": set(), "#": set()}
    attributes = []
    for mark, name, attribute, value in _SIMPLE.findall(compound):
        if attribute:
            attributes.append((attribute.lower(), value or None))
        else:
            names[mark].add(name if mark else name.lower())
    tags, classes, ids = (frozenset(names[mark]) for mark in ("", ".", "#"))
    return _Selector(tags, classes, ids, tuple(attributes), excluded)


def _declarations(style: str) -> Sequence[tuple[str, str]]:
    split = (each.partition(":") for each in _COMMENT.sub("", style).split(";"))
    return [(name.strip().lower(), value.strip()) for name, colon, value in split if colon]


def _hides(given: Sequence[tuple[str, str]]) -> bool:
    is_cut = any(name.startswith("overflow") and "hidden" in value for name, value in given)
    patterns = {**_HIDING, **_SIZES} if is_cut else _HIDING
    return any(_fits(patterns, *each) for each in given)


def _fits(patterns: Mapping[str, str], name: str, value: str) -> bool:
    plain = re.sub(r"\s*!\s*important$", "", value, flags=re.IGNORECASE)
    return name in patterns and bool(re.fullmatch(patterns[name], plain, re.IGNORECASE | re.DOTALL))
