"""The columns of the judgments table as the statistics want them: plain arrays of one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.errors import DataError, Problem
from rejudge.judgments import Judgments
from rejudge.stats import Comparisons, CountTable, average_within, count_table
from rejudge.study import Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SHOWN = 20  # so many strangers are listed; a file of another study would fill the screen


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """One score per output and participant; segments are averaged first."""

    value: NDArray[np.float64]
    system: NDArray[np.integer]
    item: NDArray[np.integer]  # the cluster: the input, whichever of its items it was
    participant: NDArray[np.integer]


def comparisons(study: Study, judgments: Judgments) -> Comparisons:
    """The comparisons of one question, systems in the order of the study."""
    systems = study.system_ids
    return Comparisons(
        first=judgments.system_a.recoded(systems),
        second=judgments.system_b.recoded(systems),
        preference=judgments.value,
        item=_inputs(study, judgments),
        participant=judgments.participant.codes,
        systems=len(systems),
    )


def scores(study: Study, judgments: Judgments) -> Scores:
    """The scores of one question, systems in the order of the study."""
    system = judgments.system.recoded(study.system_ids)
    keys = (system, judgments.item.codes, _inputs(study, judgments), judgments.participant.codes)
    if (judgments.segment < 0).all():
        return Scores(judgments.value, keys[0], keys[2], keys[3])
    value, averaged = average_within(judgments.value, *keys)
    return Scores(value, averaged[0], averaged[2], averaged[3])


def shown_first(judgments: Judgments) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How far each comparison went to the option shown first, for the rows where that is known."""
    import numpy as np

    side = judgments.side
    known = np.asarray(side.codes >= 0)
    is_second = side.codes[known] == side.code("b")
    value = judgments.value[known]
    return np.where(is_second, 1 - value, value), known


def agreement_table(judgments: Judgments) -> CountTable:
    """Who said what about each unit: an output, a segment of it, or a pair of an item's outputs."""
    import numpy as np

    if not len(judgments):
        return count_table(np.zeros(0, dtype=np.int64), judgments.value)
    unit = _units(judgments)
    if not judgments.is_comparison.any():
        return count_table(unit, judgments.value)
    return count_table(unit, _as_shown(judgments, unit))


def refuse_duplicates(judgments: Judgments) -> None:
    """Nobody counts twice: a second judgment of the same thing is an error, not an average."""
    import numpy as np

    if not len(judgments):
        return
    keys = np.stack([judgments.participant.codes, judgments.question.codes, _units(judgments)], 1)
    _, place, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    doubled = np.flatnonzero(counts > 1)
    if len(doubled):
        first = judgments.take(np.array([place[doubled[0]]])).rows()[0]
        raise DataError(
            Problem(
                f"{len(doubled)} judgments were made twice by the same participant, for instance "
                f"'{first.question}' of item '{first.item}' by '{first.participant}'.",
                "Mark the second pass as kind `repeat`, or remove it.",
                file="judgments.csv",
            )
        )


def refuse_strangers(study: Study, judgments: Judgments) -> None:
    """Judgments of another study are no judgments of this one."""
    known = {
        "question": {question.id for question in study.spec.questions},
        "item": set(study.item),
        "system": set(study.system_ids),
        "system_a": set(study.system_ids),
        "system_b": set(study.system_ids),
    }
    problems = [
        Problem(
            f"the {column} '{name}' is not in the study.",
            "Rename it as in study.yaml, or read the judgments with the study they belong to.",
            file="judgments.csv",
        )
        for column, names in known.items()
        for name in sorted(_used(judgments, column) - names)
    ]
    if problems:
        raise DataError.of(problems[:_SHOWN])


def _used(judgments: Judgments, column: str) -> set[str]:
    import numpy as np

    coded = getattr(judgments, column)
    return {coded.labels[code] for code in np.unique(coded.codes).tolist() if code >= 0}


def _units(judgments: Judgments) -> NDArray[np.int64]:
    """What was judged, numbered the same for everybody who judged it.

    Two outputs that meet in two tuples of a best-worst question are judged twice, in different
    company, so the task counts too (where it is known).
    """
    import numpy as np

    a, b = judgments.system_a.codes, judgments.system_b.codes
    keys = np.stack(
        [
            judgments.item.codes,
            np.where(judgments.is_comparison, np.minimum(a, b), judgments.system.codes),
            np.where(judgments.is_comparison, np.maximum(a, b), -1),
            judgments.segment,
            judgments.task.codes,
        ],
        axis=1,
    )
    _, unit = np.unique(keys, axis=0, return_inverse=True)
    return np.asarray(unit, dtype=np.int64).reshape(-1)


def _as_shown(judgments: Judgments, unit: NDArray[np.int64]) -> NDArray[np.float64]:
    """Choices as first or second shown, so that chance agreement does not hang on names of systems.

    Where a pair was shown both ways round, its more frequent order counts for all.
    """
    import numpy as np

    is_turned = judgments.system_a.codes > judgments.system_b.codes
    value = np.where(is_turned, 1 - judgments.value, judgments.value)  # the lower code's preference
    is_second = judgments.side.codes == judgments.side.code("b")
    votes = np.bincount(unit, weights=np.where(is_second ^ is_turned, 1.0, -1.0))
    return np.where(votes[unit] > 0, 1 - value, value)


def _inputs(study: Study, judgments: Judgments) -> NDArray[np.integer]:
    """The input of each judgment: items of one group resemble each other like one item."""
    import numpy as np

    names = [
        study.item[label].group if label in study.item else label for label in judgments.item.labels
    ]
    place = {name: code for code, name in enumerate(dict.fromkeys(names))}
    table = np.array([place[name] for name in names], dtype=np.int64)
    return np.asarray(table[judgments.item.codes]) if names else np.zeros(0, dtype=np.int64)
