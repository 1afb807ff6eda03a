"""Forms and answers say the same in both directions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants import BEST_WORST, PAIRWISE, RANKING, RATING, SEGMENTS, SLIDER, made_study
from rejudge.study.kinds.registry import KINDS
from rejudge.web.forms import read_task
from rejudge.web.http import device_class
from rejudge.web.rendering import make_environment


def question(spec):
    return made_study(spec).spec.questions[0]


answers = st.one_of(
    st.tuples(st.just(PAIRWISE), st.just(2), st.sampled_from("ab")),
    st.tuples(st.just(RATING), st.just(1), st.sampled_from("12345")),
    st.tuples(st.just(SLIDER), st.just(1), st.integers(0, 100).map(str)),
    st.tuples(st.just(BEST_WORST), st.just(3), st.sampled_from(["a,b", "b,a", "c,a", "b,c"])),
    st.tuples(st.just(RANKING), st.just(3), st.permutations("abc").map(",".join)),
    st.tuples(st.just(SEGMENTS), st.just(4), st.sampled_from(["0,0,0,0", "0,1,2,0", "2,2,1,2"])),
)  # fmt: skip


@given(answers)
def test_an_answer_put_into_a_form_is_read_from_it_again(case):
    spec, parts, raw = case
    asked = question(spec)
    form = asked.controls(f"3:{asked.id}", raw)
    assert asked.raw_answer(form, f"3:{asked.id}", parts) == raw
    assert read_task(form, 3, [(asked, parts)]).answers == {asked.id: raw}


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12), max_size=8))
def test_whatever_a_form_brings_is_an_answer_or_a_fault(form):
    for spec in (PAIRWISE, RATING, SLIDER, BEST_WORST, RANKING, SEGMENTS):
        asked = question(spec)
        given_ = read_task(form, 3, [(asked, 3)])
        assert len(given_.answers) + len(given_.faults) == 1


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_of_question_has_its_template(kind):
    assert make_environment().get_template(f"questions/{kind}.html")


def test_of_a_browser_only_its_class_is_kept():
    assert device_class("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0") == "desktop"
    assert device_class("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Mobile/15E148") == "phone"
    assert device_class("Mozilla/5.0 (Linux; Android 16; Pixel 10) Mobile Safari/537.36") == "phone"
    assert device_class("Mozilla/5.0 (Linux; Android 16; SM-X910) Safari/537.36") == "tablet"
    assert device_class("Mozilla/5.0 (iPad; CPU OS 17_0) Mobile/15E148") == "tablet"
    assert device_class("") == "desktop"
