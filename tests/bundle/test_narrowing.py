"""A reproduction of some criteria: every place that depends on the others changes with them.

The study has the shape of the one whose reproduction kept the meaning and removed two criteria:
their buttons, their instructions, the control task about dissimilarity (replaced by a control task
about meaning from another batch), and with them their practice, tests and claims.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

import bundled
from rejudge.bundle.original import run_of, stated_deviations, unstated_changes
from rejudge.bundle.read import read_bundle, verify
from rejudge.bundle.reproduce import RequestedChange, RequestedCriteria
from rejudge.cli import main
from rejudge.design.given_batches import plan_from_batches
from rejudge.design.plan import check_plan
from rejudge.errors import UsageError
from rejudge.files.disk import write_files
from rejudge.files.step_files import open_plan, open_study, to_bytes
from rejudge.tables_in import NamedFile

STUDY = """\
# Three criteria in one form.
id: paraphrases
title: Which paraphrase is better?
systems: [ash, beech]
questions:
  - {kind: pairwise, id: meaning, prompt: "Which keeps the meaning best?"}
  - kind: pairwise
    id: fluency
    prompt: Which is the most fluent?
  # the least similar one
  - kind: pairwise
    id: dissimilarity
    prompt: Which is the most different from the original?
design:
  seed: 5               # as in the original
  batch: {inputs: 2}
items: {sample: {inputs: 4}}
checks:
  - {kind: gold, id: other, question: meaning}
  - kind: gold
    id: copy
    question: dissimilarity
    contrast: input
  - {kind: instruction, id: attention, question: fluency}
practice:
  examples:
    - input: It rains.
      outputs: [Rain falls., It rains.]
      answers: {meaning: b, fluency: a, dissimilarity: a}
      explanation: B has the same meaning. A is more dissimilar.
    - input: It snows.
      outputs: [Snow falls., Snow fall.]
      answers: {fluency: a}
      explanation: B is not fluent.
qualification:
  pass_mark: 4          # of 6
  tasks:
    - input: It pours.
      outputs: [It rains hard., It is dry.]
      answers: {meaning: a, fluency: a, dissimilarity: b}
    - {input: It hails., outputs: [Hail it do., It hails.], answers: {fluency: b}}
    - {input: It clears., outputs: [The sky clears., Fog comes.], answers: {meaning: a}}
    - {input: It thaws., outputs: [It is cold., It melts.], answers: {meaning: b}}
payment: {reward: 3, minutes: 20}
analysis:
  tests:
    - {question: meaning, test: cluster-robust}
    - {question: fluency, test: cluster-robust}
    - {question: dissimilarity, test: cluster-robust}
  exclude: {failed_checks: 1}
claims:
  - {id: m, says: ash best on meaning}
  - {id: f, says: ash best on fluency}
"""
INSTRUCTIONS = """\
# What to do

Read both sentences and answer three questions.

- Meaning: which one means the same?
- Fluency: which one is well written?
- Dissimilarity: which one is worded most differently?

Take your time.
"""
WHY = "Only this criterion is reproduced."
MEANING = RequestedCriteria(("meaning",), WHY, "low")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    folder = bundled.finish(tmp_path_factory.mktemp("narrow") / "paraphrases", study=STUDY)
    write_files(folder, {"pages/instructions.md": INSTRUCTIONS.encode()}, force=True)
    return bundled.bundled(bundled.judged(folder, seed=3))


@pytest.fixture(scope="module")
def original(content):
    return read_bundle(content, file="paraphrases.zip")


def narrowed(original, content, criteria=MEANING, request=None):
    requests = () if request is None else (request,)
    return bundled.reproduced(original, content, *requests, lab="lab", criteria=criteria)


def test_all_that_depends_on_the_removed_criteria_is_removed(original, content):
    spec = narrowed(original, content).study.spec
    assert [q.id for q in spec.questions] == ["meaning"]
    assert [c.id for c in spec.checks] == ["other", "attention"]
    assert [t.question for t in spec.analysis.tests] == ["meaning"]
    assert [c.id for c in spec.claims] == ["m"]
    assert [dict(e.answers) for e in spec.practice.examples] == [{"meaning": "b"}]


def test_the_qualification_keeps_what_is_left_of_it(original, content):
    """Four of six right answers become two of three."""
    asked = narrowed(original, content).study.spec.qualification
    answers = [dict(task.answers) for task in asked.tasks]
    assert answers == [{"meaning": "a"}, {"meaning": "a"}, {"meaning": "b"}]
    assert asked.pass_mark == 2


def test_a_qualification_about_removed_criteria_alone_is_removed(tmp_path):
    before, start, rest = STUDY.partition("qualification:")
    gold, end, after = rest.partition("payment:")
    gold = gold.replace("{meaning: a, fluency: a, dissimilarity: b}", "{fluency: a}")
    gold = gold.replace("{meaning: ", "{fluency: ").replace("pass_mark: 4 ", "pass_mark: 3 ")
    study = f"{before}{start}{gold}{end}{after}"
    content = bundled.bundled(bundled.finish(tmp_path / "paraphrases", study=study))
    bundle = read_bundle(content, file="t.zip")
    made = narrowed(bundle, content)
    assert bundle.study.spec.qualification is not None
    assert made.study.spec.qualification is None


def test_an_instruction_check_is_about_a_remaining_question(original, content):
    made = narrowed(original, content)
    assert next(c for c in made.study.spec.checks if c.id == "attention").question == "meaning"
    asked = {t.expected.question for t in made.plan.tasks() if t.check == "attention"}
    assert asked == {"meaning"}


def test_batches_order_and_sides_are_the_originals(original, content):
    made = narrowed(original, content)
    for before, after in zip(original.plan.batches, made.plan.batches, strict=True):
        wanted = [task for task in before.tasks if task.check != "copy"]
        assert [(t.id, t.item, t.options) for t in after.tasks] == [
            (t.id, t.item, t.options) for t in wanted
        ]
    assert check_plan(made.study, made.plan) == ()
    assert made.is_narrowed
    assert not made.is_same_plan


def test_removed_checks_can_be_replaced_so_that_batches_keep_their_length(original, content):
    made = narrowed(original, content, replace(MEANING, keeps_length=True))
    assert [len(b.tasks) for b in made.plan.batches] == [
        len(b.tasks) for b in original.plan.batches
    ]
    own = {b.id: [t.item for t in b.tasks if t.check == "other"] for b in original.plan.batches}
    for batch in made.plan.batches:
        checks = [task for task in batch.tasks if task.check == "other"]
        assert len(checks) == 2
        assert {t.item for t in checks} > set(own[batch.id])
        assert len({t.item for t in checks}) == 2
    assert next(c for c in made.study.spec.checks if c.id == "other").per_batch == 2
    assert check_plan(made.study, made.plan) == ()


def test_it_is_one_deviation_that_covers_the_rest(original, content, tmp_path):
    made = narrowed(original, content)
    (stated,) = stated_deviations(made.study, made.original)
    assert (stated.property, stated.reason, stated.impact) == ("criteria", WHY, "low")
    assert stated.note == "questions: meaning, fluency, dissimilarity → meaning"
    assert set(stated.covers) >= {"checks", "training", "x-claims", "test", "instructions"}
    folder = tmp_path / "again"
    write_files(folder, made.files, force=False)
    study = open_study(folder)
    assert unstated_changes(original.study, study) == ()


def test_editing_the_instructions_belongs_to_the_same_deviation(original, content, tmp_path):
    folder = tmp_path / "again"
    write_files(folder, narrowed(original, content).files, force=False)
    page = folder / "pages/instructions.md"
    page.write_text("# What to do\n\nWhich one means the same?\n", encoding="utf-8")
    assert unstated_changes(original.study, open_study(folder)) == ()
    (folder / "pages/consent.md").write_text("Another text.\n", encoding="utf-8")
    left = unstated_changes(original.study, open_study(folder))
    assert [change.path for change in left] == ["pages[consent]"]


def test_what_still_speaks_of_removed_criteria_is_pointed_out(original, content):
    made = narrowed(original, content)
    found = {(edit.file, edit.line) for edit in made.to_edit}
    assert {("pages/instructions.md", line) for line in (3, 6, 7)} <= found
    assert not {("pages/instructions.md", line) for line in (1, 5, 9)} & found
    lines = made.files["study.yaml"].decode().split("\n")
    said = {
        lines[edit.line - 1].strip(): edit.what for edit in made.to_edit if "study" in edit.file
    }
    explained = "explanation: B has the same meaning. A is more dissimilar."
    assert said[explained] == "mentions “dissimilar”."
    assert any("payment.minutes" in edit.what for edit in made.to_edit)


def test_a_page_that_is_replaced_needs_no_edit(original, content):
    page = RequestedChange("pages.instructions", "ours.md", "As above.", page=b"Which is closer?\n")
    made = narrowed(original, content, MEANING, page)
    assert not [edit for edit in made.to_edit if edit.file.startswith("pages/")]


def test_comments_and_the_rest_of_the_file_stay_as_written(original, content):
    text = narrowed(original, content).files["study.yaml"].decode()
    assert text.startswith("# Three criteria in one form.\n")
    assert "seed: 5               # as in the original" in text
    assert "fluen" not in text


def test_other_changes_come_on_top(original, content):
    more = RequestedChange("design.participants_per_batch", "7", "More power.")
    made = narrowed(original, content, MEANING, more)
    assert {batch.participants for batch in made.plan.batches} == {7}
    assert made.is_narrowed
    assert [*made.study.spec.deviations] == ["questions", "design.participants_per_batch"]


def test_two_criteria_can_be_kept(original, content):
    made = narrowed(original, content, RequestedCriteria(("dissimilarity", "meaning"), WHY))
    assert [q.id for q in made.study.spec.questions] == ["meaning", "dissimilarity"]
    assert [c.id for c in made.study.spec.checks] == ["other", "copy", "attention"]
    assert made.is_same_plan is False  # an attention check asks about another question
    assert [len(b.tasks) for b in made.plan.batches] == [
        len(b.tasks) for b in original.plan.batches
    ]


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        (("meening",), "Did you mean 'meaning'?"),
        (("meaning", "fluency", "dissimilarity"), "all criteria"),
        ((), "names nothing"),
    ],
)
def test_criteria_that_make_no_sense_are_refused(original, content, criteria, said):
    with pytest.raises(UsageError, match=said):
        narrowed(original, content, RequestedCriteria(criteria, WHY))


def test_a_reason_is_needed(original, content):
    with pytest.raises(UsageError, match="no reason"):
        narrowed(original, content, RequestedCriteria(("meaning",), " "))


def test_checks_that_nothing_can_replace_say_so(original, content):
    wanted = RequestedCriteria(("fluency",), WHY, keeps_length=True)
    with pytest.raises(UsageError, match="keep-length"):
        narrowed(original, content, wanted)


def test_derived_scores_go_with_their_parts(tmp_path):
    study = bundled.STUDY.replace(
        "  exclude: {failed_checks: 1}",
        "    - {question: overall, test: mixed-model}\n  exclude: {failed_checks: 1}\n"
        "  derived:\n    - {id: overall, formula: (fluency + ease) / 2}\n"
        "  pooled_agreement: true",
    ).replace(
        "design:\n",
        "  - {kind: rating, id: ease, prompt: 'Is it easy to read?', points: 5}\ndesign:\n",
    ).replace(
        "says: ash best on meaning}", "says: ash best on meaning}\n"
        "  - {id: all, says: ash best on overall}",
    )  # fmt: skip
    content = bundled.bundled(bundled.finish(tmp_path / "trees", study=study))
    wanted = RequestedCriteria(("meaning", "fluency"), WHY)
    made = bundled.reproduced(read_bundle(content, file="t.zip"), content, criteria=wanted)
    spec = made.study.spec
    assert [t.question for t in spec.analysis.tests] == ["meaning", "fluency"]
    assert spec.analysis.derived == ()
    assert [claim.id for claim in spec.claims] == ["best"]


def test_tasks_that_no_question_is_asked_about_are_left_out(tmp_path):
    """Pairs are judged by meaning, single outputs by fluency."""
    content = bundled.bundled(bundled.finish(tmp_path / "trees"))
    before = read_bundle(content, file="t.zip")
    wanted = RequestedCriteria(("meaning",), WHY)
    made = bundled.reproduced(before, content, criteria=wanted)
    assert {len(task.options) for task in before.plan.tasks()} == {1, 2}
    assert {len(task.options) for task in made.plan.tasks()} == {2}
    assert check_plan(made.study, made.plan) == ()


def test_the_command_narrows_judges_and_compares(content, tmp_path):
    bundle = tmp_path / "p.zip"
    bundle.write_bytes(content)
    home = tmp_path / "again"
    words = [
        "reproduce",
        str(bundle),
        "--as",
        "lab",
        "--criteria",
        "meaning",
        "--out",
        str(home),
    ]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    assert "questions" in refused.output
    result = CliRunner().invoke(main, [*words, "--reason", f"questions={WHY}", "--keep-length"])
    assert result.exit_code == 0, result.output
    assert "without the tasks of the criteria" in result.output.replace("\n", " ")
    assert "instructions.md:6" in result.output.replace("\n", "")
    bundled.judged(home, seed=4)
    assert open_plan(home)[1].batches
    assert CliRunner().invoke(main, ["check", str(home), "--json"]).exit_code in {0, 1}
    told = [deviation for deviation in run_of(home).deviations if WHY in deviation.reason]
    assert len(told) == 1
    edited = home / "pages" / "instructions.md"
    edited.write_text("# What to do\n\nWhich one means the same?\n", encoding="utf-8")
    bundled.judged(home, seed=4)
    words = ["compare", str(bundle), str(home), "--json"]
    said = json.loads(CliRunner().invoke(main, words).output)
    shown = [each for each in said["deviations"] if each["property"] != "interface"]
    assert [each["property"] for each in shown] == ["criteria"]
    assert shown[0]["reason"] == WHY
    for title in ("Instructions", "Training", "Qualification", "Attention checks"):
        assert title in shown[0]["note"]


def test_the_command_refuses_options_that_do_not_fit(content, tmp_path):
    bundle = tmp_path / "p.zip"
    bundle.write_bytes(content)
    result = CliRunner().invoke(main, ["reproduce", str(bundle), "--as", "x", "--keep-length"])
    assert result.exit_code == 2
    assert "--criteria" in result.output


def given_bundle(folder):
    """The bundle of a study whose batches came from a file, in an order that nobody draws."""
    bundled.finish(folder)
    study, plan = open_plan(folder)
    pairs = [t for b in plan.batches for t in b.tasks if t.is_real and len(t.options) == 2]
    rows = [f"{'xy'[n % 2]},{task.item},{','.join(task.options)}" for n, task in enumerate(pairs)]
    text = "\n".join(["batch,item,a,b", *rows, ""])
    given = plan_from_batches(study, NamedFile("batches.csv", text.encode())).plan
    write_files(folder, {"plan.json": to_bytes(given, made_from={})}, force=True)
    return bundled.bundled(bundled.judged(folder, seed=3))


def test_given_batches_are_kept_when_they_are_reproduced_and_narrowed(tmp_path):
    content = given_bundle(tmp_path / "trees")
    before = read_bundle(content, file="t.zip")
    people = RequestedChange("design.participants_per_batch", "5", "More power.")
    again = bundled.reproduced(before, content, people)
    assert [b.tasks for b in again.plan.batches] == [b.tasks for b in before.plan.batches]
    assert {b.participants for b in again.plan.batches} == {5}
    assert again.is_same_plan
    fewer = narrowed(before, content, RequestedCriteria(("meaning",), WHY), people)
    assert [b.tasks for b in fewer.plan.batches] == [b.tasks for b in before.plan.batches]
    assert fewer.plan.source == before.plan.source


def test_a_bundle_says_that_its_batches_came_from_a_file(tmp_path):
    content = given_bundle(tmp_path / "trees")
    notes = verify(read_bundle(content, file="t.zip")).notes
    assert any("read from batches.csv (" in note for note in notes)
    assert not any("is not the one that this version draws" in note for note in notes)
