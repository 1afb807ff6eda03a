"""The words typed by a person. Each command is read → call → write; heavy imports stay inside."""

from __future__ import annotations

import gc
import importlib
from typing import Any, Final

import click

from rejudge.cli.streams import prepare, report_faults, written
from rejudge.version import __version__

# name → module; a command is imported when it is called, so `rejudge --help` stays quick.
COMMANDS: Final[dict[str, str]] = {
    "new": "Start a study folder that runs as it is.",
    "check": "Find what is wrong or weak, what it costs and how long it takes.",
    "plan": "Draw who sees what: batches, sides, checks; balanced and seeded.",
    "freeze": "Hash study, plan, analysis and claims before anybody is asked.",
    "simulate": "Let simulated people with known opinions judge the plan.",
    "rehearse": "Let simulated people walk the real pages, before anybody is paid.",
    "serve": "Start the participants' site and the dashboard.",
    "links": "Make personal links for participants, or a new link to the dashboard.",
    "status": "Say who is where, and how pay, checks and agreement stand.",
    "withdraw": "Remove everything of one participant, for good.",
    "backup": "Copy everything that was collected into one file, also while serving.",
    "restore": "Put a backup into a database.",
    "analyse": "Compute every planned number with its interval.",
    "report": "Write one self-contained page of the results.",
    "compare": "Say what of a study was reproduced, under which conditions.",
    "bundle": "Pack a study into one archive that another lab can check and run again.",
    "verify": "Check a bundle: unchanged, and every number comes out again.",
    "reproduce": "Start the study of a bundle anew, and say what is changed and why.",
    "paper": "Write, check and look at published studies as data.",
    "audit": "Check the numbers that papers print against each other.",
    "schema": "Print the JSON Schema of study.yaml, for editors.",
    "demo": "Take a small study all the way, on this machine.",
}
ALIASES: Final[dict[str, str]] = {"analyze": "analyse"}


class _LazyGroup(click.Group):
    """Knows its commands by name and one line each; loads one only when it is asked for."""

    def main(self, *args: Any, **kwargs: Any) -> Any:  # click's signature
        """Run a command; whatever happens, it ends with a message and a code."""
        # A command loads much and drops little: looking for cycles took a tenth of its time.
        gc.set_threshold(50_000)
        prepare()
        with report_faults():
            try:
                return super().main(*args, **kwargs)
            finally:
                with written():
                    pass  # what nobody has flushed yet

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"rejudge.cli.commands.{name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise click.UsageError(f"There is no command '{name}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every command takes --json. Exit codes: 0 good, 1 problems found, 2 bad input, "
    "70 a fault of rejudge.",
)
@click.version_option(__version__, prog_name="rejudge")
def main() -> None:
    """Design, run, analyse and reproduce human evaluations of NLP systems."""
