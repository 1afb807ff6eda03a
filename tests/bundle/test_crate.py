"""ro-crate-metadata.json follows the rules of RO-Crate 1.1, as its specification states them."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from rejudge.bundle.archive import unpack
from rejudge.bundle.describe import _reference


@pytest.fixture(scope="module")
def files(content):
    return unpack(content, file="bundle.zip")


@pytest.fixture(scope="module")
def graph(files):
    """The entities by their ids."""
    document = json.loads(files["ro-crate-metadata.json"])
    assert document["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    ids = [entity["@id"] for entity in document["@graph"]]
    assert len(ids) == len(set(ids))  # “MUST NOT list multiple entities with the same @id”
    return dict(zip(ids, document["@graph"], strict=True))


def test_the_descriptor_names_the_specification_and_the_root(graph):
    descriptor = graph["ro-crate-metadata.json"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert descriptor["about"] == {"@id": "./"}


def test_the_root_has_all_that_it_must_have(graph):
    root = graph["./"]
    assert root["@type"] == "Dataset"
    assert root["name"] == "Which sentence is better?"
    assert "ash, Beech" in root["description"]
    assert root["datePublished"] == "2026-11-16"
    licence = graph[root["license"]["@id"]]
    assert (licence["@type"], licence["name"]) == ("CreativeWork", "CC-BY-4.0")
    assert licence["@id"] == "https://creativecommons.org/licenses/by/4.0/"


def test_every_file_but_metadata_and_checksums_is_a_part_of_the_root(graph, files):
    parts = {part["@id"] for part in graph["./"]["hasPart"]}
    assert parts == files.keys() - {"ro-crate-metadata.json", "checksums.sha256"}
    for name in parts:
        entity = graph[name]
        assert entity["@type"] == "File"
        assert entity["contentSize"] == str(len(files[name]))
        assert entity["sha256"] == hashlib.sha256(files[name]).hexdigest()


def test_the_graph_is_flat_and_whatever_is_referred_to_is_described(graph):
    for entity in graph.values():
        for key, value in entity.items():
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    assert set(each) == {"@id"}, key
                    assert each["@id"] in graph or each["@id"].startswith("https://w3id.org/")


def test_the_analysis_is_an_action_of_the_software_with_its_version(graph):
    action = graph["#analysis"]
    assert action["@type"] == "CreateAction"
    assert graph[action["instrument"]["@id"]]["@type"] == "SoftwareApplication"
    assert re.fullmatch(r"\d+\.\d+.*", graph[action["instrument"]["@id"]]["version"])
    assert {"@id": "results.json"} in action["result"]


def test_the_researcher_is_named_without_an_address(graph, files):
    assert graph["#contact"]["name"] == "Robin Example"
    assert b"@lab.example" not in files["ro-crate-metadata.json"]


def test_that_people_were_simulated_is_said(graph):
    assert "judgments by simulated people" in graph["./"]["description"]


def test_references_escape_what_an_address_may_not_hold():
    """The specification's own example: a space and a percent sign are escaped, letters stay."""
    assert _reference("Results and Diagrams/almost-50%.png") == (
        "Results%20and%20Diagrams/almost-50%25.png"
    )
    assert _reference("面试.mp4") == "面试.mp4"
