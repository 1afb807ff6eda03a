"""Take the picture of the datasheet editor again, from a starter.

Needs Chromium (`apt-get install chromium`). Look at the picture before it is committed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from rejudge.web.datasheet_editor import DatasheetEditor, open_sheet_file
from rejudge.web.serving import run_site
from take_pictures import FLAGS, PICTURES


def take(folder: Path) -> None:
    """Fill in the sheet of a small study, and show its third section."""
    study = folder / "my-study"
    for words in (("new", study, "--kind", "rating"), ("plan", study), ("heds", "fill", study)):
        command = [sys.executable, "-m", "rejudge", *map(str, words)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    editor = DatasheetEditor(open_sheet_file(study / "heds-planned.json"))
    with run_site(editor.app) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        page.goto(f"{address}/{editor.token}/3")
        page.screenshot(path=PICTURES / "datasheet-editor.png")
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        take(Path(scratch))
