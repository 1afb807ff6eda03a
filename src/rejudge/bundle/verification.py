"""Compute every number of a bundle again, and report the differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from rejudge.analysis.analyse import analyse
from rejudge.analysis.results import Results
from rejudge.bundle.manifest import environment_differences, interface, lock
from rejudge.bundle.reader import SIGNED, Bundle, BundleDifference, Leaf, contradictions
from rejudge.design.draw import draw
from rejudge.design.freeze import changes_since_freeze
from rejudge.english import count, verb
from rejudge.errors import RejudgeError
from rejudge.files.step_files import EXCLUDED, RESULTS, to_json
from rejudge.findings.frame import Frame
from rejudge.findings.model import Group, Key
from rejudge.judgments.exclusions import exclude, excluded_csv
from rejudge.spreadsheet import csv_rows
from rejudge.version import __version__

TOLERANCE: Final = 1e-9  # relative, between different environments
_LEAST: Final = 1e-12  # absolute: for values that should be 0
_WORDING: Final = (
    "text",
    "method",
    "note",
    "notes",
    "reason",
    "measured",
)  # may improve with a version


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
    if bundle.judgments.simulated > 0:
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
    elif bundle.reproduces is None and not _is_drawn_alike(bundle):
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
