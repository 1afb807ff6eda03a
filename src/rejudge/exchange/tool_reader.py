"""A reader of one annotation tool: how its files are recognised, opened and gathered.

Of several files those that cannot be used are listed and the others are read. A single file is
read as a whole or not at all: one that is cut off gives no judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from rejudge.design.plan import Plan
from rejudge.errors import FileError, Problem
from rejudge.exchange.formats import Imported, Rejected
from rejudge.exchange.gathering import Gathering
from rejudge.exchange.items import ItemFields
from rejudge.exchange.matching import StudyMatcher
from rejudge.exchange.opening import Beginning, Document, look_at, open_documents
from rejudge.exchange.pseudonyms import pseudonym_key
from rejudge.study.model import Study


@dataclass(frozen=True, slots=True)
class ToolReader:
    """A reader of one tool: how its files are recognised, and how answers are gathered."""

    name: str
    title: str
    is_own: Callable[[Beginning], bool]
    gather: Callable[[Sequence[Document], Gathering], None]
    suffixes: tuple[str, ...] = (".jsonl", ".json")  # of files in archives
    names_people: Callable[[str], bool] = lambda _: False  # whether a file is named after somebody
    items: ItemFields = field(default_factory=ItemFields)

    def recognises(self, file: Path) -> bool:
        """Whether the first record or rows of a file are the tool's. Never raises."""
        return self.is_own(look_at(file))

    def with_items(self, items: ItemFields) -> ToolReader:
        """The same reader, told where it finds the systems of items."""
        return replace(self, items=items)

    def read(self, files: Sequence[Path], *, study: Study | None, plan: Plan | None) -> Imported:
        """Read all files as one data set; with a study, as judgments of its items and systems."""
        matcher = StudyMatcher(study, plan) if study is not None and plan is not None else None
        opened, problems = self._open(files)
        try:
            gathering = self._gathered(opened, matcher)
        except FileError:
            opened, more = self._readable(opened, matcher)
            problems += more
            if not opened:
                raise FileError(*problems) from None
            gathering = self._gathered(opened, matcher)
        imported = gathering.imported(file=next(iter(opened.values()))[0].shown)
        unusable = tuple(Rejected(each.what, each.remedy, each.file) for each in problems)
        return replace(imported, rejected=(*unusable, *imported.rejected))

    def _open(self, files: Sequence[Path]) -> tuple[dict[Path, list[Document]], list[Problem]]:
        """The documents in each file, and what is wrong with files that cannot be opened."""
        opened: dict[Path, list[Document]] = {}
        problems: list[Problem] = []
        for file in dict.fromkeys(files):
            try:
                opened[file] = open_documents([file], self.suffixes)
            except FileError as error:
                problems += error.problems
        if not opened:
            raise FileError(*problems)
        total = sum(map(len, opened.values()))
        place = count(1)
        return {
            file: [self._label(each, next(place), total) for each in documents]
            for file, documents in opened.items()
        }, problems

    def _label(self, document: Document, place: int, files: int) -> Document:
        """A document that is named after somebody gets another name for messages."""
        if not self.names_people(document.name):
            return document
        return replace(document, label="the file" if files == 1 else f"file {place} of {files}")

    def _gathered(
        self, opened: Mapping[Path, Sequence[Document]], matcher: StudyMatcher | None
    ) -> Gathering:
        into = Gathering(self.items, key=pseudonym_key(), tool=self.name, matcher=matcher)
        self.gather([each for documents in opened.values() for each in documents], into)
        return into

    def _readable(
        self, opened: Mapping[Path, list[Document]], matcher: StudyMatcher | None
    ) -> tuple[dict[Path, list[Document]], list[Problem]]:
        """The files that can be read on their own, and what is wrong with the others."""
        readable: dict[Path, list[Document]] = {}
        problems: list[Problem] = []
        for file, documents in opened.items():
            try:
                self._gathered({file: documents}, matcher)
            except FileError as error:
                problems += error.problems
            else:
                readable[file] = documents
        return readable, problems
