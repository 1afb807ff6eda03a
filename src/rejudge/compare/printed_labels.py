"""Type III from printed contingency tables, where the labels themselves are not published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.compare.aligned import study_of
from rejudge.compare.comparison import LabelAgreement
from rejudge.compare.run import Run
from rejudge.paper import Contingency, table_agreement

_INTERVALS = {
    "percent": "Student's t on the scale of log odds",
    "krippendorff-alpha": "leaving out one unit at a time",
}
_KAPPA = "standard error of Fleiss, Cohen & Everitt (1969)"
_ABSENT = "Not computed from the printed table of {} and {}: {} is not among the compared runs."


def agreement_of_tables(runs: Sequence[Run]) -> tuple[LabelAgreement, ...]:
    """Agreement from each printed table of labels.

    A table whose two sides are compared runs is between them. One whose sides are both annotators
    is inside the run that prints it.
    """
    return tuple(
        each for run in runs for table in run.contingency for each in _of(table, run, runs)
    )


def criteria_in_tables(runs: Sequence[Run], group: Sequence[str]) -> frozenset[str]:
    """The criteria on which a printed table has the labels of exactly these runs."""
    return frozenset(
        table.criterion
        for run in runs
        for table in run.contingency
        if set(_sides(table, runs)) == set(group)
    )


def _of(table: Contingency, printed_in: Run, runs: Sequence[Run]) -> Iterator[LabelAgreement]:
    sides = _sides(table, runs)
    if (sides[0] is None) != (sides[1] is None):
        yield _without_side(table, printed_in, sides)
        return
    known = tuple(dict.fromkeys(side for side in sides if side is not None))
    for name, each in table_agreement(table).items():
        yield LabelAgreement(
            criterion=table.criterion,
            runs=known or (printed_in.id,),
            coefficient=name,
            value=each.value,
            n=each.n,
            interval=each.interval,
            is_between=len(known) > 1,
            method=_method(name, table, printed_in, has_interval=each.interval is not None),
            note=each.note,
            is_from_table=True,
        )


def _method(name: str, table: Contingency, printed_in: Run, *, has_interval: bool) -> str:
    where = f"{printed_in.name}, {table.place}" if table.place else printed_in.name
    level = f", {table.level} distances" if name == "krippendorff-alpha" else ""
    source = f"from the printed table of {table.rows} and {table.columns} ({where}){level}"
    if not has_interval:
        return source
    how = _INTERVALS.get(name, _KAPPA)
    return f"{source}; interval: {how}, judged units taken as independent"


def _sides(table: Contingency, runs: Sequence[Run]) -> tuple[str | None, str | None]:
    return _run_named(table.rows, runs), _run_named(table.columns, runs)


def _run_named(name: str, runs: Sequence[Run]) -> str | None:
    """The run of this id, or the first run of the study of this id."""
    ids = [run.id for run in runs]
    if name in ids:
        return name
    return next((each for each in ids if study_of(each) == name), None)


def _without_side(
    table: Contingency, printed_in: Run, sides: tuple[str | None, str | None]
) -> LabelAgreement:
    absent = table.rows if sides[0] is None else table.columns
    present = sides[0] or sides[1] or printed_in.id
    return LabelAgreement(
        criterion=table.criterion,
        runs=(present,),
        coefficient="cohen-kappa",
        value=None,
        n=None,
        interval=None,
        is_between=True,
        method="",
        note=_ABSENT.format(table.rows, table.columns, absent),
        is_from_table=True,
    )
