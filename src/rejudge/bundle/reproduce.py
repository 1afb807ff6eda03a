"""A reproduction of a study by another lab: same items, batches, sides, checks and pages.

Changes are stated with their reasons; what every lab must fill in for itself is cleared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rejudge.bundle.archive import ORIGINAL, study_files
from rejudge.bundle.narrowing import (
    HandEdit,
    Narrowing,
    hand_edits,
    narrow_text,
    narrowed_plan,
    plan_narrowing,
)
from rejudge.bundle.original import (
    FREE,
    INTERFACE,
    OF_THE_LAB,
    Original,
    interface_note,
    is_in,
    touches,
    value_at,
)
from rejudge.bundle.yaml_edit import set_key, typed_value
from rejudge.design.draw import draw
from rejudge.design.freeze import study_differences
from rejudge.design.plan import Batch, Plan
from rejudge.errors import Problem, UsageError
from rejudge.files.step_files import PLAN, STUDY, to_bytes
from rejudge.fingerprint import Json
from rejudge.incoming import decode
from rejudge.study.model import Study
from rejudge.study.parse import ROLES, parse
from rejudge.study.publication import Impact
from rejudge.study.yaml_file import read_yaml, write_yaml

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
    original: Original
    is_same_plan: bool  # the same batches, sides, checks and order
    to_read: tuple[str, ...]  # pages that name the people of the original
    to_edit: tuple[HandEdit, ...] = ()  # sentences about criteria that are no longer asked
    is_narrowed: bool = False  # the plan is the original's without tasks of removed criteria


def needs_reason(key: str) -> bool:
    """Whether a changed key is a deviation, not only what a lab says about itself."""
    return not is_in(key, FREE)


def study_id(original: str, lab: str) -> str:
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
    return f"{original[: _LONGEST_ID - len(rest) - 1].rstrip('-_.')}-{rest}"


def reproduce(
    original: Original,
    *,
    lab: str,
    home: str,
    requests: Sequence[RequestedChange] = (),
    archive: bytes | None = None,
    criteria: RequestedCriteria | None = None,
) -> Reproduction:
    """The files of a new study that repeats another, except for the requested changes.

    The plan is the original's, even if more people should judge each batch; it is drawn again only
    if a change requires other tasks. `archive`, the bytes of a bundle, is kept in the folder for
    the comparison; of a folder, `home` is its path as seen from the new one. `criteria`: those that
    are asked about, if not all; what depends on the others is removed. Reasons are written into
    study.yaml, under `deviations`.
    """
    _refuse_requests(requests)
    if original.study is None or original.plan is None:
        what = f"{original.path} is a paper, without items and pages that could be repeated."
        raise UsageError(Problem(what, "Write the study yourself, with `reproduces:` in it."))
    text = _without_lab_details(decode(original.files[STUDY], file=STUDY))
    if not any(request.key == "id" for request in requests):
        text = set_key(text, "id", study_id(original.id, lab))
    narrowing, base, plan_before = None, original.study, original.plan
    if criteria is not None:
        narrowing = criteria.narrowing(original.study)
        text = narrow_text(text, narrowing)
        base = parse(text, _reader(original.files))
        plan_before = narrowed_plan(original.plan, base, narrowing)
    for request in requests:
        if request.page is None:
            text = set_key(text, request.key, typed_value(request.given))
    contents = {**original.files, **dict(_replace_pages(text, original, requests))}
    _refuse_idle(base, parse(text, _reader(contents)), requests)
    stated: dict[str, Json] = {"reproduces": {"original": home, "lab": lab.strip()}}
    notes = _notes(original, requests, criteria)
    stated |= {"deviations": {**notes}} if notes else {}
    block = write_yaml(stated, width=96)
    text = f"{text.rstrip()}\n\n{block}"
    study = parse(text, _reader(contents))
    edits = [] if narrowing is None else hand_edits(original.study, study, text, narrowing)
    kept = keep_plan(base, plan_before, study)
    plan = kept or draw(study)
    own = {name: contents[name] for name in study_files(study) if name in contents}
    made_from = {"study": plan.study, "items": study.items_fingerprint}
    files = own | {STUDY: text.encode("utf-8"), PLAN: to_bytes(plan, made_from=made_from)}
    if archive is not None:
        files[ORIGINAL] = archive
    return Reproduction(
        files,
        study,
        plan,
        original,
        is_same_plan=kept is not None and _bare(kept) == _bare(original.plan),
        to_read=tuple(_naming_people(original.study, study)),
        to_edit=tuple(edits),
        is_narrowed=narrowing is not None and kept is not None,
    )


def _notes(
    original: Original, requests: Sequence[RequestedChange], criteria: RequestedCriteria | None
) -> dict[str, dict[str, Json]]:
    """What study.yaml says about deviations, by key."""
    notes: dict[str, dict[str, Json]] = {}
    if criteria is not None:
        notes["questions"] = _note(criteria.reason, criteria.impact)
    for request in requests:
        if needs_reason(request.key):
            notes[request.key] = _note(request.reason, request.impact)
    pages = interface_note(original)
    return {**notes, **({INTERFACE: pages} if pages else {})}


def _note(reason: str, impact: Impact) -> dict[str, Json]:
    return {"reason": reason.strip(), **({} if impact == "unknown" else {"impact": impact})}


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
    for key in OF_THE_LAB:
        if value_at(values, key) is not None:
            text = set_key(text, key, None)
    return text


def _replace_pages(
    text: str, original: Original, requests: Sequence[RequestedChange]
) -> Iterator[tuple[str, bytes]]:
    """The pages that get another text, by their files in the new folder."""
    pages = parse(text, _reader(original.files)).spec.pages
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


def _refuse_idle(original: Study, study: Study, requests: Sequence[RequestedChange]) -> None:
    """Every request must change something."""
    found = study_differences(original, study)
    idle = [
        Problem(f"'{each.key}' already has this value in the original.", "Omit the key.")
        for each in requests
        if not any(touches(change, each.key) for change in found)
        and not is_in(each.key, OF_THE_LAB)
    ]
    if idle:
        raise UsageError(*idle)


def _naming_people(original: Study, study: Study) -> Iterator[str]:
    """Pages that name the people of the original lab, which another lab must change."""
    contact = original.spec.contact
    named = [contact.name, contact.email] if contact else []
    named += [original.spec.ethics] if original.spec.ethics else []
    for role, text in study.pages.items():
        if any(word in text for word in named):
            yield getattr(study.spec.pages, role)
