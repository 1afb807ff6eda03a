"""Reports in a real browser: for everybody, on a phone, by keys and on paper."""

from __future__ import annotations

import pytest

from browser_contexts import DESKTOP, PHONE
from edge_reports import CASES, page_of
from rejudge.analysis.analyse import analyse
from rejudge.cli.runs import read_runs
from rejudge.compare.compare import compare
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.blocks import to_html
from rejudge.report.build import build
from rejudge.report.comparison.page import comparison_page
from rejudge.report.subject import Subject
from visitor import axe

pytestmark = pytest.mark.browser
WINDOWS = {"desktop": DESKTOP, "phone": PHONE}
LONG = "every-kind"  # a page that takes long to look through


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name in CASES:
        path = folder / f"{name}.html"
        path.write_text(page_of(name), "utf-8")
        found[name] = path.as_uri()
    return found


@pytest.mark.parametrize("window", [pytest.param("desktop", marks=pytest.mark.slow), "phone"])
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name == LONG else ()) for name in CASES],
)
def test_it_fits_makes_no_request_and_is_for_everybody_light_or_dark(
    addresses, open_page, name, window
):
    asked: list[str] = []
    page = open_page(**WINDOWS[window])
    page.on("request", lambda request: asked.append(request.url))
    page.goto(addresses[name])
    assert asked == [addresses[name]]
    width = WINDOWS[window]["viewport"]["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe(page) == []


def test_the_first_tab_leads_past_the_contents(addresses, open_page):
    page = open_page(**DESKTOP)
    page.goto(addresses["every-kind"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_the_contents_mark_the_section_that_is_read(addresses, open_page):
    page = open_page(**DESKTOP)
    page.goto(addresses["every-kind"])
    page.locator("nav a", has_text="Methods").click()
    page.wait_for_function("document.querySelector('#methods').getBoundingClientRect().top < 120")
    weights = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('nav a')]"
        ".map(link => [link.textContent, getComputedStyle(link).fontWeight]))"
    )
    assert [name for name, weight in weights.items() if weight == "600"] == ["Methods"]


def test_tables_wider_than_a_phone_are_scrolled_by_keys(addresses, open_page):
    page = open_page(**PHONE)
    page.goto(f"{addresses['every-kind']}#table-fluency-systems")
    box = page.locator("#table-fluency-systems .scroll")
    box.focus()
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "document.querySelector('#table-fluency-systems .scroll').scrollLeft > 0"
    )


IS_SEEN = "part => part.checkVisibility({contentVisibilityAuto: true})"


def test_a_link_into_a_closed_section_opens_it(addresses, open_page):
    page = open_page(**DESKTOP)
    page.goto(addresses["every-kind"])
    assert not page.locator("#methods").evaluate(IS_SEEN)
    page.locator("nav a", has_text="Methods").click()
    assert page.locator("#methods").evaluate(IS_SEEN)
    page.locator("figcaption a").first.click()
    table = page.locator(page.locator("figcaption a").first.get_attribute("href"))
    assert table.evaluate(IS_SEEN)


def test_one_box_shows_all_sections(addresses, open_page):
    page = open_page(**DESKTOP)
    page.goto(addresses["every-kind"])
    closed = page.locator("details > :nth-child(2)")
    page.get_by_label("Show all").check()
    heights = closed.evaluate_all("parts => parts.map(each => each.getBoundingClientRect().height)")
    assert len(heights) > 10
    assert min(heights) > 0
    page.get_by_label("Show all").uncheck()
    assert not closed.first.evaluate(IS_SEEN)


@pytest.mark.parametrize("window", ["desktop", pytest.param("phone", marks=pytest.mark.slow)])
def test_the_closed_page_is_less_than_a_third_of_the_open_one(addresses, open_page, window):
    page = open_page(**WINDOWS[window])
    page.goto(addresses["every-kind"])
    closed = page.evaluate("document.documentElement.scrollHeight")
    page.get_by_label("Show all").check()
    assert closed < page.evaluate("document.documentElement.scrollHeight") / 3


HIDDEN_TABLES = """() => {
  document.querySelectorAll("details").forEach(each => each.open = true);
  return [...document.querySelectorAll(".table > .scroll")]
    .filter(box => box.scrollWidth > box.clientWidth + 1)
    .map(box => box.parentElement.id);
}"""


@pytest.mark.parametrize(
    "names", [("lin-2022", "ito-2023"), ("hosking-2021", "steen-2025", "arvan-2025")]
)
def test_tables_of_a_comparison_fit_a_desktop_window(open_page, tmp_path, names):
    page = comparison_page(compare(*(run for given in read_runs(names) for run in given.runs)), "")
    (tmp_path / "page.html").write_text(to_html(page), "utf-8")
    window = open_page(viewport={"width": 1200, "height": 900})
    window.goto((tmp_path / "page.html").as_uri())
    assert window.locator(".table").count() > 10
    assert window.evaluate(HIDDEN_TABLES) == []


def test_a_table_of_many_columns_uses_the_width_of_the_window(open_page, tmp_path):
    questions = [f"informativeness-{n}" for n in range(12)]
    rated = Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", question, float((p * i + k) % 5), system=system)
        for p in range(5)
        for i in range(5)
        for question in questions
        for k, system in enumerate("ab")
    )
    page = build(Subject(analyse(rated), "wide"), pictures=())
    (tmp_path / "page.html").write_text(to_html(page), "utf-8")
    window = open_page(viewport={"width": 1800, "height": 900})
    window.goto((tmp_path / "page.html").as_uri())
    table, column = (window.locator(name).bounding_box() for name in ("#table-summary", "main"))
    assert table["width"] > column["width"] + 100
    assert window.evaluate("document.documentElement.scrollWidth") <= 1800


def test_on_paper_everything_folded_is_open(addresses, open_page):
    page = open_page(**DESKTOP)
    page.goto(addresses["every-kind"])
    inside = page.locator("details > :nth-child(2)").first
    assert not inside.evaluate("part => part.checkVisibility({contentVisibilityAuto: true})")
    page.emulate_media(media="print")
    assert inside.evaluate("part => part.getBoundingClientRect().height > 0")
