from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from rejudge.cli.execution import ExecutionOptions, execution_options
from rejudge.errors import UsageError
from rejudge.executors.chunks import SerialExecutor
from rejudge.executors.cluster import ClusterExecutor
from rejudge.executors.processes import ProcessExecutor


def test_a_command_receives_the_options_as_typed():
    @click.command()
    @execution_options
    def command(execution: ExecutionOptions) -> None:
        click.echo(repr(execution))

    run = CliRunner().invoke(command, ["--processes", "3"])
    assert run.output == f"{ExecutionOptions(3, None)!r}\n"
    assert CliRunner().invoke(command, ["--processes", "0"]).exit_code == 2


def test_the_usual_number_of_processes_counts_only_where_nothing_was_typed():
    assert ExecutionOptions().executor() == SerialExecutor()
    assert ExecutionOptions().executor(usual=2) == ProcessExecutor(2)
    assert ExecutionOptions(processes=4).executor(usual=2) == ProcessExecutor(4)
    assert ExecutionOptions(cluster="tcp://h:1").executor(usual=2) == ClusterExecutor("tcp://h:1")
    with pytest.raises(UsageError, match="cannot be combined"):
        ExecutionOptions(2, "tcp://h:1").executor()
