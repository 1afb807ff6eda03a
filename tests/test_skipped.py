"""The end of a test run says what was skipped and what to install for it."""

from __future__ import annotations

from types import SimpleNamespace

from skipped import read_skipped, skip_lines, write_skipped


def report(reason: str) -> SimpleNamespace:
    return SimpleNamespace(longrepr=("tests/test_x.py", 3, f"Skipped: {reason}"))


def test_reasons_are_counted_and_the_most_frequent_comes_first():
    reports = [report("needs Chromium"), report("needs PostgreSQL"), report("needs PostgreSQL")]
    assert skip_lines(reports) == [
        "3 tests were skipped:",
        "      2  needs PostgreSQL",
        "      1  needs Chromium",
    ]


def test_nothing_is_said_where_nothing_was_skipped():
    assert skip_lines([]) == []


def test_what_was_skipped_can_be_run_on_another_machine(tmp_path):
    file = str(tmp_path / "skipped")
    reports = [SimpleNamespace(nodeid=name) for name in ("b.py::x[é]", "a.py::y", "b.py::x[é]")]
    write_skipped({"REJUDGE_SKIPPED_TO": file}, reports)
    assert read_skipped({"REJUDGE_SKIPPED_FROM": file}) == {"a.py::y", "b.py::x[é]"}
    assert read_skipped({}) is None
