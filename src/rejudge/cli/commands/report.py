"""rejudge report: a self-contained page with tables, figures and paragraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, progress, speaks
from rejudge.cli.print_fonts import font_note, font_option
from rejudge.english import count

if TYPE_CHECKING:
    from rich.text import Text

    from rejudge.report.files import Composed

_FOLDER = "report"


@click.command("report")
@click.argument("what", metavar="WHAT", type=click.Path(path_type=Path))
@click.argument("comparisons", metavar="[COMPARISON]…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite a different report.")
@font_option
@speaks
def command(
    what: Path, *, comparisons: tuple[Path, ...], font: Path | None = None, force: bool
) -> Outcome:
    """Write report/ for WHAT: the folder of a study, of results without one, or of a comparison.

    Comparisons given after a study are included in its report. Writes report/index.html, tables
    (CSV, LaTeX, Markdown), figures (SVG, PDF, PNG) and paragraphs on methods and limitations for a
    paper.
    """
    from rejudge.files import write_files
    from rejudge.report.drawing import check_font
    from rejudge.report.files import PAGE

    if font:
        check_font(font)
    composed = _composed(what, comparisons)
    with progress("figures", len(composed.pictures)) as step:
        files = composed.files(step, font)
    notes = font_note(composed.pictures, font)
    home = what / _FOLDER
    write_files(home, files, force=force)
    said = {
        "written": str(home / PAGE),
        "answer": list(composed.page.answer),
        "simulated": composed.page.is_simulated,
        "files": [str(home / name) for name in sorted(files)],
        "notes": list(notes),
    }
    return Outcome(said, (*_shown(home, files, composed), *notes))


def _composed(what: Path, comparisons: tuple[Path, ...]) -> Composed:
    from rejudge.cli.report_subject import is_comparison, read_comparisons, read_subject
    from rejudge.report.files import compose, compose_comparison

    if not is_comparison(what):
        return compose(read_subject(what, comparisons))
    found = read_comparisons((what, *comparisons))
    runs = " ".join(run.id for run in found[0].runs)
    again = f"rejudge compare {runs} --out {what.name} --force"
    return compose_comparison(*found, again=again)


def _shown(home: Path, files: Mapping[str, bytes], composed: Composed) -> Iterator[Text]:
    from rich.text import Text

    each = {name.rpartition(".")[0] for name in files if "/" in name}  # in several formats
    kinds = Counter(name.partition("/")[0] for name in each)
    texts = ", ".join(sorted(name for name in files if "/" not in name and name != "index.html"))
    yield Text(" ".join(composed.page.answer))
    tables, figures = count(kinds["tables"], "table"), count(kinds["figures"], "figure")
    yield Text(f"Written: {home}/index.html, {tables}, {figures}, {texts}")
    yield Text(f"Open {(home / 'index.html').resolve().as_uri()}")
