"""All files of a report: the page, tables, figures, and paragraphs for the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from rejudge.compare.comparison import Comparison
from rejudge.layout.latex import escape_latex
from rejudge.layout.table import Table, escape_markdown
from rejudge.report.blocks import Report, to_html
from rejudge.report.build import build, outcomes_of, pictures_of
from rejudge.report.checklist import checklist, checklist_files
from rejudge.report.comparison.page import (
    comparison_limitations,
    comparison_methods,
    comparison_page,
    comparison_sections,
)
from rejudge.report.figures.comparison import comparison_pictures
from rejudge.report.figures.registry import SVG_ONLY, Formats, Picture, picture_files
from rejudge.report.limitations import limitations
from rejudge.report.methods import methods
from rejudge.report.quality import tables_of_baselines
from rejudge.report.subject import Subject
from rejudge.tables.comparison import comparison_tables
from rejudge.tables.results import result_tables, table_files

PAGE = "index.html"


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """A report that is written but for its figures, which take the longest."""

    page: Report
    texts: Mapping[str, bytes]  # by the name of the file
    pictures: tuple[Picture, ...]

    def files(
        self, step: Callable[[int], None] = lambda _: None, formats: Formats = SVG_ONLY
    ) -> dict[str, bytes]:
        """Every file by its name; `step` is called after each figure."""
        files = dict(self.texts)
        for picture in self.pictures:
            files |= picture_files((picture,), formats)
            step(1)
        return files


def compose(subject: Subject) -> ReportFiles:
    """The report of a study or of a table of judgments."""
    drawn = pictures_of(subject)
    outcomes = outcomes_of(subject)
    compared = dict(_named_apart(subject.comparisons))
    page = build(subject, drawn)
    return ReportFiles(
        page=page,
        texts={
            PAGE: to_html(page).encode("utf-8"),
            **table_files(
                (
                    *result_tables(subject.results, subject.labels),
                    *tables_of_baselines(subject),
                    *_tables(compared),
                ),
                ("csv", "tex"),
            ),
            **prose_files("methods", methods(subject, outcomes)),
            **prose_files("limitations", limitations(subject, outcomes)),
            **checklist_files(checklist(subject, outcomes)),
        },
        pictures=(*drawn, *_pictures(compared)),
    )


def compose_comparison(
    comparison: Comparison, *further: Comparison, again: str = ""
) -> ReportFiles:
    """The report of a comparison; further ones have a section each."""
    pictures = comparison_pictures(comparison)
    page = comparison_page(comparison, again, pictures)
    page = page.with_sections(comparison_sections(further))
    compared = dict(_named_apart(further))
    every = (comparison, *further)
    return ReportFiles(
        page=page,
        texts={
            PAGE: to_html(page).encode("utf-8"),
            **table_files((*comparison_tables(comparison), *_tables(compared))),
            **prose_files("methods", [s for each in every for s in comparison_methods(each)]),
            **prose_files(
                "limitations", [s for each in every for s in comparison_limitations(each)]
            ),
        },
        pictures=(*pictures, *_pictures(compared)),
    )


def _named_apart(comparisons: Sequence[Comparison]) -> Iterator[tuple[str, Comparison]]:
    for place, each in enumerate(comparisons, start=1):
        yield "comparison" if len(comparisons) == 1 else f"comparison-{place}", each


def _tables(compared: Mapping[str, Comparison]) -> Iterator[Table]:
    for name, comparison in compared.items():
        yield from (_with_prefix(sheet, name) for sheet in comparison_tables(comparison))


def _pictures(compared: Mapping[str, Comparison]) -> Iterator[Picture]:
    for name, comparison in compared.items():
        yield from (_with_prefix(picture, name) for picture in comparison_pictures(comparison))


_Named = TypeVar("_Named", Table, Picture)


def _with_prefix(thing: _Named, name: str) -> _Named:
    """A table or figure of a comparison beside those of a study."""
    return replace(thing, name=f"{name}-{thing.name}")


# paragraphs


def prose_files(name: str, sentences: Sequence[str]) -> dict[str, bytes]:
    """One paragraph by the names of its files; an empty one says nothing, and is a file too."""
    paragraph = " ".join(sentences)
    return {
        f"{name}.md": f"{escape_markdown(paragraph)}\n".encode(),
        f"{name}.tex": f"{escape_latex(paragraph)}\n".encode(),
    }
