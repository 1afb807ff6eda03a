"""How often planned tests are wrong in simulated studies, and whether power is what it should be.

Simulates studies as `rejudge power` does (`power.balanced.simulate_studies`), with the parameters
that it assumes where nothing is known and items that differ by .4. In half of the studies the
systems are equally good, in the others the first is better by .3 of a quarter of the scale. Writes
results/power_levels.json:

scores      the share of studies with p < .05 without a difference (level) and with one (power)
choices     the same of choices between two, ties allowed, and of rankings
closed      power of tests of scores that are not rounded, beside the noncentral t distribution:
            exact for the paired t test, approximate for the crossed design (Westfall, Kenny & Judd
            2014)
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import nct, t

from rejudge import stats
from rejudge.power import draw
from rejudge.power.balanced import simulate_studies
from rejudge.power.sizes import StudyShape
from rejudge.simulate.parameters import Parameters
from rejudge.study.kinds.question import Question
from rejudge.study.kinds.registry import KINDS

SEED = 20261117
STUDIES = 8_000
SLOW_STUDIES = 1_000  # of tests that are computed study by study
EFFECT = 0.3
TWO = 2
RESULTS = Path(__file__).parent / "results" / "power_levels.json"
SHAPES = (
    StudyShape(30, 3, 3),
    StudyShape(100, 3, 3),
    StudyShape(100, 5, 5),
    StudyShape(100, 10, 10),
    StudyShape(300, 10, 10),
    StudyShape(100, 3, 15),
    StudyShape(100, 3, 30),
    StudyShape(100, 3, 60),
    StudyShape(300, 3, 90),
    StudyShape(100, 5, 50, 4),
)
SCORE_TESTS = (
    ("mixed-model", None),
    ("cluster-robust", None),
    ("paired-t", "item"),
    ("paired-t", "participant"),
    ("t-test", "judgment"),
    ("welch", "judgment"),
)
CHOICE_TESTS = (
    ("mixed-model", None),
    ("joint-mixed-model", None),
    ("cluster-robust", None),
    ("paired-t", "item"),
    ("sign-flip", None),
)


def run() -> None:
    """Simulate everything, and write it down."""
    rating = _question("rating", points=5)
    found: dict[str, Any] = {
        "studies": STUDIES,
        "slow_studies": SLOW_STUDIES,
        "effect": EFFECT,
        "scores": [_row(shape, rating, SCORE_TESTS) for shape in SHAPES],
        "choices": [
            {"question": question.kind, **_row(shape, question, CHOICE_TESTS)}
            for question in (_question("pairwise", tie=True), _question("ranking"))
            for shape in SHAPES
            if shape.systems > TWO or question.kind == "pairwise"
        ],
        "closed": list(_closed_forms(rating)),
    }
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for part in ("scores", "choices", "closed"):
        print(part, *found[part], sep="\n")


def _question(kind: str, **others: Any) -> Question:  # keys of the kind
    given = {"kind": kind, "id": "q", "prompt": "How good is it?", **others}
    return KINDS[kind].model_validate(given)


def _row(
    shape: StudyShape, question: Question, tests: tuple[tuple[str, Any], ...]
) -> dict[str, Any]:
    rates: dict[str, dict[str, float]] = {}
    for test, unit in tests:
        name = test if unit in {None, "judgment"} else f"{test} by {unit}"
        simulate = _sign_flips if test == "sign-flip" else _simulate
        rates[name] = {
            kind: simulate(shape, _parameters(effect, shape), question, (test, unit), place)
            for place, (kind, effect) in enumerate((("level", 0.0), ("power", EFFECT)))
        }  # fmt: skip
    return {"design": name_of(shape), "systems": shape.systems, "tests": rates}


def _simulate(
    shape: StudyShape, truth: Parameters, question: Question, test: tuple[str, Any], place: int
) -> float:
    name, unit = test
    studies = simulate_studies(shape, truth, question, name, STUDIES, (SEED, place), unit=unit)
    return _rejected(studies.p[:, 0])


def _sign_flips(
    shape: StudyShape, truth: Parameters, question: Question, _: tuple[str, Any], place: int
) -> float:
    """Sign-flip tests of the first pair, study by study."""
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence((SEED, place))))
    item = np.arange(shape.items)
    p = []
    for _ in range(SLOW_STUDIES):
        if question.kind == "pairwise":
            table = draw.draw_choices(shape, truth, 1, rng, has_ties=question.allows_tie)
        else:
            table = draw.implied_choices(draw.draw_ranked(shape, truth, 1, rng))
        total = table[0, 0].sum(axis=0).astype(np.float64)
        p.append(stats.sign_flip((total + 1) / 2, item).p)
    return _rejected(np.array(p, dtype=np.float64))


def name_of(shape: StudyShape) -> str:
    """The design in words."""
    everybody = f"{shape.items} items × {shape.participants_per_item}"
    if shape.blocks > 1:
        everybody += f" of {shape.participants}"
    return everybody if shape.systems == TWO else f"{everybody}, {shape.systems} systems"


def _parameters(effect: float, shape: StudyShape) -> Parameters:
    quality = {str(place): effect * (place == 0) for place in range(shape.systems)}
    return Parameters(quality, item_difficulty=0.4)


def _rejected(p: np.ndarray) -> float:
    """Percent of studies in which the first pair differs; an undefined test finds nothing."""
    return round(100 * float(np.mean(p < 0.05)), 2)


# ── closed forms ─────────────────────────────────────────────────────────────────────────────────


def _closed_forms(question: Question) -> Iterator[dict[str, Any]]:
    for shape in (StudyShape(20, 5, 5), StudyShape(50, 5, 5), StudyShape(100, 10, 10)):
        for test in ("paired-t", "mixed-model"):
            truth = replace(_parameters(EFFECT, shape), noise=1.0)
            if test == "paired-t":
                truth = replace(truth, system_by_participant=0.0)
            simulated = simulate_studies(
                shape, truth, question, test, STUDIES, (SEED, 7), is_rounded=False
            )
            yield {
                "test": test,
                "design": name_of(shape),
                "closed": round(100 * closed_power(shape, truth, test), 2),
                "simulated": _rejected(simulated.p[:, 0]),
            }


def closed_power(shape: StudyShape, truth: Parameters, test: str) -> float:
    """Power of a two-sided test at .05 by the noncentral t distribution."""
    items, people = shape.items, shape.participants_per_item
    rest, item = truth.noise**2, truth.system_by_item**2 * people
    person = truth.system_by_participant**2 * items
    variance = 2 * (rest + item + person) / (items * people)
    if test == "paired-t":
        df = items - 1.0
    else:
        squares = ((rest + item) ** 2 / (items - 1), (rest + person) ** 2 / (people - 1))
        residual = rest**2 / (2 * (items - 1) * (people - 1))
        df = (rest + item + person) ** 2 / (sum(squares) + residual)
    reach = t.ppf(0.975, df)
    away = EFFECT / math.sqrt(variance)
    return float(nct.sf(reach, df, away) + nct.cdf(-reach, df, away))


if __name__ == "__main__":
    run()
