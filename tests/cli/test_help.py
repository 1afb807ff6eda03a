"""The first thing a newcomer types must answer at once."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from rejudge.cli import ALIASES, COMMANDS, main

HEAVY = ("numpy", "scipy", "pydantic", "yaml", "jinja2", "rich", "sentencex", "matplotlib")


def modules_after(words: str) -> set[str]:
    """What a fresh interpreter has loaded after `rejudge <words>`."""
    script = (
        "import sys\n"
        "from rejudge.cli import main\n"
        f"main({words.split()!r}, standalone_mode=False)\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def test_help_loads_no_heavy_library():
    assert not modules_after("--help") & set(HEAVY)


def test_help_of_a_command_loads_no_heavy_library():
    assert not modules_after("plan --help") & set(HEAVY)


def test_importing_rejudge_loads_no_heavy_library():
    script = "import sys, rejudge; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & set(HEAVY)


def test_every_command_that_is_listed_can_be_loaded_and_takes_json():
    for name in COMMANDS:
        result = CliRunner().invoke(main, [name, "--help"])
        assert result.exit_code == 0, name
        assert "--json" in result.output, name


def test_a_misspelt_command_gets_a_suggestion_and_exit_code_2():
    result = CliRunner().invoke(main, ["chek"])
    assert result.exit_code == 2
    assert "Did you mean 'check'?" in result.output


@pytest.mark.parametrize("name", ALIASES)
def test_american_spelling_and_former_names_of_commands_are_understood(name):
    assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0
    assert f"  {name} " not in CliRunner().invoke(main, ["--help"]).output


@pytest.mark.parametrize(
    ("command", "name", "former"),
    [
        ("rehearse", "--participants", "--people"),
        ("export", "--participants", "--people"),
        ("look", "--as", "--who"),
        ("bundle", "--min-group", "--least-group"),
        ("deposit", "--server", "--address"),
        ("import", "--rename-question", "--question"),
        ("reproduce", "--out", "--folder"),
        ("demo", "--out", "--folder"),
    ],
)
def test_a_renamed_option_accepts_its_former_name_without_listing_it(command, name, former):
    shown = CliRunner().invoke(main, [command, "--help"]).output
    assert f"  {name} " in shown
    assert f"  {former} " not in shown
    result = CliRunner().invoke(main, [command, former])  # its value is missing
    assert f"Option '{former}' requires an argument." in result.output
