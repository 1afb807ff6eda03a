"""`python -m rejudge` is the same as `rejudge`."""

from rejudge.cli import run

run()
