"""Fonts for print: the same on every machine, and a visible box for what no font has."""

from __future__ import annotations

from pathlib import Path

import pytest
from fontTools import subset
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib.figure import Figure

from measured import places
from rejudge.cli.options import font_note
from rejudge.errors import DataError
from rejudge.report.drawing import Drawing, Picture, check_font, export, text_width, to_pdf, to_png
from rejudge.report.drawing.export import to_matplotlib
from rejudge.report.drawing.fonts import font_file, missing_characters, printable_text

CHINESE = "系统"


@pytest.fixture(scope="module")
def font(tmp_path_factory):
    """A font that has two Chinese letters, each twice as wide as a square."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, 800))
    pen.lineTo((1900, 800))
    pen.lineTo((1900, 0))
    pen.closePath()
    shape = pen.glyph()
    names = [".notdef", "first", "second"]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord("系"): "first", ord("统"): "second"})
    builder.setupGlyf(dict.fromkeys(names, shape))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (2000, 0)))
    builder.setupHorizontalHeader(ascent=900, descent=-200)
    builder.setupNameTable({"familyName": "Two Letters", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    file = tmp_path_factory.mktemp("font") / "two-letters.ttf"
    builder.save(file)
    return file


def example(words: str) -> Drawing:
    drawing = Drawing("A title", "What it shows", width=400)
    drawing.text(10, 20, words)
    drawing.text(10, 40, words, kind="strong")
    return drawing.finish(60)


def test_fonts_that_are_installed_change_no_byte(monkeypatch):
    before = to_pdf(example(f"VAE {CHINESE}")), to_png(example(f"VAE {CHINESE}"))
    serif = Path(font_manager.findfont("DejaVu Serif"))
    installed = [
        font_manager.FontEntry(fname=str(serif), name=name, weight=400)
        for name in ("DejaVu Sans", "Noto Sans CJK SC")
    ]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", installed)
    assert (to_pdf(example(f"VAE {CHINESE}")), to_png(example(f"VAE {CHINESE}"))) == before


def test_a_letter_that_no_font_has_is_a_visible_box():
    texts = [artist.get_text() for artist in to_matplotlib(example("系1")).get_children()[1:]]
    assert texts == ["□1", "□1"]


def test_characters_without_a_shape_are_dropped_where_the_font_lacks_them():
    assert printable_text("a\u200d\ufe0f\x07b", is_bold=True).words in {"ab", "a\u200d\ufe0fb"}
    assert missing_characters(["a\u200d\x07\U000e0100"]) == ""


def test_a_font_that_is_named_draws_what_the_usual_one_lacks(font):
    assert printable_text(CHINESE, is_bold=False, extra=font).font == font
    assert printable_text("VAE", is_bold=False, extra=font).font != font
    assert missing_characters([CHINESE, "한", "VAE"], font) == "한"
    assert to_pdf(example(CHINESE), font) == to_pdf(example(CHINESE), font)
    assert to_pdf(example(CHINESE), font) != to_pdf(example(CHINESE))


def test_drawing_leaves_other_users_of_fonttools_alone(monkeypatch):
    """A program that subsets fonts itself, in another thread, gets the usual functions."""
    usual = subset.load_font
    seen = []
    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: seen.append(subset.load_font))
    to_pdf(example("VAE"))
    assert seen == [usual]


LATIN = "Efficient fine flow, AV To Łódź: 5\u202f% − 3 → ρ"
ARABIC = "نظام"


@pytest.mark.parametrize("text", [LATIN, "Система", ARABIC, "e\u0301", "系"])
def test_a_part_of_a_font_draws_what_the_whole_font_draws(monkeypatch, text):
    """Ligatures, kerning and joined letters included."""
    quick = to_png(example(text))
    monkeypatch.setattr(export, "font_file", lambda _, font: font)
    assert to_png(example(text)) == quick


def test_common_text_is_drawn_with_a_small_font_and_other_text_with_the_whole_one():
    base = printable_text(LATIN, is_bold=False).font
    common, whole = font_file(LATIN, base), font_file(ARABIC, base)
    assert common.stat().st_size < base.stat().st_size / 4
    assert whole.read_bytes() == base.read_bytes()
    assert common < whole  # as they are sorted in a PDF, wherever they are


def test_words_in_a_wide_font_shrink_to_the_place_they_have(font):
    figure = to_matplotlib(example(CHINESE), font)
    sizes = {artist.get_size() for artist in figure.get_children()[1:]}
    assert max(sizes) < 5  # 8.7 points for letters of one square
    assert all(
        each.right - each.left <= text_width(CHINESE) + 1 for each in places(example(CHINESE))
    )


def test_the_note_names_the_letters_and_the_remedy(font):
    picture = Picture("scores", "A caption.", example(CHINESE))
    (note,) = font_note([picture], None)
    assert note.startswith("Figures as PDF and PNG show □ instead of 系 统;")
    assert note.endswith("--font FILE.")
    assert font_note([picture], font) == ()


def test_a_file_that_is_not_a_font_is_refused(tmp_path):
    (tmp_path / "font.ttf").write_bytes(b"no font")
    for name in ("font.ttf", "absent.ttf"):
        with pytest.raises(DataError, match="not a font"):
            check_font(tmp_path / name)
