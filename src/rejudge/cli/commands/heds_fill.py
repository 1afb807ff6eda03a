"""rejudge heds fill, profile and edit: a datasheet from what the study knows, and by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import read_plan
from rejudge.english import count, join_words, verb

if TYPE_CHECKING:
    from rejudge.heds.check import StudyFacts
    from rejudge.heds.facts import KnownStudy, SheetProfile
    from rejudge.heds.fill import FilledCell, FilledSheet
    from rejudge.heds.sheet import Sheet

SHEET: Final = "heds.json"
PLANNED_SHEET: Final = "heds-planned.json"
_ENVIRONMENT: Final = "REJUDGE_DATASHEET"


@click.command("fill")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option(
    "--planned",
    is_flag=True,
    help=f"Fill in {PLANNED_SHEET} from study and plan alone, for preregistration.",
)
@click.option(
    "--profile",
    type=click.Path(path_type=Path),
    envvar=_ENVIRONMENT,
    help="File with answers that are the same for all studies.  [default: datasheet.yaml in STUDY]",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="The sheet to fill in.  [default: in STUDY]"
)
@print_outcome
def fill(folder: Path, *, planned: bool, profile: Path | None, out: Path | None) -> Outcome:
    """Fill in the datasheet (HEDS 3.0) of STUDY with the answers that follow from the study.

    Before data collection the sheet says what is planned (heds-planned.json); once there are
    results, it says what was done (heds.json). Run it again whenever something changes: answers
    that you edited are never overwritten, and differences are listed. Drafts need to be confirmed.
    """
    from rich.text import Text

    from rejudge.files.disk import write_files
    from rejudge.files.step_files import RESULTS
    from rejudge.heds.fill import fill_sheet

    is_planned = planned or not (folder / RESULTS).exists()
    known = _read_known(folder, _read_profile(folder, profile), is_planned=is_planned)
    target = out or folder / (PLANNED_SHEET if is_planned else SHEET)
    sheet = _read_start(folder, target)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    filled = fill_sheet(sheet, known, time=now)
    write_files(target.parent, {target.name: filled.sheet.write()}, force=True)
    shown = tuple(Text(line) for line in _lines(filled, target, is_planned=is_planned))
    return Outcome(_json(filled, target, is_planned=is_planned), shown)


@click.command("profile")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@print_outcome
def profile(folder: Path) -> Outcome:
    """Write datasheet.yaml into STUDY, to complete with facts that the study does not contain."""
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import open_study
    from rejudge.heds.facts import PROFILE, profile_template

    open_study(folder)
    write_files(folder, {PROFILE: profile_template().encode()}, force=False)
    target = folder / PROFILE
    return Outcome({"written": str(target)}, (f"Written: {target}",))


def read_countable_facts(folder: Path) -> StudyFacts:
    """The numbers of a study that a sheet must not contradict."""
    from rejudge.files.step_files import RESULTS
    from rejudge.heds.facts import SheetProfile, countable_facts

    is_planned = not (folder / RESULTS).exists()
    return countable_facts(_read_known(folder, SheetProfile(), is_planned=is_planned))


def _read_profile(folder: Path, given: Path | None) -> SheetProfile:
    from rejudge.heds.facts import PROFILE, SheetProfile, read_profile

    if given is not None:
        return read_profile(given)
    own = folder / PROFILE
    return read_profile(own) if own.exists() else SheetProfile()


def _read_known(folder: Path, profile: SheetProfile, *, is_planned: bool) -> KnownStudy:
    from rejudge.cli.commands.report import read_quote, read_subject
    from rejudge.files.step_files import read_judgments, read_power
    from rejudge.heds.facts import KnownStudy
    from rejudge.judgments.exclusions import exclude

    study, plan = read_plan(folder)
    if is_planned:
        quote = read_quote(study, plan, on=datetime.now(UTC).date())
        power = read_power(folder, study)
        return KnownStudy(study, plan, profile=profile, quote=quote, power=power)
    subject = read_subject(folder, ())
    if subject.designed is None:
        raise AssertionError(folder)  # the folder has a study
    return KnownStudy(
        study,
        plan,
        profile=profile,
        results=subject.results,
        kept=exclude(study, plan, read_judgments(folder, plan)).kept,
        quote=subject.designed.quote,
        earned=subject.designed.earned,
        period=subject.period,
        power=subject.designed.power,
    )


def _read_start(folder: Path, target: Path) -> Sheet:
    """The sheet as it is; a new one begins with what was written before data collection."""
    from rejudge.heds.sheet import blank_sheet, read_sheet

    earlier = folder / PLANNED_SHEET
    if target.exists():
        return read_sheet(target)
    return read_sheet(earlier) if earlier.exists() else blank_sheet("3.0")


def _json(filled: FilledSheet, target: Path, *, is_planned: bool) -> dict[str, object]:
    states = Counter(each.state for each in filled.cells)
    return {
        "written": str(target),
        "planned": is_planned,
        "counts": dict(sorted(states.items())),
        "answers": [
            {
                "question": each.cell.question.number,
                "criterion": each.cell.criterion,
                "state": each.state,
                "class": each.cell.question.fill,
                "source": each.source or None,
            }
            for each in filled.cells
        ],
    }


def _lines(filled: FilledSheet, target: Path, *, is_planned: bool) -> Iterator[str]:
    done = filled.of("filled", "unchanged")
    kinds = Counter(each.cell.question.fill for each in done)
    total = len(filled.cells)
    yield (
        f"{len(done)} of {count(total, 'answer')} come from the study: {kinds['auto']} computed, "
        f"{kinds['draft']} drafted, {kinds['once']} from the profile or the study's contact."
    )
    by_hand = len(filled.of("answered", "edited"))
    if by_hand:
        yield f"{count(by_hand, 'answer')} edited by hand {verb(by_hand, 'was', 'were')} kept."
    yield from _differences(filled.of("edited"))
    drafts = _numbers(filled.drafts)
    if drafts:
        yield f"Confirm the drafts: {drafts}."
    yield from _missing(filled.of("missing"), is_planned=is_planned)
    yield f"Written: {target}"


def _differences(edited: Sequence[FilledCell]) -> Iterator[str]:
    for each in edited:
        said = each.proposed.text if each.proposed else ""
        if each.proposed and each.proposed.options:
            names = [each.cell.question.option(key).name for key in each.proposed.options]
            said = "; ".join([*names, *([said] if said else [])])
        label = each.cell.question.label
        yield f"{each.cell} {label}: edited by hand; the study says “{_short(said)}”."


def _short(text: str) -> str:
    from rejudge.english import shorten

    return shorten(" ".join(text.split()), 90)


def _missing(missing: Sequence[FilledCell], *, is_planned: bool) -> Iterator[str]:
    once = [each for each in missing if each.cell.question.fill == "once"]
    rest = [each for each in missing if each.cell.question.fill != "once"]
    later = [each for each in rest if is_planned and each.cell.question.fill == "auto"]
    others = [each for each in rest if each not in later]
    if once:
        yield f"Complete datasheet.yaml (`rejudge heds profile`) for {_numbers(once)}."
    if later:
        yield f"Not known yet: {_numbers(later)}. Fill in the sheet again later."
    if others:
        yield f"Only you can answer {_numbers(others)} (`rejudge heds edit`)."


def _numbers(cells: Sequence[FilledCell]) -> str:
    """The numbers of questions, each once, with how many criteria they are open for."""
    found = Counter(each.cell.question.number for each in cells)
    return join_words([n if times == 1 else f"{n} (×{times})" for n, times in found.items()])


@click.command("edit")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port on this machine; 0 picks a free one.",
)
@print_outcome
def edit(file: Path, *, port: int) -> Outcome:
    """Open a page on this machine to complete the datasheet in FILE.

    Each answer is saved to FILE as soon as it is given. Only this machine can open the page, and
    only with the address that is printed. Runs until stopped with Ctrl-C.
    """
    from rich.text import Text

    from rejudge.web.datasheet_editor import DatasheetEditor, open_sheet_file
    from rejudge.web.serving import bind_socket, serve_app

    editor = DatasheetEditor(open_sheet_file(file))
    taken = bind_socket("127.0.0.1", port)
    address = f"http://127.0.0.1:{taken.getsockname()[1]}/{editor.token}/"
    shown = (
        Text(f"Editing {file}", "bold"),
        f"Open {address}",
        Text("Answers are saved as they are given. Stop it with Ctrl-C.", "dim"),
    )
    document = {"file": str(file), "address": address}
    return Outcome(document, shown, afterwards=lambda: serve_app(editor.app, taken))


COMMANDS = (fill, profile, edit)
