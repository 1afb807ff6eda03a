"""The version: one number that the package, the command line and written files agree on."""

from __future__ import annotations

import re
from importlib.metadata import version

from click.testing import CliRunner

import rejudge
from rejudge.cli import main
from rejudge.version import __version__


def test_it_is_a_number_of_three_parts():
    assert re.fullmatch(r"\d+\.\d+\.\d+([ab]\d+)?", __version__)


def test_package_installation_and_command_agree():
    assert rejudge.__version__ == __version__
    assert version("rejudge") == __version__
    assert __version__ in CliRunner().invoke(main, ["--version"]).output
