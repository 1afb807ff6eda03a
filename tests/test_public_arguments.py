"""Every function that a package offers answers bad arguments with a message.

The functions are those in `__all__` of every package, so that new ones are covered too. Each is
called with one argument that is wrong and others that are right (`made_values`). Nothing leaves the
temporary folder: bad arguments are refused before a function begins.
"""

from __future__ import annotations

import inspect
import math
import pickle
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fake_account import Account

import rejudge
from bundled import CONTACT, bundled, finish, finished
from made_values import NOW, MadeValues, NoValue
from planned_powers import PLANNED
from rejudge.arguments.kinds import kinds_of
from rejudge.bundle import read_bundle
from rejudge.compare import compare, runs_of
from rejudge.design import freeze
from rejudge.errors import RejudgeError
from rejudge.files import open_paper, open_plan, read_results
from rejudge.heds import blank_sheet
from rejudge.power import plan_tests
from rejudge.report.comparison import pictures
from rejudge.store import open_store

HOME = Path(rejudge.__file__).parent
PACKAGES = [
    ".".join(("rejudge", *path.relative_to(HOME).parent.parts))
    for path in sorted(HOME.rglob("__init__.py"))
    if "\n__all__" in path.read_text(encoding="utf-8")
]
OTHERS = {
    "rejudge",
    "rejudge.stats",
    "rejudge.arguments",
}  # offer functions of packages; guarded; this
OFFERING = [*(name for name in PACKAGES if name not in OTHERS), "rejudge.platforms"]
WRONG = {
    "None": None, "text": "x", "negative": -1, "fraction": 1.5, "nan": math.nan, "bool": True,
    "object": object(), "list": [], "dict": {}, "bytes": b"x", "list of None": [None],
    "dict of None": {"x": None}, "missing path": Path("missing"),
}  # fmt: skip
ONLY_REFUSED = {  # not called with what they take, because
    "analyse", "from_judgments", "run_baselines", "compute_power", "confirm", "rehearse",  # slow
    "simulate_complete", "simulate_studies", "comparison_files", "picture_files",  # slow
    "to_pdf", "to_png",  # slow
    "executor_for",  # it connects to a cluster
    "register",  # it adds a question kind for all tests
}  # fmt: skip


@pytest.fixture(scope="module")
def values(tmp_path_factory) -> Iterator[MadeValues]:
    """Of a small study that was judged and analysed, two papers, and a fake Prolific."""
    folder = finish(tmp_path_factory.mktemp("arguments") / "study")
    made = MadeValues(folder)
    study, plan = open_plan(folder)
    runs = [run for name in ("hosking-2021", "arvan-2024") for run in runs_of(open_paper(name))]
    comparison = compare(*runs)
    account = Account()
    store = open_store(f"sqlite:///{folder / 'study.db'}", study, plan, now=NOW)
    for each in (
        study, plan, finished(folder), read_results(folder, study, plan), CONTACT, PLANNED,
        open_paper("hosking-2021"), runs, comparison, pictures(comparison), plan_tests(study),
        freeze(study, plan, at=NOW), blank_sheet("3.0"), pa.table({"x": [1]}),
        read_bundle(bundled(folder), file="study.zip"),
        account.api, account.world, account.http, account.time, store,
    ):  # fmt: skip
        made.add(each)
    yield made
    store.close()
    account.http.close()


@pytest.mark.parametrize("package", OFFERING)
def test_bad_arguments_are_answered_with_a_message(package, values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    faults = [
        fault
        for function in functions_of(package)
        for parameter in inspect.signature(function).parameters
        for fault in faults_of(function, parameter, values)
    ]
    assert not faults, "\n".join(faults)


def functions_of(package: str) -> list[Callable[..., Any]]:
    """What a package offers, as far as it can be called and is not a class."""
    home = import_module(package)
    offered = [getattr(home, name) for name in home.__all__]
    return [each for each in offered if inspect.isroutine(each) or hasattr(each, "cache_clear")]


def faults_of(function: Any, parameter: str, values: MadeValues) -> Iterator[str]:
    """Wrong values of an argument that are taken without a word, or end in an error from inside."""
    fits = kinds_of(function)[parameter].fits
    given, is_complete = arguments(function, values)
    for kind, wrong in WRONG.items():
        if fits(wrong) and (function.__name__ in ONLY_REFUSED or not is_complete):
            continue
        place = f"{function.__name__}: {parameter} = {kind}"
        try:
            call(function, {**given, parameter: wrong})
        except RejudgeError as error:
            if is_complete and not fits(wrong) and f"'{parameter}'" not in str(error):
                yield f"{place}: {error}"
        except Exception as error:  # noqa: BLE001 - any other one is the fault that is looked for
            yield f"{place}: {type(error).__name__}: {str(error)[:90]}"
        else:
            if not fits(wrong):
                yield f"{place}: no error"


def arguments(function: Any, values: MadeValues) -> tuple[dict[str, Any], bool]:
    """What a function needs, and whether there is a value for everything."""
    given: dict[str, Any] = {}
    is_complete = True
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL:
            try:
                given[name] = values.of(kinds_of(function)[name].type)
            except NoValue:
                given[name], is_complete = None, False
    return given, is_complete


def call(function: Any, given: dict[str, Any]) -> None:
    """Call a function with named arguments, and go through what it yields."""
    parameters = inspect.signature(function).parameters.values()
    repeated = [each.name for each in parameters if each.kind is each.VAR_POSITIONAL]
    if not repeated:
        result = function(**given)
    else:
        before = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
        more = [given[name] for name in repeated if name in given]
        named = {name: given[name] for name in given if name not in (*before, *repeated)}
        result = function(*(given[name] for name in before), *more, **named)
    if inspect.isgenerator(result):
        list(result)


@pytest.mark.parametrize("package", OFFERING)
def test_the_type_of_every_parameter_is_found(package):
    unknown = [
        f"{function.__name__}: {name}"
        for function in functions_of(package)
        for name, kind in kinds_of(function).items()
        if kind.type is Any
    ]
    assert not unknown


@pytest.mark.parametrize("package", OFFERING)
def test_what_a_package_offers_can_be_sent_to_another_process(package):
    for function in functions_of(package):
        assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 - our own
