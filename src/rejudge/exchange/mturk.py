"""Mechanical Turk: reads layouts, inputs and results of past studies.

The platform closed on 30 September 2026. Its studies can be imported to be analysed again and to be
repeated elsewhere, with their batches, order and sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rejudge.design.plan import Plan
from rejudge.errors import FileError, Problem, UsageError
from rejudge.exchange.formats import Imported
from rejudge.exchange.mturk_files import ANSWER, is_results, read_assignments
from rejudge.exchange.mturk_import import HitFiles, import_hits
from rejudge.exchange.mturk_mapping import HitMapping, read_hit_mapping
from rejudge.exchange.qualtrics_responses import is_export
from rejudge.exchange.survey_tables import SurveyTable, first_text, read_survey_table
from rejudge.incoming import TEXT_BYTES, decode, read_bytes
from rejudge.study.model import Study
from rejudge.study.page_layout import parse_layout

_PAGES = {".html", ".htm"}
_YAML = {".yaml", ".yml"}


class MTurk:
    """The format `mturk`."""

    name = "mturk"
    title = "Mechanical Turk"

    def recognises(self, file: Path) -> bool:
        """Whether a file has results of HITs, or is a layout with placeholders."""
        text = first_text(file)
        if file.suffix.lower() in _PAGES:
            return "${" in text or "crowd-form" in text
        return all(name in text.partition("\n")[0] for name in ("HITId", "AssignmentId"))

    def read(self, files: Sequence[Path], *, study: Study | None, plan: Plan | None) -> Imported:
        """A study, its plan and judgments."""
        if study is not None or plan is not None:
            what = "HITs become a study of their own, so they cannot be read into another one."
            raise UsageError(Problem(what, "Leave out the study, and name a folder with --out."))
        return import_hits(_read_files(files))


FORMAT = MTurk()


def _read_files(files: Sequence[Path]) -> HitFiles:
    pages = [file for file in files if file.suffix.lower() in _PAGES]
    mappings = [file for file in files if file.suffix.lower() in _YAML]
    others = [file for file in files if file not in pages and file not in mappings]
    tables = [read_survey_table(file) for file in others]
    results = [table for table in tables if is_results(table.header)]
    inputs = [table for table in tables if table not in results]
    for noun, found in (("layout", pages), ("mapping file", mappings), ("input file", inputs)):
        if len(found) > 1:
            names = ", ".join(map(_name, found))
            raise FileError(Problem(f"{names} were all taken for the {noun}.", "Give one of them."))
    _refuse_others(inputs, results)
    if not results and not inputs:
        what = "there is neither an input file nor a file with results."
        raise FileError(Problem(what, "Give the CSV files of the HITs as well."))
    text = None
    if pages:
        content = read_bytes(pages[0], remedy="Give the layout.", limit=TEXT_BYTES)
        text = decode(content, file=str(pages[0]))
    return HitFiles(
        None if text is None else parse_layout(text, file=str(pages[0])),
        inputs[0] if inputs else None,
        tuple(each for table in results for each in read_assignments(table)),
        read_hit_mapping(mappings[0]) if mappings else HitMapping(),
        (inputs or results)[0].file,
    )


def _refuse_others(inputs: Sequence[SurveyTable], results: Sequence[SurveyTable]) -> None:
    """Tables of other tools, and results in which nothing is answered."""
    for table in inputs:
        if is_export(table.rows):
            remedy = "Read it with --from qualtrics."
            raise FileError(Problem("this is a Qualtrics export.", remedy, file=table.file))
    for table in results:
        if not any(name.startswith(ANSWER) for name in table.header):
            what = f"the results have no column that begins with {ANSWER}, so no answers."
            remedy = "Download the results of the batch again (Manage, Results, Download CSV)."
            raise FileError(Problem(what, remedy, file=table.file))


def _name(found: Path | SurveyTable) -> str:
    return found.file if isinstance(found, SurveyTable) else str(found)
