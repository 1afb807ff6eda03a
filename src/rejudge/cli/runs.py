"""What `rejudge compare` is given: papers, studies, results, bundles and tables, all as runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.cli.options import TableOptions
from rejudge.errors import FileError, Problem, UsageError
from rejudge.incoming import follow_links, path_text

if TYPE_CHECKING:
    from rejudge.compare.run import Run
    from rejudge.judgments.table import Judgments
    from rejudge.paper.model import Paper

PAPER = "paper.yaml"
_TEXTS = {".yaml", ".yml"}
_TABLES = {".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet", ".xlsx"}
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class RunArgument:
    """The runs that one argument refers to, and its kind."""

    name: str
    runs: tuple[Run, ...]
    is_table: bool = False


def read_runs(
    names: Sequence[str], conditions: Sequence[Path] = (), table: TableOptions | None = None
) -> tuple[RunArgument, ...]:
    """The runs of each name in turn.

    A file of conditions belongs to the next table or results without a study, or has a section for
    each run.
    """
    options = table or TableOptions()
    given_conditions = ConditionFiles.read(conditions)
    found = [_read(name, given_conditions, options) for name in names]
    given_conditions.refuse_unused([run.id for given in found for run in given.runs])
    if options.given and not any(given.is_table for given in found):
        raise UsageError(
            Problem(
                f"--{options.given[0].replace('_', '-')} is for a table of judgments, and none "
                "was given.",
                "Leave it out, or name a table such as lab.csv.",
            )
        )
    return _with_own_ids(found)


def find_original(name: str) -> tuple[str, ...]:
    """Add what a single argument is compared with.

    A study is compared with what it reproduces, a table by its own runs.
    """
    from rejudge.bundle.original import original_path
    from rejudge.files.step_files import STUDY, open_study

    path = Path(name)
    if path.suffix.casefold() in _TABLES:
        return (name,)
    stated = open_study(path).spec.reproduces if (path / STUDY).is_file() else None
    if stated is None:
        raise UsageError(
            Problem(
                "there is nothing to compare the original with.",
                "Give one or more reproductions, such as `rejudge compare hosking-2021 "
                "steen-2025`; or write `reproduces:` into study.yaml.",
            )
        )
    return original_path(stated.original, path), name


def _read(name: str, conditions: ConditionFiles, table: TableOptions) -> RunArgument:
    from rejudge.compare.run import run_of_paper
    from rejudge.files.step_files import RESULTS, open_paper

    path = Path(name)
    if path.suffix.casefold() in _TABLES:
        return _table_runs(path, conditions, table)
    if not path.exists() or path.suffix in _TEXTS:
        return RunArgument(name, (run_of_paper(open_paper(name)),))
    if path.is_dir():
        return _folder_runs(name, path, conditions)
    if path.suffix == ".zip":
        from rejudge.bundle.original import run_of

        return RunArgument(name, (run_of(path),))
    if path.name == RESULTS:
        return _folder_runs(name, path.parent, conditions)
    return RunArgument(name, (_results_run(path, conditions),))


def _folder_runs(name: str, folder: Path, conditions: ConditionFiles) -> RunArgument:
    from rejudge.bundle.original import run_of
    from rejudge.compare.run import run_of_paper
    from rejudge.files.step_files import RESULTS, STUDY, open_paper

    if (folder / STUDY).exists():
        return RunArgument(name, (run_of(folder),))
    if (folder / RESULTS).exists():
        return RunArgument(name, (_results_run(folder / RESULTS, conditions),))
    if (folder / PAPER).exists():
        return RunArgument(name, (run_of_paper(open_paper(folder / PAPER)),))
    raise FileError(
        Problem(
            f"there is neither {STUDY} nor {RESULTS} nor {PAPER} in this folder.",
            "Give the folder of a study, or what `rejudge analyse --out` wrote.",
            file=str(folder),
        )
    )


def _table_runs(path: Path, conditions: ConditionFiles, table: TableOptions) -> RunArgument:
    """One run, or one per lab if a column distinguishes them."""
    from rejudge.compare.from_results import from_judgments
    from rejudge.judgments.exclusions import ExclusionRules

    read = table.read(path)
    cleaned = read.clean_by_run(ExclusionRules.parse(table.exclude))
    plain = conditions.next_file()
    runs = []
    for label, each in cleaned.items():
        name = label or path_text(path.stem)
        stated = conditions.section(slug(name)) or plain
        run = from_judgments(
            each, slug(name), description=stated, level=table.level, scale=table.ends
        )
        runs.append(replace(run, name=name) if run.name == run.id == slug(name) else run)
    notes = tuple(read.judgments.notes)
    runs[0] = replace(runs[0], departures=(*notes, *runs[0].departures))
    return RunArgument(str(path), tuple(runs), is_table=True)


def _results_run(path: Path, conditions: ConditionFiles) -> Run:
    """Results of a table: --conditions says what the judgments do not show."""
    from rejudge.analysis.results import Results
    from rejudge.compare.from_results import from_described_results
    from rejudge.files.step_files import read
    from rejudge.paper.paper_file import unstated_conditions

    results = read(Results, path)
    name = slug(follow_links(path).parent.name)
    judgments = _judgments_of(path.parent, results.signature.judgments)
    stated = conditions.section(name) or conditions.next_file()
    if stated is None and judgments is None:
        raise UsageError(
            Problem(
                "these results have no study, so the conditions of measurement are unknown, and a "
                "comparison needs them.",
                "Write them into a file and pass it with --conditions FILE.",
                file=str(path),
            )
        )
    return from_described_results(
        results,
        stated or unstated_conditions(),
        run=name,
        judgments=judgments,
        scale=_scale_of(results),
    )


def _judgments_of(folder: Path, fingerprint: str) -> Judgments | None:
    """The judgments that counted, if `rejudge analyse FILE --out` wrote them to this folder."""
    from rejudge.files.step_files import EXCLUDED, JUDGMENTS
    from rejudge.incoming import decode, read_bytes
    from rejudge.judgments.exclusions import drop_excluded
    from rejudge.judgments.judgments_csv import fingerprint_of, read_csv

    places = folder / JUDGMENTS, folder / EXCLUDED
    if not all(place.is_file() for place in places):
        return None
    texts = [decode(read_bytes(place, remedy=""), file=str(place)) for place in places]
    collected = read_csv(texts[0], file=str(places[0]))
    if fingerprint_of(collected) != fingerprint:
        raise FileError(
            Problem(
                "the results in this folder were not computed from these judgments.",
                "Analyse them again with `rejudge analyse`, or remove the file.",
                file=str(places[0]),
            )
        )
    return drop_excluded(collected, texts[1])


def _scale_of(results: object) -> tuple[float, float] | None:
    """The ends of the scale that the results were computed with, if they are stored."""
    signature = getattr(results, "signature", None)
    for given in getattr(signature, "options", {}).get("scale", ()):
        return TableOptions(scale=given).ends
    return None


def _with_own_ids(found: Sequence[RunArgument]) -> tuple[RunArgument, ...]:
    """Distinguish runs with the same id by their folder or file, then by number."""
    ids = Counter(run.id for given in found for run in given.runs)
    taken: set[str] = set()
    own = []
    for given in found:
        runs: list[Run] = []
        for run in given.runs:
            is_unique = run.source == "paper" or ids[run.id] == 1
            runs.append(run if is_unique else replace(run, id=_free(run, given, taken)))
            taken.add(runs[-1].id)
        own.append(replace(given, runs=tuple(runs)))
    return tuple(own)


def _free(run: Run, given: RunArgument, taken: set[str]) -> str:
    path = follow_links(Path(given.name))
    place = slug(path.stem)
    if given.is_table:
        place = f"{place}-{run.id}" if place != run.id else f"{slug(path.parent.name)}-{run.id}"
    if place not in taken:
        return place
    return next(f"{place}-{n}" for n in range(2, len(taken) + 3) if f"{place}-{n}" not in taken)


def slug(name: str) -> str:
    """A name as an id: letters of any script, digits, dots and hyphens."""
    return _UNSAFE.sub("-", path_text(name)).strip("-.") or "results"


def renames(given: Sequence[str], option: str) -> Mapping[str, str]:
    """Pairs such as `theirs=ours`, given once or often, or separated by commas."""
    found = {}
    for pair in (part for each in given for part in each.split(",") if part.strip()):
        old, equals, new = (part.strip() for part in pair.partition("="))
        if not equals or not old or not new:
            raise UsageError(
                Problem(
                    f"{option} {pair.strip()} is unclear.",
                    "Write the name in the reproduction, =, and the name in the original.",
                )
            )
        found[old] = new
    return found


def renames_in(
    run: Run, *, systems: Mapping[str, str], criteria: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """The renames that concern one of several runs."""
    mine = {criterion.id for criterion in run.criteria}
    return {
        "systems": {old: new for old, new in systems.items() if old in run.systems},
        "criteria": {old: new for old, new in criteria.items() if old in mine},
    }


def refuse_unknown_names(
    original: Run,
    others: Sequence[Run],
    *,
    systems: Mapping[str, str],
    criteria: Mapping[str, str],
) -> None:
    """Refuse unknown names: a reproduction's on the left, the original's on the right."""
    asked = {
        run.id: list(
            dict.fromkeys(name for each in run.criteria for name in (each.id, each.asks) if name)
        )
        for run in (original, *others)
    }
    problems = [
        *_unknown(systems, "--systems", [name for run in others for name in run.systems]),
        *_unknown(systems.values(), "--systems", original.systems, who="the original has"),
        *_unknown(criteria, "--criteria", [name for run in others for name in asked[run.id]]),
        *_unknown(criteria.values(), "--criteria", asked[original.id], who="the original has"),
    ]
    if problems:
        raise UsageError(*problems)


def matched_columns(given: Sequence[str], original: Run, others: Sequence[Run]) -> dict[str, str]:
    """The original's column of groups, by the name that a reproduction has for it; in any order."""
    ours, theirs = (
        {group.column for run in runs for each in run.criteria for group in each.group}
        for runs in ((original,), others)
    )
    found = {}
    for one, two in renames(given, "--match").items():
        if one in ours and two in theirs:
            found[two] = one
        elif two in ours and one in theirs:
            found[one] = two
        else:
            what = f"--match {one}={two}: these are not columns of groups in both."
            known = [", ".join(sorted(names)) or "none" for names in (ours, theirs)]
            remedy = f"The original has {known[0]}; the reproductions have {known[1]}."
            raise UsageError(Problem(what, remedy))
    return found


def _unknown(
    names: Iterable[str], option: str, known: Iterable[str], *, who: str = "the reproductions have"
) -> Iterator[Problem]:
    there = dict.fromkeys(known)
    for name in names:
        if name not in there:
            what = f"{option}: there is no '{name}'; {who} {', '.join(there)}."
            yield Problem(what, "Write theirs=ours, with existing names.")


# files of --conditions


@dataclass(slots=True)
class ConditionFiles:
    """The files of `--conditions`, and which of them have been used."""

    files: list[tuple[Path, Paper]] = field(default_factory=list)  # not used yet, in order
    sections: dict[str, tuple[Path, Paper]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, paths: Sequence[Path]) -> ConditionFiles:
        """Read all files, so that errors in them are reported before anything is computed."""
        found = cls()
        for path in paths:
            content = _read_conditions(path)
            if not isinstance(content, Mapping):
                found.files.append((path, content))
                continue
            for name, section in content.items():
                if name in found.sections:
                    what = f"'{name}' already has a section in {found.sections[name][0]}."
                    raise UsageError(Problem(what, "Keep one of them.", file=str(path)))
                found.sections[name] = (path, section)
        return found

    def section(self, run: str) -> Paper | None:
        """The section for a run of this name."""
        if run not in self.sections:
            return None
        self.used.add(run)
        return self.sections[run][1]

    def next_file(self) -> Paper | None:
        """The next file without sections."""
        return self.files.pop(0)[1] if self.files else None

    def refuse_unused(self, runs: Sequence[str]) -> None:
        """Refuse files and sections that belong to no run."""
        problems = [
            Problem(
                f"--conditions {path} does not belong to any of the runs.",
                "It is for tables and results without a study; papers and studies state their own "
                "conditions.",
            )
            for path, _ in self.files
        ]
        known = ", ".join(runs)
        problems += [
            Problem(
                f"the section '{name}' does not belong to any table or results.",
                f"The runs are {known}; papers and studies state their own conditions.",
                file=str(path),
            )
            for name, (path, _) in self.sections.items()
            if name not in self.used
        ]
        if problems:
            raise UsageError(*problems)


def _read_conditions(path: Path) -> Mapping[str, Paper] | Paper:
    from rejudge.incoming import TEXT_BYTES, decode, read_bytes
    from rejudge.paper.paper_file import parse_run_conditions

    remedy = "Write what is known about the conditions under `conditions:`."
    text = read_bytes(path, remedy=remedy, limit=TEXT_BYTES)
    return parse_run_conditions(decode(text, file=str(path)), file=str(path))
