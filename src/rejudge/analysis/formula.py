"""A mixed model of one's own, as papers write it: score ~ system + domain + (1 | rater)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis.columns import rows_of_questions
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.judgments import Cleaned, Coded, ReadTable
from rejudge.judgments.arrow import is_missing, number
from rejudge.stats import (
    Coefficient,
    DfMethod,
    Interval,
    MixedFit,
    level_contrasts,
    linear_mixed,
    profile_interval,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

DF_IN_WORDS: dict[DfMethod, str] = {
    "satterthwaite": "Satterthwaite's degrees of freedom",
    "kenward-roger": "Kenward and Roger's errors and degrees of freedom",
}
_NAME = r"[^\s+~()|*:]+"
_TERM = re.compile(rf"{_NAME}")
_GROUP = re.compile(rf"\(\s*1\s*\|\s*({_NAME})\s*\)")
MOST_LEVELS = 30  # of a factor whose pairs are compared: 435 pairs
_REMEDY = "Write it as in: score ~ system + domain + (1 | rater)."
_METHOD = (
    "linear mixed model, REML; the first level of each factor in the order of the alphabet is the "
    "reference; t with {df}; profile interval of the full likelihood"
)


@dataclass(frozen=True, slots=True)
class ModelTerm:
    """One fixed effect: a level against the factor's first, a covariate, or the intercept."""

    term: str
    level: str | None
    value: float | None
    standard_error: float | None
    df: float | None
    t: float | None
    p: float | None
    interval: Interval | None = None
    profile: Interval | None = None  # as lme4's confint gives it; narrower where people are few
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelContrast:
    """The difference of two levels of a factor, all else equal: the first minus the second."""

    term: str
    first: str
    second: str
    value: float | None
    standard_error: float | None
    df: float | None
    t: float | None
    p: float | None  # of this one alone
    p_tukey: float | None  # for all pairs of the factor's levels
    p_holm: float | None  # for all pairs, too
    interval: Interval | None = None  # simultaneous for all pairs, by Tukey
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelVariance:
    """How much the levels of a grouping differ."""

    group: str  # a column, or residual
    levels: int | None
    variance: float | None
    sd: float | None


@dataclass(frozen=True, slots=True)
class Model:
    """A model that the user wrote as a formula; exploratory, and not corrected for."""

    formula: str
    n: int
    terms: tuple[ModelTerm, ...]
    variances: tuple[ModelVariance, ...]
    criterion: float | None  # −2 log restricted likelihood
    method: str
    note: str = ""
    contrasts: tuple[ModelContrast, ...] = ()  # of all pairs of levels of each factor


@dataclass(frozen=True, slots=True)
class Formula:
    """What is explained, by which columns, and which columns group the judgments."""

    text: str
    response: str
    fixed: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns on the right-hand side."""
        return tuple(dict.fromkeys((*self.fixed, *self.groups)))

    @classmethod
    def parse(cls, text: str) -> Formula:
        """Main effects and random intercepts; nothing else is understood, and refused."""
        response, tilde, right = (part.strip() for part in text.partition("~"))
        groups = tuple(_GROUP.findall(right))
        terms = [part.strip() for part in _GROUP.sub("", right).split("+")]
        fixed = tuple(term for term in terms if term and term != "1")
        is_clear = tilde and _TERM.fullmatch(response) and all(map(_TERM.fullmatch, fixed))
        if not is_clear or not groups:
            what = "has no grouping" if is_clear else "cannot be read"
            raise UsageError(Problem(f"the model '{text}' {what}.", _REMEDY, field="--model"))
        return cls(" ".join(text.split()), response, fixed, groups)


def refuse_unknown_columns(wanted: Sequence[Formula], table: ReadTable | None) -> None:
    """Refuse models that explain something other than the scores of the table."""
    if wanted and table is None:
        what = "a model needs the columns of the table that the judgments were read from."
        raise UsageError(Problem(what, "Give it as `table`.", field="--model"))
    scores = table.recognised.columns.get("value") if table else None
    for formula in wanted:
        if formula.response not in {"value", scores}:
            what = f"'{formula.response}' is not the column of scores."
            raise UsageError(Problem(what, f"Explain '{scores}' or `value`.", field="--model"))


def models_of_table(
    table: ReadTable | None,
    cleaned: Cleaned,
    questions: Sequence[str],
    wanted: Sequence[Formula],
    *,
    level: float,
    df: DfMethod,
) -> Iterator[Model]:
    """Each model of the scores that count on these questions, over columns of their table."""
    if table is None or not wanted:
        return
    collected = cleaned.collected
    rows = collected.is_of_kind("real") & ~collected.is_comparison
    rows &= rows_of_questions(collected, questions)
    if cleaned.is_kept is not None:
        rows &= cleaned.is_kept
    names = {word for word in table.judgments.question.take(rows).words() if word}
    for formula in wanted:
        columns = {name: table.beside[name].take(rows) for name in formula.columns}
        model = fitted(formula, table.judgments.value[rows], columns, level=level, df=df)
        if len(names) > 1 and table.recognised.columns.get("question") not in formula.columns:
            pooled = f"Scores on {', '.join(sorted(names))} are pooled."
            model = replace(model, note=f"{pooled} {model.note}".strip())
        yield model


def fitted(
    formula: Formula,
    value: NDArray[np.float64],
    columns: Mapping[str, Coded],
    *,
    level: float = 0.95,
    df: DfMethod = "satterthwaite",
) -> Model:
    """Fit the model to the rows where every column has a cell.

    A column of numbers is a covariate, in which NA and the like are empty cells; any other is a
    factor; what groups is always a factor.
    """
    columns = {**columns, **{name: _without_missing(columns[name]) for name in formula.fixed}}
    whole = np.all([columns[name].codes >= 0 for name in formula.columns], axis=0)
    value = value[whole]
    kept = {name: columns[name].take(whole) for name in formula.columns}
    factors = {name: _numbers(column) is None for name, column in kept.items()}
    fit = linear_mixed(
        value,
        {name: _codes(kept[name]) if factors[name] else _as_numbers(kept[name])
         for name in formula.fixed},
        {name: _codes(kept[name]) for name in formula.groups},
        level=level,
        df=df,
    )  # fmt: skip
    missing = int((~whole).sum())
    left_out = f"Left out for an empty cell: {count(missing, 'row')}." if missing else ""

    def named(term: str, code: int | None) -> str | None:
        return None if code is None else _levels(kept[term])[code]

    return Model(
        formula=formula.text,
        n=len(value),
        terms=tuple(_term(fit, each, named, level) for each in fit.coefficients),
        variances=tuple(
            ModelVariance(part.group, part.levels, part.variance, part.standard_deviation)
            for part in fit.components
        ),
        criterion=fit.criterion,
        method=_METHOD.format(df=DF_IN_WORDS[fit.df_method]),
        note=" ".join(note for note in (fit.note, left_out) if note),
        contrasts=tuple(
            contrast
            for name in formula.fixed
            if factors[name]
            for contrast in _contrasts(fit, name, _levels(kept[name]), level)
        ),
    )


def _contrasts(
    fit: MixedFit, name: str, levels: Sequence[str], level: float
) -> Iterator[ModelContrast]:
    """All pairs of a factor's levels; of a factor with very many levels, none."""
    if len(levels) > MOST_LEVELS:
        return
    tukey = level_contrasts(fit, name, adjust="tukey", level=level)
    holm = level_contrasts(fit, name, adjust="holm", level=level)
    for one, other in zip(tukey, holm, strict=True):
        yield ModelContrast(
            term=name,
            first=levels[one.first],
            second=levels[one.second],
            value=one.value,
            standard_error=one.standard_error,
            df=one.df,
            t=one.statistic,
            p=one.p_alone,
            p_tukey=one.p,
            p_holm=other.p,
            interval=one.interval,
            note=one.note,
        )


def _term(
    fit: MixedFit,
    each: Coefficient,
    named: Callable[[str, int | None], str | None],
    level: float,
) -> ModelTerm:
    return ModelTerm(
        term=each.term,
        level=named(each.term, each.level),
        value=each.value,
        standard_error=each.standard_error,
        df=each.df,
        t=each.statistic,
        p=each.p,
        interval=each.interval,
        profile=profile_interval(fit, each.term, each.level, level=level),
        note=each.note,
    )


def _levels(column: Coded) -> list[str]:
    """The words that occur, in the order of the alphabet."""
    return sorted(column.labels[code] for code in np.unique(column.codes).tolist())


def _without_missing(column: Coded) -> Coded:
    """A column of numbers without words for a missing value; any other column unchanged."""
    used = [column.labels[code] for code in np.unique(column.codes).tolist() if code >= 0]
    words = [word for word in used if not is_missing(word)]
    if not words or not all(math.isfinite(number(word)) for word in words):
        return column
    return Coded(column.recoded(words), tuple(words))


def _codes(column: Coded) -> NDArray[np.integer]:
    return column.recoded(_levels(column))


def _numbers(column: Coded) -> dict[str, float] | None:
    """What the words mean where all of them are numbers."""
    meant = {word: number(word) for word in _levels(column)}
    return meant if all(map(math.isfinite, meant.values())) else None


def _as_numbers(column: Coded) -> NDArray[np.float64]:
    meant = _numbers(column) or {}
    return np.array([meant.get(label, np.nan) for label in column.labels])[column.codes]
