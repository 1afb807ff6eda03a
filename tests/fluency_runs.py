"""Runs of van Miltenburg et al. (2024) and of others, from printed tables and raw judgments."""

from __future__ import annotations

import numpy as np

from rejudge.compare.alignment import Alignment, align
from rejudge.compare.run import Run, RunCriterion
from rejudge.findings.model import Finding, Key, Spread
from rejudge.findings.words import How
from rejudge.judgments.read import read_judgments
from rejudge.judgments.table import Judgment, Judgments

SYSTEMS = {"svm": "SVM-RERANK", "gedi": "GEDI", "dexpert": "DEXPERT"}
FLUENCY = RunCriterion("fluency", "Fluency", "rating", 1.0, 4.0)
# August et al. (2022), as van Miltenburg et al. (2024), table 1, print it: mean and SD of 200.
ORIGINAL = {"svm": (3.71, 0.59), "gedi": (3.20, 1.06), "dexpert": (2.33, 0.85)}
FIRST = {"svm": (3.12, 0.92), "gedi": (2.57, 1.21), "dexpert": (2.28, 1.00)}
SECOND = {"svm": (3.62, 0.64), "gedi": (3.23, 0.94), "dexpert": (2.27, 0.92)}
PEOPLE = {"first": ("001", "002"), "second": ("009", "010")}


def score_of(question, system, value, *, sd=None, **known: object):
    """A score as a paper prints it."""
    return Finding(
        key=Key(question, "mean", "printed", (system,)),
        by="printed",
        value=value,
        n_of="judgments",
        how=(How.PRINTED(),),
        spread=None if sd is None else Spread(sd),
        **{"n": None, **known},
    )


def contrast(first, second, value, **known: object):
    """A test of two systems for their fluency as a paper prints it."""
    return Finding(
        key=Key("fluency", "mean-difference", "printed", (first, second)),
        value=value,
        n=None,
        n_of="judgments",
        how=(How.PRINTED(),),
        **{"by": "t-test", "role": "headline", "is_supported": True, **known},
    )


def printed(name, scores, *, n=200, criterion=FLUENCY, further=(), **more: object):
    """A run of which only a table is known."""
    return Run(
        id=name,
        name=name,
        source="paper",
        reproduces=None,
        systems={system: system for system in scores},
        criteria=(criterion,),
        findings=(
            *(
                score_of(criterion.id, system, mean, sd=sd, n=n, half_unit=0.005)
                for system, (mean, sd) in scores.items()
            ),
            *further,
        ),
        conditions={"platform": "none"},
        **more,
    )


def from_judgments(name, judgments, *, criterion=FLUENCY, **more: object):
    """A run whose judgments are known."""
    systems = [label for label in judgments.system.labels if label in set(judgments.system.words())]
    scores = {
        system: judgments.value[judgments.system.codes == judgments.system.code(system)]
        for system in systems
    }
    return Run(
        id=name,
        name=name,
        source="results",
        reproduces=None,
        systems={system: system for system in systems},
        criteria=(criterion,),
        findings=tuple(
            score_of(
                criterion.id, system, float(values.mean()), sd=float(values.std(ddof=1)),
                n=len(values),
            )
            for system, values in scores.items()
        ),
        conditions={"platform": "none"},
        judgments=judgments,
        **more,
    )  # fmt: skip


def ratings(folder, people):
    """The first ratings of those people, with short names of systems."""
    table = read_judgments(folder / "judgments.csv").of_kind("real")
    wanted = [table.participant.code(person) for person in people]
    table = table.take(np.isin(table.participant.codes, wanted))
    names = {long: short for short, long in SYSTEMS.items()}
    rows = [
        Judgment(r.participant, r.item, "fluency", r.value, system=names[r.system])
        for r in table.rows()
    ]
    return Judgments.from_rows(rows, systems=tuple(SYSTEMS))


def both(folder) -> Alignment:
    """The printed original beside both reproductions, these with their raw ratings."""
    return align(
        printed("original", ORIGINAL),
        [
            # The items name outputs, so that no two systems share one; terms were drawn at random.
            from_judgments(name, ratings(folder, people), items_dealt_at_random=True)
            for name, people in PEOPLE.items()
        ],
    )
