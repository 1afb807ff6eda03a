"""Read a bundle that somebody else made: nothing in it is trusted before it is checked.

Its parts must also belong together: what it says about itself is compared with its files. A bundle
or a study folder becomes a run, to be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from rejudge.analysis.analyse import analyse
from rejudge.analysis.partial_analysis import altered_findings
from rejudge.analysis.results import Results
from rejudge.bundle.archive import (
    CRATE,
    ENVIRONMENT,
    LIMITS,
    MANIFEST,
    MANIFEST_CODEC,
    Limits,
    Manifest,
    environment_differences,
    filled_page_files,
    fingerprints,
    interface,
    lock,
    refuse_changed,
    sha256,
    unpack,
)
from rejudge.design.draw import draw
from rejudge.design.freeze import Frozen, changes_since_freeze
from rejudge.design.plan import Plan
from rejudge.english import count, verb
from rejudge.errors import FileError, Problem, RejudgeError, StudyError
from rejudge.files.codecs import StoredContent
from rejudge.files.step_files import (
    EXCLUDED,
    FROZEN,
    JUDGMENTS,
    PLAN,
    RESULTS,
    STUDY,
    from_bytes,
    refuse_misfit,
    to_json,
)
from rejudge.findings.frame import Frame
from rejudge.findings.model import Group, Key
from rejudge.incoming import decode, read_bytes
from rejudge.judgments.exclusions import exclude, excluded_csv
from rejudge.judgments.table import Judgments
from rejudge.spreadsheet import csv_rows
from rejudge.study.model import Study
from rejudge.study.parse import parse
from rejudge.version import __version__

T = TypeVar("T")
_NEEDED = (STUDY, PLAN, ENVIRONMENT, CRATE)
_JUDGED = (JUDGMENTS, EXCLUDED, RESULTS)  # all of them, or none
Leaf: TypeAlias = Any  # a number, a word, a truth value or None, as JSON has them
SIGNED = ("study", "plan", "judgments")  # fingerprints that results carry in their signature


@dataclass(frozen=True, eq=False)
class Bundle:
    """A study of another lab, complete and unchanged since it was bundled."""

    path: str
    sha256: str  # of the archive
    manifest: Manifest
    made_from: Mapping[str, str]  # fingerprints by name, as stated
    study: Study
    plan: Plan
    judgments: Judgments | None  # None: nobody had judged when it was made
    results: Results | None
    frozen: Frozen | None
    edited: tuple[str, ...]  # step files that were changed after rejudge wrote them
    files: Mapping[str, bytes] = field(repr=False)

    @property
    def environment(self) -> str:
        """What its numbers were computed with."""
        return self.files[ENVIRONMENT].decode("utf-8", "replace")


def open_bundle(path: Path | str, *, limits: Limits = LIMITS) -> Bundle:
    """A bundle with all its parts; a FileError names every file that was changed."""
    bundle = load_bundle(path, limits=limits)
    problems = [
        Problem(
            f"{each.place} does not match the other files of the bundle.",
            "Somebody changed the bundle after it was made. Get a new copy from the source; "
            f"`rejudge verify {path}` lists the differences.",
            file=bundle.path,
            field=each.file,
        )
        for each in (*contradictions(bundle), *_altered_findings(bundle))
    ]
    if problems:
        raise FileError(*problems)
    return bundle


def _altered_findings(bundle: Bundle) -> Iterator[BundleDifference]:
    """Scores and differences that do not follow from the judgments; `verify` checks all numbers."""
    if bundle.judgments is None or bundle.results is None:
        return
    kept = exclude(bundle.study, bundle.plan, bundle.judgments).kept
    for finding in altered_findings(bundle.results, bundle.study, kept, plan=bundle.plan):
        yield BundleDifference(RESULTS, f"findings[{finding}]", None, None)


def load_bundle(path: Path | str, *, limits: Limits = LIMITS) -> Bundle:
    """A bundle for `verify`: complete and readable, but its files may contradict each other."""
    place = Path(path)
    return read_bundle(_archive(place, limits), file=str(place), limits=limits)


def read_bundle(content: bytes, *, file: str, limits: Limits = LIMITS) -> Bundle:
    """The bundle that an archive holds, if every file has its checksum."""
    files = unpack(content, file=file, limits=limits)
    if MANIFEST not in files:
        raise FileError(_no_bundle(files, file))
    # The format comes first: of a later one nothing else is known, not even the checksums.
    stored = MANIFEST_CODEC.decode(files[MANIFEST], file=f"{file}, {MANIFEST}")
    refuse_changed(files, file=file)
    is_judged = any(name in files for name in _JUDGED)
    for name in (*_NEEDED, *(_JUDGED if is_judged else ())):
        if name not in files:
            what = "this file is missing from the bundle."
            raise FileError(Problem(what, "Ask for a complete bundle.", file=file, field=name))
    reader = _PartReader(files, file)
    study, plan = reader.study(), reader.part(Plan, PLAN)
    refuse_misfit(plan.content, study, file=f"{file}, {PLAN}")
    results = reader.part(Results, RESULTS) if is_judged else None
    frozen = reader.part(Frozen, FROZEN) if FROZEN in files else None
    steps: dict[str, StoredContent[Any] | None] = {  # of every kind
        MANIFEST: stored,
        PLAN: plan,
        RESULTS: results,
        FROZEN: frozen,
    }
    return Bundle(
        path=file,
        sha256=sha256(content),
        manifest=stored.content,
        made_from=stored.made_from,
        study=study,
        plan=plan.content,
        judgments=reader.part(Judgments, JUDGMENTS).content if is_judged else None,
        results=results.content if results else None,
        frozen=frozen.content if frozen else None,
        edited=tuple(name for name, step in steps.items() if step and step.is_edited),
        files=files,
    )


@dataclass(frozen=True, slots=True)
class _PartReader:
    """Reads the parts of a bundle; messages name the archive and the file in it."""

    files: Mapping[str, bytes]
    file: str

    def study(self) -> Study:
        try:
            return parse(decode(self.files[STUDY], file=STUDY), self._beside)
        except StudyError as error:  # of its own files a study says only their names
            inside = (replace(each, file=f"{self.file}, {each.file}") for each in error.problems)
            raise FileError(*inside) from None

    def part(self, kind: type[T], name: str) -> StoredContent[T]:
        return from_bytes(kind, self.files[name], file=f"{self.file}, {name}")

    def _beside(self, name: str) -> bytes:
        if name not in self.files:
            raise FileNotFoundError(name)
        return self.files[name]


def _archive(path: Path, limits: Limits) -> bytes:
    remedy = "Give a bundle that `rejudge bundle` made."
    return read_bytes(path, remedy=remedy, limit=limits.packed_bytes)


def _no_bundle(files: Mapping[str, bytes], file: str) -> Problem:
    inside = [name for name in files if name.endswith(f"/{MANIFEST}")]
    if inside:
        what = f"the bundle is in a folder inside the archive ({inside[0]})."
        return Problem(
            what, "Give the original zip file, not one that was packed again.", file=file
        )
    what = f"this is not a bundle of rejudge: it has no {MANIFEST}."
    return Problem(what, "Give a bundle that `rejudge bundle` made.", file=file)


@dataclass(frozen=True, slots=True)
class BundleDifference:
    """A statement of a bundle that its files contradict."""

    file: str
    place: str
    stored: Leaf
    computed: Leaf


def contradictions(bundle: Bundle) -> Iterator[BundleDifference]:
    """Every place where a bundle's files are inconsistent.

    Checksums alone do not show it: somebody who edits a file can also rewrite the checksums.
    """
    yield from _find_edits(bundle)
    now = fingerprints(bundle.study, bundle.plan, bundle.judgments)
    for name, computed in now.items():
        stored = bundle.made_from.get(name)
        if stored != computed:
            yield BundleDifference(MANIFEST, f"made_from.{name}", stored, computed)
    signature = None if bundle.results is None else bundle.results.signature
    for name in SIGNED if signature is not None else ():
        stored = getattr(signature, name)
        if stored != now[name]:
            yield BundleDifference(RESULTS, f"signature.{name}", stored, now[name])
    yield from _description(bundle)
    yield from _pages(bundle)


def _pages(bundle: Bundle) -> Iterator[BundleDifference]:
    """Pages as people read them that differ from the study's; only checked within a version."""
    if bundle.manifest.interface.rejudge != __version__:
        return
    day = (
        bundle.frozen.at.date() if bundle.frozen else date.fromisoformat(bundle.manifest.published)
    )
    for name, text in filled_page_files(bundle.study, bundle.plan, on=day).items():
        if bundle.files.get(name, text) != text:
            yield BundleDifference(
                name, "text", "as people read it", "different from the study's page"
            )


def _find_edits(bundle: Bundle) -> Iterator[BundleDifference]:
    for name in bundle.edited:
        yield BundleDifference(name, "checksum", "as rejudge wrote it", "edited since")


def _description(bundle: Bundle) -> Iterator[BundleDifference]:
    """What the manifest says about the study, where its files say something else."""
    spec, manifest = bundle.study.spec, bundle.manifest
    actual = {
        "study": spec.id,
        "title": spec.title,
        "is_simulated": bundle.judgments is not None and bundle.judgments.simulated > 0,
    }
    for name, computed in actual.items():
        if getattr(manifest, name) != computed:
            yield BundleDifference(MANIFEST, name, getattr(manifest, name), computed)
    if (manifest.reproduces is None) != (spec.reproduces is None):
        named = None if spec.reproduces is None else spec.reproduces.original
        yield BundleDifference(MANIFEST, "reproduces", manifest.reproduces, named)
    given = {note.reason for note in spec.deviations.values()}
    for stated in manifest.deviations:
        if not all(reason in given for reason in stated.reason.split(REASONS_BETWEEN)):
            yield BundleDifference(MANIFEST, "deviations", stated.reason, None)


REASONS_BETWEEN: Final = "; "  # of several keys that decide one condition
TOLERANCE: Final = 1e-9  # relative, between different environments
_LEAST: Final = 1e-12  # absolute: for values that should be 0
# what a version may word better
_WORDING: Final = ("text", "method", "note", "notes", "reason", "measured")


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked in a bundle, and what differs from what it says."""

    files: int  # whose checksums hold
    judgments: int
    numbers: int  # compared
    rounded: int  # of them equal only within the tolerance
    differences: tuple[BundleDifference, ...]
    environment: tuple[str, ...]  # how it differs from the original's
    notes: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether every number is what the bundle says."""
        return not self.differences


def verify(bundle: Bundle) -> Verification:
    """Recompute exclusions, results and counts from the judgments of the bundle.

    Numbers must be equal to the last digit; with different software or on a different machine,
    within 1e-9. The checksum of each file was checked when the bundle was read.
    """
    environment = environment_differences(bundle.environment, lock())
    if bundle.judgments is None or bundle.results is None:
        return Verification(
            files=len(bundle.files),
            judgments=0,
            numbers=0,
            rounded=0,
            differences=tuple(contradictions(bundle)),
            environment=environment,
            notes=tuple(_notes(bundle)),
        )
    cleaned = exclude(bundle.study, bundle.plan, bundle.judgments)
    signature = bundle.results.signature
    again = analyse(
        cleaned,
        study=bundle.study,
        plan=bundle.plan,
        seed=signature.seed,
        questions=bundle.results.questions,
        coding=bundle.results.coding,
        looks=None if bundle.results.stopping is None else bundle.results.stopping.log,
    )
    look = _Comparer(is_same=not environment, is_same_version=signature.version == __version__)
    found = [
        *contradictions(bundle),
        *_exclusions(bundle, excluded_csv(cleaned)),
        *look.compare(_plain(bundle.results), _plain(again)),
    ]
    return Verification(
        files=len(bundle.files),
        judgments=len(bundle.judgments),
        numbers=look.numbers,
        rounded=look.rounded,
        differences=tuple(found),
        environment=environment,
        notes=(*look.notes(signature.version), *_notes(bundle)),
    )


def _plain(results: Results) -> dict[str, Any]:  # as JSON has it
    frames = [_of_judgments(each) for each in results.frames if each.name not in _OF_SITE]
    known = tuple(each for each in frames if len(each))
    plain: dict[str, Any] = to_json(replace(results, frames=known))
    for name in ("version", *SIGNED):  # compared on their own
        del plain["signature"][name]
    by_address = zip(map(_address, known), plain["frames"], strict=True)
    return plain | {"frames": dict(by_address)}


def _address(frame: Frame) -> str:
    groups = (f"{each.column}={each.name}" for each in frame.group)
    return " ".join(filter(None, (frame.name, frame.question, *groups, frame.case)))


_OF_SITE = ("arrivals", "profile", "remarks")  # recorded by the site, and not in the bundle


def _of_judgments(frame: Frame) -> Frame:
    """Times that judgments record; those of other pages are the site's too."""
    if "page" not in frame.columns:
        return frame
    return replace(frame.where(lambda row: row["page"] in {"task", "batch"}), total=None)


def _exclusions(bundle: Bundle, again: str) -> Iterator[BundleDifference]:
    stored = _lines_of(bundle.files[EXCLUDED].decode("utf-8", "replace"))
    computed = _lines_of(again)
    if stored != computed:
        line = next(
            (n for n, pair in enumerate(zip(stored, computed, strict=False)) if len(set(pair)) > 1),
            min(len(stored), len(computed)),
        )
        place = f"line {line + 1}"
        yield BundleDifference(EXCLUDED, place, _line(stored, line), _line(computed, line))


def _lines_of(text: str) -> list[str]:
    """Rows as text, however their cells were written for spreadsheets."""
    return [",".join(row) for row in csv_rows(text)]


def _line(lines: list[str], place: int) -> str | None:
    return lines[place] if place < len(lines) else None


def _notes(bundle: Bundle) -> Iterator[str]:
    if bundle.judgments is not None and bundle.judgments.simulated > 0:
        yield "Judgments in this bundle were made by a program, not by people."
    if bundle.frozen is not None:
        since = changes_since_freeze(bundle.frozen, bundle.study, bundle.plan)
        told = count(len(since), "change")
        yield (
            f"Nothing has changed since the study was frozen on {bundle.frozen.at:%Y-%m-%d}."
            if not since
            else f"Changed since the study was frozen on {bundle.frozen.at:%Y-%m-%d} ({told}): "
            + "; ".join(map(str, since[:5]))
            + ("." if len(since) <= 5 else " …")
        )
    if bundle.manifest.interface.fingerprint != interface().fingerprint:
        yield (
            f"Participants saw the pages of rejudge {bundle.manifest.interface.rejudge}; the "
            f"pages of this version, {__version__}, are different."
        )
    if bundle.plan.source is not None:
        yield f"The batches were not drawn, but read from {bundle.plan.source}."
    elif bundle.manifest.reproduces is None and not _is_drawn_alike(bundle):
        yield "The plan is not the one that this version draws from study.yaml and its seed."


def _is_drawn_alike(bundle: Bundle) -> bool:
    try:
        return draw(bundle.study).fingerprint == bundle.plan.fingerprint
    except RejudgeError:
        return False


@dataclass(slots=True)
class _Comparer:
    """Walks through two results side by side and counts what it meets."""

    is_same: bool  # the environment, to the last version
    is_same_version: bool  # of rejudge
    numbers: int = 0
    rounded: int = 0
    added: int = 0
    worded: int = 0

    def compare(self, stored: Leaf, computed: Leaf, place: str = "") -> Iterator[BundleDifference]:
        if isinstance(stored, Mapping) and isinstance(computed, Mapping):
            for key in (*stored, *(key for key in computed if key not in stored)):
                inner = f"{place}.{key}" if place else str(key)
                yield from self.compare(stored.get(key), computed.get(key), inner)
        elif isinstance(stored, list | tuple) and isinstance(computed, list | tuple):
            yield from self._compare_lists(stored, computed, place)
        elif not self._is_equal(stored, computed, place):
            yield BundleDifference(RESULTS, place, stored, computed)

    def _compare_lists(
        self, stored: list[Leaf] | tuple[Leaf, ...], computed: list[Leaf] | tuple[Leaf, ...],
        place: str,
    ) -> Iterator[BundleDifference]:  # fmt: skip
        if not stored and computed and not self.is_same_version:
            self.added += 1
        elif _last(place) in _WORDING:
            self.worded += stored != computed and not self.is_same_version
            if stored != computed and self.is_same_version:
                yield BundleDifference(RESULTS, place, list(stored), list(computed))
        elif len(stored) != len(computed):
            yield BundleDifference(RESULTS, f"{place} (how many)", len(stored), len(computed))
        else:
            for number, (old, new) in enumerate(zip(stored, computed, strict=True), start=1):
                yield from self.compare(old, new, f"{place}[{_name(old, number)}]")

    def _is_equal(self, stored: Leaf, computed: Leaf, place: str) -> bool:
        is_number = isinstance(stored, int | float) and not isinstance(stored, bool)
        self.numbers += is_number
        if stored == computed and isinstance(stored, bool) == isinstance(computed, bool):
            return True
        if not self.is_same_version and stored is None:
            self.added += 1
            return True
        if not self.is_same_version and _last(place) in _WORDING:
            self.worded += 1
            return True
        is_close = (
            not self.is_same
            and is_number
            and isinstance(computed, int | float)
            and math.isclose(stored, computed, rel_tol=TOLERANCE, abs_tol=_LEAST)
        )
        self.rounded += is_close
        return is_close

    def notes(self, version: str) -> Iterator[str]:
        if self.rounded:
            yield (
                f"{count(self.rounded, 'number')} {verb(self.rounded, 'agrees', 'agree')} within "
                f"{TOLERANCE:g}, not to the last digit: the software or the machine is different."
            )
        if self.added:
            yield (
                f"{count(self.added, 'part')} of the results cannot be "
                f"compared: rejudge {version} did not compute {verb(self.added, 'it', 'them')}."
            )
        if self.worded:
            are = verb(self.worded, "is", "are")
            yield f"{count(self.worded, 'text')} {are} worded differently from rejudge {version}."


def _last(place: str) -> str:
    return place.rpartition(".")[2].partition("[")[0]


def _name(entry: Leaf, number: int) -> str:
    """The name of an entry of a list: its id, if it has one."""
    if isinstance(entry, Mapping) and "key" in entry:  # a finding
        groups = tuple(Group(**each) for each in entry["key"]["group"])
        return Key(**{**entry["key"], "group": groups}).id
    name = entry.get("id", entry.get("participant")) if isinstance(entry, Mapping) else None
    return str(number if name is None else name)
