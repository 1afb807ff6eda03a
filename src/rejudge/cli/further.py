"""What is asked of a table beside the usual numbers: tests, coefficients, a model, a profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

import click

from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import RenderableType

    from rejudge.analysis import Further, FurtherTest, Model, Results
    from rejudge.judgments import Cleaned, Judgments, ReadTable


@dataclass(frozen=True, slots=True)
class Wanted:
    """As it was typed."""

    tests: tuple[str, ...] = ()
    agreement: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Further columns of the file that are needed."""
        from rejudge.analysis import Formula

        return (*self.profile, *(c for text in self.models for c in Formula.parse(text).columns))

    def further(self) -> Further:
        """Tests, coefficients and cases; tests that do not exist are refused."""
        from rejudge.analysis import Further

        return Further(tuple(map(_test, self.tests)), self.agreement, self.cases)


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
    """The results with the models and the profile that were asked for."""
    from rejudge.analysis import profile_of_columns

    asked = cleaned.of_questions(questions)
    here = _on(table.judgments, questions)
    columns = {name: table.beside[name].take(here) for name in wanted.profile}
    profile = profile_of_columns(table.judgments.take(here), columns, kept=asked.kept)
    rows = _scored(cleaned, questions)
    models = tuple(_model(text, table, rows, results.signature.level) for text in wanted.models)
    return replace(results, profile=profile, models=models)


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
    if given is None:
        return ()
    return tuple(map(str, given)) if isinstance(given, tuple) else (str(given),)


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


def _model(text: str, table: ReadTable, rows: NDArray[np.bool_], level: float) -> Model:
    from rejudge.analysis import Formula, fitted

    formula = Formula.parse(text)
    scores = table.recognised.columns.get("value")
    if formula.response not in {"value", scores}:
        what = f"'{formula.response}' is not the column of scores."
        raise UsageError(Problem(what, f"Explain '{scores}' or `value`.", field="--model"))
    columns = {name: table.beside[name].take(rows) for name in formula.columns}
    model = fitted(formula, table.judgments.value[rows], columns, level=level)
    asked = {word for word in table.judgments.question.take(rows).words() if word}
    if len(asked) > 1 and table.recognised.columns.get("question") not in formula.columns:
        pooled = f"Scores on {', '.join(sorted(asked))} are taken together."
        model = replace(model, note=f"{pooled} {model.note}".strip())
    return model


def shown_further(results: Results) -> Iterator[RenderableType]:
    """Models as papers print them, and the counts of a profile."""
    from rich.table import Table
    from rich.text import Text

    for model in results.models:
        yield _of_model(model)
        if model.note:
            yield Text(model.note)
    for part in results.profile.parts if results.profile else ():
        counts = Table(box=None, title=part.prompt, title_justify="left", title_style="bold")
        counts.add_column("")
        counts.add_column("participants", justify="right")
        for each in part.counts:
            counts.add_row(each.answer, f"{each.participants:,}")
        if part.silent:
            counts.add_row("not known", f"{part.silent:,}")
        yield counts
        if part.note:
            yield Text(part.note)


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


def _number(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"
