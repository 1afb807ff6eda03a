"""Build a bundle: one archive that another lab can check and run again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from rejudge.analysis.results import Results
from rejudge.bundle.archive import (
    CHECKSUMS,
    CRATE,
    ENVIRONMENT,
    MANIFEST,
    MANIFEST_CODEC,
    README,
    Licence,
    Manifest,
    checksums,
    duplicate_names,
    filled_page_files,
    filled_page_name,
    fingerprints,
    interface,
    licence_conflict,
    lock,
    name_fault,
    pack,
    sha256,
    study_files,
    unpack,
)
from rejudge.bundle.describe import (
    CITATION,
    CROISSANT,
    ZENODO,
    DescribedStudy,
    citation_cff,
    crate,
    croissant,
    dataset_card,
    refuse_no_authors,
    zenodo_json,
)
from rejudge.bundle.original import original_of, stated_deviations
from rejudge.bundle.privacy import KnownPrivacy, find_private
from rejudge.design.freeze import Frozen
from rejudge.design.plan import Plan
from rejudge.errors import FileError, Problem, UsageError
from rejudge.files.step_files import (
    EXCLUDED,
    FROZEN,
    JUDGMENTS,
    PLAN,
    POWER,
    RESULTS,
    read,
    read_results,
    read_stored,
    to_bytes,
)
from rejudge.incoming import read_inside
from rejudge.judgments.exclusions import exclude, excluded_csv
from rejudge.judgments.table import Judgments
from rejudge.study.model import Study
from rejudge.study.parse import ROLES

_MADE = (PLAN, POWER, JUDGMENTS, EXCLUDED, RESULTS, FROZEN)
_OWN = (MANIFEST, CRATE, CHECKSUMS, ENVIRONMENT, README, CROISSANT, CITATION, ZENODO)


@dataclass(frozen=True, eq=False)
class FinishedStudy:
    """A study folder with all judgments; None where nobody has judged yet."""

    folder: Path
    study: Study
    plan: Plan
    judgments: Judgments | None


@dataclass(frozen=True, slots=True)
class PackedBundle:
    """A bundle, ready to be written."""

    content: bytes = field(repr=False)
    manifest: Manifest
    sizes: Mapping[str, int]  # of its files, by name
    remarks_left_out: int = 0

    @property
    def sha256(self) -> str:
        """The checksum of the whole archive, to be published with it."""
        return sha256(self.content)


def bundle(
    finished: FinishedStudy,
    *,
    licence: Licence,
    published: date,
    known: KnownPrivacy,
    accept: Collection[str] = (),
    with_remarks: bool = False,
    with_croissant: bool = False,
) -> PackedBundle:
    """The bundle of a study: the same files on the same day give the same bytes.

    The judgments are those given, so people who withdrew are not in it; exclusions are computed
    again from them, and results that were made from others are refused. Participants' remarks are
    personal data and are left out unless `with_remarks` asks for them. `with_croissant` adds what
    catalogues and archives read: croissant.json, CITATION.cff, .zenodo.json and a dataset card.
    """
    if with_croissant:
        refuse_no_authors(finished.study)
    if with_croissant and finished.judgments is None:
        what = "descriptions for catalogues are about judgments, and there are none yet."
        raise UsageError(Problem(what, "Leave out --croissant."))
    home, study, plan, judgments = (
        finished.folder, finished.study, finished.plan, finished.judgments,
    )  # fmt: skip
    own = {name: read_inside(home, name, remedy="Put it there.") for name in study_files(study)}
    _refuse_names(own)
    results = None if judgments is None else read_results(home, study, plan, judgments)
    original = original_of(study, home)
    shown = filled_page_files(study, plan, on=_day_of_pay(home, published))
    remarks = 0 if results is None else len(results.frame("remarks"))
    left_out = 0 if with_remarks else remarks
    files = own | _steps(finished, results) | shown
    if left_out:
        files[RESULTS] = _without_remarks(home)
    has_remarks = with_remarks and remarks > 0
    _refuse_private(files, finished, known, accept=accept, has_remarks=has_remarks)
    if original is not None and original.licence is not None:
        _refuse_clash(original.licence, licence)
    manifest = Manifest(
        study=study.spec.id,
        title=study.spec.title,
        published=published.isoformat(),
        licence=licence,
        interface=interface(),
        is_simulated=judgments is not None and judgments.simulated > 0,
        accepted=tuple(sorted(accept)),
        reproduces=None if original is None else original.id,
        deviations=stated_deviations(study, original),
    )
    files |= {
        ENVIRONMENT: lock().encode("utf-8"),
        MANIFEST: MANIFEST_CODEC.encode(manifest, fingerprints(study, plan, judgments)),
        README: _readme(manifest, left_out, is_judged=judgments is not None).encode("utf-8"),
    }
    if with_croissant and judgments is not None and results is not None:
        described = DescribedStudy(manifest, study, plan, judgments, results)
        files |= _descriptions(described, files)
    files[CRATE] = crate(manifest, study, files)
    files[CHECKSUMS] = checksums(files)
    content = pack(files)
    unpack(content, file=str(home))  # never write an archive that cannot be opened again
    sizes = {name: len(files[name]) for name in sorted(files)}
    return PackedBundle(content, manifest, sizes, left_out)


def _day_of_pay(folder: Path, published: date) -> date:
    frozen = folder / FROZEN
    return read(Frozen, frozen).at.date() if frozen.exists() else published


def _steps(finished: FinishedStudy, results: Results | None) -> dict[str, bytes]:
    """The files that rejudge wrote, as they are or made again."""
    home, study, plan = finished.folder, finished.study, finished.plan
    as_they_are = [PLAN]
    if (home / FROZEN).exists():
        read(Frozen, home / FROZEN)  # refuses one that was altered
        as_they_are.append(FROZEN)
    if (home / POWER).exists():
        as_they_are.append(POWER)
    if results is not None:
        as_they_are.append(RESULTS)
    steps = {name: read_inside(home, name, remedy="Make it again.") for name in as_they_are}
    if finished.judgments is None or results is None:
        return steps
    cleaned = exclude(study, plan, finished.judgments)
    return {
        **steps,
        JUDGMENTS: to_bytes(finished.judgments, made_from={"plan": results.signature.plan or ""}),
        EXCLUDED: excluded_csv(cleaned).encode("utf-8"),
    }


def _descriptions(described: DescribedStudy, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """What catalogues and archives read, croissant.json last: it lists the others."""
    manifest, study = described.manifest, described.study
    made = {
        README: dataset_card(files[README].decode("utf-8"), manifest, study, files),
        CITATION: citation_cff(manifest, study),
        ZENODO: zenodo_json(manifest, study),
    }
    return {**made, CROISSANT: croissant(described, {**files, **made})}


def _without_remarks(folder: Path) -> bytes:
    stored = read_stored(Results, folder / RESULTS)
    return to_bytes(stored.content.without_remarks(), made_from=stored.made_from)


def _refuse_names(own: Collection[str]) -> None:
    """A study's files must not clash with those of the bundle, on any machine."""
    problems = [
        Problem(what, "Rename the file, in study.yaml too.", file=name)
        for name in own
        if (what := name_fault(name)) is not None
    ]
    problems += [
        Problem("a bundle already has a file of this name.", "Rename it.", file=name)
        for name in duplicate_names((*_MADE, *_OWN, *map(filled_page_name, ROLES), *own))
    ]
    if problems:
        raise FileError(*problems)


def _refuse_private(
    files: Mapping[str, bytes],
    finished: FinishedStudy,
    known: KnownPrivacy,
    *,
    accept: Collection[str],
    has_remarks: bool,
) -> None:
    shown = map(filled_page_name, ROLES)
    # A plan repeats texts of items, and shown pages those of study.yaml.
    written = {*study_files(finished.study), *shown, PLAN}
    acceptable = written & files.keys()
    strangers = sorted(set(accept) - acceptable)
    if strangers:
        what = f"--accept {strangers[0]} is not one of your files in the bundle."
        raise UsageError(Problem(what, f"Your files are {', '.join(sorted(acceptable))}."))
    found = (
        *_find_identities(finished.judgments, known.identities),
        *find_private(files, known, written_by_people=written, accepted=accept),
    )
    if found:
        raise FileError(*(_of_remarks(each) if has_remarks else each for each in found))


def _of_remarks(problem: Problem) -> Problem:
    """Private data in results with remarks are most likely in a remark."""
    remedy = "It may be in a remark: omit --with-remarks."
    return replace(problem, remedy=remedy) if problem.file == RESULTS else problem


def _find_identities(judgments: Judgments | None, identities: Collection[str]) -> Iterator[Problem]:
    """Platform ids may be short words; as names of participants they are always found."""
    if judgments is not None and set(judgments.participant.labels) & set(identities):
        yield Problem(
            "a platform id is used instead of a participant's pseudonym.",
            "Use the judgments of the database: run rejudge analyse without the table.",
            file=JUDGMENTS,
        )


def _refuse_clash(original: Licence, licence: Licence) -> None:
    problem = licence_conflict(original, licence)
    if problem is not None:
        raise UsageError(problem)


def _readme(manifest: Manifest, remarks_left_out: int, *, is_judged: bool) -> str:
    notes = {
        "The judgments were made by a program, not by people.": manifest.is_simulated,
        "Nobody has judged it yet: there are no judgments and no results.": not is_judged,
        "Participants' remarks were left out: they are personal data.": remarks_left_out > 0,
    }
    remarks = [f"\n{note}\n" for note, holds in notes.items() if holds]
    return f"""# {manifest.title}

A human evaluation with everything needed to check it and to run it again.
{"".join(remarks)}
- `rejudge verify BUNDLE.zip` checks every checksum and computes every number again.
- `rejudge reproduce BUNDLE.zip --as YOUR-LAB` starts the same study in a new folder.
- Without rejudge: `sha256sum --check {CHECKSUMS}` in the unpacked folder. All tables are CSV;
  rejudge's documentation explains their columns and keys.

Licence: {manifest.licence.name} ({manifest.licence.url}).
Made with rejudge {manifest.interface.rejudge} on {manifest.published}.
"""
