"""rejudge verify: an unchanged bundle passes, and a changed one is named."""

from __future__ import annotations

import pytest

import bundled
from served import run, said


def test_verify_is_content_with_an_honest_bundle(archive):
    found = said("verify", archive)
    assert found["sound"] is True
    assert found["numbers"] > 100
    result = run("verify", archive)
    assert "recomputed and equal" in result.output


def test_verify_ends_with_1_if_a_number_comes_out_differently(archive, tmp_path):
    def nicer(values: dict) -> None:
        values["content"]["findings"][0]["value"] += 1

    forged = bundled.forged(archive.read_bytes(), {"results.json": bundled.edited(nicer)})
    (tmp_path / "forged.zip").write_bytes(forged)
    result = run("verify", tmp_path / "forged.zip")
    assert result.exit_code == 1
    assert "recomputed, they differ in 1 place" in result.output
    assert "findings[" in result.output


@pytest.mark.parametrize("words", [("verify",), ("reproduce", "--as", "us"), ("compare", "x")])
def test_a_tampered_bundle_is_refused_with_the_file_named(archive, tmp_path, words):
    changed = bundled.with_file(archive.read_bytes(), "items.csv", lambda text: text + b"\n")
    bad = tmp_path / "bad.zip"
    bad.write_bytes(changed)
    result = run(words[0], bad, *words[1:])
    assert result.exit_code == 2
    assert "items.csv: this file was changed after bundling." in result.output
    assert list(tmp_path.iterdir()) == [bad]
