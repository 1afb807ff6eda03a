"""Runs of one study side by side: the same names, one direction, the original's scales.

Systems and criteria are joined by name, never by row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeVar

from rejudge.compare.comparison import common_case
from rejudge.compare.run import Run, RunCriterion, scores_on
from rejudge.english import count, plural
from rejudge.errors import DataError, Problem
from rejudge.findings.model import Finding, Group, Key, Measure, Spread
from rejudge.judgments.table import Coded, Judgments
from rejudge.stats import Interval
from rejudge.stats.reasons import Reason, Why

T = TypeVar("T")
_SEVERAL = 2
_DIGITS = 14  # equal scores on two scales stay equal
_FAMILIES = (
    frozenset({"best-worst", "win-rate", "percent"}),  # one is the other, stretched and moved
    frozenset({"rating", "slider"}),
)


@dataclass(frozen=True, slots=True)
class Alignment:
    """The scores of all runs, by criterion, run and system, as the original would print them.

    A run with several cases is here once for each of them.
    """

    original: Run
    others: tuple[Run, ...]
    criteria: tuple[RunCriterion, ...]  # of the original, where another run has asked it too
    parts: frozenset[str]  # criteria that are groups of another one, and count once in totals
    scores: Mapping[tuple[str, str, str], Finding]  # by criterion, run and system
    notes: Mapping[tuple[str, str], Reason]  # by criterion and run: how its scores were converted
    dropped: tuple[str, ...]
    several: frozenset[str]  # runs with more than one case
    known: dict[object, Any] = field(  # what several steps need, by what it is about
        default_factory=dict, compare=False, repr=False
    )

    @property
    def runs(self) -> tuple[Run, ...]:
        """The original first."""
        return (self.original, *self.others)

    def run(self, name: str) -> Run:
        """The run of this id."""
        return next(each for each in self.runs if each.id == name)

    def key(
        self,
        criterion: RunCriterion | None,
        measure: Measure,
        method: str,
        runs: Iterable[str],
        systems: Sequence[str] = (),
    ) -> Key:
        """The address of a number about some runs; no criterion: about all together."""
        asked = [self.run(each) for each in runs]
        question, group = ("", ()) if criterion is None else criterion.cell
        return Key(
            question,
            measure,
            method,
            tuple(systems),
            group=group,
            pooled=() if criterion else tuple(each.id for each in self.wholes),
            case=common_case(asked, self.several),
            runs=tuple(each.study for each in asked),
        )

    def once(self, about: object, compute: Callable[[], T]) -> T:
        """A number that several steps need, computed when it is first asked for."""
        if about not in self.known:
            self.known[about] = compute()
        found: T = self.known[about]
        return found

    @property
    def total(self) -> int:
        """How many criteria the original has, groups of others aside."""
        return len(self.original.criteria) - len(_parts_of_wholes(self.original.criteria))

    @property
    def wholes(self) -> tuple[RunCriterion, ...]:
        """The criteria without the groups of those that are compared as a whole."""
        return tuple(each for each in self.criteria if each.id not in self.parts)

    def planner(self, criterion: RunCriterion) -> Run | None:
        """The first run whose plan names pairs of systems on a question; None: all are compared."""
        asked = (
            (run, here)
            for run in self.runs
            if (here := criterion_of(run, criterion.id)) is not None
        )
        return next((run for run, here in asked if here.question in run.pairs), None)

    def is_compared(self, criterion: RunCriterion, first: str, second: str) -> bool:
        """Whether two systems are compared: all are, unless a plan names pairs."""
        run = self.planner(criterion)
        here = None if run is None else criterion_of(run, criterion.id)
        return run is None or here is None or {first, second} in run.pairs[here.question]

    def score(self, criterion: str, run: str, system: str) -> Finding | None:
        """One score on the original's scale; None where the run has none."""
        return self.scores.get((criterion, run, system))

    def value(self, criterion: str, run: str, system: str) -> float:
        """The value of a score that there is."""
        return self.scores[criterion, run, system].value or 0.0

    def shared(self, criterion: str, runs: Sequence[str]) -> tuple[str, ...]:
        """The systems that all these runs have a score of, in the order of the original."""
        return tuple(
            system
            for system in self.original.systems
            if all((criterion, run, system) in self.scores for run in runs)
        )

    def having(self, criterion: str, runs: Sequence[str]) -> tuple[str, ...]:
        """Those of the runs that have scores on a criterion."""
        asked = {(name, run) for name, run, _ in self.scores}
        return tuple(run for run in runs if (criterion, run) in asked)

    def remarks(self, criterion: str, runs: Sequence[str]) -> tuple[Reason, ...]:
        """What must be said of the scales of these runs."""
        known = (self.notes.get((criterion, run)) for run in runs)
        return tuple(dict.fromkeys(each for each in known if each is not None))


def align(original: Run, others: Sequence[Run]) -> Alignment:
    """Join runs by key, never by row, and bring their scores onto the original's scales."""
    several = frozenset(run.id for run in (original, *others) if len(run.cases) > 1)
    runs = [case for run in (original, *others) for case in run.by_case()]
    scores: dict[tuple[str, str, str], Finding] = {}
    notes: dict[tuple[str, str], Reason] = {}
    for run in runs:
        for criterion in runs[0].criteria:
            here = criterion_of(run, criterion.id)
            if here is None:
                continue
            moved, note = _onto(run, here, criterion)
            if note is not None:
                notes[criterion.id, run.id] = note
            case = common_case([run], several)
            for each in moved:
                key = replace(each.key, group=criterion.group, case=case, runs=(run.study,))
                scores[criterion.id, run.id, each.systems[0]] = replace(each, key=key)
    asked = {name for name, run, _ in scores if run != runs[0].id}
    return Alignment(
        runs[0],
        tuple(runs[1:]),
        tuple(criterion for criterion in runs[0].criteria if criterion.id in asked),
        _parts_of_wholes([each for each in runs[0].criteria if each.id in asked]),
        scores,
        notes,
        tuple(_dropped_names(original, others)),
        several,
    )


def _parts_of_wholes(criteria: Sequence[RunCriterion]) -> frozenset[str]:
    return frozenset(
        each.id
        for each in criteria
        if any(
            whole.question == each.question and set(whole.group) < set(each.group)
            for whole in criteria
        )
    )


def study_of(run: Run) -> str:
    """The study whose judgments a run has: its own, or the one that it shares them with."""
    return run.shares or run.study or run.id


def pairs_of(runs: Sequence[Run]) -> tuple[tuple[str, str], ...]:
    """Every pair of runs, two ways to analyse the same judgments aside."""
    return tuple(
        (one.id, two.id) for one, two in combinations(runs, 2) if study_of(one) != study_of(two)
    )


def groups_of(runs: Sequence[Run]) -> tuple[tuple[str, ...], ...]:
    """All studies together, where they are more than two, each by its first case; then pairs."""
    first = tuple({study_of(run): run.id for run in reversed(runs)}.values())[::-1]
    together = (first,) if len(first) > _SEVERAL else ()
    return (*together, *pairs_of(runs))


def criterion_of(run: Run, criterion: str) -> RunCriterion | None:
    """A run's criterion; None if it was not asked."""
    return next((each for each in run.criteria if each.id == criterion), None)


def stretch(here: RunCriterion, there: RunCriterion) -> float | None:
    """How many units of the other scale equal one of this; None if unknown."""
    one, two = _length(here), _length(there)
    if one is None and two is None:
        return 1.0 if here.kind == there.kind else None
    return None if one is None or two is None else two / one


def _length(criterion: RunCriterion) -> float | None:
    if criterion.low is None or criterion.high is None:
        return None
    return criterion.high - criterion.low


def _onto(
    run: Run, here: RunCriterion, there: RunCriterion
) -> tuple[tuple[Finding, ...], Reason | None]:
    """Scores of a criterion on another's scale, and what to say of it."""
    scores = tuple(_score(there, each) for each in scores_on(run, here))
    if not _are_alike(here, there):
        kinds = {"here": here.kind, "there": there.kind}
        return (), Why.OTHER_QUANTITY(run=run.name, criterion=there.id, **kinds)
    factor = stretch(here, there)
    if factor is None:
        return (), Why.UNKNOWN_ENDS(criterion=there.id)
    is_turned = here.is_higher_better != there.is_higher_better
    if is_turned and there.high is None:
        return (), Why.NO_UPPER_END(criterion=there.id, run=run.name)
    start = there.high if is_turned else there.low
    if here.low is None or start is None:
        return scores, None
    if here.low == start and factor == 1.0 and not is_turned:
        return scores, _remark(run, here, there)
    slope = -factor if is_turned else factor
    moved = tuple(_rescale(score, here.low, start, slope) for score in scores)
    return moved, _remark(run, here, there)


def _score(criterion: RunCriterion, found: Finding) -> Finding:
    """A score as the run has it."""
    return Finding(
        key=replace(found.key, question=criterion.question),
        by=found.by,
        value=found.value or 0.0,
        n=found.n,
        n_of=found.n_of,
        how=found.how,
        interval=found.interval,
        standard_error=found.standard_error,
        df=found.df,
        population=found.population,
        spread=Spread(found.spread.sd) if found.spread else None,
        half_unit=found.half_unit,
        place=found.place,
    )


def _rescale(score: Finding, low: float, start: float, slope: float) -> Finding:
    def place(value: float) -> float:
        return round(start + (value - low) * slope, _DIGITS)

    between, sd, error = score.interval, sd_of(score), score.standard_error
    return replace(
        score,
        value=place(score.value or 0.0),
        half_unit=score.half_unit * abs(slope),
        spread=None if sd is None else Spread(sd * abs(slope)),
        standard_error=error and error * abs(slope),
        interval=between and _interval(place(between.low), place(between.high), between.level),
    )


def sd_of(score: Finding) -> float | None:
    """The SD of the judgments behind a score; None: not known."""
    return None if score.spread is None else score.spread.sd


def _interval(one: float, two: float, level: float) -> Interval:
    return Interval(min(one, two), max(one, two), level)


def _are_alike(here: RunCriterion, there: RunCriterion) -> bool:
    kinds = {here.kind, there.kind}
    return len(kinds) == 1 or any(kinds <= family for family in _FAMILIES)


def _remark(run: Run, here: RunCriterion, there: RunCriterion) -> Reason | None:
    is_turned = here.is_higher_better != there.is_higher_better
    if _scale(here) == _scale(there) and not is_turned:
        return None
    turned = " and reversed" if is_turned else ""
    return Why.CONVERTED(run=run.name, turned=turned, here=_scale(here), there=_scale(there))


def _scale(criterion: RunCriterion) -> str:
    if criterion.low is None:
        return criterion.kind
    ends = f"from {criterion.low:g}" if criterion.high is None else _scale_ends(criterion)
    return f"{criterion.kind} ({ends})"


def _scale_ends(criterion: RunCriterion) -> str:
    return f"{criterion.low:g} to {criterion.high:g}"


def _dropped_names(original: Run, others: Sequence[Run]) -> Iterator[str]:
    asked = {each.question for each in original.criteria}
    for run in others:
        for kind, theirs, ours in (
            ("system", original.systems, run.systems),
            ("criterion", _ids(original), _ids(run)),
        ):
            missing, added = sorted(set(theirs) - set(ours)), sorted(set(ours) - set(theirs))
            if kind == "criterion":  # a question that the original asked in groups is not a new one
                known = {each.id for each in run.criteria if each.question in asked}
                added = [name for name in added if name not in known]
            if missing:
                what = f"{count(len(missing), kind)} of the original ({', '.join(missing)})"
                yield f"{run.name} lacks {what}."
            if added:
                what = f"{count(len(added), kind)} that the original lacks ({', '.join(added)})"
                yield f"{run.name} has {what}."


def _ids(run: Run) -> list[str]:
    return [criterion.id for criterion in run.criteria]


def unify_directions(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Runs that do not say which scores are better, read as the first run that does.

    A study and a table cannot say it; a paper and a file of conditions can. Without this, a table
    that reproduces a paper with `better: lower` would be read the wrong way round.
    """
    lower = {name: is_lower for name, (_, is_lower) in _stated_directions(runs).items()}
    return tuple(_in_direction(run, lower) for run in runs)


def direction_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Which runs are read as another one says, where lower scores are better."""
    stated = _stated_directions(runs)
    for name, (run, is_lower) in stated.items():
        silent = [each.name for each in runs if name in {c.id for c in _silent(each)}]
        if is_lower and silent:
            yield (
                f"{run.name} states that lower scores on {name} are better. The same is assumed "
                f"for {', '.join(silent)}."
            )


def _stated_directions(runs: Sequence[Run]) -> dict[str, tuple[Run, bool]]:
    """By criterion the first run that says which scores are better, and whether the lower are."""
    found: dict[str, tuple[Run, bool]] = {}
    for run in runs:
        for each in run.criteria:
            if each.states_direction:
                found.setdefault(each.id, (run, not each.is_higher_better))
    return found


def _silent(run: Run) -> Iterator[RunCriterion]:
    return (each for each in run.criteria if not each.states_direction)


def _in_direction(run: Run, lower: Mapping[str, bool]) -> Run:
    turned = {each.id for each in _silent(run) if lower.get(each.id)}
    if not turned:
        return run
    return replace(
        run,
        criteria=tuple(
            replace(each, is_higher_better=False) if each.id in turned else each
            for each in run.criteria
        ),
    )


def match_groups(
    original: Run, others: Sequence[Run], columns: Mapping[str, str] | None = None
) -> tuple[Run, ...]:
    """The runs with the original's name for each question in a group that both asked.

    A column of groups is the original's of the same name, the one that `columns` names, or the one
    with the same names of groups. Groups that only one of the runs has are left out.
    """
    matched = [_match(original, run, columns or {}) for run in others]
    for before, after in zip(others, matched, strict=True):
        _refuse_other_groups(original, before, after)
    known = {each.id for run in matched for each in run.criteria}
    kept = {
        each.id: each.id
        for each in original.criteria
        if not (each.asks and each.group and original.source != "paper") or each.id in known
    }
    return (_with_criteria(original, kept), *matched)


def _refuse_other_groups(original: Run, run: Run, matched: Run) -> None:
    """Refuse a run that has only groups of other names on the questions of the original."""
    ours, theirs = _names_of_groups(original), _names_of_groups(run)
    questions = {each.question for each in original.criteria}
    is_asked = any(each.question in questions for each in run.criteria)
    if {*_ids(original)} & {*_ids(matched)} or not is_asked or not ours or not theirs:
        return
    groups = (
        "; ".join(f"{column}: {', '.join(sorted(names))}" for column, names in each.items())
        for each in (ours, theirs)
    )
    raise DataError(
        Problem(
            f"the original has the groups {next(groups)}; {run.id} has {next(groups)}.",
            f"Match the columns, such as --match {next(iter(ours))}={next(iter(theirs))}, if some "
            "of their groups have the same names.",
        )
    )


def _match(original: Run, run: Run, columns: Mapping[str, str]) -> Run:
    there = {_cell(each.question, each.group): each for each in original.criteria}
    plain = {each.id for each in original.criteria if not each.group}
    names = {}
    for each in run.criteria:
        group = [
            (_column(original, run, group.column, columns), group.name) for group in each.group
        ]
        found = there.get(
            (each.question, frozenset((column, name.casefold()) for column, name in group))
        )
        if found is not None:
            names[each.id] = found.id
        elif not each.group or each.id in plain:
            names[each.id] = each.id
    return _with_criteria(run, names)


def _cell(question: str, groups: Iterable[Group]) -> tuple[str, frozenset[tuple[str, str]]]:
    return question, frozenset((each.column, each.name.casefold()) for each in groups)


def _column(original: Run, run: Run, column: str, columns: Mapping[str, str]) -> str:
    """The original's name of a run's column of groups."""
    ours, theirs = _names_of_groups(run), _names_of_groups(original)
    if column in columns or column in theirs:
        return columns.get(column, column)
    same = [name for name, groups in theirs.items() if groups == ours[column]]
    return same[0] if len(same) == 1 else column


def _names_of_groups(run: Run) -> dict[str, set[str]]:
    """The names of its groups, by column."""
    found: dict[str, set[str]] = {}
    for criterion in run.criteria:
        for each in criterion.group:
            found.setdefault(each.column, set()).add(each.name.casefold())
    return found


def _with_criteria(run: Run, names: Mapping[str, str]) -> Run:
    """The run with these criteria alone, each under its new name."""
    if names == {each.id: each.id for each in run.criteria}:
        return run
    return replace(
        run,
        criteria=tuple(
            each
            if names[each.id] == each.id
            else replace(each, id=names[each.id], asks=each.question)
            for each in run.criteria
            if each.id in names
        ),
        contingency=tuple(
            each.model_copy(update={"criterion": names[each.criterion]})
            for each in run.contingency
            if each.criterion in names
        ),
    )


def rename(run: Run, *, systems: Mapping[str, str], criteria: Mapping[str, str]) -> Run:
    """A run with the names of the original; other names stay as they are."""
    criteria = {**criteria, **_cells_renamed(run, criteria)}
    mine = {criterion.id for criterion in run.criteria}
    _refuse_unknown(run, systems, run.systems, "system")
    _refuse_unknown(run, criteria, mine, "criterion")
    _refuse_merging(run, [systems.get(each, each) for each in run.systems], "systems")
    _refuse_merging(run, [criteria.get(each, each) for each in mine], "criteria")
    if not systems and not criteria:
        return run

    def system(name: str) -> str:
        return systems.get(name, name)

    def criterion(name: str) -> str:
        return criteria.get(name, name)

    def address(key: Key) -> Key:
        return replace(
            key,
            question=questions.get(key.question, key.question),
            systems=tuple(map(system, key.systems)),
        )

    questions = {each.question: criterion(each.question) for each in run.criteria}
    told = dict(run.conditions)
    if isinstance(told.get("criteria"), tuple):
        told["criteria"] = tuple(criterion(str(each)) for each in told["criteria"])  # type: ignore[union-attr]  # just seen
    return replace(
        run,
        systems={system(key): system(name) for key, name in run.systems.items()},
        criteria=tuple(
            replace(
                each,
                id=criterion(each.id),
                name=criterion(each.name),
                asks=criterion(each.asks),
            )
            for each in run.criteria
        ),
        findings=tuple(replace(each, key=address(each.key)) for each in run.findings),
        contingency=tuple(
            each.model_copy(update={"criterion": criterion(each.criterion)})
            for each in run.contingency
        ),
        conditions=told,
        pairs={
            criterion(question): frozenset(frozenset(map(system, pair)) for pair in pairs)
            for question, pairs in run.pairs.items()
        },
        judgments=_renamed_judgments(run.judgments, systems, criteria),
    )


def _cells_renamed(run: Run, criteria: Mapping[str, str]) -> dict[str, str]:
    """New names for the groups of questions that get a new name."""
    return {
        each.id: each.id.replace(each.asks, criteria[each.asks], 1)
        for each in run.criteria
        if each.group and each.asks in criteria and each.id not in criteria
    }


def _renamed_judgments(
    judgments: Judgments | None, systems: Mapping[str, str], criteria: Mapping[str, str]
) -> Judgments | None:
    if judgments is None:
        return None
    return replace(
        judgments,
        question=_relabel(judgments.question, criteria),
        system=_relabel(judgments.system, systems),
        system_a=_relabel(judgments.system_a, systems),
        system_b=_relabel(judgments.system_b, systems),
    )


def _relabel(column: Coded, names: Mapping[str, str]) -> Coded:
    return replace(column, labels=tuple(names.get(label, label) for label in column.labels))


def _refuse_unknown(run: Run, names: Iterable[str], known: Collection[str], kind: str) -> None:
    for name in names:
        if name not in known:
            what = f"the run '{run.id}' has no {kind} '{name}'."
            remedy = f"It has {plural(kind)} {', '.join(sorted(known))}."
            raise DataError(Problem(what, remedy))


def _refuse_merging(run: Run, names: list[str], kind: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            Problem(
                f"two {kind} of '{run.id}' would both be called '{twice[0]}'.",
                f"Give each its own name with --{kind}.",
            )
        )
