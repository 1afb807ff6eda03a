"""Preregistration: study, plan, analysis and claims in one hashed record; what changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from rejudge import fingerprint
from rejudge.design.plan import Plan
from rejudge.errors import Problem, StudyError
from rejudge.study.model import Item, Study
from rejudge.study.site import Site

Touches: TypeAlias = Literal["analysis", "claims", "design", "items", "pages", "plan", "other"]
_Json: TypeAlias = Any  # JSON values of any depth; pydantic cannot read a recursive alias

# Parts of study.yaml by what a change in them touches; all others are “other”.
_TOUCHES: Mapping[str, Touches] = {
    "analysis": "analysis",
    "claims": "claims",
    "systems": "design",
    "questions": "design",
    "design": "design",
    "checks": "design",
    "practice": "design",
    "sample_size": "design",
    "qualification": "design",
    "items": "items",
    "pages": "pages",
    # What else participants read or choose from
    "title": "pages",
    "language": "pages",
    "contact": "pages",
    "ethics": "pages",
    "payment": "pages",
    "recruitment.screening": "pages",
    "site.show": "pages",
    "site.layout": "pages",
    "site.back": "pages",
    "site.language": "pages",
    "site.consent_statements": "pages",
    "site.exit_questions": "pages",
    "site.comment": "pages",
}
_SITE = Site().model_dump(mode="json")  # a record has no `site` where all of it is the default
_INTERFACE = "interface"  # among the pages
_ABSENT = fingerprint.of_json(None)
_LONGEST_SHOWN = 60
# Where a frozen rule for the size writes the numbers that a pilot fills in.
_FILLED_IN = frozenset({"items.sample", "items.sample.inputs", "design.participants_per_batch"})


@dataclass(frozen=True, slots=True)
class Frozen:
    """What was fixed before anybody was asked. `hash` covers all of it but the earlier records."""

    at: datetime
    study: str  # fingerprint
    plan: str | None  # 〃
    spec: Mapping[str, _Json]  # study.yaml with all defaults, without analysis and claims
    analysis: _Json
    claims: _Json
    items: str  # fingerprint of all items in their order
    item_hashes: Mapping[str, str]  # by id
    page_hashes: Mapping[str, str]  # by role; the interface's own words even if there are none
    parts: Mapping[str, str]  # fingerprints of spec, analysis and claims
    previous: str | None  # hash of the record before, when the study was frozen again
    hash: str
    earlier: tuple[Frozen, ...] = ()  # records before this one, oldest first

    @property
    def present_pages(self) -> Mapping[str, str]:
        """The fingerprints of the pages that there were."""
        return {role: text for role, text in self.page_hashes.items() if text != _ABSENT}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between the frozen record and the study as it is now."""

    path: str  # such as design.participants_per_batch, items[i7], pages[consent]
    before: _Json  # the value, or the fingerprint of a text; None: was not there
    after: _Json
    touches: Touches

    def __str__(self) -> str:
        if self.path.endswith("]") or self.path in {"plan", "items"}:  # fingerprints say nothing
            return f"{self.path} {_change_in_words(self.before, self.after)}"
        return f"{self.path}: {_value_in_words(self.before)} → {_value_in_words(self.after)}"


def freeze(study: Study, plan: Plan, *, at: datetime, after: Frozen | None = None) -> Frozen:
    """One record of all that is fixed; `after` is the record it follows, which stays inside it."""
    if study.spec.analysis is None:
        raise StudyError(
            Problem(
                "there is no analysis plan to freeze.",
                "State how the answers will be analysed, such as "
                "`analysis: {tests: [{question: …, test: cluster-robust}]}`.",
                file="study.yaml",
                field="analysis",
            )
        )
    moment = at.astimezone(UTC).replace(microsecond=0)
    record = _record(study, plan, moment)
    if after is not None:
        earlier = (*after.earlier, replace(after, earlier=()))
        record = replace(record, previous=after.hash, earlier=earlier)
    return replace(record, hash=_hash(record))


def changes_since_freeze(frozen: Frozen, study: Study, plan: Plan | None) -> tuple[Change, ...]:
    """What differs now from what was frozen: analysis and claims first, then the rest."""
    now = _record(study, plan, frozen.at)
    found = _changes(frozen, now)
    if study.size is None or frozen.spec.get("sample_size") != now.spec.get("sample_size"):
        return found
    follows = plan is None or plan.study == study.design_fingerprint
    return tuple(c for c in found if not _is_filled_in(c, follows=follows))


def _is_filled_in(change: Change, *, follows: bool) -> bool:
    """Whether a change follows from the frozen rule for the size and its pilot."""
    return change.path in _FILLED_IN or (change.path == "plan" and follows)


def _changes(frozen: Frozen, now: Frozen) -> tuple[Change, ...]:
    return (
        *_differences(frozen.analysis, now.analysis, "analysis"),
        *_differences(frozen.claims, now.claims, "claims"),
        *_differences(_with_site(frozen.spec), _with_site(now.spec), ""),
        *_item_changes(frozen, now),
        *_hash_changes(frozen.present_pages, now.present_pages, "pages"),
        *([Change("plan", frozen.plan, now.plan, "plan")] if frozen.plan != now.plan else []),
    )


def _with_site(spec: Mapping[str, _Json]) -> dict[str, _Json]:
    return {**spec, "site": {**_SITE, **spec.get("site", {})}}


def study_differences(before: Study, after: Study) -> tuple[Change, ...]:
    """In what a study differs from another one: its words, its items and its pages."""
    return changes_since_freeze(
        _record(before, None, datetime.min.replace(tzinfo=UTC)), after, None
    )


def find_tampering(frozen: Frozen) -> str | None:
    """What shows that a record was altered after it was made; None for an honest one."""
    chain = (*frozen.earlier, frozen)
    for number, record in enumerate(chain, start=1):
        if record.hash != _hash(record):
            return f"the record of {record.at:%Y-%m-%d %H:%M} UTC does not match its hash"
        before = chain[number - 2].hash if number > 1 else None
        if record.previous != before:
            return f"the record before that of {record.at:%Y-%m-%d %H:%M} UTC is missing or altered"
    return None


def _record(study: Study, plan: Plan | None, at: datetime) -> Frozen:
    spec = study.spec.to_json()
    analysis, claims = spec.pop("analysis"), spec.pop("claims")
    return Frozen(
        at=at,
        study=study.fingerprint,
        plan=None if plan is None else plan.fingerprint,
        spec=spec,
        analysis=analysis,
        claims=claims,
        items=study.items_fingerprint,
        item_hashes={item.id: _item_hash(item) for item in study.items},
        page_hashes={role: fingerprint.of_json(text) for role, text in _pages(study)},
        parts={
            "spec": fingerprint.of_json(spec),
            "analysis": fingerprint.of_json(analysis),
            "claims": fingerprint.of_json(claims),
        },
        previous=None,
        hash="",
    )


def _pages(study: Study) -> Iterator[tuple[str, str | None]]:
    """Everything that participants read besides items and questions, by role."""
    yield from study.pages.items()
    if study.layout is not None:
        yield "layout", study.layout.html
    yield _INTERFACE, study.interface


def _item_hash(item: Item) -> str:
    texts = [item.group, item.dataset, item.input, item.reference, *item.outputs, item.language]
    return fingerprint.of_json([*texts, *item.sampling])


def _hash(record: Frozen) -> str:
    """SHA-256 in full: a fingerprint finds accidents, this must withstand intent."""
    body = {
        "at": record.at.astimezone(UTC).isoformat(),
        "study": record.study,
        "plan": record.plan,
        "spec": dict(record.spec),
        "analysis": record.analysis,
        "claims": record.claims,
        "items": record.items,
        "item_hashes": dict(record.item_hashes),
        "page_hashes": dict(record.page_hashes),
        "parts": dict(record.parts),
        "previous": record.previous,
    }
    return hashlib.sha256(fingerprint.canonical(body)).hexdigest()


def _differences(before: _Json, after: _Json, path: str) -> Iterator[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in (*before, *(key for key in after if key not in before)):
            place = f"{path}.{key}" if path else str(key)
            yield from _differences(before.get(key), after.get(key), place)
    elif _are_named(before) and _are_named(after):
        yield from _named_differences(before, after, path)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (old, new) in enumerate(zip(before, after, strict=True), start=1):
            yield from _differences(old, new, f"{path}.{number}")
    elif before != after:
        yield Change(path, before, after, _part_of(path))


def _are_named(value: _Json) -> bool:
    return isinstance(value, list) and all(isinstance(e, dict) and "id" in e for e in value)


def _named_differences(
    before: Sequence[_Json], after: Sequence[_Json], path: str
) -> Iterator[Change]:
    """Questions, systems, checks and claims are known by their id, wherever they are."""
    old, new = ({entry["id"]: entry for entry in entries} for entries in (before, after))
    yield from _differences(old, new, path)
    if list(old) != list(new) and set(old) == set(new):
        yield Change(f"{path}.order", list(old), list(new), _part_of(path))


def _part_of(path: str) -> Touches:
    while path:
        if path in _TOUCHES:
            return _TOUCHES[path]
        path = path.rpartition(".")[0]
    return "other"


def _item_changes(frozen: Frozen, now: Frozen) -> Iterator[Change]:
    found = list(_hash_changes(frozen.item_hashes, now.item_hashes, "items"))
    if not found and frozen.items != now.items:  # the same items in another order
        found = [Change("items", frozen.items, now.items, "items")]
    yield from found


def _hash_changes(
    before: Mapping[str, str], after: Mapping[str, str], name: Literal["items", "pages"]
) -> Iterator[Change]:
    for key in (*before, *(key for key in after if key not in before)):
        if before.get(key) != after.get(key):
            yield Change(f"{name}[{key}]", before.get(key), after.get(key), name)


def _change_in_words(before: _Json, after: _Json) -> str:
    if before is None:
        return "added"
    return "removed" if after is None else "changed"


def _value_in_words(value: _Json) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else fingerprint.canonical(value).decode("utf-8")
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
