"""ro-crate-metadata.json: what is in a bundle, for catalogues and archives (RO-Crate 1.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Any, Final, TypeAlias

from rejudge.bundle.citation import CITATION, ZENODO
from rejudge.bundle.croissant import CROISSANT
from rejudge.bundle.manifest import (
    CHECKSUMS,
    CRATE,
    ENVIRONMENT,
    MANIFEST,
    README,
    Manifest,
    sha256,
)
from rejudge.files.step_files import EXCLUDED, FROZEN, JUDGMENTS, PLAN, POWER, RESULTS, STUDY
from rejudge.study.model import Study
from rejudge.study.sample_size import FILLED_SIZE

Entity: TypeAlias = dict[str, Any]  # JSON-LD: strings, references and lists of them

_VERSION: Final = "https://w3id.org/ro/crate/1.1"
_TERMS: Final = {"sha256": "http://schema.org/sha256"}  # not yet in the context of 1.1
_FORMATS: Final = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".tsv": "text/tab-separated-values",
    ".parquet": "application/vnd.apache.parquet",
    ".txt": "text/plain",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".yaml": "application/yaml",
}
_MEANINGS: Final = {
    STUDY: "Questions, participants, analysis plan and claims",
    PLAN: "Which outputs each batch shows, in which order and position",
    FROZEN: "What was fixed before data collection",
    FILLED_SIZE: "The size of the study, computed by its rule from a pilot",
    POWER: "What the study could find as planned, and what each size costs",
    JUDGMENTS: "One row per judgment, under pseudonyms",
    EXCLUDED: "The excluded rows, each with its rule",
    RESULTS: "Every number with its n, interval, method and signature",
    CROISSANT: "Description for data catalogues (Croissant)",
    CITATION: "How to cite the data",
    ZENODO: "Description for Zenodo",
    "reproduces.json": "Which study this one reproduces, and what was changed and why",
    ENVIRONMENT: "The versions of the software that computed the numbers",
    MANIFEST: "Description of this bundle",
    README: "How to check this bundle and how to run the study again",
}
_RESERVED = re.compile(r"[\x00-\x20%\"<>\\^`{|}#?\[\]]")


def crate(manifest: Manifest, study: Study, files: Mapping[str, bytes]) -> bytes:
    """The metadata of the files of a bundle; checksums and the metadata themselves aside."""
    parts = sorted(files.keys() - {CRATE, CHECKSUMS})
    rejudge = f"#rejudge-{manifest.interface.rejudge}"
    graph: list[Entity] = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": _VERSION},
            "about": {"@id": "./"},
        },
        _root(manifest, study, parts),
        *(_file(name, files[name], study) for name in parts),
        {
            "@id": manifest.licence.url,
            "@type": "CreativeWork",
            "name": manifest.licence.id,
            "description": manifest.licence.name,
        },
        {
            "@id": rejudge,
            "@type": "SoftwareApplication",
            "name": "rejudge",
            "version": manifest.interface.rejudge,
        },
        _analysis(manifest, study, rejudge),
        *_people(study),
        *_original(manifest),
    ]
    document = {"@context": [f"{_VERSION}/context", _TERMS], "@graph": graph}
    return (json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _root(manifest: Manifest, study: Study, parts: Collection[str]) -> Entity:
    asked = ", ".join(question.id for question in study.spec.questions)
    systems = ", ".join(system.label for system in study.spec.systems)
    who = "simulated people" if manifest.is_simulated else "people"
    root: Entity = {
        "@id": "./",
        "@type": "Dataset",
        "name": manifest.title,
        "description": f"A human evaluation of {systems} for {asked}: study, items, plan, "
        f"pages, judgments by {who}, exclusions and results, ready to be checked and run again.",
        "datePublished": manifest.published,
        "license": {"@id": manifest.licence.url},
        "identifier": manifest.study,
        "keywords": "human evaluation, reproducibility, NLP",
        "hasPart": [{"@id": _reference(name)} for name in parts],
        "mentions": {"@id": "#analysis"},
    }
    if study.spec.contact is not None:
        root["author"] = {"@id": "#contact"}
    if manifest.reproduces is not None:
        root["isBasedOn"] = {"@id": "#original"}
    return root


def _file(name: str, content: bytes, study: Study) -> Entity:
    meaning = _MEANINGS.get(name)
    if name == study.spec.items.file:
        meaning = "The inputs and the systems' outputs"
    return {
        "@id": _reference(name),
        "@type": "File",
        "name": name,
        "description": meaning or "What participants read",
        "encodingFormat": _FORMATS.get(PurePosixPath(name).suffix, "text/plain"),
        "contentSize": str(len(content)),
        "sha256": sha256(content),
    }


def _analysis(manifest: Manifest, study: Study, rejudge: str) -> Entity:
    sources = (STUDY, study.spec.items.file, PLAN, JUDGMENTS)
    return {
        "@id": "#analysis",
        "@type": "CreateAction",
        "name": "Analysis of the judgments as planned",
        "endTime": manifest.published,
        "instrument": {"@id": rejudge},
        "object": [{"@id": _reference(name)} for name in sources],
        "result": [{"@id": name} for name in (RESULTS, EXCLUDED)],
    }


def _people(study: Study) -> list[Entity]:
    """The contact's name; the address is in study.yaml, which participants saw."""
    contact = study.spec.contact
    return [{"@id": "#contact", "@type": "Person", "name": contact.name}] if contact else []


def _original(manifest: Manifest) -> list[Entity]:
    if manifest.reproduces is None:
        return []
    return [{"@id": "#original", "@type": "CreativeWork", "name": manifest.reproduces}]


def _reference(name: str) -> str:
    """A path as a reference: reserved characters escaped, letters of any language as they are."""
    return _RESERVED.sub(lambda found: f"%{ord(found[0]):02X}", name)
