"""Take the pictures of a comparison again, from the papers that come with rejudge.

Needs Chromium (`apt-get install chromium`). Look at the pictures before they are committed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from take_pictures import FLAGS, PICTURES

THREE = ("hosking-2021", "steen-2025", "arvan-2025")
FIGURES = {
    "comparison-scores.png": "scores-meaning.svg",
    "comparison-order.png": "order-meaning.svg",
    "comparison-cv-star.png": "cv-star.svg",
}


def main() -> None:
    """Compare a study with two reproductions, and look at the page and its figures."""
    rejudge = Path(sys.executable).parent / "rejudge"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "comparison"
        subprocess.run(
            [rejudge, "compare", *THREE, "--out", folder], check=True, capture_output=True
        )
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), headless=True, args=FLAGS
            )
            page = browser.new_page(
                viewport={"width": 1120, "height": 940}, device_scale_factor=1.5
            )
            page.goto((folder / "report" / "index.html").as_uri())
            page.screenshot(path=PICTURES / "comparison.png")
            for picture, figure in FIGURES.items():
                take(page, folder / "figures" / figure, picture)
            browser.close()
    print(f"Taken: {PICTURES / 'comparison.png'}, {', '.join(FIGURES)}")


def take(page: Any, figure: Path, picture: str) -> None:
    """One figure by itself, on white, as in a paper."""
    page.set_content(
        f"<main style='padding: 16px; width: fit-content'>{figure.read_text('utf-8')}</main>"
    )
    page.locator("main").screenshot(path=PICTURES / picture)


if __name__ == "__main__":
    main()
