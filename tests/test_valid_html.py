"""The judge of pages finds each kind of fault, and none in a page without."""

from __future__ import annotations

import pytest

from valid_html import faults

GOOD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title></head><body><main>'
    '<h1 id="a">A</h1><p><a href="#a">up</a></p>{}</main></body></html>'
)


def test_a_good_page_has_no_fault():
    assert (
        faults(GOOD.format('<table><thead><tr><th scope="col">x</th></tr></thead></table>')) == []
    )


@pytest.mark.parametrize(
    ("piece", "said"),
    [
        ("<p><div>x</div></p>", "unexpected-end-tag"),
        ("<b><i>x</b></i>", "adoption-agency"),
        ('<p class="a" class="b">x</p>', "duplicate-attribute"),
        ("<p>a & b &nosuch; c</p>", "named-entity"),
        ('<p id="a">x</p>', "stands 2 times"),
        ('<a href="#b">x</a>', "leads to 'b'"),
        ('<p aria-labelledby="a c">x</p>', "leads to 'c'"),
        ('<svg><rect fill="url(#p1)"/></svg>', "leads to 'p1'"),
        ("<h3>x</h3>", "h3 after h1"),
        ("<h2></h2>", "an empty h2"),
        ('<img alt="" src="x.png">', "asks for 'x.png'"),
        ('<p style="background: url(http://x)">x</p>', "a style asks"),
        ("<ul><p>x</p></ul>", "<p> directly in <ul>"),
        ("<center>x</center>", "obsolete"),
        ('<button>x<input aria-label="y"></button>', "<input> inside <button>"),
        ("<table><tr><td>1<tr><td>1<td>2</table>", "rows of [1, 2] cells"),
        ("<table><tr><th>x</th></tr></table>", "without scope"),
        ('<img src="data:,">', "without alt"),
        ('<svg role="img"></svg>', "has no name"),
        ('<a href="#a"></a>', "<a> has no name"),
    ],
)
def test_each_fault_is_found(piece, said):
    assert any(said in fault for fault in faults(GOOD.format(piece)))


def test_a_page_without_head_lines_says_which_are_missing():
    told = faults("<p>x</p>")
    assert "html has no lang" in told
    assert "the page has no title" in told
    assert any("doctype" in fault for fault in told)
