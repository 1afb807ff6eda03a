"""rejudge designs, runs, analyses and reproduces human evaluations of NLP systems.

    import rejudge as rj
    study = rj.open_study("my-study")
    plan = rj.draw(study)
    for finding in rj.check(study, plan):
        print(finding)

Names are loaded when they are first used, so `import rejudge` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rejudge.version import __version__

if TYPE_CHECKING:
    from rejudge.design import Plan, measure, order_for
    from rejudge.design.draw import draw
    from rejudge.errors import RejudgeError
    from rejudge.files import open_study
    from rejudge.lint import check
    from rejudge.study import Study

_HOMES = {
    "Plan": "rejudge.design",
    "RejudgeError": "rejudge.errors",
    "Study": "rejudge.study",
    "check": "rejudge.lint",
    "draw": "rejudge.design",
    "measure": "rejudge.design",
    "open_study": "rejudge.files",
    "order_for": "rejudge.design",
}

__all__ = [
    "Plan",
    "RejudgeError",
    "Study",
    "__version__",
    "check",
    "draw",
    "measure",
    "open_study",
    "order_for",
]


def __getattr__(name: str) -> Any:  # whatever the name stands for
    if name not in _HOMES:
        raise AttributeError(f"rejudge has no '{name}'. It has: {', '.join(sorted(_HOMES))}.")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
