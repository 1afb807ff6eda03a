"""rejudge report: of a study, of results without one, of comparisons."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main

ROWS = [
    f"c{coder},d{text},{model},{(coder * 2 + text * 3 + len(model)) % 5 + 1}"
    for coder in range(4)
    for text in range(5)
    for model in ("old", "<new>")
]


def run(*words: str | Path):
    return CliRunner().invoke(main, [str(word) for word in words])


def files_of(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def study_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies") / "study"
    for words in (("new", folder, "--kind", "rating"), ("plan", folder), ("freeze", folder)):
        assert run(*words).exit_code == 0
    assert run("simulate", folder).exit_code == 0
    assert run("analyse", folder).exit_code == 0
    return folder


@pytest.fixture
def study(study_once, tmp_path):
    """A frozen study with results of simulated judgments."""
    return Path(shutil.copytree(study_once, tmp_path / "study"))


@pytest.fixture
def results(tmp_path):
    """Results of a table of judgments, without a study."""
    table = tmp_path / "ratings.csv"
    table.write_text("\n".join(["coder,doc,model,score", *ROWS]) + "\n", "utf-8")
    assert run("analyse", table, "--out", tmp_path / "out").exit_code == 0
    return tmp_path / "out"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    """Three runs that were compared."""
    folder = tmp_path_factory.mktemp("compared") / "three"
    names = ("august-2022", "miltenburg-2024", "miltenburg-2024-second")
    assert run("compare", *names, "--out", folder).exit_code == 0
    return folder


def test_a_study_has_a_page_tables_figures_and_two_paragraphs(study):
    result = run("report", study, "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    made = files_of(study / "report")
    assert {str(study / "report" / name) for name in made} == set(said["files"])
    texts = {"index.html"} | {
        f"{name}.{kind}"
        for name in ("methods", "limitations", "checklist")
        for kind in ("md", "tex")
    }
    assert {name for name in made if "/" not in name} == texts
    tables = {Path(name).suffix for name in made if name.startswith("tables/")}
    figures = {Path(name).suffix for name in made if name.startswith("figures/")}
    assert tables == {".csv", ".tex"}
    assert figures == {".svg"}


def test_figures_are_written_in_the_formats_that_are_asked_for(study):
    result = run("report", study, "--figures", "pdf, png", "--force")
    assert result.exit_code == 0, result.output
    figures = {Path(name).suffix for name in files_of(study / "report") if "figures" in name}
    assert figures == {".svg", ".pdf", ".png"}


@pytest.mark.parametrize("options", [("--figures", "jpeg"), ("--font", "any.ttf")])
def test_formats_that_do_not_exist_and_fonts_without_a_format_are_refused(study, options):
    result = run("report", study, *options)
    assert result.exit_code == 2
    assert options[0] in result.stderr


def test_pages_are_not_said_to_have_been_read_where_answers_come_from_elsewhere(study):
    judgments = study / "judgments.csv"
    judgments.write_text(judgments.read_text("utf-8").replace("simulated", "people"), "utf-8")
    assert run("analyse", study, "--force").exit_code == 0
    assert run("report", study, "--force").exit_code == 0
    page = (study / "report" / "index.html").read_text("utf-8")
    assert "whether participants read these texts is not known here" in page
    assert "As participants read them" not in page


def test_it_ends_with_what_to_open(study):
    result = run("report", study)
    assert (study / "report" / "index.html").as_uri() in result.stdout.replace("\n", "")


@pytest.mark.slow
def test_it_says_the_same_again_and_replaces_something_else_only_with_force(study):
    assert run("report", study).exit_code == 0
    assert run("report", study).exit_code == 0
    page = study / "report" / "index.html"
    page.write_text("mine", "utf-8")
    refused = run("report", study)
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert page.read_text("utf-8") == "mine"
    assert run("report", study, "--force").exit_code == 0
    assert page.read_text("utf-8") != "mine"


def test_results_without_a_study_are_reported_as_such(results):
    result = run("report", results)
    assert result.exit_code == 0, result.output
    page = (results / "report" / "index.html").read_text("utf-8")
    assert "How items were chosen, who judged them and in which order is not known" in page
    assert "&lt;new&gt;" in page
    assert "every number on this page is exploratory" in page.replace("\n", " ")


def test_a_comparison_is_reported_where_it_was_written(comparison):
    before = (comparison / "report" / "index.html").read_bytes()
    result = run("report", comparison)
    assert result.exit_code == 0, result.output  # without --force: the page says the same
    assert (comparison / "report" / "index.html").read_bytes() == before
    assert "was compared with 2 reproductions" in (comparison / "report/methods.md").read_text()


def test_several_comparisons_stand_on_one_page(comparison, tmp_path):
    other = tmp_path / "other"
    assert run("compare", "hosking-2021", "steen-2025", "--out", other).exit_code == 0
    first = shutil.copytree(comparison, tmp_path / "three")
    assert run("report", first, other, "--force").exit_code == 0
    page = (first / "report" / "index.html").read_text("utf-8")
    assert "Comparison: Hosking and Lapata 2021" in page
    assert any("comparison-" in name for name in files_of(first / "report" / "figures"))


@pytest.mark.slow
def test_a_study_is_reported_with_its_comparison(study, tmp_path):
    second = Path(shutil.copytree(study, tmp_path / "second"))
    assert run("simulate", second, "--seed", 5, "--force").exit_code == 0
    assert run("analyse", second, "--force").exit_code == 0
    assert run("compare", study, second, "--out", tmp_path / "both").exit_code == 0
    result = run("report", study, tmp_path / "both")
    assert result.exit_code == 0, result.output
    page = (study / "report" / "index.html").read_text("utf-8")
    assert "Comparison with a reproduction" in page
    assert "Findings and claims (type IV)" in page


def test_a_comparison_of_other_judgments_is_refused(study, comparison):
    result = run("report", study, comparison)
    assert result.exit_code == 2
    assert "none of the runs compared here uses the judgments of this report" in result.output
    assert not (study / "report/index.html").exists()


def test_only_comparisons_may_follow(study, results):
    result = run("report", study, results)
    assert result.exit_code == 2
    assert "is not a comparison" in result.output
    assert not (study / "report/index.html").exists()


@pytest.mark.parametrize(
    "make",
    [lambda _: None, lambda place: place.mkdir(), lambda place: place.write_text("words", "utf-8")],
    ids=["nothing", "folder", "file"],
)
def test_what_is_nothing_of_the_kind_is_reported(tmp_path, make):
    place = tmp_path / "here"
    make(place)
    result = run("report", place)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert str(place) in result.output.replace("\n", "")


def test_results_of_a_study_that_is_elsewhere_are_refused(study, tmp_path):
    (tmp_path / "alone").mkdir()
    shutil.copy(study / "results.json", tmp_path / "alone")
    result = run("report", tmp_path / "alone")
    assert result.exit_code == 2
    assert "a study that is not in this folder" in result.output
