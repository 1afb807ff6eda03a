"""Simulate many studies at once, with their planned tests in closed form.

Answers are drawn in batches that fit the processor's cache and reduced to sums of products at once;
every test is computed from these sums (`moments`, `pair_tests`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.power import choices, pair_tests
from rejudge.power.answers import PointRange, Table, draw_scores
from rejudge.power.moments import Moments, moments_of, strength_rows, transform
from rejudge.power.pair_tests import PairTests
from rejudge.power.single_fits import CHOICE_FITS, SCORE_FITS
from rejudge.power.studies import Engine, SimulatedStudies, StudyShape
from rejudge.study.kinds.question import ScoreQuestion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.simulate.parameters import Parameters
    from rejudge.study.analysis_plan import Unit
    from rejudge.study.kinds.question import Question

_NUMBERS = 250_000  # in one table of answers: about 1 MB
_WORTH_COMPILING = 100_000_000  # judgments: two seconds of numpy
_TWO = 2
_REMEDY = (
    "Give each participant more items or each item more participants, or simulate complete studies "
    "(`rejudge.power.complete.simulate_complete`)."
)
_LATENT = frozenset({"ordinal-mixed-model", "binary-mixed-model"})
_USUAL_UNITS: dict[str, Unit] = {"paired-t": "item", "wilcoxon": "item"}
_BY_UNIT = frozenset({"paired-t", "t-test", "welch", "wilcoxon", "mann-whitney"})
_SCORE_TESTS = frozenset(pair_tests.SCORE_TESTS)
_CHOICE_TESTS = frozenset({"mixed-model", "joint-mixed-model", "cluster-robust", "paired-t"})
_CLOSED: dict[str, frozenset[str]] = {
    "rating": _SCORE_TESTS,
    "slider": _SCORE_TESTS,
    "pairwise": _CHOICE_TESTS,
    "ranking": _CHOICE_TESTS,
    "best-worst": frozenset({"joint-mixed-model"}),
}
_FITTED: dict[str, frozenset[str]] = {
    "rating": frozenset(SCORE_FITS),
    "slider": frozenset({"wilcoxon", "mann-whitney"}),
    "pairwise": frozenset({"sign-flip", "bradley-terry"}),
    "ranking": frozenset(CHOICE_FITS),
}


def simulate_studies(  # noqa: PLR0913, PLR0917 - what is simulated, for whom, how often
    shape: StudyShape,
    parameters: Parameters,
    question: Question,
    test: str,
    studies: int,
    seed: tuple[int, ...],
    *,
    unit: Unit | None = None,
    is_rounded: bool = True,
    engine: Engine | None = None,
) -> SimulatedStudies:
    """Simulate studies of one shape and compute the planned test of each.

    `unit` is what counts once in a test by item, participant or judgment. With `is_rounded` false,
    scores are marks on a line without ends, for which closed forms of power exist. `why_not_fast`
    says which plans this is not for.

    `engine` is what draws the answers: by default numpy, or numba where it is installed and there
    is enough to draw (`choose_engine`). The same seed gives the same numbers with the same engine;
    name the engine where parts of one simulation may run on different machines.
    """
    _refuse_wrong_qualities(parameters, shape)
    reason = why_not_fast(shape, parameters, question, test, unit=unit)
    if reason:
        raise DataError(Problem(reason, _REMEDY))
    run = _Run(shape, parameters, question, test, unit or _USUAL_UNITS.get(test, "judgment"))
    chosen = engine or choose_engine(shape, question, test, studies)
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    if chosen == "numba":
        return run.compiled_studies(studies, rng, is_rounded=is_rounded)
    parts = [run.studies(count, rng, is_rounded=is_rounded) for count in _counts(shape, studies)]
    return SimulatedStudies.joined(parts)


def choose_engine(shape: StudyShape, question: Question, test: str, studies: int) -> Engine:
    """The engine that draws this many studies fastest on this machine.

    Numba takes a second to start, and draws scores only.
    """
    judgments = studies * shape.items * shape.participants_per_item * shape.systems
    is_worth_it = judgments > _WORTH_COMPILING and test in pair_tests.SCORE_TESTS
    if question.is_comparison or not is_worth_it or find_spec("numba") is None:
        return "numpy"
    return "numba"


def _refuse_wrong_qualities(parameters: Parameters, shape: StudyShape) -> None:
    if parameters.quality and len(parameters.quality) != shape.systems:
        raise DataError(
            Problem(
                f"{len(parameters.quality)} systems have a quality, but the study has "
                f"{shape.systems}.",
                "Give a quality for each system, or for none.",
            )
        )


def why_not_fast(
    shape: StudyShape,
    parameters: Parameters,
    question: Question,
    test: str,
    *,
    unit: Unit | None = None,
) -> str:
    """Why studies must be simulated one by one; empty if they need not."""
    kind = question.kind
    if parameters.dropout > 0:
        return "Participants who leave early make tables incomplete, and these have no closed form."
    if not _has_closed_form(question, test) and test not in _FITTED.get(kind, frozenset()):
        return f"No closed form is known for {test} of a question of kind {kind}."
    if (
        question.is_comparison
        and kind != "pairwise"
        and question.shows(shape.systems) != shape.systems
    ):
        return "Judgments that show some of the systems have no closed form."
    if test in _BY_UNIT and unit == "batch":
        return "The participants of several batches overlap, so tests by batch have no closed form."
    if (
        question.is_comparison
        and test == "paired-t"
        and unit == "judgment"
        and shape.systems > _TWO
    ):
        return "Choices of several pairs by one participant are not paired scores."
    if shape.participants_per_item == 1 and shape.blocks == shape.items:
        return "Each participant judges one item, and each item is judged once."
    return ""


def is_fast(question: Question, test: str) -> bool:
    """Whether a test takes a processor less than a tenth of a millisecond in a study."""
    return _has_closed_form(question, test) or test == "sign-flip"


def _has_closed_form(question: Question, test: str) -> bool:
    """Whether a test is a function of sums."""
    return test in _CLOSED.get(question.kind, frozenset())


def _is_ranked(question: Question) -> bool:
    return question.is_comparison and question.kind != "pairwise"


def _counts(shape: StudyShape, studies: int) -> Iterator[int]:
    """How many studies to simulate at a time."""
    columns = max(shape.systems, shape.systems * (shape.systems - 1) // 2)
    most = max(1, _NUMBERS // (shape.items * shape.participants_per_item * columns))
    for start in range(0, studies, most):
        yield min(most, studies - start)


def scale_of(question: Question) -> PointRange:
    """The points that simulated participants choose from."""
    if not isinstance(question, ScoreQuestion):
        raise DataError(f"'{question.id}' asks for a choice, not for a score.")
    points = question.simulated_scores
    return PointRange(points[0], points[-1], points[1] - points[0])


@dataclass(frozen=True, slots=True)
class _Run:
    """What is simulated, and which test is computed."""

    shape: StudyShape
    parameters: Parameters
    question: Question
    test: str
    unit: str

    def studies(
        self, count: int, rng: np.random.Generator, *, is_rounded: bool
    ) -> SimulatedStudies:
        """Simulate some studies."""
        if not self.question.is_comparison:
            return self._of_scores(count, rng, is_rounded=is_rounded)
        if self.question.kind == "pairwise":
            table = choices.draw_choices(
                self.shape, self.parameters, count, rng, has_ties=self.question.allows_tie
            )
            return self._of_choices(table, choices.sides(self.shape))
        seen = choices.draw_ranked(self.shape, self.parameters, count, rng)
        if self.test == "joint-mixed-model":
            return self._of_sets(seen)
        return self._of_choices(choices.implied_choices(seen), choices.ranking_sides(self.shape))

    def _of_scores(
        self, count: int, rng: np.random.Generator, *, is_rounded: bool
    ) -> SimulatedStudies:
        scale = scale_of(self.question)
        table = draw_scores(self.shape, self.parameters, scale, count, rng, is_rounded=is_rounded)
        moments = moments_of(table, self.shape)
        if self.test in SCORE_FITS:
            found = SCORE_FITS[self.test](table, self.shape, self.unit)
        else:
            found = pair_tests.SCORE_TESTS[self.test](moments, self.unit)
        return _on_scale(found, moments.mean, scale, is_latent=self.test in _LATENT)

    def compiled_studies(
        self, count: int, rng: np.random.Generator, *, is_rounded: bool
    ) -> SimulatedStudies:
        """Simulate studies of scores by compiled code."""
        from rejudge.power import compiled

        scale = scale_of(self.question)
        moments = compiled.draw_moments(
            self.shape, self.parameters, scale, count, rng, is_rounded=is_rounded
        )
        found = pair_tests.SCORE_TESTS[self.test](moments, self.unit)
        return replace(_on_scale(found, moments.mean, scale), engine="numba")

    def _of_sets(self, seen: Table) -> SimulatedStudies:
        if self.question.kind == "best-worst":
            table = choices.best_worst_scores(seen)
        else:
            table = choices.ranking_scores(choices.implied_choices(seen), self.shape.systems)
        moments = moments_of(table, self.shape)
        return _result(pair_tests.set_model(moments), moments.mean)

    def _of_choices(self, table: Table, sides: Table) -> SimulatedStudies:
        """Choices between two, of one pair or of all; `sides` say which of them was shown first."""
        s, raw = self.shape.systems, moments_of(table, self.shape)
        systems = transform(raw, strength_rows(s) * s / (s - 1))
        return _result(self._test_of_choices(table, sides, raw, systems), 100 * systems.mean)

    def _test_of_choices(
        self, table: Table, sides: Table, raw: Moments, systems: Moments
    ) -> PairTests:
        if self.test == "paired-t":
            return pair_tests.paired_t(systems, self.unit)
        if self.test in CHOICE_FITS:
            return CHOICE_FITS[self.test](table, self.shape)
        if self.test == "cluster-robust":
            return pair_tests.cluster_robust_choices(raw)
        if self.test == "joint-mixed-model":
            even = choices.without_sides(table, sides, is_shared=True)
            return pair_tests.joint_model(moments_of(even, self.shape), side_df=1)
        even = choices.without_sides(table, sides, is_shared=False)
        return pair_tests.pair_models(moments_of(even, self.shape), side_df=1)


def _result(found: PairTests, scores: NDArray[np.float64]) -> SimulatedStudies:
    return SimulatedStudies(
        found.value, found.standard_error, found.df, pair_tests.two_sided(found), scores
    )


def _on_scale(
    found: PairTests, mean: NDArray[np.float64], scale: PointRange, *, is_latent: bool = False
) -> SimulatedStudies:
    """Scores of steps from the middle as those of the scale; log odds stay what they are."""
    step = 1.0 if is_latent else scale.step
    return SimulatedStudies(
        found.value * step,
        found.standard_error * step,
        found.df,
        pair_tests.two_sided(found),
        mean * scale.step + scale.middle,
    )
