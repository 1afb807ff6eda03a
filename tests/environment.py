"""What tests see of the environment: nothing that somebody has set for their own programs.

Proxies would stand between a test and a site on this machine, widths break sentences elsewhere, and
tokens and secrets are somebody's.
"""

from __future__ import annotations

from collections.abc import MutableMapping

_OF_TESTS = tuple(f"REJUDGE_{name}" for name in ("HYPOTHESIS", "SHARED", "SHOTS", "SKIP", "TEST"))
_OF_PEOPLE = (
    "COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE",
    "MPLBACKEND", "MATPLOTLIBRC", "SOURCE_DATE_EPOCH", "PROLIFIC_TOKEN",
)  # fmt: skip


def forget_settings(environment: MutableMapping[str, str]) -> None:
    """Remove what would change how rejudge behaves."""
    for name in list(environment):
        is_ours = name.startswith("REJUDGE_") and not name.startswith(_OF_TESTS)
        if is_ours or name in _OF_PEOPLE or name.lower().endswith("_proxy"):
            del environment[name]
