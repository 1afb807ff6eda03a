"""What participants wrote in their own words: in results, report, tables, bundles, withdrawals."""

from __future__ import annotations

import csv
import json
import shutil
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from judged_rows import rows_in
from rejudge.bundle.archive import unpack
from rejudge.files.step_files import open_plan
from rejudge.store.store import open_existing
from served import ITEMS, STUDY, run, said
from small_site import Site
from valid_html import faults

LICENCE = ("--licence", "CC-BY-4.0")
SITE = """site:
  comment: true
  exit_questions:
    - {id: hard, kind: text, prompt: 'What was <hard>?'}
    - {id: age, kind: number, prompt: 'How old are you?'}
    - {id: often, prompt: 'How often?', options: [daily, never]}
"""
SCRIPT = "<script>alert('&')</script>"
FORMULA = '=HYPERLINK("http://x.example","y")'
ARABIC = "النص صعب \u202eabc"
LONG = "long " * 900 + "end"
FOLDED_LINES = "two\n\nlines | 50 % & *stars* $x$ \\end{table}"
HOSTILE = {
    ("c0", "d0", "old"): SCRIPT,
    ("c1", "d1", "new"): FORMULA,
    ("c2", "d2", "old"): ARABIC,
    ("c3", "d3", "new"): LONG,
    ("c3", "d4", "new"): FOLDED_LINES,
    ("c4", "d4", "new"): " \t ",
}


def write_table(path: Path, note, criteria=("fluency",)) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["coder", "doc", "model", "criterion", "score", "note"])
        for c in range(5):
            for d in range(5):
                for model in ("old", "new"):
                    for number, criterion in enumerate(criteria):
                        score = (c * 2 + d * 3 + (model == "new") + number) % 5 + 1
                        cell = note(f"c{c}", f"d{d}", model)
                        rows.writerow([f"c{c}", f"d{d}", model, criterion, score, cell])
    return path


@pytest.fixture
def table(tmp_path) -> Path:
    return write_table(tmp_path / "ratings.csv", lambda *where: HOSTILE.get(where, ""))


def remarks_of(*words: object):
    return rows_in(said("analyse", *words, "--remarks", "note"), "remarks")


def test_a_remark_keeps_its_participant_item_and_system(table):
    found = remarks_of(table)
    assert {(r["asked"], r["source"]) for r in found} == {("note", "column")}
    kept = {(r["participant"], r["item"], *r["systems"]): r["text"] for r in found}
    assert kept == {where: text for where, text in HOSTILE.items() if text.strip()}


def test_a_remark_that_is_repeated_for_each_criterion_counts_once(tmp_path):
    path = write_table(
        tmp_path / "long.csv", lambda *where: HOSTILE.get(where, ""), ("fluency", "adequacy")
    )
    assert len(remarks_of(path)) == 5


def test_remarks_about_the_parts_of_a_derived_score_are_kept(tmp_path):
    path = write_table(tmp_path / "long.csv", lambda *where: HOSTILE.get(where, ""), ("flu", "adq"))
    asked = ("--derive", "overall = (flu + adq) / 2", "--question", "overall")
    assert len(remarks_of(path, *asked)) == 5


def test_what_somebody_wrote_about_the_whole_study_is_listed_once(tmp_path):
    """The same text in all rows of a participant, as exports of survey platforms have it."""
    notes = {"c0": "too long", "c1": "too long", "c2": "fine"}
    found = remarks_of(write_table(tmp_path / "x.csv", lambda who, *_: notes.get(who, "")))
    kept = [(r["participant"], r["item"], r["systems"], r["text"]) for r in found]
    assert kept == [(who, None, [], text) for who, text in notes.items()]


def test_remarks_of_nobody_known_are_kept(tmp_path):
    lines = ["doc,model,score,note"]
    lines += [f"d{d},{model},{d % 4 + 1},note {d}" for d in range(6) for model in ("old", "new")]
    path = tmp_path / "nobody.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    found = remarks_of(path)
    assert [r["participant"] for r in found] == [None] * 12
    assert "12 remarks; it is not known who wrote them" in run(
        "analyse", path, "--remarks", "note"
    ).stdout.replace("\n", " ")


def test_comparisons_keep_both_systems(tmp_path):
    lines = ["participant,item,system_a,system_b,value,note"]
    lines += [f"p{p},i{i},ash,elm,a,{'odd' * (i == p)}" for p in range(5) for i in range(6)]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    second = remarks_of(path)[1]
    assert (second["text"], second["participant"], second["item"]) == ("odd", "p1", "i1")
    assert second["systems"] == ["ash", "elm"]


def test_a_column_without_remarks_gives_no_section_and_no_table(tmp_path):
    path, out = write_table(tmp_path / "x.csv", lambda *_: ""), tmp_path / "out"
    assert not rows_in(said("analyse", path, "--remarks", "note", "--out", out), "remarks")
    assert not (out / "report/tables/remarks.csv").exists()
    said("report", out)
    assert 'id="remarks"' not in (out / "report/index.html").read_text("utf-8")


def test_an_unknown_column_is_refused_with_those_there_are(table):
    result = run("analyse", table, "--remarks", "nose")
    assert result.exit_code == 2
    assert "there is no column 'nose'" in result.output


def test_a_study_takes_no_column_of_remarks(served):
    result = run("analyse", served, "--remarks", "note")
    assert result.exit_code == 2
    assert "--remarks is for a table of judgments" in " ".join(result.output.split())


def test_hostile_remarks_are_text_in_the_page_and_in_every_table(table, tmp_path):
    out = tmp_path / "out"
    said("analyse", table, "--remarks", "note", "--out", out)
    said("report", out)
    page = (out / "report/index.html").read_text("utf-8")
    assert not faults(page)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;" in page
    assert f'<p dir="auto" lang="">{ARABIC}</p>' in page
    assert "note: 5 remarks by 4 of 5 participants" in page
    assert LONG not in page
    assert "all of it is in tables/remarks.csv" in page
    for home in (out / "report/tables",):
        with (home / "remarks.csv").open(encoding="utf-8", newline="") as file:
            cells = [row[-1] for row in csv.reader(file)][1:]
        assert cells == [SCRIPT, f"'{FORMULA}", ARABIC, LONG, FOLDED_LINES]
        tex = (home / "remarks.tex").read_text("utf-8")
        assert tex.count(r"\end{table*}") == 1
        assert r"50 \% \&" in tex
        assert LONG not in tex


def test_many_remarks_are_counted_on_the_page_and_all_in_the_table(tmp_path):
    lines = ["coder,doc,model,score,note"]
    lines += [
        f"c{c},d{d},{model},{(c + d) % 5 + 1},n{c}-{d}-{model}"
        for c in range(6)
        for d in range(40)
        for model in ("old", "new")
    ]
    path, out = tmp_path / "many.csv", tmp_path / "out"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    said("analyse", path, "--remarks", "note", "--out", out)
    said("report", out)
    assert "The first 200 of 480 remarks" in (out / "report/index.html").read_text("utf-8")
    assert (out / "report/tables/remarks.csv").read_text("utf-8").count("\n") == 481
    assert "The first 40 of 480 rows" in (out / "report/tables/remarks.tex").read_text("utf-8")


def test_results_that_know_no_remarks_still_open(table, tmp_path):
    out = tmp_path / "out"
    said("analyse", table, "--out", out)
    assert not rows_in(json.loads((out / "results.json").read_bytes())["content"], "remarks")
    assert said("report", out)["files"]


@pytest.fixture(scope="module")
def with_site(tmp_path_factory) -> Path:
    """Three people: two left by the last page, one is in the middle of it."""
    folder = tmp_path_factory.mktemp("remarks") / "study"
    folder.mkdir()
    text = STUDY.replace("site: {comment: false}\n", SITE)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    assert run("plan", folder).exit_code == 0
    with ExitStack() as stack:
        site = Site(folder / "study.db", *open_plan(folder), stack)
        anna, ben = site.person("anna"), site.person("ben")
        names = {"hard": SCRIPT, "age": "31", "often": "daily", "comment": "Thanks, robin@lab.org!"}
        _leave(anna, names)
        _leave(ben, {"hard": FORMULA, "age": "", "often": "", "comment": ""})
        site.person("carl").finish("bb")
    return folder


def _leave(participant, values) -> None:
    page = participant.finish("abab")
    fields = page.forms[0].names
    typed = {
        name: text
        for name in fields
        for key, text in values.items()
        if name == key or name.endswith(f":{key}")
    }
    assert len(typed) == len(values)
    participant.send(page, **{name: text for name, text in typed.items() if text})


@pytest.fixture
def served(with_site, tmp_path) -> Path:
    return Path(shutil.copytree(with_site, tmp_path / "study"))


def test_answers_in_words_and_comments_of_a_served_study_are_remarks(served):
    rows = rows_in(said("analyse", served), "remarks")
    assert [(r["about"], r["asked"], r["source"]) for r in rows[:2]] == [
        ("hard", "What was <hard>?", "exit-question")
    ] * 2
    assert [(r["participant"], r["text"]) for r in rows[:2]] == [
        ("p0001", SCRIPT), ("p0002", FORMULA),
    ]  # fmt: skip
    assert [r["source"] for r in rows[2:]] == ["comment"]


def test_the_report_of_a_served_study_lists_them(served):
    said("analyse", served)
    said("report", served)
    page = (served / "report/index.html").read_text("utf-8")
    assert not faults(page)
    assert "<summary>What was &lt;hard&gt;?: 2 remarks by 2 of 3 participants</summary>" in page
    assert "Thanks, robin@lab.org!" in page
    assert SCRIPT not in page


def test_a_bundle_has_no_remarks_and_says_so(served, tmp_path):
    said("analyse", served)
    out = tmp_path / "x.zip"
    found = said("bundle", served, *LICENCE, "--out", out)
    assert [note for note in found["notes"] if "3 remarks" in note and "--with-remarks" in note]
    files = unpack(out.read_bytes(), file="x")
    assert not rows_in(json.loads(files["results.json"])["content"], "remarks")
    held = b"".join(files.values())
    assert b"HYPERLINK" not in held
    assert b"robin@lab.org" not in held
    assert b"remarks were left out" in files["README.md"]
    assert run("verify", out).exit_code == 0


def test_a_bundle_with_remarks_is_searched_for_private_things(served, tmp_path):
    said("analyse", served)
    out = tmp_path / "x.zip"
    result = run("bundle", served, *LICENCE, "--out", out, "--with-remarks")
    assert result.exit_code == 2
    assert "omit --with-remarks" in " ".join(result.output.split())
    assert not out.exists()


def test_a_bundle_has_the_remarks_that_were_asked_for(served, tmp_path):
    said("withdraw", served, "p0001", "--yes")  # whose comment names an address
    said("analyse", served)
    out = tmp_path / "x.zip"
    said("bundle", served, *LICENCE, "--out", out, "--with-remarks")
    content = json.loads(unpack(out.read_bytes(), file="x")["results.json"])["content"]
    assert [r["text"] for r in rows_in(content, "remarks")] == [FORMULA]
    assert run("verify", out).exit_code == 0


def test_withdrawing_removes_the_remarks(served):
    said("analyse", served)
    said("report", served)
    said("withdraw", served, "p0001", "--yes")
    files = [path for path in served.rglob("*") if path.is_file()]
    assert not [path.name for path in files if b"robin@lab.org" in path.read_bytes()]
    rows = rows_in(said("analyse", served), "remarks")
    assert [r["participant"] for r in rows] == ["p0002"]


def test_remarks_go_even_where_the_judgments_are_gone_already(served):
    """Withdrawn on the dashboard; then another command wrote judgments.csv anew."""
    said("analyse", served)
    store = open_existing(str(served / "study.db"), *open_plan(served))
    store.withdraw("p0001", who="owner 1", now=datetime.now(UTC))
    store.close()
    run("bundle", served, *LICENCE, "--out", served.parent / "x.zip")  # refused: results are stale
    assert b"p0001" not in (served / "judgments.csv").read_bytes()
    said("withdraw", served, "p0001", "--yes")
    assert not (served / "results.json").exists()
    assert not (served / "report/tables/remarks.csv").exists()
