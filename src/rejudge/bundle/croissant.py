"""croissant.json: what a bundle contains, for data catalogues and venues that ask for it.

Croissant 1.0 (http://mlcommons.org/croissant/1.0) describes files, tables and their columns; the
Responsible AI vocabulary (http://mlcommons.org/croissant/RAI/1.0) how they were collected. What
only people can say comes from `publication` in study.yaml; without it, the property is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any, Final, TypeAlias

import numpy as np

from rejudge.analysis.results import Results
from rejudge.bundle.citation import author_names, cite, describe
from rejudge.bundle.manifest import CHECKSUMS, Manifest, sha256
from rejudge.design.plan import Plan
from rejudge.english import as_sentence, count, join_words, span
from rejudge.files.step_files import EXCLUDED, JUDGMENTS
from rejudge.judgments.table import Judgments
from rejudge.platforms import platform
from rejudge.report.conditions import planned_exclusions
from rejudge.report.methods import recruitment_sentences
from rejudge.spreadsheet import csv_rows
from rejudge.study.model import Study
from rejudge.tables_in import NamedFile, read_rows

CROISSANT: Final = "croissant.json"
CORE: Final = "http://mlcommons.org/croissant/1.0"
RAI: Final = "http://mlcommons.org/croissant/RAI/1.0"
Node: TypeAlias = dict[str, Any]  # JSON-LD: strings, references and lists of them

_CONTEXT: Final[Node] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        name: f"cr:{name}"
        for name in (
            "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject",
            "fileProperty", "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key",
            "md5", "parentField", "path", "recordSet", "references", "regex", "repeated",
            "replace", "samplingRate", "separator", "source", "subField", "transform",
        )
    },
}  # fmt: skip
_WORKBOOK: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FORMATS: Final = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".xlsx": _WORKBOOK,
}
_TYPES: Final = {  # of the columns of judgments.csv; the others are words
    "segment": "sc:Integer",
    "position": "sc:Integer",
    "seconds": "sc:Float",
    "submitted_at": "sc:DateTime",
    "passed": "sc:Boolean",
}
_NOT_IN_IDS: Final = re.compile(r"[^\w./-]")
_MEANINGS: Final = {
    "participant": "Pseudonym of the participant",
    "item": "Id of the item",
    "dataset": "Dataset that the item is from",
    "question": "Id of the question that was asked",
    "system": "System whose output was scored",
    "system_a": "System shown first, of two that were compared",
    "system_b": "System shown second, of two that were compared",
    "value": "The judgment: a number, or a, b or tie",
    "segment": "Place of the sentence that was scored",
    "batch": "Batch of tasks that the participant did",
    "task": "Id of the task",
    "position": "Place of the task in the order shown",
    "side": "Side on which system_a was shown",
    "seconds": "Seconds that the task took",
    "kind": "Real task, check, practice or repeat",
    "submitted_at": "When the judgment was submitted, UTC",
    "passed": "Whether a check was answered correctly",
    "state": "What became of the batch",
    "origin": "Judged by people (by which channel), or simulated",
    "plan": "Fingerprint of the plan",
}


@dataclass(frozen=True, eq=False)
class DescribedStudy:
    """Everything that a description of the published data is made from."""

    manifest: Manifest
    study: Study
    plan: Plan
    judgments: Judgments
    results: Results


def croissant(described: DescribedStudy, files: Mapping[str, bytes]) -> bytes:
    """The document for these files; checksums and the document itself aside."""
    manifest, study = described.manifest, described.study
    listed = sorted(files.keys() - {CROISSANT, CHECKSUMS})
    document: Node = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": manifest.study,
        "alternateName": manifest.title,
        "description": describe(manifest, study),
        "conformsTo": [CORE, RAI],
        "license": manifest.licence.url,
        "datePublished": manifest.published,
        "version": "1.0.0",
        "inLanguage": sorted({item.language or study.spec.language for item in study.items}),
        "keywords": ["human evaluation", "reproducibility", "natural language processing"],
        "citeAs": cite(manifest, study),
        "creator": [{"@type": "sc:Person", "name": name} for name in author_names(study)],
        "distribution": [_file(name, files[name]) for name in listed],
        "recordSet": [*_record_sets(described, files)],
        **{f"rai:{name}": value for name, value in responsible_ai(described).items()},
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _file(name: str, content: bytes) -> Node:
    return {
        "@type": "cr:FileObject",
        "@id": _plain(name),
        "name": name,
        "contentUrl": name,
        "contentSize": f"{len(content)} B",
        "encodingFormat": _FORMATS.get(PurePosixPath(name).suffix, "text/plain"),
        "sha256": sha256(content),
    }


# ── tables and their columns ─────────────────────────────────────────────────────────────────────


def _record_sets(described: DescribedStudy, files: Mapping[str, bytes]) -> Iterator[Node]:
    compares = bool(described.judgments.is_comparison.any())
    types = {**_TYPES, "value": "sc:Text" if compares else "sc:Float"}
    for name, words in (
        (JUDGMENTS, "One row for each judgment, under pseudonyms"),
        (EXCLUDED, "The judgments that are not analysed, each with its rule"),
    ):
        columns = _header(files[name])
        if len(files[name].splitlines()) > 1:  # an empty table has no records to describe
            yield _record_set(name, words, columns, types=types)
    yield from _item_set(described.study, files)


def _item_set(study: Study, files: Mapping[str, bytes]) -> Iterator[Node]:
    """The columns of the item file; Croissant cannot point into a workbook."""
    name = study.spec.items.file
    words = "The inputs and the systems' outputs"
    if PurePosixPath(name).suffix.lower() != ".xlsx":
        header = read_rows(NamedFile(name, files[name])).header
        yield _record_set(name, words, tuple(filter(None, header)), table="items")


def _record_set(
    name: str,
    words: str,
    columns: Sequence[str],
    *,
    table: str = "",
    types: Mapping[str, str] | None = None,
) -> Node:
    table = table or _plain(PurePosixPath(name).stem)
    return {
        "@type": "cr:RecordSet",
        "@id": table,
        "name": table,
        "description": words,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{table}/{id_}",
                "name": column,
                "description": _MEANINGS.get(column, f"Column “{column}”"),
                "dataType": (types or {}).get(column, "sc:Text"),
                "source": {"fileObject": {"@id": _plain(name)}, "extract": {"column": column}},
            }
            for column, id_ in zip(columns, _ids(columns), strict=True)
        ],
    }


def _ids(names: Sequence[str]) -> list[str]:
    """An id for each name; names that would share one are numbered."""
    found: list[str] = []
    for name in names:
        plain = _plain(name)
        found.append(plain if plain not in found else f"{plain}-{len(found) + 1}")
    return found


def _plain(name: str) -> str:
    """A name as an id, which must not have white space or signs of addresses."""
    return _NOT_IN_IDS.sub("-", name)


def _header(content: bytes) -> list[str]:
    return csv_rows(content.split(b"\n", 1)[0].decode("utf-8"))[0]


# ── responsible AI ───────────────────────────────────────────────────────────────────────────────

# What only people can say, by the property that it states.
FROM_AUTHORS: Final = {
    "dataBiases": "biases",
    "dataUseCases": "intended_use",
    "dataSocialImpact": "social_impact",
    "dataReleaseMaintenancePlan": "maintenance",
    "personalSensitiveInformation": "personal_information",
}


def responsible_ai(described: DescribedStudy) -> Node:
    """The properties that are known, by name."""
    publication = described.study.spec.publication
    stated = {
        name: text.strip()
        for name, key in FROM_AUTHORS.items()
        if (text := getattr(publication, key)).strip()
    }
    known: Node = {
        "dataCollection": _collection(described),
        "dataCollectionType": ["Experiments"],
        "dataCollectionMissingData": "Judgments that are not analysed are kept in excluded.csv, "
        "each with its rule. A question that was not answered has no row.",
        "dataCollectionRawData": f"{described.study.spec.items.file}: the inputs and the systems' "
        "outputs that were judged.",
        "dataCollectionTimeframe": _timeframe(described.judgments),
        "dataPreprocessingProtocol": [
            as_sentence(f"Left out: {planned_exclusions(described.study.spec.analysis)}")
        ],
        "dataImputationProtocol": "No values were imputed.",
        "dataAnnotationProtocol": _protocol(described.study),
        "dataAnnotationPlatform": [
            platform(described.study.spec.recruitment.platform).title,
            f"rejudge {described.manifest.interface.rejudge}",
        ],
        "dataAnnotationAnalysis": [*_agreement(described.results)],
        "annotationsPerItem": _per_item(described.plan),
        "annotatorDemographics": [*_demographics(described)],
        "machineAnnotationTools": [*_machines(described)],
        **stated,
    }
    return {name: value for name, value in known.items() if value}


def _collection(described: DescribedStudy) -> str:
    flow = described.results.flow
    who = "Participants" if flow.participants is None else count(flow.participants, "participant")
    systems = join_words([system.label for system in described.study.spec.systems])
    judged = count(flow.judgments, "judgment")
    made = " Some or all judgments were simulated by a program." if flow.is_simulated else ""
    return f"{who} judged outputs of {systems}, in {judged}.{made}"


def _timeframe(judgments: Judgments) -> list[str]:
    days = _days(judgments)
    return [day.isoformat() for day in dict.fromkeys(days)]


def _days(judgments: Judgments) -> tuple[date, ...]:
    known = judgments.submitted_at[~np.isnat(judgments.submitted_at)]
    if not len(known):
        return ()
    return tuple(each.astype("datetime64[D]").item() for each in (known.min(), known.max()))


def _protocol(study: Study) -> str:
    asked = [f"“{question.prompt}” ({question.task_in_words})" for question in study.spec.questions]
    pages = " The pages that participants read are included." if study.pages else ""
    return f"Participants were asked {join_words(asked)}.{pages}"


def _agreement(results: Results) -> Iterator[str]:
    for finding in results.select():
        if finding.measure == "agreement" and finding.value is not None and not finding.group:
            interval = finding.interval
            within = "" if interval is None else f" ({interval.low:.3f} to {interval.high:.3f})"
            yield f"{finding.by} on {finding.question}: {finding.value:.3f}{within}"


def _per_item(plan: Plan) -> str:
    people = [batch.participants for batch in plan.main]
    return f"Planned: {span(people, 'participant')} for each batch of items." if people else ""


def _demographics(described: DescribedStudy) -> Iterator[str]:
    spec = described.study.spec
    yield from map(as_sentence, recruitment_sentences(spec.recruitment))
    if spec.publication.demographics.strip():
        yield spec.publication.demographics.strip()


def _machines(described: DescribedStudy) -> Iterator[str]:
    if described.manifest.is_simulated:
        yield f"rejudge {described.manifest.interface.rejudge}: simulated participants"


def unstated_keys(study: Study) -> tuple[str, ...]:
    """The keys of study.yaml that would state more, in the order of the properties."""
    return tuple(
        f"publication.{key}"
        for key in FROM_AUTHORS.values()
        if not getattr(study.spec.publication, key).strip()
    )
