"""The command line. Each command reads, calls one function and writes; heavy imports stay
inside.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys
import threading
from typing import Any, Final

import click

from rejudge.cli.terminal import flush_output, prepare, report_faults
from rejudge.version import __version__

# name → module; a command is imported when it is called, so `rejudge --help` stays quick.
COMMANDS: Final[dict[str, str]] = {
    "new": "Create a study folder that is ready to run.",
    "check": "Find problems in a study; estimate cost, duration and what it can detect.",
    "power": "Compute what a planned study can detect, and what each size costs.",
    "plan": "Assign tasks to batches and sides, balanced and seeded.",
    "freeze": "Record study, plan, analysis and claims under one hash.",
    "simulate": "Fill the plan with judgments of simulated participants.",
    "rehearse": "Run simulated participants through the real pages.",
    "serve": "Start the participants' site and the dashboard.",
    "prolific": "Create and run the study on Prolific.",
    "links": "Make personal links for participants, or a new link to the dashboard.",
    "invite": "Write personal links and invitations for a list of people.",
    "panel": "Write the participants as hashes, for other studies to exclude or admit.",
    "status": "Show progress, pay, checks and agreement of a running study.",
    "look": "Make a planned look at the results of a running study, if it is due.",
    "privacy": "Export or delete a participant's data, or write the record of processing.",
    "withdraw": "Delete all data of one participant permanently.",
    "purge": "Delete data about participants when their retention period ends.",
    "backup": "Copy all collected data into one file, even while serving.",
    "restore": "Restore a backup into a database.",
    "export": "Write a study as files for another tool.",
    "import": "Read answers that were collected with another tool.",
    "analyse": "Run the planned analysis of a study, or analyse a table.",
    "baseline": "Compare the results with rules that answer without judging.",
    "report": "Write the results as a self-contained page.",
    "compare": "Report which findings of a study were reproduced.",
    "heds": "Fill in, edit, check, convert, compare and print datasheets (HEDS).",
    "bundle": "Pack a study into an archive that others can verify and re-run.",
    "submission": "Collect what ReproNLP asks for in one folder.",
    "verify": "Verify a bundle: checksums, and every number recomputed.",
    "reproduce": "Set up the study of a bundle again, with changes and reasons.",
    "paper": "Create, check and show published studies as data.",
    "audit": "Check whether the numbers printed in a paper are consistent.",
    "schema": "Print the JSON Schema of study.yaml, for editors.",
    "demo": "Run a small example study from start to finish.",
}
_MODULES: Final[dict[str, str]] = {"import": "import_files"}  # `import` is a word of Python


class _LazyGroup(click.Group):
    """Lists commands with one line each, and imports a command only when it is used."""

    def main(self, *args: Any, **kwargs: Any) -> Any:  # click's signature
        """Run a command; it always ends with a message and an exit code."""
        # A command loads much and drops little: looking for cycles took a tenth of its time.
        gc.set_threshold(50_000)
        prepare()
        with report_faults():
            try:
                return super().main(*args, **kwargs)
            finally:
                with flush_output():
                    pass  # what nobody has flushed yet

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        name = "analyse" if cmd_name == "analyze" else cmd_name  # the American spelling
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"rejudge.cli.commands.{_MODULES.get(name, name)}")
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
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every command takes --json. Exit codes: 0 success, 1 problems found, 2 invalid input, "
    "70 internal error.",
)
@click.version_option(__version__, prog_name="rejudge")
def main() -> None:
    """Design, run, analyse and reproduce human evaluations of NLP systems."""


def run() -> None:
    """Run `rejudge` as a program, and end it at once.

    Taking the interpreter apart takes a tenth of the time of a small analysis. What registered for
    the end of the program is called first; while another thread is at work, the program ends as
    usual.
    """
    try:
        main()
    except SystemExit as ended:
        if not isinstance(ended.code, int) or threading.active_count() > 1:
            raise
        atexit._run_exitfuncs()  # noqa: SLF001 - the only way to call them early
        sys.stderr.flush()  # standard output has been flushed
        os._exit(ended.code)
