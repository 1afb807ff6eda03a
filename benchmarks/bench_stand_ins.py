"""How far stand-ins are from planned tests without a closed form, on the same simulated studies.

Both tests are computed for every study: the stand-in that `rejudge power --quick` simulates, and
the planned test itself. The effect is the one at which the stand-in has a power nearest to 60 %, or
none. Skewed scales have their systems near the top. Writes results/stand_ins.json.
"""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rejudge.errors import RejudgeError
from rejudge.power.effects import stated_truth
from rejudge.power.fast import simulate_studies
from rejudge.power.studies import StudyShape
from rejudge.simulate.parameters import Parameters
from rejudge.study.kinds.question import Question
from rejudge.study.kinds.registry import KINDS

SEED = 20261118
STUDIES = 300
RESULTS = Path(__file__).parent / "results" / "stand_ins.json"
SMALL, CROSSED, MEDIUM, FOUR = (
    StudyShape(12, 3, 12),
    StudyShape(12, 12, 12),
    StudyShape(30, 3, 15),
    StudyShape(24, 4, 16, 4),
)
TOP = 1.5  # on the latent scale, whose scale ends at 2
EFFECTS = (0.15, 0.25, 0.35, 0.5, 0.7, 0.9, 1.2, 1.6)  # quarters of the scale, or tens of percent


@dataclass(frozen=True)
class Case:
    """A planned test, its stand-in, and the study they are computed in."""

    test: str
    stand_in: str
    kind: str
    points: int | None
    shape: StudyShape
    level: float = 0.0


def cases() -> Iterator[Case]:
    """Small and medium studies of all tests that have a stand-in."""
    for points, test in ((2, "binary-mixed-model"), (5, "ordinal-mixed-model")):
        for shape in (SMALL, CROSSED, MEDIUM, FOUR):
            for level in (0.0, TOP):
                yield Case(test, "mixed-model", "rating", points, shape, level)
    for shape in (SMALL, MEDIUM):
        yield Case("ordinal-mixed-model", "mixed-model", "rating", 7, shape)
        yield Case("wilcoxon", "paired-t", "rating", 5, shape)
        yield Case("mann-whitney", "t-test", "rating", 5, shape)
    for shape in (SMALL, MEDIUM, FOUR):
        yield Case("bradley-terry", "joint-mixed-model", "pairwise", None, shape)
    yield Case("plackett-luce", "joint-mixed-model", "ranking", None, FOUR)


def measure(case: Case, studies: int) -> dict[str, Any]:
    """Rates of both tests without an effect and with one, in percent of the studies."""
    effect = _middle_effect(case)
    row: dict[str, Any] = {
        "test": case.test, "stand_in": case.stand_in, "kind": case.kind, "points": case.points,
        "items": case.shape.items, "per_item": case.shape.participants_per_item,
        "people": case.shape.participants, "systems": case.shape.systems,
        "at_top": bool(case.level), "effect": effect, "studies": studies,
    }  # fmt: skip
    for name, size in (("level", 0.0), ("power", effect)):
        start = time.process_time()
        found = _p(case, case.test, size, studies)
        seconds = (time.process_time() - start) / studies
        quick = _p(case, case.stand_in, size, studies)
        row[name] = _percent(found < 0.05)  # noqa: PLR2004 - the level
        row[f"{name}_stand_in"] = _percent(quick < 0.05)  # noqa: PLR2004
        row[f"{name}_differs"] = _percent((found < 0.05) != (quick < 0.05))  # noqa: PLR2004
        row["undefined"] = _percent(np.isnan(found))
        row["milliseconds"] = round(1000 * seconds, 2)
    return row


def _p(case: Case, test: str, effect: float, studies: int) -> Any:
    unit = "item" if test in {"wilcoxon", "paired-t"} else None
    return simulate_studies(
        case.shape, _truth(case, effect), _question(case), test, studies, (SEED, 1), unit=unit,
        engine="numpy",
    ).p[:, 0]  # fmt: skip


def _middle_effect(case: Case) -> float:
    found: dict[float, float] = {}
    for effect in EFFECTS:
        try:
            rate = float(np.mean(_p(case, case.stand_in, effect, 1000) < 0.05))  # noqa: PLR2004
        except RejudgeError:  # beyond the end of the scale
            break
        found[effect] = abs(rate - 0.6)
    return min(found, key=lambda each: found[each])


def _truth(case: Case, effect: float) -> Parameters:
    names = [f"s{place}" for place in range(case.shape.systems)]
    known = Parameters(dict.fromkeys(names, case.level), item_difficulty=0.4)
    unit = 10.0 if case.points is None else (case.points - 1) / 4
    return stated_truth(_question(case), known, names, effect * unit, pair=(names[0], names[1]))


def _question(case: Case) -> Question:
    given: dict[str, Any] = {"kind": case.kind, "id": "q", "prompt": "How good is it?"}
    if case.points is not None:
        given["points"] = case.points
    if case.kind == "pairwise":
        given["tie"] = True
    return KINDS[case.kind].model_validate(given)


def _percent(happened: Any) -> float:
    return round(100 * float(np.mean(happened)), 1)


def run() -> None:
    """Measure all cases; each is written as soon as it is done."""
    parser = ArgumentParser()
    parser.add_argument("--studies", type=int, default=STUDIES)
    given = parser.parse_args()
    rows = []
    for case in cases():
        rows.append(measure(case, given.studies))
        print(rows[-1], flush=True)
        RESULTS.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    run()
