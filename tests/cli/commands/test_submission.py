"""rejudge submission: a reproduction, ready to be submitted."""

from __future__ import annotations

from pathlib import Path

import pytest

import bundled
from rejudge.bundle.read import open_bundle
from served import run, said

pytestmark = pytest.mark.usefixtures("undrawn_figures")
LICENCE = ("--licence", "CC-BY-4.0")


@pytest.fixture(scope="module")
def reproduction(tmp_path_factory):
    """A reproduction of the trees, and its comparison with the original."""
    home = tmp_path_factory.mktemp("pack")
    archive = home / "trees.zip"
    archive.write_bytes(bundled.bundled(bundled.finish(home / "trees")))
    folder = home / "ours"
    said("reproduce", archive, "--as", "us", "--out", folder)
    bundled.judged(folder, seed=8)
    said("compare", folder, "--out", home / "compared")
    return folder, home / "compared"


@pytest.mark.slow
def test_everything_is_in_one_folder(reproduction, tmp_path):
    folder, compared = reproduction
    out = tmp_path / "sub"
    found = said("submission", folder, compared, *LICENCE, "--out", out)
    made = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}

    assert set(found["files"]) == made
    docs = Path(__file__).parents[3] / "docs/reference/commands.md"
    page = docs.read_text("utf-8").split("\n## submission\n")[1].split("\n## ")[0]
    assert not [key for key in found if f"`{key}`" not in page]
    assert {"README.md", "trees-us.zip", "qra/comparison.json", "report/index.html",
            "report/checklist.md"} <= made  # fmt: skip
    assert open_bundle(out / "trees-us.zip").manifest.reproduces == "trees"
    readme = (out / "README.md").read_text("utf-8")
    assert "rejudge heds fill" in readme
    assert str(folder.parent) not in readme
    assert str(folder.parent) not in (out / "report/index.html").read_text("utf-8")


def test_wrong_folders_and_a_missing_licence_write_nothing(reproduction, tmp_path):
    folder, compared = reproduction
    out = tmp_path / "sub"
    for words in (
        (folder, compared),  # no licence
        (folder, folder, *LICENCE),
        (compared, compared, *LICENCE),
        (tmp_path / "none", compared, *LICENCE),
    ):
        result = run("submission", *words, "--out", out)
        assert result.exit_code == 2, result.output
        assert "Traceback" not in result.output
    assert not Path(out).exists()


def test_a_comparison_of_other_judgments_is_refused(reproduction, tmp_path):
    folder, _ = reproduction
    other = tmp_path / "other"
    said("compare", "hosking-2021", "steen-2025", "--out", other)
    result = run("submission", folder, other, *LICENCE, "--out", tmp_path / "sub")

    assert result.exit_code == 2
    assert "none of the runs" in result.output
