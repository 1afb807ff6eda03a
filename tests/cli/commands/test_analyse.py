"""rejudge analyse FILE: judgments that were collected anywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import rejudge as rj
from findings_by_key import by_id, by_key
from judged_rows import rows_in
from rejudge.cli import main
from rejudge.cli.options import AnalysisOptions
from rejudge.errors import DataError, UsageError
from rejudge.findings.model import WITHOUT_EXCLUSIONS
from rejudge.judgments.judgments_csv import fingerprint_of, read_csv


def run(*words: str | Path):
    return CliRunner().invoke(main, ["analyse", *(str(word) for word in words)])


@pytest.fixture
def ratings(tmp_path):
    """Four people, five texts, two models."""
    lines = ["coder,doc,model,score"]
    lines += [
        f"c{c},d{d},{model},{(c * 2 + d * 3 + len(model)) % 5 + 1}"
        for c in range(4)
        for d in range(5)
        for model in ("old", "<new>")
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_it_says_that_nothing_was_planned_and_writes_nothing(ratings):
    result = run(ratings)
    assert result.exit_code == 0
    assert "There is no analysis plan" in result.stdout
    assert "Nothing was written" in result.stdout
    assert [path.name for path in ratings.parent.iterdir()] == ["ratings.csv"]


def test_the_printed_and_the_written_numbers_are_the_same(ratings, tmp_path):
    out = tmp_path / "out"
    said = json.loads(run(ratings, "--out", out, "--json").stdout)
    written = json.loads((out / "results.json").read_bytes())
    assert written["made_from"] == {"judgments": said["signature"]["judgments"]}
    assert [f["value"] for f in said["findings"]] == [
        f["value"] for f in written["content"]["findings"]
    ]
    assert said["basis"] == "default"
    assert not any(finding["is_planned"] for finding in said["findings"])
    assert (out / "report/tables/systems.tex").exists()


@pytest.mark.parametrize("rows", ["", "p,i,x,\n", "p,i,x,N/A\n"])
def test_a_table_without_judgments_is_refused(rows, tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text(f"participant,item,system,value\n{rows}", "utf-8")
    result = CliRunner().invoke(main, ["analyse", str(path), "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "no row of the table contains a judgment" in result.output
    assert not (tmp_path / "out").exists()


def test_results_of_other_judgments_are_refused_before_anything_is_computed(ratings, tmp_path):
    out = tmp_path / "out"
    assert run(ratings, "--out", out).exit_code == 0
    lines = ratings.read_text("utf-8").splitlines()
    ratings.write_text("\n".join(lines[:-1]) + "\n", "utf-8")
    refused = run(ratings, "--out", out)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "Use --force" in refused.stderr
    assert run(ratings, "--out", out, "--force").exit_code == 0


def test_the_same_in_python(ratings):
    said = json.loads(run(ratings, "--scale", "1..5", "--json").stdout)
    results = rj.analyse(rj.read_judgments(ratings), scale=(1, 5), seed=1)
    assert [f["value"] for f in said["findings"]] == [f.value for f in results.findings]


def test_a_notebook_shows_an_escaped_table(ratings):
    html = rj.analyse(rj.read_judgments(ratings))._repr_html_()
    assert "<table>" in html
    assert "&lt;new&gt;" in html
    assert "<new>" not in html


def test_the_ends_of_the_scale_cut_intervals(tmp_path):
    """Scores of 1, 5 and 5: the interval of their mean is wider than the scale."""
    path = tmp_path / "few.csv"
    path.write_text("coder,doc,score\nc,d1,1\nc,d2,5\nc,d3,5\ne,d1,5\ne,d2,5\ne,d3,5\n", "utf-8")

    def highest(*options: str) -> float:
        said = json.loads(run(path, *options, "--json").stdout)
        means = (f for key, f in by_key(said).items() if key.measure == "mean")
        return max(f["interval"]["high"] for f in means)

    assert highest("--scale", "1..5") == 5
    assert highest() > 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scale", "five"), "is not a scale"),
        (("--scale", "5..1"), "is not a scale"),
        (("--columns", "coder"), "is unclear"),
        (("--exclude", "lazy=1"), "there is no rule 'lazy'"),
        (("--columns", "participant=nobody"), "nobody"),
    ],
)
def test_what_cannot_be_read_is_reported_without_a_traceback(ratings, options, said):
    result = run(ratings, *options)
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_options_of_a_table_are_refused_for_a_study(tmp_path):
    result = run(tmp_path, "--scale", "1..4")
    assert result.exit_code == 2
    assert "--scale is for a table" in result.output


def test_rows_can_be_left_out_by_a_rule_and_both_ways_are_given(ratings):
    said = json.loads(run(ratings, "--exclude", "participants=c0", "--json").stdout)
    assert said["flow"]["real_rows_kept"] == 30
    keys = by_key(said)
    without = {key.in_case("") for key in keys if key.case == WITHOUT_EXCLUSIONS}
    assert without
    assert without == {key for key in keys if not key.case and key.systems}


def test_only_the_wanted_question_is_analysed(tmp_path):
    path = tmp_path / "two.csv"
    rows = [f"p{p},i{i},s{s},{q},{(p + i + s) % 4}" for p in range(3) for i in range(3)
            for s in range(2) for q in ("fluency", "meaning")]  # fmt: skip
    path.write_text("participant,item,system,question,value\n" + "\n".join(rows) + "\n", "utf-8")
    said = json.loads(run(path, "--question", "fluency", "--json").stdout)
    assert {key.question for key in by_key(said)} == {"fluency"}
    refused = run(path, "--question", "fluency", "--question", "style")
    assert refused.exit_code == 2
    assert "The questions are: fluency, meaning" in refused.output


@pytest.fixture
def described(tmp_path):
    """Six people, six texts of two kinds, two models; each person has a country."""
    lines = ["coder,doc,model,score,kind_of_text,country"]
    lines += [
        f"c{c},d{d},{model},{(c * 2 + d * 3 + len(model) * 7) % 5 + 1},{'ab'[d % 2]},"
        f"{('Wales', 'Kenya', '')[c % 3]}"
        for c in range(6)
        for d in range(6)
        for model in ("old", "newer")
    ]
    path = tmp_path / "described.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_further_tests_and_coefficients_come_beside_the_usual_ones(described):
    result = run(described, "--test", "paired-t", "--test", "t-test:item", "--agreement", "icc",
                 "--json")  # fmt: skip
    ids = by_id(json.loads(result.stdout)).keys()
    assert {"judgment.paired-t.newer.old", "judgment.t-test-by-item.newer.old"} <= ids
    assert {"judgment.icc", "judgment.percent", "judgment.cluster-robust.newer.old"} <= ids


def test_degrees_of_freedom_of_mixed_models_can_be_kenward_and_rogers(described):
    model = ("--test", "mixed-model", "--model", "score ~ model + (1 | coder)")
    result = json.loads(run(described, *model, "--df", "kenward-roger", "--json").stdout)
    assert "Kenward and Roger's errors" in result["models"][0]["method"]
    assert result["signature"]["options"]["df"] == ["kenward-roger"]
    assert (
        "Satterthwaite"
        in json.loads(run(described, *model, "--json").stdout)["models"][0]["method"]
    )


def test_systems_of_a_table_can_vary_freely(described):
    result = json.loads(run(described, "--slopes", "free", "--json").stdout)
    assert result["signature"]["options"]["slopes"] == ["free"]
    models = [each for each in result["findings"] if each["by"] == "mixed-model"]
    assert models
    assert all(each["p"] is not None or each["note"] for each in models)


def test_free_slopes_with_kenward_and_rogers_degrees_of_freedom_are_refused(described):
    result = run(described, "--slopes", "free", "--df", "kenward-roger")
    assert result.exit_code != 0
    assert "not available with free slopes" in result.output


def test_a_test_can_be_one_sided_and_says_so(described):
    result = run(described, "--test", "t-test:item:greater", "--json")
    test = by_id(json.loads(result.stdout))["judgment.t-test-by-item-greater.newer.old"]
    assert test["alternative"] == "greater"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("t-test:bigger", "'bigger' is neither a unit nor a direction of a test"),
        ("t-test:less:greater", "names two units or two directions"),
        ("friedman:greater", "friedman compares all systems at once and has no direction"),
    ],
)
def test_a_direction_that_cannot_be_is_refused(typed, said):
    with pytest.raises(UsageError, match=said):
        AnalysisOptions(tests=(typed,)).further()


def test_a_model_and_a_profile_are_printed(described):
    result = run(
        described, "--model", "score ~ model + kind_of_text + (1 | coder)", "--profile", "country"
    )
    assert result.exit_code == 0, result.output
    assert re.search(r"kind_of_text +b ", result.stdout)
    assert re.search(r"Variances: coder \d+\.\d\d, residual \d+\.\d\d\.", result.stdout)
    assert re.search(r"Wales +2\n", result.stdout)
    assert re.search(r"not said +2\n", result.stdout)
    assert result.stdout.rstrip().endswith("Nothing was written. Use --out DIR to write the files.")


def test_a_profile_counts_each_participant_once(described):
    rows = rows_in(json.loads(run(described, "--profile", "country", "--json").stdout), "profile")
    counts = {row["answer"]: row["participants"] for row in rows}
    assert counts == {"Wales": 2, "Kenya": 2, None: 2}
    assert {row["source"] for row in rows} == {"column"}


def test_a_column_that_says_two_things_of_somebody_is_reported(described):
    result = run(described, "--profile", "kind_of_text")
    assert "6 participants gave different answers; the first counts." in result.stdout


def models_of(path, *words: str):
    said = json.loads(
        run(path, "--model", "value ~ system + (1 | participant)", *words, "--json").stdout
    )
    return said["models"][0], said


@pytest.fixture
def of_two_questions(tmp_path):
    """Four people score two systems; on meaning the other one is better. One batch came back."""
    lines = ["participant,item,system,question,value,state,country"]
    lines += [
        f"p{p},i{i},{system},{question},"
        f"{(p + i) % 3 + 2 * ((system == 'new') == (question == 'm'))},"
        f"{'returned' if p == 3 else 'accepted'},Wales"
        for p in range(4)
        for i in range(5)
        for system in ("new", "old")
        for question in ("f", "m")
    ]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_a_model_is_of_the_question_that_was_asked_for(of_two_questions):
    """On f the old system has 2 points more everywhere; three people of four count."""
    model, _ = models_of(of_two_questions, "--question", "f")
    assert model["n"] == 3 * 5 * 2
    assert model["terms"][1]["value"] == pytest.approx(2)


def test_a_model_of_several_questions_says_so(of_two_questions):
    model, _ = models_of(of_two_questions)
    assert model["n"] == 3 * 5 * 4
    assert model["note"].startswith("Scores on f, m are pooled.")
    asked = run(of_two_questions, "--model", "value ~ system + question + (1 | participant)")
    assert "taken together" not in asked.stdout


def test_models_and_profiles_leave_out_who_is_left_out(of_two_questions):
    """One person's batch was returned; another is left out by name."""
    model, said = models_of(
        of_two_questions, "--exclude", "participants=p0", "--profile", "country"
    )
    assert model["n"] == 2 * 5 * 4
    (profile,) = [frame for frame in said["frames"] if frame["name"] == "profile"]
    assert profile["facts"] == {"participants": 4, "participants_kept": 2}
    columns = profile["columns"]
    assert (columns["answer"], columns["participants"]) == (["Wales"], [4])
    assert columns["participants_kept"] == [2]


def test_what_a_model_leaves_out_is_printed(described):
    result = run(described, "--model", "score ~ country + (1 | coder)")
    assert "Left out for an empty cell: 24 rows." in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--test", "magic"], "there is no test 'magic'"),
        (["--test", "t-test:moon"], "'moon' is neither a unit nor a direction of a test"),
        (["--model", "score ~ model"], "has no grouping"),
        (["--model", "doc ~ model + (1 | coder)"], "'doc' is not the column of scores"),
        (["--model", "score ~ colour + (1 | coder)"], "there is no column 'colour'"),
        (["--profile", "colour"], "there is no column 'colour'"),
    ],
)
def test_what_cannot_be_asked_of_a_file_is_refused(described, words, said):
    result = run(described, *words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


@pytest.mark.parametrize("option", ["--test", "--agreement", "--model", "--profile"])
def test_what_is_asked_of_a_file_is_not_asked_of_a_study(tmp_path, option):
    result = run(tmp_path, option, "icc")
    assert result.exit_code == 2
    assert "is for a table of judgments" in result.output


def test_a_model_and_the_scores_of_each_dataset_are_written_as_tables(described, tmp_path):
    out = tmp_path / "out"
    words = ("--columns", "dataset=kind_of_text", "--model", "score ~ model + (1 | coder)")
    assert run(described, *words, "--out", out).exit_code == 0
    tables = {path.name for path in (out / "report/tables").iterdir()}
    assert {"model-1.csv", "model-1.tex", "scores.csv"} <= tables
    scores = (out / "report/tables/scores.csv").read_text("utf-8")
    assert all(f"judgment,{name}," in scores for name in "ab")
    head, first, *_ = (out / "report/tables/model-1.csv").read_text("utf-8").splitlines()
    assert head.startswith("term,level,estimate,standard error,df,t,p,low,high")
    assert first.startswith("intercept,,")


def test_scores_outside_the_declared_scale_are_refused_with_their_lines(described, tmp_path):
    """Scores run from 1 to 5."""
    out = tmp_path / "out"
    result = run(described, "--scale", "1..4", "--out", out)
    lines = described.read_text("utf-8").splitlines()
    first = next(n for n, line in enumerate(lines, start=1) if ",5," in line)
    assert result.exit_code == 2
    assert f"described.csv:{first}: 5 is not on the scale from 1 to 4." in result.output
    assert not out.exists()
    assert run(described, "--scale", "1..5").exit_code == 0


def test_the_scale_is_asked_of_the_chosen_questions_only(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("rater,item,criterion,score\np,i,a,3\np,i,b,90\nq,i,a,4\nq,i,b,80\n", "utf-8")
    assert run(path, "--scale", "1..5", "--question", "a").exit_code == 0
    refused = run(path, "--scale", "1..5", "--question", "a", "--question", "b")
    assert "two.csv:3: 90 is not on the scale" in refused.output
    assert "1 more fault" not in refused.output


def test_the_same_in_python_is_refused_without_a_line(described):
    with pytest.raises(DataError, match="scores on 'judgment', such as 5, are not on the scale"):
        rj.analyse(rj.read_judgments(described), scale=(1, 4))


def test_the_judgments_of_a_file_are_kept_beside_the_results(described, tmp_path):
    out = tmp_path / "out"
    assert run(described, "--exclude", "participants=c0", "--out", out).exit_code == 0
    kept = read_csv((out / "judgments.csv").read_text("utf-8"))
    written = json.loads((out / "results.json").read_bytes())
    assert written["made_from"]["judgments"] == fingerprint_of(kept)
    assert len(kept) == 72
    again = json.loads(run(out / "judgments.csv", "--json").stdout)
    assert again["signature"]["judgments"] == fingerprint_of(kept)


def test_the_file_that_was_read_is_never_written_over(tmp_path):
    path = tmp_path / "judgments.csv"
    path.write_text("coder,doc,score\nc,d,1\ne,d,2\n", "utf-8")
    before = path.read_bytes()
    result = run(path, "--out", tmp_path, "--force")
    assert result.exit_code == 2
    assert "Choose another folder for --out" in result.output
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["judgments.csv"]


def test_the_share_of_ties_is_shown(tmp_path):
    """Two of eight choices are ties."""
    path = tmp_path / "pairs.csv"
    rows = [f"r{r},i{i},x,y,{'tie' if r == i else 'a'}" for r in range(2) for i in range(4)]
    path.write_text("\n".join(["rater,item,system_a,system_b,choice", *rows]), "utf-8")
    assert "Ties: 2 of 8 choices (25.0 %)." in run(path).stdout


def test_a_file_that_is_not_there_is_not_taken_for_a_study(tmp_path):
    result = run(tmp_path / "rating.csv", "--columns", "participant=coder")
    assert result.exit_code == 2
    assert "rating.csv: there is no such file." in result.output.replace("\n", "")


def test_a_question_may_have_any_name(tmp_path):
    lines = ["coder,doc,model,criterion,score"]
    lines += [
        f"c{c},d{d},{model},overall quality?,{(c + d + len(model)) % 5 + 1}"
        for c in range(3)
        for d in range(4)
        for model in ("old", "newer")
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    result = run(path)
    assert result.exit_code == 0, result.output
    assert "overall quality?" in result.stdout


def test_every_option_that_can_change_a_number_is_written_down(tmp_path):
    path = tmp_path / "scores.csv"
    rows = [f"p{p},i{i},s{s},{1 + (p + i + s) % 5}" for p in range(3) for i in range(4)
            for s in range(2)]  # fmt: skip
    path.write_text("participant,item,system,value\n" + "\n".join(rows) + "\n", "utf-8")
    typed = ["--scale", "1..5", "--exclude", "participants=p2", "--question", "fluency"]
    typed += ["--cases", "majority", "--cases", "participant:p0", "--duplicates", "first"]
    done = run(path, *typed, "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "scale 1..5" in done.output
    kept = json.loads((tmp_path / "out" / "results.json").read_bytes())["content"]["signature"]
    assert kept["seed"] == 1
    assert kept["options"] == {
        "scale": ["1..5"],
        "exclude": ["participants=p2"],
        "question": ["fluency"],
        "cases": ["majority", "participant:p0"],
        "duplicates": ["first"],
    }


def test_cases_of_a_study_belong_into_its_plan():
    refused = run(Path(__file__).parent, "--cases", "mean")
    assert refused.exit_code == 2
    assert "--cases" in refused.output
