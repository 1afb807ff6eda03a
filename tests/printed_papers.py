"""Papers made in code from the few facts that a test is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rejudge.compare.run import Run, run_of_paper
from rejudge.paper.model import Paper

PREFERENCE = {"kind": "best-worst", "low": -100, "high": 100}
CONDITIONS = {"platform": "Prolific", "items": 100}


def paper(
    name: str,
    scores: Mapping[str, Mapping[str, Any]],
    scale: Mapping[str, Any] | None = None,
    **parts: Any,  # of paper.yaml
) -> Paper:
    """Scores by criterion and system, as printed or exact, all on one scale."""
    systems = dict.fromkeys(system for by_system in scores.values() for system in by_system)
    case = {
        "scores": [
            {"criterion": criterion, "system": system, "value": value}
            for criterion, by_system in scores.items()
            for system, value in by_system.items()
        ],
        "tests": parts.pop("tests", []),
        "agreement": parts.pop("agreement", []),
    }
    return Paper.model_validate(
        {
            "id": name,
            "reference": {"authors": name, "year": 2024, "title": name},
            "systems": [{"id": system} for system in systems],
            "criteria": [{"id": each, "scale": dict(scale or PREFERENCE)} for each in scores],
            "cases": [case],
            "conditions": CONDITIONS,
            **parts,
        }
    )


def run(
    name: str,
    scores: Mapping[str, Mapping[str, Any]],
    scale: Mapping[str, Any] | None = None,
    **parts: Any,  # of paper.yaml
) -> Run:
    """The same as a run."""
    return run_of_paper(paper(name, scores, scale, **parts))
