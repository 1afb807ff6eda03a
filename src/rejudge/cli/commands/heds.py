"""rejudge heds: the Human Evaluation Datasheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from rejudge.cli.commands import heds_fill
from rejudge.cli.console import Outcome, print_outcome
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.heds.check import SheetFinding
    from rejudge.heds.convert import Conversion
    from rejudge.heds.diff import SheetDiff
    from rejudge.heds.sheet import Sheet

_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold"}
_OPEN = ("blank", "no-option")  # rules of the form about questions without an answer
_DIFF = "heds-diff"  # name of the files that `diff --out` writes


@click.group("heds")
def command() -> None:
    """Fill in, edit, check, convert, compare and print datasheets (HEDS 2.x and 3.0).

    Each of the commands below takes --json.
    """


@command.command("new")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--criterion", multiple=True, help="A quality criterion; repeatable.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@print_outcome
def new(file: Path, *, criterion: tuple[str, ...], force: bool) -> Outcome:
    """Write an empty datasheet (HEDS 3.0) that the official form can load."""
    from rich.text import Text

    from rejudge.files.disk import write_bytes
    from rejudge.heds.sheet import add_criterion, blank_sheet

    sheet = blank_sheet("3.0")
    for name in criterion:
        sheet = add_criterion(sheet, name)
    write_bytes(file, sheet.write(), force=force)
    document = {"written": str(file), "version": sheet.version, "criteria": list(sheet.criteria)}
    return Outcome(document, (Text(f"Written to {file}.", "bold"),))


@command.command("check")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--form-only", is_flag=True, help="Report only what the official form reports.")
@click.option(
    "--study",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also find numbers that contradict the study in DIR.",
)
@print_outcome
def check(files: tuple[Path, ...], *, form_only: bool, study: Path | None) -> Outcome:
    """Find open questions and mistakes in datasheets.

    First the warnings and errors of the official form, as many as the form shows. Then what it
    does not notice: answers that contradict each other, placeholders, addresses, and what it
    would misread or hide.
    """
    from rejudge.heds.check import check as check_sheet
    from rejudge.heds.check import lint
    from rejudge.heds.sheet import read_sheet

    rows: list[dict[str, Any]] = []
    shown: list[RenderableType] = []
    facts = None if study is None else heds_fill.read_countable_facts(study)
    for path in files:
        sheet = read_sheet(path)
        form, beyond = check_sheet(sheet), () if form_only else lint(sheet, facts)
        rows.append(_check_json(path, sheet, form, beyond))
        shown += _render_check(path, sheet, (*form, *beyond))
    has_problems = any(each["severity"] != "note" for row in rows for each in row["findings"])
    return Outcome({"sheets": rows}, tuple(shown), has_problems=has_problems)


@command.command("convert")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Where to write it.")
@click.option(
    "--prune",
    is_flag=True,
    help="Remove the answers on deleted criteria, and explanations that the form hides.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@print_outcome
def convert(file: Path, *, out: Path | None, prune: bool, force: bool) -> Outcome:
    """Convert a datasheet of 2.x to 3.0.

    Every answer that changed is listed. Without --out nothing is written. The sheet gets all
    entries that the official form needs, also if it is one of 3.0 already.
    """
    from rejudge.heds.convert import convert as convert_sheet
    from rejudge.heds.sheet import prune as prune_leftovers
    from rejudge.heds.sheet import read_sheet

    sheet = read_sheet(file)
    found = convert_sheet(prune_leftovers(sheet) if prune else sheet)
    if out is not None:
        from rejudge.files.disk import write_bytes

        write_bytes(out, found.sheet.write(), force=force)
    document = {
        "file": str(file),
        "from": sheet.version,
        "changes": [asdict(each) for each in found.changes],
        "messages": list(found.messages),
        "orphans": list(found.sheet.orphans),
        "written": str(out) if out else None,
    }
    return Outcome(document, tuple(_render_conversion(found, sheet, out)))


@command.command("diff")
@click.argument("original", metavar="ORIGINAL", type=click.Path(path_type=Path))
@click.argument("other", metavar="OTHER", type=click.Path(path_type=Path))
@click.option(
    "--criteria",
    multiple=True,
    metavar="THEIRS=OURS,…",
    help="Match criteria that have another name in OTHER.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help=f"Write {_DIFF}.csv, .md and .tex; reasons in an earlier {_DIFF}.csv are kept.",
)
@click.option("--force", is_flag=True, help="Overwrite an earlier comparison; reasons are kept.")
@print_outcome
def diff(
    original: Path, other: Path, *, criteria: tuple[str, ...], out: Path | None, force: bool
) -> Outcome:
    """List what differs between two datasheets.

    They can be those of an original and its reproduction, or of a plan and what was done. Answers
    are compared by what they mean. Each difference has a class; blank answers are unknown, and
    unknown is not a difference. Exits with 1 if there are differences that are not expected.
    """
    from rejudge.cli.runs import renames
    from rejudge.heds.diff import diff as diff_sheets
    from rejudge.heds.sheet import read_sheet

    reasons = _earlier_reasons(out)
    found = diff_sheets(
        read_sheet(original),
        read_sheet(other),
        criteria=renames(criteria, "--criteria"),
        reasons=reasons,
    )
    written = _write_diff(out, found, reasons, force=force)
    document = {
        **asdict(found),
        "criteria": [{"original": one, "other": two} for one, two in found.criteria.items()],
        "compared": found.compared,
        "written": written,
    }
    shown = tuple(_render_diff(found, written))
    return Outcome(document, shown, has_problems=bool(found.deviations))


@command.command("print")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(("tex", "html", "md", "csv", "json")),
    help="LaTeX for an appendix, a page, Markdown, a table of answers, or the form's own file.",
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="For review: without contact details, addresses, links and the names in 1.3.",
)
@click.option("--compact", is_flag=True, help="LaTeX: one line for each question, in small print.")
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where to write it.  [default: print it]",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@print_outcome
def print_sheet(
    file: Path, *, form: str, anonymous: bool, compact: bool, out: Path | None, force: bool
) -> Outcome:
    r"""Print a datasheet as LaTeX, HTML, Markdown, CSV or JSON.

    A paper reads the LaTeX with \input; its first lines name the packages. With --anonymous the
    answers that changed are listed; other names of people and institutions stay, so read the copy
    before you hand it in.
    """
    from rich.text import Text

    from rejudge.files.disk import write_bytes
    from rejudge.heds.print import anonymise
    from rejudge.heds.sheet import read_sheet

    sheet = read_sheet(file)
    copy = anonymise(sheet) if anonymous else None
    text = _printed(sheet if copy is None else copy.sheet, form, is_compact=compact)
    document: dict[str, Any] = {"version": sheet.version, "to": form, "written": str(out or "")}
    document["text"] = text if out is None else None
    document["changed"] = list(copy.changed) if copy else []
    document["dropped"] = list(copy.dropped) if copy else []
    if out is None:
        return Outcome(document, (text.rstrip("\n"),))
    write_bytes(out, text.encode("utf-8", "replace"), force=force)
    shown = [Text(f"Written to {out}.", "bold")]
    if copy is not None:
        shown.append(Text(f"Changed: {', '.join(copy.changed) or 'nothing'}."))
        shown.append(Text("Other names of people and institutions were not searched for."))
    return Outcome(document, tuple(shown))


def _printed(sheet: Sheet, form: str, *, is_compact: bool) -> str:
    from rejudge.heds import print as printing

    if is_compact and form != "tex":
        raise UsageError(Problem("--compact is for --to tex only.", "Leave it out."))
    if form == "tex":
        return printing.to_latex_sheet(sheet, is_compact=is_compact)
    if form == "html":
        return printing.datasheet_page(sheet)
    if form == "md":
        return printing.to_markdown_sheet(sheet)
    return printing.to_csv_sheet(sheet) if form == "csv" else sheet.write().decode()


def _check_json(
    path: Path, sheet: Sheet, form: Iterable[SheetFinding], beyond: Iterable[SheetFinding]
) -> dict[str, Any]:
    form, beyond = tuple(form), tuple(beyond)
    counts = Counter(each.severity for each in form)
    return {
        "file": str(path),
        "version": sheet.version,
        "mixed": sheet.is_mixed,
        "criteria": list(sheet.criteria),
        "form": {"warnings": counts["warning"], "errors": counts["error"]},
        "findings": [asdict(each) for each in (*form, *beyond)],
    }


def _render_check(
    path: Path, sheet: Sheet, findings: tuple[SheetFinding, ...]
) -> Iterator[RenderableType]:
    from rich.text import Text

    from rejudge.english import count

    criteria = count(len(sheet.criteria), "criterion")
    yield Text(f"{path.name}: HEDS {sheet.version}, {criteria}", "bold")
    form = [each for each in findings if each.origin == "form"]
    errors = sum(each.severity == "error" for each in form)
    said = f"{count(len(form) - errors, 'warning')} and {count(errors, 'error')}"
    yield Text(f"The official form shows {said}.")
    yield from _render_open([each for each in form if each.rule in _OPEN])
    wrong = [each for each in findings if each.rule not in _OPEN]
    for origin, title in (("form", "Errors in the form"), ("lint", "Beyond the form")):
        alike = [each for each in wrong if each.origin == origin]
        if alike:
            yield Text(title, "bold")
            yield _finding_table(alike)
    if not findings:
        yield Text("✓ Nothing found.", "green")
    yield Text("")


def _render_open(findings: list[SheetFinding]) -> Iterator[Text]:
    """Questions without an answer, in one line for all criteria and one for each."""
    from rich.text import Text

    from rejudge.english import count

    if not findings:
        return
    yield Text(f"Open: {count(len(findings), 'question')}", "bold")
    for criterion in dict.fromkeys(each.criterion for each in findings):
        numbers = ", ".join(each.question for each in findings if each.criterion == criterion)
        yield Text(f"{criterion}: {numbers}" if criterion else numbers)


def _finding_table(findings: list[SheetFinding]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for each in findings:
        place = each.question + (f" {each.criterion}" if each.criterion else "")
        says = Text(f"{each.says} ").append(each.remedy, "cyan")
        table.add_row(Text(each.severity, _STYLES[each.severity]), place or "sheet", says)
    return table


def _render_conversion(
    found: Conversion, sheet: Sheet, out: Path | None
) -> Iterator[RenderableType]:
    from rich.text import Text

    from rejudge.english import count

    yield Text(f"HEDS {sheet.version} → {found.sheet.version}", "bold")
    yield from (Text(message, "yellow") for message in found.messages)
    to_confirm = [each for each in found.changes if each.needs_confirmation]
    others = [each for each in found.changes if not each.needs_confirmation]
    if to_confirm:
        yield Text(f"To confirm: {count(len(to_confirm), 'answer')}", "bold yellow")
        yield _change_table(to_confirm)
    if others:
        yield Text(f"Also changed: {count(len(others), 'answer')}", "bold")
        yield _change_table(others)
    if not found.changes:
        yield Text("No answer changed.", "green")
    yield Text(f"Written to {out}." if out else "Nothing was written; give --out FILE.", "bold")


def _change_table(changes: Iterable[Any]) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    for head in ("question", "before", "after", "note"):
        table.add_column(head, overflow="fold")
    for each in changes:
        numbers = dict.fromkeys(number for number in (each.before_number, each.number) if number)
        place = " → ".join(numbers) + (f" {each.criterion}" if each.criterion else "")
        table.add_row(place, _shorten(each.before), _shorten(each.after), each.note)
    return table


def _earlier_reasons(out: Path | None) -> dict[tuple[str, str], str]:
    from rejudge.heds.diff import read_reasons
    from rejudge.incoming import TEXT_BYTES, read_bytes

    path = out / f"{_DIFF}.csv" if out else None
    if path is None or not path.exists():
        return {}
    content = read_bytes(path, remedy="Check the folder.", limit=TEXT_BYTES)
    return read_reasons(content, file=str(path))


def _write_diff(
    out: Path | None, found: SheetDiff, reasons: dict[tuple[str, str], str], *, force: bool
) -> list[str]:
    from rejudge.files.disk import write_files
    from rejudge.heds.diff import difference_table
    from rejudge.layout.latex import to_latex
    from rejudge.layout.table import to_csv, to_markdown

    if out is None:
        return []
    table = difference_table(found, reasons, name=_DIFF)
    texts = {"csv": to_csv(table), "md": to_markdown(table), "tex": to_latex(table)}
    files = {f"{_DIFF}.{ending}": text.encode("utf-8") for ending, text in texts.items()}
    write_files(out, files, force=force)
    return [str(out / name) for name in files]


def _render_diff(found: SheetDiff, written: list[str]) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    from rejudge.heds.diff import DifferenceClass

    expected = len(found.differences) - len(found.deviations)
    yield Text(
        f"{len(found.differences)} of {found.compared} answers differ, {expected} as expected.",
        "bold",
    )
    yield from _unmatched(found)
    for group in get_args(DifferenceClass):
        alike = [each for each in found.differences if each.group == group]
        if not alike:
            continue
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
        for head in ("question", "original", "other", "note"):
            table.add_column(head, overflow="fold")
        for each in alike:
            place = f"{each.question} {each.label}" + (
                f" ({each.criterion})" if each.criterion else ""
            )
            note = " ".join(part for part in (each.note, each.reason) if part)
            table.add_row(place, _shorten(each.original), _shorten(each.other), note)
        yield Text(group, "bold")
        yield table
    for path in written:
        yield Text(f"Written to {path}.")


def _unmatched(found: SheetDiff) -> Iterator[Text]:
    from rich.text import Text

    for names, where in ((found.only_original, "original"), (found.only_other, "other sheet")):
        if names:
            yield Text(
                f"Only in the {where}: {', '.join(names)}. Match them with --criteria.", "yellow"
            )
    if found.unanswered:
        listed = ", ".join(found.unanswered)
        yield Text(f"Answered in one of the sheets only: {listed}.")


def _shorten(text: str, longest: int = 90) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


for _each in heds_fill.COMMANDS:
    command.add_command(_each)
