"""What several commands read alike: study, plan, judgments and results, none of them stale."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.errors import FileError, Problem

if TYPE_CHECKING:
    from rejudge.analysis import Results
    from rejudge.design import Plan
    from rejudge.judgments import Judgments
    from rejudge.study import Study


def read_plan(folder: Path) -> tuple[Study, Plan]:
    """The study of a folder and the plan that belongs to it."""
    from rejudge.design import Plan
    from rejudge.files import PLAN, check_fresh, open_study, read

    study = open_study(folder)
    plan = read(Plan, folder / PLAN)
    stale = check_fresh(plan, study, file=str(folder / PLAN))
    if stale is not None:
        raise FileError(stale)
    return study, plan


def read_judgments(folder: Path, plan: Plan) -> Judgments:
    """The judgments of a folder, made by this plan and no other."""
    from rejudge.files import JUDGMENTS, read
    from rejudge.judgments import Judgments

    path = folder / JUDGMENTS
    judgments = read(Judgments, path)
    strangers = [known for known in judgments.plan.labels if known != plan.fingerprint]
    if strangers:
        what = f"these judgments were made by another plan ({strangers[0]})."
        remedy = f"Take back the change to {folder / 'plan.json'}, or collect judgments anew."
        raise FileError(Problem(what, remedy, file=str(path)))
    return judgments


def read_results(folder: Path, study: Study, plan: Plan) -> Results:
    """The results of a folder, computed from the files as they are now."""
    from rejudge.analysis import Results
    from rejudge.files import RESULTS, read, stale_reason
    from rejudge.judgments import fingerprint_of

    path = folder / RESULTS
    results = read(Results, path)
    signature = results.signature
    stale = stale_reason(
        {
            "study": signature.study or "",
            "plan": signature.plan or "",
            "judgments": signature.judgments,
        },
        {
            "study": study.fingerprint,
            "plan": plan.fingerprint,
            "judgments": fingerprint_of(read_judgments(folder, plan)),
        },
        file=str(path),
        remedy=f"Compute them again with `rejudge analyse {folder} --force`.",
    )
    if stale is not None:
        raise FileError(stale)
    return results
