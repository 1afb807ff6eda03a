"""Comparisons of any shape, for figures: scores and wins are said, the rest is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rejudge.compare.comparison import Comparison, RunCard
from rejudge.compare.run import RunCriterion
from rejudge.findings.model import Finding, Key
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
        criteria=(RunCriterion("q", "Meaning", "rating", 0.0, None),),
        conditions=(),
        similarities=(),
        deviations=(),
        claims=(),
        findings=(
            *(
                number("mean", value, (key,), (run,), interval=around(value, half_width))
                for key, row in zip(systems, scores.values(), strict=True)
                for run, value in zip(ids, row, strict=True)
                if value is not None
            ),
            *(spread(key, ids, row) for key, row in zip(systems, scores.values(), strict=True)),
            number("cv-star", None, (), tuple(ids), method="mean"),
            *(
                number("win-percent", percent, pair, ("r0",))
                for pair, percent in (percents or {}).items()
            ),
        ),
        version="0",
    )


def around(value: float, half_width: float | None) -> Interval | None:
    return None if half_width is None else Interval(value - half_width, value + half_width, 0.95)


def number(measure, value, systems, runs, *, method="", interval=None, n=100):
    """A finding of the one criterion."""
    return Finding(
        key=Key("q", measure, method, systems, runs=runs),
        by=method,
        value=value,
        n=n,
        n_of="judgments",
        how=(),
        interval=interval,
    )


def spread(system: str, runs: Sequence[str], row: Sequence[float | None]) -> Finding:
    """A made-up CV*: the range, which needs no formula."""
    there = [value for value in row if value is not None]
    reach = max(there) - min(there) if there else None
    return number("cv-star", reach, (system,), tuple(runs), method="scores", n=len(there))
