"""Data that cannot tell much never crash the analysis, and no number is invented."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, SEGMENTS, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further, FurtherTest
from rejudge.findings.model import WITHOUT_EXCLUSIONS
from rejudge.judgments.exclusions import Cleaned
from rejudge.judgments.table import Judgment, Judgments
from rejudge.study.analysis_plan import PlannedTest

TESTS = PlannedTest.model_fields["test"].annotation.__args__
COEFFICIENTS = ["percent", "krippendorff-alpha", "cohen-kappa", "fleiss-kappa", "icc"]
CASES = [{"id": way, "multiple": way} for way in ("mean", "majority")]


def rated(*rows: tuple[str, str, str, float]):
    return [
        Judgment(person, item, "fluency", float(value), system=system)
        for person, item, system, value in rows
    ]


def chosen(*rows: tuple[str, str, str, str, str, str | None]):
    return [
        Judgment(person, item, "meaning", value, system_a=a, system_b=b, side=side)
        for person, item, a, b, value, side in rows
    ]


PEOPLE, ITEMS, SYSTEMS = ("p1", "p2", "p3"), ("i0", "i1", "i2", "i3"), ("ash", "beech", "cedar")
PAIRS = (("ash", "beech"), ("ash", "cedar"), ("beech", "cedar"))

RATINGS = {
    "nothing": [],
    "one judgment": rated(("p1", "i0", "ash", 3)),
    "one participant": rated(
        *(("p1", i, s, n % 5 + 1) for n, i in enumerate(ITEMS) for s in SYSTEMS)
    ),
    "one item": rated(*((p, "i0", s, n + 1) for n, p in enumerate(PEOPLE) for s in SYSTEMS)),
    "one system": rated(*((p, i, "ash", n % 4 + 1) for p in PEOPLE for n, i in enumerate(ITEMS))),
    "all the same": rated(*((p, i, s, 3) for p in PEOPLE for i in ITEMS for s in SYSTEMS)),
    "constant within systems": rated(
        *((p, i, s, n + 1) for p in PEOPLE for i in ITEMS for n, s in enumerate(SYSTEMS))
    ),
    "everybody judged something else": rated(
        *((p, f"i{n}", s, n % 5 + 1) for n, (p, s) in enumerate(zip(PEOPLE, SYSTEMS, strict=True)))
    ),
    "a system is missing from a dataset": rated(
        *((p, i, s, (n + len(s)) % 5 + 1) for p in PEOPLE for n, i in enumerate(ITEMS)
          for s in SYSTEMS if not (s == "cedar" and n % 2))
    ),
    "a system was never judged on one of the datasets": [
        replace(row, dataset=("news", "wiki")[int(row.item[1]) % 2])
        for row in rated(
            *((p, i, s, (n + len(s) + len(p)) % 5 + 1) for p in PEOPLE for n, i in enumerate(ITEMS)
              for s in SYSTEMS if not (s == "cedar" and n % 2))
        )
    ],
    "two values that separate the systems": rated(
        *((p, i, s, 5 if s == "ash" else 1) for p in PEOPLE for i in ITEMS for s in SYSTEMS[:2])
    ),
}  # fmt: skip
CHOICES = {
    "nothing": [],
    "one judgment": chosen(("p1", "i0", "ash", "beech", "a", "a")),
    "one participant": chosen(
        *(("p1", i, a, b, "ab"[n % 2], "ab"[n % 2]) for n, i in enumerate(ITEMS) for a, b in PAIRS)
    ),
    "one item": chosen(
        *((p, "i0", a, b, "ab"[n % 2], "a") for n, p in enumerate(PEOPLE) for a, b in PAIRS)
    ),
    "all ties": chosen(
        *((p, i, a, b, "tie", None) for p in PEOPLE for i in ITEMS for a, b in PAIRS)
    ),
    "all the same": chosen(
        *((p, i, a, b, "a", "a") for p in PEOPLE for i in ITEMS for a, b in PAIRS)
    ),
    "a system that never loses": chosen(
        *((p, i, a, b, "a" if a == "ash" else "ab"[n % 2], "a")
          for p in PEOPLE for n, i in enumerate(ITEMS) for a, b in PAIRS)
    ),
    "a system is missing from a dataset": [
        replace(row, dataset=("news", "wiki")[int(row.item[1]) % 2])
        for row in chosen(
            *((p, i, a, b, "ab"[(n + len(p)) % 2], "a") for p in PEOPLE
              for n, i in enumerate(ITEMS) for a, b in PAIRS if not ("cedar" in (a, b) and n % 2))
        )
    ],
    "everybody judged something else": chosen(
        *((p, f"i{n}", a, b, "ab"[n % 2], "a")
          for n, (p, (a, b)) in enumerate(zip(PEOPLE, PAIRS, strict=True)))
    ),
    "a perfect order of systems": chosen(
        *((p, i, a, b, "a", "ab"[n % 2]) for p in PEOPLE for n, i in enumerate(ITEMS)
          for a, b in PAIRS)
    ),
    "systems that never meet": chosen(
        *((p, i, "ash", "beech", "ab"[n % 2], "a") for p in PEOPLE for n, i in enumerate(ITEMS))
    ),
}  # fmt: skip


def tables():
    yield from ((f"ratings, {name}", RATING, rows) for name, rows in RATINGS.items())
    yield from ((f"choices, {name}", PAIRWISE, rows) for name, rows in CHOICES.items())


TABLES = list(tables())


def assert_no_number_is_invented(results):
    for finding in results.findings:
        numbers = (finding.value, finding.p, finding.p_adjusted)
        assert all(number is None or math.isfinite(number) for number in numbers), finding.id
        ends = (finding.interval.low, finding.interval.high) if finding.interval else ()
        assert all(map(math.isfinite, ends)), finding.id
        assert finding.value is not None or finding.note, finding.id
        assert finding.value is not None or finding.interval is None, finding.id
        assert not re.search(r"\b(nan|inf)\b", finding.method), finding.id


@pytest.mark.parametrize(("name", "question", "rows"), TABLES, ids=[t[0] for t in TABLES])
def test_a_table_alone(name, question, rows):
    assert_no_number_is_invented(analyse(Judgments.from_rows(rows)))


@pytest.mark.parametrize(("name", "question", "rows"), TABLES, ids=[t[0] for t in TABLES])
@pytest.mark.slow
def test_a_study_that_plans_everything(name, question, rows):
    units = [
        {"test": test, "unit": unit}
        for test in ("one-way-anova", "t-test", "paired-t", "mann-whitney", "friedman")
        for unit in ("item", "batch")
    ]
    tests = [{"question": question["id"], **test} for test in ({"test": t} for t in TESTS)]
    tests += [{"question": question["id"], **test} for test in units]
    study = small_study(
        question, analysis={"tests": tests, "agreement": COEFFICIENTS, "cases": CASES}
    )
    table = Judgments.from_rows(rows, systems=study.system_ids)
    assert_no_number_is_invented(analyse(table, study=study))


def test_segments_of_one_output():
    rows = [
        Judgment("p1", "i0", "facts", float(n % 3), system="ash", segment=n) for n in range(1, 4)
    ]
    assert_no_number_is_invented(analyse(Judgments.from_rows(rows)))


def test_everything_was_left_out():
    study = small_study(RATING)
    table = Judgments.from_rows(RATINGS["one item"], systems=study.system_ids)
    nothing = table.take(np.zeros(len(table), dtype=bool))
    cleaned = Cleaned(table, nothing, table, ("named",) * len(table), ())
    results = analyse(cleaned, study=study)
    assert_no_number_is_invented(results)
    without = results.select(case=WITHOUT_EXCLUSIONS)
    assert len(without) >= len(results.select())
    assert SEGMENTS["id"] not in results.questions


def test_two_islands_of_systems_have_no_common_scale():
    """Ash and beech never met cedar and dogwood: strengths across them are not available."""
    rows = chosen(
        *((p, i, a, b, "ab"[(n + int(p[1])) % 2], "a") for p in PEOPLE for n, i in enumerate(ITEMS)
          for a, b in (("ash", "beech"), ("cedar", "dogwood")))
    )  # fmt: skip
    wanted = Further(tests=(FurtherTest("bradley-terry"),))
    results = analyse(Judgments.from_rows(rows), further=wanted)
    assert_no_number_is_invented(results)
    (fit,) = (f for f in results.findings if f.id == "meaning.bradley-terry")
    assert fit.value is None
    assert "no comparison links" in fit.note
