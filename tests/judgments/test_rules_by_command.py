"""Every rule of exclusion from the file to excluded.csv: in a study, and on a table without one."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main

ODD = "p0018"  # did batch b06: 12 real tasks and 2 checks with 2 questions each, 28 rows


def run(*words: str | Path):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules") / "study"
    run("new", folder, "--kind", "pairwise")
    run("plan", folder)
    run("simulate", folder, "--set", "careless=0")
    return folder


@pytest.fixture
def study(simulated, tmp_path):
    """A study with the judgments of eighteen careful people."""
    return Path(shutil.copytree(simulated, tmp_path / "study"))


def unchanged(rows):
    return rows


def without_one_answer(rows):
    place = next(n for n, row in enumerate(rows) if is_odd(row) and row["kind"] == "real")
    return rows[:place] + rows[place + 1 :]


def with_wrong_checks(rows):
    other = {"a": "b", "b": "a", "tie": "tie"}
    return [
        {**row, "value": other[row["value"]], "passed": "false"} if is_check(row) else row
        for row in rows
    ]


def with_one_side(rows):
    """The option shown first is always chosen."""
    return [
        {**row, "value": row["side"]} if is_odd(row) and row["kind"] == "real" else row
        for row in rows
    ]


def in_haste(rows):
    return [{**row, "seconds": "2.5"} if is_odd(row) else row for row in rows]


def with_one_fast_task(rows):
    task = next(row["task"] for row in rows if is_odd(row) and row["kind"] == "real")
    return [{**row, "seconds": "1"} if is_odd(row) and row["task"] == task else row for row in rows]


def with_one_too_many(rows):
    """A fourth person in a batch for three."""
    return [*rows, *({**row, "participant": "late"} for row in rows if is_odd(row))]


def is_odd(row):
    return row["participant"] == ODD


def is_check(row):
    return is_odd(row) and row["kind"] == "check"


RULES = {
    "named": (unchanged, f"participants: [{ODD}]", f"participants={ODD}", (ODD, 28)),
    "incomplete": (without_one_answer, "incomplete: true", "incomplete=24", (ODD, 27)),
    "failed-checks": (with_wrong_checks, "failed_checks: 2", "failed_checks=2", (ODD, 28)),
    "straight-lining": (
        with_one_side, "straight_lining: 0.95", "straight_lining=0.95", (ODD, 28),
    ),
    "too-fast": (in_haste, "too_fast_total_seconds: 40", "too_fast_total_seconds=40", (ODD, 28)),
    "surplus": (with_one_too_many, "surplus: true", "surplus=3", ("late", 28)),
    "faster-than": (
        with_one_fast_task, "faster_than_seconds: 1.5", "faster_than_seconds=1.5", (ODD, 2),
    ),
}  # fmt: skip


def rewrite(path: Path, change) -> int:
    """Change the rows of judgments.csv and say how many there are now."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [{**row, "passed": ""} for row in csv.DictReader(file)]
    changed = change(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(changed)
    return len(changed)


def left_out(folder: Path) -> Counter[tuple[str, str]]:
    with (folder / "excluded.csv").open(encoding="utf-8", newline="") as file:
        return Counter((row["rule"], row["participant"]) for row in csv.DictReader(file))


QUICK = {"failed-checks", "too-fast", "named"}  # of every kind one: checks, times, people


@pytest.mark.parametrize(
    "rule", [pytest.param(rule, marks=() if rule in QUICK else pytest.mark.slow) for rule in RULES]
)
def test_a_rule_of_the_study_leaves_out_whom_it_should_and_the_counts_add_up(study, rule):
    change, said, _, (person, rows) = RULES[rule]
    spec = study / "study.yaml"
    text = spec.read_text(encoding="utf-8")
    text = re.sub(r"  exclude:\n(    .*\n)+", f"  exclude: {{{said}}}\n", text)
    spec.write_text(text, encoding="utf-8")
    collected = rewrite(study / "judgments.csv", change)
    flow = json.loads(run("analyse", study, "--json"))["flow"]
    assert left_out(study) == {(rule, person): rows}
    assert [(e["rule"], e["rows"]) for e in flow["exclusions"]] == [(rule, rows)]
    assert (flow["rows"], flow["rows_kept"]) == (collected, collected - rows)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_the_same_rule_works_on_a_table_without_a_study(study, tmp_path, rule):
    change, _, typed, (person, rows) = RULES[rule]
    table, out = study / "judgments.csv", tmp_path / "out"
    collected = rewrite(table, change)
    words = ["analyse", table, "--exclude", typed, "--out", out, "--json"]
    flow = json.loads(run(*words))["flow"]
    assert left_out(out) == {(rule, person): rows}
    assert (flow["rows"], flow["rows_kept"]) == (collected, collected - rows)


@pytest.mark.parametrize(("policy", "dropped"), [("first", "5"), ("last", "1")])
def test_what_a_policy_drops_is_left_out_with_the_policy_as_its_rule(tmp_path, policy, dropped):
    """p judged item 0 of both systems twice: 1 at first and 5 at last."""
    lines = [f"{p},i{i},{s},{1 + (i + len(s)) % 3}" for p in "pqr" for i in range(1, 5)
             for s in ("x", "yy")]  # fmt: skip
    first, last = ["p,i0,x,1", "p,i0,yy,1"], ["p,i0,x,5", "p,i0,yy,5"]
    table, out = tmp_path / "table.csv", tmp_path / "out"
    table.write_text("\n".join(["rater,item,system,score", *first, *lines, *last]), "utf-8")
    words = ["analyse", table, "--duplicates", policy, "--out", out, "--json"]
    said = json.loads(run(*words))
    flow = said["flow"]
    assert left_out(out) == {(f"duplicates-{policy}", "p"): 2}
    assert (flow["rows"], flow["rows_kept"]) == (28, 26)
    assert (flow["real_rows"], flow["real_rows_kept"]) == (28, 26)
    assert said["signature"]["excluded_rows"] == {f"duplicates-{policy}": 2}
    with (out / "excluded.csv").open(encoding="utf-8", newline="") as file:
        assert {(r["value"], r["kind"]) for r in csv.DictReader(file)} == {(dropped, "dropped")}
