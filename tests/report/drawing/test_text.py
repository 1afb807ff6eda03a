"""How wide words are, before they are drawn, and what becomes of those that are too wide."""

from __future__ import annotations

from pathlib import Path

import pytest
from fontTools import subset
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib import font_manager
from matplotlib.figure import Figure

from measured import places
from property_settings import examples
from rejudge.cli.options import font_note
from rejudge.errors import DataError
from rejudge.report.drawing import export
from rejudge.report.drawing.export import to_matplotlib, to_pdf, to_png
from rejudge.report.drawing.marks import Drawing
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import (
    check_font,
    distinct_names,
    font_file,
    missing_characters,
    printable_text,
    text_width,
    truncate,
    wrap,
)

LETTERS = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz 0123456789.,-–_()/&%+=*#@'’ÄÖÜäöüßéñøæŁš",
    "ΑΒΓΔΘΛΞΠΣΦΨΩαβγδεζηθλμνξπρστυφχψω ",
    "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯабвгдежзиклмнопрстуфхцчшщыьэюя ",
    "系统一号机器翻译比較東京のカタナ",
    "한국어시스템번역",
    "نظامالترجمةسشصضبتثجحخدذرزعغفقكلمهوي ",
    "אבגדהוזחטיכלמנסעפצקרשת ",
)
labels = st.one_of([st.text(alphabet, min_size=1, max_size=24) for alphabet in LETTERS])


def measured(words: str, kind: str) -> float:
    drawing = Drawing("t", "s", width=2000)
    drawing.text(10, 20, words, kind=kind)
    (place,) = places(drawing.finish(40))
    return place.right - place.left


@pytest.mark.parametrize("kind", ["", "strong"])
@settings(deadline=None, max_examples=examples(30))
@given(words=labels.filter(str.strip))
def test_words_are_never_wider_than_they_were_thought(kind, words):
    kept = " ".join(words.split())
    assert measured(kept, kind) <= text_width(kept) + 1


@pytest.mark.parametrize("kind", ["", "strong"])
@settings(max_examples=examples(60))
@given(words=st.text(min_size=1, max_size=12).filter(lambda text: text.split()))
@example(words="0<ʣ")  # a screen's pixels round three letters up by more than one
@example(words="0<Ææœʤʨ")  # boxes replace two letters, and are wider than those
@example(words="ᭃ")  # a vowel sign that is printed as a box
@example(words="ǱպȀǉѡKտàג")  # the dots of a PNG file round nine letters up
def test_letters_that_no_table_knows_are_not_printed_wider_either(kind, words):
    kept = " ".join(words.split())
    drawing = Drawing("t", "s", width=2000)
    drawing.text(10, 20, kept, kind=kind)
    found = places(drawing.finish(40))
    assert all(each.right - each.left <= text_width(kept) + 1 for each in found)


@settings(deadline=None, max_examples=examples(60))
@given(
    words=st.text(LETTERS[0], min_size=8, max_size=40).filter(lambda text: len(text.strip()) > 7)
)
def test_latin_words_are_not_thought_much_wider_than_they_are(words):
    kept = " ".join(words.split())
    assert text_width(kept) <= 1.25 * measured(kept, "strong") + 6


def test_a_chinese_letter_is_a_square_of_the_size_of_the_letters():
    assert text_width("系统") == 24


def test_marks_upon_letters_take_no_room():
    assert text_width("e\u0301") == text_width("é") == text_width("e")


@given(words=labels, most=st.floats(30, 200))
def test_what_is_cut_fits_and_begins_as_before(words, most):
    short = truncate(words, most)
    assert text_width(short) <= most
    assert words.startswith(short.removesuffix("…").rstrip())


def test_what_fits_is_not_cut():
    assert truncate("VAE", 40) == "VAE"


@given(words=labels, most=st.floats(30, 200), lines=st.integers(1, 4))
def test_lines_fit_are_few_and_lose_nothing_but_the_end(words, most, lines):
    found = wrap(words, most, lines)
    assert len(found) <= lines
    assert all(text_width(line) <= most for line in found)
    whole = "".join("".join(found).split()).removesuffix("…")
    assert "".join(words.split()).startswith(whole)


def test_lines_break_between_words_where_they_can():
    assert wrap("van der Berg and Popović", 110) == ["van der Berg", "and Popović"]


def test_long_names_that_begin_alike_stay_distinct():
    names = ["System number 1 with a name", "System number 2 with a name", "VAE"]
    assert distinct_names(names, 100) == ["…1 with a name", "…2 with a name", "VAE"]


def test_names_that_can_be_told_apart_stay_as_they_are():
    names = ["Separator of old", "LBoW", "Separator"]
    assert distinct_names(names, 400) == names


def test_the_same_name_twice_is_nobodys_fault():
    assert distinct_names(["Separator of old"] * 2, 40) == ["Separator of old"] * 2


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


def example_drawing(words: str) -> Drawing:
    drawing = Drawing("A title", "What it shows", width=400)
    drawing.text(10, 20, words)
    drawing.text(10, 40, words, kind="strong")
    return drawing.finish(60)


def test_fonts_that_are_installed_change_no_byte(monkeypatch):
    before = to_pdf(example_drawing(f"VAE {CHINESE}")), to_png(example_drawing(f"VAE {CHINESE}"))
    serif = Path(font_manager.findfont("DejaVu Serif"))
    installed = [
        font_manager.FontEntry(fname=str(serif), name=name, weight=400)
        for name in ("DejaVu Sans", "Noto Sans CJK SC")
    ]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", installed)
    assert (
        to_pdf(example_drawing(f"VAE {CHINESE}")),
        to_png(example_drawing(f"VAE {CHINESE}")),
    ) == before


def test_a_letter_that_no_font_has_is_a_visible_box():
    texts = [
        artist.get_text() for artist in to_matplotlib(example_drawing("系1")).get_children()[1:]
    ]
    assert texts == ["□1", "□1"]


def test_characters_without_a_shape_are_dropped_where_the_font_lacks_them():
    assert printable_text("a\u200d\ufe0f\x07b", is_bold=True).words in {"ab", "a\u200d\ufe0fb"}
    assert missing_characters(["a\u200d\x07\U000e0100"]) == ""


def test_a_font_that_is_named_draws_what_the_usual_one_lacks(font):
    assert printable_text(CHINESE, is_bold=False, extra=font).font == font
    assert printable_text("VAE", is_bold=False, extra=font).font != font
    assert missing_characters([CHINESE, "한", "VAE"], font) == "한"
    assert to_pdf(example_drawing(CHINESE), font) == to_pdf(example_drawing(CHINESE), font)
    assert to_pdf(example_drawing(CHINESE), font) != to_pdf(example_drawing(CHINESE))


def test_drawing_leaves_other_users_of_fonttools_alone(monkeypatch):
    """A program that subsets fonts itself, in another thread, gets the usual functions."""
    usual = subset.load_font
    seen = []
    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: seen.append(subset.load_font))
    to_pdf(example_drawing("VAE"))
    assert seen == [usual]


LATIN = "Efficient fine flow, AV To Łódź: 5\u202f% − 3 → ρ"
ARABIC = "نظام"


@pytest.mark.parametrize("text", [LATIN, "Система", ARABIC, "e\u0301", "系"])
def test_a_part_of_a_font_draws_what_the_whole_font_draws(monkeypatch, text):
    """Ligatures, kerning and joined letters included."""
    quick = to_png(example_drawing(text))
    monkeypatch.setattr(export, "font_file", lambda _, font: font)
    assert to_png(example_drawing(text)) == quick


def test_common_text_is_drawn_with_a_small_font_and_other_text_with_the_whole_one():
    base = printable_text(LATIN, is_bold=False).font
    common, whole = font_file(LATIN, base), font_file(ARABIC, base)
    assert common.stat().st_size < base.stat().st_size / 4
    assert whole.read_bytes() == base.read_bytes()
    assert common < whole  # as they are sorted in a PDF, wherever they are


def test_words_in_a_wide_font_shrink_to_the_place_they_have(font):
    figure = to_matplotlib(example_drawing(CHINESE), font)
    sizes = {artist.get_size() for artist in figure.get_children()[1:]}
    assert max(sizes) < 5  # 8.7 points for letters of one square
    assert all(
        each.right - each.left <= text_width(CHINESE) + 1
        for each in places(example_drawing(CHINESE))
    )


def test_the_note_names_the_letters_and_the_remedy(font):
    picture = Picture("scores", "A caption.", example_drawing(CHINESE))
    (note,) = font_note([picture], None)
    assert note.startswith("Figures as PDF and PNG show □ instead of 系 统;")
    assert note.endswith("--font FILE.")
    assert font_note([picture], font) == ()


def test_a_file_that_is_not_a_font_is_refused(tmp_path):
    (tmp_path / "font.ttf").write_bytes(b"no font")
    for name in ("font.ttf", "absent.ttf"):
        with pytest.raises(DataError, match="not a font"):
            check_font(tmp_path / name)
