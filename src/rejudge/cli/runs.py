"""What `rejudge compare` is given: papers, study folders, results and bundles, all as runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.cli.papers import read_paper
from rejudge.errors import FileError, Problem, UsageError
from rejudge.incoming import path_text

if TYPE_CHECKING:
    from rejudge.compare import Run

PAPER = "paper.yaml"
_TEXTS = {".yaml", ".yml"}


def read_runs(names: Sequence[str], conditions: Sequence[Path]) -> tuple[tuple[Run, ...], ...]:
    """The runs of each name in turn; files of conditions belong to results without a study.

    Several runs of one name are several ways to analyse the same judgments.
    """
    left = list(conditions)
    found = [tuple(_read(name, left)) for name in names]
    if left:
        raise UsageError(
            Problem(
                f"--conditions {left[0]} belongs to nothing.",
                "It is for results without a study; papers and studies tell their own conditions.",
            )
        )
    return tuple(_apart(runs, name, found) for runs, name in zip(found, names, strict=True))


def with_its_original(name: str) -> tuple[str, tuple[str, ...]]:
    """A reproduced study alone is compared with the bundle it was made from."""
    from rejudge.bundle import origin_of, original_of

    if origin_of(Path(name)) is None:
        raise UsageError(
            Problem(
                "there is nothing to compare the original with.",
                "Name one reproduction or more, such as `rejudge compare hosking-2021 steen-2025`.",
            )
        )
    return str(original_of(Path(name))), (name,)


def _read(name: str, conditions: list[Path]) -> Iterator[Run]:
    from rejudge.compare import runs_of
    from rejudge.files import RESULTS

    path = Path(name)
    if not path.exists() or path.suffix in _TEXTS:
        yield from runs_of(read_paper(name))
    elif path.is_dir():
        yield from _read_folder(path, conditions)
    elif path.suffix == ".zip":
        from rejudge.bundle import run_of

        yield run_of(path)
    elif path.name == RESULTS:
        yield from _read_folder(path.parent, conditions)
    else:
        yield _of_results(path, conditions)


def _read_folder(folder: Path, conditions: list[Path]) -> Iterator[Run]:
    from rejudge.bundle import run_of
    from rejudge.compare import runs_of
    from rejudge.files import RESULTS, STUDY

    if (folder / STUDY).exists():
        yield run_of(folder)
    elif (folder / RESULTS).exists():
        yield _of_results(folder / RESULTS, conditions)
    elif (folder / PAPER).exists():
        yield from runs_of(read_paper(folder / PAPER))
    else:
        raise FileError(
            Problem(
                f"there is neither {STUDY} nor {RESULTS} nor {PAPER} in this folder.",
                "Give the folder of a study, or what `rejudge analyse --out` wrote.",
                file=str(folder),
            )
        )


def _of_results(path: Path, conditions: list[Path]) -> Run:
    """Results of a table: who judged under which conditions must be told beside them."""
    from rejudge.analysis import Results
    from rejudge.compare import from_told
    from rejudge.files import read, read_bytes
    from rejudge.paper import parse_beside
    from rejudge.study import decode

    results = read(Results, path)
    if not conditions:
        raise UsageError(
            Problem(
                "these results have no study, so the conditions of measurement are not known, and "
                "a score of reproducibility says nothing without them.",
                "Write them into a file and name it with --conditions FILE.",
                file=str(path),
            )
        )
    beside = conditions.pop(0)
    text = read_bytes(beside, remedy="Write `conditions:` and what is known of them into it.")
    told = parse_beside(decode(text, file=str(beside)), file=str(beside))
    return from_told(results, told, run=_slug(path.resolve().parent.name))


def _apart(runs: tuple[Run, ...], name: str, found: Sequence[tuple[Run, ...]]) -> tuple[Run, ...]:
    """Two copies of one study are told apart by the names they were given."""
    ids = [run.id for each in found for run in each]
    if len(runs) != 1 or runs[0].source == "paper" or ids.count(runs[0].id) == 1:
        return runs
    return (replace(runs[0], id=_slug(Path(name).resolve().stem)),)


def _slug(name: str) -> str:
    return path_text(name).replace(":", "-").replace(" ", "-") or "results"


def renames(given: Sequence[str], option: str) -> Mapping[str, str]:
    """Pairs such as `theirs=ours`, given once or often, or separated by commas."""
    found = {}
    for pair in (part for each in given for part in each.split(",") if part.strip()):
        old, equals, new = (part.strip() for part in pair.partition("="))
        if not equals or not old or not new:
            raise UsageError(
                Problem(
                    f"{option} {pair.strip()} is unclear.",
                    "Write the name in the reproduction, =, and that in the original.",
                )
            )
        found[old] = new
    return found
