"""Figures as SVG, PDF and PNG: the same bytes for the same numbers, and text stays text."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest

from pictured import found, made, within, words
from rejudge.cli.options import font_note
from rejudge.errors import DataError
from rejudge.report.figures.registry import Formats, picture_files
from rejudge.report.figures.study import study_pictures
from rejudge.report.figures.style import PHONE, check_font, distinct_names, ticks, truncate, wrap

HOSTILE = {
    "a": "<script>alert(1)</script> & “Co”",
    "b": "$x^2$ 100 % \\frac{1}{2} _",
    "c": "two\nlines",
    "d": "نظام الترجمة",
    "e": "기계 번역 系统",
    "f": "हिन्दी",
}

MAKE = """
import sys
from pictured import found, made, within
from rejudge.report.figures.study import study_pictures

NAMES = {"a": "<b> $x$ 系统", "b": "نظام"}
WINS = [found((s,), v, within(v - 9, v + 9), measure="win-percent", by="wins")
        for s, v in (("a", 60.0), ("b", 40.0))]
SCORES = [found((s,), v, within(v - 9, v + 9), measure="best-worst-score", by="best-worst")
          for s, v in (("a", 20.0), ("b", -20.0))]

def example():
    return study_pictures(None, made(*WINS, *SCORES), NAMES)
"""
space: dict[str, object] = {}
exec(MAKE, space)  # noqa: S102 - our own text, which another process runs, too
example = space["example"]
WRITE = MAKE + (
    "for each in example():\n"
    "    sys.stdout.buffer.write(each.svg.encode() + each.narrow_svg.encode() + each.file('pdf')"
    " + each.file('png'))"
)


def systems(names=HOSTILE):
    wins = [
        found((name,), 50.0 - place, within(30, 60), measure="win-percent", by="wins")
        for place, name in enumerate(names)
    ]
    pictures = study_pictures(None, made(*wins), names)
    return next(each for each in pictures if each.name == "fluency-systems")


@pytest.mark.slow
def test_another_process_writes_the_same_bytes():
    whole = b"".join(
        each.svg.encode() + each.narrow_svg.encode() + each.file("pdf") + each.file("png")
        for each in example()
    )
    written = subprocess.run(
        [sys.executable, "-c", WRITE],
        env={
            "PYTHONHASHSEED": "1", "PATH": "/usr/bin:/bin", "HOME": str(Path.home()),
            "PYTHONPATH": str(Path(__file__).parents[2]),
        },
        capture_output=True,
        check=True,
    )  # fmt: skip
    assert written.stderr == b""
    assert written.stdout == whole


def test_settings_of_others_change_nothing_and_stay_as_they_are():
    before = systems().svg
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "text.parse_math": True}):
        assert systems().svg == before
        assert mpl.rcParams["font.size"] == 30


@pytest.mark.parametrize("width", ["svg", "narrow_svg"])
def test_names_stay_text_whatever_they_contain(width):
    svg = getattr(systems(), width)
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    written = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>" not in svg
    assert any(each.startswith("<script>") for each in written)
    assert any(each.startswith("$x^2$") for each in written)
    assert {"two lines", "نظام الترجمة", "हिन्दी"} <= set(written)


def test_colours_follow_the_page_and_stand_alone():
    svg = systems().svg
    assert re.search(r"fill:(#\w{6});fill:var\(--s1,\1\)", svg)
    assert not re.search(r"=\"#\w{6}\"", re.sub(r"<style>.*?</style>", "", svg, flags=re.DOTALL))


def test_a_figure_says_what_it_is_to_those_who_cannot_see_it():
    svg = systems({"a": "Ash"}).svg
    assert 'role="img"' in svg
    assert "<title>Share of comparisons won by each system on fluency" in svg
    assert "<desc>Ash: 50.0\u202f%, 95\u202f% interval 30.0 to 60.0.</desc>" in svg


def test_the_same_figure_in_two_widths_shares_no_id():
    wide, narrow = (
        set(re.findall(r' id="([^"]+)"', svg)) for svg in (systems().svg, systems().narrow_svg)
    )
    assert wide.isdisjoint(narrow)


def test_every_figure_has_the_formats_that_are_asked_for():
    assert set(picture_files([systems()], folder="f")) == {"f/fluency-systems.svg"}
    files = picture_files([systems()], Formats(("pdf", "png")))
    assert files["figures/fluency-systems.pdf"].startswith(b"%PDF")
    assert files["figures/fluency-systems.png"].startswith(b"\x89PNG")


def test_print_is_as_wide_as_two_columns_of_a_paper():
    pdf, png = systems().file("pdf"), systems().file("png")
    box = re.search(rb"/MediaBox \[([^\]]+)\]", pdf)
    assert box
    assert float(box[1].split()[2]) * 25.4 / 72 == pytest.approx(174, abs=0.1)
    assert struct.unpack(">I", png[16:20])[0] / 300 * 25.4 == pytest.approx(174, abs=0.2)


def test_the_files_tell_no_time_and_no_program():
    pdf = systems().file("pdf")
    assert b"Date" not in pdf
    assert b"atplotlib" not in pdf
    assert b"atplotlib" not in systems().file("png")
    assert b"FontFile2" in pdf  # letters are letters


def test_the_note_names_the_letters_that_print_lacks_and_the_remedy():
    assert font_note([systems()], Formats()) == ()
    (note,) = font_note([systems({"a": "系统"})], Formats(("pdf",)))
    assert note.startswith("Figures as PDF and PNG show □ instead of 系 统;")
    assert note.endswith("--font FILE.")
    assert font_note([systems({"a": "Ash"})], Formats(("pdf",))) == ()


def test_a_file_that_is_not_a_font_is_refused(tmp_path):
    (tmp_path / "font.ttf").write_bytes(b"no font")
    for name in ("font.ttf", "absent.ttf"):
        with pytest.raises(DataError, match="not a font"):
            check_font(tmp_path / name)


def test_long_names_are_cut_or_broken_between_words():
    assert truncate("VAE", 40) == "VAE"
    assert truncate("a name that is much too long", 60).endswith("…")
    assert wrap("van der Berg and Popović", 64) == ["van der Berg", "and Popović"]


def test_long_names_that_begin_alike_stay_distinct():
    names = ["System number 1 with a name", "System number 2 with a name", "VAE"]
    assert list(distinct_names(names, 70).values()) == [
        "…1 with a name", "…2 with a name", "VAE",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [(0, 100, (0, 20, 40, 60, 80, 100)), (-1.3, 0.4, (-1, -0.5, 0)), (2, 2, (2,))],
)
def test_numbers_of_an_axis_are_round_and_within(low, high, marks):
    assert ticks(low, high) == marks


def test_one_system_is_a_figure_and_forty_one_are_cut_to_twenty_five():
    assert "Ash" in words(systems({"a": "Ash"}))
    many = words(systems({f"s{place}": f"System {place}" for place in range(41)}))
    assert sum(each.startswith("System") for each in many) == 25
    assert PHONE < 300
