"""Zip archives: equal files give equal bytes, and what strangers send is refused, not believed."""

from __future__ import annotations

import io
import stat
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.bundle.archive import Limits, duplicate_names, name_fault, pack, unpack
from rejudge.errors import FileError

SMALL = {"study.yaml": b"id: trees\n", "pages/consent.md": "Gerne, 好的\n".encode()}


def archive(*entries: tuple[zipfile.ZipInfo | str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    """An archive as any program might write it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as written:
        for name, content in entries:
            written.writestr(name, content)
    return out.getvalue()


def refusal(content: bytes, **limits: int) -> str:
    with pytest.raises(FileError) as caught:
        unpack(content, file="bundle.zip", limits=Limits(**limits))
    return str(caught.value)


def test_what_is_packed_is_unpacked():
    assert unpack(pack(SMALL), file="bundle.zip") == SMALL


def test_the_same_files_give_the_same_bytes_in_whatever_order_they_come():
    assert pack(SMALL) == pack(dict(reversed(SMALL.items())))


def test_an_archive_tells_nothing_of_when_and_by_whom_it_was_packed():
    with zipfile.ZipFile(io.BytesIO(pack(SMALL))) as packed:
        for entry in packed.infolist():
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            assert (entry.create_system, entry.external_attr >> 16) == (3, stat.S_IFREG | 0o644)


@pytest.mark.parametrize(
    "name",
    ["../study.yaml", "pages/../../x", "/etc/passwd", "C:/x", "C:x", "\\\\server\\x", "..\\x",
     "pages\\x.md", "a\tb", "x\x1b[2J", "./x", "a//b", "a/./b", "aux", "pages/NUL.md", "x:y",
     "study.yaml ", "study.yaml.", "what?.md", "x" * 300],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_or_nowhere_is_refused(name):
    assert name_fault(name) is not None
    assert "bundle.zip" in refusal(archive((name, b"")))


@pytest.mark.parametrize("name", ["a.md", "pages/a b.md", "Straße.csv", "a..b", "好的.md", ".x"])
def test_an_honest_name_is_taken(name):
    assert unpack(archive((name, b"x")), file="bundle.zip") == {name: b"x"}


def test_a_name_that_ends_early_for_some_programs_is_refused():
    hidden = archive(("study.yamlX../evil", b"")).replace(b"study.yamlX", b"study.yaml\0")
    assert "control character" in refusal(hidden)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_are_refused(kind):
    entry = zipfile.ZipInfo("study.yaml")
    entry.external_attr = (kind | 0o777) << 16
    assert "study.yaml: this is a link or a device" in refusal(archive((entry, b"elsewhere")))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("other", ["study.yaml", "STUDY.yaml", "étude", "pages"])
def test_two_files_of_one_name_are_refused(other):
    names = ["study.yaml", "e\u0301tude", "pages/", other]
    assert "two files with this name" in refusal(archive(*((name, b"") for name in names)))


def test_doubles_are_those_that_some_file_systems_cannot_tell_apart():
    assert list(duplicate_names(["a", "B", "b", "é", "e\u0301", "c"])) == ["b", "e\u0301"]


@pytest.mark.parametrize("flag", [0, 0x800])
def test_names_that_are_not_utf_8_are_refused(flag):
    """As Windows writes them without the flag for UTF-8, or with a flag that lies."""
    raw = archive(("n_ame.md", b"")).replace(b"n_ame.md", b"n\xffame.md")
    flags = struct.pack("<H", flag)
    central, local = raw.index(b"PK\x01\x02"), raw.index(b"PK\x03\x04")
    raw = raw[: central + 8] + flags + raw[central + 10 :]
    raw = raw[: local + 6] + flags + raw[local + 8 :]
    assert "not UTF-8" in refusal(raw)


def test_encrypted_files_are_refused():
    raw = bytearray(archive(("study.yaml", b"x")))
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(bytes(raw))


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_ways_to_pack_are_refused(how):
    assert "compression method" in refusal(archive(("study.yaml", b"x" * 99), how=how))


def test_a_file_that_grows_beyond_measure_is_refused():
    bomb = archive(("study.yaml", bytes(5_000_000)), how=zipfile.ZIP_DEFLATED)
    assert len(bomb) < 10_000
    assert "study.yaml: the file is more than 300 times as large" in refusal(bomb)


def test_a_small_file_may_be_as_empty_as_it_likes():
    content = {"items.csv": b"a" * 200_000}
    assert unpack(pack(content), file="bundle.zip") == content


def test_an_archive_that_is_too_large_altogether_is_refused():
    several = archive(*((f"{n}.md", b"x" * 700_000) for n in range(4)))
    assert "larger than 2 MB" in refusal(several, unpacked_bytes=2 << 20)


def test_too_many_files_are_refused_before_they_are_listed():
    assert "more than 5 files" in refusal(archive(*((f"{n}", b"") for n in range(6))), files=5)


def test_an_end_record_that_understates_the_files_is_no_way_in():
    raw = bytearray(archive(*((f"{n}", b"") for n in range(9))))
    struct.pack_into("<HH", raw, raw.rindex(b"PK\x05\x06") + 8, 1, 1)
    assert "more than 5 files" in refusal(bytes(raw), files=5)


def test_a_directory_that_claims_to_be_huge_is_not_read():
    raw = bytearray(archive(("study.yaml", b"")))
    struct.pack_into("<L", raw, raw.rindex(b"PK\x05\x06") + 12, 0xFFFFFFFF)
    assert "more than" in refusal(bytes(raw))


def test_archives_of_64_bits_are_refused():
    raw = archive(("study.yaml", b""))
    end = raw.rindex(b"PK\x05\x06")
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    assert "more than" in refusal(raw[:end] + locator + raw[end:])


def test_a_file_that_is_longer_than_it_says_is_not_read_on():
    raw = bytearray(archive(("study.yaml", b"id: trees"), how=zipfile.ZIP_DEFLATED))
    struct.pack_into("<L", raw, raw.index(b"PK\x01\x02") + 24, 3)
    assert "not a valid zip archive" in refusal(bytes(raw))


@pytest.mark.parametrize("content", [b"", b"PK", b"id: trees\n", pack(SMALL)[:-30]])
def test_what_is_no_archive_is_refused(content):
    assert "not a" in refusal(content)


NAMES = st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?", fullmatch=True)


@settings(max_examples=examples(50))
@given(st.dictionaries(NAMES.filter(lambda name: name_fault(name) is None), st.binary()))
def test_whatever_is_in_them_files_come_back_as_they_were(files):
    folders = {name.partition("/")[0] for name in files if "/" in name}
    kept = {name: content for name, content in files.items() if name not in folders}
    assert unpack(pack(kept), file="bundle.zip") == kept


@given(st.data())
def test_a_damaged_archive_is_refused_or_read_but_never_breaks_the_reader(data):
    raw = bytearray(pack(SMALL))
    for place in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=6)):
        raw[place] = data.draw(st.integers(0, 255))
    try:
        files = unpack(bytes(raw), file="bundle.zip")
    except FileError:
        return
    assert all(name_fault(name) is None for name in files)
