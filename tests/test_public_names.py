"""What `import rejudge` offers."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
import pytest

import rejudge
from judged_study import small_study
from rejudge.audit import audit
from rejudge.compare import compare
from rejudge.errors import RejudgeError


@pytest.mark.parametrize("name", [name for name in rejudge.__all__ if name != "__version__"])
def test_every_public_name_can_be_had_and_has_a_docstring(name):
    assert getattr(rejudge, name).__doc__


def test_the_list_of_names_is_the_list_of_homes():
    assert sorted(rejudge._HOMES) == sorted(set(rejudge.__all__) - {"__version__"})
    assert dir(rejudge) == sorted(rejudge.__all__)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(AttributeError, match="It has: Comparison"):
        _ = rejudge.pln


STUDY = small_study()
PLAN = rejudge.draw(STUDY)
TABLE = rejudge.read_judgments(pa.table({"rater": ["p"], "item": ["i"], "score": [3]}))
PAPER = rejudge.open_paper("hosking-2021")
RUN = rejudge.runs_of(PAPER)[0]
CALLS: dict[Callable[..., object], tuple[Sequence[object], Mapping[str, object]]] = {
    rejudge.open_study: (["folder"], {}),
    rejudge.open_paper: (["hosking-2021"], {}),
    rejudge.draw: ([STUDY], {}),
    rejudge.check: ([STUDY, PLAN], {}),
    rejudge.measure_balance: ([STUDY, PLAN], {}),
    rejudge.order_for: ([PLAN, PLAN.main[0]], {"seat": 0}),
    rejudge.read_judgments: (
        [TABLE.to_arrow()],
        {"columns": {}, "wide": None, "duplicates": "error", "question": "q", "sheet": "s",
         "where": [], "choices": "side", "labels": {}, "duplicate_share": 0.5},
    ),
    rejudge.exclude_rows: ([TABLE, rejudge.ExclusionRules()], {}),
    rejudge.analyse: ([TABLE], {"study": STUDY, "plan": PLAN, "seed": 1, "scale": (1, 5)}),
    rejudge.runs_of: ([PAPER], {}),
    compare: ([RUN, RUN, RUN], {}),
    audit: ([PAPER, PAPER, PAPER], {}),
}  # fmt: skip
PLACES = [
    pytest.param(call, place, id=f"{call.__name__}-{place}")
    for call, (placed, named) in CALLS.items()
    for place in (*range(len(placed)), *named)
]
WRONG = (-1, math.nan, 2.5, object(), b"x", [None])


def test_every_function_is_tried_with_wrong_arguments():
    functions = {each for each in rejudge.__all__ if inspect.isfunction(getattr(rejudge, each))}
    assert functions == {call.__name__ for call in CALLS} - {"compare", "audit"}


@pytest.mark.parametrize(("call", "place"), PLACES)
def test_a_wrong_argument_is_answered_with_a_message_that_names_it(call, place):
    placed, named = CALLS[call]
    for wrong in WRONG:
        args = [wrong if at == place else each for at, each in enumerate(placed)]
        kwargs = {key: wrong if key == place else each for key, each in named.items()}
        with pytest.raises(RejudgeError) as caught:
            call(*args, **kwargs)
        assert len(str(caught.value).split()) > 3


def test_the_message_says_what_to_give():
    with pytest.raises(RejudgeError, match=r"draw: 'study' is 'my-study'\. Give a Study\."):
        rejudge.draw("my-study")


@pytest.mark.parametrize(
    ("package", "name", "former"),
    [
        ("rejudge", "measure_balance", "measure"),
        ("rejudge.design", "changes_since_freeze", "changes"),
        ("rejudge.design", "estimate_duration", "estimate"),
        ("rejudge.design", "measure_balance", "measure"),
        ("rejudge.design", "quote_price", "quote"),
        ("rejudge.study", "segment_ends", "cut"),
        ("rejudge.stats", "clustered_estimate", "clustered"),
    ],
)
def test_former_names_that_were_documented_still_work(package, name, former):
    module = importlib.import_module(package)
    assert getattr(module, former).__name__ == name
    assert former not in module.__all__
