"""The tables of models that were asked for in so many words, as papers print them."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.analysis import Interval, Model, Results
from rejudge.report.sheet import Column, Sheet

_NUMBERS = (
    ("estimate", 2), ("standard error", 2), ("df", 1), ("t", 2), ("p", 4),
    ("low", 2), ("high", 2), ("profile low", 2), ("profile high", 2),
)  # fmt: skip


def model_sheets(results: Results) -> Iterator[Sheet]:
    """The fixed effects of each model, and the differences between the levels of its factors."""
    for number, model in enumerate(results.models, start=1):
        yield _model(f"model-{number}", model)
        yield _contrasts(f"model-{number}-contrasts", model)


def _model(name: str, model: Model) -> Sheet:
    variances = ", ".join(
        f"{part.group} {part.variance:.3g}" for part in model.variances if part.variance is not None
    )
    caption = f"{model.formula}; {model.n:,} judgments; variances: {variances}. {model.method}."
    return Sheet(
        name,
        f"{caption} {model.note}".strip(),
        (Column("term"), Column("level"), *(Column(*each) for each in _NUMBERS)),
        tuple(
            (
                term.term,
                term.level,
                term.value,
                term.standard_error,
                term.df,
                term.t,
                term.p,
                *_ends(term.interval),
                *_ends(term.profile),
            )
            for term in model.terms
        ),
    )


def _contrasts(name: str, model: Model) -> Sheet:
    caption = (
        f"{model.formula}: differences between the levels of each factor, the first minus the "
        f"second, all else equal; {model.n:,} judgments. t with Satterthwaite's degrees of "
        "freedom; p of each alone, and corrected for all pairs of the factor by Tukey and by "
        "Holm; the interval is Tukey's."
    )
    return Sheet(
        name,
        caption,
        (*map(Column, ("term", "first", "second")), *(Column(*each) for each in _CONTRASTS)),
        tuple(
            (
                each.term,
                each.first,
                each.second,
                each.value,
                each.standard_error,
                each.df,
                each.t,
                each.p,
                each.p_tukey,
                each.p_holm,
                *_ends(each.interval),
            )
            for each in model.contrasts
        ),
    )


_CONTRASTS = (
    ("estimate", 2), ("standard error", 2), ("df", 1), ("t", 2), ("p", 4),
    ("p Tukey", 4), ("p Holm", 4), ("low", 2), ("high", 2),
)  # fmt: skip


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)
