"""Whether a practice example can be shown and its right answers given."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.errors import DataError
from rejudge.study.kinds import Question
from rejudge.study.model import Spec
from rejudge.study.procedure import Example
from rejudge.study.written import Path


def practice_faults(spec: Spec, example: Example) -> Iterator[tuple[Path, str, str]]:
    """The path inside the example, what is wrong there, and the remedy."""
    systems, outputs = len(spec.systems), len(example.outputs)
    widths = sorted({question.shows(systems) for question in spec.questions})
    if outputs not in widths:
        possible = " or ".join(str(width) for width in widths)
        yield (
            ("outputs",),
            f"{_outputs(outputs)} in the example, but the questions show {possible}.",
            f"Give {possible}.",
        )
        return
    for question in spec.questions:
        if question.id not in example.answers:
            continue
        path: Path = ("answers", question.id)
        if question.shows(systems) != outputs:
            yield (
                path,
                f"'{question.id}' shows {question.shows(systems)} outputs, the example {outputs}.",
                "Take the answer away, or make an example of its own for it.",
            )
        else:
            yield from _answer_faults(spec, question, example)


def _answer_faults(
    spec: Spec, question: Question, example: Example
) -> Iterator[tuple[Path, str, str]]:
    cut = question.segmentation
    if cut is not None and cut.unit == "reference" and not example.reference:
        yield (
            ("answers", question.id),
            f"'{question.id}' scores the reference, but the example has none.",
            "Add `reference:` to the example.",
        )
        return
    try:
        question.parse(example.answers[question.id], _parts(spec, question, example))
    except DataError as error:
        what, _, remedy = str(error).partition(". ")
        yield ("answers", question.id), f"{what}.", remedy


def _parts(spec: Spec, question: Question, example: Example) -> int:
    cut = question.segmentation
    if cut is None:
        return len(example.outputs)
    text = example.reference if cut.unit == "reference" else example.outputs[0]
    return len(cut.cut(text, spec.language))


def _outputs(number: int) -> str:
    return "there is 1 output" if number == 1 else f"there are {number} outputs"
