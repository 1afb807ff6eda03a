"""`rejudge` as a program: all output arrives, and whatever waits for the end is called."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import atexit, sys, threading, time
from rejudge.cli import run

sys.argv = ["rejudge", *{words}]
atexit.register(lambda: print("called at the end", file=sys.stderr))
{more}
run()
"""


def end_of(*words: str, more: str = "") -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(words=list(words), more=more)
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "code"), [(("--version",), 0), (("--help",), 0), (("no-such-command",), 2)]
)
def test_the_exit_code_and_all_output_arrive(words, code):
    found = end_of(*words)
    assert found.returncode == code
    assert "rejudge" in found.stdout + found.stderr
    assert "called at the end" in found.stderr


@pytest.mark.slow
def test_long_output_is_not_cut_off():
    found = end_of("schema")
    assert found.stdout.rstrip().endswith("}")
    assert len(found.stdout) > 10_000


def test_a_thread_that_is_at_work_may_finish():
    more = """
def work():
    time.sleep(0.5)
    print("finished", file=sys.stderr)

threading.Thread(target=work).start()
"""
    found = end_of("--version", more=more)
    assert found.returncode == 0
    assert "finished" in found.stderr


def test_the_package_runs_like_the_command():
    command = [sys.executable, "-m", "rejudge", "--version"]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    assert found.stdout.startswith("rejudge")
