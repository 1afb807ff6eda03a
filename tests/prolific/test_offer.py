"""What a study offers: pay for people who are screened out, in the account's sub-units."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import StudyError
from rejudge.prolific.fake import study_faults
from rejudge.prolific.study import TAGS, ScreenOutPay, completion_codes, description_html, offer_of
from rejudge.study.site import Codes
from small_site import study_of

ON = date(2026, 3, 2)
PAID = "payment: {kind: paid, currency: GBP, hourly: 12, minutes: 10}\n"
SCREENING = """
recruitment:
  platform: prolific
  screening:
    %s
    questions: [{id: q, prompt: 'Which one?', options: [one, two], admit: [one]}]
"""
CODES = Codes(completed="C", declined="D", full="F", screened_out="S", failed_checks="A")


def offer(screening: str, payment: str = PAID):
    return offer_of(*study_of(2, 2, more=payment + SCREENING % screening), on=ON)


@pytest.mark.parametrize(
    ("reward", "pence"), [("0.5", 50), ("0.29", 29), ("1.1", 110), ("1.99", 199)]
)
def test_a_screen_out_is_paid_in_whole_pence(reward, pence):
    found = offer(f"reward: {reward}")
    assert found.screen_out == ScreenOutPay(pence, 20)
    assert "at most GBP" in found.notes[-1]


@pytest.mark.parametrize("reward", ["2", "2.5", "100", "0.001"])
def test_a_screen_out_pays_less_than_the_reward_and_more_than_nothing(reward):
    with pytest.raises(StudyError, match="less than the reward"):
        offer(f"reward: {reward}")


def test_without_an_amount_people_are_asked_to_return():
    assert offer("places: 3").screen_out is None
    codes = {each["code"]: each for each in completion_codes(CODES)}
    assert codes["S"]["code_type"] == "SCREENED_OUT"
    assert codes["S"]["actions"][0]["action"] == "REQUEST_RETURN"


def test_every_end_has_its_code_and_none_approves_or_rejects_by_itself():
    codes = completion_codes(CODES, ScreenOutPay(50, 3))
    assert {each["code"]: each["code_type"] for each in codes} == {
        "C": "COMPLETED",
        "D": "NO_CONSENT",
        "F": "OTHER",
        "A": "FAILED_ATTENTION_CHECK",
        "S": "FIXED_SCREENOUT",
    }
    actions = {each["code"]: each["actions"] for each in codes}
    assert actions["S"] == [
        {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 50, "slots": 3}
    ]
    assert actions["A"] == [{"action": "MANUALLY_REVIEW"}]


def test_codes_that_a_study_does_not_need_are_not_sent():
    codes = completion_codes(Codes(completed="C", declined="D", full="F"))
    assert [each["code"] for each in codes] == ["C", "D", "F"]


def test_two_ends_with_the_same_code_are_refused():
    with pytest.raises(StudyError, match="given twice"):
        completion_codes(CODES.model_copy(update={"full": "c"}))


@pytest.mark.parametrize("currency", ["JPY", "EUR", "KWD"])
def test_currencies_with_other_sub_units_are_refused(currency):
    with pytest.raises(StudyError, match="pays in GBP or USD"):
        offer("places: 1", f"payment: {{kind: paid, currency: {currency}, reward: 300}}\n")


PAGE = """# About & why

Compare *two* **texts**, see [our page](https://lab.example/a?b=1&c=2) or <mailto:ada@lab.example>.

### Who

> Everybody who ~~can~~ reads.

1. one
2. two

- a
- b

| a | b |
|---|---|
| c | d |

<script>alert(1)</script>
"""


def test_a_page_keeps_its_words_and_allowed_tags():
    found = description_html(PAGE)
    assert "<h1>About &amp; why</h1>" in found
    assert "Compare <em>two</em> <strong>texts</strong>" in found
    assert "our page (https://lab.example/a?b=1&amp;c=2)" in found
    assert "<h2>Who</h2>" in found
    assert "<s>can</s>" in found
    assert "<ol>\n<li>one</li>" in found
    assert "&lt;script&gt;" in found


@pytest.mark.parametrize("page", ["", "   ", "![a](b.png)"])
def test_a_page_without_words_is_harmless(page):
    assert re.sub("<[^>]*>", "", description_html(page)) in {"", "a"}


def test_text_in_other_scripts_stays():
    assert "مرحبا 你好" in description_html("مرحبا 你好")


@given(st.text(alphabet="<>abp/ha=\"'#*_[]()!&;`\n-1.~|", max_size=200))
def test_no_page_leads_to_a_tag_that_is_refused(page):
    found = description_html(page)
    assert {tag.lower() for tag in re.findall(r"</?\s*([a-zA-Z]\w*)", found)} <= TAGS
    assert not [f for f in study_faults({"description": found}, {}) if "Tags" in f[1]]
    opened, closed = re.findall(r"<(\w+)>", found), re.findall(r"</(\w+)>", found)
    assert sorted(opened) == sorted(closed)
