"""What is known about a small study when its datasheet is filled in."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged_study import RATING, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.heds.facts import KnownStudy
from rejudge.heds.fill import FilledSheet, fill_sheet
from rejudge.heds.sheet import blank_sheet
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.simulate.people import judge

NOW = "2026-11-17T10:00:00Z"


def planned_facts(*questions: dict[str, Any], **parts: Any) -> KnownStudy:
    """Before anybody has judged anything."""
    study = small_study(*(questions or (RATING,)), **parts)
    return KnownStudy(study, drawn(study))


def actual_facts(*questions: dict[str, Any], **parts: Any) -> KnownStudy:
    """After simulated participants have judged it."""
    study = small_study(*(questions or (RATING,)), **parts)
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin="simulated"))
    results = analyse(cleaned, study=study, plan=plan, seed=1)
    return KnownStudy(study, plan, results=results, kept=cleaned.kept)


def filled(facts: KnownStudy, time: str = NOW) -> FilledSheet:
    """A new sheet with everything the study knows."""
    return fill_sheet(blank_sheet("3.0"), facts, time=time)


def text(found: FilledSheet, number: str, criterion: str | None = None) -> str:
    """The text of an answer."""
    return found.sheet.answer(number, criterion).text


def options(found: FilledSheet, number: str, criterion: str | None = None) -> tuple[int, ...]:
    """The options of an answer."""
    return found.sheet.answer(number, criterion).options
