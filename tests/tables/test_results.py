"""All tables of an analysis."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
import rejudge as rj
from rejudge.cli.results import render_results
from rejudge.judgments import Judgment, Judgments
from rejudge.tables import result_tables, table_files

judged = Judgments.from_rows(
    Judgment(f"p{p}", f"i{i}", "q", float((p + i + s) % 4), system="ab"[s])
    for p in range(3) for i in range(4) for s in range(2)
)
results = rj.analyse(judged)
assert render_results(results, {}) and table_files(result_tables(results))
print([name for name in sys.modules if name.startswith("rejudge.report")])
"""


def test_an_analysis_is_printed_and_written_without_loading_the_report():
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
