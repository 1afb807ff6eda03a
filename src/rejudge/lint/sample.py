"""Rules about the sample: its size, planned looks, and which inputs are selected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from rejudge.design.selection import Selection
from rejudge.design.stages import Stages, clusters_at, stages_of
from rejudge.english import count, verb
from rejudge.errors import DesignError
from rejudge.layout.numbers import level_text, percent
from rejudge.lint.evidence import StudyEvidence, Violation, abridge, share_text
from rejudge.study.analysis_plan import PlannedTest
from rejudge.study.methods import has_direction

FEWEST_CLUSTERS: Final = 10  # at the first look; below, its level is not kept (early-stopping.md)
_FAR = 0.1  # of all places, from the planned fraction


def unfilled_size(seen: StudyEvidence) -> Iterator[Violation]:
    """The study has a rule for its size, but no pilot has filled it in.

    Until then `items.sample` and `participants_per_batch` are placeholders, and so are the plan,
    its cost and its duration. The rule can be frozen before the pilot is run.

    Remedy: run the pilot, then `rejudge power STUDY --fill` and `rejudge plan STUDY --force`.
    """
    rule = seen.study.spec.sample_size
    if rule is not None and seen.study.size is None:
        yield Violation(
            f"The size of the study is still to be filled in from the pilot '{rule.pilot}'; what "
            "is shown here is a placeholder.",
            ("sample_size",),
            "Run the pilot, then `rejudge power STUDY --fill` and `rejudge plan STUDY --force`.",
        )


def pilot_participants(seen: StudyEvidence) -> Iterator[Violation]:
    """People from the pilot can take part in the main study.

    They know the task and maybe the items, and the pilot has already determined the size of the
    study. Only studies on a platform are checked, where people come on their own.

    Remedy: name the pilot under `site.exclude_studies`, or a list of its participants under
    `recruitment.exclude_lists`.
    """
    spec = seen.study.spec
    is_open = not spec.site.exclude_studies and not spec.recruitment.exclude_lists
    if spec.sample_size is not None and seen.is_crowd and is_open:
        yield Violation(
            "People who took part in the pilot can take part again.",
            ("site.exclude_studies", "recruitment.exclude_lists"),
            "Exclude them: `rejudge panel` writes a list of its participants for "
            "`recruitment.exclude_lists`.",
        )


def size_below_power(seen: StudyEvidence) -> Iterator[Violation]:
    """The size found by the rule does not reach the power that the rule requires.

    No size within its limits does, and the rule then takes the most powerful of them. Readers will
    take a rule for the size as a promise of its power.

    Remedy: report the power that is reached; do not change a frozen rule after the pilot.
    """
    rule, size = seen.study.spec.sample_size, seen.study.size
    if rule is not None and size is not None and not size.reached:
        yield Violation(
            f"The power is {percent(100 * size.power)}, below the {level_text(rule.power)} that "
            "the rule requires.",
            ("sample_size",),
            "Report the power that is reached. If the study is not frozen yet, allow larger sizes.",
        )


def unplanned_looks(seen: StudyEvidence) -> Iterator[Violation]:
    """Looks are planned, but no test of the two systems that decide.

    A look uses the planned test of its pair. Without one, the test would depend on what the data
    allow, which can differ from look to look, and the boundary does not account for that.

    Remedy: plan a test of the pair on the question in `analysis.tests`, such as
    `{question: quality, test: cluster-robust}`; tests of all systems at once do not count.
    """
    stop, analysis = seen.study.spec.stop, seen.study.spec.analysis
    if stop is None:
        return
    planned = [
        test
        for test in (analysis.tests if analysis else ())
        if test.question == stop.question
        and has_direction(test.test)
        and (not test.pairs or any(set(pair) == set(stop.systems) for pair in test.pairs))
    ]
    if not planned:
        yield Violation(
            f"No planned test compares {' and '.join(stop.systems)} on {stop.question}.",
            ("stop", "analysis.tests"),
            f"Add one to `analysis.tests`, such as `{{question: {stop.question}, test: "
            "cluster-robust}`.",
        )


def few_clusters(seen: StudyEvidence) -> Iterator[Violation]:
    """The first look is based on few items or few participants.

    The boundary assumes large samples. With fewer than ten items or participants, a look does not
    keep its false-positive rate, and only an enormous difference could stop the study.

    Remedy: plan the first look later (`stop.fractions`), or plan fewer looks.
    """
    stages = _stages(seen)
    if stages is None or seen.plan is None:
        return
    first = clusters_at(seen.study, seen.plan, stages, 1)
    if first.inputs > 0 and first.least < FEWEST_CLUSTERS:
        yield Violation(
            f"The first look is based on {count(first.inputs, 'input')} and "
            f"{count(first.people, 'participant')}.",
            ("stop.looks",),
            f"Plan it later, with at least {FEWEST_CLUSTERS} of each: change `stop.fractions`, or "
            "plan fewer looks or smaller batches.",
        )


def uncompared_pair(seen: StudyEvidence) -> Iterator[Violation]:
    """The two systems that decide are not judged on the same inputs before a look.

    Then there is nothing to compare at that look.

    Remedy: name a pair that the plan shows, or let the first look come later.
    """
    stages, stop = _stages(seen), seen.study.spec.stop
    if stages is None or seen.plan is None or stop is None:
        return
    for look in range(1, stages.looks + 1):
        if not clusters_at(seen.study, seen.plan, stages, look).inputs:
            yield Violation(
                f"Before look {look} no input is judged for both {' and '.join(stop.systems)}.",
                ("stop.systems",),
                "Name two systems that the plan compares, or plan fewer looks.",
            )
            return


def uneven_stages(seen: StudyEvidence) -> Iterator[Violation]:
    """The looks come far from the planned fractions, because batches are few or large.

    Only whole batches, or whole places of each, can be opened. The boundary is computed for the
    resulting fractions, so the false-positive rate is right; but looks do not come when planned.

    Remedy: plan smaller batches, fewer looks, or the fractions that result.
    """
    stages, stop = _stages(seen), seen.study.spec.stop
    if stages is None or stop is None:
        return
    pairs = zip(stages.fractions, stop.shares, strict=True)
    far = [f"{real:.2f} instead of {wanted:.2f}" for real, wanted in pairs if _is_far(real, wanted)]
    if far:
        yield Violation(
            f"Looks come at shares of the places that differ from the plan: {', '.join(far)}.",
            ("stop.fractions",),
            "Plan smaller batches or fewer looks, or write the fractions that result.",
        )


def unfrozen_looks(seen: StudyEvidence) -> Iterator[Violation]:
    """Looks are planned, but the study is not frozen.

    Planned looks keep the false-positive rate only if they were planned before the first answer.
    A frozen study shows that.

    Remedy: run `rejudge freeze` before data collection.
    """
    if seen.study.spec.stop is not None and seen.is_frozen is False:
        yield Violation(
            "Looks at the results are planned, but the study is not frozen.",
            ("stop",),
            "Run `rejudge freeze` before data collection.",
        )


def _is_far(real: float, wanted: float) -> bool:
    return abs(real - wanted) > _FAR


def _stages(seen: StudyEvidence) -> Stages | None:
    """None where no looks are planned, or the plan cannot be done in stages (an obstacle)."""
    if seen.plan is None:
        return None
    try:
        return stages_of(seen.study, seen.plan)
    except DesignError:
        return None


_MOST_LOST = 2.0  # design effect: half of the sample is lost
_WEIGHTED = "cluster-robust"
_ITEM_UNITS = ("item", None)  # of a test that generalises over items; None: by its nature


def chosen_items(seen: StudyEvidence) -> Iterator[Violation]:
    """The items are not a random sample of the file, but tests or claims are about other items.

    Items that a person lists, or the ones on which a metric differs most, are not like the rest. A
    difference between systems that is found on them may be absent elsewhere, however small its p
    value. The same holds where items had unequal probabilities and `analysis.item_weights: false`
    ignores them. Results are then reported for these items only. In simulated studies whose inputs
    were drawn in proportion to a metric, 95 % intervals without weights covered the difference on
    all inputs in 63 % of the studies; with the inputs of the highest metric, in 5 %.

    Remedy: draw with `method: random`, `stratified` or `weighted`, or present results as results
    on these items.
    """
    sample, selection = seen.study.spec.items.sample, _selection(seen)
    if sample is None or sample.method is None:
        return
    about = _generalisations(seen)
    if not about:
        return
    if sample.method == "listed":
        yield Violation(
            f"The inputs are listed, so results apply only to these items, but {about}.",
            ("items.sample.method",),
            "Draw them with `method: random`, `stratified` or `weighted`, or limit the "
            "claims to these items.",
        )
    elif selection is not None and not selection.is_nearly_equal and not _uses_weights(seen):
        yield Violation(
            "The inputs are not equally likely to be selected and the analysis ignores it "
            f"(`item_weights: false`), but {about}.",
            ("analysis.item_weights",),
            "Remove `item_weights: false`, or draw with `method: random`.",
        )


def unequal_weights(seen: StudyEvidence) -> Iterator[Violation]:
    """The weights of inputs are so unequal that half of the sample or more is lost.

    An input that was unlikely to be selected stands for many others, and the estimate depends on
    a few inputs. Kish's effective sample size, (Σw)² / Σw², says how many inputs of equal weight
    would be as informative about a mean over all inputs, if the column by which they are drawn has
    nothing to do with the scores.

    Remedy: make the weights less unequal, for instance by their square root or by adding a constant
    to each, or draw more inputs.
    """
    selection = _selection(seen)
    effect = None if selection is None else selection.design_effect
    if selection is None or effect is None or effect < _MOST_LOST:
        return
    taken = len(selection.selected)
    where = "items.sample.column" if selection.column else "items.sample.allocation"
    yield Violation(
        f"{taken:,} inputs are worth {selection.effective_inputs:.3g} of equal weight (design "
        f"effect {effect:.2f}).",
        (where,),
        "Make probabilities less unequal (such as the square root of the weights, or "
        "`allocation: proportional`), or draw more inputs.",
    )


def single_inputs(seen: StudyEvidence) -> Iterator[Violation]:
    """A stratum has a single selected input.

    One input does not show how the inputs of its stratum vary. The analysis merges such strata,
    which makes the interval slightly too wide.

    Remedy: draw at least two inputs from each stratum, or merge small strata.
    """
    selection = _selection(seen)
    if selection is None or selection.method != "stratified":
        return
    counts = Counter(each.stratum for each in selection.selected)
    alone = [name or "(none)" for name, number in counts.items() if number == 1]
    if alone:
        yield Violation(
            f"{len(alone):,} of {len(selection.strata):,} strata "
            f"{verb(len(alone), 'has', 'have')} a single selected input: "
            f"{abridge([f'“{name}”' for name in alone], 4)}.",
            ("items.sample",),
            "Draw at least two inputs from each stratum, or merge small strata.",
        )


def unweighted_tests(seen: StudyEvidence) -> Iterator[Violation]:
    """Inputs are not equally likely to be selected, but the planned tests treat them as equal.

    Of the tests, only cluster-robust weights inputs by the inverse of their probability. All others
    are for the selected items only, and the report says so.

    Remedy: plan cluster-robust for these questions.
    """
    selection, analysis = _selection(seen), seen.study.spec.analysis
    if selection is None or analysis is None or not analysis.item_weights:
        return
    if selection.is_nearly_equal:
        return
    for question in seen.study.spec.questions:
        tests = [test for test in analysis.tests if test.question == question.id]
        if tests and not any(test.test == _WEIGHTED for test in tests):
            names = abridge(sorted({test.test for test in tests}))
            yield Violation(
                f"{names} on '{question.id}' treats all inputs as equally likely to be selected, "
                "so its result applies only to the selected items.",
                tuple(f"analysis.tests[{analysis.tests.index(test)}]" for test in tests),
                "Plan `test: cluster-robust`, which weights them.",
            )


def uncovered_inputs(seen: StudyEvidence) -> Iterator[Violation]:
    """Some inputs of the item file cannot be selected, so results do not cover them.

    They have the weight 0, or belong to a stratum from which nothing is drawn.

    Remedy: give each input a weight above 0, or draw at least as many inputs as there are strata;
    remove inputs from the file that are not meant to be covered.
    """
    selection = _selection(seen)
    if selection is None or not selection.impossible:
        return
    inputs = count(selection.impossible, "input")
    reason = "of weight 0" if selection.method == "weighted" else "of strata that are left out"
    yield Violation(
        f"{inputs} {reason} ({share_text(selection.impossible, selection.inputs)} of the file) "
        f"cannot be selected, so results do not cover {verb(selection.impossible, 'it', 'them')}.",
        ("items.sample",),
        "Give each input a weight above 0, or draw from every stratum; remove from the file what "
        "is not meant to be covered.",
    )


def _selection(seen: StudyEvidence) -> Selection | None:
    return None if seen.plan is None else seen.plan.selection


def _uses_weights(seen: StudyEvidence) -> bool:
    analysis = seen.study.spec.analysis
    return analysis is None or analysis.item_weights


def _generalisations(seen: StudyEvidence) -> str:
    """What is said about other items than those judged; empty if nothing is."""
    spec = seen.study.spec
    tests = [test for test in (spec.analysis.tests if spec.analysis else ()) if _spans_items(test)]
    claims = [claim for claim in spec.claims if claim.kind != "agreement"]
    said = [
        count(len(things), noun)
        for things, noun in ((tests, "planned test"), (claims, "claim"))
        if things
    ]
    number = len(tests) + len(claims)
    return f"{' and '.join(said)} {verb(number, 'is', 'are')} about new items" if said else ""


def _spans_items(test: PlannedTest) -> bool:
    return test.unit in _ITEM_UNITS
