"""The columns of all tables of findings: how each looks, and where it appears.

A new number of a finding is one entry here. The order of the entries is that of the columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.english import capital, versus
from rejudge.findings.model import Finding
from rejudge.findings.words import POPULATIONS
from rejudge.layout.numbers import df_text, level_text, number, p_value
from rejudge.layout.table import Cell
from rejudge.tables.view import CellFunction, ColumnEntry, Digits, Heading, TableView, When
from rejudge.tables.wording import (
    digits_of,
    final_p,
    name_of_coefficient,
    name_of_test,
    names_of,
    statistic_text,
    verdict,
)

_SCORES = {"mean": "Mean", "win-percent": "Won, %", "share": "Share, %"}
_DIFFERENCES = {
    "win-percent": "Preferred, %",
    "share-difference": "Difference, points",
    "latent-difference": "Log odds",
    "strength": "Log odds",
}


def value_heading(view: TableView) -> str:
    """What the scores of systems are called."""
    names = {_SCORES.get(f.measure, "Value") for f in view.records}
    return names.pop() if len(names) == 1 else "Value"


def interval_heading(view: TableView) -> str:
    """Such as "95 % interval"."""
    known = next((f.interval for f in view.records if f.interval), None)
    return f"{level_text(known.level)} interval" if known else "Interval"


def correction_name(view: TableView) -> str:
    """The name of the correction, such as Holm; empty without one."""
    correction = str(view.source.signature.correction)
    return "" if correction == "none" else correction.title().replace("-", "–")


def is_corrected(view: TableView) -> bool:
    """Whether a correction changed any p value."""
    return bool(correction_name(view)) and any(
        f.p_adjusted not in {None, f.p} for f in view.records
    )


def _difference_heading(view: TableView) -> str:
    names = {_DIFFERENCES.get(f.measure, "Difference") for f in view.records}
    return names.pop() if len(names) == 1 else "Difference"


def _p_heading(view: TableView) -> str:
    """It says that p is corrected only where it is."""
    side = "" if view.records[0].alternative == "two-sided" else ", one-sided"
    return f"p{side} ({correction_name(view)})" if is_corrected(view) else f"p{side}"


def _check_heading(view: TableView) -> str:
    checks = {f.by for f in view.beside.values()}
    return "Sign‑flip p" if checks == {"sign-flip"} else "Check: value; p"


def _digits(view: TableView) -> int:
    """As many decimals as the most precise number of the table needs."""
    return max((digits_of(f) for f in view.records), default=2)


def _attribute(name: str) -> CellFunction:
    return lambda f, _: getattr(f, name)


def _part(of: str, name: str) -> CellFunction:
    """A number of a finding's tally, spread, statistic or effect, where it has one."""
    return lambda f, _: None if getattr(f, of) is None else getattr(getattr(f, of), name)


def _of_mean(name: str) -> CellFunction:
    return lambda f, _: getattr(f, name) if f.measure == "mean" else None


def _name(place: int) -> CellFunction:
    return lambda f, view: names_of(f, view.labels)[place] if len(f.systems) > place else None


def _check(finding: Finding, view: TableView) -> Cell:
    """The p value of the check beside a headline; its value too where it is another one."""
    check = view.beside.get(finding.systems)
    if check is None:
        return None
    p = p_value(final_p(check))
    if check.by == "sign-flip" or check.value is None:
        return p
    return f"{number(check.value, digits_of(check))}; {p}"


def _verdict(finding: Finding, view: TableView) -> Cell:
    """The verdict on a pair, with the test that gave it where it is not the one of the table."""
    decided = view.deciding.get(finding.id, finding)
    words = verdict(decided)
    return words if decided is finding else f"{words} ({name_of_test(decided)})"


def _effects(finding: Finding, _: TableView) -> Cell:
    """The size of a difference in units of its own, such as d = 0.51 [0.20, 0.82]."""
    parts = []
    for effect in (finding.effect, *finding.further_effects):
        if effect is not None:
            ends = effect.interval
            spread = f" [{number(ends.low, 2)}, {number(ends.high, 2)}]" if ends else ""
            name = {"eta-squared": "η²", "dz": "d_z", "gz": "g_z"}.get(effect.name, effect.name)
            parts.append(f"{name} = {number(effect.value, 2)}{spread}")
    return "; ".join(parts) or None


_READ = "page paper terminal notebook"  # by people
_EVERYWHERE = f"csv {_READ}"
_ALL = ("systems", "pairs", "further", "tests", "agreement", "interactions")
_TESTED = ("pairs", "tests", "interactions")


def _in(tables: Sequence[str], media: str) -> dict[str, str]:
    return dict.fromkeys(tables, media)


def _above(name: str, cell: CellFunction, when: When) -> tuple[ColumnEntry, ColumnEntry]:
    """A column of files whose cells stand above blocks of rows where people read them."""
    return (
        ColumnEntry(name, cell, _in(_ALL, "csv"), when="always" if when == "many" else when),
        ColumnEntry(name, cell, _in(_ALL, _READ), when=when, is_block=True),
    )


def _number(
    name: str,
    cell: CellFunction,
    tables: dict[str, str],
    *,
    digits: Digits = 0,
    heading: Heading = "",
    when: When = "always",
) -> ColumnEntry:
    return ColumnEntry(name, cell, tables, "number", digits, heading, when)


COLUMNS: tuple[ColumnEntry, ...] = (
    *_above("question", _attribute("question"), "many"),
    *_above("group", lambda f, _: f.key.group_name or None, "any"),
    *_above("case", lambda f, _: f.key.case or None, "any"),
    ColumnEntry("label", lambda f, _: f.category or None, _in(_ALL, _EVERYWHERE),
                heading="Label", when="any"),
    ColumnEntry("test", lambda f, _: _test(f), _in(_TESTED, "csv")),
    ColumnEntry("test", lambda f, _: capital(name_of_test(f)),
                {"tests": _READ, "further": "page"}, heading="Test"),
    ColumnEntry("coefficient", _attribute("by"), {"agreement": "csv"}),
    ColumnEntry("coefficient", lambda f, _: name_of_coefficient(f), {"agreement": _READ},
                heading="Coefficient"),
    ColumnEntry("system", _name(0), {"systems": _EVERYWHERE}, heading="System"),
    ColumnEntry("first", _name(0), _in(("pairs", "interactions", "agreement"), "csv"), when="any"),
    ColumnEntry("second", _name(1), _in(("pairs", "interactions", "agreement"), "csv"), when="any"),
    ColumnEntry("pair", lambda f, view: versus(names_of(f, view.labels), f.measure),
                {"pairs": _READ, "further": "page", "interactions": _READ},
                heading="First against second"),
    ColumnEntry("systems", lambda f, view: " – ".join(names_of(f, view.labels)) or "all",
                {"agreement": "page"}, heading="Systems", when="many"),
    ColumnEntry("measure", _attribute("measure"), _in(("systems", "pairs", "tests"), "csv")),
    _number("n", _attribute("n"), {"systems": "page paper terminal", "pairs": "page"}, heading="n"),
    *(_number(part, _of_mean(part), {"systems": "page"}, heading=capital(part), when="any")
      for part in ("items", "participants")),
    *(_number(part, _part("tally", part), {"systems": "page"}, heading=capital(part), when="any")
      for part in ("wins", "losses", "ties")),
    _number("value", _attribute("value"), {"systems": _EVERYWHERE}, digits=_digits,
            heading=value_heading),
    _number("value", _attribute("value"), {"pairs": _EVERYWHERE, "further": "page"},
            digits=_digits, heading=_difference_heading),
    _number("value", _attribute("value"), {"tests": "csv", "agreement": _EVERYWHERE},
            digits=_digits, heading="Value"),
    _number("difference of differences", _part("effect", "value"), {"interactions": _EVERYWHERE},
            digits=2, heading="Difference of differences", when="any"),
    ColumnEntry("interval", _attribute("interval"),
                _in(("systems", "pairs", "agreement"), _EVERYWHERE)
                | {"tests": "csv", "further": "page"},
                "interval", _digits, interval_heading),
    ColumnEntry("interval", _part("effect", "interval"), {"interactions": _EVERYWHERE},
                "interval", 2, "Interval", "any"),
    ColumnEntry("interval for new people", _attribute("interval_for_new_people"),
                {"agreement": _EVERYWHERE}, "interval", _digits, "For new participants", "any",
                ("low for new people", "high for new people")),
    _number("n", _attribute("n"), _in(("systems", *_TESTED), "csv")),
    _number("units", _attribute("n"), {"agreement": _EVERYWHERE}, heading="Units"),
    *(_number(part, _attribute(part), _in(("systems", "pairs"), "csv"), when="any")
      for part in ("items", "participants")),
    *(_number(part, _part("tally", part), _in(("systems", "pairs"), "csv"), when="any")
      for part in ("wins", "losses", "ties")),
    *(_number(part, _part("spread", part), {"systems": "csv"}, digits=2, when="any")
      for part in ("sd", "median", "lower", "upper", "normalised", "z")),
    ColumnEntry("statistic", _part("statistic", "name"), _in(_TESTED, "csv"), when="any"),
    _number("statistic value", _part("statistic", "value"), _in(_TESTED, "csv"), digits=2,
            when="any"),
    ColumnEntry("df", lambda f, _: df_text(f.statistic.df) if f.statistic else None,
                _in(_TESTED, "csv"), when="any"),
    ColumnEntry("statistic", lambda f, _: statistic_text(f),
                {"pairs": "paper", "tests": _READ, "further": "page", "interactions": "page paper"},
                "number", heading="Statistic", when="any"),
    ColumnEntry("p", _attribute("p"), _in(_TESTED, "csv"), "p"),
    ColumnEntry("p", lambda f, _: None if f.p_adjusted in {None, f.p} else f.p,
                {"pairs": "page"}, "p", heading="p alone", when="any"),
    ColumnEntry("p corrected", _attribute("p_adjusted"), _in(_TESTED, "csv"), "p"),
    ColumnEntry("p", lambda f, _: final_p(f), _in(_TESTED, _READ) | {"further": "page"}, "p",
                heading=_p_heading),
    ColumnEntry("supported", _attribute("is_supported"), _in(_TESTED, "csv")),
    ColumnEntry("check", _check, {"pairs": "page"}, "number", None, _check_heading, "any"),
    ColumnEntry("outcome", _verdict,
                {"pairs": "page paper", "tests": "page", "further": "page", "interactions": "page"},
                heading="Verdict"),
    ColumnEntry("effects", _effects, {"pairs": "csv", "tests": _EVERYWHERE, "further": "page"},
                heading="Effect", when="any"),
    ColumnEntry("planned", _attribute("is_planned"), _in(_TESTED, "csv")),
    ColumnEntry("role", _attribute("role"), {"pairs": "csv"}),
    ColumnEntry("holds", lambda f, _: POPULATIONS[f.population] if f.population else None,
                {"pairs": "csv"}),
    ColumnEntry("method", _attribute("method"),
                _in(("systems", "pairs", "tests", "agreement"), "csv")),
    ColumnEntry("note", lambda f, _: f.note or None, _in(_ALL, "csv"), when="any"),
)  # fmt: skip


def _test(finding: Finding) -> str:
    return f"{finding.by}{'' if finding.alternative == 'two-sided' else ', one-sided'}"
