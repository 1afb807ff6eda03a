"""The files of a report."""

from __future__ import annotations

from rejudge.report.files import prose_files


def test_paragraphs_are_written_for_latex_and_for_markdown():
    files = prose_files("methods", ["“A_b” won 50\u202f% of R&D.", "So."])
    assert files["methods.tex"] == b"``A\\_b'' won 50\\,\\% of R\\&D. So.\n"
    assert files["methods.md"].decode() == "“A\\_b” won 50\u202f% of R&D. So.\n"


def test_paragraphs_keep_names_from_right_to_left_apart():
    """Otherwise two Arabic names with a comma between are shown in reverse order."""
    files = prose_files("limitations", ["\u0623, \u0628 and C."])
    assert files["limitations.md"].decode() == "\u2068\u0623\u2069, \u2068\u0628\u2069 and C.\n"
    assert files["limitations.tex"].decode().count(r"\textdir TRT") == 2
