"""The formula of a mixed model, written as in papers, and what varies at random in it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.columns import Scores, levels, rows_of_questions
from rejudge.english import count
from rejudge.errors import DataError, Problem, UsageError
from rejudge.findings.words import Fact, How
from rejudge.judgments.cells import is_missing, number
from rejudge.judgments.exclusions import Cleaned
from rejudge.judgments.read import ReadTable
from rejudge.judgments.table import Coded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.study.kinds.question import Level

_FORMS = {
    "covariance": "systems random over {}, each with its own variance and any correlations",
    "variances": "systems random over {}, each with its own variance",
    "offset": "{} random",
}


class FixedEffects(Mapping[str, "NDArray[np.integer] | NDArray[np.float64]"]):
    """Codes of systems, and coverage terms, whose columns are made one at a time: together they
    would take as much memory as the table."""

    def __init__(self, system: NDArray[np.integer], terms: Sequence[stats.CoverageTerm]) -> None:
        self._system, self._terms = system, {term.name: term for term in terms}

    def __getitem__(self, name: str) -> NDArray[np.integer] | NDArray[np.float64]:
        return self._system if name == "system" else self._terms[name].column

    def __iter__(self) -> Iterator[str]:
        return iter(("system", *self._terms))

    def __len__(self) -> int:
        return 1 + len(self._terms)


def random_effects(
    table: Scores, terms: Sequence[stats.CoverageTerm], *, is_linear: bool
) -> dict[str, NDArray[np.integer]]:
    """The random effects of a model with these covariates.

    Opinions of items, a few judgments each, are for the linear model: Laplace's approximation needs
    more judgments of a level.

    As many shares as there are participants but one (or items) say everything about the mean of
    each. A variance that nothing is left to show would have no information, and take all degrees
    of freedom with it; leaving it out changes no estimate.
    """
    groupings = crossed_groups(table)
    if not is_linear:
        groupings.pop("item × participant", None)
    for kind in ("participant", "item"):
        shares = sum(term.kind == kind for term in terms)
        is_crossed = {kind, f"system × {kind}"} <= groupings.keys()
        if is_crossed and shares >= levels(groupings[kind]) - 1:
            del groupings[kind]
    return groupings


def crossed_groups(table: Scores) -> dict[str, NDArray[np.integer]]:
    """The groupings of judgments: person, item, the interaction of each with the system, and of
    both where one person judged several systems on an item.

    Without the second a model takes a liking that some items or people have for one system as
    evidence from every judgment, and finds differences in up to half of all studies that have none
    (decision 7). Without the last, a person's opinion of an item, which cancels in a difference,
    would be noise in it. They are left out where the table cannot show them: items that only one
    system wrote for, or outputs judged once.
    """
    people = {"participant": table.participant} if table.has_participants else {}
    return stats.random_groupings(table.system, {**people, "item": table.item})


def free_contrasts(
    table: Scores, terms: Sequence[stats.CoverageTerm], *, level: float
) -> tuple[stats.FreeSlopesFit, tuple[stats.Contrast, ...]]:
    """The model, and its difference of each two systems; none where it is undefined."""
    fit = stats.free_slopes_model(
        table.value,
        table.system,
        _plain_groups(table),
        covariates={term.name: term.column for term in terms},
        level=level,
    )
    alone = stats.level_contrasts(fit, "system", adjust="none", level=level)
    pairs = [(each.first, each.second) for each in alone]
    limits = {pair: stats.limit_of_slopes_df(fit, pair, "participant") for pair in pairs}
    limited = (
        stats.level_contrasts(
            fit, "system", pairs=[pair], adjust="none", level=level, df_limit=limits[pair]
        )
        for pair in pairs
    )
    return fit, tuple(chain.from_iterable(limited))


def slopes_in_words(fit: stats.FreeSlopesFit) -> str:
    """What is random, for the sentence on the method."""
    groups = {form: [s.group for s in fit.spreads if s.form == form] for form in _FORMS}
    known = ((words, groups[form]) for form, words in _FORMS.items() if groups[form])
    return "; ".join(words.format(" and ".join(names)) for words, names in known)


def variances_of_slopes(fit: stats.FreeSlopesFit, systems: Sequence[str]) -> Fact:
    """The variance of every system over each grouping."""
    parts = (part for each in fit.spreads for part in _variances(each, systems))
    return How.VARIANCES(**dict(parts), residual=fit.residual or 0.0)


def _variances(spread: stats.SystemSpread, systems: Sequence[str]) -> Iterator[tuple[str, float]]:
    if spread.form == "offset":
        yield spread.group, spread.covariance[0][0]
        return
    for code in spread.systems:
        yield f"{systems[code]} over {spread.group}", spread.variance(code)


def _plain_groups(table: Scores) -> dict[str, NDArray[np.integer]]:
    people = {"participant": table.participant} if table.has_participants else {}
    return {**people, "item": table.item}


def df_limit_facts(
    df: float | None, *, items: int | None, participants: int | None, without: str
) -> tuple[Fact, ...]:
    """The limit that the degrees of freedom met, as `stats.limit_of_df` sets it; none: none did.

    `without` is the grouping whose variance was estimated as 0.
    """
    sizes = {"participants": participants, "items": items}
    known = {noun: size for noun, size in sizes.items() if size}
    if df is None or not known:
        return ()
    noun = min(known, key=lambda each: known[each])
    if df != 2 * (known[noun] - 1):
        return ()
    return (How.DF_LIMIT(df=float(df), size=known[noun], noun=noun, without=without),)


DF_IN_WORDS: dict[stats.DfMethod, str] = {
    "satterthwaite": "Satterthwaite's degrees of freedom",
    "kenward-roger": "Kenward and Roger's errors and degrees of freedom",
}
_NAME = r"[^\s+~()|*:]+"
_TERM = re.compile(rf"{_NAME}")
_GROUP = re.compile(rf"\(\s*1\s*\|\s*({_NAME})\s*\)")
MOST_LEVELS = 30  # of a factor whose pairs are compared: 435 pairs
_REMEDY = "Write it as in: score ~ system + domain + (1 | rater)."
_METHOD = (
    "linear mixed model, REML; the alphabetically first level of each factor is the reference; t "
    "with {df}"
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
    interval: stats.Interval | None = None
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
    interval: stats.Interval | None = None  # simultaneous for all pairs, by Tukey
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
    """A model that the user wrote as a formula; exploratory, and not part of any correction."""

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


def refuse_unknown_columns(
    wanted: Sequence[Formula], table: ReadTable | None, level: Level | None = None
) -> None:
    """Refuse models that explain something other than the scores of the table."""
    if wanted and level == "nominal":
        what = "labels without order have no mean that a linear model could explain."
        raise UsageError(Problem(what, "Leave out --model, or --level nominal.", field="--model"))
    if wanted and table is None:
        what = "a model needs the columns of the table that the judgments were read from."
        raise UsageError(Problem(what, "Give it as `table`.", field="--model"))
    scores = table.recognised.columns.get("value") if table else None
    for formula in wanted:
        if formula.response not in {"value", scores}:
            what = f"'{formula.response}' is not the column of scores."
            remedy = f"Write '{scores}' or `value` to the left of ~."
            raise UsageError(Problem(what, remedy, field="--model"))


def models_of_table(
    table: ReadTable | None,
    cleaned: Cleaned,
    questions: Sequence[str],
    wanted: Sequence[Formula],
    *,
    level: float,
    df: stats.DfMethod,
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
        model = fit_formula(formula, table.judgments.value[rows], columns, level=level, df=df)
        if len(names) > 1 and table.recognised.columns.get("question") not in formula.columns:
            pooled = f"Scores on {', '.join(sorted(names))} are pooled."
            model = replace(model, note=f"{pooled} {model.note}".strip())
        yield model


def fit_formula(
    formula: Formula,
    value: NDArray[np.float64],
    columns: Mapping[str, Coded],
    *,
    level: float = 0.95,
    df: stats.DfMethod = "satterthwaite",
) -> Model:
    """Fit the model to the rows where every column has a cell.

    A column of numbers is a covariate, in which NA and so on are empty cells; any other is a
    factor; what groups is always a factor.
    """
    _refuse_columns(formula, value, columns)
    columns = {**columns, **{name: _without_missing(columns[name]) for name in formula.fixed}}
    whole = np.all([columns[name].codes >= 0 for name in formula.columns], axis=0)
    value = value[whole]
    kept = {name: columns[name].take(whole) for name in formula.columns}
    factors = {name: _numbers(column) is None for name, column in kept.items()}
    fit = stats.linear_mixed(
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
        terms=tuple(_term(each, named) for each in fit.coefficients),
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


def _refuse_columns(
    formula: Formula, value: NDArray[np.float64], columns: Mapping[str, Coded]
) -> None:
    for name in formula.columns:
        if name not in columns:
            what, known = f"there is no column '{name}'.", ", ".join(columns) or "none"
            raise DataError(Problem(what, f"Columns: {known}.", field=formula.text))
        if len(columns[name].codes) != len(value):
            what = f"'{name}' has {len(columns[name].codes):,} rows, 'value' has {len(value):,}."
            raise DataError(Problem(what, "Give one entry for each judgment.", field=formula.text))


def _contrasts(
    fit: stats.MixedFit, name: str, levels: Sequence[str], level: float
) -> Iterator[ModelContrast]:
    """All pairs of a factor's levels; of a factor with very many levels, none."""
    if len(levels) > MOST_LEVELS:
        return
    tukey = stats.level_contrasts(fit, name, adjust="tukey", level=level)
    holm = stats.level_contrasts(fit, name, adjust="holm", level=level)
    for one, other in zip(tukey, holm, strict=True):
        yield ModelContrast(
            term=name,
            first=levels[one.first],
            second=levels[one.second],
            value=one.value,
            standard_error=one.standard_error,
            df=one.df,
            t=one.statistic,
            p=one.p,
            p_tukey=one.p_adjusted,
            p_holm=other.p_adjusted,
            interval=one.interval,
            note=one.note,
        )


def _term(each: stats.Coefficient, named: Callable[[str, int | None], str | None]) -> ModelTerm:
    return ModelTerm(
        term=each.term,
        level=named(each.term, each.level),
        value=each.value,
        standard_error=each.standard_error,
        df=each.df,
        t=each.statistic,
        p=each.p,
        interval=each.interval,
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
    return Coded(column.recode(words), tuple(words))


def _codes(column: Coded) -> NDArray[np.integer]:
    return column.recode(_levels(column))


def _numbers(column: Coded) -> dict[str, float] | None:
    """What the words mean where all of them are numbers."""
    meant = {word: number(word) for word in _levels(column)}
    return meant if all(map(math.isfinite, meant.values())) else None


def _as_numbers(column: Coded) -> NDArray[np.float64]:
    meant = _numbers(column) or {}
    return np.array([meant.get(label, np.nan) for label in column.labels])[column.codes]
