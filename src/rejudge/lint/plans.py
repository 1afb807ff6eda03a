"""Rules about the plan: datasets, sides, systems, repeated inputs, and later changes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from rejudge.design.plan import Batch, Plan
from rejudge.english import count
from rejudge.lint.evidence import StudyEvidence, Violation, abridge

_OVER_THE_PLAN = 5  # Beck & Fiala (1981): less than twice the number of sets that a task is in
_SLACK = 0.05  # of the tasks of a system: near-balanced sets of systems come as near as that


def obstacles(seen: StudyEvidence) -> Iterator[Violation]:
    """The study is valid, but no plan can be drawn from it, or no price can be computed.

    Too few items for the sample, an input with more tasks than a batch holds, no items to make
    checks from, a wage that is not known for the region: `rejudge plan` would stop with the same
    message.

    Remedy: follow the message.
    """
    for problem in seen.obstacles:
        yield Violation(
            f"{problem.what[:1].upper()}{problem.what[1:]}",
            (problem.field or problem.file or "study.yaml",),
            problem.remedy or "Change study.yaml.",
        )


def uneven_datasets(seen: StudyEvidence) -> Iterator[Violation]:
    """The datasets contribute unequal numbers of inputs.

    A mean over all inputs then leans towards the larger dataset. A published study said that 300
    sentences were “sampled equally” from three datasets; its files held 102, 100 and 98.
    A difference of one can be left over by division and is not reported.

    Remedy: draw with `items.sample`, which balances; if unequal numbers are intended, say so with
    `items.sample.balance: false`.
    """
    sample = seen.study.spec.items.sample
    if sample and (not sample.is_balanced or seen.plan is None):
        return
    first = {item.group: item for item in reversed(seen.judged_items)}
    datasets = Counter(item.dataset for item in first.values())
    if datasets and max(datasets.values()) - min(datasets.values()) > 1:
        listing = ", ".join(f"{name or '(none)'} {n:,}" for name, n in datasets.most_common())
        yield Violation(
            f"The datasets have unequal numbers of inputs: {listing}.",
            ("items.sample",),
            "Draw the same number from each with `items.sample.inputs`, or state that unequal "
            "numbers are intended with `items.sample.balance: false`.",
        )


def uneven_sides(seen: StudyEvidence) -> Iterator[Violation]:
    """Some outputs appear in one position more often than in another.

    People choose the first (or left) of two outputs slightly more often, so a system that is shown
    there more often gains. Positions are counted for each system in each batch and, over the whole
    plan, for each system and each pair. Within a batch, odd numbers leave a difference of one,
    which is not reported. Over the plan, such remainders may add up to five, but not more: Beck &
    Fiala (1981) proved that an arrangement within five exists, because each task counts for two
    systems and one pair.

    Plans drawn by `rejudge plan` are balanced by construction; a plan that was edited or made
    elsewhere may not be.

    Remedy: draw the plan again with `rejudge plan`.
    """
    systems = len(seen.study.system_ids)
    for size in sorted({question.shows(systems) for question in seen.comparison_questions}):
        uneven = dict(_uneven(_count_positions(seen, size)))
        if uneven:
            listing = [
                f"{scope}: {' / '.join(map(str, counts))}" for scope, counts in uneven.items()
            ]
            yield Violation(
                f"Outputs appear in one position more often than in another (counts by position, "
                f"first to last): {abridge(listing, 4, between='; ')}.",
                tuple(uneven),
                "Draw the plan again with `rejudge plan`.",
            )


def unconnected_systems(seen: StudyEvidence) -> Iterator[Violation]:
    """Some systems are never compared, not even indirectly.

    If a is compared with b and c with d, but neither of the first two with either of the others,
    the four systems cannot be ranked together: no model can say how the two groups compare.

    Remedy: add a pair between the groups to `design.pairs`.
    """
    sizes = {question.shows(len(seen.study.system_ids)) for question in seen.comparison_questions}
    met = set().union(*(_meetings(seen, size) for size in sizes))
    if not met:
        return
    groups = _groups(len(seen.study.system_ids), met)
    if len(groups) > 1:
        names = [" + ".join(seen.study.system_ids[place] for place in group) for group in groups]
        yield Violation(
            f"The systems fall into {len(groups)} groups that are never compared with each other: "
            f"{'; '.join(names)}.",
            ("design.pairs",),
            "Add a pair that joins the groups, or set `pairs: all`.",
        )


def unequal_exposure(seen: StudyEvidence) -> Iterator[Violation]:
    """Some systems are judged more often than others.

    A system that is judged less has a wider interval, and where outputs are missing for a reason
    (too long, refused, crashed) its mean is too high. Pairs named in `design.pairs` are ignored,
    because the study asks for them. A difference of one, or of 5 %, is not reported.

    Remedy: add the missing outputs, or remove the items for all systems.
    """
    shown = _exposure(seen)
    if not shown:
        return
    mean = sum(shown.values()) / len(shown)
    if max(shown.values()) - min(shown.values()) > max(1, _SLACK * mean):
        listing = ", ".join(f"{system} {number:,}" for system, number in shown.items())
        yield Violation(
            f"The systems are not judged equally often: {listing}.",
            ("systems",),
            "Add the missing outputs, or remove these items for all systems.",
        )


def inputs_met_again(seen: StudyEvidence) -> Iterator[Violation]:
    """A participant can see the same input again although the study does not ask for it.

    The second time people remember their answer, and answers that should be independent are not. It
    happens when batches that share an input are not marked as excluding each other, when an item of
    the calibration set is in a batch too, or when a batch of `inputs: apart` has an input twice.
    With `inputs: anywhere` the study asks for this, and nothing is reported.

    Remedy: draw the plan again, or set `inputs: anywhere` if this is intended.
    """
    asked = seen.study.spec.design.inputs
    if seen.plan is None or asked == "anywhere":
        return
    batches_of = _batches_by_input(seen, seen.plan)
    again = list(_shared_inputs(seen.plan, batches_of))
    if asked == "apart":
        again += [
            (f"batch {batch.id}", group)
            for batch in seen.plan.main
            for group, times in Counter(_groups_of(seen, batch)).items()
            if times > 1
        ]
    if again:
        inputs = dict.fromkeys(group for _, group in again)
        yield Violation(
            f"{count(len(inputs), 'input')} can be seen again by the same participant: "
            f"{abridge([f'“{group}”' for group in inputs], 4)}.",
            tuple(dict.fromkeys(place for place, _ in again)),
            "Draw the plan again with `rejudge plan`, or set `inputs: anywhere` if intended.",
        )


def _count_positions(seen: StudyEvidence, size: int) -> dict[str, list[int]]:
    """How often each position is taken: by systems in a batch and in all, and by pairs.

    For a pair, the counts are those of the system that is named first.
    """
    taken: defaultdict[str, list[int]] = defaultdict(lambda: [0] * size)
    shown = Counter((batch.id, task.options) for batch, task in seen.real_tasks(size))
    for (batch, options), times in shown.items():
        for place, system in enumerate(options):
            taken[f"batch {batch}, {system}"][place] += times
            taken[f"{system} in all"][place] += times
        if size == 2:
            first, second = sorted(options)
            taken[f"{first} against {second}"][options.index(first)] += times
    return taken


def _uneven(taken: Mapping[str, list[int]]) -> Iterator[tuple[str, list[int]]]:
    for scope, counts in taken.items():
        allowed = 1 if scope.startswith("batch ") else _OVER_THE_PLAN
        if max(counts) - min(counts) > allowed:
            yield scope, counts


def _meetings(seen: StudyEvidence, size: int) -> set[tuple[int, ...]]:
    if seen.plan is not None:
        shown = {task.options for _, task in seen.real_tasks(size)}
        return {tuple(seen.study.system_place[option] for option in options) for options in shown}
    systems = len(seen.study.system_ids)
    return set(seen.pairs if size == 2 else [tuple(range(systems))])


def _groups(systems: int, met: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """Groups of connected systems, by union-find."""
    parent = list(range(systems))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for first, *others in met:
        for other in others:
            parent[root(other)] = root(first)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for place in range(systems):
        groups[root(place)].append(place)
    return list(groups.values())


def _exposure(seen: StudyEvidence) -> dict[str, int]:
    """How many real tasks show each system, those of named pairs not counted."""
    ids = seen.study.system_ids
    shown = dict.fromkeys(ids, 0)
    if seen.plan is None:
        written = Counter(
            place for item in seen.judged_items for place, text in enumerate(item.outputs) if text
        )
        return {system: written[place] for place, system in enumerate(ids)}
    are_pairs_named = seen.study.spec.design.pairs != "all"
    for task in seen.plan.tasks():
        if task.is_real and not (are_pairs_named and len(task.options) == 2):
            for system in task.options:
                shown[system] += 1
    return shown


def _groups_of(seen: StudyEvidence, batch: Batch) -> list[str]:
    return [seen.study.item[task.item].group for task in batch.real]


def _batches_by_input(seen: StudyEvidence, plan: Plan) -> dict[str, list[Batch]]:
    found: defaultdict[str, list[Batch]] = defaultdict(list)
    for batch in plan.batches:
        for group in dict.fromkeys(_groups_of(seen, batch)):
            found[group].append(batch)
    return found


def _shared_inputs(plan: Plan, batches_of: Mapping[str, list[Batch]]) -> Iterator[tuple[str, str]]:
    """Inputs of two batches that one participant may get, with the place of the second."""
    for group, batches in batches_of.items():
        for one, two in combinations(batches, 2):
            if _can_reach_one_person(plan, one, two):
                yield f"batch {two.id}", group


def _can_reach_one_person(plan: Plan, one: Batch, two: Batch) -> bool:
    if one.is_calibration or two.is_calibration:
        return True
    return plan.batches_per_participant > 1 and two.id not in plan.conflicts.get(one.id, ())


def changed_since_freeze(seen: StudyEvidence) -> Iterator[Violation]:
    """Something was changed after the study was frozen.

    The frozen record is what makes the study confirmatory. Changes are allowed but must be
    disclosed; the report lists each one.

    Remedy: undo the change, or freeze again before data collection starts.
    """
    for change in seen.frozen_changes:
        yield Violation(
            f"Changed since the freeze: {change}.",
            (change.path,),
            "Undo the change, or freeze again before data collection starts.",
        )


def stale_plan(seen: StudyEvidence) -> Iterator[Violation]:
    """The plan was drawn from an earlier version of the study.

    The items, questions, design or checks have changed since plan.json was drawn, so people would
    not be shown what the study says.

    Remedy: draw it again with `rejudge plan --force`, or undo the change.
    """
    if seen.stale_plan is not None:
        yield Violation(
            f"The plan was drawn from an earlier version of the study ({seen.stale_plan.study}, "
            f"now {seen.study.design_fingerprint}).",
            ("plan.json",),
            "Draw it again with `rejudge plan --force`, or undo the change.",
        )
