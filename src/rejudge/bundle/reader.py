"""Read a bundle that somebody else made: nothing in it is trusted before it is checked.

Its parts must also belong together: what it says about itself is compared with its files. A bundle
or a study folder becomes a run, to be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from rejudge.analysis.partial_analysis import altered_findings
from rejudge.analysis.results import Results
from rejudge.bundle.archive import LIMITS, Limits, unpack
from rejudge.bundle.build import filled_page_files, fingerprints
from rejudge.bundle.manifest import (
    CRATE,
    ENVIRONMENT,
    MANIFEST,
    MANIFEST_CODEC,
    ORIGINAL,
    REPRODUCES,
    REPRODUCES_CODEC,
    Manifest,
    Reproduces,
    StatedChange,
    origin_of,
    refuse_changed,
    sha256,
)
from rejudge.compare.conditions import condition_of_key
from rejudge.compare.deviations import OF_CHECKS, OF_CRITERIA
from rejudge.compare.from_results import from_results, with_cases
from rejudge.compare.run import Run
from rejudge.design.freeze import Frozen
from rejudge.design.plan import Plan
from rejudge.english import value_in_words
from rejudge.errors import FileError, Problem, StudyError
from rejudge.files.codecs import StoredContent
from rejudge.files.step_files import (
    EXCLUDED,
    FROZEN,
    JUDGMENTS,
    PLAN,
    RESULTS,
    STUDY,
    from_bytes,
    open_plan,
    read_judgments,
    read_results,
    refuse_misfit,
)
from rejudge.incoming import decode, read_bytes
from rejudge.judgments.exclusions import exclude
from rejudge.judgments.table import Judgments
from rejudge.paper.model import StatedDeviation
from rejudge.study.model import Study
from rejudge.study.parse import parse
from rejudge.version import __version__

T = TypeVar("T")
_NEEDED = (STUDY, PLAN, JUDGMENTS, EXCLUDED, RESULTS, ENVIRONMENT, CRATE)
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
    judgments: Judgments
    results: Results
    frozen: Frozen | None
    reproduces: Reproduces | None
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
    for name in _NEEDED:
        if name not in files:
            what = "this file is missing from the bundle."
            raise FileError(Problem(what, "Ask for a complete bundle.", file=file, field=name))
    reader = _PartReader(files, file)
    study, plan = reader.study(), reader.part(Plan, PLAN)
    refuse_misfit(plan.content, study, file=f"{file}, {PLAN}")
    results = reader.part(Results, RESULTS)
    frozen = reader.part(Frozen, FROZEN) if FROZEN in files else None
    origin = reader.origin()
    steps: dict[str, StoredContent[Any] | None] = {  # of every kind
        MANIFEST: stored,
        PLAN: plan,
        RESULTS: results,
        FROZEN: frozen,
        REPRODUCES: origin,
    }
    return Bundle(
        path=file,
        sha256=sha256(content),
        manifest=stored.content,
        made_from=stored.made_from,
        study=study,
        plan=plan.content,
        judgments=reader.part(Judgments, JUDGMENTS).content,
        results=results.content,
        frozen=frozen.content if frozen else None,
        reproduces=origin.content if origin else None,
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

    def origin(self) -> StoredContent[Reproduces] | None:
        if REPRODUCES not in self.files:
            return None
        return REPRODUCES_CODEC.decode(self.files[REPRODUCES], file=f"{self.file}, {REPRODUCES}")

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
    for name in SIGNED:
        stored = getattr(bundle.results.signature, name)
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
        "is_simulated": bundle.judgments.simulated > 0,
        "reproduces": bundle.reproduces.study if bundle.reproduces else None,
    }
    for name, computed in actual.items():
        if getattr(manifest, name) != computed:
            yield BundleDifference(MANIFEST, name, getattr(manifest, name), computed)


_LONGEST = 200  # characters of a changed value


def run_of(path: Path | str) -> Run:
    """The run of a study folder with results, or of a bundle.

    A reproduction also has its changes and their reasons.
    """
    return runs_of_study(path)[0]


def runs_of_study(path: Path | str) -> tuple[Run, ...]:
    """The same, then one run for each case of the analysis."""
    place = Path(path)
    return _of_folder(place) if place.is_dir() else _of_bundle(open_bundle(place))


def original_of(folder: Path | str) -> Path:
    """The path of the bundle that a study folder was made from, unchanged."""
    home = Path(folder)
    origin = origin_of(home)
    if origin is None:
        what = f"this study is not a reproduction: there is no {REPRODUCES}."
        remedy = "Name the original too: rejudge compare ORIGINAL REPRODUCTION."
        raise FileError(Problem(what, remedy, file=str(home)))
    content = read_bytes(home / ORIGINAL, remedy="Put the original's bundle there.")
    if sha256(content) != origin.bundle:
        what = "this is not the bundle that the study was made from."
        remedy = f"Put the original's bundle there, with sha256 {origin.bundle}."
        raise FileError(Problem(what, remedy, file=str(home / ORIGINAL)))
    return home / ORIGINAL


def _of_bundle(bundle: Bundle) -> tuple[Run, ...]:
    origin = bundle.reproduces
    run = from_results(
        bundle.results,
        bundle.study,
        bundle.plan,
        source="bundle",
        reproduces=origin.study if origin else None,
        deviations=tuple(_deviations(origin)),
        judgments=exclude(bundle.study, bundle.plan, bundle.judgments).kept,
    )
    return with_cases(run, bundle.results)


def _of_folder(folder: Path) -> tuple[Run, ...]:
    study, plan = open_plan(folder)
    judgments = read_judgments(folder, plan)
    results = read_results(folder, study, plan, judgments)
    origin = origin_of(folder)
    run = from_results(
        results,
        study,
        plan,
        source="study",
        reproduces=origin.study if origin else None,
        deviations=tuple(_deviations(origin)),
        judgments=exclude(study, plan, judgments).kept,
    )
    return with_cases(run, results)


def _deviations(origin: Reproduces | None) -> Iterator[StatedDeviation]:
    """What was changed, by condition of measurement; several keys may belong to one condition."""
    by_condition: dict[str, list[StatedDeviation]] = {}
    for change in origin.changes if origin else ():
        told = StatedDeviation(
            property=condition_of_key(change.key),
            reason=change.reason,
            impact=change.impact,
            note=_change(change),
            covers=tuple(_conditions_with(change)),
        )
        by_condition.setdefault(told.property, []).append(told)
    for several in by_condition.values():
        yield several[0].model_copy(
            update={
                "reason": "; ".join(dict.fromkeys(each.reason for each in several)),
                "impact": max((each.impact for each in several), key=_GRAVITY.index),
                "note": "; ".join(each.note for each in several),
                "covers": tuple(dict.fromkeys(key for each in several for key in each.covers)),
            }
        )


def _conditions_with(change: StatedChange) -> Iterator[str]:
    """The conditions that differ because of a change: of fewer criteria, all that depends on them.

    What is said of a remaining criterion stays a deviation of its own (`compare.deviations`).
    """
    keys = change.covers
    yield from dict.fromkeys(condition_of_key(key) for key in keys)
    if change.key == "questions" and _is_fewer(change):
        yield from OF_CRITERIA
    if "checks" in keys:
        yield from OF_CHECKS


def _is_fewer(change: StatedChange) -> bool:
    before, after = change.before, change.after
    return isinstance(before, list) and isinstance(after, list) and set(after) < set(before)


_GRAVITY = ("none", "unknown", "low", "medium", "high")


def _change(change: StatedChange) -> str:
    before, after = (_short(value_in_words(each)) for each in (change.before, change.after))
    return f"{change.key}: {before} → {after}"


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
