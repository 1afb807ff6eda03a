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

import importlib
from typing import TYPE_CHECKING, Any

from rejudge.version import __version__

if TYPE_CHECKING:
    import rejudge.stats as stats  # noqa: PLR0402 - a package cannot import itself in part
    from rejudge.analysis import Results
    from rejudge.analysis.analyse import analyse
    from rejudge.compare import Comparison, Run, runs_of
    from rejudge.design import Plan, measure_balance, order_for
    from rejudge.design.draw import draw
    from rejudge.errors import RejudgeError
    from rejudge.files import open_paper, open_study
    from rejudge.judgments import ExclusionRules, Judgments, exclude_rows, read_judgments
    from rejudge.lint import check
    from rejudge.paper import Paper
    from rejudge.study import Study

_HOMES = {
    "Comparison": "rejudge.compare",
    "ExclusionRules": "rejudge.judgments",
    "Judgments": "rejudge.judgments",
    "Paper": "rejudge.paper",
    "Plan": "rejudge.design",
    "RejudgeError": "rejudge.errors",
    "Results": "rejudge.analysis",
    "Run": "rejudge.compare",
    "Study": "rejudge.study",
    "analyse": "rejudge.analysis",
    "check": "rejudge.lint",
    "draw": "rejudge.design",
    "exclude_rows": "rejudge.judgments",
    "measure_balance": "rejudge.design",
    "open_paper": "rejudge.files",
    "open_study": "rejudge.files",
    "order_for": "rejudge.design",
    "read_judgments": "rejudge.judgments",
    "runs_of": "rejudge.compare",
    "stats": "rejudge.stats",
}

_FORMER = {"measure": "measure_balance"}  # former names, which still work

__all__ = [
    "Comparison",
    "ExclusionRules",
    "Judgments",
    "Paper",
    "Plan",
    "RejudgeError",
    "Results",
    "Run",
    "Study",
    "__version__",
    "analyse",
    "check",
    "draw",
    "exclude_rows",
    "measure_balance",
    "open_paper",
    "open_study",
    "order_for",
    "read_judgments",
    "runs_of",
    "stats",
]


def __getattr__(name: str) -> Any:  # whatever the name stands for
    name = _FORMER.get(name, name)
    if name not in _HOMES:
        raise AttributeError(f"rejudge has no '{name}'. It has: {', '.join(sorted(_HOMES))}.")
    home = importlib.import_module(_HOMES[name])
    return home if home.__name__ == f"rejudge.{name}" else getattr(home, name)


def __dir__() -> list[str]:
    return sorted(__all__)
