"""What Prolific demands of a study: the rules for creating and changing one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any, Final

Body = Mapping[str, Any]  # of a request
_REQUIRED = (
    "name", "description", "prolific_id_option", "total_available_places",
    "estimated_completion_time", "reward",
)  # fmt: skip
_RETIRED = ("completion_code", "completion_option", "eligibility_requirements")
_TARGETS = ("external_study_url", "access_details", "data_collection_method")
_TAGS = {"b", "i", "em", "strong", "s", "u", "h1", "h2", "ol", "ul", "li", "p"}
_TAG = re.compile(r"</?\s*([a-zA-Z][a-zA-Z0-9]*)[^>]*>")
_CHOICES: Mapping[str, set[str]] = {
    "device_compatibility": {"desktop", "tablet", "mobile"},
    "peripheral_requirements": {"audio", "camera", "download", "microphone"},
}
_ACTIONS = {
    "MANUALLY_REVIEW", "REQUEST_RETURN", "FIXED_SCREEN_OUT_PAYMENT",
}  # fmt: skip
_DAY = 24 * 60
_CHANGEABLE: Final = {
    "internal_name", "total_available_places", "access_details", "submissions_config"
}  # fmt: skip
Fault = tuple[str, str]  # a field, and what is wrong with it


def least_maximum_minutes(estimate: float) -> float:
    """The least `maximum_allowed_time` for an estimated time."""
    return 2 + 2 * estimate + 2 * sqrt(estimate)


def study_faults(body: Body, filters: Mapping[str, Body]) -> list[Fault]:
    """Everything that a study must not say, or has to say and does not."""
    return [
        *((name, "This field is required.") for name in _REQUIRED if body.get(name) in (None, "")),
        *((name, "This field is no longer supported.") for name in _RETIRED if name in body),
        *_target_faults(body),
        *_number_faults(body),
        *_text_faults(body),
        *_code_faults(body),
        *_filter_faults(body, filters),
    ]


def change_faults(
    body: Body,
    changes: Body,
    *,
    is_published: bool,
    urls: Sequence[tuple[str, int]] = (),
) -> list[Fault]:
    """Changes that a study does not allow. `urls`: its addresses, with the places of each."""
    faults = [*_address_faults(changes, urls)]
    if not is_published:
        return faults
    faults += [(name, "Cannot be changed.") for name in changes if name not in _CHANGEABLE]
    if (
        changes.get("total_available_places", body["total_available_places"])
        < (body["total_available_places"])
    ):
        faults.append(("total_available_places", "Can only be increased."))
    return faults


def _address_faults(changes: Body, urls: Sequence[tuple[str, int]]) -> Iterator[Fault]:
    """New addresses are added to those there are, and all of them add up to the places."""
    added = [
        (each.get("external_url"), each.get("total_allocation", 0))
        for each in changes.get("access_details") or ()
    ]
    every = [*urls, *added]
    if len({url for url, _ in every}) < len(every):
        yield "access_details", "Each external_url must be unique."
    total = changes.get("total_available_places")
    if urls and total is not None and total != sum(places for _, places in every):
        yield "access_details", "Allocations must add up to total_available_places."


def _target_faults(body: Body) -> Iterator[Fault]:
    given = [name for name in _TARGETS if body.get(name)]
    if len(given) != 1:
        yield "external_study_url", f"Provide exactly one of {', '.join(_TARGETS)}."
    if body.get("access_details"):
        allocated = sum(each.get("total_allocation", 0) for each in body["access_details"])
        if allocated != body.get("total_available_places"):
            yield "access_details", "Allocations must add up to total_available_places."
        urls = Counter(each.get("external_url") for each in body["access_details"])
        if max(urls.values()) > 1:
            yield "access_details", "Each external_url must be unique."


def _number_faults(body: Body) -> Iterator[Fault]:
    for name in ("reward", "total_available_places", "estimated_completion_time"):
        value = body.get(name)
        if value is not None and (not isinstance(value, int) or value < 1):
            yield name, "Must be a whole number above 0."
    estimate, most = body.get("estimated_completion_time"), body.get("maximum_allowed_time")
    if isinstance(estimate, int) and most is not None:
        if most < least_maximum_minutes(estimate):
            yield "maximum_allowed_time", "Must leave more time than the estimate."
        if most >= _DAY:
            yield "maximum_allowed_time", "Must be less than 24 hours."


def _text_faults(body: Body) -> Iterator[Fault]:
    used = {tag.lower() for tag in _TAG.findall(str(body.get("description", "")))}
    if used - _TAGS:
        yield "description", f"Tags not allowed: {', '.join(sorted(used - _TAGS))}."
    if body.get("prolific_id_option") not in {"url_parameters", "question", "not_required", None}:
        yield "prolific_id_option", "Unknown option."
    for name, known in _CHOICES.items():
        if set(body.get(name, ())) - known:
            yield name, "Unknown choice."
    if "filters" in body and "filter_set_id" in body:
        yield "filters", "Use filters or filter_set_id."


def _code_faults(body: Body) -> Iterator[Fault]:
    codes = body.get("completion_codes", ())
    if len({each.get("code") for each in codes}) < len(codes):
        yield "completion_codes", "Codes must be unique."
    ours = [each for each in codes if each.get("actor", "participant") == "participant"]
    for each in codes:
        if each.get("code") is None and (len(ours) > 1 or each.get("actions")):
            yield "completion_codes", "A code of null must be the only one, without actions."
        for what in _action_faults(each, body.get("reward") or 1):
            yield "completion_codes", what


def _action_faults(code: Body, reward: int) -> Iterator[str]:
    actions = code.get("actions", ())
    names = {action.get("action") for action in actions}
    if names - _ACTIONS:
        yield "Unknown action."
    for action in actions:
        yield from _detail_faults(action, reward)


def _detail_faults(action: Body, reward: int) -> Iterator[str]:
    if action.get("action") == "FIXED_SCREEN_OUT_PAYMENT":
        if not 0 < action.get("fixed_screen_out_reward", 0) < reward:
            yield "A screen-out must pay less than the reward."
        if not action.get("slots"):
            yield "A screen-out needs slots."
    if action.get("action") == "REQUEST_RETURN" and not action.get("return_reason"):
        yield "A return needs its reason."


def _filter_faults(body: Body, filters: Mapping[str, Body]) -> Iterator[Fault]:
    for chosen in body.get("filters", ()):
        known = filters.get(chosen.get("filter_id"))
        if known is None:
            yield "filters", f"Unknown filter {chosen.get('filter_id')}."
        elif known["type"] == "range":
            if "selected_range" not in chosen:
                yield "filters", "A range filter needs selected_range."
        elif known.get("choices") and set(chosen.get("selected_values", ())) - set(
            known["choices"]
        ):
            yield "filters", f"Unknown choice of {known['filter_id']}."
