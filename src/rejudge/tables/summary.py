"""The table that papers print: systems by questions, groups in one cell, cases as blocks.

The better system of each tested pair is bold, both if their printed numbers are equal. A star marks
a system that the headline test supports as better than every system it was tested against. With
the pair "both, multi" that is the better of the two; with a baseline against all others, each
system that is better than the baseline; with all pairs, the best system, if it is better than all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from rejudge.analysis.evidence import is_first_ahead, sign_of
from rejudge.analysis.results import Results
from rejudge.english import capital, join_words, span
from rejudge.findings.model import Finding, Group
from rejudge.layout.numbers import number
from rejudge.layout.table import Column, EmphasisedText, Table, file_name, tabulate
from rejudge.tables.findings import tests_in_words
from rejudge.tables.view import Labels
from rejudge.tables.wording import NOUNS, WEIGHTED_INPUTS, pair_limits, pairs_in_words

_MOST_IN_A_CELL = 4  # groups side by side; more have a block each
_MEASURES = {"mean": "Means", "win-percent": "Percentages of comparisons won"}


@dataclass(frozen=True, slots=True)
class SummaryCell:
    """One number of the table: a system on a question, in a group and a case."""

    case: str
    group: str
    question: str
    system: str
    finding: Finding
    is_normalised: bool
    is_best: bool = False  # of every pair that it was tested in
    is_supported: bool = False  # as better than every system that it was tested against

    @property
    def value(self) -> float | None:
        """The number as it is printed: on the scale, or from 0 to 1."""
        return self.normalised if self.is_normalised else self.finding.value

    @property
    def normalised(self) -> float | None:
        """The mean from 0 to 1; None where the ends of the scale are not known."""
        return None if self.finding.spread is None else self.finding.spread.normalised

    @property
    def text(self) -> str:
        """The number in print."""
        return number(self.value, 2 if self.finding.measure == "mean" else 1)

    @property
    def piece(self) -> tuple[str, bool]:
        """The cell in print, and whether it is bold."""
        return f"{self.text}{'*' if self.is_supported else ''}", self.is_best


def summary_tables(results: Results, labels: Labels) -> Iterator[Table]:
    """One table of all judgments, and one for each column of groups."""
    if not any(f.role == "headline" for f in results.select()):
        return
    for column in ("", *(each.column for each in results.groups)):
        cells = list(_cells(results, column))
        if cells:
            yield _table(results, column, cells, labels)


def _cells(results: Results, column: str) -> Iterator[SummaryCell]:
    """Every number: in the order of cases, groups, questions and systems."""
    groups = next((each.sizes for each in results.groups if each.column == column), ())
    names = [size.name for size in groups] if column else [""]
    cases = [case.id for case in results.cases] or [""]
    for case, group in product(cases, names):
        address = (Group(column, group),) if column else ()
        found = results.select(group=address, case=case)
        for question in dict.fromkeys(f.question for f in found):
            own = [f for f in found if f.question == question]
            scores = [f for f in own if f.by in {"mean", "wins"} and f.measure in _MEASURES]
            tests = [f for f in own if f.role == "headline" and f.value is not None]
            made = [
                SummaryCell(case, group, question, f.systems[0], f, results.is_normalised)
                for f in scores
            ]
            yield from _marked(made, tests)


def _marked(cells: Sequence[SummaryCell], tests: Sequence[Finding]) -> Iterator[SummaryCell]:
    by_system = {cell.system: cell for cell in cells}
    for cell in cells:
        own = [f for f in tests if cell.system in f.systems]
        others = [
            by_system[other]
            for f in own
            for other in f.systems
            if other != cell.system and other in by_system
        ]
        is_comparable = cell.value is not None and all(
            each.finding.is_comparable and each.value is not None for each in (cell, *others)
        )
        tested = [f for f in own if f.is_supported is not None]
        yield replace(
            cell,
            is_best=is_comparable and bool(others) and not any(_is_ahead(o, cell) for o in others),
            is_supported=bool(tested)
            and all(f.is_supported and _winner(f) == cell.system for f in tested),
        )


def _is_ahead(other: SummaryCell, cell: SummaryCell) -> bool:
    """Whether another system is better in the digits that are printed."""
    return other.text != cell.text and sign_of((other.value or 0.0) - (cell.value or 0.0)) > 0


def _winner(finding: Finding) -> str:
    return finding.systems[0 if is_first_ahead(finding) else 1]


def _table(results: Results, column: str, cells: Sequence[SummaryCell], labels: Labels) -> Table:
    groups = list(dict.fromkeys(cell.group for cell in cells))
    is_side_by_side = len(groups) <= _MOST_IN_A_CELL
    blocks: dict[tuple[str, str], list[SummaryCell]] = {}
    for cell in cells:
        block = (cell.case, "" if is_side_by_side else cell.group)
        blocks.setdefault(block, []).append(cell)
    questions = list(dict.fromkeys(cell.question for cell in cells))
    systems = list(dict.fromkeys(cell.system for cell in cells))
    caption = " ".join(_legend(results, column, groups if is_side_by_side else [], cells, labels))
    name = f"summary-by-{file_name(column)}" if column else "summary"
    rows = [
        (
            ", ".join(filter(None, head)),
            labels.get(system, system),
            *(_printed(inside, question, system, groups) for question in questions),
        )
        for head, inside in blocks.items()
        for system in systems
    ]
    in_print = Table(
        name,
        caption,
        (Column("System"), *(Column(q, 0, heading=q) for q in questions)),
        tuple(row[1:] for row in rows),
        blocks=tuple(row[0] for row in rows) if any(map(any, blocks)) else (),
    )
    files = tabulate(
        name,
        caption,
        cells,
        (Column("case"), lambda cell: cell.case or None),
        (Column("group"), lambda cell: cell.group or None),
        (Column("question"), "question"),
        (Column("system"), lambda cell: labels.get(cell.system, cell.system)),
        (Column("value", 2), lambda cell: cell.finding.value),
        (Column("normalised", 2), "normalised"),
        (Column("best"), "is_best"),
        (Column("supported"), "is_supported"),
    )
    return replace(files.without_empty("case", "group", "normalised"), in_print=in_print)


def _printed(
    cells: Sequence[SummaryCell], question: str, system: str, groups: Sequence[str]
) -> EmphasisedText:
    known: Mapping[str, SummaryCell] = {
        cell.group: cell for cell in cells if (cell.question, cell.system) == (question, system)
    }
    inside = {cell.group for cell in cells}
    pieces: list[tuple[str, bool]] = []
    for group in (group for group in groups if group in inside):
        cell = known.get(group)
        pieces += [(" / ", False)] if pieces else []
        pieces.append(("–", False) if cell is None else cell.piece)
    return EmphasisedText.of(pieces)


def _legend(
    results: Results,
    column: str,
    groups: Sequence[str],
    cells: Sequence[SummaryCell],
    labels: Labels,
) -> Iterator[str]:
    """What the numbers, bold face and stars are: measure, test, correction, level, n."""
    findings = [cell.finding for cell in cells]
    kinds = [_MEASURES[each] for each in dict.fromkeys(f.measure for f in findings)]
    scale = ", from 0 to 1" if results.is_normalised and "Means" in kinds else ""
    side = f", {' / '.join(groups)}" if column and groups else f" by {column}" if column else ""
    prefix = "Simulated. " if results.flow.is_simulated else ""
    yield f"{prefix}{capital(join_words([kinds[0], *map(str.lower, kinds[1:])]))}{scale}{side}."
    yield "Bold: the better of each tested pair."
    tests = [f for f in results.findings if f.role == "headline" and not f.key.pooled]
    wanted = [f for f in tests if bool(f.key.group) == bool(column)]
    yield (
        f"*: supported by {tests_in_words(wanted)}, {_correction(results, wanted)}, level "
        f"{1 - results.signature.level:.2g}."
    )
    if any(f.is_weighted for f in findings):
        yield WEIGHTED_INPUTS
    if not all(f.is_comparable for f in findings):
        yield "Means over different items or people are not ranked."
    limits = {each.pairs for each in results.limited_pairs}
    if len(limits) == 1:
        yield f"Tested: {pairs_in_words(next(iter(limits)), labels)}."
    else:
        yield from (f"{each}." for each in pair_limits(results, labels))
    sizes = sorted({f.n for f in findings if f.n})
    if sizes:
        yield f"n = {span(sizes, NOUNS[findings[0].n_of])} of each system."


def _correction(results: Results, tests: Sequence[Finding]) -> str:
    if results.signature.correction == "none":
        return "not corrected"
    over = "all planned tests" if all(f.is_planned for f in tests) else "the tests of a question"
    return f"{results.signature.correction.title()} correction over {over}"
