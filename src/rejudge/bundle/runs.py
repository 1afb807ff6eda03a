"""A study folder or a bundle as a run, to be compared; and the original of a reproduced study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rejudge.analysis import UNVERIFIABLE
from rejudge.bundle.manifest import (
    ORIGINAL,
    REPRODUCES,
    Reproduces,
    StatedChange,
    origin_of,
    sha256,
)
from rejudge.bundle.reader import Bundle, open_bundle
from rejudge.compare import Run, condition_of_key, from_results
from rejudge.english import value_in_words
from rejudge.errors import FileError, Problem
from rejudge.files import open_plan, read_bytes, read_judgments, read_results
from rejudge.judgments import exclude
from rejudge.paper import StatedDeviation

_LONGEST = 200  # characters of a changed value


def run_of(path: Path | str) -> Run:
    """The run of a study folder with results, or of a bundle.

    A reproduction also has its changes and their reasons.
    """
    place = Path(path)
    return _of_folder(place) if place.is_dir() else _of_bundle(open_bundle(place))


def original_run_of(folder: Path | str) -> Run:
    """The original that a study folder reproduces, from the bundle in the folder."""
    return run_of(original_of(folder))


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


def _of_bundle(bundle: Bundle) -> Run:
    origin, results = bundle.reproduces, bundle.results
    if bundle.is_unsigned:
        results = replace(results, notes=(*results.notes, UNVERIFIABLE))
    return from_results(
        results,
        bundle.study,
        bundle.plan,
        source="bundle",
        reproduces=origin.study if origin else None,
        deviations=tuple(_deviations(origin)),
        judgments=exclude(bundle.study, bundle.plan, bundle.judgments).kept,
    )


def _of_folder(folder: Path) -> Run:
    study, plan = open_plan(folder)
    judgments = read_judgments(folder, plan)
    results = read_results(folder, study, plan, judgments)
    origin = origin_of(folder)
    return from_results(
        results,
        study,
        plan,
        source="study",
        reproduces=origin.study if origin else None,
        deviations=tuple(_deviations(origin)),
        judgments=exclude(study, plan, judgments).kept,
    )


def _deviations(origin: Reproduces | None) -> Iterator[StatedDeviation]:
    """What was changed, by condition of measurement; several keys may belong to one condition."""
    by_condition: dict[str, list[StatedDeviation]] = {}
    for change in origin.changes if origin else ():
        told = StatedDeviation(
            property=condition_of_key(change.key),
            reason=change.reason,
            impact=change.impact,
            note=_change(change),
        )
        by_condition.setdefault(told.property, []).append(told)
    for several in by_condition.values():
        yield several[0].model_copy(
            update={
                "reason": "; ".join(dict.fromkeys(each.reason for each in several)),
                "impact": max((each.impact for each in several), key=_GRAVITY.index),
                "note": "; ".join(each.note for each in several),
            }
        )


_GRAVITY = ("none", "unknown", "low", "medium", "high")


def _change(change: StatedChange) -> str:
    before, after = (_short(value_in_words(each)) for each in (change.before, change.after))
    return f"{change.key}: {before} → {after}"


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
