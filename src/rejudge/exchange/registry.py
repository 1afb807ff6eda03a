"""The formats of other tools by name: those that come with rejudge, and those of other packages."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from rejudge.design.plan import Plan
from rejudge.errors import FileError, Problem, RejudgeError, UsageError
from rejudge.exchange.formats import (
    CorrectingReader,
    Imported,
    ItemReader,
    Reader,
    Rejected,
    Writer,
)
from rejudge.exchange.opening import damage_of
from rejudge.incoming import path_text, require_regular
from rejudge.study.model import Study

_NO_QSF = (
    "survey files of Qualtrics (QSF) are not written: their format is not published, and Qualtrics "
    "changes it without notice."
)
ENTRY_POINTS = "rejudge.platforms"
# name → module of this package with an object `FORMAT`
_FORMATS: Mapping[str, str] = {
    "appraise": "appraise",
    "arena": "arena",
    "factgenie": "factgenie",
    "label-studio": "label_studio",
    "mqm": "mqm",
    "mtme": "mtme",
    "mturk": "mturk",
    "pearmut": "pearmut",
    "potato": "potato",
    "qualtrics": "qualtrics",
    "xlsx": "workbooks.format",
}


def readers() -> Mapping[str, Reader]:
    """All formats that can be read, by name."""
    return {name: each for name, each in _load().found.items() if isinstance(each, Reader)}


def writers() -> Mapping[str, Writer]:
    """All formats that can be written, by name."""
    return {name: each for name, each in _load().found.items() if isinstance(each, Writer)}


@dataclass(frozen=True, slots=True)
class ChosenReader:
    """The reader of some files, those that it reads, and what is wrong with the others."""

    reader: Reader
    files: tuple[Path, ...]
    strange: tuple[Rejected, ...] = ()


def find_reader(files: Sequence[Path], name: str = "auto") -> Reader:
    """The reader of that name; with "auto" the only one that recognises every file."""
    chosen = choose_reader(files, name)
    if chosen.strange:
        raise FileError(*(Problem(x.reason, x.remedy, file=x.file) for x in chosen.strange))
    return chosen.reader


def choose_reader(files: Sequence[Path], name: str = "auto") -> ChosenReader:
    """As `find_reader`, but files that no format recognises are set apart if others are known.

    Only formats whose files stand for themselves can do without one of them.
    """
    _refuse_no_files(files)
    loaded = _load()
    known = readers()
    for file in files:
        require_regular(file, remedy="Check the name of the file.")
    if name != "auto":
        if name not in known:
            raise loaded.refusal(name, known, "there is no format '{}' that can be read.")
        return ChosenReader(known[name], tuple(files))
    fitting = {file: _fitting(known, file) for file in files}
    own = {file: names for file, names in fitting.items() if names}
    common = [each for each in known if all(each in names for names in own.values())]
    if len(common) == 1:
        reader = known[common[0]]
        if len(own) == len(fitting):
            return ChosenReader(reader, tuple(files))
        if isinstance(reader, ItemReader | CorrectingReader):
            strange = (each for each in fitting if each not in own)
            return ChosenReader(reader, tuple(own), tuple(_strange(x, known) for x in strange))
    everywhere = common if len(own) == len(fitting) else []
    raise FileError(*_unclear(fitting, everywhere, known), *loaded.broken.values())


def find_writer(name: str) -> Writer:
    """The writer of that name."""
    if name == "qsf":
        raise UsageError(Problem(_NO_QSF, "Write `--to qualtrics`: a text file and the steps."))
    loaded, known = _load(), writers()
    if name not in known:
        raise loaded.refusal(name, known, "studies cannot be written for '{}'.")
    return known[name]


def read_files(
    reader: Reader, files: Sequence[Path], *, study: Study | None = None, plan: Plan | None = None
) -> Imported:
    """Read files; a fault in an adapter of another package becomes a message that names it."""
    _refuse_no_files(files)
    try:
        imported = reader.read(files, study=study, plan=plan)
    except (RejudgeError, MemoryError, RecursionError, OSError):
        raise
    except Exception as error:
        if reader.name in _FORMATS:
            raise
        raise _failure(reader, f"{type(error).__name__}: {error}", files) from error
    if not isinstance(imported, Imported):
        what = f"it returned {type(imported).__name__} instead of Imported"
        raise _failure(reader, what, files)
    return imported


def _refuse_no_files(files: Sequence[Path]) -> None:
    if not files:
        raise UsageError(Problem("there is no file to read.", "Name one or more files."))


def _failure(reader: Reader, why: str, files: Sequence[Path]) -> FileError:
    what = f"the adapter '{reader.name}' failed: {why}."
    remedy = "Report it to the authors of the adapter, or read the file with another format."
    return FileError(Problem(what, remedy, file=path_text(files[0])))


def _fitting(known: Mapping[str, Reader], file: Path) -> tuple[str, ...]:
    return tuple(name for name, reader in known.items() if _recognises(reader, file))


def _recognises(reader: Reader, file: Path) -> bool:
    try:
        return reader.recognises(file) is True
    except Exception:  # noqa: BLE001 - an adapter of another package may do anything; then it is not its file
        return False


def _unclear(
    fitting: Mapping[Path, Sequence[str]], common: Sequence[str], known: Mapping[str, Reader]
) -> list[Problem]:
    """Why no single format reads all files."""
    first = path_text(next(iter(fitting)))
    if common:
        what = f"the file could be of {' or '.join(common)}."
        return [Problem(what, f"Say which with --from, such as --from {common[0]}.", file=first)]
    strange = [_strange(file, known) for file, names in fitting.items() if not names]
    if strange:
        return [Problem(each.reason, each.remedy, file=each.file) for each in strange]
    listed = "; ".join(
        f"{path_text(file)}: {' or '.join(names)}" for file, names in fitting.items()
    )
    what = f"the files are from several tools ({listed})."
    return [Problem(what, "Import the files of each tool separately.")]


def _strange(file: Path, known: Mapping[str, Reader]) -> Rejected:
    damage = damage_of(file)
    if damage is not None:
        return Rejected(damage.what, damage.remedy, damage.file)
    what = "the format of the file was not recognised."
    remedy = (
        f"Name it with --from: {', '.join(known)}. `rejudge analyse` reads plain tables directly."
    )
    return Rejected(what, remedy, path_text(file))


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Formats by name, and what is wrong with adapters that cannot be used."""

    found: Mapping[str, object]
    broken: Mapping[str, Problem]

    def refusal(self, name: str, known: Mapping[str, object], what: str) -> UsageError:
        if name in self.broken:
            return UsageError(self.broken[name])
        return UsageError(Problem(what.format(name), f"Known formats: {', '.join(known)}."))


def _load() -> _Loaded:
    found: dict[str, object] = {
        name: import_module(f"rejudge.exchange.{module}").FORMAT
        for name, module in _FORMATS.items()
    }
    broken: dict[str, Problem] = {}
    for entry in _adapters(tuple(sys.path)):
        if entry.name in _FORMATS:
            broken[entry.name] = _problem(entry, "its name is one of rejudge's own formats")
            continue
        try:
            adapter = entry.load()
        except Exception as error:  # noqa: BLE001 - what an adapter does when it is imported is not ours
            broken[entry.name] = _problem(entry, f"{type(error).__name__}: {error}")
            continue
        if isinstance(adapter, Reader | Writer) and not isinstance(adapter, type):
            found[entry.name] = adapter
        else:
            needed = "it needs `name`, `title`, and `recognises` with `read`, or `write`"
            broken[entry.name] = _problem(entry, needed)
    return _Loaded(found, broken)


@lru_cache(maxsize=1)
def _adapters(search_path: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - of the cache
    """What other packages on this path register; this reads a file of every package."""
    return tuple(entry_points(group=ENTRY_POINTS))


def _problem(entry: EntryPoint, why: str) -> Problem:
    package = entry.dist.name if entry.dist else entry.value
    what = f"the adapter '{entry.name}' of the package '{package}' cannot be used: {why}."
    return Problem(what, "Update or uninstall the package.")
