"""croissant.json: core and responsible-AI properties, as the specifications name them."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bundled
from rejudge.bundle.archive import unpack
from rejudge.bundle.describe import _file_object, _record_set
from rejudge.bundle.read import open_bundle

PUBLICATION = """
publication:
  authors: [{name: "Example, Ada"}]
  biases: Only hills and woods.
  intended_use: Research.
"""
RAI_NAMES = {  # the property table of the RAI specification 1.0
    "dataCollection", "dataCollectionType", "dataCollectionMissingData", "dataCollectionRawData",
    "dataCollectionTimeframe", "dataPreprocessingProtocol", "dataAnnotationProtocol",
    "dataAnnotationPlatform", "dataAnnotationAnalysis", "annotationsPerItem",
    "annotatorDemographics", "machineAnnotationTools", "personalSensitiveInformation",
    "dataBiases", "dataLimitations", "dataUseCases", "dataSocialImpact",
    "dataReleaseMaintenancePlan", "dataImputationProtocol", "dataManipulationProtocol",
}  # fmt: skip


@pytest.fixture(scope="module")
def published(finished_once, tmp_path_factory) -> Path:
    """A finished study whose authors are stated afterwards: its results stay valid."""
    folder = Path(shutil.copytree(finished_once, tmp_path_factory.mktemp("published") / "trees"))
    with (folder / "study.yaml").open("a", encoding="utf-8") as text:
        text.write(PUBLICATION)
    return folder


@pytest.fixture(scope="module")
def content(published):
    return bundled.bundled(published, with_croissant=True)


@pytest.fixture(scope="module")
def files(content):
    return unpack(content, file="bundle.zip")


@pytest.fixture(scope="module")
def document(files):
    return json.loads(files["croissant.json"])


def test_every_file_is_listed_with_its_checksum(document, files):
    listed = {each["contentUrl"]: each for each in document["distribution"]}

    assert listed.keys() == files.keys() - {
        "croissant.json", "checksums.sha256", "ro-crate-metadata.json",
    }  # fmt: skip
    for name, each in listed.items():
        assert each["sha256"] == hashlib.sha256(files[name]).hexdigest()


def test_every_column_of_every_table_is_a_field(document, files):
    sets = {each["@id"]: each for each in document["recordSet"]}

    for name in ("judgments", "items"):
        header = files[f"{name}.csv"].decode().splitlines()[0].split(",")
        assert [field["name"] for field in sets[name]["field"]] == header


def test_it_names_the_versions_it_follows(document):
    assert document["conformsTo"] == [
        "http://mlcommons.org/croissant/1.0",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]
    assert document["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert document["creator"] == [{"@type": "sc:Person", "name": "Example, Ada"}]


def test_properties_on_responsible_ai_have_the_names_of_the_specification(document):
    names = {key.removeprefix("rai:") for key in document if key.startswith("rai:")}

    assert names <= RAI_NAMES
    assert {"dataCollection", "dataAnnotationProtocol", "annotationsPerItem"} <= names
    assert document["rai:dataBiases"] == "Only hills and woods."
    assert document["rai:dataUseCases"] == "Research."
    assert "rai:dataSocialImpact" not in document  # nobody stated it
    assert "rai:dataCollectionTimeframe" not in document  # simulated judgments have no times
    assert document["rai:annotationsPerItem"] == "Planned: 3 participants for each batch of items."
    assert "simulated" in document["rai:machineAnnotationTools"][0]


def test_the_bundle_can_still_be_opened_and_is_the_same_each_time(content, published, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(content)

    assert open_bundle(path).study.spec.publication.biases == "Only hills and woods."
    assert bundled.bundled(published, with_croissant=True) == content


CHECK = """
import json, sys
import mlcroissant as mlc
dataset = mlc.Dataset(jsonld=sys.argv[1])
counts = {each.uuid: sum(1 for _ in dataset.records(each.uuid))
          for each in dataset.metadata.record_sets}
issues = dataset.metadata.ctx.issues
print(json.dumps({"counts": counts, "issues": sorted([*issues.errors, *issues.warnings])}))
"""


@pytest.mark.slow
def test_mlcroissant_finds_no_fault_and_reads_every_table(files, tmp_path):
    """In a process of its own: the library takes seconds to load, and warns about others."""
    if importlib.util.find_spec("mlcroissant") is None:
        pytest.skip("mlcroissant is not installed: it is in the dependency group dev")
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHECK, "croissant.json"],
        cwd=tmp_path, capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    rows = {
        name.removesuffix(".csv"): files[name].decode().count("\n") - 1
        for name in ("judgments.csv", "excluded.csv", "items.csv")
    }

    assert found["issues"] == []
    assert found["counts"] == {name: n for name, n in rows.items() if n}


def test_odd_names_of_columns_and_files_have_plain_ids():
    columns = ["a b", "a-b", "a/b", "日本", "", "<x>&#1"]
    made = _record_set("my items.csv", "Items", columns)
    ids = [each["@id"] for each in made["field"]]

    assert made["@id"] == "my-items"
    assert len(set(ids)) == len(columns)
    assert not any(re.search(r"[\s<>#&]", each) for each in ids)
    assert [each["source"]["extract"]["column"] for each in made["field"]] == columns
    assert (
        made["field"][0]["source"]["fileObject"]["@id"] == _file_object("my items.csv", b"")["@id"]
    )
