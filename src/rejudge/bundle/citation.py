"""How the data of a study are cited and found: CITATION.cff, .zenodo.json and the dataset card."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from rejudge.bundle.manifest import CHECKSUMS, LICENCES, Manifest
from rejudge.english import join_words
from rejudge.errors import Problem, StudyError
from rejudge.files.step_files import EXCLUDED, JUDGMENTS
from rejudge.layout.table import escape_markdown
from rejudge.platforms import platform
from rejudge.study.model import Study
from rejudge.study.publication import Author

CITATION: Final = "CITATION.cff"
ZENODO: Final = ".zenodo.json"
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
