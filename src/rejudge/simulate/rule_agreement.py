"""How many of the participants' judgments a baseline would have given as well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rejudge import stats
from rejudge.analysis import Interval
from rejudge.judgments import Judgments
from rejudge.study import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NO_MATCH = "No judgment of a participant can be matched with an answer of the baseline."


@dataclass(frozen=True, slots=True)
class AgreementShare:
    """The percentage of participants' judgments that are those of a baseline."""

    value: float | None
    n: int
    items: int
    participants: int
    interval: Interval | None = None
    note: str = ""


_Key: TypeAlias = tuple[str | int | None, ...]


@dataclass(frozen=True, slots=True)
class RuleAgreement:
    """The judgments of participants beside those of a baseline, on one question."""

    question: Question
    table: Judgments  # of the baseline
    theirs: Judgments  # of participants, real tasks that count
    decisions: Mapping[str, float]  # by task, the share of it that a rule decided
    level: float

    def share(self, *, decided_only: bool = False) -> AgreementShare:
        """The percentage of participants' judgments that the baseline agrees with.

        What the baseline leaves to chance counts with the share of its draws that agree. The
        interval allows for clusters of items and of participants.
        """
        import numpy as np

        theirs = self.theirs
        same = self._same(theirs)
        rows = np.flatnonzero(~np.isnan(same))
        if decided_only:
            tasks = theirs.task.words()
            chosen = [self.decisions.get(tasks[row] or "", 0.0) == 1.0 for row in rows.tolist()]
            rows = rows[np.array(chosen, dtype=bool)]
        if not len(rows):
            return AgreementShare(None, 0, 0, 0, note=_NO_MATCH)
        people = theirs.participant.codes[rows]
        if (people < 0).any():
            return AgreementShare(
                float(100 * same[rows].mean()), len(rows), stats.how_many(theirs.item.codes[rows]),
                0, note="No interval: it is not known who judged.",
            )  # fmt: skip
        found = stats.mean_by_system(
            100 * same[rows],
            np.zeros(len(rows), dtype=np.int64),
            item=theirs.item.codes[rows],
            participant=people,
            systems=1,
            level=self.level,
            bounds=(0.0, 100.0),
        )[0]
        return AgreementShare(
            found.value, found.n, found.items, found.participants, found.interval, found.note
        )

    def _same(self, theirs: Judgments) -> NDArray[np.float64]:
        """For each judgment how often the baseline says the same; NaN where it says nothing."""
        import numpy as np

        within = getattr(self.question, "tolerance", 0.0)
        by_task, by_item = self._answers()
        found = []
        for (task, thing), value in zip(_keys(theirs), theirs.value.tolist(), strict=True):
            given = by_task.get((task, *thing)) if task else by_item.get(thing)
            found.append(
                sum(abs(each - value) <= within for each in given) / len(given) if given else np.nan
            )
        return np.array(found, dtype=np.float64)

    def _answers(self) -> tuple[dict[_Key, list[float]], dict[_Key, list[float]]]:
        """The values of the baseline by task, and by what was judged where no task is known."""
        by_task: dict[_Key, list[float]] = defaultdict(list)
        by_item: dict[_Key, list[float]] = defaultdict(list)
        own = self.table.of_kind("real")
        for (task, thing), value in zip(_keys(own), own.value.tolist(), strict=True):
            by_task[(task, *thing)].append(value)
            by_item[thing].append(value)
        return by_task, by_item


def _keys(judgments: Judgments) -> Iterator[tuple[str | None, _Key]]:
    """The task of each judgment, and what was judged: item, systems and segment."""
    columns = (judgments.item, judgments.system, judgments.system_a, judgments.system_b)
    things = zip(*(each.words() for each in columns), judgments.segment.tolist(), strict=True)
    return zip(judgments.task.words(), things, strict=True)
