"""Take the pictures of the dashboard again: a study that simulated people are working on.

Needs Chromium (`apt-get install chromium`). Look at the pictures before they are committed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
TITLE = "Which question means the same?"
SETTLE_MILLISECONDS = 40_000  # until the past of the agreement has been filled in

sys.path.insert(0, str(ROOT / "tests"))

from dashboard_site import DashboardSite, opened  # noqa: E402 - 〃 and their simulated people
from judged_study import PAIRWISE, checked_study  # noqa: E402 - the tests' small study
from rejudge.web.serving import run_site  # noqa: E402 - after the path above


def main() -> None:
    """Fill a study by two thirds, then look at it on a screen and on a phone."""
    with tempfile.TemporaryDirectory() as name:
        site = made(Path(name))
        secret = site.store.grant("owner", now=site.clock())
        with run_site(site.client.app) as address, sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), headless=True, args=FLAGS
            )
            link = f"{address}/dashboard/login#{secret}"
            screen = {"viewport": {"width": 1280, "height": 960}}
            phone = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.5}
            take(browser, link, "dashboard.png", screen)
            take(browser, link, "dashboard-dark.png", screen, color_scheme="dark")
            take(browser, link, "dashboard-phone.png", phone)
            browser.close()
        site.client.close()
        site.store.close()


def made(folder: Path) -> DashboardSite:
    """A study of twenty batches: most done, some in work, one failed a check, one left."""
    pay = {"currency": "GBP", "minutes": 6, "hourly": 12}
    site = opened(
        folder, checked_study(PAIRWISE, inputs=60, title=TITLE, payment=pay), careless=0.1
    )
    site.crowd.pause = 9.0
    site.crowd.finish_many(26)
    site.crowd.begin()
    site.clock.go(7200)
    site.store.expire(now=site.clock())
    site.crowd.finish_many(9)
    for tasks in range(1, 6):
        site.crowd.answer(site.crowd.begin(), tasks=tasks)
    site.crowd.arrive()
    return site


def take(browser: Any, link: str, name: str, size: dict[str, Any], **options: Any) -> None:
    """One picture, once the slow numbers are there."""
    page = browser.new_context(**size, **options).new_page()
    page.goto(link)
    page.wait_for_selector("#live")
    page.wait_for_timeout(SETTLE_MILLISECONDS)
    page.screenshot(path=PICTURES / name)
    print(f"Taken: {PICTURES / name}")


if __name__ == "__main__":
    main()
