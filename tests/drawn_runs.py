"""Comparisons of any shape, for figures: scores and wins are said, the rest is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rejudge.compare.comparison import AlignedScore, Comparison, RunCard, RunPairRate, Variation
from rejudge.stats import Interval


def comparison_of(
    scores: Mapping[str, Sequence[float | None]],
    *,
    runs: Sequence[str] | None = None,
    half_width: float | None = None,
    percents: Mapping[tuple[str, str], float] | None = None,
) -> Comparison:
    """One criterion, `scores` by the name of a system, in the order of the runs."""
    many = max(map(len, scores.values()))
    names = runs or [f"Run {place}" for place in range(1, many + 1)]
    ids = [f"r{place}" for place in range(len(names))]
    systems = {f"s{place}": name for place, name in enumerate(scores)}
    return Comparison(
        original=ids[0],
        runs=tuple(
            RunCard(key, name, "paper", None if key == ids[0] else ids[0], "")
            for key, name in zip(ids, names, strict=True)
        ),
        systems=systems,
        criteria={"q": "Meaning"},
        conditions=(),
        similarities=(),
        deviations=(),
        variations=tuple(
            spread(key, ids, row) for key, row in zip(systems, scores.values(), strict=True)
        ),
        correlations=(),
        agreement=(),
        confirmed=(),
        claims=(),
        scores=tuple(
            AlignedScore(run, "q", key, value, 0.0, around(value, half_width), None)
            for key, row in zip(systems, scores.values(), strict=True)
            for run, value in zip(ids, row, strict=True)
            if value is not None
        ),
        rates=tuple(
            RunPairRate("r0", "q", first, second, percent, 100)
            for (first, second), percent in (percents or {}).items()
        ),
        version="0",
    )


def around(value: float, half_width: float | None) -> Interval | None:
    return None if half_width is None else Interval(value - half_width, value + half_width, 0.95)


def spread(system: str, runs: Sequence[str], row: Sequence[float | None]) -> Variation:
    """A made-up CV*: the range, which needs no formula."""
    there = {run: value for run, value in zip(runs, row, strict=True) if value is not None}
    reach = max(there.values()) - min(there.values()) if there else None
    return Variation(
        criterion="q",
        system=system,
        runs=tuple(runs),
        value=reach,
        n=len(there),
        scores=there,
        from_rounding=None,
        shift=None,
        sd=None,
        sd_interval=None,
        exact_sd_interval=None,
        variants={},
    )
