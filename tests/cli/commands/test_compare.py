"""rejudge compare: papers, results and studies, all set side by side by one command."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from compared import select
from rejudge.cli import main
from rejudge.compare.comparison import Comparison
from rejudge.files.step_files import read, read_stored

CONDITIONS = "conditions: {platform: Prolific, participants-per-item: 3}\n"


def run(*words: str | Path):
    return CliRunner().invoke(main, ["compare", *map(str, words)], env={"COLUMNS": "120"})


@pytest.fixture
def table(tmp_path):
    """Results of choices between the four systems of Hosking and Lapata (2021), as one lab names
    them; no study behind them."""
    lines = ["participant,item,question,system_a,system_b,value"]
    order = ("vae", "sep_ae", "lbow", "dips")  # the first of a pair wins three times of four
    lines += [
        f"p{n % 3},i{n},meaning,{better},{worse},{'b' if n % 4 == 0 else 'a'}"
        for better, worse in combinations(order, 2)
        for n in range(12)
    ]
    source = tmp_path / "choices.csv"
    source.write_text("\n".join(lines) + "\n", "utf-8")
    folder = tmp_path / "lab"
    done = CliRunner().invoke(main, ["analyse", str(source), "--out", str(folder)])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def beside(tmp_path):
    path = tmp_path / "conditions.yaml"
    path.write_text(CONDITIONS, "utf-8")
    return path


def test_papers_that_come_with_rejudge_are_compared_by_name():
    result = run("hosking-2021", "steen-2025")
    assert result.exit_code == 0, result.output
    assert "Type I, Meaning" in result.stdout
    assert "12.14" in result.stdout
    assert re.search(r"hosking-2021 – steen-2025 +15 +30\n", result.stdout)
    assert "Nothing was written" in result.stdout


def test_it_prints_the_same_as_json():
    said = json.loads(run("august-2022", "miltenburg-2024", "--json").stdout)
    assert said["original"] == "august-2022"
    assert said["written"] == []
    values = {
        each["key"]["systems"][0]: each["value"]
        for each in said["findings"]
        if each["key"]["measure"] == "cv-star" and each["key"]["systems"]
    }
    assert values == pytest.approx({"svm": 24.358, "gedi": 33.322, "dexpert": 3.820}, abs=6e-4)


@pytest.mark.slow
def test_what_is_written_is_read_back_the_same(tmp_path):
    names = ("august-2022", "miltenburg-2024", "miltenburg-2024-second")
    first = run(*names, "--out", tmp_path)
    assert first.exit_code == 0, first.output
    stored = read_stored(Comparison, tmp_path / "comparison.json")
    assert len(stored.content.runs) == 3
    assert set(stored.made_from) == {run.id for run in stored.content.runs}
    again = run(*names, "--out", tmp_path)
    assert again.exit_code == 0, again.output


@pytest.mark.slow
def test_another_comparison_is_not_replaced_unasked(tmp_path):
    run("hosking-2021", "steen-2025", "--out", tmp_path)
    refused = run("hosking-2021", "arvan-2025", "--out", tmp_path)
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert run("hosking-2021", "arvan-2025", "--out", tmp_path, "--force").exit_code == 0
    assert read(Comparison, tmp_path / "comparison.json").runs[1].id == "arvan-2025"


def test_results_without_a_study_are_refused_without_their_conditions(table):
    (table / "judgments.csv").unlink()
    result = run("hosking-2021", table)
    assert result.exit_code == 2
    assert "--conditions FILE" in result.stderr


def test_results_are_compared_in_the_words_of_the_original(table, beside):
    result = run(
        "hosking-2021", "steen-2025", table, "--conditions", beside, "--systems", "sep_ae=separator"
    )
    assert result.exit_code == 0, result.output
    assert "Compared with: lab (lab)" in result.stdout
    said = json.loads(
        run("hosking-2021", table, "--conditions", beside, "--systems", "sep_ae=separator",
            "--json").stdout
    )  # fmt: skip
    scores = {
        each["key"]["systems"][0]: each["value"]
        for each in said["findings"]
        if each["key"]["measure"] == "best-worst-score" and each["key"]["runs"] == ["lab"]
    }
    # vae wins three quarters of its comparisons, which is 0.5 between -1 and 1
    assert scores["vae"] == pytest.approx(0.5)
    # two conditions of the file and four that the judgments show
    assert said["similarities"][0]["known_in_both"] == 6


def test_a_system_of_another_name_is_dropped_and_said_to_be(table, beside):
    result = run("hosking-2021", table, "--conditions", beside)
    assert "1 system that the original lacks (sep_ae)" in " ".join(result.stdout.split())


def test_results_can_be_given_as_the_file_itself(table, beside):
    assert run("hosking-2021", table / "results.json", "--conditions", beside).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hosking-2021"], "Give one or more reproductions"),
        (["hosking-2021", "steen-2024"], "steen-2025"),
        (["hosking-2021", "nowhere.yaml"], "no such file"),
        (["ito-2023", "lin-2022"], "which is the original"),
        (["hosking-2021", "steen-2025", "--systems", "vae"], "--systems vae is unclear"),
        (["hosking-2021", "steen-2025", "--conditions", "x.yaml"], "no such file"),
        (["hosking-2021", "steen-2025", "steen-2025"], "'steen-2025' is given twice"),
        (["hosking-2021", "ito-2023"], "no criterion can be compared"),
    ],
)
def test_bad_input_is_explained(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_a_folder_without_anything_to_compare_is_refused(tmp_path):
    result = run("hosking-2021", tmp_path)
    assert result.exit_code == 2
    assert "neither study.yaml nor results.json nor paper.yaml" in result.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("deviations: []\n", "there are no conditions"),
        ("conditions: {platfrom: Prolific}\n", "platform"),
        ("conditions: 3\n", "conditions"),
        ("conditions: {items: 3}\ncriteria: [{id: q}]\n", "scale"),
    ],
)
def test_a_faulty_file_of_conditions_is_reported_with_its_place(table, tmp_path, text, said):
    path = tmp_path / "faulty.yaml"
    path.write_text(text, "utf-8")
    result = run("hosking-2021", table, "--conditions", path)
    assert result.exit_code == 2
    assert "faulty.yaml" in result.stderr
    assert said in result.stderr


def test_a_paper_of_ones_own_is_read_from_its_file(tmp_path):
    from rejudge.paper.paper_file import shipped_text

    path = tmp_path / "ours.yaml"
    path.write_text(shipped_text("steen-2025").replace("id: steen-2025", "id: ours", 1), "utf-8")
    result = run("hosking-2021", path)
    assert result.exit_code == 0, result.output
    assert "(ours)" in result.stdout


@pytest.mark.slow
def test_two_study_folders_are_compared_and_told_apart(tmp_path):
    runner = CliRunner()
    for seed, name in enumerate(("first", "second")):
        folder = str(tmp_path / name)
        for words in (
            ["new", folder, "--kind", "pairwise"], ["plan", folder],
            ["simulate", folder, "--seed", str(seed)], ["analyse", folder],
        ):  # fmt: skip
            done = runner.invoke(main, words)
            assert done.exit_code == 0, done.output
    result = run(tmp_path / "first", tmp_path / "second")
    assert result.exit_code == 0, result.output
    assert "(first)" in result.stdout
    assert "(second)" in result.stdout


@pytest.mark.slow
def test_the_published_raw_data_join_the_two_printed_studies(published, tmp_path, beside):
    """Arvan & Parde (2025), from their judgments, beside Hosking & Lapata (2021) and Steen &
    Markert (2025) as printed: CV* of three, and r of .991730."""
    source, figures = published("hosking2021_arvan2025")
    folder = tmp_path / "raw"
    CliRunner().invoke(
        main,
        ["analyse", str(source / "judgments.csv"), "--exclude", "chose=distractor",
         "--out", str(folder)],
    )  # fmt: skip
    result = run(
        "hosking-2021", "steen-2025", folder, "--conditions", beside,
        "--systems", "sep_ae=separator", "--out", folder,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    comparison = read(Comparison, folder / "comparison.json")
    spread = [e for e in select(comparison.findings, "cv-star") if e.systems]
    three = {e.systems[0]: e.value for e in spread if len(e.key.runs) == 3}
    assert three == pytest.approx(
        {"vae": 0.4486, "separator": 4.6968, "lbow": 3.1308, "dips": 8.1670}, abs=5e-5
    )
    two = {e.systems[0]: e.value for e in spread if e.key.runs == ("hosking-2021", "raw")}
    assert two["vae"] == pytest.approx(figures["cvstar.vae"]["value"])
    assert two["separator"] == pytest.approx(figures["cvstar.sep_ae"]["value"])
    assert "3 participants of 123 excluded" in result.stdout


def test_a_table_with_judgments_of_the_original_is_refused(tmp_path):
    """Both keep what each rater judged alone; they differ in whose score of the rest counts."""
    alone = [
        f"{who},i{who}{n},{s},{(n * (2 + ord(s))) % 5 + 1}"
        for who in "xy"
        for n in range(10)
        for s in "ab"
    ]
    for who in "xy":
        rest = [f"{who},shared{n},{s},{(n + ord(who)) % 5 + 1}" for n in range(5) for s in "ab"]
        text = "\n".join(["participant,item,system,score", *alone, *rest]) + "\n"
        (tmp_path / f"case-{who}.csv").write_text(text, "utf-8")
    result = run(tmp_path / "case-x.csv", tmp_path / "case-y.csv", "--scale", "1..5")
    assert result.exit_code == 2
    assert "'case-x' and 'case-y' share 40 judgments" in " ".join(result.output.split())


PRINTED = """\
id: {}
reference: {{authors: Doe, year: 2020, title: T}}
systems: [{{id: a}}, {{id: b}}]
criteria: [{{id: judgment, scale: {{kind: rating, low: 1, high: 5}}}}]
cases: [{{scores: [{{criterion: judgment, system: a, value: "{}", sd: "1.00", n: 40}},
                  {{criterion: judgment, system: b, value: "{}", sd: "1.00", n: 40}}]}}]
conditions: {{platform: none}}
"""


def test_judgments_and_the_printed_table_of_one_study_are_told_with_their_populations(tmp_path):
    """Two raters gave 20 scores each to a (mean 3.25) and b (2.50); the paper prints the means."""
    rows = [f"{who},i{n},a,{3 + (n % 4 == 0)}" for who in "xy" for n in range(20)]
    rows += [f"{who},i{n},b,{2 + n % 2}" for who in "xy" for n in range(20)]
    (tmp_path / "raw.csv").write_text("\n".join(["participant,item,system,score", *rows]), "utf-8")
    (tmp_path / "first.yaml").write_text(PRINTED.format("first", "3.10", "2.10"), "utf-8")
    (tmp_path / "second.yaml").write_text(PRINTED.format("second", "3.25", "2.50"), "utf-8")
    names = [tmp_path / name for name in ("first.yaml", "second.yaml", "raw.csv")]
    said = json.loads(run(*names, "--scale", "1..5", "--json").stdout)
    (note,) = [each for each in said["notes"] if "have the same scores" in each]
    assert "for new judgments, treated as independent" in note
    assert "for new items and new participants" in note


def test_ratings_of_segments_in_a_table_are_ratings_of_each_sentence(tmp_path):
    names = []
    for lab in ("one", "two"):
        rows = [
            f"{lab}{who},i{n},{system},{segment},{1 + (n + segment + len(lab + who)) % 5}"
            for who in "xyz"
            for n in range(4)
            for system in "ab"
            for segment in (0, 1)
        ]
        names.append(tmp_path / f"{lab}.csv")
        lines = ["participant,item,system,segment,score", *rows]
        names[-1].write_text("\n".join(lines), "utf-8")
    said = json.loads(run(*names, "--scale", "1..5", "--json").stdout)
    (form,) = [each for each in said["conditions"] if each["property"] == "elicitation"]
    assert set(form["values"].values()) == {"rating of each sentence"}
