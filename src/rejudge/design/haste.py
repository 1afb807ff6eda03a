"""The least time that a batch takes somebody who reads what they judge.

A floor, not a norm: faster than this the texts cannot have been read. It is set so that honest
people practically never fall below it, however fast they are.

Reading: 1,000 words a minute. More is impossible for anatomical and cognitive reasons (Rayner and
others 2016, Psychological Science in the Public Interest 17; Brysbaert 2019). The mean for English
non-fiction is 238, most adults read at 175 to 300 (Brysbaert 2019), and of the best readers that
could be found none understood three quarters of an easy text at more than 600 (Carver 1985, Reading
Research Quarterly 20). So those who skim, or stop once they have seen enough, stay above the floor.
The speeds known for other languages are for reading aloud, which is slower (183 in English,
Brysbaert 2019), so they are scaled by 1,000/183.
Only what is judged has to be read, and once: inputs and references may be known or not needed, and
a text that comes back, here or in another batch of the same person, is not read again.

Answering: half a second for each answer, an assumption of ours: 0.3 to see and choose, 0.2 to press
a key (the keystroke of Card, Moran & Newell 1983; pointing with a mouse takes a second).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cached_property

from rejudge.design.duration import WORDS_PER_MINUTE, reading_seconds
from rejudge.design.plan import Plan, Task, answers_needed, option_text
from rejudge.study import Study

FASTEST_WORDS_PER_MINUTE = 1000.0
FASTEST_ANSWER_SECONDS = 0.5
_ALOUD_WORDS_PER_MINUTE = 183.0  # English; the other languages were measured so
# A page counts no more than this while nobody moves the pointer, however long they read.
_MOST_SECONDS_PER_PAGE = 30.0

FLOOR_IN_WORDS = (
    f"nobody reads more than {FASTEST_WORDS_PER_MINUTE:,.0f} words a minute (Rayner et al. 2016) "
    f"or answers in less than {FASTEST_ANSWER_SECONDS:g} seconds; only the judged texts count, "
    "each once"
)


class ReadingFloor:
    """The least seconds that the tasks of a plan take, for each batch or for some of its tasks."""

    def __init__(self, study: Study, plan: Plan) -> None:
        self._study = study
        self._plan = plan
        self._read: dict[tuple[str, str], float] = {}
        self._whole: dict[str, float] = {}

    def seconds(self, batch: str, tasks: Collection[str] | None = None) -> float | None:
        """The least seconds for some tasks of a batch, or for all; None where one is unknown."""
        planned = self._plan.batch.get(batch)
        if planned is None:
            return None
        if tasks is None or len(tasks) == len(planned.tasks):
            if batch not in self._whole:
                self._whole[batch] = self._least(planned.tasks)
            return self._whole[batch]
        known = {task.id: task for task in planned.tasks}
        if not known.keys() >= set(tasks):
            return None
        return self._least(known[task] for task in tasks)

    def _least(self, tasks: Iterable[Task]) -> float:
        known: set[tuple[str, str]] = set()
        seconds = 0.0
        for task in tasks:
            new = {(task.item, option) for option in task.options} - known
            known |= new
            reading = sum(self._text(task, option) for _, option in sorted(new))
            seconds += min(reading, _MOST_SECONDS_PER_PAGE)
            seconds += FASTEST_ANSWER_SECONDS * self._answers(task)
        return seconds

    def _answers(self, task: Task) -> int:
        asked = [q for q in self._study.questions_beside(len(task.options)) if q.required]
        return sum(answers_needed(self._plan, task, each) for each in asked) if asked else 1

    def _text(self, task: Task, option: str) -> float:
        key = (task.item, option)
        if key in self._met_again:
            return 0.0
        if key not in self._read:
            language = self._study.item[task.item].language
            text = option_text(self._study, self._plan, task, option)
            self._read[key] = fastest_reading_seconds(text, language)
        return self._read[key]

    @cached_property
    def _met_again(self) -> frozenset[tuple[str, str]]:
        """Texts that one person can meet in several batches."""
        has_calibration = any(batch.is_calibration for batch in self._plan.batches)
        if self._plan.batches_per_participant == 1 and not has_calibration:
            return frozenset()
        shown = Counter(
            text
            for batch in self._plan.batches
            for text in {(task.item, option) for task in batch.tasks for option in task.options}
        )
        return frozenset(text for text, batches in shown.items() if batches > 1)


def fastest_reading_seconds(text: str, language: str) -> float:
    """The least seconds in which a text can be read at all."""
    is_english = language.partition("-")[0] == "en"
    usual = WORDS_PER_MINUTE["en"] if is_english else _ALOUD_WORDS_PER_MINUTE
    return reading_seconds(text, language) * usual / FASTEST_WORDS_PER_MINUTE
