"""The tables of what a study could detect, of who took part, and of the pages of their way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import Generalizability, Precision, Profile, Results, Sensitivity, Way
from rejudge.report.sheet import Column, Sheet
from rejudge.report.wording import capital, ended

_POWERS = (0.8, 0.9)
_FACETS = 3  # system, item and participant
IN_PRINT = 40  # rows of a table that could be longer than a page


def reach_sheets(results: Results, labels: Mapping[str, str]) -> Iterator[Sheet]:
    """What each comparison could detect, how precision grows, who took part, how long it took."""
    yield _sensitivity(results.sensitivity, labels)
    yield _precision(results.precision, labels)
    yield _variance(results.reliability)
    yield _reliability(results.reliability)
    if results.profile:
        yield _profile(results.profile)
    if results.way:
        yield _way(results.way)


def _sensitivity(found: Sequence[Sensitivity], labels: Mapping[str, str]) -> Sheet:
    powers = tuple(
        Column(f"{100 * power:g} percent power{said}", 2)
        for power in _POWERS
        for said in (", uncorrected", ", corrected")
    )
    columns = (
        *map(Column, ("question", "test", "first", "second", "unit")),
        Column("n", 0),
        Column("standard error", 3),
        Column("df", 1),
        Column("tests", 0),
        *powers,
        Column("planned"),
        Column("note"),
    )
    rows = tuple(
        (
            each.question,
            each.by,
            *(labels.get(system, system) for system in each.systems),
            each.unit,
            each.n,
            each.standard_error,
            each.df,
            each.tests,
            *(each.smallest(p, corrected=c) for p in _POWERS for c in (False, True)),
            each.is_planned,
            each.note,
        )
        for each in found
        if len(each.systems) == 2  # noqa: PLR2004 - a pair
    )
    caption = "The smallest true difference that each comparison finds with so much power."
    return Sheet("sensitivity", _told(caption, [each.method for each in found]), columns, rows)


def _precision(found: Sequence[Precision], labels: Mapping[str, str]) -> Sheet:
    columns = (
        *map(Column, ("question", "first", "second", "unit", "grows by")),
        *(Column(name, 0) for name in ("participants", "items", "judgments")),
        Column("standard error", 3),
        Column("half width", 2),
        Column("cost", 2),
        Column("currency"),
    )
    rows = tuple(
        (
            each.question,
            *(labels.get(system, system) for system in each.systems),
            each.unit,
            by,
            point.participants,
            point.items,
            point.judgments,
            point.standard_error,
            point.half_width,
            point.cost,
            each.currency,
        )
        for each in found
        if len(each.systems) == 2  # noqa: PLR2004 - a pair
        for by, points in (("participants", each.by_participants), ("items", each.by_items))
        for point in points
    )
    caption = "Half the width of the interval of each comparison, for studies of other sizes."
    told = _told(caption, [each.method for each in found])
    return Sheet("precision", told, columns, rows, IN_PRINT)


def _variance(found: Sequence[Generalizability]) -> Sheet:
    rows = tuple(
        (each.question, part_name(part.facets), part.variance, percent_of(part.share), part.note)
        for each in found
        for part in each.parts
    )
    caption = "Where the variance of single scores comes from."
    columns = (
        *map(Column, ("question", "part")),
        Column("variance", 4),
        Column("share, percent", 1),
        Column("note"),
    )
    return Sheet("variance", _told(caption, [each.method for each in found]), columns, rows)


def part_name(facets: Sequence[str]) -> str:
    """A part of the variance in words; the combination of all has what is left, too."""
    names = " × ".join(facets)
    return f"{names}, and the rest" if len(facets) == _FACETS else names


def percent_of(share: float | None) -> float | None:
    """A share in percent."""
    return None if share is None else 100 * share


def _reliability(found: Sequence[Generalizability]) -> Sheet:
    columns = (
        *map(Column, ("question", "grows by")),
        *(Column(name, 0) for name in ("participants", "items", "judgments of each system")),
        Column("reliability of the order", 3),
        Column("reliability of the means", 3),
        Column("cost", 2),
        Column("currency"),
    )
    rows = tuple(
        (
            each.question,
            by,
            point.participants,
            point.items,
            point.judgments,
            point.relative,
            point.absolute,
            point.cost,
            each.currency,
        )
        for each in found
        for by, points in (("participants", each.by_participants), ("items", each.by_items))
        for point in points
    )
    caption = "How reliably studies of this and of other sizes tell the systems apart."
    return Sheet("reliability", _told(caption, [each.method for each in found]), columns, rows)


def _profile(profile: Profile) -> Sheet:
    rows = []
    for part in profile.parts:
        rows += [
            (part.id, part.prompt, each.answer, each.participants, each.participants_kept)
            for each in part.counts
        ]
        if part.silent:
            rows.append((part.id, part.prompt, "not said", part.silent, part.silent_kept))
    return Sheet(
        "profile",
        ended(f"Who took part: counts of participants. {profile.note}"),
        (
            *map(Column, ("about", "asked", "answer")),
            Column("participants", 0),
            Column("of those who count", 0),
        ),
        tuple(rows),
    )


def _way(way: Way) -> Sheet:
    numbers = ("least", "lower", "median", "upper", "most", "mean", "sd")
    return Sheet(
        "way",
        ended(f"Seconds on each page of the way. {way.measured} {way.note}"),
        (
            Column("page"),
            Column("place", 0),
            Column("n", 0),
            *(Column(name, 1) for name in numbers),
        ),
        tuple(
            (page.page, page.place, page.n, *(getattr(page, name) for name in numbers))
            for page in way.pages
        ),
        IN_PRINT,
    )


def _told(caption: str, methods: Sequence[str]) -> str:
    said = [capital(ended(method)) for method in dict.fromkeys(methods) if method]
    return " ".join([caption, *said[:1]])
