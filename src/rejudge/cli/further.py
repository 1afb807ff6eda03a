"""Options of `analyse` for a table, parsed: tests, models, groups, a profile, remarks …"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, get_args

import click

from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.analysis import (
        DerivedFormula,
        Formula,
        Further,
        FurtherTest,
        Grouping,
        Model,
        ProfilePart,
        Results,
    )
    from rejudge.judgments import ReadTable
    from rejudge.study import DfMethod, Slopes


class FurtherCoefficient(click.Choice[str]):
    """A coefficient of agreement that is not among the usual ones.

    The table of coefficients is read when it is first needed, so that help loads no library.
    """

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # click stores a sequence
        from rejudge.study import COEFFICIENTS, USUAL_AGREEMENT

        return tuple(name for name in COEFFICIENTS if name not in USUAL_AGREEMENT)


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
        models = (column for formula in self._formulas() for column in formula.columns)
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

    def _formulas(self) -> tuple[Formula, ...]:
        from rejudge.analysis import Formula

        return tuple(map(Formula.parse, self.models))

    def further(self) -> Further:
        """Tests, coefficients, cases and models; those that do not exist are refused."""
        from rejudge.analysis import Further

        further = Further(
            tests=tuple(map(_test, self.tests)),
            agreement=self.agreement,  # type: ignore[arg-type]  # click allows no others
            cases=self.cases,
            items_dealt_at_random=self.items_dealt_at_random,
            df=self.df,
            slopes=self.slopes,
            pooled_agreement=self.pooled_agreement,
            models=self._formulas(),
            profile=self.profile,
            remarks=self.remarks,
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
    from rejudge.study import TESTS, Alternative, Unit, has_direction

    name, *parts = typed.split(":")
    if name not in TESTS:
        _refuse(f"there is no test '{name}'.", tuple(TESTS))
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
    from rejudge.study import TESTS, has_direction

    return tuple(test for test in TESTS if has_direction(test))


def _refuse(what: str, known: Sequence[str]) -> None:
    raise UsageError(Problem(what, f"Known are {', '.join(known)}.", field="--test"))


def typed_options(context: click.Context) -> dict[str, tuple[str, ...]]:
    """Every option that was typed and could change a number, for the signature."""
    typed = {
        str(option.opts[0]).lstrip("-"): _words(context.params.get(str(option.name)))
        for option in context.command.params
        if isinstance(option, click.Option)
        and option.name not in _WITHOUT_EFFECT
        and context.params.get(str(option.name)) != option.default
    }
    return {name: words for name, words in typed.items() if words}


_WITHOUT_EFFECT = ("out", "database", "force", "as_json", "seed")  # the seed is named apart


def _words(given: object) -> tuple[str, ...]:
    if given is None or given is False:
        return ()
    return tuple(dict.fromkeys(map(str, given))) if isinstance(given, tuple) else (str(given),)


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
