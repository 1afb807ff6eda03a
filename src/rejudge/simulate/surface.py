"""People who go by the surface alone, to see how far a study could be decided without reading.

After Steen & Markert (2025), who found that so simple a rule nearly gives the ranking that people
gave: a copy of the input wins, an output with an unknown word loses, and chance decides the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rejudge.design import Plan, Task, option_text
from rejudge.judgments import Answer
from rejudge.simulate.people import Crowd, People, fill
from rejudge.study import Question, Study

if TYPE_CHECKING:
    import numpy as np

_FAR = 9.0  # beyond what chance, whose SD is 0.7, ever makes up for
_UNKNOWN = re.compile(r"(?<!\w)[<\[]?unk(nown)?[>\]]|(?<!\w)unk(?!\w)", re.IGNORECASE)


def judge_by_surface(study: Study, plan: Plan, *, rng: np.random.Generator) -> tuple[Answer, ...]:
    """Let people fill every place of a plan who look for copies and unknown words only."""
    alike = dict.fromkeys(study.system_ids, 0.0)
    blunt = People(item_spread=0, taste_spread=0, severity_spread=0, tie_width=0, slip=0)
    return fill(_Surface(study, plan, rng=rng, quality=alike, people=blunt))


class _Surface(Crowd):
    """A crowd to whom an output is good if it copies its input, and bad if it has «unk»."""

    def standing(self, question: Question, task: Task, option: str) -> float:  # noqa: ARG002 - of a crowd
        text = _as_shown(option_text(self.study, self.plan, task, option))
        if text == _as_shown(self.study.item[task.item].input):
            return _FAR
        return -_FAR if _UNKNOWN.search(text) else 0.0


def _as_shown(text: str) -> str:
    """A page shows runs of white space as one blank."""
    return " ".join(text.split())
