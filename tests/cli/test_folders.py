"""What commands read from the folder of a study: judgments come from the site's database."""

from __future__ import annotations

from contextlib import ExitStack

from rejudge.files import open_plan
from served import run, said
from small_site import Site


def test_analyse_writes_the_judgments_of_the_store_and_says_what_does_not_count(folder):
    found = said("analyse", folder)
    rules = {each["rule"] for each in found["flow"]["exclusions"]}
    assert (found["flow"]["rows"], found["flow"]["rows_kept"]) == (10, 8)
    assert rules == {"incomplete"}
    table = (folder / "judgments.csv").read_text(encoding="utf-8")
    assert table.count(",submitted\n") == 8
    assert table.count(",held\n") == 2


def test_analyse_follows_the_store_when_it_goes_on(folder):
    said("analyse", folder)
    with ExitStack() as stack:
        site = Site(folder / "study.db", *open_plan(folder), stack)
        site.person("dora").finish("abba")
    assert said("analyse", folder, "--force")["flow"]["rows"] == 14


def test_judgments_from_elsewhere_are_not_replaced_unasked(folder):
    own = "participant,item,question,value,system_a,system_b\np,i0,meaning,a,north,south\n"
    (folder / "judgments.csv").write_text(own, encoding="utf-8")
    assert run("analyse", folder).exit_code == 2
    assert (folder / "judgments.csv").read_text(encoding="utf-8") == own


def test_the_analysis_has_the_pages_of_the_way_and_the_devices_of_those_who_came(folder):
    """Two finished, one is in the middle; times are of the two who count."""
    found = said("analyse", folder)
    pages = {(page["page"], page["place"]): page["n"] for page in found["navigation"]["pages"]}
    assert pages["consent", None] == pages["instructions", None] == 2
    assert (found["profile"]["participants"], found["profile"]["participants_kept"]) == (3, 2)
    (device,) = [part for part in found["profile"]["parts"] if part["id"] == "device"]
    assert sum(each["participants"] for each in device["counts"]) + device["silent"] == 3


def test_no_platform_id_is_in_the_results(folder):
    said("analyse", folder)
    written = (folder / "results.json").read_text("utf-8")
    assert not [name for name in ("anna", "ben", "carl") if name in written]
