"""Type IV: which findings of the original a run confirms; three families, never mixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

from rejudge.analysis import Verdict, is_reverse_supported, sign_of
from rejudge.compare.aligned import Aligned
from rejudge.compare.comparison import ClaimVerdict, Confirmed
from rejudge.compare.contrasts import as_test, contrast_of, decisive
from rejudge.stats import matching_accuracy

Family: TypeAlias = Literal["pairwise-ranks", "claims", "significance"]
ALL = "all"

_CONFIRMS: Mapping[Verdict, bool | None] = {
    "upheld": True,
    "contradicted": False,
    "undecided": False,
    "not-upheld": False,
    "not-testable": None,
    "out-of-scope": None,
}
_TIES = "Equal scores are equal as printed; unrounded ones may differ."
_NO_CLAIMS = "The original makes no claim in a form that can be tested."
_NOT_TESTED = "The original names no difference that it found significant by a test."


@dataclass(frozen=True, slots=True)
class Checked:
    """A finding of the original and what became of it in one run; None: it cannot be assessed.

    What is not confirmed is contradicted only where a test or an interval supports the opposite.
    """

    criterion: str
    says: str
    is_confirmed: bool | None
    is_contradicted: bool = False


def confirmed(aligned: Aligned, verdicts: Sequence[ClaimVerdict]) -> tuple[Confirmed, ...]:
    """Pairwise ranks, claims and significance: each run, and what every run confirms."""
    ranks = {run.id: tuple(_ranks(aligned, run.id)) for run in aligned.others}
    tests = {run.id: tuple(_tests(aligned, run.id)) for run in aligned.others}
    claims = {run.id: tuple(_claims(aligned, verdicts, run.id)) for run in aligned.others}
    return (
        *_counted(aligned, "pairwise-ranks", ranks),
        *_counted(aligned, "claims", claims),
        *_counted(aligned, "significance", tests),
    )


def _ranks(aligned: Aligned, run: str) -> Iterator[Checked]:
    """For each pair of systems: lower, equal or higher in both."""
    here = next(each for each in aligned.others if each.id == run)
    for criterion in aligned.criteria:
        both = (aligned.original.id, run)
        systems = aligned.shared(criterion.id, both)
        one, two = (
            [aligned.scores[criterion.id, each, system].value for system in systems]
            for each in both
        )
        same = matching_accuracy(one, two).matched  # type: ignore[arg-type]  # numbers in a list
        for (i, j), is_same in zip(combinations(range(len(systems)), 2), same, strict=True):
            sign = sign_of(one[i] - one[j])
            says = f"{systems[i]} {'<=>'[sign + 1]} {systems[j]} on {criterion.id}"
            test = contrast_of(here, criterion.id, *(systems[i], systems[j])[:: sign or 1])
            is_reversed = bool(sign) and test is not None and is_reverse_supported(as_test(test))
            yield Checked(criterion.id, says, is_same, is_reversed and not is_same)


def _claims(aligned: Aligned, verdicts: Sequence[ClaimVerdict], run: str) -> Iterator[Checked]:
    asked = {claim.id: claim.question for claim in aligned.original.claims}
    for each in verdicts:
        if each.run == run:
            is_contradicted = each.verdict == "contradicted"
            is_confirmed = _CONFIRMS[each.verdict]
            yield Checked(asked[each.claim], each.says, is_confirmed, is_contradicted)


def _tests(aligned: Aligned, run: str) -> Iterator[Checked]:
    """What the original found significant: is it so again, the same way round?"""
    here = next(each for each in aligned.others if each.id == run)
    for found in decisive(aligned.original):
        sign = sign_of(found.difference)
        if not found.is_significant or not sign:
            continue
        first, second = (found.first, found.second)[::sign]
        again = contrast_of(here, found.criterion, first, second)
        says = f"{first} > {second} on {found.criterion}"
        if again is None or again.is_significant is None:
            yield Checked(found.criterion, says, None)
        else:
            where = sign_of(again.difference)
            yield Checked(
                found.criterion,
                says,
                again.is_significant and where == 1,
                again.is_significant and where == -1,
            )


def _counted(
    aligned: Aligned, family: Family, by_run: Mapping[str, Sequence[Checked]]
) -> Iterator[Confirmed]:
    wanted = dict(by_run)
    if len(by_run) > 1:
        wanted[ALL] = _by_every(list(by_run.values()))
    for run, findings in wanted.items():
        names = list(dict.fromkeys(each.criterion for each in findings))
        for criterion in [*(names if len(names) > 1 else ()), None]:
            chosen = [each for each in findings if criterion in (None, each.criterion)]
            note = _note(aligned, family, chosen)
            yield _count((family, criterion, run), chosen, note)


def _by_every(by_run: Sequence[Sequence[Checked]]) -> tuple[Checked, ...]:
    """A finding that every run confirms; one that a run cannot assess is not assessable."""
    first, *rest = by_run
    verdicts = [{(e.criterion, e.says): e.is_confirmed for e in each} for each in rest]
    contradicted = [
        {(each.criterion, each.says) for each in findings if each.is_contradicted}
        for findings in by_run
    ]
    found = []
    for each in first:
        told = [each.is_confirmed, *(v.get((each.criterion, each.says)) for v in verdicts)]
        is_confirmed = None if None in told else all(told)
        is_contradicted = is_confirmed is False and any(
            (each.criterion, each.says) in reversed_in for reversed_in in contradicted
        )
        found.append(Checked(each.criterion, each.says, is_confirmed, is_contradicted))
    return tuple(found)


def _count(
    place: tuple[Family, str | None, str], findings: Sequence[Checked], note: str
) -> Confirmed:
    family, criterion, run = place
    judged = [each for each in findings if each.is_confirmed is not None]
    return Confirmed(
        family=family,
        criterion=criterion,
        run=run,
        confirmed=sum(each.is_confirmed is True for each in judged),
        assessable=len(judged),
        left_out=len(findings) - len(judged),
        details=tuple(each.says for each in judged if not each.is_confirmed),
        note=note,
        contradicted=sum(each.is_contradicted for each in judged),
    )


def _note(aligned: Aligned, family: Family, findings: Sequence[Checked]) -> str:
    if family == "pairwise-ranks" and any(" = " in each.says for each in findings):
        return _TIES
    if family == "significance" and not findings:
        return _NOT_TESTED
    return _NO_CLAIMS if family == "claims" and not aligned.original.claims else ""
