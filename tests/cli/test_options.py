"""Options: groups, pairs and derived scores of a table, and the addresses of a site."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.web import serving
from served import make_folder, run


def analyse(*words: str | Path):
    return CliRunner().invoke(main, ["analyse", *(str(word) for word in words)])


@pytest.fixture
def scores(tmp_path) -> Path:
    """Six people, six items, systems named as people name them."""
    systems = ("甲-系统", "النظام", "1")
    lines = ["rater,item,system,criterion,score,genre,country,note"]
    lines += [
        f"p{p},i{i},{system},{criterion},{(p * 2 + i * 3 + s * p + c) % 5 + 1},"
        f"{('news', 'novel')[i % 2]},{('中国', 'مصر')[p % 2]},"
        for p in range(6)
        for i in range(6)
        for s, system in enumerate(systems)
        for c, criterion in enumerate(("info", "non-red"))
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (("--by", "nix"), "there is no column 'nix'"),
        (("--by", "system"), "differs between judgments of the same item"),
        (("--derive", "o"), "'o' has no formula"),
        (("--derive", "o ="), "'o =' has no formula"),
        (("--derive", "= info"), "'= info' has no name"),
        (("--derive", "o = nix"), "there are no judgments on 'nix'"),
        (("--derive", "o = non-red"), "Put ids with hyphens into quotes"),
        (("--derive", "o = info.real"), "is not allowed in a formula"),
        (("--derive", "o = info / 0"), "divides by 0"),
        (("--derive", "o = 9e999 * info"), "is too large"),
        (("--derive", "o = info" + " + info" * 2000), "more than 500 characters"),
        (("--derive", "o = " + "(" * 240 + "info" + ")" * 240), "cannot be read as a formula"),
        (("--derive", "info = info + 1"), "there is already a question 'info'"),
        (("--pairs", "1"), "'1' is not a pair"),
        (("--pairs", "1:2"), "there is no system '2'"),
        (("--pairs", "1:1"), "is paired with itself"),
        (("--pairs", "1:النظام", "--pairs", "النظام:1"), "is named twice"),
        (("--remarks", "nix"), "there is no column 'nix'"),
        (("--inputs", "nix"), "there is no column 'nix'"),
        (("--df", "x"), "is not one of"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_reason(scores, words, because):
    result = analyse(scores, "--out", scores.parent / "out", *words)
    assert result.exit_code == 2
    assert because in " ".join(result.output.split())
    assert [path.name for path in scores.parent.iterdir()] == ["scores.csv"]


def test_a_column_that_was_asked_for_is_not_called_ignored(scores):
    output = " ".join(analyse(scores, "--by", "genre", "--remarks", "note").output.split())
    assert "value=score, genre, note; ignored: country." in output


def test_an_option_that_is_typed_twice_is_listed_once(scores):
    output = analyse(
        scores, "--by", "genre", "--by", "genre", "--remarks", "note", "--remarks", "note"
    )
    assert "Options: by genre; remarks note." in " ".join(output.output.split())


@pytest.mark.parametrize(
    "address",
    [
        "study.example.org",
        "ftp://example.org",
        "https://",
        "https://[example.org",
        "https://example.org/study?a=b",
        "https://example.org/study#top",
        "https://example.org//study",
        "https://example.org/a study",
        "https://example.org/żółw",
    ],
)
def test_what_pages_cannot_stand_under_is_refused_in_words(tmp_path, address):
    result = run("serve", tmp_path, "--base-url", address, "--port", 0)
    assert result.exit_code == 2
    assert "is not a valid address for the site" in result.output


def test_an_ipv6_address_is_reported_as_browsers_take_it(tmp_path, monkeypatch):
    with closing(socket.socket(socket.AF_INET6)) as one:
        try:
            one.bind(("::1", 0))
        except OSError:
            pytest.skip("needs IPv6")

    def end_at_once(_, taken, site) -> None:
        taken.close()
        site.store.close()

    monkeypatch.setattr(serving, "serve", end_at_once)
    folder = make_folder(tmp_path / "study")
    result = run("serve", folder, "--host", "::1", "--port", 0, "--json")
    told = json.loads(result.stdout)
    assert told["listens"] == told["address"]
    assert told["listens"].startswith("http://[::1]:")
