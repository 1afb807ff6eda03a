"""Record the golden corpus again, and print what changed: numbers as a table, sentences as a diff.

Numbers that are the same within their tolerance keep their recorded digits.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "golden")]


def main() -> None:
    """Record all cases whose data are there, or those that are named."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import golden_cases
    import golden_rows

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", action="append", help="only this case; repeatable")
    parser.add_argument(
        "--to",
        type=Path,
        default=golden_rows.RECORDED,
        help="record into another folder, to compare two machines",
    )
    asked = parser.parse_args()
    for case in golden_cases.CASES:
        if asked.case and case.name not in asked.case:
            continue
        if not case.has_data:
            print(f"{case.name}: left out, needs the public data {case.needs}")
            continue
        rows, texts = asked.to / f"{case.name}.csv", asked.to / f"{case.name}.txt"
        before = golden_rows.read(rows)
        sentences = texts.read_text(encoding="utf-8").splitlines() if texts.exists() else []
        started = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            now, said = golden_cases.run(case, Path(folder))
        changed = list(golden_rows.differences(before, now))
        seconds = time.process_time() - started
        numbers = sum(map(len, now.values()))
        print(f"{case.name}: {numbers:,} numbers, {len(changed):,} changed, {seconds:.1f} s")
        if before and changed:
            print(golden_rows.difference_table(changed, most=200))
        if sentences:
            print(*difflib.unified_diff(sentences, said, lineterm="", n=0), sep="\n")
        golden_rows.write(golden_rows.merge(before, now), rows)
        texts.write_text("".join(f"{each}\n" for each in said), encoding="utf-8")


if __name__ == "__main__":
    main()
