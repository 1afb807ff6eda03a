"""Take the pictures of the documentation again, from what `rejudge demo` makes today.

Needs Chromium (`apt-get install chromium`). Look at the pictures before they are committed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def main() -> None:
    """Make the demo in a folder of its own and take its report's first screen."""
    rejudge = Path(sys.executable).parent / "rejudge"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "rejudge-demo"
        subprocess.run([rejudge, "demo", "--out", folder], check=True, capture_output=True)
        report = folder / "report" / "index.html"
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), headless=True, args=FLAGS
            )
            page = browser.new_page(
                viewport={"width": 1120, "height": 940}, device_scale_factor=1.25
            )
            page.goto(report.as_uri())
            page.screenshot(path=PICTURES / "report.png")
            browser.close()
    print(f"Taken: {PICTURES / 'report.png'}")


if __name__ == "__main__":
    main()
