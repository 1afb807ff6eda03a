"""Write the table of simulated levels over labs into the guide, from benchmarks/results/labs.json.

python tools/make_lab_levels.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "guide" / "compare.md"
HEAD = (
    "| design | judgments pooled | random effects | pooled without labs, rejected |\n"
    "|---|---|---|---|\n"
)
NAMES = ("rejected_percent", "covered_percent", "further_lab_covered_percent")


def main() -> None:
    """Replace what stands between the marks."""
    rows = json.loads((ROOT / "benchmarks/results/labs.json").read_text(encoding="utf-8"))["rows"]
    table = HEAD + "".join(map(_row, rows))
    text = PAGE.read_text(encoding="utf-8")
    made = re.sub(r"<!-- labs -->.*?<!-- /labs -->", f"<!-- labs -->\n\n{table}\n<!-- /labs -->",
                  text, flags=re.DOTALL)  # fmt: skip
    PAGE.write_text(made, encoding="utf-8")


def _row(row: dict[str, object]) -> str:
    parts = [_shown(row[by]) for by in ("pooled", "random-effects")]  # type: ignore[arg-type]
    cells = [row["design"], *parts, f"{row['without_labs_rejected_percent']:g}"]
    return f"| {' | '.join(map(str, cells))} |\n"


def _shown(found: dict[str, float | None]) -> str:
    values = (found[name] for name in NAMES)
    return " · ".join("–" if value is None else f"{value:g}" for value in values)


if __name__ == "__main__":
    main()
