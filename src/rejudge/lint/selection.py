"""Rules about which inputs are selected, and whom the results speak for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rejudge.design import Selection
from rejudge.english import count, verb
from rejudge.lint.evidence import StudyEvidence, Violation, abridge, percent
from rejudge.study import PlannedTest

_MOST_LOST = 2.0  # design effect: half of the sample is lost
_WEIGHTED = "cluster-robust"
_ITEM_UNITS = ("item", None)  # of a test that generalises over items; None: by its nature


def chosen_items(seen: StudyEvidence) -> Iterator[Violation]:
    """The items are no random sample of the file, but tests or claims are about other items too.

    Items that a person lists, or the ones on which a metric differs most, are not like the rest. A
    difference between systems that is found on them may be absent elsewhere, however small its p
    value. The same holds where items had unequal probabilities and `analysis.item_weights: false`
    ignores them. Results are then reported for these items only. In simulated studies whose inputs
    were drawn in proportion to a metric, 95 % intervals without weights held the difference on all
    inputs in 63 % of the studies; with the inputs of the highest metric, in 5 %.

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
    the few of them. Kish's effective sample size, (Σw)² / Σw², says how many inputs of equal weight
    would tell as much about a mean over all inputs, if the column by which they are drawn has
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

    One input does not show how the inputs of its stratum vary. In the analysis such strata are put
    together, which makes the interval a little wide.

    Remedy: draw at least two inputs from each stratum, or join small strata.
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
            "Draw at least two inputs from each stratum, or join small strata.",
        )


def unweighted_tests(seen: StudyEvidence) -> Iterator[Violation]:
    """Inputs are not equally likely to be selected, but the planned tests take them as equal.

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
        f"{inputs} {reason} ({percent(selection.impossible, selection.inputs)} of the file) cannot "
        f"be selected, so results do not cover {verb(selection.impossible, 'it', 'them')}.",
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
