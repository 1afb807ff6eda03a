from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import click
import pytest
from click.testing import CliRunner

from rejudge.cli.execution import ExecutionOptions, execution_options
from rejudge.errors import UsageError


def test_a_command_receives_the_options_as_typed():
    @click.command()
    @execution_options
    def command(execution: ExecutionOptions) -> None:
        click.echo(repr(execution))

    run = CliRunner().invoke(command, ["--processes", "3"])
    assert run.output == f"{ExecutionOptions(3, None)!r}\n"
    assert CliRunner().invoke(command, ["--processes", "0"]).exit_code == 2


def test_the_usual_number_of_processes_counts_only_where_nothing_was_typed():
    with ExecutionOptions().executor() as none, ExecutionOptions(1).executor(usual=2) as one:
        assert none is one is None
    with ExecutionOptions().executor(usual=2) as usual:
        assert isinstance(usual, ProcessPoolExecutor)
    with pytest.raises(UsageError, match="cannot be combined"):
        ExecutionOptions(2, "tcp://h:1").executor()
