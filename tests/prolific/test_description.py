"""The description of a study on Prolific has only the tags that are allowed there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.prolific.description import TAGS, description_html
from rejudge.prolific.fake.study_rules import study_faults

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
