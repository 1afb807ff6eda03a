"""The HTML elements of a page layout: which are kept, and what they ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

PLACEHOLDER: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
DEEPEST: Final = 400  # elements in one another; browsers stop at 512
ControlKind: TypeAlias = Literal["choice", "choices", "number", "text"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLAIN: Final = _words(
    "abbr b big blockquote br button caption center cite code col colgroup dd del details dfn "
    "div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hr i "
    "input ins kbd label legend li main mark ol optgroup option p pre q s samp section select "
    "small span strong sub summary sup table tbody td textarea tfoot th thead time tr tt u ul "
    "var wbr"
)
VOID: Final = frozenset({"br", "col", "hr", "input", "wbr"})
LEFT_OUT: Final = _words(
    "script iframe object embed applet template svg math video audio canvas title"
)
LOADED: Final = frozenset({"link", "meta", "base", "img", "source", "track", "param", "frame"})
ATTRIBUTES: Final = _words(
    "align aria-label bgcolor border cellpadding cellspacing checked class color cols colspan dir "
    "disabled face for height id lang max maxlength min multiple name open placeholder readonly "
    "required role rows rowspan selected size step style title type valign value width"
)
STATES: Final = _words("checked disabled readonly required selected")  # the study decides on these
INPUT_TYPES: Final = frozenset({"checkbox", "number", "radio", "range", "text"})
UNSEEN_INPUTS: Final = _words("button file hidden image password reset submit")
DATA_IMAGE: Final = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+")
CROWD: Final[Mapping[str, str]] = {  # what a crowd element is as a plain one
    "crowd-form": "form",
    "crowd-input": "input",
    "crowd-text-area": "textarea",
    "crowd-checkbox": "input",
    "crowd-radio-button": "input",
    "crowd-radio-group": "fieldset",
    "crowd-slider": "input",
    "crowd-button": "button",
    "crowd-card": "section",
    "crowd-tabs": "section",
    "crowd-tab": "section",
    "crowd-instructions": "section",
    "crowd-modal": "section",
    "crowd-classifier": "fieldset",
    "short-summary": "section",
    "detailed-instructions": "section",
    "short-instructions": "section",
    "full-instructions": "section",
    "classification-target": "section",
    "positive-example": "section",
    "negative-example": "section",
}
CROWD_TYPES: Final[Mapping[str, str]] = {
    "crowd-input": "text",
    "crowd-checkbox": "checkbox",
    "crowd-radio-button": "radio",
    "crowd-slider": "range",
}
LABELLED: Final = frozenset({"crowd-checkbox", "crowd-radio-button"})  # their text is beside them
BLOCKS: Final = _words("p div li h1 h2 h3 h4 h5 h6 tr section blockquote br hr td th ul ol")


@dataclass(frozen=True, slots=True)
class LayoutControl:
    """An answer field of a layout."""

    name: str
    kind: ControlKind
    values: tuple[str, ...]  # that can be chosen, in the order shown
    bounds: tuple[float, float] | None  # of a number
    is_required: bool
    prompt: str  # the words that ask, before or below it
    labels: Mapping[str, str] = field(default_factory=dict)  # words by value
    chosen: tuple[str, ...] = ()  # what the page chose before anybody answered
    is_hidden: bool = False  # until a script shows it


def control_of(tag: str, given: Mapping[str, str], prompt: str) -> LayoutControl | None:
    """What a start tag asks for; None for what asks for nothing."""
    kind = _control_kind(tag, given)
    if kind is None:
        return None
    values: tuple[str, ...] = ()
    if tag == "crowd-classifier":
        values = tuple(categories(given))
        prompt = given.get("header", "") or prompt
    elif kind in {"choice", "choices"} and tag != "select":
        values = (given.get("value") or ("true" if tag == "crowd-checkbox" else "on"),)
    return LayoutControl(
        given.get("name", "").strip(), kind, values, _bounds(given) if kind == "number" else None,
        "required" in given, prompt, chosen=_chosen(kind, values, given),
    )  # fmt: skip


def _chosen(
    kind: ControlKind, values: tuple[str, ...], given: Mapping[str, str]
) -> tuple[str, ...]:
    if kind == "number":
        return (given["value"],) if given.get("value") else ()
    return values if "checked" in given else ()


def _control_kind(tag: str, given: Mapping[str, str]) -> ControlKind | None:
    kinds: Mapping[str, ControlKind] = {
        "textarea": "text", "crowd-text-area": "text", "crowd-input": "text", "select": "choice",
        "crowd-classifier": "choice", "crowd-radio-button": "choice", "crowd-checkbox": "choices",
        "crowd-slider": "number",
    }  # fmt: skip
    if tag == "select" and "multiple" in given:
        return "choices"
    if tag != "input":
        return kinds.get(tag)
    inputs: Mapping[str, ControlKind] = {
        "radio": "choice", "checkbox": "choices", "range": "number", "number": "number",
        "text": "text", "email": "text", "search": "text", "tel": "text", "url": "text",
    }  # fmt: skip
    return inputs.get(given.get("type", "text").lower())


def _bounds(given: Mapping[str, str]) -> tuple[float, float] | None:
    try:
        return float(given["min"]), float(given["max"])
    except (KeyError, ValueError):
        return None


def input_type(tag: str, plain: str, given: Mapping[str, str]) -> str:
    """The type of a control; no button submits."""
    if plain == "button":
        return "button"
    kind = CROWD_TYPES.get(tag, given.get("type", "text").lower())
    return kind if kind in INPUT_TYPES else "text"


def categories(given: Mapping[str, str]) -> Sequence[str]:
    """What a classifier offers."""
    try:
        found = json.loads(given.get("categories", ""))
    except ValueError:
        return ()
    return [str(each) for each in found] if isinstance(found, list) else ()
