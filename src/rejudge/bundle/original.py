"""What a study reproduces and why it differs: the original that study.yaml names, and runs.

`reproduces:` names a paper, a bundle or a folder; `deviations:` says why something is not as in the
original, and corrects conditions that were computed wrongly. Both are read here, for `compare`,
`bundle`, datasheets and submissions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from rejudge.bundle.archive import Licence, interface, study_files
from rejudge.bundle.narrowing import covered_keys
from rejudge.bundle.read import REASONS_BETWEEN, Bundle, load_bundle, open_bundle
from rejudge.bundle.yaml_edit import key_path
from rejudge.compare.conditions import condition_of_key, unknown_deviation_keys
from rejudge.compare.deviations import OF_CHECKS, OF_CRITERIA
from rejudge.compare.from_results import from_results
from rejudge.compare.run import Run
from rejudge.design.freeze import Change, study_differences
from rejudge.design.plan import Plan
from rejudge.english import count, shorten, value_in_words
from rejudge.errors import FileError, Problem, StudyError, UsageError
from rejudge.files.step_files import STUDY, open_paper, open_plan, read_judgments, read_results
from rejudge.fingerprint import Json
from rejudge.incoming import read_inside
from rejudge.judgments.exclusions import exclude
from rejudge.paper.conditions import property_of
from rejudge.paper.model import Paper, StatedDeviation
from rejudge.study.model import Study
from rejudge.study.publication import Impact

PAPER: Final = "paper.yaml"
INTERFACE: Final = "interface"  # the key of the pages around the study's own texts
OF_THE_LAB: Final = ("contact", "ethics", "publication", "reproduces", "deviations", "site.codes")
FREE: Final = ("id", "title", *OF_THE_LAB)  # what a lab says about itself is not a deviation
_GRAVITY: Final[tuple[Impact, ...]] = ("none", "unknown", "low", "medium", "high")
_LONGEST: Final = 200  # characters of a changed value
_StudyJson: TypeAlias = Mapping[str, Any]  # JSON of a study


@dataclass(frozen=True, eq=False)
class Original:
    """What a study reproduces."""

    kind: Literal["paper", "bundle", "folder"]
    path: str  # as `compare` takes it
    id: str
    title: str
    study: Study | None = None  # None: of a paper
    plan: Plan | None = None
    paper: Paper | None = None
    bundle: Bundle | None = None
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)  # that people wrote

    @property
    def licence(self) -> Licence | None:
        """Under which terms it may be used, where it says so."""
        return None if self.bundle is None else self.bundle.manifest.licence


def original_of(study: Study, folder: Path) -> Original | None:
    """The original that study.yaml names, as seen from its folder; None: it names none."""
    stated = study.spec.reproduces
    return None if stated is None else open_original(stated.original, folder)


def original_path(name: str, folder: Path) -> str:
    """Where an original is: beside study.yaml, or a paper that comes with rejudge."""
    beside = folder / name
    return str(beside) if beside.exists() else name


def open_original(name: str, folder: Path) -> Original:
    """The original of a name: a bundle, the folder of a study, or a paper.

    A bundle has the files that were packed; its numbers are checked by `open_bundle`.
    """
    path = Path(original_path(name, folder))
    if path.suffix == ".zip":
        return of_bundle(load_bundle(path))
    if (path / STUDY).is_file():
        return of_folder(path)
    paper = open_paper(path / PAPER if path.is_dir() else str(path))
    return Original("paper", str(path), paper.id, paper.reference.title, paper=paper)


def of_bundle(bundle: Bundle) -> Original:
    """A bundle as an original."""
    spec = bundle.study.spec
    return Original(
        "bundle", bundle.path, spec.id, spec.title, bundle.study, bundle.plan,
        bundle=bundle, files=bundle.files,
    )  # fmt: skip


def of_folder(folder: Path) -> Original:
    """The folder of a study as an original, with or without judgments."""
    study, plan = open_plan(folder)
    files = {name: read_inside(folder, name, remedy="Put it there.") for name in study_files(study)}
    spec = study.spec
    return Original("folder", str(folder), spec.id, spec.title, study, plan, files=files)


def run_of(path: Path | str) -> Run:
    """The run of a study folder with results, or of a bundle, with its reasons for deviations."""
    place = Path(path)
    return _of_folder(place) if place.is_dir() else _of_bundle(open_bundle(place))


def _of_bundle(bundle: Bundle) -> Run:
    if bundle.judgments is None or bundle.results is None:
        what = "this bundle has no judgments, so there is nothing to compare."
        raise FileError(Problem(what, "Ask for one with results.", file=bundle.path))
    return from_results(
        bundle.results,
        bundle.study,
        bundle.plan,
        source="bundle",
        reproduces=bundle.manifest.reproduces,
        deviations=bundle.manifest.deviations,
        judgments=exclude(bundle.study, bundle.plan, bundle.judgments).kept,
    )


def _of_folder(folder: Path) -> Run:
    study, plan = open_plan(folder)
    judgments = read_judgments(folder, plan)
    results = read_results(folder, study, plan, judgments)
    original = original_of(study, folder)
    return from_results(
        results,
        study,
        plan,
        source="study",
        reproduces=None if original is None else original.id,
        deviations=stated_deviations(study, original),
        judgments=exclude(study, plan, judgments).kept,
    )


# deviations


def stated_deviations(study: Study, original: Original | None) -> tuple[StatedDeviation, ...]:
    """What `deviations` says, by condition of measurement; several keys may decide one."""
    refuse_unknown_deviations(study)
    before = None if original is None else original.study
    by_condition: dict[str, list[StatedDeviation]] = {}
    for key, note in study.spec.deviations.items():
        stated = StatedDeviation(
            property=_condition(key),
            reason=note.reason.strip(),
            impact=note.impact,
            note="" if before is None else _what_differs(key, before, study),
            original=note.original,
            here=note.here,
            covers=() if before is None else tuple(_covered(key, before, study)),
        )
        by_condition.setdefault(stated.property, []).append(stated)
    return tuple(_together(several) for several in by_condition.values())


def _together(several: Sequence[StatedDeviation]) -> StatedDeviation:
    first = several[0]
    if len(several) == 1:
        return first
    return first.model_copy(
        update={
            "reason": REASONS_BETWEEN.join(dict.fromkeys(e.reason for e in several if e.reason)),
            "impact": max((each.impact for each in several), key=_GRAVITY.index),
            "note": "; ".join(each.note for each in several if each.note),
            "original": next((e.original for e in several if e.original is not None), None),
            "here": next((e.here for e in several if e.here is not None), None),
            "covers": tuple(dict.fromkeys(key for each in several for key in each.covers)),
        }
    )


def refuse_unknown_deviations(study: Study) -> None:
    """Raise a StudyError for such keys."""
    problems = [
        Problem(f"'{key}' is neither a key of study.yaml nor a condition.", remedy,
                file=STUDY, field="deviations")
        for key, remedy in unknown_deviation_keys(study)
    ]  # fmt: skip
    if problems:
        raise StudyError(*problems)


def _condition(key: str) -> str:
    return key if property_of(key) is not None or key.startswith("x-") else condition_of_key(key)


def _what_differs(key: str, before: Study, study: Study) -> str:
    values = values_of(key, before, study)
    return "" if values is None else f"{key}: {values[0]} → {values[1]}"


def values_of(key: str, before: Study, study: Study) -> tuple[str, str] | None:
    """The value of a key in the original and here, in words; of a page, its length.

    None where the two have the same.
    """
    old, new = (_value(key, each) for each in (before, study))
    if key.startswith("pages."):
        role = key.removeprefix("pages.")
        is_same = before.pages.get(role) == study.pages.get(role)
    else:
        is_same = old == new
    if is_same:
        return None
    return shorten(value_in_words(old), _LONGEST), shorten(value_in_words(new), _LONGEST)


def _value(key: str, study: Study) -> Json:
    if not key.startswith("pages."):
        value = value_at(study.spec.model_dump(mode="json"), key)
        entries = value if isinstance(value, list) else []
        ids = [each["id"] for each in entries if isinstance(each, dict) and "id" in each]
        return [*ids] if entries and len(ids) == len(entries) else value
    text = study.pages.get(key.removeprefix("pages."))
    return None if text is None else count(len(text.split()), "word")


def _covered(key: str, before: Study, study: Study) -> Iterator[str]:
    """The conditions that differ because of a change: of fewer criteria, all that depends on them.

    What is said of a remaining criterion stays a deviation of its own (`compare.deviations`).
    """
    if key != "questions" or not _is_narrower(before, study):
        return
    keys = covered_keys(before, study)
    yield from dict.fromkeys(condition_of_key(each) for each in keys)
    yield from OF_CRITERIA
    if "checks" in keys:
        yield from OF_CHECKS


def _is_narrower(before: Study, study: Study) -> bool:
    old, new = ({question.id for question in each.spec.questions} for each in (before, study))
    return new < old


def unstated_changes(original: Study, study: Study) -> tuple[Change, ...]:
    """Differences from the original for which `deviations` has no key."""
    explained = [*study.spec.deviations, *FREE]
    if "questions" in study.spec.deviations and _is_narrower(original, study):
        explained += covered_keys(original, study)
    return tuple(
        change
        for change in study_differences(original, study)
        if not any(touches(change, key) for key in explained)
    )


def touches(change: Change, key: str) -> bool:
    """Whether a change is at a key of study.yaml, above it or below it."""
    path = change.path.replace("[", ".").replace("]", "")  # pages[consent] is pages.consent
    return is_in(path, (key,)) or is_in(key, (path,))


def is_in(key: str, keys: Collection[str]) -> bool:
    """Whether a key is one of several, or below one of them."""
    return any(key == each or key.startswith(f"{each}.") for each in keys)


def value_at(values: _StudyJson, key: str) -> Json:
    """The value of a key in a study with all its defaults; None where there is none."""
    here: Json = dict(values)
    try:
        path = key_path(here, key)
    except UsageError:  # an entry that only one of the two has
        return None
    for step in path:
        if isinstance(here, list) and isinstance(step, int):
            here = here[step]
        else:
            here = here.get(str(step)) if isinstance(here, dict) else None
    return here


def interface_note(original: Original) -> dict[str, Json]:
    """The note on the pages around the study's texts, which change with the version of rejudge."""
    if original.bundle is None:
        return {}
    before, now = original.bundle.manifest.interface, interface()
    if before.fingerprint == now.fingerprint:
        return {}
    return {
        "reason": "The pages of the installed version differ from the original's.",
        "original": f"rejudge {before.rejudge} ({before.fingerprint})",
        "here": f"rejudge {now.rejudge} ({now.fingerprint})",
    }
