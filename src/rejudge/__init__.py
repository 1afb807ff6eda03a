"""rejudge designs, runs, analyses and reproduces human evaluations of NLP systems.

    import rejudge as rj
    study = rj.open_study("my-study")
    plan = rj.draw(study)
    for finding in rj.check(study, plan):
        print(finding)

    judgments = rj.read_judgments("ratings.csv", columns={"participant": "coder"})
    rj.analyse(judgments)
    rj.stats.cv_star([56.9, 58.0], scale_minimum=-100)

Names are loaded when they are first used, so `import rejudge` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rejudge.version import __version__

if TYPE_CHECKING:  # what mypy and editors read
    from rejudge import stats
    from rejudge.analysis.analyse import analyse
    from rejudge.analysis.results import Results
    from rejudge.bundle.read import open_bundle, verify
    from rejudge.compare.comparison import Comparison
    from rejudge.compare.run import Run, run_of_paper
    from rejudge.design.balance import measure_balance
    from rejudge.design.draw import draw
    from rejudge.design.order import order_for
    from rejudge.design.plan import Plan
    from rejudge.errors import RejudgeError
    from rejudge.exchange.tool_reader import ToolReader
    from rejudge.exchange.values import ItemAnswers
    from rejudge.files.step_files import open_paper, open_study
    from rejudge.heds.sheet import SheetAnswer, read_sheet
    from rejudge.judgments.answers import tabulate
    from rejudge.judgments.exclusions import ExclusionRules, exclude, exclude_rows
    from rejudge.judgments.read import read_judgments, read_table
    from rejudge.judgments.shapes import Wide
    from rejudge.judgments.table import Judgments
    from rejudge.layout.latex import to_latex
    from rejudge.lint.rules import check
    from rejudge.paper.model import Paper
    from rejudge.parallel import executor_for
    from rejudge.report.figures.study import study_pictures
    from rejudge.simulate.baselines import Baselines
    from rejudge.simulate.parameters import Parameters
    from rejudge.simulate.people import judge
    from rejudge.simulate.sources import read_parameters
    from rejudge.study.model import Study
    from rejudge.tables.results import result_tables

_MODULES = {
    "Baselines": "rejudge.simulate.baselines",
    "Comparison": "rejudge.compare.comparison",
    "ExclusionRules": "rejudge.judgments.exclusions",
    "ItemAnswers": "rejudge.exchange.values",
    "Judgments": "rejudge.judgments.table",
    "Paper": "rejudge.paper.model",
    "Parameters": "rejudge.simulate.parameters",
    "Plan": "rejudge.design.plan",
    "RejudgeError": "rejudge.errors",
    "Results": "rejudge.analysis.results",
    "Run": "rejudge.compare.run",
    "SheetAnswer": "rejudge.heds.sheet",
    "Study": "rejudge.study.model",
    "ToolReader": "rejudge.exchange.tool_reader",
    "Wide": "rejudge.judgments.shapes",
    "analyse": "rejudge.analysis.analyse",
    "check": "rejudge.lint.rules",
    "draw": "rejudge.design.draw",
    "exclude": "rejudge.judgments.exclusions",
    "exclude_rows": "rejudge.judgments.exclusions",
    "executor_for": "rejudge.parallel",
    "judge": "rejudge.simulate.people",
    "measure_balance": "rejudge.design.balance",
    "open_bundle": "rejudge.bundle.read",
    "open_paper": "rejudge.files.step_files",
    "open_study": "rejudge.files.step_files",
    "order_for": "rejudge.design.order",
    "read_judgments": "rejudge.judgments.read",
    "read_parameters": "rejudge.simulate.sources",
    "read_sheet": "rejudge.heds.sheet",
    "read_table": "rejudge.judgments.read",
    "result_tables": "rejudge.tables.results",
    "run_of_paper": "rejudge.compare.run",
    "study_pictures": "rejudge.report.figures.study",
    "tabulate": "rejudge.judgments.answers",
    "to_latex": "rejudge.layout.latex",
    "verify": "rejudge.bundle.read",
}


def __getattr__(name: str) -> Any:  # whatever the name stands for
    if name == "stats":
        return import_module("rejudge.stats")
    if name not in _MODULES:
        raise AttributeError(f"rejudge has no '{name}'. It has: {', '.join(__dir__())}.")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(["__version__", "stats", *_MODULES])
