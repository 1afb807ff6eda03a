"""Write the tables of simulated levels, power and coverage into the documentation.

A line such as `(levels-headline)=` labels a table that is made from `benchmarks/results`; what
stands there is replaced. `make levels` simulates everything again and then runs this.

    python tools/make_level_tables.py          write the tables again
    python tools/make_level_tables.py --check  only say which pages are stale; ends with 1 if any is
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = (ROOT / "docs" / "methods.md", ROOT / "docs" / "reference" / "statistics.md")
Row: TypeAlias = Mapping[str, Any]
Cells: TypeAlias = Iterator[Sequence[object]]


def run(arguments: Sequence[str]) -> int:
    """Write the pages, or only look at them."""
    found = dict(stale())
    is_check = "--check" in arguments
    for page, text in found.items():
        print(f"{'stale' if is_check else 'written'}: {page.relative_to(ROOT)}")
        if not is_check:
            page.write_text(text, "utf-8")
    return 1 if found and is_check else 0


def stale() -> Iterator[tuple[Path, str]]:
    """The pages whose tables are not what was measured, each with the text it should have."""
    for page in PAGES:
        text = page.read_text("utf-8")
        wanted = text
        for label, make in TABLES.items():
            wanted = _replaced(wanted, label, make)
        if wanted != text:
            yield page, wanted


def _replaced(text: str, label: str, make: Callable[[], Cells]) -> str:
    mark = f"\n({label})=\n\n"
    if mark not in text:
        return text
    before, _, after = text.partition(mark)
    rest = after.partition("\n\n")[2]
    return f"{before}{mark}{_markdown(_main_rows(label, make()))}\n\n{rest}"


def _main_rows(label: str, rows: Cells) -> Cells:
    """The head, and the rows whose first cells are listed in MAIN_ROWS; all where none are."""
    head, *others = rows
    yield head
    if label not in MAIN_ROWS:
        yield from others
        return
    known = {_start(label, row): row for row in others}
    for start in MAIN_ROWS[label]:
        yield known[start]


def _start(label: str, row: Sequence[object]) -> str:
    """What a row is known by: its first cell, or its first two where the first is repeated."""
    return " | ".join(str(cell) for cell in row[: 2 if label in NAMED_BY_TWO else 1])


def _markdown(rows: Cells) -> str:
    heads, *others = ([_cell(each) for each in row] for row in rows)
    lines = [heads, ["---"] * len(heads), *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    """One decimal, halves rounded up; what was not measured is a dash."""
    if isinstance(value, float):
        return str(Decimal(str(value)).quantize(Decimal("0.1"), ROUND_HALF_UP))
    return "–" if value is None else str(value)


def _measured(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


# ── error rates of single tests ──────────────────────────────────────────────────────────────────


def _rates(part: str, columns: Mapping[str, str]) -> Callable[[], Cells]:
    """A part of coverage.json, whose rates are shares."""

    def rows() -> Cells:
        yield list(columns.values())
        for row in _measured("coverage")[part]:
            yield [_percent(row[key]) for key in columns]

    return rows


def _percent(value: object) -> object:
    return float(100 * Decimal(str(value))) if isinstance(value, float) else value


def _interaction() -> Cells:
    yield "study", "participants", "items", "rejected", "studies"
    for row in _measured("interaction"):
        yield [row[key] for key in ("study", "participants", "items", "rejected", "studies")]


# ── the headline beside other methods ────────────────────────────────────────────────────────────

_HEADLINE = {
    "headline": ("level", "power", "coverage"),
    "check": ("level", "power"),
    "raw": ("level",),
}
_CHOICES = {
    "headline": ("level", "power", "coverage"),
    "check": ("level", "power"),
    "sign test": ("level",),
}
_SLOPES = {
    "equal": ("level", "power", "coverage"),
    "free": ("level", "power", "coverage"),
}
_NAMES_OF_METHODS = {
    "headline": "",
    "raw": "means: ",
}


def _beside(name: str, methods: Mapping[str, Sequence[str]]) -> Callable[[], Cells]:
    """Rates of the headline and of other methods in each design."""

    def rows() -> Cells:
        yield "design", *_heads(methods)
        for row in _measured(name):
            found = {**row["methods"], "headline": row["methods"].get(row.get("headline"))}
            rates = [found.get(by, {}).get(rate) for by in methods for rate in methods[by]]
            yield row["design"], *rates

    return rows


def _heads(methods: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for method, (first, *others) in methods.items():
        yield f"{_NAMES_OF_METHODS.get(method, f'{method}: ')}{first}"
        yield from others


# ── intervals of agreement ───────────────────────────────────────────────────────────────────────

_COEFFICIENTS = {
    "alpha, nominal": "α, nominal",
    "alpha, ordinal": "α, ordinal",
    "alpha, interval": "α, interval",
    "percent": "percent",
    "fleiss": "Fleiss' κ",
    "cohen": "Cohen's κ",
    "gwet-ac1": "AC1",
    "gwet-ac2": "AC2",
    "icc": "ICC",
}


def _by_items() -> Cells:
    yield "design", "judgments", *_COEFFICIENTS.values()
    for row in _measured("agreement_intervals")["items"]:
        yield row["design"], row["kind"], *(_both(row["held"], name) for name in _COEFFICIENTS)


def _both(held: Mapping[str, float], name: str) -> str | None:
    """Coverage by items, and by units in brackets."""
    if f"{name}, items" not in held:
        return None
    return "{:.1f} ({:.1f})".format(*(100 * held[f"{name}, {by}"] for by in ("items", "units")))


def _for_new_participants() -> Cells:
    yield (
        "design", "ordinal", "nominal", "interval", "ordinal, strictness differs twice as much",
        "choices", "width (ordinal)", "3.92 SD",
    )  # fmt: skip
    measured = _measured("agreement_intervals")["new_participants"]
    for design, rows in groupby(measured, key=lambda row: row["design"]):
        kinds = list(rows)
        shares = [f"{100 * row['coverage']:.1f}" for row in kinds]
        yield design, *shares, f"{kinds[0]['width']:.2f}", f"{kinds[0]['of_spread']:.2f}"


# ── several labs ─────────────────────────────────────────────────────────────────────────────────


def _labs() -> Cells:
    names = ("rejected_percent", "covered_percent", "without_labs_rejected_percent")
    yield "design", "rejected", "covered", "rejected without labs"
    for row in _measured("labs")["rows"]:
        cells = ("–" if row[name] is None else f"{row[name]:g}" for name in names)
        yield row["design"], *cells


# ── simulated power ──────────────────────────────────────────────────────────────────────────────


def _closed_power() -> Cells:
    yield "test", "design", "closed form", "simulated"
    for row in _measured("power_levels")["closed"]:
        label = "paired *t* by item" if row["test"] == "paired-t" else "mixed model"
        yield label, row["design"], row["closed"], row["simulated"]


def _item_samples() -> Cells:
    """Coverage and bias for all inputs of the file, with weights and without."""
    yield ["inputs selected", "of", "with weights: coverage", "bias", "without: coverage", "bias"]
    for row in _measured("item_samples")["settings"]:
        selected = f"{row['sample']['inputs']}, {row['name']}"
        own, plain = row["weighted"], row["unweighted"]
        if row["sample"]["method"] == "listed":
            own = {"coverage": None, "bias": None}
        bias = [None if each["bias"] is None else f"{each['bias']:.2f}" for each in (own, plain)]
        bias = [each and each.replace("-0.00", "0.00").replace("-", "−") for each in bias]
        yield [selected, row["inputs"], own["coverage"], bias[0], plain["coverage"], bias[1]]


# ── planned looks ────────────────────────────────────────────────────────────────────────────────

_BOUNDARIES = {
    "one test at the end": "one test",
    "five naive looks": "naive",
    "obrien-fleming": "O'Brien–Fleming",
    "pocock": "Pocock",
    "always-valid": "always-valid",
}


def _looks() -> Cells:
    methods = [*_BOUNDARIES][2:]
    yield (
        "design", *(f"{name}: level" for name in _BOUNDARIES.values()),
        *(f"{_BOUNDARIES[each]}: power · used" for each in methods),
    )  # fmt: skip
    for row in _measured("looks")["rows"]:
        levels = [row[f"{method}, level"] for method in _BOUNDARIES]
        powers = (
            f"{row[f'{each}, power']:.1f} · {row[f'{each}, places at power']:.0f}"
            for each in methods
        )
        yield row["design"], *levels, *powers


# The other rows are in benchmarks/results.
MAIN_ROWS: Mapping[str, Sequence[str]] = {
    "levels-headline": (
        "100 items × 5 participants", "100 × 10", "10 items × 50 participants", "6 × 6",
        "crowd of 60, few do most, 300 × 3", "one system per participant, 60 × 20 of 100",
        "B on the harder half, 40 × 6", "20 of 100 items shared, B on harder ones",
        "100 items × 3 participants",
    ),
    "levels-headline_choices": (
        "pairs: 100 items × 5 participants", "pairs with ties: 100 × 10",
        "pairs with ties: crowd of 60, few do most, 300 × 3",
        "pairs: the first shown is favoured, 100 × 5", "best–worst of four: 50 × 5",
        "ranking of four: 50 × 6", "pairs: 100 items × 3 participants",
    ),
    "levels-slopes": (
        "100 × 10, both .25", "12 people judge A, 48 B, A .8",
        "three systems, 40 × 10, C .8: A − B", "three systems, 40 × 10, C .8: A − C",
    ),
    "levels-looks": (
        "normal scores, 100 in all", "20 batches of 5 items, 3 participants each",
        "40 batches of 3 items, 5 participants each", "10 batches of 4 items, 1 participant each",
    ),
    "levels-labs": (
        "ratings, 2 labs, 4 participants, 24 items (shared), labs differ",
        "ratings, 3 labs, 4 participants, 24 items (own), labs differ",
        "ratings, 5 labs, 4 participants, 24 items (shared), labs differ",
        "ratings, 5 labs, 3/4/6/10/20 participants, 24 items (shared), labs differ",
        "comparisons, 5 labs, 4 participants, 24 items (own), labs differ",
        "best-worst, 5 labs, 4 participants, 24 items (shared), labs differ",
        "ratings, 5 labs, 4 participants, 24 items (shared), labs alike",
        "ratings, 10 labs, 4 participants, 24 items (own), labs differ",
    ),
    "levels-interaction": (
        "scores, groups of items", "scores, three groups of items", "scores, groups of people",
        "scores, groups of people, 40 % missing", "choices, groups of items",
        "choices, groups of people", "three people, by item, groups of items",
    ),
    "coverage-items": (
        "30 items × 3 participants × 4 systems | ratings",
        "30 items × 3 participants × 4 systems | choices", "100 × 3 of 30 × 4 | ratings",
        "12 × 3 × 4 | ratings", "30 × 3 × 4, high agreement | ratings",
    ),
    "coverage-new_participants": (
        "100 units × 3 of 40 participants", "100 units × 3 participants", "50 × 10", "10 × 50",
    ),
}  # fmt: skip
NAMED_BY_TWO = {"coverage-items"}

TABLES: Mapping[str, Callable[[], Cells]] = {
    "levels-item_samples": _item_samples,
    "levels-preferences": _rates(
        "preferences",
        {
            "truth": "truth",
            "sign_test": "sign test",
            "sign_flip": "sign-flip",
            "cluster_robust": "cluster-robust",
        },
    ),
    "levels-four_systems": _rates(
        "four_systems",
        {
            "truth": "truth",
            "one_way_anova": "one-way ANOVA",
            "friedman": "Friedman",
            "repeated_measures": "repeated measures",
            "hotelling": "Hotelling",
            "bradley_terry": "Bradley–Terry",
            "cluster_robust": "cluster-robust",
        },
    ),
    "levels-ratings": _rates(
        "ratings",
        {
            "items": "items",
            "people": "people",
            "t_test": "*t* test",
            "offsets_only": "mixed model, offsets only",
            "mixed_model": "mixed model",
            "cluster_robust": "cluster-robust",
        },
    ),
    "levels-headline": _beside("headline", _HEADLINE),
    "levels-headline_choices": _beside("headline_choices", _CHOICES),
    "levels-slopes": _beside("slopes", _SLOPES),
    "levels-interaction": _interaction,
    "levels-labs": _labs,
    "power-closed": _closed_power,
    "levels-looks": _looks,
    "coverage-items": _by_items,
    "coverage-new_participants": _for_new_participants,
}


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
