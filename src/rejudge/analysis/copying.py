"""How often each system returned its input unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.analysis.details import CopiedInputs
from rejudge.judgments import Judgments
from rejudge.study import Study, as_shown


def copied_inputs(study: Study, judgments: Judgments) -> Iterator[CopiedInputs]:
    """Outputs of judged items that read like their input, by system; none without inputs."""
    import numpy as np

    names = judgments.item.labels
    judged = [study.item[names[code]] for code in np.unique(judgments.item.codes).tolist()]
    texts = [(as_shown(item.input), item.outputs) for item in judged if item.input.strip()]
    for place, system in enumerate(study.system_ids):
        known = [(text, outputs[place]) for text, outputs in texts]
        outputs = [(text, as_shown(output)) for text, output in known if output is not None]
        if outputs:
            same = sum(text == output for text, output in outputs)
            yield CopiedInputs(system, len(outputs), same, 100 * same / len(outputs))
