"""The same study again: items, batches, sides, checks; what is changed is told with its reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

import bundled
from rejudge.bundle.original import (
    of_folder,
    original_of,
    run_of,
    stated_deviations,
    unstated_changes,
)
from rejudge.bundle.read import read_bundle
from rejudge.bundle.reproduce import (
    Reproduction,
    RequestedChange,
    needs_reason,
    reproduce,
    study_id,
)
from rejudge.compare.compare import compare
from rejudge.design.draw import draw
from rejudge.design.freeze import changes_since_freeze, freeze
from rejudge.errors import StudyError, UsageError
from rejudge.files.disk import write_files
from rejudge.files.step_files import open_plan, open_study

PLATFORM = RequestedChange(
    "recruitment.platform", "prolific", "Nobody would come by a link.", "low"
)


@pytest.fixture(scope="module")
def original(content):
    return read_bundle(content, file="trees.zip")


@pytest.fixture
def again(original, content):
    """A reproduction with the wishes given."""

    def made(*wishes: RequestedChange, lab: str = "Our Lab") -> Reproduction:
        return bundled.reproduced(original, content, *wishes, lab=lab)

    return made


def written(made, folder):
    write_files(folder, made.files, force=False)
    return folder


def tasks(plan):
    return [batch.tasks for batch in plan.batches]


def test_without_a_change_the_plan_is_the_same_to_the_fingerprint(again, original, tmp_path):
    folder = written(again(), tmp_path / "again")
    study, plan = open_plan(folder)
    assert plan.fingerprint == original.plan.fingerprint
    assert study.items_fingerprint == original.study.items_fingerprint
    assert study.pages == original.study.pages


def test_own_words_of_the_interface_are_bundled_and_reproduced(tmp_path):
    folder = bundled.finish(tmp_path / "own")
    (folder / "pages" / "interface.json").write_text('{"about_same": "alike"}', "utf-8")
    content = bundled.bundled(bundled.judged(folder, seed=3))
    own = read_bundle(content, file="own.zip")
    made = bundled.reproduced(own, content)
    again = open_study(written(made, tmp_path / "again"))
    assert again.interface == own.study.interface == '{"about_same": "alike"}'
    changed = replace(again, interface='{"about_same": "A is better"}')
    assert [str(each) for each in unstated_changes(own.study, changed)] == [
        "pages[interface] changed"
    ]


def test_what_only_the_other_lab_can_answer_for_is_left_out(again):
    made = again()
    spec = made.study.spec
    assert (spec.id, spec.contact, spec.ethics) == ("trees-our-lab", None, "")
    assert spec.site.codes.completed is None
    assert made.to_read == ("pages/information.md",)


def test_ones_own_contact_needs_no_reason(again):
    made = again(
        RequestedChange("contact.name", "Sam"), RequestedChange("contact.email", "sam@lab.example")
    )
    assert made.study.spec.contact.name == "Sam"
    assert made.study.spec.deviations == {}
    assert not needs_reason("title")
    assert needs_reason("payment.reward")


def test_comments_and_layout_of_the_study_stay(again):
    text = again(PLATFORM).files["study.yaml"].decode()
    assert text.startswith("# Which sentence is better? With a comment that stays.")
    assert "participants_per_batch: 3   # how many people judge each batch" in text


def test_a_change_without_a_reason_is_refused_with_the_remedy(again):
    with pytest.raises(UsageError) as caught:
        again(
            RequestedChange("payment.reward", "2"),
            RequestedChange("recruitment.platform", "prolific", " "),
        )
    assert '--reason payment.reward="…"' in str(caught.value)
    assert len(caught.value.problems) == 2


def test_more_people_for_each_batch_leave_every_task_where_it_was(again, original):
    made = again(RequestedChange("design.participants_per_batch", "5", "More precise."))
    assert tasks(made.plan) == tasks(original.plan)
    assert {batch.participants for batch in made.plan.batches} == {5}
    assert made.is_same_plan
    assert made.plan.study == made.study.design_fingerprint


def test_another_order_for_each_person_leaves_the_batches_as_they_were(again, original):
    made = again(RequestedChange("design.order", "participant", "Order effects."))
    assert made.plan.order == "participant"
    assert tasks(made.plan) == tasks(original.plan)


def test_another_wording_leaves_the_plan_as_it_was(again, original):
    made = again(
        RequestedChange("questions.fluency.prompt", "How well does it read?", "Translated.")
    )
    assert made.plan.fingerprint == original.plan.fingerprint
    assert made.is_same_plan


def test_a_plan_edited_by_hand_is_kept_as_it_was_judged(original, content):
    """What counts is what the original's participants saw, not what would be drawn today."""
    first, *rest = original.plan.batches
    by_hand = replace(original.plan, batches=(replace(first, tasks=first.tasks[::-1]), *rest))
    more = RequestedChange("design.participants_per_batch", "4", "More precise.")
    made = bundled.reproduced(replace(original, plan=by_hand), content, more)
    assert tasks(made.plan) == tasks(by_hand)


@pytest.mark.parametrize(
    ("key", "given"),
    [("design.seed", "6"), ("design.batch.inputs", "2"), ("items.sample.inputs", "4")],
)
def test_a_change_that_asks_for_other_tasks_draws_anew_and_says_so(again, original, key, given):
    made = again(RequestedChange(key, given, "As a test."))
    assert not made.is_same_plan
    assert made.plan.fingerprint == draw(made.study).fingerprint != original.plan.fingerprint


@pytest.mark.parametrize(
    ("key", "given", "said"),
    [
        ("recruitment.platfrom", "prolific", "platform"),
        ("recruitment.platform", "facebook", "prolific"),
        ("payment.reward", "-3", "payment.reward"),
        ("design.participants_per_batch", "many", "participants_per_batch"),
        ("items.file", "other.csv", "there is no file 'other.csv'"),
        ("colour", "red", "colour"),
    ],
)
def test_a_change_is_judged_by_the_studys_own_reader(again, key, given, said):
    with pytest.raises(StudyError) as caught:
        again(RequestedChange(key, given, "As a test."))
    assert said in str(caught.value)
    assert caught.value.problems[0].file == "study.yaml"


def test_a_change_that_changes_nothing_is_refused(again):
    with pytest.raises(UsageError, match=r"participants_per_batch' already has this value"):
        again(RequestedChange("design.participants_per_batch", "3", "As a test."))


def test_a_default_counts_as_what_it_is(again):
    with pytest.raises(UsageError, match="already has this value"):
        again(RequestedChange("analysis.correction", "holm", "As a test."))
    made = again(RequestedChange("analysis.correction", "none", "As in the original paper."))
    (stated,) = stated_deviations(made.study, made.original)
    assert stated.note == "analysis.correction: holm → none"


def test_one_key_is_changed_once(again):
    with pytest.raises(UsageError, match="changed twice"):
        again(PLATFORM, PLATFORM)


def test_a_section_can_be_taken_out(again):
    assert again(RequestedChange("payment", "", "Volunteers.")).study.spec.payment is None


@pytest.mark.parametrize(
    ("lab", "id_"),
    [
        ("Our Lab", "trees-our-lab"),
        ("Zürich/ETH", "trees-zurich-eth"),
        ("x" * 99, "trees-" + "x" * 32),
    ],
)
def test_the_id_names_the_lab(again, lab, id_):
    assert again(lab=lab).study.spec.id == id_


def test_a_lab_without_letters_is_refused(again):
    with pytest.raises(UsageError, match="--as our-lab"):
        again(lab="实验室")


def test_other_pages_of_the_site_are_told_as_a_change(content):
    other = bundled.edited(
        lambda values: values["content"]["interface"].update(fingerprint="0" * 16, rejudge="0.0.9")
    )
    forged = bundled.forged(content, {"bundle.json": other})
    made = bundled.reproduced(read_bundle(forged, file="x"), forged)
    assert made.study.spec.deviations["interface"].original.startswith("rejudge 0.0.9")


CONSENT = RequestedChange(
    "pages.consent",
    "ours.md",
    "Our board asked for it.",
    "none",
    page=b"I agree. I am at least 18.\n",
)


def test_a_page_that_does_not_exist_gets_no_text(again):
    with pytest.raises(UsageError, match="there is no page 'cover'"):
        again(replace(CONSENT, key="pages.cover"))


def test_a_changed_page_is_a_deviation_with_its_sentences_and_reason(again, original, tmp_path):
    folder = bundled.judged(written(again(CONSENT), tmp_path / "again"), seed=4)
    (tmp_path / "trees.zip").write_bytes(again().files["original.zip"])
    comparison = compare(run_of(tmp_path / "trees.zip"), run_of(folder))
    found = {each.property: each for each in comparison.deviations}
    assert found["consent"].note == "“I agree to take part.” → “I agree. I am at least 18.”"
    assert found["consent"].reason == "Our board asked for it."
    assert "instructions" not in found


def test_no_deviation_shows_how_python_writes_a_value(again, tmp_path):
    batch = RequestedChange("design.batch", "{inputs: 2}", "Shorter.")
    folder = bundled.judged(written(again(batch), tmp_path / "again"), seed=4)
    notes = [each.note for each in run_of(folder).deviations]
    assert "design.batch: inputs 3 → inputs 2" in " ".join(notes)
    assert not any(sign in note for note in notes for sign in "{}[]'")


def test_the_frozen_record_of_the_original_is_not_taken_over(again):
    assert "frozen.json" not in again().files
    assert "results.json" not in again().files


@pytest.fixture
def judged(again, tmp_path):
    """A reproduction that people have judged."""
    return bundled.judged(written(again(PLATFORM), tmp_path / "again"), seed=8)


def test_a_bundle_and_its_folder_are_the_same_run(path, finished_once):
    ours, theirs = run_of(finished_once), run_of(path)
    assert (ours.source, theirs.source) == ("study", "bundle")
    assert ours.findings == theirs.findings
    assert ours.fingerprint == theirs.fingerprint
    assert ours.conditions == theirs.conditions


def test_a_reproduction_brings_its_original_and_its_reasons_along(judged, original):
    first, second = run_of(judged / "original.zip"), run_of(judged)
    assert (first.id, second.id, second.reproduces) == ("trees", "trees-our-lab", "trees")
    assert first.fingerprint == original.results.signature.judgments != second.fingerprint
    (deviation,) = second.deviations
    assert (deviation.property, deviation.impact) == ("platform", "low")
    assert deviation.reason == "Nobody would come by a link."
    assert len(first.judgments) <= len(original.judgments)


def test_reasons_for_one_condition_stand_together(again, tmp_path):
    wishes = [
        RequestedChange("questions.meaning.prompt", "Which one keeps it?", "Shorter.", "medium"),
        RequestedChange("questions.fluency.prompt", "How well does it read?", "Plainer.", "low"),
    ]
    folder = bundled.judged(written(again(*wishes), tmp_path / "again"), seed=8)
    (deviation,) = run_of(folder).deviations
    assert deviation.reason == "Shorter.; Plainer."
    assert deviation.impact == "medium"


def test_a_lab_whose_name_gives_no_id_is_told_what_is_needed():
    with pytest.raises(UsageError, match="has no letter a–z and no digit"):
        study_id("trees", "日本")


def test_a_reason_stands_with_the_condition_that_the_change_alters(again, tmp_path):
    wishes = [
        RequestedChange("questions.meaning.tie", "false", "Nobody may abstain."),
        RequestedChange("checks.gold.per_batch", "2", "More certain."),
        RequestedChange("checks.gold.on_fail", "flag", "Rules of the platform."),
    ]
    folder = bundled.judged(written(again(*wishes), tmp_path / "again"), seed=8)
    found = compare(run_of(folder / "original.zip"), run_of(folder)).deviations
    assert {each.property: each.reason for each in found if each.reason} == {
        "scale": "Nobody may abstain.",
        "checks-per-batch": "More certain.",
        "failed-check": "Rules of the platform.",
    }
    assert all(each.original != each.here for each in found)


def test_a_reproduction_can_be_bundled_and_reproduced_in_turn(judged, tmp_path):
    content = bundled.bundled(judged)
    second = read_bundle(content, file="again.zip")
    assert second.manifest.reproduces == "trees"
    assert [each.reason for each in second.manifest.deviations] == [PLATFORM.reason]
    third = bundled.reproduced(second, content, lab="third")
    assert third.original.id == "trees-our-lab"
    assert third.study.spec.deviations == {}
    assert third.plan.fingerprint == second.plan.fingerprint
    assert b"original.zip" not in content


def test_a_licence_that_asks_for_the_same_holds_for_the_reproduction(folder, tmp_path):
    shared = bundled.bundled(folder, licence="CC-BY-SA-4.0")
    made = bundled.reproduced(read_bundle(shared, file="x"), shared)
    again = bundled.judged(written(made, tmp_path / "again"), seed=8)
    with pytest.raises(UsageError, match=r"--licence CC-BY-SA-4\.0"):
        bundled.bundled(again)
    assert bundled.bundled(again, licence="CC-BY-SA-4.0")


def test_study_yaml_says_what_is_reproduced_and_why_it_differs(again, original, content, tmp_path):
    folder = written(again(PLATFORM), tmp_path / "again")
    study = open_study(folder)
    stated = study.spec.reproduces
    assert (stated.original, stated.lab) == ("original.zip", "Our Lab")
    assert study.spec.deviations["recruitment.platform"].impact == "low"
    assert (folder / "original.zip").read_bytes() == content
    found = original_of(study, folder)
    assert (found.kind, found.id, found.licence.id) == ("bundle", "trees", "CC-BY-4.0")
    (deviation,) = stated_deviations(study, found)
    assert deviation.note == "recruitment.platform: link → prolific"


def test_what_is_edited_afterwards_needs_a_reason_in_study_yaml(again, original, tmp_path):
    folder = written(again(PLATFORM, CONSENT), tmp_path / "again")
    assert unstated_changes(original.study, open_study(folder)) == ()
    frozen = freeze(*open_plan(folder), at=datetime(2026, 11, 16, tzinfo=UTC))
    (folder / "pages/instructions.md").write_text("Just guess.\n", encoding="utf-8")
    (change,) = unstated_changes(original.study, open_study(folder))
    assert change.path == "pages[instructions]"
    with (folder / "study.yaml").open("a", encoding="utf-8") as stream:
        stream.write("  pages.instructions: It was too long.\n")
    study, plan = open_plan(folder)
    assert unstated_changes(original.study, study) == ()
    changed = changes_since_freeze(frozen, study, plan)
    assert [each.path for each in changed] == ["pages[instructions]"]


def test_a_bundle_before_anybody_judged_claims_no_results(tmp_path):
    folder = bundled.finish(tmp_path / "planned")
    for name in ("judgments.csv", "excluded.csv", "results.json"):
        (folder / name).unlink()
    planned = read_bundle(bundled.bundled(folder), file="planned.zip")
    crate = planned.files["ro-crate-metadata.json"].decode()
    assert "results" not in crate
    assert "Nobody has judged it yet" in planned.files["README.md"].decode()


def test_a_folder_is_reproduced_with_its_path(finished_once, tmp_path):
    made = reproduce(of_folder(finished_once), lab="us", home="../trees")
    folder = written(made, tmp_path / "again")
    assert "original.zip" not in made.files
    assert open_study(folder).spec.reproduces.original == "../trees"
    assert made.plan.fingerprint == open_plan(finished_once)[1].fingerprint
