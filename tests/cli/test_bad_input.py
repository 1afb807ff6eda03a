"""Bad study files, item files and options: one clear message each, exit code 2, nothing written."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rejudge.cli import main
from small_study import FILES, ITEMS, STUDY, changed, line_of

Files = Mapping[str, "str | bytes | None"]  # None: not there


@dataclass(frozen=True)
class Case:
    """A folder or words that are wrong, and what must be said about them."""

    name: str
    files: Files
    words: tuple[str, ...]  # of what is wrong, and of the remedy
    at: str | int | None = None  # a passage of the wrong file, or its line
    file: str = "study.yaml"
    args: tuple[str, ...] = ()  # of the command line, where it is not a command and the folder
    messages: int = 1

    @property
    def place(self) -> str:
        """Where the message must point to."""
        if self.at is None:
            return self.file
        text = self.files[self.file]
        line = self.at if isinstance(self.at, int) else line_of(self.at, str(text))
        return f"{self.file}:{line}"


def study(old: str, new: str) -> Files:
    return changed(old, new)


def items(old: str, new: str) -> Files:
    return changed(old, new, file="items.csv")


def items_as(name: str, content: str | bytes) -> Files:
    text = STUDY.replace("file: items.csv", f"file: {name}")
    return {"study.yaml": text, name: content}


JSONL = '{"id": "one", "input": "Hi", "vae": "a", "dips": "b", "lbow": "c"}\n'
LONG = "id,input,system,output\none,Hi,vae,a\none,Hi,dips,b\none,Hi,lbow,c\n"
WITH_REFERENCE = study("    tie: true", "    beside: [input, reference]")

STUDY_CASES = (
    Case("empty", {**FILES, "study.yaml": "# nothing\n"}, ("empty", "rejudge new")),
    Case("only a list", {**FILES, "study.yaml": "- id\n"}, ("no keys", "id: my-study"), 1),
    Case("a tab", study("  file: items", "\tfile: items"), ("a tab", "spaces"), "\tfile"),
    Case("an open quote", study("title: W", "title: 'W"), ("never closed", "Close"), "title"),
    Case("an open bracket", study("- [vae, dips]", "- [vae, dips"), ("bracket",), "[vae, dips"),
    Case(
        "a colon in a text",
        study("title: Which", "title: Please: which"),
        ("': '", "in quotes"),
        "title",
    ),
    Case(
        "words after a quoted text",
        study("title: Which", 'title: "Which" is'),
        ("whole text in quotes",),
        "title",
    ),
    Case(
        "unequal indentation",
        study("    prompt: How", "   prompt: How"),
        ("indented", "same number of spaces"),
        "   prompt: How",
    ),
    Case("an anchor", study("  - vae\n", "  - &x vae\n"), ("an anchor", "quotes"), "&x"),
    Case("an alias", study("  - lbow\n", "  - *x\n"), ("an alias", "Write the value out"), "*x"),
    Case("a tag", study("id: para", "id: !!str para"), ("a tag", "quotes"), "!!str"),
    Case(
        "nested without end",
        {**FILES, "study.yaml": STUDY + "x: " + "[" * 500 + "]" * 500 + "\n"},
        ("nested more than", "brackets"),
        "x: [",
    ),
    Case("two documents", {**FILES, "study.yaml": STUDY + "---\nid: x\n"}, ("second",), "---"),
    Case(
        "a key twice",
        study("language: en", "language: en\ntitle: Again"),
        ("'title' occurs twice, on lines 3 and 5", "Keep one"),
        "title: Again",
    ),
    Case("another format", study("format: 1", "format: 2"), ("has format 2", "`format: 1`"), 1),
    Case("an unknown format", study("format: 1", "format: one"), ("'one'", "Write '1'"), 1),
    Case(
        "an unknown key",
        study("    points: 5", "    pionts: 5"),
        ("no key 'pionts'", "Did you mean 'points'?"),
        "pionts",
    ),
    Case(
        "a key unlike all others",
        study("language: en", "zzz: en"),
        ("no key 'zzz'", "The keys are 'format', 'id', 'title'"),
        "zzz",
    ),
    Case(
        "a key outside its section",
        study("language: en", "participants_per_batch: 3"),
        ("'participants_per_batch'", "under 'design'"),
        "participants_per_batch",
    ),
    Case(
        "a missing key",
        study("    prompt: How fluent is the sentence?\n", ""),
        ("'prompt' is missing", "for instance `prompt: How fluent is this text?`"),
        "  - kind: rating",
    ),
    Case("a missing title", study("title: Which sentence is better?\n", ""), ("'title'",), 1),
    Case(
        "an unknown kind of question",
        study("kind: rating", "kind: rateing"),
        ("'rateing' is not a kind of question", "Did you mean 'rating'?", "'slider'"),
        "rateing",
    ),
    Case(
        "an unknown kind of check",
        study("kind: nonsense", "kind: riddle"),
        ("'riddle' is not a kind of check", "'gold', 'instruction', 'nonsense'"),
        "riddle",
    ),
    Case(
        "no kind",
        study("  - kind: rating\n    id: fluency", "  - id: fluency"),
        ("'kind' is missing", "'rating'"),
        "  - id: fluency",
    ),
    Case(
        "no for Norwegian",
        study("language: en", "language: no"),
        ("no is read as a truth value", 'in quotes: `language: "no"`'),
        "language: no",
    ),
    Case(
        "a system called on",
        study("  - lbow\n", "  - lbow\n  - on\n"),
        ("on is read as a truth value", 'Put it in quotes: `"on"`'),
        "  - on",
    ),
    Case(
        "a number as a name",
        study("id: paraphrases", "id: 2024"),
        ("2024 is read as a number", '`id: "2024"`'),
        "id: 2024",
    ),
    Case(
        "a number in quotes",
        study("seed: 7", "seed: '7'"),
        ("because it is in quotes", "`seed: 7`"),
        "seed",
    ),
    Case("a word for a number", study("seed: 7", "seed: lucky"), ("'lucky'", "whole"), "seed"),
    Case("not a number", study("at_most: 2", "at_most: .nan"), (".nan", "Write"), "at_most"),
    Case(
        "too few points",
        study("    points: 5\n    labels: {1: not at all, 5: perfectly}", "    points: 1"),
        ("'points' is 1", "at least 2"),
        "points",
    ),
    Case(
        "labels beside the scale",
        study("5: perfectly", "7: perfectly"),
        ("labels name 7", "1, 2, 3, 4, 5"),
        "labels",
    ),
    Case(
        "a name with a space",
        study("id: shuffled", "id: words shuffled"),
        ("'words shuffled' is not a short name", "for instance words-shuffled"),
        "words shuffled",
    ),
    Case("an empty key", study("title: Which sentence is better?", "title:"), ("empty",), 3),
    Case(
        "no systems",
        study(STUDY[STUDY.index("  - vae") : STUDY.index("items:")], ""),
        ("empty",),
        5,
    ),
    Case(
        "a system twice",
        study("  - lbow\n", "  - vae\n"),
        ("'vae' is used twice, on lines 6 and 9",),
        9,
        messages=3,  # and two pairs that name `lbow`
    ),
    Case(
        "a check twice",
        study("id: shuffled", "id: other"),
        ("'other' is used twice", "its own id"),
        "  - kind: nonsense",
    ),
    Case(
        "a pair with an unknown system",
        study("- [vae, lbow]", "- [vae, lbo]"),
        ("no system 'lbo'", "Did you mean 'lbow'?"),
        "lbo]",
    ),
    Case("a pair with itself", study("[dips, lbow]", "[dips, dips]"), ("itself",), "[dips, dips]"),
    Case(
        "a pair twice",
        study("[dips, lbow]", "[dips, vae]"),
        ("'dips' and 'vae'", "line 26"),
        "[dips, vae]",
    ),
    Case("half a pair", study("[dips, lbow]", "[dips]"), ("exactly two",), "[dips]"),
    Case(
        "a claim about an unknown system",
        study("vae best", "vea best"),
        ("no system 'vea'", "Did you mean 'vae'?"),
        "vea best",
    ),
    Case(
        "a claim about an unknown question",
        study("dips on meaning", "dips on clarity"),
        ("no question 'clarity'", "'meaning', 'fluency'"),
        "on clarity",
    ),
    Case(
        "a claim in free words",
        study("vae best on fluency", "vae is the best"),
        ("not a form of claim", "`a > b on q`"),
        "is the best",
    ),
    Case(
        "a test of an unknown question",
        study("- question: meaning\n      test", "- question: menaing\n      test"),
        ("no question 'menaing'", "Did you mean 'meaning'?"),
        "menaing",
    ),
    Case(
        "more best-worst than systems",
        study("questions:\n", "questions:\n  - {kind: best-worst, id: best, prompt: Which}\n"),
        ("'best' shows 4 systems, but the study has 3", "of: 3"),
        "kind: best-worst",
    ),
    Case(
        "a practice answer that cannot be given",
        study("{fluency: 2}", "{fluency: 9}"),
        ("'9' is not an answer to 'fluency'", "1, 2, 3, 4, 5"),
        "{fluency: 9}",
    ),
    Case(
        "a practice answer to an unknown question",
        study("{fluency: 2}", "{flow: 2}"),
        ("no question 'flow'",),
        "{flow: 2}",
    ),
    Case(
        "too many practice outputs",
        study('["Where cats the sleep?"]', "[A, B, C]"),
        ("3 outputs", "1 or 2"),
        "[A, B, C]",
    ),
    Case(
        "a bound outside the scale",
        study("at_most: 2", "at_most: 5"),
        ("no answer to 'fluency' is above 5", "from 1 to below 5"),
        "at_most",
    ),
    Case(
        "not UTF-8",
        {**FILES, "study.yaml": STUDY.replace("better", "größer").encode("latin-1")},
        ("0xF6", "Save it as UTF-8"),
        3,
    ),
    Case(
        "no such page",
        study("language: en", "pages: {consent: consent.md}"),
        ("no file 'consent.md'", "correct the name"),
        "pages",
    ),
    Case(
        "items outside the folder",
        study("items.csv", "../items.csv"),
        ("not a file in the study's folder", "Copy it there"),
        "../items.csv",
    ),
    Case("no items", {"study.yaml": STUDY}, ("no file 'items.csv'", "Put it there"), "items.csv"),
    Case("no study", {"items.csv": ITEMS}, ("rejudge new",)),
)

CSV = "items.csv"
ITEM_CASES = (
    Case("no content", {**FILES, CSV: ""}, ("no rows",), file=CSV),
    Case("only a header", {**FILES, CSV: ITEMS.splitlines()[0]}, ("no rows",), file=CSV),
    Case("a form that is not read", items_as("items.ods", b"PK"), (".csv",), file="items.ods"),
    Case(
        "a workbook that is none",
        items_as("items.xlsx", b"PK"),
        ("not an .xlsx workbook",),
        file="items.xlsx",
    ),
    Case(
        "UTF-16 without a mark",
        {**FILES, CSV: ITEMS.encode("utf-16-le")},
        ("looks like UTF-16",),
        1,
        CSV,
    ),
    Case(
        "KOI8-R",
        {**FILES, CSV: ITEMS.replace("bees,Why hum", "пчёлы" * 50).encode("koi8-r")},
        ("0xD0", "Save it as UTF-8"),
        4,
        CSV,
    ),
    Case("NUL", items("How fly birds?", "How fly\0birds?"), ("NUL",), 2, CSV),
    Case(
        "a column of another name",
        items("id,input", "ID,input"),
        ("'id' is missing", "Did you mean 'ID'?", "columns: {id: ID}"),
        1,
        CSV,
    ),
    Case(
        "a system without a column",
        items("vae,dips,lbow\n", "vae,dips,lbovv\n"),
        ("'lbow'", "Did you mean 'lbovv'?", "column: lbovv"),
        1,
        CSV,
    ),
    Case(
        "a column twice",
        items("reference,dataset", "dataset,dataset"),
        ("'dataset' occurs 2 times", "Rename"),
        1,
        CSV,
    ),
    Case(
        "an id twice", items("three,", "one,"), ("'one' is used twice, on lines 2 and 4",), 4, CSV
    ),
    Case("an empty id", items("three,", ","), ("the id is empty",), 4, CSV),
    Case("an odd id", items("three,", "/three,"), ("begins with '/'",), 4, CSV),
    Case("an empty output", items("Who eats frogs?", " "), ("'dips' is empty", "Fill"), 3, CSV),
    Case("an empty input", items("What do frogs eat?", ""), ("input is empty",), 3, CSV),
    Case(
        "no reference where one is shown",
        {**WITH_REFERENCE, CSV: ITEMS.replace("What is it that frogs eat?", "")},
        ("reference is empty, but 'meaning' needs it",),
        3,
        CSV,
    ),
    Case("too many fields", items("How fly birds?", "How, birds?"), ("8 cells", "quotes"), 2, CSV),
    Case("too few fields", items("birds,How fly birds?,", ""), ("5 cells", "header has 7"), 2, CSV),
    Case("an open quote in a row", items("four,", '"four,'), ("never closed", "Close"), 5, CSV),
    Case(
        "a quote in the middle",
        items("How fly birds?", '"How" fly birds?'),
        ("closing quote", "twice"),
        2,
        CSV,
    ),
    Case(
        "a language that is none",
        items(ITEMS, "id,input,language,vae,dips,lbow\n1,Hi,English,a,b,c\n"),
        ("'English' is not a language code", "en, zh"),
        2,
        CSV,
    ),
    Case(
        "broken JSON",
        items_as("i.jsonl", JSONL + '{"id": "two", "input"}\n'),
        ("not JSON", "one whole object per line"),
        2,
        "i.jsonl",
    ),
    Case("a JSON list", items_as("i.jsonl", JSONL + "[1]\n"), ("not an object",), 2, "i.jsonl"),
    Case(
        "half a character",
        items_as("i.jsonl", JSONL + JSONL.replace("one", "two").replace("Hi", "\\ud83d")),
        ("does not stand for a whole character",),
        2,
        "i.jsonl",
    ),
    Case(
        "a list of segments that nobody scores",
        items_as("i.jsonl", JSONL.replace('"a"', '["a", "b"]')),
        ("is a list", "split: marker"),
        1,
        "i.jsonl",
    ),
    Case(
        "a number as an output",
        items_as("i.jsonl", JSONL.replace('"a"', "4.5")),
        ("is a number, not a text", "Put it in quotes"),
        1,
        "i.jsonl",
    ),
    Case(
        "an unknown system in a row",
        {**FILES, CSV: LONG + "one,Hi,vea,d\n"},
        ("no system 'vea'", "Did you mean 'vae'?"),
        5,
        CSV,
    ),
    Case(
        "a system without an output",
        {**FILES, CSV: LONG + "two,Ho,vae,a\ntwo,Ho,dips,b\n"},
        ("'two' has no output from 'lbow'", "Add the rows"),
        5,
        CSV,
    ),
    Case(
        "an output twice",
        {**FILES, CSV: LONG + "one,Hi,vae,z\n"},
        ("two outputs from 'vae', on lines 2 and 5",),
        5,
        CSV,
    ),
    Case(
        "two inputs of one item",
        {**FILES, CSV: LONG.replace("one,Hi,lbow", "one,Ho,lbow")},
        ("differs from the one on line 2", "Give the same"),
        4,
        CSV,
    ),
    Case(
        "more faults than can be read",
        {**FILES, CSV: ITEMS + "".join(f"i{n},x,y,z,a,b,\n" for n in range(50))},
        ("'lbow' is empty", "30 more problems"),
        8,
        CSV,
        messages=21,
    ),
)


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


@pytest.mark.parametrize("command", ["plan", "check"])
@pytest.mark.parametrize("case", STUDY_CASES, ids=lambda case: case.name)
def test_a_bad_study_file_gets_one_clear_message(case, command, tmp_path, runner):
    assert_told(case, run(case.files, (command, "DIR"), tmp_path, runner))


@pytest.mark.parametrize("command", ["plan", "check"])
@pytest.mark.parametrize("case", ITEM_CASES, ids=lambda case: case.name)
def test_a_bad_item_file_gets_one_clear_message(case, command, tmp_path, runner):
    assert_told(case, run(case.files, (command, "DIR"), tmp_path, runner))


def test_the_study_that_the_cases_spoil_is_sound(tmp_path, runner):
    result = run(FILES, ("plan", "DIR", "--dry-run"), tmp_path, runner)
    assert (result.exit_code, result.stderr) == (0, "")


def test_there_are_more_than_forty_kinds_of_bad_input():
    names = [case.name for case in (*STUDY_CASES, *ITEM_CASES, *OPTION_CASES)]
    assert len(set(names)) == len(names) > 80


def assert_told(case: Case, result: Result) -> None:
    told = result.stderr.splitlines()
    about = [line for line in told if case.words[0] in line]
    assert result.exit_code == 2
    assert [line[:9] for line in told] == ["rejudge: "] * case.messages, result.stderr
    assert about, result.stderr
    assert case.place in about[0]
    assert [word for word in case.words if word not in result.stderr] == []
    assert "Traceback" not in result.output


def run(files: Files, args: tuple[str, ...], folder: Path, runner: CliRunner) -> Result:
    """Run the command line on a folder of these files and see that none of them changes."""
    for name, content in files.items():
        if content is not None:
            raw = content.encode() if isinstance(content, str) else content
            (folder / name).write_bytes(raw)
    before = listing(folder)
    result = runner.invoke(main, [str(folder) if word == "DIR" else word for word in args])
    assert listing(folder) == before
    return result


def listing(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# ── words typed ──────────────────────────────────────────────────────────────────────────────────

OPTION_CASES = (
    Case("an unknown command", {}, ("no command 'plna'", "Did you mean 'plan'?"), args=("plna",)),
    Case("an unknown command with a bell", {}, (r"no command 'plna\x07'",), args=("plna\x07",)),
    Case("an unknown option", {}, ("--forse", "--force"), args=("plan", "DIR", "--forse")),
    Case("no folder", {}, ("Missing argument 'STUDY'",), args=("plan",)),
    Case("one word too many", {}, ("unexpected extra argument",), args=("plan", "DIR", "x")),
    Case("an unknown option of schema", {}, ("No such option",), args=("schema", "--yaml")),
)


@pytest.mark.parametrize("case", OPTION_CASES, ids=lambda case: case.name)
def test_words_that_do_not_fit_get_one_message(case, tmp_path, runner):
    result = run(FILES, case.args, tmp_path, runner)
    assert result.exit_code == 2
    assert result.stderr.count("Error: ") == 1
    assert [word for word in case.words if word not in result.stderr] == []
    assert "Traceback" not in result.output


def test_a_folder_that_is_not_there_is_named_with_the_remedy(tmp_path, runner):
    result = runner.invoke(main, ["plan", str(tmp_path / "nowhere")])
    assert result.exit_code == 2
    assert "nowhere" in result.stderr
    assert "rejudge new" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "kind", "command"),
    [
        ("plan.json", "plan", "analyse"),
        ("results.json", "results", "report"),
        ("power.json", "power", "report"),
        ("frozen.json", "frozen", "freeze"),
    ],
)
def test_a_file_of_another_format_gets_one_message(trees, tmp_path, runner, name, kind, command):
    folder = shutil.copytree(trees, tmp_path / "trees")
    (folder / name).write_text(f'{{"format": 2, "kind": "{kind}"}}', encoding="utf-8")
    result = runner.invoke(main, [command, str(folder), "--force"])
    assert result.exit_code == 2
    assert result.stderr.count("rejudge: ") == 1
    assert f"{name}: this file has format 2; this version of rejudge reads 1" in result.stderr


def test_a_file_in_place_of_the_folder_is_reported(tmp_path, runner):
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    result = runner.invoke(main, ["plan", str(tmp_path / "study.yaml")])
    assert result.exit_code == 2
    assert "is a file" in result.stderr
