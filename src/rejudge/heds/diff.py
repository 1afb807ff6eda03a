"""What differs between two datasheets, question by question, and why.

Both sheets are read as 3.0. Answers are compared by what they mean: options as sets, counts by
their first number, scales by their values, texts without regard to blanks and quotes, and all ways
of writing "not applicable" alike. A blank answer is unknown, which is not a difference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from rejudge import fingerprint
from rejudge.errors import DataError, FileError, Problem, UsageError
from rejudge.heds.check import ParsedScale, parse_scale
from rejudge.heds.convert import as_newer
from rejudge.heds.schema import SheetQuestion, schema
from rejudge.heds.sheet import Sheet, SheetAnswer, SheetCell, describe_answer
from rejudge.layout.table import Column, Table
from rejudge.spreadsheet import csv_rows

if TYPE_CHECKING:
    from rejudge.compare.comparison import Comparison
    from rejudge.compare.run import Run
    from rejudge.paper.model import StatedDeviation


DifferenceClass: TypeAlias = Literal["measurement", "sample", "procedure", "analysis", "expected"]
ReasonKey: TypeAlias = tuple[str, str]  # number of the question, criterion ("" outside section 4)

_EXPECTED: Final = ("1.", "3.1.3.", "3.3.1", "5.", "4.3.11.2", "4.3.12.2")
_SAMPLE: Final = ("3.1.1", "3.1.2", "3.2.1", "3.2.2.", "3.2.4", "3.2.5")
_ANALYSIS: Final = ("4.3.9", "4.3.10", "4.3.11.1", "4.3.12.1")
_COUNTS: Final = ("3.1.1", "3.2.1")
_NUMBERS: Final = ("3.1.3.2", "4.3.3", "4.3.11.2", "4.3.12.2")
_MOST_DIGITS: Final = 15  # of a count; Python reads at most 4,300
_FIRST_COUNT: Final = re.compile(r"\d[\d,.  ]*\d|\d")
_FIRST_NUMBER: Final = re.compile(r"[-−]?(?:\d+(?:\.\d+)?|\.\d+)")
_QUOTES: Final = str.maketrans({**dict.fromkeys("“”„«»″", '"'), **dict.fromkeys("‘’‚′`", "'")})
_DASHES: Final = str.maketrans(dict.fromkeys("–—−‑", "-"))
_LONGEST: Final = 10_000  # values of a range that are written out to compare it with a list
_COLUMNS: Final = (
    "question",
    "label",
    "criterion",
    "original",
    "other",
    "class",
    "note",
    "reason",
)
_PRINTED: Final = ("question", "original", "other", "class", "reason")
_GONE: Final = "no longer differs"


@dataclass(frozen=True, slots=True)
class SheetDifference:
    """One question that two sheets answer differently."""

    question: str  # its number in 3.0
    label: str
    criterion: str | None  # as the original calls it
    original: str
    other: str
    group: DifferenceClass
    note: str = ""
    reason: str = ""  # why; written by people, and kept from one comparison to the next

    @property
    def key(self) -> ReasonKey:
        """What a reason is stored under."""
        return self.question, self.criterion or ""


@dataclass(frozen=True, slots=True)
class SheetDiff:
    """The comparison of two sheets."""

    differences: tuple[SheetDifference, ...]
    equal: int  # answers that say the same
    unanswered: tuple[str, ...]  # questions that only one of the sheets answers, in words
    criteria: Mapping[str, str]  # by the name in the original, the name in the other sheet
    only_original: tuple[str, ...]  # criteria without a counterpart
    only_other: tuple[str, ...]

    @property
    def compared(self) -> int:
        """Questions that both sheets answer."""
        return self.equal + len(self.differences)

    @property
    def deviations(self) -> tuple[SheetDifference, ...]:
        """Differences that are not expected between an original and its reproduction."""
        return tuple(each for each in self.differences if each.group != "expected")


def diff(
    original: Sheet,
    other: Sheet,
    *,
    criteria: Mapping[str, str] | None = None,
    reasons: Mapping[ReasonKey, str] | None = None,
) -> SheetDiff:
    """Compare two sheets. `criteria` has names in the original by names in the other sheet."""
    first, second = (as_newer(sheet) for sheet in (original, other))
    pairs = _align(first, second, criteria or {})
    known = reasons or {}
    differences: list[SheetDifference] = []
    unanswered: list[str] = []
    equal = 0
    for one, two in _cell_pairs(first, second, pairs):
        answers = (
            first.answer(one.question, one.criterion),
            second.answer(two.question, two.criterion),
        )
        blank = [answer.state == "blank" for answer in answers]
        if all(blank):
            continue
        if any(blank):
            unanswered.append(str(one))
        elif are_equal(one.question, *answers):
            equal += 1
        else:
            found = _difference(one, *answers)
            differences.append(replace(found, reason=known.get(found.key, "")))
    return SheetDiff(
        differences=tuple(differences),
        equal=equal,
        unanswered=tuple(unanswered),
        criteria=pairs,
        only_original=tuple(name for name in first.criteria if name not in pairs),
        only_other=tuple(name for name in second.criteria if name not in pairs.values()),
    )


def difference_class(number: str) -> DifferenceClass:
    """What a question (its number in 3.0) is about, in the comparison of two studies."""
    if _is_among(number, _EXPECTED):
        return "expected"
    if _is_among(number, _SAMPLE):
        return "sample"
    if _is_among(number, _ANALYSIS):
        return "analysis"
    return "procedure" if number.startswith("3.") else "measurement"


def _align(first: Sheet, second: Sheet, given: Mapping[str, str]) -> dict[str, str]:
    """Criteria by name, else by name in any case, else by what the user says, else by QCET name."""
    _refuse_unknown(first, second, given)
    pairs = {ours: theirs for theirs, ours in given.items()}
    for spell in (str, str.casefold):
        _match(pairs, _by_key(first, spell), _by_key(second, spell))
    _match(pairs, _by_standard_name(first), _by_standard_name(second))
    return {name: pairs[name] for name in first.criteria if name in pairs}


def _match(pairs: dict[str, str], ours: Mapping[str, str], theirs: Mapping[str, str]) -> None:
    """Add the pairs with equal keys; each criterion has one counterpart at most."""
    for key, name in ours.items():
        match = theirs.get(key)
        if key and match is not None and name not in pairs and match not in pairs.values():
            pairs[name] = match


def _by_key(sheet: Sheet, spell: Callable[[str], str]) -> dict[str, str]:
    return {spell(name): name for name in reversed(sheet.criteria)}


def _by_standard_name(sheet: Sheet) -> dict[str, str]:
    answers = {name: sheet.answer("4.3.1.2", name) for name in reversed(sheet.criteria)}
    return {
        answer.text.strip().casefold(): name
        for name, answer in answers.items()
        if answer.state == "value"
    }


def _refuse_unknown(first: Sheet, second: Sheet, given: Mapping[str, str]) -> None:
    for theirs, ours in given.items():
        for name, sheet, which in ((theirs, second, "second"), (ours, first, "first")):
            if name not in sheet.criteria:
                known = ", ".join(sheet.criteria) or "none"
                what = f"The {which} sheet has no criterion '{name}'."
                raise DataError(Problem(what, f"Its criteria: {known}."))


def _cell_pairs(
    first: Sheet, second: Sheet, pairs: Mapping[str, str]
) -> Iterator[tuple[SheetCell, SheetCell]]:
    for question in first.schema.questions:
        if not question.per_criterion:
            yield SheetCell(question), SheetCell(second.schema.question(question.number))
    for name, other in pairs.items():
        for question in first.schema.questions:
            if question.per_criterion:
                yield SheetCell(question, name), SheetCell(question, other)


def _difference(cell: SheetCell, one: SheetAnswer, two: SheetAnswer) -> SheetDifference:
    question = cell.question
    return SheetDifference(
        question=question.number,
        label=question.label,
        criterion=cell.criterion,
        original=describe_answer(question, one),
        other=describe_answer(question, two),
        group=difference_class(question.number),
        note=_note(question, one, two),
    )


def _note(question: SheetQuestion, one: SheetAnswer, two: SheetAnswer) -> str:
    if question.is_choice and one.options == two.options:
        return "The options are the same, the explanations are not."
    if "absent" in {one.state, two.state}:
        return ""
    ratio = number_ratio(question, one.text, two.text)
    return f"{ratio:.2g} times the original." if ratio is not None else ""


def _is_among(number: str, known: tuple[str, ...]) -> bool:
    return any(number == each or (each.endswith(".") and number.startswith(each)) for each in known)


def are_equal(question: SheetQuestion, one: SheetAnswer, two: SheetAnswer) -> bool:
    """Whether two answers to a question of 3.0 say the same."""
    if "absent" in {one.state, two.state}:
        return one.state == two.state and one.options == two.options
    if question.is_choice:
        return set(one.options) == set(two.options) and _same_text(one.text, two.text)
    measured = _same_measure(question, one.text, two.text)
    return _same_text(one.text, two.text) if measured is None else measured


def _same_measure(question: SheetQuestion, one: str, two: str) -> bool | None:
    """Compared as counts, numbers or scales; None where the texts are none of these."""
    if question.number in _COUNTS:
        first, second = _first_count(one), _first_count(two)
        return None if first is None or second is None else first == second
    if question.number in _NUMBERS:
        low, high = _first_number(one), _first_number(two)
        return None if low is None or high is None else math.isclose(low, high, abs_tol=1e-9)
    if question.number == "4.3.4":
        scales = parse_scale(one), parse_scale(two)
        return _same_scale(scales[0], scales[1]) if scales[0] and scales[1] else None
    return None


def number_ratio(question: SheetQuestion, one: str, two: str) -> float | None:
    """How many times the first count the second one is; None where there are no counts."""
    if question.number not in _COUNTS:
        return None
    first, second = _first_count(one), _first_count(two)
    return second / first if first and second is not None else None


def _first_count(text: str) -> int | None:
    """The first whole number: `1,000 outputs` and `1 000` are a thousand."""
    found = _FIRST_COUNT.search(text)
    if found is None:
        return None
    head = re.match(r"\d{1,3}(?:[,. \u202f\u00a0]\d{3})+(?!\d)", found[0])
    digits = re.sub(r"\D", "", head[0]) if head else re.split(r"\D", found[0])[0]
    return int(digits) if len(digits) <= _MOST_DIGITS else None


def _first_number(text: str) -> float | None:
    found = _FIRST_NUMBER.search(text)
    return float(found[0].replace("−", "-")) if found else None


def _same_scale(one: ParsedScale, two: ParsedScale) -> bool:
    labels = [tuple(_plain(label) for label in scale.labels) for scale in (one, two)]
    is_labelled_alike = (
        not all(labels) or len(labels[0]) != len(labels[1]) or labels[0] == labels[1]
    )
    return _values(one) == _values(two) and is_labelled_alike


def _values(scale: ParsedScale) -> tuple[str, ...]:
    size = scale.size
    if scale.kind != "range" or size is None or size > _LONGEST:
        return tuple(_plain(value) for value in scale.values)
    low = int(float(scale.values[0]))
    return tuple(str(low + step) for step in range(size))


def _same_text(one: str, two: str) -> bool:
    return _plain(one) == _plain(two)


def _plain(text: str) -> str:
    words = text.translate(_QUOTES).translate(_DASHES).casefold().split()
    return " ".join(words).rstrip(".")


def difference_table(
    found: SheetDiff, reasons: Mapping[ReasonKey, str] | None = None, *, name: str = "heds-diff"
) -> Table:
    """One row for each difference; a reason given for what no longer differs stays in the CSV."""
    known = {each.key for each in found.differences}
    gone = [
        (question, "", criterion, "", "", "", _GONE, reason)
        for (question, criterion), reason in (reasons or {}).items()
        if reason and (question, criterion) not in known
    ]
    rows = (*(_row(each) for each in found.differences), *gone)
    columns = tuple(Column(each) for each in _COLUMNS)
    return Table(name, _caption(found), columns, rows, in_print=_printed(found, name))


def read_reasons(content: bytes, *, file: str) -> dict[ReasonKey, str]:
    """The reasons in a table that was written before."""
    remedy = "Restore its columns, or delete the file."
    try:
        head, *rows = csv_rows(content.decode("utf-8-sig"))
        places = [head.index(name) for name in ("question", "criterion", "reason")]
    except (UnicodeDecodeError, ValueError):
        what = "this is not a table of differences that rejudge has written."
        raise FileError(Problem(what, remedy, file=file)) from None
    found: dict[ReasonKey, str] = {}
    for row in rows:
        if len(row) > max(places):
            question, criterion, reason = (row[place].strip() for place in places)
            found[question, criterion] = reason
    return {key: reason for key, reason in found.items() if reason}


def _row(each: SheetDifference) -> tuple[str, ...]:
    criterion = each.criterion or ""
    values = (each.original, each.other, each.group, each.note, each.reason)
    return (each.question, each.label, criterion, *values)


def _printed(found: SheetDiff, name: str) -> Table:
    """For papers: without what is expected to differ, such as who completed the sheet."""
    rows = tuple(
        (
            f"{each.question} {each.label}" + (f" ({each.criterion})" if each.criterion else ""),
            _shorten(each.original),
            _shorten(each.other),
            each.group,
            each.reason,
        )
        for each in found.deviations
    )
    caption = f"Deviations between two datasheets. Of the {found.compared} answers that both give, "
    caption += f"{len(found.differences)} differ; {len(rows)} of these are deviations."
    return Table(name, caption, tuple(Column(each) for each in _PRINTED), rows)


def _shorten(text: str, longest: int = 200) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def _caption(found: SheetDiff) -> str:
    return (
        f"Differences between two datasheets: {len(found.differences)} of the {found.compared} "
        "answers that both give."
    )


_PREFIX: Final = "x-heds-"
_LONGEST_CELL: Final = 160  # letters of an answer in a table
_KNOWN: Final[Mapping[str, tuple[str, ...]]] = {  # conditions that studies and papers state
    "2.4": ("language",),
    "2.5": ("language",),
    "3.1.1": ("items", "units"),
    "3.1.2": ("sampling",),
    "3.2.1": ("participants",),
    "3.2.2.1": ("expertise",),
    "3.2.2.2": ("pay-per-hour", "pay-per-batch"),
    "3.2.2.4": ("includes-authors",),
    "3.2.3": ("platform", "recruitment"),
    "3.2.4": ("training",),
    "3.3.2": ("platform", "interface"),
    "4.3.2": ("definitions",),
    "4.3.4": ("scale",),
    "4.3.8": ("elicitation",),
    "4.3.10": ("test",),
}


def with_sheets(runs: Sequence[Run], sheets: Sequence[Sheet]) -> tuple[Run, ...]:
    """The runs with what their datasheets say; the original and its sheet come first."""
    if len(runs) != len(sheets):
        what = f"There are {len(runs)} runs, but {len(sheets)} datasheets."
        raise UsageError(Problem(what, "Give one for each run, in the same order."))
    original, *others = runs
    first, *rest = (as_newer(sheet) for sheet in sheets)
    told: dict[str, str] = {}
    described = []
    for run, sheet in zip(others, rest, strict=True):
        found = diff(first, sheet)
        ours, theirs = _conditions(first, sheet, found, (original, run))
        told |= ours
        stated = [
            _stated(each)
            for each in found.deviations
            if _key(each.question, each.criterion) in theirs
        ]
        described.append(
            replace(
                run,
                conditions={**run.conditions, **theirs},
                deviations=(*run.deviations, *stated),
            )
        )
    return replace(original, conditions={**original.conditions, **told}), *described


def title_conditions(comparison: Comparison) -> Comparison:
    """The comparison with conditions from datasheets under the names of their questions."""
    return replace(
        comparison,
        conditions=tuple(
            replace(each, title=_title(each.property, each.title)) for each in comparison.conditions
        ),
        deviations=tuple(
            replace(each, title=_title(each.property, each.title)) for each in comparison.deviations
        ),
    )


def _conditions(
    first: Sheet, second: Sheet, found: SheetDiff, runs: tuple[Run, Run]
) -> tuple[dict[str, str], dict[str, str]]:
    """What both sheets say, by condition; the same words where they say the same."""
    ours: dict[str, str] = {}
    theirs: dict[str, str] = {}
    differing = {each.key: each for each in found.differences}
    for number, criterion in _compared(first, second, found):
        if any(all(name in run.conditions for run in runs) for name in _KNOWN.get(number, ())):
            continue
        key = _key(number, criterion)
        one = first.answer(number, criterion)
        ours[key] = theirs[key] = _shorten_condition(
            describe_answer(first.schema.question(number), one)
        )
        difference = differing.get((number, criterion or ""))
        if difference is not None:
            theirs[key] = _shorten_condition(difference.other)
    return ours, theirs


def _compared(first: Sheet, second: Sheet, found: SheetDiff) -> Iterator[tuple[str, str | None]]:
    for question in first.schema.questions:
        if difference_class(question.number) == "expected":
            continue
        names = found.criteria.items() if question.per_criterion else ((None, None),)
        for name, other in names:
            answers = first.answer(question, name), second.answer(question, other)
            if all(answer.state != "blank" for answer in answers):
                yield question.number, name


def _stated(difference: SheetDifference) -> StatedDeviation:
    from rejudge.paper.model import StatedDeviation

    return StatedDeviation(
        property=_key(difference.question, difference.criterion),
        reason=difference.reason,
        note=difference.note,
    )


def _key(number: str, criterion: str | None) -> str:
    return f"{_PREFIX}{number}" + (f"-{criterion}" if criterion else "")


def _title(key: str, title: str) -> str:
    if not key.startswith(_PREFIX):
        return title
    number, _, criterion = key.removeprefix(_PREFIX).partition("-")
    label = schema("3.0").question(number).label
    return f"HEDS {number} {label}" + (f" ({criterion})" if criterion else "")


def _shorten_condition(text: str) -> str:
    """An answer for a table; what is cut off is distinguished by a fingerprint."""
    words = " ".join(text.split())
    if len(words) <= _LONGEST_CELL:
        return words
    mark = fingerprint.of_bytes(words.encode("utf-8", "replace"))[:6]
    return f"{words[:_LONGEST_CELL]}… ({mark})"
