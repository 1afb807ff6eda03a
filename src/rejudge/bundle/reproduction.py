"""A reproduction of a study by another lab: same items, batches, sides, checks and pages.

Changes are stated with their reasons; what every lab must fill in for itself is cleared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from rejudge.bundle.build import study_files
from rejudge.bundle.manifest import (
    ORIGINAL,
    REPRODUCES,
    REPRODUCES_CODEC,
    Impact,
    Reproduces,
    StatedChange,
    interface,
    sha256,
)
from rejudge.bundle.narrowing import (
    HandEdit,
    Narrowing,
    hand_edits,
    narrow_text,
    narrowed_plan,
    plan_narrowing,
)
from rejudge.bundle.reader import Bundle
from rejudge.bundle.yaml_edit import key_path, set_key, typed_value
from rejudge.design.draw import draw
from rejudge.design.freeze import Change, study_differences
from rejudge.design.plan import Batch, Plan
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.files.step_files import PLAN, STUDY, to_bytes
from rejudge.fingerprint import Json
from rejudge.incoming import decode
from rejudge.study.model import Study
from rejudge.study.parse import ROLES, parse
from rejudge.study.yaml_file import read_yaml

_StudyJson: TypeAlias = Mapping[str, Any]  # JSON of a study
_OWN: Final = (
    "contact",
    "ethics",
    "publication",
    "site.codes",
)  # the original lab's, useless to another
_FREE: Final = ("id", "title", *_OWN)  # a lab's own name is not a deviation
_LONGEST_ID = 64


@dataclass(frozen=True, slots=True)
class RequestedChange:
    """A change that the reproducing lab wants: a key of study.yaml, its new value, and why."""

    key: str
    given: str  # as typed; empty: remove the key
    reason: str = ""
    impact: Impact = "unknown"
    page: bytes | None = None  # another text for the page that the key names; `given` is its file


@dataclass(frozen=True, slots=True)
class RequestedCriteria:
    """The criteria that the reproducing lab asks about, and why not all."""

    kept: tuple[str, ...]
    reason: str
    impact: Impact = "unknown"
    keeps_length: bool = False  # other checks take the places of those that are removed

    def narrowing(self, study: Study) -> Narrowing:
        """What has to be removed from a study for this."""
        if not self.reason.strip():
            what = "the choice of criteria has no reason."
            raise UsageError(Problem(what, 'Say why: --reason questions="…".'))
        return plan_narrowing(study, self.kept, keep_length=self.keeps_length)


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A new study folder, ready to be written."""

    files: Mapping[str, bytes]
    study: Study
    plan: Plan
    origin: Reproduces
    to_read: tuple[str, ...]  # pages that name the people of the original
    to_edit: tuple[HandEdit, ...] = ()  # sentences about criteria that are no longer asked
    is_narrowed: bool = False  # the plan is the original's without tasks of removed criteria


def needs_reason(key: str) -> bool:
    """Whether a changed key is a deviation, not only what a lab says about itself."""
    return not _is_in(key, _FREE)


def study_id(bundle: Bundle, lab: str) -> str:
    """The id of a reproduction: the original's id and the name of the lab."""
    plain = unicodedata.normalize("NFKD", lab).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower()
    if not words:
        raise UsageError(
            Problem(
                f"'{lab}' has no letter a–z and no digit to make the new id from.",
                "Use some in the lab's name, such as --as our-lab.",
            )
        )
    rest = words[: _LONGEST_ID // 2].rstrip("-")
    return f"{bundle.study.spec.id[: _LONGEST_ID - len(rest) - 1].rstrip('-_.')}-{rest}"


def reproduce(
    bundle: Bundle,
    *,
    lab: str,
    requests: Sequence[RequestedChange] = (),
    archive: bytes,
    criteria: RequestedCriteria | None = None,
) -> Reproduction:
    """The files of a new study that repeats a bundle's, except for the requested changes.

    The plan is the original's, even if more people should judge each batch; it is drawn again only
    if a change requires other tasks. `archive` is kept in the folder for the comparison.
    `criteria`: those that are asked about, if not all; what depends on the others is removed.
    """
    _refuse_requests(requests)
    if sha256(archive) != bundle.sha256:
        what = "reproduce: 'archive' is not the bundle that is reproduced."
        raise UsageError(Problem(what, "Give the bytes of the file that the bundle was read from."))
    text = decode(bundle.files[STUDY], file=STUDY)
    text = _without_lab_details(text)
    if not any(request.key == "id" for request in requests):
        text = set_key(text, "id", study_id(bundle, lab))
    narrowing, base, plan_before = None, bundle.study, bundle.plan
    if criteria is not None:
        narrowing = criteria.narrowing(bundle.study)
        text = narrow_text(text, narrowing)
        base = parse(text, _reader(bundle.files))
        plan_before = narrowed_plan(bundle.plan, base, narrowing)
    for request in requests:
        if request.page is None:
            text = set_key(text, request.key, typed_value(request.given))
    replaced = dict(_replace_pages(text, bundle, requests))
    contents = {**bundle.files, **replaced}
    study = parse(text, _reader(contents))
    stated = tuple(_state_changes(base, study, requests))
    edits: list[HandEdit] = []
    if criteria is not None and narrowing is not None:
        edits = hand_edits(bundle.study, study, text, narrowing)
        stated = (_narrowed_change(criteria, narrowing, bundle.study, edits), *stated)
    kept = keep_plan(base, plan_before, study)
    plan = kept or draw(study)
    origin = Reproduces(
        study=bundle.study.spec.id,
        title=bundle.study.spec.title,
        lab=lab.strip(),
        bundle=bundle.sha256,
        licence=bundle.manifest.licence,
        is_same_plan=kept is not None and _bare(kept) == _bare(bundle.plan),
        claims={claim.id: claim.says for claim in bundle.study.spec.claims},
        changes=(*stated, *_interface_change(bundle)),
        own=tuple(_own_keys(bundle.study, study, stated)),
    )
    own = {name: contents[name] for name in study_files(study) if name in contents}
    made_from = {"study": plan.study, "items": study.items_fingerprint}
    files = own | {
        STUDY: text.encode("utf-8"),
        PLAN: to_bytes(plan, made_from=made_from),
        REPRODUCES: REPRODUCES_CODEC.encode(origin, bundle.made_from),
        ORIGINAL: archive,
    }
    return Reproduction(
        files,
        study,
        plan,
        origin,
        to_read=tuple(_naming_people(bundle, study)),
        to_edit=tuple(edits),
        is_narrowed=narrowing is not None and kept is not None,
    )


def _narrowed_change(
    criteria: RequestedCriteria, narrowing: Narrowing, original: Study, edits: Sequence[HandEdit]
) -> StatedChange:
    """All that follows from asking fewer questions, as one deviation."""
    asked = [question.id for question in original.spec.questions]
    files = {edit.file for edit in edits}
    pages = [f"pages.{role}" for role in ROLES if getattr(original.spec.pages, role) in files]
    return StatedChange(
        "questions",
        asked,
        list(narrowing.kept),
        criteria.reason.strip(),
        criteria.impact,
        covers=(*narrowing.keys, *pages),
    )


def keep_plan(original: Study, plan: Plan, study: Study) -> Plan | None:
    """The plan of an original for a changed study; None if the change requires other tasks.

    This is not guessed from the keys: both studies are drawn, and must give the same tasks. The
    number of people per batch and the order of its tasks may differ.
    """
    if study.design_fingerprint == original.design_fingerprint:
        return plan
    if plan.source is not None:
        return _keep_given(original, plan, study)
    before, after = draw(original), draw(study)
    if _bare(before) != _bare(after):
        return None
    people = {
        new.id: new.participants
        for old, new in zip(before.batches, after.batches, strict=True)
        if old.participants != new.participants
    }
    return replace(
        plan,
        study=study.design_fingerprint,
        order=after.order,
        batches_per_participant=after.batches_per_participant,
        batches=tuple(
            replace(batch, participants=people.get(batch.id, batch.participants))
            for batch in plan.batches
        ),
    )


_OF_PEOPLE: Final = ("participants_per_batch", "batches_per_participant")


def _keep_given(original: Study, plan: Plan, study: Study) -> Plan | None:
    """The same for batches that were read from a file, which cannot be drawn for comparison."""
    if _tasks_follow_from(original) != _tasks_follow_from(study):
        return None
    before, after = original.spec.design, study.spec.design
    changed = {
        batch.id: after.participants_per_batch
        for batch in plan.main
        if plan.lists is None and batch.participants == before.participants_per_batch
    }
    most = plan.batches_per_participant
    if most == before.batches_per_participant:
        most = after.batches_per_participant
    return replace(
        plan,
        study=study.design_fingerprint,
        batches_per_participant=most,
        batches=tuple(
            replace(batch, participants=changed.get(batch.id, batch.participants))
            for batch in plan.batches
        ),
    )


def _tasks_follow_from(study: Study) -> tuple[object, ...]:
    """What decides which tasks there are, regardless of who and how many do them."""
    parts = {"language", "systems", "items", "questions", "design", "checks"}
    spec = study.spec.model_dump(mode="json", include=parts)
    spec["design"] = {k: v for k, v in spec["design"].items() if k not in _OF_PEOPLE}
    return spec, study.items_fingerprint


def _bare(plan: Plan) -> tuple[object, ...]:
    """What people are shown, regardless of who and how many they are."""
    batches: tuple[Batch, ...] = tuple(replace(batch, participants=0) for batch in plan.batches)
    return plan.seed, batches, dict(plan.texts), dict(plan.segments), dict(plan.conflicts)


def _refuse_requests(requests: Sequence[RequestedChange]) -> None:
    keys = [request.key for request in requests]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    problems = [Problem(f"'{key}' is changed twice.", "Give each --change once.") for key in twice]
    problems += [
        Problem(
            f"the change of '{request.key}' has no reason.",
            f'Say why: --reason {request.key}="…". Readers of the comparison will want to know.',
        )
        for request in requests
        if needs_reason(request.key) and not request.reason.strip()
    ]
    if problems:
        raise UsageError(*problems)


def _without_lab_details(text: str) -> str:
    """Without what belongs to the other lab: contact, ethics approval, completion codes."""
    values = read_yaml(text, file=STUDY).values
    for key in _OWN:
        if _at(values, key) is not None:
            text = set_key(text, key, None)
    return text


def _at(values: Json, key: str) -> Json:
    for step in key_path(values, key):
        if isinstance(values, list) and isinstance(step, int):
            values = values[step]
        else:
            values = values.get(str(step)) if isinstance(values, dict) else None
    return values


def _replace_pages(
    text: str, bundle: Bundle, requests: Sequence[RequestedChange]
) -> Iterator[tuple[str, bytes]]:
    """The pages that get another text, by their files in the new folder."""
    pages = parse(text, _reader(bundle.files)).spec.pages
    for request in requests:
        if request.page is None:
            continue
        role = request.key.removeprefix("pages.")
        if role not in ROLES:
            what = f"there is no page '{role}'."
            raise UsageError(Problem(what, f"The pages are {', '.join(ROLES)}."))
        yield getattr(pages, role), request.page


def _reader(files: Mapping[str, bytes]) -> Callable[[str], bytes]:
    def read(name: str) -> bytes:
        if name not in files:
            raise FileNotFoundError(name)
        return files[name]

    return read


def with_reasons(
    origin: Reproduces, original: Study, study: Study, requests: Sequence[RequestedChange]
) -> Reproduces:
    """The same with reasons for edits made after the reproduction was started."""
    _refuse_requests(requests)
    stated = tuple(_state_changes(original, study, requests))
    keys = {change.key for change in stated}
    before = (change for change in origin.changes if change.key not in keys)
    return replace(origin, changes=(*before, *stated))


def unstated_changes(original: Study, study: Study, origin: Reproduces) -> tuple[Change, ...]:
    """Differences from the original that were not stated: the files were edited afterwards."""
    told = (*_told_keys(origin.changes), *origin.own, *_FREE)
    return tuple(
        change
        for change in study_differences(original, study)
        if not any(_touches(change, key) for key in told)
    )


def _state_changes(
    original: Study, study: Study, requests: Sequence[RequestedChange]
) -> Iterator[StatedChange]:
    """Each change with its actual values, defaults included."""
    found = study_differences(original, study)
    before, after = original.spec.model_dump(mode="json"), study.spec.model_dump(mode="json")
    idle = [request.key for request in requests if not any(_touches(c, request.key) for c in found)]
    if idle:
        raise UsageError(
            *(
                Problem(f"'{key}' already has this value in the original.", "Omit the key.")
                for key in idle
            )
        )
    for request in requests:
        if needs_reason(request.key):
            values = _value_at(before, request.key), _value_at(after, request.key)
            if (
                request.key.startswith("pages.") and values[0] == values[1]
            ):  # another text, same file
                values = _length(original, request.key), _length(study, request.key)
            yield StatedChange(request.key, *values, request.reason.strip(), request.impact)


def _value_at(values: _StudyJson, key: str) -> Json:
    """The value of a key in a study with all its defaults; None where there is none."""
    try:
        return _at(dict(values), key)
    except UsageError:  # an entry that only one of the two has
        return None


def _length(study: Study, key: str) -> str | None:
    """The length of a page; its text is in the study, where it is compared."""
    text = study.pages.get(key.removeprefix("pages."))
    return None if text is None else count(len(text.split()), "word")


def _touches(change: Change, key: str) -> bool:
    path = change.path.replace("[", ".").replace("]", "")  # pages[consent] is pages.consent
    return _is_in(path, (key,)) or _is_in(key, (path,))


def _is_in(key: str, keys: Collection[str]) -> bool:
    return any(key == each or key.startswith(f"{each}.") for each in keys)


def _told_keys(changes: Sequence[StatedChange]) -> Iterator[str]:
    for change in changes:
        yield change.key
        yield from change.covers


def _own_keys(original: Study, study: Study, stated: Sequence[StatedChange]) -> Iterator[str]:
    told = list(_told_keys(stated))
    for change in study_differences(original, study):
        if not any(_touches(change, key) for key in told):
            yield change.path


def _interface_change(bundle: Bundle) -> Iterator[StatedChange]:
    """The pages around the study's texts, which change with the version of rejudge."""
    before, now = bundle.manifest.interface, interface()
    if before.fingerprint != now.fingerprint:
        yield StatedChange(
            "interface",
            f"rejudge {before.rejudge} ({before.fingerprint})",
            f"rejudge {now.rejudge} ({now.fingerprint})",
            "The pages of the installed version differ from the original's.",
        )


def _naming_people(bundle: Bundle, study: Study) -> Iterator[str]:
    """Pages that name the people of the original lab, which another lab must change."""
    contact = bundle.study.spec.contact
    told = [contact.name, contact.email] if contact else []
    told += [bundle.study.spec.ethics] if bundle.study.spec.ethics else []
    for role, text in study.pages.items():
        if any(word in text for word in told):
            yield getattr(study.spec.pages, role)
