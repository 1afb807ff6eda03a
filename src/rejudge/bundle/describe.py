"""ro-crate-metadata.json: what is in a bundle, for catalogues and archives (RO-Crate 1.1)."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any, Final, TypeAlias

import numpy as np
import yaml

from rejudge.analysis.results import Results
from rejudge.bundle.archive import (
    CHECKSUMS,
    CRATE,
    ENVIRONMENT,
    LICENCES,
    MANIFEST,
    README,
    Manifest,
    sha256,
)
from rejudge.design.plan import Plan
from rejudge.english import as_sentence, count, join_words, span
from rejudge.errors import Problem, StudyError
from rejudge.files.step_files import EXCLUDED, FROZEN, JUDGMENTS, PLAN, POWER, RESULTS, STUDY
from rejudge.judgments.table import Judgments
from rejudge.layout.table import escape_markdown
from rejudge.platforms import platform
from rejudge.report.conditions import planned_exclusions
from rejudge.report.methods import recruitment_sentences
from rejudge.spreadsheet import csv_rows
from rejudge.study.model import Study
from rejudge.study.publication import Author
from rejudge.study.sample_size import FILLED_SIZE
from rejudge.tables_in import NamedFile, read_rows

CROISSANT: Final = "croissant.json"
CITATION: Final = "CITATION.cff"
ZENODO: Final = ".zenodo.json"
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
        *([_analysis(manifest, study, rejudge)] if RESULTS in parts else []),
        *_people(study),
        *_original(manifest),
    ]
    document = {"@context": [f"{_VERSION}/context", _TERMS], "@graph": graph}
    return (json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _root(manifest: Manifest, study: Study, parts: Collection[str]) -> Entity:
    asked = ", ".join(question.id for question in study.spec.questions)
    systems = ", ".join(system.label for system in study.spec.systems)
    who = "simulated people" if manifest.is_simulated else "people"
    judged = f", judgments by {who}, exclusions and results" if RESULTS in parts else ""
    root: Entity = {
        "@id": "./",
        "@type": "Dataset",
        "name": manifest.title,
        "description": f"A human evaluation of {systems} for {asked}: study, items, plan, pages"
        f"{judged}, ready to be checked and run again.",
        "datePublished": manifest.published,
        "license": {"@id": manifest.licence.url},
        "identifier": manifest.study,
        "keywords": "human evaluation, reproducibility, NLP",
        "hasPart": [{"@id": _reference(name)} for name in parts],
        **({"mentions": {"@id": "#analysis"}} if RESULTS in parts else {}),
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


_KEYWORDS: Final = ("human evaluation", "reproducibility", "natural language processing")
_CARD_LICENCES: Final = {"ODC-By-1.0": "odc-by", "ODbL-1.0": "odbl"}  # others: in lower case
_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"),
                 (1_000_000, "100K<n<1M"))  # fmt: skip
Fields = dict[str, Any]  # JSON or YAML values


def refuse_no_authors(study: Study) -> None:
    """A citation names somebody: raise a StudyError where nobody is stated."""
    if not study.spec.publication.authors:
        raise StudyError(
            Problem(
                "a citation needs authors, and the study names none.",
                "State them: `publication: {authors: [{name: 'Example, Ada'}]}`.",
                file="study.yaml",
                field="publication.authors",
            )
        )


def author_names(study: Study) -> list[str]:
    """The authors as they are to be cited."""
    return [author.name for author in study.spec.publication.authors]


def describe(manifest: Manifest, study: Study) -> str:
    """What the data are, in a sentence."""
    systems = join_words([system.label for system in study.spec.systems])
    asked = join_words([question.id for question in study.spec.questions])
    who = "simulated people" if manifest.is_simulated else "people"
    return (
        f"A human evaluation of {systems} for {asked}: study, items, plan, pages, every judgment "
        f"by {who}, exclusions and results, ready to be checked and run again."
    )


def cite(manifest: Manifest, study: Study) -> str:
    """The data as an entry of a list of references, in BibTeX."""
    authors = " and ".join(author_names(study))
    year = manifest.published[:4]
    title = manifest.title.replace("{", "").replace("}", "")
    return (
        f"@misc{{{manifest.study}-{year}, title = {{{title}}}, author = {{{authors}}}, "
        f"year = {{{year}}}}}"
    )


# ── CITATION.cff ─────────────────────────────────────────────────────────────────────────────────


def citation_cff(manifest: Manifest, study: Study) -> bytes:
    """The citation after the Citation File Format 1.2.0."""
    licence = manifest.licence
    named = {"license": licence.id} if licence.id in LICENCES else {"license-url": licence.url}
    fields: Fields = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them as below.",
        "type": "dataset",
        "title": manifest.title,
        "abstract": describe(manifest, study),
        "authors": [_cff_author(author) for author in study.spec.publication.authors],
        "date-released": manifest.published,
        "keywords": list(_KEYWORDS),
        **named,
    }
    return _yaml(fields).encode("utf-8")


def _cff_author(author: Author) -> Fields:
    family, comma, given = (part.strip() for part in author.name.partition(","))
    fields: Fields = {"family-names": family, "given-names": given} if comma else {}
    if not fields or not given:
        fields = {"name": author.name}
    if author.affiliation and "name" not in fields:
        fields["affiliation"] = author.affiliation
    if author.orcid:
        fields["orcid"] = f"https://orcid.org/{author.orcid}"
    return fields


# ── .zenodo.json ─────────────────────────────────────────────────────────────────────────────────


def zenodo_metadata(manifest: Manifest, study: Study) -> Fields:
    """The metadata of a deposition, as Zenodo's API takes them."""
    licence = manifest.licence
    known = {"license": licence.id.lower()} if licence.id in LICENCES else {}
    notes = {} if known else {"notes": f"Licence: {html.escape(licence.url)}"}
    fields: Fields = {
        "title": manifest.title,
        "upload_type": "dataset",
        "description": f"<p>{html.escape(describe(manifest, study))}</p>",
        "creators": [_creator(author) for author in study.spec.publication.authors],
        "publication_date": manifest.published,
        "access_right": "open",
        "keywords": list(_KEYWORDS),
        "version": "1.0.0",
        **known,
        **notes,
    }
    return fields


def _creator(author: Author) -> Fields:
    fields: Fields = {"name": author.name}
    if author.affiliation:
        fields["affiliation"] = author.affiliation
    if author.orcid:
        fields["orcid"] = author.orcid
    return fields


def zenodo_json(manifest: Manifest, study: Study) -> bytes:
    """The same as a file."""
    text = json.dumps(zenodo_metadata(manifest, study), ensure_ascii=False, indent=2)
    return f"{text}\n".encode()


# ── the dataset card ─────────────────────────────────────────────────────────────────────────────


def dataset_card(
    readme: str, manifest: Manifest, study: Study, files: Mapping[str, bytes]
) -> bytes:
    """README.md with the front matter and the sections that Hugging Face shows."""
    front = _yaml(_front_matter(manifest, study, files))
    sections = "".join(
        f"\n## {title}\n\n{escape_markdown(' '.join(text.split()))}\n"
        for title, text in _sections(study)
        if text.strip()
    )
    return f"---\n{front}---\n\n{readme}{sections}".encode()


def _front_matter(manifest: Manifest, study: Study, files: Mapping[str, bytes]) -> Fields:
    judgments = max(0, len(files[JUDGMENTS].splitlines()) - 1)
    languages = {item.language or study.spec.language for item in study.items}
    fields: Fields = {
        "pretty_name": manifest.title,
        "language": sorted({code.partition("-")[0] for code in languages}),
        **_card_licence(manifest),
        "size_categories": [next((name for most, name in _SIZES if judgments < most), "n>1M")],
        "tags": ["human-evaluation", "reproducibility", "rejudge", "croissant"],
        "configs": [
            {"config_name": name.partition(".")[0], "data_files": name}
            for name in (JUDGMENTS, EXCLUDED)
            if len(files[name].splitlines()) > 1  # an empty table cannot be shown
        ],
    }
    if platform(study.spec.recruitment.platform).is_crowd and not manifest.is_simulated:
        fields["annotations_creators"] = ["crowdsourced"]
    return fields


def _card_licence(manifest: Manifest) -> Fields:
    licence = manifest.licence
    if licence.id in LICENCES:
        return {"license": _CARD_LICENCES.get(licence.id, licence.id.lower())}
    return {"license": "other", "license_name": "see-link", "license_link": licence.url}


def _sections(study: Study) -> Iterator[tuple[str, str]]:
    publication = study.spec.publication
    yield "Intended use", publication.intended_use
    yield "Terms of use of the items", publication.item_terms
    yield "Personal information", publication.personal_information
    yield "Participants", publication.demographics
    yield "Known biases", publication.biases
    yield "Social impact", publication.social_impact
    yield "Ethics review", study.spec.ethics
    yield "Maintenance", publication.maintenance
    yield "Citation", f"{CITATION} says how to cite these data; {CHECKSUMS} has their checksums."


def _yaml(fields: Fields) -> str:
    return yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=1000)


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
_ENCODINGS: Final = {
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
_COLUMN_MEANINGS: Final = {
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
        "distribution": [_file_object(name, files[name]) for name in listed],
        "recordSet": [*_record_sets(described, files)],
        **{f"rai:{name}": value for name, value in responsible_ai(described).items()},
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _file_object(name: str, content: bytes) -> Node:
    return {
        "@type": "cr:FileObject",
        "@id": _plain(name),
        "name": name,
        "contentUrl": name,
        "contentSize": f"{len(content)} B",
        "encodingFormat": _ENCODINGS.get(PurePosixPath(name).suffix, "text/plain"),
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
                "description": _COLUMN_MEANINGS.get(column, f"Column “{column}”"),
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
