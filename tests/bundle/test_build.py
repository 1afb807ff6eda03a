"""What goes into a bundle, and what does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bundled
from rejudge.analysis.analyse import analyse
from rejudge.bundle.archive import unpack
from rejudge.bundle.read import open_bundle
from rejudge.design.draw import draw
from rejudge.errors import FileError, UsageError
from rejudge.files.step_files import open_study, to_bytes
from rejudge.judgments.exclusions import exclude


@pytest.fixture(scope="module")
def files(content):
    return unpack(content, file="bundle.zip")


def test_a_bundle_holds_all_that_is_needed_to_check_and_to_repeat_a_study(files):
    assert set(files) == {
        "README.md", "bundle.json", "checksums.sha256", "environment.txt", "excluded.csv",
        "items.csv", "judgments.csv", "pages/consent.md", "pages/information.md",
        "pages/instructions.md", "plan.json", "results.json", "ro-crate-metadata.json",
        "study.yaml",
    }  # fmt: skip


def test_what_people_wrote_is_bundled_to_the_byte(files, finished_once):
    for name in ("study.yaml", "items.csv", "pages/consent.md", "plan.json", "results.json"):
        assert files[name] == (finished_once / name).read_bytes()


def test_pages_with_placeholders_are_bundled_as_they_were_written_and_as_they_were_shown(tmp_path):
    """Written, they can be used again; shown, they say what people were promised."""
    folder = bundled.finish(tmp_path)
    page = folder / "pages" / "information.md"
    page.write_text("Ask {contact}. {minutes} minutes, {reward}.\n", encoding="utf-8")
    bundled.judged(folder, seed=3)
    content = bundled.bundled(folder)
    files = unpack(content, file="bundle.zip")
    assert files["pages/information.md"] == page.read_bytes()
    shown = files["pages-as-shown/information.md"].decode("utf-8")
    assert shown == "Ask Robin Example (robin@lab.example). 4 minutes, GBP 1.50.\n"
    assert "pages-as-shown/consent.md" not in files
    (tmp_path / "trees.zip").write_bytes(content)
    assert open_bundle(tmp_path / "trees.zip").study.pages["information"].startswith("Ask {")


def test_the_same_study_on_the_same_day_gives_the_same_bytes(content, finished_once):
    assert bundled.bundled(finished_once) == content


def test_files_beside_the_study_stay_at_home(folder):
    (folder / "study.db").write_bytes(b"platform ids")
    (folder / "notes.txt").write_text("Anna was late again.", encoding="utf-8")
    names = set(unpack(bundled.bundled(folder), file="x"))
    assert not {"study.db", "notes.txt"} & names


def test_results_of_other_judgments_are_refused(folder):
    lines = (folder / "judgments.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "judgments.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(FileError, match=r"an earlier version of the judgments\..*rejudge analyse"):
        bundled.bundled(folder)


def test_results_of_an_earlier_wording_are_refused(folder):
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(text.replace("better?", "best?"), encoding="utf-8")
    with pytest.raises(FileError, match="an earlier version of the study"):
        bundled.bundled(folder)


def test_exclusions_are_computed_anew_not_copied(folder, files):
    (folder / "excluded.csv").write_text("rule,participant\nnamed,somebody\n", encoding="utf-8")
    assert unpack(bundled.bundled(folder), file="x")["excluded.csv"] == files["excluded.csv"]


def test_an_address_in_an_item_is_refused_until_somebody_has_looked(folder):
    items = folder / "items.csv"
    text = items.read_text(encoding="utf-8").replace("It is 3.", "Write to info@shop.com.")
    items.write_text(text, encoding="utf-8")
    _drawn_again(folder)
    with pytest.raises(FileError) as caught:
        bundled.bundled(folder)
    assert "items.csv:5: an e-mail address is here." in str(caught.value)
    kept = bundled.bundled(folder, accept=("items.csv",))
    assert b"info@shop.com" in unpack(kept, file="x")["items.csv"]
    assert b'"accepted"' in unpack(kept, file="x")["bundle.json"]


def _drawn_again(folder: Path) -> None:
    """Plan and judge anew what was changed."""
    plan = draw(open_study(folder))
    (folder / "plan.json").write_bytes(to_bytes(plan, made_from={}))
    bundled.judged(folder, seed=3)


def test_only_files_of_ones_own_can_be_accepted(folder):
    with pytest.raises(UsageError, match=r"judgments\.csv is not one of your files"):
        bundled.bundled(folder, accept=("judgments.csv",))


def test_a_platform_id_in_place_of_a_pseudonym_is_refused_however_short(folder):
    participant = bundled.finished(folder).judgments.participant.labels[0]
    with pytest.raises(FileError, match="instead of a participant's pseudonym"):
        bundled.bundled(folder, known=replace(bundled.CONTACT, identities={participant}))


def test_prolific_ids_as_participants_are_refused(folder):
    finished = bundled.finished(folder)
    labels = tuple(
        f"5f3c0e2b9a1d4c7e8b6f{n:04x}" for n, _ in enumerate(finished.judgments.participant.labels)
    )
    people = replace(finished.judgments.participant, labels=labels)
    judgments = replace(finished.judgments, participant=people)
    (folder / "judgments.csv").write_bytes(to_bytes(judgments, made_from={}))
    study, plan = finished.study, finished.plan
    results = analyse(exclude(study, plan, judgments), study=study, plan=plan, seed=3)
    (folder / "results.json").write_bytes(to_bytes(results, made_from={}))
    with pytest.raises(FileError) as caught:
        bundled.bundled(folder)
    assert {p.file for p in caught.value.problems} >= {"judgments.csv", "results.json"}


def test_a_study_file_named_like_one_of_the_bundles_is_refused(folder):
    (folder / "pages/consent.md").rename(folder / "Readme.md")
    text = f"{bundled.STUDY}pages: {{consent: Readme.md}}\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=r"Readme\.md: a bundle already has a file of this name"):
        bundled.bundled(folder)


def test_judgments_come_back_as_they_were(content, finished_once, path):
    mine, theirs = bundled.finished(finished_once).judgments, open_bundle(path).judgments
    assert np.array_equal(mine.value, theirs.value)
    assert mine.rows() == theirs.rows()
