"""From study.yaml and the files beside it to a study, or to a list of all their problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath
from typing import TypeAlias

from rejudge.errors import FileError, Problem, StudyError
from rejudge.incoming import decode
from rejudge.study.consistency import inconsistencies
from rejudge.study.draft import Draft, draft
from rejudge.study.items import ItemFile, read_items
from rejudge.study.layout_fit import layout_faults
from rejudge.study.model import FORMAT, Spec, Study
from rejudge.study.page_layout import PageLayout, parse_layout
from rejudge.study.sample_size import FILLED_SIZE, FilledSize, read_filled_size, with_inputs
from rejudge.study.yaml_file import (
    Path,
    YamlFile,
    field_name,
    in_order,
    read_yaml,
    refuse_other_format,
)

Read: TypeAlias = Callable[[str], bytes]

_LONGEST_PAGE = 100_000  # characters, some 15,000 words
_MOST_BRACKETS = 500  # for each [ a reader of Markdown looks through the rest of the paragraph

ROLES = ("information", "consent", "instructions", "thanks")
INTERFACE = "pages/interface.json"  # a study's own words of buttons and messages, if it has any


def parse(text: str, read: Read, *, file: str = "study.yaml") -> Study:
    """The study that a text describes; `read` gives the bytes of a file beside it.

    `read` raises FileNotFoundError (a mapping: KeyError) for a file that is not there, and
    FileError or OSError for one that must not or cannot be read.

    Raises one `StudyError` with every problem of the text, the items and the pages, in the order
    of files and lines.
    """
    written = read_yaml(text.removeprefix("\ufeff"), file=file)
    refuse_other_format(written, FORMAT, file=file)
    understood = draft(written, file=file)
    beside = _Beside(read, written, file)
    listed = beside.items(understood)
    pages = beside.pages(understood)
    layout = beside.layout(understood)
    interface = beside.interface()
    problems = [
        *written.problems,
        *understood.problems,
        *inconsistencies(understood, written, file=file),
        *beside.problems,
    ]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    spec, size = understood.spec, beside.size(understood)
    if size is not None:
        spec = with_inputs(spec, size.inputs, size.participants_per_batch)
    return Study(
        spec=spec,
        items=listed.items,
        pages=pages,
        layout=layout,
        size=size,
        interface=interface,
        notes=listed.notes,
    )


@dataclass(slots=True)
class _Beside:
    """Reads the files beside study.yaml and keeps what is wrong with them."""

    read: Read
    written: YamlFile
    file: str
    problems: list[Problem] = field(default_factory=list)

    def items(self, understood: Draft[Spec]) -> ItemFile:
        if {"systems", "items", "language"} & (understood.broken | understood.gone):
            return ItemFile()
        name = understood.spec.items.file
        content = self._content(name, ("items", "file"))
        if content is None:
            return ItemFile()
        try:
            return read_items(content, understood.spec, file=name)
        except StudyError as error:
            self.problems += error.problems
            return ItemFile()

    def pages(self, understood: Draft[Spec]) -> dict[str, str]:
        """Pages by role; one that is not there and not asked for by name is left out."""
        if "pages" in understood.broken:
            return {}
        pages = {}
        for role in ROLES:
            path = ("pages", role)
            name = getattr(understood.spec.pages, role)
            content = self._content(name, path, is_optional=path not in self.written.lines)
            if content is None:
                continue
            try:
                pages[role] = decode(content, file=name)
            except StudyError as error:
                self.problems += error.problems
            else:
                self.problems += _page_faults(pages[role], name)
        return pages

    def layout(self, understood: Draft[Spec]) -> PageLayout | None:
        """The page in which participants answer, where it is not rejudge's own."""
        described = understood.spec.site.layout
        if described is None or "site" in understood.broken:
            return None
        content = self._content(described.file, ("site", "layout", "file"))
        if content is None:
            return None
        try:
            layout = parse_layout(decode(content, file=described.file), file=described.file)
        except StudyError as error:
            self.problems += error.problems
            return None
        if not {"systems", "questions"} & (understood.broken | understood.gone):
            for path, what, remedy in layout_faults(understood.spec, layout):
                self._complain(("site", "layout", *path), what, remedy)
        return layout

    def interface(self) -> str | None:
        """The study's own words of buttons and messages; the site checks what they say."""
        try:
            content = self.read(INTERFACE)
            return decode(content, file=INTERFACE) if content else None  # an empty file: no words
        except (FileNotFoundError, KeyError):
            return None
        except (StudyError, FileError) as error:
            self.problems += error.problems
        except OSError as error:
            what = f"this cannot be read: {error.strerror or type(error).__name__}."
            self.problems.append(Problem(what, "Check its permissions.", file=INTERFACE))
        return None

    def size(self, understood: Draft[Spec]) -> FilledSize | None:
        """The size that a rule came to; None without a rule, or before it is filled in."""
        rule = understood.spec.sample_size
        if rule is None:
            return None
        try:
            content = self.read(FILLED_SIZE)
        except FileNotFoundError:
            return None
        return read_filled_size(content, rule)

    def _content(self, name: str, path: Path, *, is_optional: bool = False) -> bytes | None:
        if not _is_inside(name):
            self._complain(
                path,
                f"'{name}' is not a file in the study's folder.",
                "Copy it there and give its name, with `/` between folders and no `..`.",
            )
            return None
        try:
            return self.read(name)
        except FileNotFoundError:
            if not is_optional:
                self._complain(
                    path,
                    f"there is no file '{name}' beside {self.file}.",
                    "Put it there, or correct the name.",
                )
        except FileError as error:
            for problem in error.problems:
                self._complain(path, f"'{name}' cannot be used: {problem.what}", problem.remedy)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._complain(
                path,
                f"'{name}' cannot be read: {reason}.",
                "Check the name and the permissions of the file.",
            )
        return None

    def _complain(self, path: Path, what: str, remedy: str) -> None:
        line = self.written.line(path)
        place = field_name(path)
        self.problems.append(Problem(what, remedy, file=self.file, line=line, field=place))


def _page_faults(text: str, file: str) -> Iterator[Problem]:
    if len(text) > _LONGEST_PAGE:
        what = f"this page has {len(text):,} characters; at most {_LONGEST_PAGE:,} can be shown."
        yield Problem(what, "Shorten it, and check that it is the right file.", file=file)
    brackets = text.count("[")
    if brackets > _MOST_BRACKETS:
        what = f"this page has {brackets:,} opening brackets; at most {_MOST_BRACKETS} can be read."
        yield Problem(what, "Use fewer links, and check that it is the right file.", file=file)


def _is_inside(name: str) -> bool:
    """Whether a name stays in the folder on any machine, not only on this one."""
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    is_relative = not posix.is_absolute() and not windows.drive and not windows.root
    return is_relative and "\\" not in name and ".." not in posix.parts and "\0" not in name
