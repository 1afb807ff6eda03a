"""Whether an answer given in practice is the right one."""

from __future__ import annotations

from rejudge.study import Question, Slider

_NEAR = 10.0  # on a line from 0 to 100 nobody hits a number by chance or by knowing


def is_right(question: Question, right: str, given: str, *, parts: int) -> bool:
    """Whether two raw answers say the same; on a slider, whether they are ten or less apart."""
    wanted, answer = question.parse(right, parts), question.parse(given, parts)
    if isinstance(question, Slider) and isinstance(wanted, float) and isinstance(answer, float):
        return abs(wanted - answer) <= _NEAR
    return wanted == answer
