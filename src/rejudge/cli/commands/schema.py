"""`rejudge schema`: the JSON Schema of study.yaml."""

from __future__ import annotations

import json

import click


@click.command("schema")
@click.option("--json", is_flag=True, expose_value=False, help="The same: it is JSON anyway.")
def command() -> None:
    """Print the JSON Schema of study.yaml, for editors that complete and check it."""
    from rejudge.study import schema

    click.echo(json.dumps(schema(), ensure_ascii=False, indent=2))
