"""Drawings as SVG, PDF and PNG: the same bytes for the same marks, whoever draws them."""

from __future__ import annotations

import io
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import matplotlib as mpl
import pytest

from rejudge.report.drawing.export import to_pdf, to_png
from rejudge.report.drawing.marks import COLUMN
from rejudge.report.drawing.picture import to_svg

MAKE = """
import sys
from rejudge.report.drawing.export import to_pdf, to_png
from rejudge.report.drawing.marks import Box, Drawing
from rejudge.report.drawing.picture import to_svg

def example(width=680):
    drawing = Drawing("A title", "What it says", width)
    drawing.text(4, 20, "Names: $x$, 系统, نظام, 한국어 & <b>", kind="strong")
    drawing.text(4, 40, "soft", kind="soft")
    drawing.text(200, 90, "turned", turn=90)
    drawing.line(0, 50, 300, 50, kind="line", is_dashed=True)
    drawing.path([(0, 60), (50, 70), (100, 60)], shade=2)
    drawing.arrow((10, 80), (60, 80))
    for shade in range(5):
        drawing.bar(Box(10 + 40 * shade, 100, 30, 20), shade=shade)
        drawing.marker(20 + 40 * shade, 140, shade=shade + 1, is_filled=shade % 2 == 0)
    for shade in range(1, 5):
        drawing.hatch(Box(10 + 40 * shade, 150, 30, 20), shade=shade)
    drawing.outline(Box(10, 150, 30, 20), shade=1)
    drawing.box(Box(210, 150, 30, 20))
    drawing.cell(Box(250, 150, 30, 20), shade=1, strength=0.4)
    drawing.whisker(250, 290, 130)
    drawing.whisker_on_bar(250, 290, 110)
    drawing.upright_whisker(300, 100, 140)
    drawing.diamond(310, 160)
    return drawing.finish(180)
"""
space: dict[str, object] = {}
exec(MAKE, space)  # noqa: S102 - our own text, which another process runs, too
example = space["example"]
WRITE = MAKE + (
    "[sys.stdout.buffer.write(text) for text in "
    "(to_svg(example()).encode(), to_pdf(example()), to_png(example()))]"
)


@pytest.fixture(scope="module")
def pdf():
    return to_pdf(example())


@pytest.mark.slow
def test_another_process_writes_the_same_bytes(pdf):
    whole = to_svg(example()).encode() + pdf + to_png(example())
    written = subprocess.run(
        [sys.executable, "-c", WRITE],
        env={"PYTHONHASHSEED": "1", "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
        capture_output=True,
        check=True,
    )
    assert written.stdout == whole
    assert written.stderr == b""


def test_settings_of_others_change_nothing_and_stay_as_they_are(pdf):
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "pdf.compression": 0}):
        assert to_pdf(example()) == pdf
        assert mpl.rcParams["font.size"] == 30


def test_the_files_tell_no_time_and_no_program(pdf):
    assert b"Date" not in pdf
    assert b"atplotlib" not in pdf
    assert b"Producer" not in pdf
    png = to_png(example())
    assert [name for name, _ in chunks(png) if name in {b"tEXt", b"tIME", b"iTXt", b"zTXt"}] == []


def chunks(png: bytes):
    file = io.BytesIO(png[8:])
    while head := file.read(8):
        length, name = struct.unpack(">I4s", head)
        yield name, file.read(length)
        file.read(4)


def test_letters_of_the_pdf_are_letters_with_their_fonts(pdf):
    kinds = set(re.findall(rb"/Subtype /(CIDFontType2|Type3|TrueType|Type1)", pdf))
    assert kinds == {b"CIDFontType2"}
    assert b"/FontFile2" in pdf


@pytest.mark.parametrize(("width", "millimetres"), [(680, 174), (COLUMN, 84)])
def test_a_drawing_is_as_wide_as_the_columns_of_a_paper(width, millimetres):
    box = re.search(rb"/MediaBox \[([^\]]+)\]", to_pdf(example(width)))
    points = float(box[1].split()[2])
    assert points * 25.4 / 72 == pytest.approx(millimetres, abs=0.1)
    dots = struct.unpack(">II", dict(chunks(to_png(example(width))))[b"IHDR"][:8])[0]
    assert dots / 300 * 25.4 == pytest.approx(millimetres, abs=0.2)


def test_text_is_8_to_9_points_in_print():
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", to_pdf(example()), re.DOTALL)
    sizes = set()
    for stream in streams:
        try:
            page = zlib.decompress(stream)
        except zlib.error:
            continue
        sizes |= {float(size) for size in re.findall(rb"/F\S+ ([\d.]+) Tf", page)}
    assert sizes
    assert all(8 <= size <= 9 for size in sizes)
