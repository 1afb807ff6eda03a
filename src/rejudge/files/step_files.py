"""The only reader and writer of step files: never half-written, never silently stale.

A step file is JSON in UTF-8 with sorted keys. It has its `kind` and `format`, the version that
wrote it, the fingerprints of what it was `made_from`, and its `content`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rejudge.collect.looks import LookLog
from rejudge.design.freeze import Frozen, find_tampering
from rejudge.design.plan import Plan, check_plan
from rejudge.errors import DataError, FileError, Problem
from rejudge.files.codecs import JsonCodec, JudgmentsCodec, StoredContent, refuse_edited
from rejudge.files.disk import (
    write_bytes,
)
from rejudge.incoming import (
    TEXT_BYTES,
    decode,
    read_bytes,
    read_inside,
    refuse_no_folder,
    refuse_outside,
)
from rejudge.judgments.exclusions import exclude
from rejudge.judgments.judgments_csv import fingerprint_of
from rejudge.judgments.table import Judgments
from rejudge.study.model import Study
from rejudge.study.parse import parse
from rejudge.study.sample_size import FILLED_SIZE, FilledSize

if TYPE_CHECKING:
    from rejudge.analysis.results import Results
    from rejudge.paper.model import Paper
    from rejudge.power.results import PlannedPower
    from rejudge.simulate.baselines import Baselines


T = TypeVar("T")

STUDY = "study.yaml"
PLAN = "plan.json"
POWER = "power.json"
DATABASE = "study.db"
REHEARSAL = "rehearsal.db"
FROZEN = "frozen.json"
JUDGMENTS = "judgments.csv"
LOOKS = "looks.json"
EXCLUDED = "excluded.csv"
RESULTS = "results.json"
BASELINE = "baseline.json"
COMPARISON = "comparison.json"
REPORT = "report/index.html"


class Codec(Protocol[T]):
    """How a type becomes the bytes of a file, and back."""

    @property
    def command(self) -> str:
        """The command that makes such a file."""

    @property
    def when_edited(self) -> str:
        """What to do about a file that was edited."""

    def encode(self, content: T, made_from: Mapping[str, str]) -> bytes:
        """The bytes of the file."""

    def decode(self, text: bytes, *, file: str) -> StoredContent[T]:
        """What the file says, or a FileError with every fault in it."""


_CODECS: dict[type[Any], Codec[Any]] = {  # any type that is a step of the analysis
    Plan: JsonCodec(Plan, "plan", "rejudge plan"),
    Frozen: JsonCodec(
        Frozen,
        "frozen",
        "rejudge freeze",
        verify=find_tampering,
        remedy="Restore the file, or move it away and freeze again.",
    ),
    FilledSize: JsonCodec(FilledSize, "sample-size", "rejudge power --fill"),
    Judgments: JudgmentsCodec("rejudge simulate"),
    LookLog: JsonCodec(
        LookLog,
        "looks",
        "rejudge look",
        remedy="Restore the file: it records which results were seen, and when.",
    ),
}
_LATE_CODECS = {  # of types whose packages load numpy: the kind of file, and its command
    "rejudge.analysis.results.Results": ("results", "rejudge analyse"),
    "rejudge.compare.comparison.Comparison": ("comparison", "rejudge compare"),
    "rejudge.simulate.baselines.Baselines": ("baselines", "rejudge baseline"),
    "rejudge.audit.rules.Audit": ("audit", "rejudge audit"),
    "rejudge.power.results.PlannedPower": ("power", "rejudge power"),
}


def read(kind: type[T], path: Path | str) -> T:
    """The content of a step file."""
    return read_stored(kind, path).content


def read_stored(kind: type[T], path: Path | str) -> StoredContent[T]:
    """The content of a step file, with the fingerprints of what it was made from.

    A file that was edited after it was written is refused: its numbers were not computed.
    """
    codec, place = _codec(kind), Path(path)
    text = read_bytes(place, remedy=f"Create it with `{codec.command} {place.parent}`.")
    stored = codec.decode(text, file=str(place))
    refuse_edited(stored, file=str(place), remedy=codec.when_edited)
    return stored


def from_bytes(kind: type[T], content: bytes, *, file: str) -> StoredContent[T]:
    """What the bytes of a step file say, wherever they come from, and whether it was edited."""
    return _codec(kind).decode(content, file=file)


def write(content: object, path: Path | str, *, made_from: Mapping[str, str], force: bool) -> bool:
    """Write a step file; False if the file already has exactly this content."""
    return write_bytes(Path(path), to_bytes(content, made_from=made_from), force=force)


def to_json(content: object) -> Any:  # JSON values
    """The content of a step file as JSON values, with all defaults."""
    codec = _codec(type(content))
    return codec.to_json(content) if isinstance(codec, JsonCodec) else None


def to_bytes(content: object, *, made_from: Mapping[str, str]) -> bytes:
    """The bytes of a step file, for files that are written together."""
    return _codec(type(content)).encode(content, made_from)


def _codec(kind: type[T]) -> Codec[T]:
    name = f"{kind.__module__}.{kind.__qualname__}"
    if kind not in _CODECS and name in _LATE_CODECS:
        return _late_codec(name)
    if kind not in _CODECS:
        names = [each.__name__ for each in _CODECS]
        names += [late.rpartition(".")[2] for late in _LATE_CODECS]
        known = ", ".join(sorted(names))
        what = f"{kind.__name__} is not the content of a step file."
        raise DataError(Problem(what, f"The step files are {known}."))
    return _CODECS[kind]


@cache  # to derive a schema from a type takes longer than to read most files
def _late_codec(name: str) -> Codec[Any]:
    module, _, kind = name.rpartition(".")
    return JsonCodec(getattr(import_module(module), kind), *_LATE_CODECS[name])


def open_study(folder: Path | str) -> Study:
    """The study of a folder, with all its items and pages; all errors are reported at once."""
    home = Path(folder)
    return parse(_study_text(home), lambda name: _read_beside(home, name), file=STUDY)


def open_unsized_study(folder: Path | str) -> Study:
    """The study as study.yaml has it, whatever a rule for its size came to."""
    home = Path(folder)

    def read_beside(name: str) -> bytes:
        if name == FILLED_SIZE:
            raise FileNotFoundError(name)
        return _read_beside(home, name)

    return parse(_study_text(home), read_beside, file=STUDY)


def _study_text(home: Path) -> str:
    refuse_no_folder(
        home,
        absent=f"Start a study with `rejudge new {home}`.",
        file=f"Give the folder that contains {STUDY}, such as `{home.parent}`.",
    )
    remedy = f"Start a study with `rejudge new {home}`."
    return decode(read_inside(home, STUDY, remedy=remedy, limit=TEXT_BYTES), file=STUDY)


def _read_beside(home: Path, name: str) -> bytes:
    """A file that a study names; a missing file may be optional."""
    if not (home / name).exists():
        raise FileNotFoundError(name)
    return read_inside(home, name, remedy="Put the file itself there.")


def open_paper(name: str | Path) -> Paper:
    """The paper of a file; if there is no such file, a paper that comes with rejudge."""
    from rejudge.paper.paper_file import open_shipped, parse

    if is_shipped(name):
        return open_shipped(str(name))
    return parse(paper_text(Path(name)), file=str(name))


def is_shipped(name: str | Path) -> bool:
    """Whether a name is not a file but a paper that comes with rejudge.

    A bare word that is neither counts as a misspelt paper, which opening it then reports.
    """
    from rejudge.paper.paper_file import shipped_ids

    path = Path(name)
    if path.exists():
        return False
    is_bare = path.name == str(name) and not path.suffix
    return str(name) in shipped_ids() or is_bare


def paper_text(path: Path) -> str:
    """A paper file as it is written."""
    remedy = "Correct the name, or start with `rejudge paper new FILE`."
    return decode(read_bytes(path, remedy=remedy, limit=TEXT_BYTES), file=str(path))


def open_plan(folder: Path | str) -> tuple[Study, Plan]:
    """The study of a folder and the plan that belongs to it."""
    home = Path(folder)
    study = open_study(home)
    refuse_outside(home, PLAN)
    plan = read(Plan, home / PLAN)
    refuse_misfit(plan, study, file=str(home / PLAN))
    return study, plan


def refuse_misfit(plan: Plan, study: Study, *, file: str = PLAN) -> None:
    """Raise a FileError unless a plan was drawn from this study."""
    stale = check_fresh(plan, study, file=file)
    problems = check_plan(study, plan, file=file) if stale is None else (stale,)
    if problems:
        raise FileError(*problems)


def check_fresh(plan: Plan, study: Study, *, file: str = PLAN) -> Problem | None:
    """Why a plan does not belong to its study; None if it does."""
    return stale_reason(
        {"study": plan.study},
        {"study": study.design_fingerprint},
        file=file,
        remedy="Draw it again with `rejudge plan --force`, or undo the change.",
    )


def read_looks(folder: Path | str, plan: Plan) -> LookLog | None:
    """The log of the looks at the results, made with this plan and no other; None without one."""
    path = Path(folder) / LOOKS
    if not path.exists():
        return None
    stored = read_stored(LookLog, path)
    remedy = (
        f"Undo the change to {Path(folder) / PLAN}. If the looks were a trial, delete the file."
    )
    stale = stale_reason(
        stored.made_from, {"plan": plan.fingerprint}, file=str(path), remedy=remedy
    )
    if stale is not None:
        raise FileError(stale)
    return stored.content


def read_judgments(folder: Path | str, plan: Plan) -> Judgments:
    """The judgments of a folder, made with this plan and no other."""
    home = Path(folder)
    judgments = read(Judgments, home / JUDGMENTS)
    strangers = [known for known in judgments.plan.labels if known != plan.fingerprint]
    if strangers:
        what = f"these judgments were made with another plan ({strangers[0]})."
        remedy = f"Undo the change to {home / PLAN}, or collect judgments again."
        raise FileError(Problem(what, remedy, file=str(home / JUDGMENTS)))
    return judgments


def read_results(
    folder: Path | str, study: Study, plan: Plan, judgments: Judgments | None = None
) -> Results:
    """The results of a folder, computed from this study and plan and no others.

    `judgments` are those they must come from; the folder's own when left out.
    """
    from rejudge.analysis.partial_analysis import altered_findings
    from rejudge.analysis.results import Results

    home = Path(folder)
    results = read(Results, home / RESULTS)
    signature = results.signature
    collected = read_judgments(home, plan) if judgments is None else judgments
    stale = stale_reason(
        {
            "study": signature.study or "",
            "plan": signature.plan or "",
            "judgments": signature.judgments,
        },
        {
            "study": study.fingerprint,
            "plan": plan.fingerprint,
            "judgments": fingerprint_of(collected),
        },
        file=str(home / RESULTS),
        remedy=f"Compute them again with `rejudge analyse {home} --force`.",
    )
    if stale is not None:
        raise FileError(stale)
    kept = exclude(study, plan, collected).kept
    _refuse_altered(altered_findings(results, study, kept, plan=plan), folder=home)
    return results


def read_baselines(folder: Path | str, results: Results) -> Baselines | None:
    """The baselines of a folder, compared with these results and no others; None without any."""
    from rejudge.simulate.baselines import Baselines

    path = Path(folder) / BASELINE
    refuse_no_folder(path.parent)
    if not path.exists():
        return None
    found = read(Baselines, path)
    signature = results.signature
    stale = stale_reason(
        {"study": found.study, "plan": found.plan, "judgments": found.judged or ""},
        {
            "study": signature.study or "",
            "plan": signature.plan or "",
            "judgments": signature.judgments,
        },
        file=str(path),
        remedy=f"Compute them again with `rejudge baseline {folder} --force`, or delete the file.",
    )
    if stale is not None:
        raise FileError(stale)
    return found


def _refuse_altered(found: Sequence[str], *, folder: Path) -> None:
    """Raise a FileError if a score or a difference does not follow from the judgments."""
    if found:
        what = f"{found[0]} does not follow from the judgments."
        remedy = f"Compute the results again with `rejudge analyse {folder} --force`."
        raise FileError(Problem(what, remedy, file=str(folder / RESULTS)))


def read_power(folder: Path | str, study: Study) -> PlannedPower | None:
    """The power analysis of a folder, if it is of this design, analysis and pay; otherwise None."""
    path = Path(folder) / POWER
    refuse_no_folder(path.parent)
    if not path.exists():
        return None
    from rejudge.power.grid import power_fingerprint
    from rejudge.power.results import PlannedPower

    found = read(PlannedPower, path)
    return found if found.study == power_fingerprint(study) else None


def stale_reason(
    made_from: Mapping[str, str], now: Mapping[str, str], *, file: str, remedy: str
) -> Problem | None:
    """What a file was made from that has changed since; None if nothing has."""
    changed = [name for name in now if made_from.get(name, now[name]) != now[name]]
    if not changed:
        return None
    what = f"this was made from an earlier version of the {' and the '.join(changed)}."
    return Problem(what, remedy, file=file)
