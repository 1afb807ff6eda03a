"""Neither form says its version; the ids do."""

from __future__ import annotations

import pytest

from heds_files import as_bytes, entry
from rejudge.heds import blank_sheet, read

_LINK = "heds-paper_and_resources-paper-link"
_TEXT = "heds-paper_and_resources-paper-experiment_identification"
_NAME = "heds-criteria-criterion-response_elicitation-qc_name-mapped_criterion_name"


@pytest.mark.parametrize(
    ("entries", "version", "is_mixed"),
    [
        ({}, "2.x", False),
        ({_LINK: entry("https://example.org")}, "2.x", False),
        ({_TEXT: entry("One.")}, "2.x", False),
        ({_TEXT: entry("One.", number="1.1.2")}, "3.0", False),
        ({_NAME: entry("Fluency")}, "3.0", False),
        ({_TEXT: entry("One.", number="1.1.2"), _LINK: entry("x")}, "3.0", True),
        ({"x-rejudge": {"heds_version": "3.0"}}, "3.0", False),
        ({"x-rejudge": {"heds_version": "9.9"}, _TEXT: entry("")}, "2.x", False),
    ],
)
def test_the_version_is_recognised(entries, version, is_mixed):
    sheet = read(as_bytes(entries))
    assert (sheet.version, sheet.is_mixed) == (version, is_mixed)


@pytest.mark.parametrize("version", ["2.x", "3.0"])
def test_a_blank_sheet_is_recognised(version):
    sheet = read(blank_sheet(version).write())
    assert (sheet.version, sheet.is_mixed) == (version, False)


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("arvan_2025_0744-02", "2.x"),
        ("miltenburg_2023_defcomplex_a", "2.x"),
        ("form3_blank_export", "3.0"),
        ("form3_converted_arvan_2025_0744-02", "3.0"),
    ],
)
def test_real_files_are_recognised(card, name, version):
    sheet = read(card(name))
    assert (sheet.version, sheet.is_mixed) == (version, False)
