"""rejudge heds latex, markdown, html, csv: datasheets to be read, printed or reviewed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rejudge.cli.console import Outcome, print_outcome

if TYPE_CHECKING:
    from rejudge.heds.latex import LatexStyle
    from rejudge.heds.sheet import Sheet

F = TypeVar("F", bound=Callable[..., Any])  # any command's function


def _export_options(function: F) -> F:
    for option in (
        click.option("--force", is_flag=True, help="Overwrite an existing file."),
        click.option(
            "--anonymous",
            is_flag=True,
            help="For review: without contact details, addresses, links and the names in 1.3.",
        ),
        click.option(
            "--out",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Where to write it.  [default: print it]",
        ),
        click.argument("file", metavar="FILE", type=click.Path(path_type=Path)),
    ):
        function = option(function)
    return function


@click.command("latex")
@_export_options
@click.option("--compact", is_flag=True, help="One line for each question, in small print.")
@click.option("--all-options", is_flag=True, help="All options, with ticked and empty boxes.")
@print_outcome
def latex(
    file: Path, *, out: Path | None, anonymous: bool, force: bool, compact: bool, all_options: bool
) -> Outcome:
    r"""Print a datasheet as LaTeX for an appendix.

    The paper reads it with \input. It compiles with pdfLaTeX; the first lines name the packages.
    """
    from rejudge.errors import Problem, UsageError
    from rejudge.heds.latex import to_latex_sheet

    if compact and all_options:
        what = "--compact and --all-options cannot be combined."
        raise UsageError(Problem(what, "Choose one of them."))
    style: LatexStyle = "compact" if compact else "all-options" if all_options else "full"
    return _export(
        file, lambda sheet: to_latex_sheet(sheet, style), out=out, anonymous=anonymous, force=force
    )


@click.command("markdown")
@_export_options
@print_outcome
def markdown(file: Path, *, out: Path | None, anonymous: bool, force: bool) -> Outcome:
    """Print a datasheet as Markdown."""
    from rejudge.heds.printing import to_markdown_sheet

    return _export(file, to_markdown_sheet, out=out, anonymous=anonymous, force=force)


@click.command("html")
@_export_options
@print_outcome
def html(file: Path, *, out: Path | None, anonymous: bool, force: bool) -> Outcome:
    """Print a datasheet as a web page."""
    from rejudge.heds.page import datasheet_page

    return _export(file, datasheet_page, out=out, anonymous=anonymous, force=force)


@click.command("csv")
@_export_options
@print_outcome
def csv(file: Path, *, out: Path | None, anonymous: bool, force: bool) -> Outcome:
    """Print a datasheet as a table of answers."""
    from rejudge.heds.printing import to_csv_sheet

    return _export(file, to_csv_sheet, out=out, anonymous=anonymous, force=force)


@click.command("anonymise")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help="Where to write it.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@print_outcome
def anonymise(file: Path, *, out: Path, force: bool) -> Outcome:
    """Write a copy for anonymous review.

    The answers that changed are listed. Contact details are blanked; addresses, links and the
    names in 1.3 are removed from all answers. Other names of people and institutions stay, so read
    the copy before you hand it in.
    """
    from rich.text import Text

    from rejudge.files.disk import write_bytes
    from rejudge.heds.printing import anonymise as anonymise_sheet
    from rejudge.heds.sheet import read_sheet

    found = anonymise_sheet(read_sheet(file))
    write_bytes(out, found.sheet.write(), force=force)
    document = {
        "written": str(out),
        "changed": list(found.changed),
        "dropped": list(found.dropped),
    }
    shown = (
        Text(f"Written to {out}.", "bold"),
        Text(f"Changed: {', '.join(found.changed) or 'nothing'}."),
        Text("Other names of people and institutions were not searched for."),
    )
    return Outcome(document, shown)


def _export(
    file: Path,
    render: Callable[[Sheet], str],
    *,
    out: Path | None,
    anonymous: bool,
    force: bool,
) -> Outcome:
    from rich.text import Text

    from rejudge.files.disk import write_bytes
    from rejudge.heds.printing import anonymise as anonymise_sheet
    from rejudge.heds.sheet import read_sheet

    sheet = read_sheet(file)
    text = render(anonymise_sheet(sheet).sheet if anonymous else sheet)
    if out is None:
        return Outcome(
            {"version": sheet.version, "text": text, "written": None}, (text.rstrip("\n"),)
        )
    write_bytes(out, text.encode("utf-8", "replace"), force=force)
    document = {"version": sheet.version, "text": None, "written": str(out)}
    return Outcome(document, (Text(f"Written to {out}.", "bold"),))


COMMANDS = (latex, markdown, html, csv, anonymise)
