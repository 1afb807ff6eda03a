"""What a bundle says about itself."""

from __future__ import annotations

import hashlib
import json

import pytest

from rejudge.bundle.archive import (
    LICENCES,
    environment_differences,
    interface,
    licence_conflict,
    licence_of,
    lock,
    unpack,
)
from rejudge.errors import UsageError
from rejudge.version import __version__


@pytest.fixture(scope="module")
def files(content):
    return unpack(content, file="bundle.zip")


def test_the_checksums_are_those_that_sha256sum_checks(files):
    lines = files["checksums.sha256"].decode().splitlines()
    assert lines == [
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}"
        for name in sorted(files)
        if name != "checksums.sha256"
    ]


def test_bundle_json_says_what_it_is(files):
    document = json.loads(files["bundle.json"])
    assert (document["kind"], document["format"], document["rejudge"]) == ("bundle", 1, __version__)
    assert set(document["made_from"]) == {"study", "items", "plan", "judgments"}
    told = document["content"]
    assert (told["study"], told["published"]) == ("trees", "2026-11-16")
    assert told["licence"]["id"] == "CC-BY-4.0"
    assert told["is_simulated"] is True
    assert told["interface"]["fingerprint"] == interface().fingerprint


def test_the_environment_is_what_rejudge_stands_on_and_nothing_else(files):
    text = files["environment.txt"].decode()
    assert text.startswith("# Python 3.")
    names = {line.partition("==")[0] for line in text.splitlines()[1:]}
    assert {"rejudge", "numpy", "scipy"} <= names
    assert not {"pytest", "ruff", "mypy"} & names


def test_environments_are_compared_package_by_package():
    assert environment_differences(lock(), lock()) == ()
    told = environment_differences(
        "# Python 3.11\na==1\nb==2\n", "# Python 3.12\na==1\nb==3\nc==1\n"
    )
    assert told == ("Python 3.11, here Python 3.12", "b 2, here 3", "c none, here 1")


@pytest.mark.parametrize("given", ["CC-BY-4.0", "cc-by-4.0", " mit ", "https://lab.org/terms"])
def test_a_licence_is_known_by_its_identifier_or_its_address(given):
    assert licence_of(given).url.startswith("https://")


@pytest.mark.parametrize("given", ["", "free", "CC", "https://a b"])
def test_an_unknown_licence_is_refused_with_those_that_are_known(given):
    with pytest.raises(UsageError, match=r"CC0-1\.0, CC-BY-4\.0"):
        licence_of(given)


def test_a_licence_that_asks_for_the_same_is_heeded():
    alike, free = LICENCES["CC-BY-SA-4.0"], LICENCES["CC-BY-4.0"]
    assert licence_conflict(alike, alike) is None
    assert licence_conflict(free, alike) is None
    assert "--licence CC-BY-SA-4.0" in str(licence_conflict(alike, free))
