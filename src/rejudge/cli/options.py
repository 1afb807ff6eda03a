"""Options that several commands share, and those of `analyse`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args
from urllib.parse import urlsplit

import click

from rejudge.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from rejudge.analysis.analysis_plan import Further, FurtherTest
    from rejudge.analysis.derived_scores import DerivedFormula
    from rejudge.analysis.formula import Formula
    from rejudge.analysis.outline import Grouping
    from rejudge.judgments.exclusions import Cleaned
    from rejudge.judgments.read import ReadTable
    from rejudge.report.figures.registry import Formats, Picture
    from rejudge.study.analysis_plan import DfMethod, Slopes
    from rejudge.study.kinds.question import Level

F = TypeVar("F", bound=Callable[..., Any])  # any command's function
R = TypeVar("R")  # what the command returns

_LEVELS = ("nominal", "ordinal", "interval", "ratio")
_SCALE = re.compile(r"(-?[0-9.]+)\.\.(-?[0-9.]+)")
_OPTIONS = (
    click.option(
        "--columns",
        metavar="ROLE=COLUMN,…",
        help="Columns of a FILE by role, such as participant=rater,value=score.",
    ),
    click.option(
        "--wide",
        metavar="ROLE=COLUMNS",
        help="How a wide FILE is laid out, such as participant=rater_*.",
    ),
    click.option("--sheet", metavar="NAME", help="Sheet of an Excel FILE.  [default: the first]"),
    click.option(
        "--duplicates",
        type=click.Choice(("error", "first", "last", "repeat")),
        help="What to do if someone judged the same thing twice in a FILE.",
    ),
    click.option(
        "--duplicate-share",
        type=click.FloatRange(0, 1),
        help="Accept a FILE in which up to this share of the rows are duplicates.  [default: 1/3]",
    ),
    click.option(
        "--choices",
        type=click.Choice(("side", "system")),
        help="Whether choices in a FILE are sides (a, b) or ids of systems, if both are possible.",
    ),
    click.option(
        "--labels",
        metavar="LABEL=SCORE,…",
        help="Scores of labels in a FILE, such as 'Disagree=1,Neutral=2,Agree=3'; they also set "
        "the scale.",
    ),
    click.option(
        "--where",
        multiple=True,
        metavar="COLUMN=VALUE",
        help="Read only rows of a FILE with this value, such as lab=Tilburg or lab!=Tilburg; "
        "repeatable.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="RULE",
        help="Exclude rows of a FILE by a rule, such as failed_checks=1; repeatable.",
    ),
    click.option(
        "--level",
        type=click.Choice(_LEVELS),
        help="Level of measurement of the scores; nominal: shares of labels instead of means.",
    ),
    click.option(
        "--scale",
        metavar="LOW..HIGH",
        help="Lowest and highest possible score of a FILE, such as 1..4.",
    ),
)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options as typed; they are parsed when the table is read."""

    columns: str | None = None
    wide: str | None = None
    sheet: str | None = None
    duplicates: Literal["error", "first", "last", "repeat"] | None = None
    duplicate_share: float | None = None
    choices: Literal["side", "system"] | None = None
    labels: str | None = None
    where: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    level: Level | None = None
    scale: str | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that were typed."""
        return tuple(
            field.name for field in fields(self) if getattr(self, field.name) not in {None, ()}
        )

    @property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest point of the scale."""
        if self.scale is None and self.labels is not None:
            return _ends_of_labels(self.scores_by_label or {})
        return None if self.scale is None else _ends(self.scale)

    @property
    def scores_by_label(self) -> dict[str, float] | None:
        """The scores of words."""
        from rejudge.judgments.cells import parse_labels

        return None if self.labels is None else parse_labels(self.labels)

    def read(
        self,
        path: Path,
        *,
        question: str | None = None,
        beside: Sequence[str] = (),
        questions: Sequence[str] = (),
    ) -> ReadTable:
        """Read the FILE; the scores of these `questions`, or of all, must lie on the scale."""
        from rejudge.judgments.read import read_table
        from rejudge.judgments.shapes import Wide

        table = read_table(
            path,
            columns=columns_by_role(self.columns or ""),
            wide=Wide.parse(self.wide) if self.wide else None,
            duplicates=self.duplicates or "error",
            question=question,
            sheet=self.sheet,
            beside=beside,
            where=self.where,
            choices=self.choices,
            labels=self.scores_by_label,
            duplicate_share=self.duplicate_share,
        )
        if not len(table.judgments):
            what = "no row of the table contains a judgment."
            remedy = f"Check the column of values. {table.recognised}"
            raise DataError(Problem(what, remedy, file=str(path)))
        if self.ends is not None:
            table.require_scale(self.ends, questions or ([question] if question else []))
        return table

    def clean(self, table: ReadTable) -> Cleaned:
        """Apply the rules of --exclude."""
        from rejudge.judgments.exclusions import ExclusionRules, exclude_rows

        return exclude_rows(table.judgments, ExclusionRules.parse(self.exclude))


def table_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command the options for reading a FILE; it receives them as `table`."""
    names = [field.name for field in fields(TableOptions)]

    @functools.wraps(function)
    def command(*args: Any, **typed: Any) -> R:  # as click passes them
        table = TableOptions(**{name: typed.pop(name) for name in names})
        return function(*args, table=table, **typed)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def columns_by_role(typed: str) -> dict[str, str]:
    """Roles and the names of their columns; an empty name turns a role off."""
    return dict(_parse_role(pair) for pair in typed.split(",") if pair)


def _parse_role(pair: str) -> tuple[str, str]:
    role, equals, name = pair.partition("=")
    if not equals or not role.strip():
        raise UsageError(
            Problem(
                f"--columns {pair} is unclear.", "Write role=column, such as participant=rater."
            )
        )
    return role.strip(), name.strip()


def _ends(scale: str) -> tuple[float, float]:
    found = _SCALE.fullmatch(scale.replace(" ", ""))
    try:
        ends = (float(found[1]), float(found[2])) if found else (0.0, 0.0)
    except ValueError:
        ends = (0.0, 0.0)
    if ends[0] >= ends[1]:
        raise UsageError(
            Problem(
                f"'{scale}' is not a scale.", "Write its lowest and highest point, such as 1..4."
            )
        )
    return ends


def _ends_of_labels(scores: Mapping[str, float]) -> tuple[float, float] | None:
    """None where all labels have the same score."""
    ends = min(scores.values()), max(scores.values())
    return ends if ends[0] < ends[1] else None


class FurtherCoefficient(click.Choice[str]):
    """A coefficient of agreement that is not among the usual ones.

    The table of coefficients is read when it is first needed, so that help loads no library.
    """

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # click stores a sequence
        from rejudge.study.methods import COEFFICIENTS, USUAL_AGREEMENT

        return tuple(name for name in COEFFICIENTS if name not in USUAL_AGREEMENT)


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """The options as typed."""

    tests: tuple[str, ...] = ()
    agreement: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    items_dealt_at_random: bool = False
    df: DfMethod = "satterthwaite"
    slopes: Slopes = "equal"
    by: tuple[str, ...] = ()
    derive: tuple[str, ...] = ()
    pooled_agreement: bool = False
    inputs: str | None = None  # the column that names the input of each item

    @property
    def given(self) -> tuple[str, ...]:
        """The options that were typed, by name."""
        usual = AnalysisOptions()
        names = {"tests": "test", "models": "model"}
        return tuple(
            names.get(each.name, each.name.replace("_", "-"))
            for each in fields(self)
            if getattr(self, each.name) != getattr(usual, each.name)
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Further columns of the file that these options need."""
        models = (column for formula in self._formulas() for column in formula.columns)
        inputs = (self.inputs,) if self.inputs else ()
        return tuple(dict.fromkeys((*self.profile, *self.remarks, *models, *self.by, *inputs)))

    def inputs_of(self, table: ReadTable) -> dict[str, str]:
        """The input of each item from its column; an item with two inputs is rejected."""
        if self.inputs is None:
            return {}
        items, column = table.judgments.item, table.beside[self.inputs]
        found: dict[str, str] = {}
        for item, name in zip(items.words(), column.words(), strict=True):
            if item and name and found.setdefault(item, name) != name:
                raise UsageError(
                    Problem(
                        f"item '{item}' has two inputs, '{found[item]}' and '{name}'.",
                        f"Name a column that gives the input of each item, not '{self.inputs}'.",
                        field="--inputs",
                    )
                )
        return found

    def _formulas(self) -> tuple[Formula, ...]:
        from rejudge.analysis.formula import Formula

        return tuple(map(Formula.parse, self.models))

    def further(self) -> Further:
        """Parse tests, coefficients, cases and models; unknown ones are rejected."""
        from rejudge.analysis.analysis_plan import Further

        return Further(
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

    def derived(self) -> tuple[DerivedFormula, ...]:
        """The scores that are computed from others, written as name = formula."""
        return tuple(map(_parse_derived, self.derive))

    def groupings_of(self, table: ReadTable) -> tuple[Grouping, ...]:
        """The groups of items or participants that columns name."""
        from rejudge.analysis.outline import grouping_of

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


def _parse_derived(typed: str) -> DerivedFormula:
    from rejudge.analysis.derived_scores import DerivedFormula
    from rejudge.study.score_formula import ScoreFormula

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
    """Two systems; their names may contain colons."""
    places = [place for place, letter in enumerate(typed) if letter == ":"]
    splits = [(typed[:place], typed[place + 1 :]) for place in places]
    known = [pair for pair in splits if pair[0] in systems and pair[1] in systems]
    if len(known) > 1 or not splits:
        what = f"'{typed}' can be read in two ways." if known else f"'{typed}' is not a pair."
        remedy = "Write first:second, such as ours:baseline."
        raise UsageError(Problem(what, remedy, field="--pairs"))
    return known[0] if known else splits[0]


def _test(typed: str) -> FurtherTest:
    from rejudge.analysis.analysis_plan import FurtherTest
    from rejudge.study.analysis_plan import Alternative, Unit
    from rejudge.study.methods import TESTS, has_direction

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
        _refuse(f"{name} compares all systems at once and has no direction.", _directed_tests())
    return FurtherTest(name, units[0] if units else None, side)  # type: ignore[arg-type]  # 〃


def _directed_tests() -> tuple[str, ...]:
    from rejudge.study.methods import TESTS, has_direction

    return tuple(test for test in TESTS if has_direction(test))


def _refuse(what: str, known: Sequence[str]) -> None:
    raise UsageError(Problem(what, f"Choose from {', '.join(known)}.", field="--test"))


_PATH = re.compile(r"(/[A-Za-z0-9._~%-]+)*/?")  # as links and cookies take it


def base_url_option(function: F) -> F:
    """Give a command `--base-url`."""
    option = click.option(
        "--base-url", metavar="URL", help="Public address of the site, such as https://…."
    )
    return option(function)


def check_base_url(base_url: str | None) -> None:
    """Raise a UsageError unless the site can be served under this address."""
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
    except ValueError:  # a bracket that is not closed
        parts = urlsplit("")
    is_whole = parts.scheme in {"http", "https"} and parts.netloc
    if not is_whole or parts.query or parts.fragment or not _PATH.fullmatch(parts.path):
        what = f"--base-url {base_url} is not a valid address for the site."
        remedy = "Write for instance https://study.example.org or https://example.org/study."
        raise UsageError(Problem(what, remedy))


_SHOWN = 12  # letters in the note


def figure_options(function: F) -> F:
    """Give a command `--figures` and `--font`, as the argument `formats`."""

    @click.option(
        "--figures",
        metavar="FORMATS",
        help="Write figures in these formats beside SVG: pdf, png or pdf,png.",
    )
    @click.option(
        "--font",
        type=click.Path(path_type=Path),
        help="A font file for letters in PDF and PNG figures that DejaVu Sans does not have, "
        "such as Chinese.",
    )
    @functools.wraps(function)
    def with_formats(*args: Any, figures: str | None, font: Path | None, **options: Any) -> Any:
        return function(*args, formats=_formats(figures, font), **options)

    return with_formats  # type: ignore[return-value]  # click passes the options by name


def _formats(figures: str | None, font: Path | None) -> Formats:
    from rejudge.report.figures.registry import ENDINGS, Formats
    from rejudge.report.figures.style import check_font

    endings = tuple(ending for each in (figures or "").split(",") if (ending := each.strip()))
    for ending in endings:
        if ending not in ENDINGS:
            what, remedy = f"there is no format '{ending}'.", f"Give {' or '.join(ENDINGS)}."
            raise UsageError(Problem(what, remedy, field="--figures"))
    if font and not endings:
        what = "a font is needed for PDF and PNG figures only."
        raise UsageError(Problem(what, "Add --figures pdf, or leave out --font.", field="--font"))
    if font:
        check_font(font)
    return Formats(endings, font)  # type: ignore[arg-type]  # they are formats


def font_note(pictures: Iterable[Picture], formats: Formats) -> tuple[str, ...]:
    """A note for the user if the fonts lack characters of figures in PDF or PNG."""
    from rejudge.report.figures.registry import characters_not_printed

    font = formats.font
    missing = characters_not_printed(pictures, font) if formats.endings else ""
    if not missing:
        return ()
    letters = " ".join(missing[:_SHOWN]) + (" …" if len(missing) > _SHOWN else "")
    remedy = f"{font} lacks them too." if font else "Name a font that has them: --font FILE."
    return (f"Figures as PDF and PNG show □ instead of {letters}; SVG is complete. {remedy}",)
