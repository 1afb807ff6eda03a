"""`rejudge schema`: the JSON Schema of study.yaml or parameters.yaml."""

from __future__ import annotations

import click

from rejudge.cli.console import echo_json
from rejudge.cli.terminal import flush_output


@click.command("schema")
@click.argument(
    "file",
    metavar="[FILE]",
    default="study.yaml",
    type=click.Choice(("study.yaml", "parameters.yaml")),
)
@click.option(
    "--json", is_flag=True, expose_value=False, help="No effect: the output is always JSON."
)
def command(file: str) -> None:
    """Print the JSON Schema of study.yaml, for editors that complete and check it.

    FILE is study.yaml, the default, or parameters.yaml, which `rejudge simulate` reads.
    """
    from rejudge.simulate.sources import parameters_schema
    from rejudge.study.schema import schema

    with flush_output():
        echo_json(schema() if file == "study.yaml" else parameters_schema())
