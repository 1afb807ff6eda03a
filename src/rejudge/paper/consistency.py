"""Whether the parts of a paper are consistent: names that are used exist, nothing is given twice.

Printed numbers are accepted as they are, possible or not: `rejudge audit` checks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rejudge.english import did_you_mean, join_quoted
from rejudge.errors import Problem
from rejudge.paper.conditions import FREE, PROPERTIES, Property, property_of
from rejudge.paper.model import Paper, PaperCase, PaperScale, PropertyValue
from rejudge.paper.printed import table_faults
from rejudge.study.draft import Draft
from rejudge.study.yaml_file import Path, YamlFile, field_name

_PAIR = 2


def inconsistencies(draft: Draft[Paper], written: YamlFile, *, file: str) -> list[Problem]:
    """Every inconsistency between two parts of the paper, as far as they could be parsed."""
    check = _PaperConsistency(draft, written, file)
    return [
        *check.duplicate_ids(),
        *check.scales(),
        *check.cases(),
        *check.contingency(),
        *check.claims(),
        *check.conditions(),
        *check.deviations(),
        *check.reproducibility(),
        *check.demographics(),
    ]


@dataclass(frozen=True, slots=True)
class _PaperConsistency:
    """Checks of a draft; each method is one rule."""

    draft: Draft[Paper]
    written: YamlFile
    file: str

    def duplicate_ids(self) -> Iterator[Problem]:
        paper = self.draft.spec
        for section in ("systems", "criteria", "cases", "claims"):
            yield from self._duplicates(
                section,
                [entry.id for entry in getattr(paper, section)],
                "the id '{0}' is used twice, here and on line {1}.",
                "Give each its own id.",
            )
        yield from self._duplicates(
            "criteria",
            [
                f"'{each.question}' in {each.group.column} '{each.group.name}'"
                if each.group and each.question
                else place
                for place, each in enumerate(paper.criteria)
            ],
            "the question {0} is given twice, here and on line {1}.",
            "Give each criterion its own question or group.",
        )
        if paper.reproduces == paper.id and "id" not in self.draft.gone:
            yield self._problem(
                ("reproduces",),
                "the paper reproduces itself.",
                "Name the original, or remove the key if this is an original.",
            )

    def scales(self) -> Iterator[Problem]:
        for place, criterion in enumerate(self.draft.spec.criteria):
            path = (*self.draft.written_path("criteria", place), "scale")
            fault = _scale_fault(criterion.scale)
            if fault:
                yield self._problem(path, *fault)

    def cases(self) -> Iterator[Problem]:
        for place, case in enumerate(self.draft.spec.cases):
            path = self.draft.written_path("cases", place)
            yield from self._scores(case, path)
            yield from self._agreement(case, path)
            yield from self._tests(case, path)

    def _scores(self, case: PaperCase, path: Path) -> Iterator[Problem]:
        medians = {score.criterion for score in case.scores if score.is_median}
        for place, score in enumerate(case.scores):
            here = (*path, "scores", place)
            yield from self._unknown("criteria", (score.criterion,), (*here, "criterion"))
            yield from self._unknown("systems", (score.system,), (*here, "system"))
            is_mean = score.value is not None and not score.is_median
            if score.criterion in medians and is_mean:
                yield self._problem(
                    here,
                    f"some scores on '{score.criterion}' are medians, but this one is a mean.",
                    "Put medians and means into separate cases.",
                )
        yield from self._twice_at(
            (*path, "scores"),
            [(score.criterion, score.system) for score in case.scores],
            "the score of {0[1]} on {0[0]} is given twice, here and on line {1}.",
            "Keep one; numbers of another analysis belong in another case.",
        )

    def _agreement(self, case: PaperCase, path: Path) -> Iterator[Problem]:
        for place, agreement in enumerate(case.agreement):
            here = (*path, "agreement", place)
            if agreement.criterion is not None:
                yield from self._unknown("criteria", (agreement.criterion,), (*here, "criterion"))
            yield from self._unknown("systems", agreement.systems, (*here, "systems"))
            if len(agreement.systems) not in {0, _PAIR}:
                yield self._problem(
                    (*here, "systems"),
                    "agreement is about one pair of systems, or about all.",
                    "Name two systems, or none.",
                )
        yield from self._twice_at(
            (*path, "agreement"),
            [
                (
                    f"{a.coefficient} {a.variant}".strip(),
                    a.criterion or "all criteria",
                    tuple(sorted(a.systems)),
                )
                for a in case.agreement
            ],
            "{0[0]} on {0[1]} is given twice, here and on line {1}.",
            "Keep one of them.",
        )

    def _tests(self, case: PaperCase, path: Path) -> Iterator[Problem]:
        for place, test in enumerate(case.tests):
            here = (*path, "tests", place)
            yield from self._unknown("criteria", (test.criterion,), (*here, "criterion"))
            yield from self._unknown("systems", test.systems, (*here, "systems"))
            if test.systems and (len(test.systems) != _PAIR or len(set(test.systems)) != _PAIR):
                yield self._problem(
                    (*here, "systems"),
                    "a test is about two different systems, or about all at once.",
                    "Name the first and the second system, or omit `systems`.",
                )
        yield from self._twice_at(
            (*path, "tests"),
            [(t.test or "a test", t.criterion, tuple(sorted(t.systems))) for t in case.tests],
            "{0[0]} on {0[1]} for the same systems is given twice, here and on line {1}.",
            "Keep one, or say in `test` what differs.",
        )

    def contingency(self) -> Iterator[Problem]:
        tables = self.draft.spec.contingency
        for place, table in enumerate(tables):
            here = self.draft.written_path("contingency", place)
            yield from self._unknown("criteria", (table.criterion,), (*here, "criterion"))
            for where, what, remedy in table_faults(table):
                yield self._problem((*here, *where), what, remedy)
        yield from self._duplicates(
            "contingency",
            [(table.criterion, *sorted((table.rows, table.columns))) for table in tables],
            "the table of {0[1]} and {0[2]} on {0[0]} is given twice, here and on line {1}.",
            "Keep one of them.",
        )

    def claims(self) -> Iterator[Problem]:
        for place, claim in enumerate(self.draft.spec.claims):
            path = (*self.draft.written_path("claims", place), "says")
            yield from self._unknown("systems", dict.fromkeys(claim.systems), path)
            yield from self._unknown("criteria", (claim.question,), path)
            if len(set(claim.systems)) < len(claim.systems):
                yield self._problem(
                    path,
                    f"'{claim.says}' compares a system with itself.",
                    "Name different systems.",
                )

    def conditions(self) -> Iterator[Problem]:
        for key, value in self.draft.spec.conditions.items():
            path = ("conditions", key)
            known = property_of(key)
            if known is None:
                yield self._no_property(key, path)
            elif not _holds(value, known):
                yield self._problem(
                    path, f"'{key}' must be {_kind(known)}, not {_as_text(value)}.", _write(known)
                )

    def deviations(self) -> Iterator[Problem]:
        stated = self.draft.spec.deviations
        if stated and self.draft.spec.reproduces is None:
            yield self._no_original(("deviations",), "deviations")
        for place, deviation in enumerate(stated):
            if property_of(deviation.property) is None:
                path = (*self.draft.written_path("deviations", place), "property")
                yield self._no_property(deviation.property, path)
        yield from self._duplicates(
            "deviations",
            [deviation.property for deviation in stated],
            "the deviation in '{0}' is given twice, here and on line {1}.",
            "Merge both into one entry.",
        )

    def reproducibility(self) -> Iterator[Problem]:
        paper = self.draft.spec
        if paper.reproducibility and paper.reproduces is None:
            yield self._no_original(("reproducibility",), "reproducibility figures")
        cases = [case.id for case in paper.cases]
        for place, figure in enumerate(paper.reproducibility):
            here = self.draft.written_path("reproducibility", place)
            if figure.criterion is not None:
                yield from self._unknown("criteria", (figure.criterion,), (*here, "criterion"))
            if figure.system is not None:
                yield from self._unknown("systems", (figure.system,), (*here, "system"))
            if cases and figure.case not in cases and "cases" not in self.draft.broken:
                yield self._problem(
                    (*here, "case"),
                    f"there is no case '{figure.case}'.",
                    did_you_mean(figure.case, cases) or f"The cases are {join_quoted(cases)}.",
                )

    def demographics(self) -> Iterator[Problem]:
        parts = self.draft.spec.demographics
        yield from self._duplicates(
            "demographics",
            [each.what for each in parts],
            "'{0}' is given twice, here and on line {1}.",
            "Merge both into one entry.",
        )
        for place, each in enumerate(parts):
            numbers = (each.low, each.high, each.mean, each.median, each.sd)
            groups = each.counts or each.percent
            if not groups and all(number is None for number in numbers):
                yield self._problem(
                    self.draft.written_path("demographics", place),
                    f"there are no numbers for '{each.what}'.",
                    "Give `counts` or `percent`, or `mean`, `sd`, `median`, `low`, `high`.",
                )

    def _duplicates(
        self, section: str, names: Sequence[object], what: str, remedy: str
    ) -> Iterator[Problem]:
        paths = [self.draft.written_path(section, place) for place in range(len(names))]
        yield from self._repeated_entries(paths, names, what, remedy)

    def _twice_at(
        self, around: Path, names: Sequence[object], what: str, remedy: str
    ) -> Iterator[Problem]:
        paths = [(*around, place) for place in range(len(names))]
        yield from self._repeated_entries(paths, names, what, remedy)

    def _repeated_entries(
        self, paths: Sequence[Path], names: Sequence[object], what: str, remedy: str
    ) -> Iterator[Problem]:
        first: dict[object, Path] = {}
        for path, name in zip(paths, names, strict=True):
            before = first.setdefault(name, path)
            if before != path:
                yield self._problem(path, what.format(name, self.written.line(before)), remedy)

    def _unknown(self, section: str, names: Iterable[str], path: Path) -> Iterator[Problem]:
        if section in self.draft.gone or section in self.draft.broken:
            return  # that error has been reported already
        known = [entry.id for entry in getattr(self.draft.spec, section)]
        noun = {"criteria": "criterion", "systems": "system"}[section]
        for name in names:
            if name not in known:
                yield self._problem(
                    path,
                    f"there is no {noun} '{name}'.",
                    did_you_mean(name, known) or f"The {section} are {join_quoted(known)}.",
                )

    def _no_property(self, key: str, path: Path) -> Problem:
        known = [condition.key for condition in PROPERTIES]
        remedy = did_you_mean(key, known) or f"The conditions are {join_quoted(known)}."
        return self._problem(
            path,
            f"there is no condition '{key}'.",
            f"{remedy} Your own conditions begin with `{FREE}`.",
        )

    def _no_original(self, path: Path, what: str) -> Problem:
        return self._problem(
            path,
            f"an original has no {what}.",
            "State with `reproduces:` which study this reproduces.",
        )

    def _problem(self, path: Path, what: str, remedy: str) -> Problem:
        line = self.written.line(path)
        return Problem(what, remedy, file=self.file, line=line, field=field_name(path))


def _scale_fault(scale: PaperScale) -> tuple[str, str] | None:
    if scale.kind == "unbounded":
        if scale.low is None and scale.high is None:
            return None
        return "an unbounded scale has no ends.", "Remove `low` and `high`, or name its kind."
    if scale.low is None or scale.high is None:
        return (
            "the ends of the scale are missing.",
            "Give `low` and `high`: the lowest and the highest possible score.",
        )
    if scale.low >= scale.high:
        return (
            f"the lower end {scale.low:g} is not below the upper end {scale.high:g}.",
            "Swap them; `better` states which scores are better.",
        )
    return None


def _holds(value: PropertyValue, known: Property) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if known.key.startswith(FREE):
        return True
    return {
        "text": isinstance(value, str),
        "number": is_number,
        "truth": isinstance(value, bool),
        "list": isinstance(value, tuple),
        "number or text": is_number or isinstance(value, str),
    }[known.holds]


def _as_text(value: PropertyValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "a list"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _kind(known: Property) -> str:
    return {
        "text": "text",
        "number": "a number",
        "truth": "true or false",
        "list": "a list",
        "number or text": "a number or text",
    }[known.holds]


def _write(known: Property) -> str:
    example = {
        "text": "text, in quotes if it looks like a number",
        "number": "just a number, such as 3",
        "truth": "true or false",
        "list": "a list, such as [a, b]",
        "number or text": "a number or text",
    }
    return f"Write {example[known.holds]}."
