"""Cutting texts into segments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.study.kinds.question import segment_ends, split_segments, visible_segments

SIGNS = st.one_of(
    st.sampled_from(list(".!?。！？ \n\r\t\"'()“”«»‖…؟।A b1é中あ\u200d👩\u0301\u2028")),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.text(SIGNS, max_size=60)
SPLITS = st.sampled_from(["sentences", "lines", "marker"])
LANGUAGES = st.sampled_from(["en", "zh", "ja", "de", "ar", "hi", "zh-Hans", "pt-BR", "tlh"])


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ["Dr. Smith paid 3.50 in cash.", "He left at noon!", "Did he return?", "No."]),
        ("zh", ["他昨天来了。", "你看见他了吗？", "我没有！", "真可惜"]),
        ("ja", ["昨日は雨でした。", "傘を持っていましたか？", "いいえ！"]),
        ("de", ["Am 3. Oktober kam Dr. Müller, z. B. mit dem Zug.", "Wann fuhr er?", "Um 8."]),
        ("ar", ["ذهب الولد إلى المدرسة.", "هل عاد؟", "نعم، عاد!"]),
    ],
)
def test_sentences_end_where_the_language_ends_them(language, sentences):
    glue = "" if language in {"zh", "ja"} else " "
    text = glue.join(sentences)
    ends = segment_ends(text, split="sentences", language=language)
    assert visible_segments(text, ends) == tuple(sentences)


def test_lines_end_at_any_line_end_and_blank_lines_belong_to_the_line_before():
    text = "\n one\r\ntwo\n\n \nthree\rfour"
    ends = segment_ends(text, split="lines")
    assert split_segments(text, ends) == ("\n one\r\n", "two\n\n \n", "three\r", "four")
    assert visible_segments(text, ends) == ("one", "two", "three", "four")


def test_markers_are_kept_in_the_text_and_not_shown():
    text = "‖One. Two.‖ Three ‖‖Four‖"
    ends = segment_ends(text, split="marker", marker="‖")
    assert split_segments(text, ends) == ("‖One. Two.‖", " Three ‖‖", "Four‖")
    assert visible_segments(text, ends, marker="‖") == ("One. Two.", "Three", "Four")


def test_a_marker_may_have_several_characters_of_any_kind():
    text = "a.*b<.*>c"
    ends = segment_ends(text, split="marker", marker="<.*>")
    assert visible_segments(text, ends, marker="<.*>") == ("a.*b", "c")


@pytest.mark.parametrize("split", ["sentences", "lines", "marker"])
def test_no_text_has_no_segments_and_a_blank_one_has_one(split):
    assert segment_ends("", split=split) == ()
    assert segment_ends(" \n ", split=split) == (3,)


@given(TEXTS, SPLITS, LANGUAGES)
def test_no_character_is_ever_lost(text, split, language):
    ends = segment_ends(text, split=split, marker="‖", language=language)
    assert "".join(split_segments(text, ends)) == text
    assert list(ends) == sorted(set(ends))


@given(TEXTS, SPLITS, LANGUAGES)
def test_every_segment_has_something_to_read(text, split, language):
    marker = "‖" if split == "marker" else ""
    ends = segment_ends(text, split=split, marker="‖", language=language)
    shown = visible_segments(text, ends, marker=marker)
    is_blank = not text.replace("‖" if marker else "\0", "").strip()
    assert is_blank or all(shown)


def test_a_splitter_that_loses_text_is_told_and_not_believed(monkeypatch):
    import sentencex

    from rejudge.errors import StudyError

    monkeypatch.setattr(sentencex, "segment", lambda _language, text: [text.strip()])
    with pytest.raises(StudyError, match="split: marker"):
        segment_ends(" One. ", split="sentences")
