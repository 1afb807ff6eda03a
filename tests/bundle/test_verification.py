"""Every number of a bundle is computed again; what comes out otherwise is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import bundled
from judged_rows import rows_in
from rejudge.analysis.analyse import analyse
from rejudge.bundle.archive import unpack
from rejudge.bundle.read import read_bundle, verify
from rejudge.files.step_files import to_bytes
from rejudge.judgments.exclusions import exclude


def verified(content: bytes, **changes: Callable[[bytes], bytes]):
    """Verify a bundle some files of which were changed, with the checksums put right."""
    wanted = {name.replace("_", "."): change for name, change in changes.items()}
    forged = bundled.forged(content, wanted) if wanted else content
    return verify(read_bundle(forged, file="trees.zip"))


def places(found):
    return {(each.file, each.place) for each in found.differences}


def first_finding(values: Any, **more: Any) -> None:
    values["content"]["findings"][0].update(more)


def first_method(values: Any, text: str) -> None:
    values["content"]["sensitivity"][0]["method"] = text


@pytest.fixture(scope="module")
def results(content):
    return json.loads(unpack(content, file="x")["results.json"])["content"]


def count_numbers(value) -> int:
    if isinstance(value, dict):
        return sum(map(count_numbers, value.values()))
    if isinstance(value, list):
        return sum(map(count_numbers, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def test_an_honest_bundle_is_sound_to_the_last_digit(content, results):
    found = verified(content)
    assert found.is_sound
    assert (found.files, found.rounded, found.environment) == (14, 0, ())
    assert found.numbers >= count_numbers(results)  # defaults are not written


def test_that_judgments_were_simulated_is_noted(content):
    assert "made by a program" in verified(content).notes[0]


def test_a_number_that_was_made_nicer_is_found_by_its_place(content, results):
    first = results["findings"][0]
    nicer = bundled.edited(lambda values: first_finding(values, value=first["value"] + 1e-6))
    (one,) = verified(content, results_json=nicer).differences
    assert one.place == "findings[meaning.wins.ash].value"
    assert (one.stored, one.computed) == (first["value"] + 1e-6, first["value"])


def test_an_n_an_address_and_a_truth_are_compared_as_well(content, results):
    first = results["findings"][0]

    def change(values: Any) -> None:
        first_finding(values, n=first["n"] + 1, is_planned=False)
        values["content"]["findings"][0]["key"]["method"] = "other"

    found = verified(content, results_json=bundled.edited(change))
    assert {place for _, place in places(found)} == {
        "findings[meaning.other.ash].n",
        "findings[meaning.other.ash].is_planned",
        "findings[meaning.other.ash].key.method",
    }  # fmt: skip


def test_a_finding_that_was_left_out_is_missed(content, results):
    shorter = bundled.edited(lambda values: values["content"]["findings"].pop())
    (one,) = verified(content, results_json=shorter).differences
    count = len(results["findings"])
    assert (one.place, one.stored, one.computed) == ("findings (how many)", count - 1, count)


def test_an_answer_that_was_changed_shows_in_its_fingerprint_and_in_the_numbers(content):
    """Somebody who has put all checksums right has not put the numbers right."""

    def other(text: bytes) -> bytes:
        head, *lines = text.decode().splitlines()
        place = next(n for n, line in enumerate(lines) if ",fluency," in line and ",real," in line)
        cells, column = lines[place].split(","), head.split(",").index("value")
        cells[column] = "1" if cells[column] != "1" else "5"
        lines[place] = ",".join(cells)
        return "\n".join([head, *lines, ""]).encode()

    found = verified(content, judgments_csv=other)
    assert not found.is_sound
    assert ("bundle.json", "made_from.judgments") in places(found)
    assert ("results.json", "signature.judgments") in places(found)
    assert any(".value" in place for _, place in places(found))


def test_an_exclusion_that_was_taken_back_is_found_by_its_line(content):
    def fewer(text: bytes) -> bytes:
        lines = text.splitlines(keepends=True)
        return b"".join(lines[:1] + lines[2:])

    found = verified(content, excluded_csv=fewer)
    assert places(found) == {("excluded.csv", "line 2")}


def test_a_seed_other_than_the_one_told_gives_other_intervals(content):
    other = bundled.edited(lambda values: values["content"]["signature"].update(seed=99))
    assert not verified(content, results_json=other).is_sound


def other_environment(text: bytes) -> bytes:
    return text.replace(b"scipy==", b"scipy==0.")


def test_with_other_software_numbers_may_differ_in_the_tenth_digit(content, results):
    value = results["findings"][0]["value"]
    near = bundled.edited(lambda values: first_finding(values, value=value * (1 + 1e-11)))
    found = verified(content, results_json=near, environment_txt=other_environment)
    assert found.is_sound
    assert found.rounded == 1
    assert any("not to the last digit" in note for note in found.notes)
    assert any(line.startswith("scipy 0.") for line in found.environment)


def test_with_the_same_software_they_may_not(content, results):
    value = results["findings"][0]["value"]
    near = bundled.edited(lambda values: first_finding(values, value=value * (1 + 1e-11)))
    assert not verified(content, results_json=near).is_sound


def test_with_other_software_a_real_difference_is_still_found(content, results):
    value = results["findings"][0]["value"]
    far = bundled.edited(lambda values: first_finding(values, value=value * (1 + 1e-7)))
    assert len(verified(content, results_json=far, environment_txt=other_environment).differences)


def test_results_of_an_earlier_version_may_be_worded_otherwise_and_lack_what_is_new(content):
    def earlier(values: Any) -> None:
        values["content"]["signature"]["version"] = "0.0.1"
        frames = values["content"]["frames"]
        values["content"]["frames"] = [each for each in frames if each["name"] != "times"]
        first_method(values, "as we used to say")

    found = verified(content, results_json=bundled.edited(earlier))
    assert found.is_sound
    assert any("worded differently from rejudge 0.0.1" in note for note in found.notes)
    assert any("cannot be compared" in note for note in found.notes)


def test_in_the_same_version_the_wording_counts(content):
    reworded = bundled.edited(lambda values: first_method(values, "by magic"))
    assert not verified(content, results_json=reworded).is_sound


def test_other_pages_than_those_that_participants_met_are_noted(content):
    other = bundled.edited(
        lambda values: values["content"]["interface"].update(fingerprint="0" * 16)
    )
    found = verified(content, bundle_json=other)
    assert found.is_sound
    assert any("are different" in note for note in found.notes)


def test_a_plan_that_was_not_drawn_from_its_seed_is_noted(content):
    def swapped(values: Any) -> None:
        tasks = values["content"]["batches"][0]["tasks"]
        pair = next(
            task for task in tasks if task["options"] in (["ash", "beech"], ["beech", "ash"])
        )
        pair["options"].reverse()

    found = verified(content, plan_json=bundled.edited(swapped))
    assert any("not the one that this version draws" in note for note in found.notes)


def test_results_of_choices_coded_by_the_winner_are_verified_as_such(folder):
    mine = bundled.finished(folder)
    cleaned = exclude(mine.study, mine.plan, mine.judgments)
    results = analyse(
        cleaned, study=mine.study, plan=mine.plan, seed=1, coding="winner", questions=["meaning"]
    )
    (folder / "results.json").write_bytes(to_bytes(results, made_from={}))
    assert verified(bundled.bundled(folder)).is_sound


@pytest.mark.slow
def test_a_study_with_derived_scores_and_groups_is_verified(tmp_path):
    text = bundled.STUDY.replace(
        "  exclude: {failed_checks: 1}",
        """    - {question: twice, test: mixed-model}
  derived: [{id: twice, formula: 2 * fluency}]
  groups: [dataset]
  exclude: {failed_checks: 1}""",
    )
    folder = bundled.finish(tmp_path, study=text)
    assert verified(bundled.bundled(folder)).differences == ()


def test_what_only_the_site_recorded_is_not_missed(content):
    """Who took part and the pages beside the tasks are not in the bundle's judgments."""

    def add(values: Any) -> None:
        told = values["content"]
        profile = {"about": ["age"], "answer": ["30"], "participants": [9]}
        told["frames"].append({"name": "profile", "columns": profile})
        page = {"page": "consent", "n": 3, "least": 1.0, "lower": 1.0, "median": 2.0, "upper": 3.0,
                "most": 3.0, "mean": 2.0, "sd": 1.0}  # fmt: skip
        pages = next(each for each in told["frames"] if each["name"] == "times-pages")
        for name, column in pages["columns"].items():
            column.insert(0, page.get(name))

    assert verified(content, results_json=bundled.edited(add)).is_sound


def test_times_of_tasks_are_computed_again(content, results):
    def slow(values: Any) -> None:
        frames = values["content"]["frames"]
        pages = next(each for each in frames if each["name"] == "times-pages")
        pages["columns"]["median"][0] += 1

    assert rows_in(results, "times-pages")[0]["page"] == "task"
    (one,) = verified(content, results_json=bundled.edited(slow)).differences
    assert one.place == "frames.times-pages.columns.median[1]"


@pytest.mark.parametrize(
    ("key", "value"),
    [("is_simulated", False), ("study", "oaks"), ("title", "Another"), ("reproduces", "oaks")],
)
def test_what_a_bundle_says_of_itself_is_held_against_its_files(content, key, value):
    found = verified(
        content, bundle_json=bundled.edited(lambda v: v["content"].update({key: value}))
    )
    assert places(found) == {("bundle.json", key)}
    assert "made by a program" in found.notes[0]
