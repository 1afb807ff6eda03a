"""How many studies a power analysis simulates and analyses in a second of one processor.

Each study is drawn and tested by the planned test, the mixed model with crossed participants and
items. Beside the closed form stands what one would write instead: the same draws with numpy one
study at a time, each fitted by a mixed model: ours, which is about as fast as lme4, and for the
smallest design statsmodels where it is installed. Time is that of the processor. Writes
results/power.json and prints a table; the growth with items, participants and studies is in the
last rows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from rejudge.power.balanced import simulate_studies
from rejudge.power.draw import PointRange, draw_scores
from rejudge.power.sizes import StudyShape
from rejudge.simulate.parameters import Parameters
from rejudge.stats import level_contrasts, linear_mixed
from rejudge.study.kinds.registry import KINDS

SEED = 20261118
RESULTS = Path(__file__).parent / "results" / "power.json"
RATING = KINDS["rating"].model_validate({"kind": "rating", "id": "q", "prompt": "?", "points": 5})
SHAPES = {
    "100 items × 3": StudyShape(100, 3, 3),
    "30 items × 3": StudyShape(30, 3, 3),
    "300 items × 10": StudyShape(300, 10, 10),
    "100 items × 3 of 30": StudyShape(100, 3, 30),
    "300 items × 3 of 90": StudyShape(300, 3, 90),
    "100 items × 5, 4 systems": StudyShape(100, 5, 5, 4),
    "100 items × 5 of 50, 4 systems": StudyShape(100, 5, 50, 4),
}
GROWTH = {
    "items": [StudyShape(items, 3, 3) for items in (100, 200, 400, 800)],
    "participants": [StudyShape(100, people, people) for people in (3, 6, 12, 24)],
}
SMALLEST = "30 items × 3"  # the only design that statsmodels fits in less than minutes
JUDGMENTS = 6_000_000  # of one measurement
ONE_BY_ONE = 6  # studies that are fitted one by one


def run() -> None:
    """Measure everything, and write it down."""
    _simulate(StudyShape(4, 2, 2), 2)  # loads what it needs
    found: dict[str, Any] = {"unit": "studies per second of one processor", "designs": []}
    for name, shape in SHAPES.items():
        row: dict[str, Any] = {"design": name}
        row["closed form"] = _rate(shape)
        row["one by one"] = _rate_one_by_one(shape, _fit)
        if find_spec("statsmodels") and name == SMALLEST:
            row["statsmodels"] = _rate_one_by_one(shape, _fit_statsmodels, studies=1)
        found["designs"].append(row)
        _print(row)
    found["growth"] = {
        what: {_size(shape, what): round(1e6 / _rate(shape), 1) for shape in shapes}
        for what, shapes in GROWTH.items()
    }
    found["growth"]["studies"] = {
        str(count): round(1e6 * _seconds(StudyShape(100, 3, 3), count) / count, 1)
        for count in (1_000, 4_000, 16_000)
    }
    print("microseconds per study:", json.dumps(found["growth"]))
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _print(row: dict[str, Any]) -> None:
    others = " ".join(
        f"{name} {value:,.0f}/s ({row['closed form'] / value:,.1f})"
        for name, value in row.items()
        if name not in {"design", "closed form"}
    )
    print(f"{row['design']}: closed form {row['closed form']:,.0f}/s; {others}", flush=True)


def _size(shape: StudyShape, what: str) -> str:
    return str(shape.items if what == "items" else shape.participants)


def _rate(shape: StudyShape) -> float:
    """Studies per second, in the best of three measurements."""
    size = shape.items * shape.participants_per_item * shape.systems
    studies = max(20, JUDGMENTS // size // 2)
    return round(studies / min(_seconds(shape, studies) for _ in range(3)), 1)


def _seconds(shape: StudyShape, studies: int) -> float:
    start = time.process_time()
    _simulate(shape, studies)
    return time.process_time() - start


def _simulate(shape: StudyShape, studies: int) -> None:
    simulate_studies(shape, _truth(shape), RATING, "mixed-model", studies, (SEED,))


def _truth(shape: StudyShape) -> Parameters:
    quality = {str(place): 0.3 * (place == 0) for place in range(shape.systems)}
    return Parameters(quality, item_difficulty=0.4)


def _rate_one_by_one(
    shape: StudyShape, fit: Callable[..., None], studies: int = ONE_BY_ONE
) -> float:
    rng = np.random.default_rng(SEED)
    start = time.process_time()
    for _ in range(studies):
        table = draw_scores(shape, _truth(shape), PointRange(1, 5, 1), 1, rng)[0]
        system, place, item = (each.ravel() for each in np.indices(table.shape))
        block = np.repeat(np.arange(shape.blocks), shape.block_sizes)[item]
        person = block * shape.participants_per_item + place
        fit(table.ravel().astype(float), system, item, person)
    return round(studies / (time.process_time() - start), 2)


def _fit(value: np.ndarray, system: np.ndarray, item: np.ndarray, person: np.ndarray) -> None:
    groups = {
        "item": item,
        "participant": person,
        "system × item": item * (system.max() + 1) + system,
        "system × participant": person * (system.max() + 1) + system,
    }
    level_contrasts(linear_mixed(value, {"system": system}, groups), "system", adjust="none")


def _fit_statsmodels(
    value: np.ndarray, system: np.ndarray, item: np.ndarray, person: np.ndarray
) -> None:
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    rows = pd.DataFrame({"y": value, "s": system, "i": item, "p": person, "one": 1})
    parts = {"i": "0 + C(i)", "p": "0 + C(p)", "si": "0 + C(s):C(i)", "sp": "0 + C(s):C(p)"}
    MixedLM.from_formula("y ~ s", groups="one", vc_formula=parts, data=rows).fit()


if __name__ == "__main__":
    run()
