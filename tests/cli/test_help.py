"""The first thing a newcomer types must answer at once."""

from __future__ import annotations

import subprocess
import sys

from click.testing import CliRunner

from rejudge.cli import COMMANDS, main

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
