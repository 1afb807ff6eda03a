"""Take the pictures of the participants' site again, from the starters as they are today.

Needs Chromium (`apt-get install chromium`). Look at the pictures before they are committed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Page, sync_playwright

from rejudge.design.draw import draw
from rejudge.starters.folders import folder_files
from rejudge.store.store import open_store
from rejudge.study.parse import parse
from rejudge.web.app import create_app
from rejudge.web.rendering import SiteContext
from rejudge.web.serving import run_site
from take_pictures import FLAGS, PICTURES

DESKTOP: dict[str, Any] = {"viewport": {"width": 1080, "height": 760}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 780}, "device_scale_factor": 1.5}


def main() -> None:
    """Each kind of question once, the beginning and the end."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), headless=True, args=FLAGS
        )
        for kind, scheme in (
            ("pairwise", "light"),
            ("rating", "light"),
            ("slider", "light"),
            ("best-worst", "light"),
            ("ranking", "dark"),
            ("segments", "light"),
        ):
            with served(kind) as address:
                page = browser.new_page(color_scheme=scheme, **DESKTOP)
                to_tasks(page, address, take_practice=kind == "pairwise")
                answer(page, kind)
                take(page, f"site-{kind}")
        with served("pairwise", tie=False) as address:
            page = browser.new_page(color_scheme="dark", **PHONE)
            page.goto(address)
            take(page, "site-consent-phone")
            to_tasks(page, address)
            take(page, "site-pairwise-phone")
        with served("rating", language="ar") as address:
            page = browser.new_page(color_scheme="light", **PHONE)
            to_tasks(page, address)
            take(page, "site-rating-arabic")
            to_the_end(page)
            take(page, "site-thanks")
        browser.close()


@contextmanager
def served(kind: str, *, language: str = "en", tie: bool = True) -> Iterator[str]:
    """The site of a starter; gives its address."""
    files = folder_files(kind)
    text = files["study.yaml"].decode().replace("title: My study", "title: Plain news reports")
    text += f"\nsite: {{language: {language}}}\n"
    if not tie:  # one question alone: the texts stand on the buttons
        text = (
            text[: text.index("  - kind: pairwise\n    id: simplicity")]
            + text[text.index("design:") :]
        )
        text = text.replace(", simplicity: tie", "").replace(", simplicity: b", "")
        text = text.replace("    - {question: simplicity, test: cluster-robust}\n", "")
        text = "".join(line for line in text.splitlines(True) if "on simplicity" not in line)
    text = text.replace("  platform: link", "  open: true\n  platform: link")
    study = parse(text, lambda name: files[name])
    plan = draw(study)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"{folder}/study.db", study, plan, now=datetime.now(UTC))
        site = SiteContext(
            study=study, plan=plan, store=store, now=lambda: datetime.now(UTC), secret=b"x" * 32
        )
        with run_site(create_app(site)) as address:
            yield address
        store.close()


def to_tasks(page: Page, address: str, *, take_practice: bool = False) -> None:
    """From the door to the first task, through practice as somebody who errs."""
    page.goto(address)
    page.click("button[value=yes]")
    page.click("main button.primary")
    while "/practice" in page.url:
        answer(page, "")
        page.locator(".next").click()
        if take_practice and page.locator(".notice").count():
            take(page, "site-practice")
            take_practice = False
    page.wait_for_load_state("networkidle")


def answer(page: Page, kind: str) -> None:
    """Something for every question; the ranking is left half-way to show how it begins."""
    for question in page.locator(".question[data-kind]").all():
        for line in (
            question.locator("li").all() if question.locator(".segments").count() else [question]
        ):
            if line.locator(".point, .tile").count():
                line.locator(".point, .tile").nth(1).click()
        if question.locator("input[type=number]").count():
            question.locator("input[type=number]").fill("64")
            question.locator("input[type=number]").press("Tab")
        if question.locator(".contest").count():
            question.locator(".best").nth(1).click()
            question.locator(".worst").nth(2).click()
        if question.locator(".ranking").count():
            question.locator("select").nth(2).select_option("1")
            if kind == "":
                question.locator(".up").first.click()
    page.wait_for_timeout(400)


def to_the_end(page: Page) -> None:
    """Through all tasks and the last questions."""
    while "/task/" in page.url:
        answer(page, "")
        here = page.evaluate("location.pathname")
        page.locator(".next").click()
        page.wait_for_function("path => location.pathname !== path", arg=here)
    page.click("main button.primary")
    page.wait_for_url("**/thanks")


def take(page: Page, name: str) -> None:
    """Write the picture of a whole page."""
    page.mouse.move(0, 0)
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
    print(f"Taken: {name}")


if __name__ == "__main__":
    main()
