"""`python -m rejudge` is the same as `rejudge`."""

from __future__ import annotations

import subprocess
import sys

from rejudge.version import __version__


def test_the_module_is_the_command():
    command = [sys.executable, "-m", "rejudge", "--version"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert __version__ in found.stdout
