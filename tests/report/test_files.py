"""The files of a report."""

from __future__ import annotations

from rejudge.report.files import prose_files


def test_paragraphs_are_written_for_latex_and_for_markdown():
    files = prose_files("methods", ["“A_b” won 50\u202f% of R&D.", "So."])
    assert files["methods.tex"] == b"``A\\_b'' won 50\\,\\% of R\\&D. So.\n"
    assert files["methods.md"].decode() == "“A\\_b” won 50\u202f% of R&D. So.\n"
