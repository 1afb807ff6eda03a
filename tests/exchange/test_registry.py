"""Formats are found by what is in a file and never guessed; adapters, by their package."""

from __future__ import annotations

import json
import sys
import textwrap
import zipfile
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzed import damaged, damages, is_read_or_refused
from property_settings import examples
from rejudge.design.draw import draw
from rejudge.errors import FileError, UsageError
from rejudge.exchange.opening import Document
from rejudge.exchange.registry import find_reader, find_writer, read_files, readers
from rejudge.exchange.tool_reader import ToolReader
from small_study import FILES as FILES_OF_STUDY
from small_study import parse_files
from tool_exports import BY_FORMAT, EXPORTS, read, rows

FILES = [(name, file) for name, files in BY_FORMAT.items() for file in files]
OWN = {name: reader for name, reader in readers().items() if isinstance(reader, ToolReader)}
# Files that people have next to an export, and that no format may take for its own.
STRANGE = {
    "judgments.csv": "participant,item,system,question,value\np1,i1,alpha,fluency,4\n",
    "comparisons.csv": "participant,item,model_a,model_b,winner\np1,i1,alpha,beta,model_a\n",
    "comparisons.jsonl": '{"rater": "p", "item": 1, "model_a": "x", "model_b": "y", "winner": "x"}',
    "ratings.jsonl": '{"participant": "p1", "id": 1, "text": "x", "label": "4"}\n',
    "wide.tsv": "item\tsystem\trater_1\trater_2\ni1\talpha\t4\t5\n",
    "items.csv": "id,input,alpha,beta\ni1,Hello,Hallo,Servus\n",
    "items.json": '[{"id": "i1", "input": "x", "outputs": {"alpha": "y"}}]',
    "study.yaml": "format: 1\nid: example\ntitle: Example\nsystems: [a, b]\n",
    "plan.json": '{"kind": "plan", "format": 3, "made_from": {}, "content": {"batches": []}}',
    "results.json": '{"kind": "results", "format": 3, "content": {"annotations": []}}',
    "scores.csv": "system,doc,seg_id,rater,score\nalpha,d1,1,r1,80\n",
    "errors.tsv": "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tcount\n",
    "numbers.csv": "1,2,3,4,5,6,7\n8,9,10,11,12,13,14\n",
    "list.json": "[1, 2, 3]",
    "object.json": "{}",
    "empty.json": "",
    "spaces.csv": "\n\n   \n",
    "text.txt": "Dear all,\nthis is not a table.\n",
    "lists.json": "[[[[[]]]]]",
    "deep.json": "[" * 100_000,
    "long.json": '[{"a": ' + "9" * 5000 + "}]",
    "instance.csv": "instance_id,user_id\ni1,u\n",
    "labels.jsonl": '{"id": "x", "text": "y", "label": ["4"]}\n',
    "fields.json": '[{"fields": {"a": 1}}]',
    "data.json": '[{"data": {"text": "x"}}]',
}


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(("name", "file"), FILES)
def test_an_export_is_recognised_by_its_own_format_and_no_other(name, file):
    assert [each for each, reader in readers().items() if reader.recognises(EXPORTS / file)] == [
        name
    ]
    assert find_reader([EXPORTS / file]).name == name


@pytest.mark.parametrize("name", STRANGE)
def test_other_files_are_recognised_by_no_format(tmp_path, name):
    path = put(tmp_path, name, STRANGE[name])
    assert [each for each, reader in OWN.items() if reader.recognises(path)] == []


def test_a_file_that_no_format_recognises_is_refused_with_the_names_of_all(tmp_path):
    path = put(tmp_path, "judgments.csv", STRANGE["judgments.csv"])
    with pytest.raises(FileError, match="not recognised") as caught:
        find_reader([path])
    assert all(name in str(caught.value) for name in OWN)
    assert "rejudge analyse" in str(caught.value)


@given(content=st.binary(max_size=400))
def test_random_bytes_are_recognised_by_nobody_and_raise_nothing(tmp_path_factory, content):
    path = put(tmp_path_factory.mktemp("random"), "file.json", content)
    assert not any(reader.recognises(path) for reader in OWN.values())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), FILES)
@given(what=damages)
@settings(max_examples=examples(30))
def test_a_damaged_export_is_read_or_refused_in_words(tmp_path_factory, name, file, what):
    content = damaged((EXPORTS / file).read_bytes(), what)
    path = put(tmp_path_factory.mktemp("damaged"), Path(file).name, content)
    assert all(reader.recognises(path) in {True, False} for reader in OWN.values())
    assert is_read_or_refused(lambda: read(name, path, columns={"system": ""}))


ODD = (None, [], {}, "", "x", 5, -1, True, 1e300, [[]], [None], {"a": []}, [{"id": [1]}], "9" * 400)
JSON_FILES = [(name, file) for name, file in FILES if file.endswith((".json", ".jsonl"))]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), JSON_FILES)
@given(data=st.data())
@settings(max_examples=examples(30))
def test_an_export_with_values_of_another_type_is_read_or_refused_in_words(
    tmp_path_factory, name, file, data
):
    found = [record for _, record in Document(file, (EXPORTS / file).read_bytes()).records()]
    for _ in range(data.draw(st.integers(1, 3))):
        replace_somewhere(found, data)
    content = json.dumps(found) if data.draw(st.booleans()) else "\n".join(map(json.dumps, found))
    path = put(tmp_path_factory.mktemp("odd"), Path(file).name, content)
    assert all(reader.recognises(path) in {True, False} for reader in OWN.values())
    assert is_read_or_refused(lambda: read(name, path, columns={"system": ""}))
    assert is_read_or_refused(lambda: read(name, path))


def replace_somewhere(value, data):
    """Put something odd in the place of any part of a JSON value, however deep."""
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    inner = value[place]
    if isinstance(inner, dict | list) and inner and data.draw(st.booleans() | st.just(True)):
        replace_somewhere(inner, data)
    else:
        value[place] = deepcopy(data.draw(st.sampled_from(ODD)))


@pytest.mark.parametrize(("name", "file"), [each for each in FILES if each[1][-4:] != ".zip"])
def test_an_export_in_utf_16_is_refused_with_a_remedy(tmp_path, name, file):
    text = (EXPORTS / file).read_text("utf-8")
    path = put(tmp_path, Path(file).name, text.encode("utf-16"))
    with pytest.raises(FileError, match=r"UTF-16, not UTF-8\. Save it as UTF-8"):
        read(name, path)
    assert not any(reader.recognises(path) for reader in OWN.values())


@pytest.mark.parametrize("name", ["appraise", "arena", "potato"])
def test_an_export_in_latin_1_is_refused_with_its_line(tmp_path, name):
    path = put(tmp_path, "export.csv", "a,b\nc,d\nMüller,é\n".encode("latin-1"))
    with pytest.raises(FileError, match="not UTF-8") as caught:
        read(name, path)
    assert caught.value.problems[0].line == 3


@pytest.mark.parametrize(("name", "file"), FILES)
def test_an_empty_export_has_one_message(tmp_path, name, file):
    path = put(tmp_path, Path(file).name, "[]" if file.endswith(".json") else "")
    with pytest.raises(FileError) as caught:
        read(name, path)
    assert len(caught.value.problems) == 1


def test_a_truncated_archive_is_refused(tmp_path):
    whole = (EXPORTS / "factgenie.zip").read_bytes()
    path = put(tmp_path, "export.zip", whole[: len(whole) // 2])
    assert not OWN["factgenie"].recognises(path)
    with pytest.raises(FileError, match="not a valid zip archive"):
        read("factgenie", path)


def test_an_archive_that_would_fill_the_memory_is_refused(tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("jane.jsonl", b"0" * (8 << 20))
    assert not any(reader.recognises(path) for reader in OWN.values())
    with pytest.raises(FileError, match="unpacked, the archive would have 1 file"):
        read("factgenie", path)


def test_a_first_record_of_several_megabytes_is_recognised(tmp_path):
    task = {"id": 1, "data": {"text": "x" * (3 << 20), "model": "alpha"}, "annotations": []}
    assert OWN["label-studio"].recognises(put(tmp_path, "tasks.json", json.dumps([task])))


def test_an_export_with_a_byte_order_mark_is_read(tmp_path):
    content = b"\xef\xbb\xbf" + (EXPORTS / "label-studio.json").read_bytes()
    path = put(tmp_path, "export.json", content)
    assert find_reader([path]).name == "label-studio"
    assert len(rows(read("label-studio", path), "fluency")) == 5


def test_a_folder_is_not_a_file(tmp_path):
    assert not any(reader.recognises(tmp_path) for reader in OWN.values())
    with pytest.raises(FileError, match="a folder, not a file"):
        find_reader([tmp_path])


def test_files_of_several_tools_are_refused_and_each_is_named():
    with pytest.raises(FileError, match="several tools") as caught:
        find_reader([EXPORTS / "pearmut.jsonl", EXPORTS / "arena.json"])
    assert "pearmut.jsonl: pearmut" in str(caught.value)
    assert "arena.json: arena" in str(caught.value)


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match=r"'brat'.*Known formats: appraise, arena"):
        find_reader([EXPORTS / "arena.json"], "brat")
    with pytest.raises(UsageError, match="cannot be written for 'brat'"):
        find_writer("brat")


def test_answers_to_another_study_are_refused_as_a_whole(small_study_plan):
    study, plan = small_study_plan
    with pytest.raises(FileError, match="none of the answers belongs to the study"):
        read_files(find_reader([EXPORTS / "arena.json"]), [EXPORTS / "arena.json"], study=study,
                   plan=plan)  # fmt: skip


@pytest.fixture
def small_study_plan():
    study = parse_files(FILES_OF_STUDY)
    return study, draw(study)


# ── adapters of other packages ───────────────────────────────────────────────────────────────────


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A distribution on the path: a module, and its entry point in the group of adapters."""

    def put_there(name: str, code: str) -> None:
        module = "star_adapter"
        folder = tmp_path / f"site-{module}"
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        put(folder, f"{module}.py", textwrap.dedent(code))
        put(info, "METADATA", f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        put(info, "entry_points.txt", f"[rejudge.platforms]\n{name} = {module}:FORMAT\n")
        monkeypatch.syspath_prepend(folder)

    yield put_there
    sys.modules.pop("star_adapter", None)


GOOD = """
    class Stars:
        name, title = "stars", "Stars"
        def recognises(self, file):
            return file.suffix == ".stars"
        def read(self, files, *, study, plan):
            {}
    FORMAT = Stars()
"""


def test_an_adapter_that_is_installed_is_found_by_name_and_by_file(install, tmp_path):
    install("stars", GOOD.format("return None"))
    assert "stars" in readers()
    assert find_reader([put(tmp_path, "votes.stars", "x")]).name == "stars"


@pytest.mark.parametrize(
    ("body", "said"),
    [("return None", "it returned NoneType instead of Imported"),
     ("raise KeyError('score')", "failed: KeyError: 'score'"),
     ("return 1 / 0", "failed: ZeroDivisionError")],
)  # fmt: skip
def test_an_adapter_that_fails_is_named_in_one_message(install, tmp_path, body, said):
    install("stars", GOOD.format(body))
    path = put(tmp_path, "votes.stars", "x")
    with pytest.raises(FileError, match="the adapter 'stars'") as caught:
        read_files(find_reader([path]), [path])
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("code", "said"),
    [("import there_is_no_such_module", "ModuleNotFoundError"),
     ("FORMAT = 3", "it needs `name`, `title`"),
     ("OTHER = 3", "AttributeError"),
     ("class FORMAT:\n    name = title = 'x'", "it needs `name`, `title`"),
     ("FORMAT = (", "SyntaxError")],
)  # fmt: skip
def test_a_broken_adapter_is_named_and_does_not_stop_the_others(install, code, said):
    install("stars", code)
    assert find_reader([EXPORTS / "arena.json"]).name == "arena"
    with pytest.raises(UsageError, match="'stars' of the package 'star_adapter'") as caught:
        find_reader([EXPORTS / "arena.json"], "stars")
    assert said in str(caught.value)


def test_a_file_that_is_not_recognised_names_broken_adapters_too(install, tmp_path):
    install("stars", "import there_is_no_such_module")
    with pytest.raises(FileError, match="cannot be used"):
        find_reader([put(tmp_path, "votes.stars", "x")])


def test_an_adapter_whose_recognition_fails_does_not_read_the_file(install, tmp_path):
    install("stars", GOOD.format("return None").replace('file.suffix == ".stars"', "1 / 0"))
    assert find_reader([EXPORTS / "arena.json"]).name == "arena"


def test_two_formats_that_recognise_one_file_are_both_named(install):
    install("stars", GOOD.format("return None").replace('file.suffix == ".stars"', "True"))
    with pytest.raises(FileError, match=r"could be of arena or stars.*--from"):
        find_reader([EXPORTS / "arena.json"])


def test_an_adapter_cannot_take_the_name_of_another_format(install):
    install("arena", GOOD.format("return None"))
    assert isinstance(readers()["arena"], ToolReader)


def test_without_files_there_is_a_message():
    with pytest.raises(UsageError, match="there is no file to read"):
        find_reader([])
