"""`rejudge schema`: the JSON Schema of study.yaml."""

from __future__ import annotations

import click

from rejudge.cli.console import echo_json
from rejudge.cli.terminal import flush_output


@click.command("schema")
@click.option(
    "--json", is_flag=True, expose_value=False, help="No effect: the output is always JSON."
)
def command() -> None:
    """Print the JSON Schema of study.yaml, for editors that complete and check it."""
    from rejudge.study import schema

    with flush_output():
        echo_json(schema())
