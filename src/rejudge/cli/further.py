"""What is asked of a table beside the usual numbers: tests, models, a profile, remarks …"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, get_args

import click

from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import RenderableType

    from rejudge.analysis import (
        DerivedFormula,
        Further,
        FurtherTest,
        Grouping,
        Model,
        ProfilePart,
        Results,
    )
    from rejudge.judgments import Cleaned, Judgments, ReadTable
    from rejudge.study import DfMethod, Slopes


@dataclass(frozen=True, slots=True)
class Wanted:
    """As it was typed."""

    tests: tuple[str, ...] = ()
    agreement: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    items_dealt_at_random: bool = False
    time_limit: float | None = None
    df: DfMethod = "satterthwaite"
    slopes: Slopes = "equal"
    by: tuple[str, ...] = ()
    derive: tuple[str, ...] = ()
    pooled_agreement: bool = False
    inputs: str | None = None  # the column that names the input of each item

    @property
    def given(self) -> tuple[str, ...]:
        """The options that were typed, by name."""
        usual = Wanted()
        names = {"tests": "test", "models": "model"}
        return tuple(
            names.get(each.name, each.name.replace("_", "-"))
            for each in fields(self)
            if getattr(self, each.name) != getattr(usual, each.name)
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Further columns of the file that are needed."""
        from rejudge.analysis import Formula

        models = (c for text in self.models for c in Formula.parse(text).columns)
        inputs = (self.inputs,) if self.inputs else ()
        return tuple(dict.fromkeys((*self.profile, *self.remarks, *models, *self.by, *inputs)))

    def inputs_of(self, table: ReadTable) -> dict[str, str]:
        """The input of each item, where a column names it; refused if an item has two."""
        if self.inputs is None:
            return {}
        items, column = table.judgments.item, table.beside[self.inputs]
        found: dict[str, str] = {}
        for item, name in zip(items.words(), column.words(), strict=True):
            if item and name and found.setdefault(item, name) != name:
                raise UsageError(
                    Problem(
                        f"item '{item}' has two inputs, '{found[item]}' and '{name}'.",
                        f"Name a column that says the input of each item, not '{self.inputs}'.",
                        field="--inputs",
                    )
                )
        return found

    def further(self) -> Further:
        """Tests, coefficients and cases; tests that do not exist are refused."""
        from rejudge.analysis import Further

        tests = tuple(map(_test, self.tests))
        further = Further(tests, self.agreement, self.cases, self.items_dealt_at_random)
        further = replace(
            further, df=self.df, slopes=self.slopes, pooled_agreement=self.pooled_agreement
        )
        if self.time_limit is not None and math.isnan(self.time_limit):
            what, remedy = "'nan' is not a number of seconds.", "Write for instance 300."
            raise UsageError(Problem(what, remedy, field="--time-limit"))
        return further if self.time_limit is None else replace(further, time_limit=self.time_limit)

    def derived(self) -> tuple[DerivedFormula, ...]:
        """The scores that are computed from others, written as name = formula."""
        return tuple(map(_derived, self.derive))

    def groupings_of(self, table: ReadTable) -> tuple[Grouping, ...]:
        """The groups of items or participants that columns name."""
        from rejudge.analysis import grouping_of

        names = dict.fromkeys(self.by)
        return tuple(grouping_of(each, table.judgments, table.beside[each]) for each in names)

    def pairs_of(self, table: ReadTable) -> tuple[tuple[str, str], ...]:
        """The pairs of systems that are tested, written as first:second."""
        rows = table.judgments
        systems = {
            label
            for column in (rows.system, rows.system_a, rows.system_b)
            for label in column.labels
        }
        return tuple(_pair(typed, systems) for typed in self.pairs)


def _derived(typed: str) -> DerivedFormula:
    from rejudge.analysis import DerivedFormula
    from rejudge.study import ScoreFormula

    name, equals, formula = (part.strip() for part in typed.partition("="))
    if not equals or not name or not formula:
        missing = "name" if equals and not name else "formula"
        what, remedy = (
            f"'{typed}' has no {missing}.",
            "Write name = formula: overall = (a + b) / 2.",
        )
        raise UsageError(Problem(what, remedy, field="--derive"))
    try:
        return DerivedFormula(name, ScoreFormula.parse(formula))
    except ValueError as error:
        what, _, remedy = str(error).partition(". ")
        raise UsageError(Problem(f"{what}.", remedy, field="--derive")) from None


def _pair(typed: str, systems: Collection[str]) -> tuple[str, str]:
    """Two systems; their names may have colons of their own."""
    places = [place for place, letter in enumerate(typed) if letter == ":"]
    splits = [(typed[:place], typed[place + 1 :]) for place in places]
    known = [pair for pair in splits if pair[0] in systems and pair[1] in systems]
    if len(known) > 1 or not splits:
        what = f"'{typed}' can be read in two ways." if known else f"'{typed}' is not a pair."
        remedy = "Write first:second, such as ours:baseline."
        raise UsageError(Problem(what, remedy, field="--pairs"))
    return known[0] if known else splits[0]


def _test(typed: str) -> FurtherTest:
    from rejudge.analysis import FurtherTest
    from rejudge.study import Alternative, Test, Unit, has_direction

    name, *parts = typed.split(":")
    if name not in get_args(Test):
        _refuse(f"there is no test '{name}'.", get_args(Test))
    known = (*get_args(Unit), *get_args(Alternative))
    for part in parts:
        if part not in known:
            _refuse(f"'{part}' is neither a unit nor a direction of a test.", known)
    units = [part for part in parts if part in get_args(Unit)]
    sides = [part for part in parts if part in get_args(Alternative)]
    if len(units) > 1 or len(sides) > 1:
        _refuse(f"'{typed}' names two units or two directions.", known)
    side = sides[0] if sides else "two-sided"
    if side != "two-sided" and not has_direction(name):  # type: ignore[arg-type]  # looked at above
        _refuse(f"{name} compares all systems at once and has no direction.", _directed())
    return FurtherTest(name, units[0] if units else None, side)  # type: ignore[arg-type]  # 〃


def _directed() -> tuple[str, ...]:
    from rejudge.study import Test, has_direction

    return tuple(test for test in get_args(Test) if has_direction(test))


def _refuse(what: str, known: Sequence[str]) -> None:
    raise UsageError(Problem(what, f"Known are {', '.join(known)}.", field="--test"))


def with_further(
    results: Results,
    table: ReadTable,
    cleaned: Cleaned,
    wanted: Wanted,
    *,
    questions: Sequence[str] = (),
) -> Results:
    """The results with the models, the profile and the remarks that were asked for."""
    from rejudge.analysis import profile_of_columns, remarks_of_columns

    named = _with_parts(results, questions)
    asked = cleaned.of_questions(named)
    here = _on(table.judgments, named)
    judgments = table.judgments.take(here)
    columns = {name: table.beside[name].take(here) for name in wanted.profile}
    profile = profile_of_columns(judgments, columns, kept=asked.kept)
    written = {name: table.beside[name].take(here) for name in wanted.remarks}
    rows = _scored(cleaned, questions)
    models = tuple(
        _model(text, table, rows, (results.signature.level, wanted.df)) for text in wanted.models
    )
    remarks = remarks_of_columns(judgments, written)
    return replace(results, profile=profile, models=models, remarks=remarks)


def _with_parts(results: Results, questions: Sequence[str]) -> tuple[str, ...]:
    """The questions that were asked for, with those that derived scores are computed from."""
    parts = (part for each in results.derived if each.id in questions for part in each.parts)
    return (*questions, *parts)


def with_options(results: Results, context: click.Context) -> Results:
    """The results with every option that was typed and could change a number."""
    typed = {
        str(option.opts[0]).lstrip("-"): _words(context.params.get(str(option.name)))
        for option in context.command.params
        if isinstance(option, click.Option)
        and option.name not in _WITHOUT_EFFECT
        and context.params.get(str(option.name)) != option.default
    }
    given = {name: words for name, words in typed.items() if words}
    options = {**given, **results.signature.options}
    return replace(results, signature=replace(results.signature, options=options))


_WITHOUT_EFFECT = ("out", "database", "force", "as_json", "seed")  # the seed is named apart


def _words(given: object) -> tuple[str, ...]:
    if given is None or given is False:
        return ()
    return tuple(dict.fromkeys(map(str, given))) if isinstance(given, tuple) else (str(given),)


def _scored(cleaned: Cleaned, questions: Sequence[str]) -> NDArray[np.bool_]:
    """The rows that a model is of: scores that count, on the questions that were asked for."""
    table = cleaned.collected
    rows = table.is_of_kind("real") & ~table.is_comparison & _on(table, questions)
    if cleaned.is_kept is not None:
        rows &= cleaned.is_kept
    return rows


def _on(judgments: Judgments, questions: Sequence[str]) -> NDArray[np.bool_]:
    """The rows on some questions; all rows where none are named."""
    import numpy as np

    if not questions:
        return np.ones(len(judgments), dtype=np.bool_)
    codes = [judgments.question.code(name) for name in questions]
    return np.isin(judgments.question.codes, codes)


def _model(
    text: str, table: ReadTable, rows: NDArray[np.bool_], how: tuple[float, DfMethod]
) -> Model:
    from rejudge.analysis import Formula, fitted

    formula = Formula.parse(text)
    scores = table.recognised.columns.get("value")
    if formula.response not in {"value", scores}:
        what = f"'{formula.response}' is not the column of scores."
        raise UsageError(Problem(what, f"Explain '{scores}' or `value`.", field="--model"))
    columns = {name: table.beside[name].take(rows) for name in formula.columns}
    level, df = how
    model = fitted(formula, table.judgments.value[rows], columns, level=level, df=df)
    asked = {word for word in table.judgments.question.take(rows).words() if word}
    if len(asked) > 1 and table.recognised.columns.get("question") not in formula.columns:
        pooled = f"Scores on {', '.join(sorted(asked))} are taken together."
        model = replace(model, note=f"{pooled} {model.note}".strip())
    return model


def shown_further(results: Results) -> Iterator[RenderableType]:
    """Models as papers print them, the counts of a profile, and how many remarks there are."""
    from rich.text import Text

    from rejudge.tables import remark_counts

    for model in results.models:
        yield _of_model(model)
        if model.contrasts:
            yield _of_contrasts(model)
        if model.note:
            yield Text(model.note)
    for part in results.profile.parts if results.profile else ():
        yield _of_answers(part)
        if part.note:
            yield Text(part.note)
    for remarks in results.remarks:
        yield Text(f"{remarks.prompt}: {remark_counts(remarks)}")


def _of_answers(part: ProfilePart) -> RenderableType:
    from rich.table import Table

    counts = Table(box=None, title=part.prompt, title_justify="left", title_style="bold")
    counts.add_column("")
    counts.add_column("participants", justify="right")
    for each in part.counts:
        counts.add_row(each.answer, f"{each.participants:,}")
    if part.silent:
        counts.add_row("not known", f"{part.silent:,}")
    return counts


def _of_model(model: Model) -> RenderableType:
    from rich.table import Table

    found = Table(box=None, title=model.formula, title_justify="left", title_style="bold")
    for name in ("", "estimate", "SE", "df", "t", "profile interval"):
        found.add_column(name, justify="left" if not name else "right")
    for each in model.terms:
        ends = each.profile
        found.add_row(
            each.term if each.level is None else f"{each.term} {each.level}",
            _number(each.value, 2),
            _number(each.standard_error, 2),
            _number(each.df, 1),
            _number(each.t, 2),
            "–" if ends is None else f"{ends.low:.2f} to {ends.high:.2f}",
        )
    for part in model.variances:
        found.add_row(f"variance of {part.group}", _number(part.variance, 2))
    return found


def _of_contrasts(model: Model) -> RenderableType:
    from rich.table import Table

    found = Table(
        box=None, title="Differences between levels", title_justify="left", title_style="bold"
    )
    for name in ("", "estimate", "SE", "df", "t", "p Tukey", "p Holm"):
        found.add_column(name, justify="left" if not name else "right")
    for each in model.contrasts:
        found.add_row(
            f"{each.term}: {each.first} – {each.second}",
            _number(each.value, 2),
            _number(each.standard_error, 2),
            _number(each.df, 1),
            _number(each.t, 2),
            _p(each.p_tukey),
            _p(each.p_holm),
        )
    return found


def _p(value: float | None) -> str:
    return "< 0.001" if value is not None and value < 0.001 else _number(value, 3)  # noqa: PLR2004


def _number(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"
