"""CITATION.cff, .zenodo.json and the dataset card say what the study says."""

from __future__ import annotations

import json
import re

import pytest
import yaml

import bundled
from rejudge.bundle.archive import Interface, Manifest, licence_of, unpack
from rejudge.bundle.describe import citation_cff, cite, dataset_card, zenodo_metadata
from rejudge.errors import StudyError
from rejudge.study.model import Spec, Study

AUTHORS = [
    {"name": "Example, Ada", "affiliation": "Hill & Co", "orcid": "0000-0002-1825-0097"},
    {"name": "李, 雷"},
    {"name": "The Tree Group", "affiliation": "Somewhere"},
]


def study_of(**parts: object):
    spec = Spec.model_validate(
        {
            "id": "trees",
            "title": 'Which: "sentence" <is> better? #1',
            "systems": ["ash"],
            "questions": [{"kind": "rating", "id": "fluency", "prompt": "How fluent?"}],
            "design": {"seed": 1, "batch": {"inputs": 1}},
            "publication": {"authors": AUTHORS, **parts.pop("publication", {})},
            **parts,
        }
    )
    return Study(spec, (), {})


def manifest_of(study, licence="CC-BY-4.0", *, is_simulated=False):
    return Manifest(
        study=study.spec.id,
        title=study.spec.title,
        published="2026-11-16",
        licence=licence_of(licence),
        interface=Interface("0.1.0", "f"),
        is_simulated=is_simulated,
    )


def front_of(card: bytes):
    _, front, body = card.decode().split("---\n", 2)
    return yaml.safe_load(front), body


def test_the_citation_has_what_the_format_asks_for():
    study = study_of()
    found = yaml.safe_load(citation_cff(manifest_of(study), study))

    assert {"cff-version", "message", "title", "authors"} <= found.keys()  # required by 1.2.0
    assert found["cff-version"] == "1.2.0"
    assert found["type"] == "dataset"
    assert found["title"] == study.spec.title
    assert found["license"] == "CC-BY-4.0"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["date-released"])
    assert found["authors"] == [
        {
            "family-names": "Example",
            "given-names": "Ada",
            "affiliation": "Hill & Co",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
        },
        {"family-names": "李", "given-names": "雷"},
        {"name": "The Tree Group"},  # an entity, which has no affiliation in the format
    ]


def test_a_licence_without_an_identifier_is_an_address():
    study = study_of()
    manifest = manifest_of(study, "https://lab.example/terms")

    found = yaml.safe_load(citation_cff(manifest, study))
    assert found["license-url"] == "https://lab.example/terms"
    assert "license" not in found
    assert "license" not in zenodo_metadata(manifest, study)
    assert "https://lab.example/terms" in zenodo_metadata(manifest, study)["notes"]
    files = {"judgments.csv": b"a\n1\n", "excluded.csv": b"a\n"}
    front, _ = front_of(dataset_card("# x\n", manifest, study, files))
    assert (front["license"], front["license_link"]) == ("other", "https://lab.example/terms")


def test_zenodo_gets_what_it_asks_for():
    study = study_of()
    found = zenodo_metadata(manifest_of(study, is_simulated=True), study)

    assert found["upload_type"] == "dataset"
    assert found["license"] == "cc-by-4.0"
    assert found["creators"][0] == {
        "name": "Example, Ada", "affiliation": "Hill & Co", "orcid": "0000-0002-1825-0097",
    }  # fmt: skip
    assert "simulated people" in found["description"]
    assert "<is>" not in found["description"]
    assert json.loads(json.dumps(found)) == found


def test_the_card_has_front_matter_and_only_sections_with_words():
    study = study_of(
        publication={"intended_use": "# Research [x](y)", "biases": ""},
        recruitment={"platform": "prolific"},
        language="pt-BR",
    )
    files = {"judgments.csv": b"a\n" + b"1\n" * 1500, "excluded.csv": b"a\n"}
    front, body = front_of(dataset_card("# Title\n", manifest_of(study), study, files))

    assert front["pretty_name"] == study.spec.title
    assert front["license"] == "cc-by-4.0"
    assert front["size_categories"] == ["1K<n<10K"]
    assert front["configs"] == [{"config_name": "judgments", "data_files": "judgments.csv"}]
    assert front["annotations_creators"] == ["crowdsourced"]
    assert r"\# Research \[x\](y)" in body
    assert "Known biases" not in body


@pytest.mark.parametrize(
    ("licence", "card"),
    [("ODbL-1.0", "odbl"), ("ODC-By-1.0", "odc-by"), ("CC0-1.0", "cc0-1.0"), ("MIT", "mit")],
)
def test_the_card_calls_licences_as_the_hub_does(licence, card):
    study = study_of()
    files = {"judgments.csv": b"a\n", "excluded.csv": b"a\n"}
    front, _ = front_of(dataset_card("", manifest_of(study, licence), study, files))

    assert front["license"] == card


def test_an_entry_of_references_names_everybody():
    study = study_of()

    assert "author = {Example, Ada and 李, 雷 and The Tree Group}" in cite(
        manifest_of(study), study
    )


def test_nobody_is_made_an_author(folder):
    with pytest.raises(StudyError, match="authors"):
        bundled.bundled(folder, with_croissant=True)
    assert ".zenodo.json" not in unpack(bundled.bundled(folder), file="x")
