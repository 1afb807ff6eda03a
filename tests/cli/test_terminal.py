"""What a command writes: text from files is never obeyed, and no stream makes it fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from rejudge import cli
from rejudge.cli import main
from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.terminal import BUG, CLOSED_PIPE, make_console, neutral, neutral_json
from small_study import FILES, STUDY

HOSTILE = {
    "a colour": "\x1b[31mred",
    "a title of the window": "\x1b]0;owned\x07",
    "a link": "\x1b]8;;http://example.org\x1b\\here",
    "one character for two": "\x9b2J",
    "the line again": "good\rbad",
    "steps back": "bad\x08\x08\x08",
    "another direction": "a\u202egpj.exe",
    "an isolate": "\u2066a\u2069",
}
MARKUP = ("[red]r[/red]", "[/]", "[link=http://example.org]x[/link]", ":smile:", "[bold")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = neutral(text)
    assert len(shown) == len(text)
    assert all(sign.isprintable() for sign in shown)


def test_a_control_character_is_shown_as_its_picture() -> None:
    assert neutral("\x1b[31m\x7f\x9b") == "␛[31m␡\ufffd"


def test_lines_and_tabs_and_all_scripts_stay_as_they_are() -> None:
    text = "a\tb\nשלום العربية 系统 \u200fé e\u0301 👩\u200d🔬 −1"
    assert neutral(text) == text


def test_a_name_from_a_terminal_set_to_ascii_is_readable_again() -> None:
    assert neutral("n\udcc3\udca9") == "né"
    assert neutral("n\udcff") == "n\ufffd"
    assert neutral("\ud83d\udcff") == "\ufffd\ufffd"


@given(st.text(st.characters()))
def test_json_says_the_same_after_it_is_made_harmless(text: str) -> None:
    shown = neutral_json(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(shown) == {text: text}
    assert all(sign.isprintable() or sign.isspace() or ord(sign) > 0xA0 for sign in shown)


@pytest.mark.parametrize("text", [*HOSTILE.values(), *MARKUP])
def test_a_console_shows_cells_and_texts_as_they_are(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.table import Table

    table = Table(text, caption=text)
    table.add_row(text)
    console = make_console()
    console.print(table)
    console.print(text)
    shown = capsys.readouterr().out
    assert shown.count(neutral(text)) >= 3
    assert "\x1b" not in shown


# Commands


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def is_harmless(text: str) -> bool:
    return not any(sign in text for sign in "\x1b\x9b\x07\x08\r\u202e\u2066")


def judgments(folder: Path, *, participant: str = "p", system: str = "s", item: str = "i") -> Path:
    rows = [
        {"participant": f"{participant}{n}", "item": f"{item}{k}", "system": name, "value": n + k}
        for n in range(3)
        for k in range(3)
        for name in (system, "other")
    ]
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("name", ["participant", "system", "item"])
def test_names_in_a_table_are_never_obeyed(tmp_path: Path, name: str) -> None:
    result = run("analyse", judgments(tmp_path, **{name: "\x1b[31m\u202e[red]x[/]"}))
    assert result.exit_code == 0, result.output
    assert is_harmless(result.output)


def test_a_value_that_is_quoted_in_a_message_is_never_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("participant,item,system,value\np,i,s,\x1b[2Jx\n", "utf-8")
    result = run("analyse", path)
    assert result.exit_code == 2
    assert "'␛[2Jx' is not a number" in result.output


def test_a_column_that_is_quoted_in_a_message_is_never_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\x1b[2Jx,\x1b[2Jx\n1,2\n", "utf-8")
    assert "'␛[2Jx'" in run("analyse", path).output


def test_the_name_of_a_file_is_never_obeyed(tmp_path: Path) -> None:
    result = run("analyse", tmp_path / "\x1b[2J\u202e.csv")
    assert result.exit_code == 2
    assert "␛[2J\ufffd.csv: there is no such file." in result.output


@pytest.mark.parametrize(
    "text",
    [
        STUDY.replace("Which sentence is better?", '"\\e[2J\\u202e[red]"'),
        STUDY.replace("id: paraphrases", 'id: "\\e[2J"'),
        STUDY.replace("language: en", '"\\e[2J": en'),
        STUDY.replace("items.csv", '"\\e[2J.csv"'),
        STUDY + "\x1b[2J",
        STUDY + '"\x9b2J',
    ],
)
def test_a_study_is_never_obeyed(tmp_path: Path, text: str) -> None:
    (tmp_path / "study.yaml").write_text(text, "utf-8")
    (tmp_path / "items.csv").write_text(FILES["items.csv"], "utf-8")
    assert is_harmless(run("check", tmp_path).output)


def test_json_of_hostile_names_is_harmless_and_unchanged(tmp_path: Path) -> None:
    result = run("analyse", judgments(tmp_path, system="\x9b\u202e"), "--json")
    assert is_harmless(result.output)
    assert "\x9b\u202e" in json.dumps(json.loads(result.output), ensure_ascii=False)


# What goes wrong outside, and inside


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> Result:
    @click.command("broken")
    @print_outcome
    def command() -> Outcome:
        raise error

    monkeypatch.setattr(cli, "COMMANDS", {"broken": "Fails."})
    monkeypatch.setattr(cli.importlib, "import_module", lambda _: _Module(command))
    return CliRunner().invoke(main, ["broken"])


class _Module:
    def __init__(self, command: click.Command) -> None:
        self.command = command


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (RecursionError(), "nested too deeply"),
        (PermissionError(13, "Permission denied", "x.db"), "x.db: this cannot be"),
        (OSError("of its own"), "of its own"),
    ],
)
def test_what_the_machine_refuses_is_a_message(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    result = failing(monkeypatch, error)
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("error", [KeyError("gone"), ValueError("odd"), ZeroDivisionError()])
def test_a_fault_of_the_program_is_shown_as_one(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    result = failing(monkeypatch, error)
    assert result.exit_code == BUG
    assert "Traceback" in result.output
    assert f"a bug in rejudge ({type(error).__name__})" in result.output


_POSIX = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
# in that locale Python itself cannot start from a path that is not ASCII
_ASCII = _POSIX if sys.prefix.isascii() else {"PYTHONIOENCODING": "ascii"}
_START = [sys.executable, "-c", "from rejudge.cli import main; main()"]


def test_a_terminal_set_to_plain_ascii_shows_all_scripts(tmp_path: Path) -> None:
    """And a file whose name it cannot spell is read."""
    path = judgments(tmp_path, system="系统").rename(tmp_path / "é.jsonl")
    done = subprocess.run(
        [*_START, "analyse", str(path)],
        env={**os.environ, **_ASCII},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "系统" in done.stdout.decode("utf-8")


@pytest.mark.slow
def test_json_on_a_terminal_of_another_encoding_is_json(tmp_path: Path) -> None:
    done = subprocess.run(
        [*_START, "analyse", str(judgments(tmp_path, system="ü系统")), "--json"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert "ü系统" in json.dumps(json.loads(done.stdout.decode("ascii")), ensure_ascii=False)


@pytest.mark.parametrize("words", [["schema"], ["--help"], ["check", "nowhere", "--json"]])
def test_a_full_device_is_a_message(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [*_START, *words]
        done = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"no space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_reader_who_has_gone_is_no_fault() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [*_START, "schema"]
        done = subprocess.run(command, check=False, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert done.stderr == b""
    assert done.returncode == CLOSED_PIPE
