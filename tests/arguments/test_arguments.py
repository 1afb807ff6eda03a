"""Functions that explain which argument was wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import rejudge
from rejudge.arguments import explain_arguments, lazy_names
from rejudge.errors import DataError, FileError
from rejudge.files import write_files
from rejudge.tables import pair_limits

if TYPE_CHECKING:
    from fractions import Fraction


def halve(number: Fraction, *, of: str = "") -> Any:
    """A type that is known to type checkers only."""
    return number / len(of)


def read_first(path: Path) -> str:
    return (path / "first.txt").read_text()


def longest(*words: str, least: int = 0) -> str:
    return max((word for word in words if len(word) >= least), key=len)


@pytest.fixture
def package(monkeypatch) -> Any:
    """A package with three functions, as its users import them."""
    made = ModuleType("made_package")
    vars(made).update(halve=halve, read_first=read_first, longest=longest, SIZE=3)
    vars(made)["__all__"] = ["SIZE", "halve", "longest", "read_first"]
    monkeypatch.setitem(sys.modules, "made_package", made)
    explain_arguments("made_package")
    return made


def test_the_message_says_what_is_given_and_what_to_give():
    with pytest.raises(DataError, match=r"^draw: 'study' is 'my-study'\. Give a Study\.$"):
        rejudge.draw("my-study")  # type: ignore[arg-type]  # wrong on purpose


def test_a_list_with_a_wrong_entry_is_told_with_what_its_entries_should_be(package):
    with pytest.raises(DataError, match=r"'words' is None\. Give a text\."):
        package.longest("a", None)
    with pytest.raises(DataError, match="Give a mapping of texts to bytes"):
        write_files(Path(), {"a": None}, force=False)  # type: ignore[dict-item]  # wrong on purpose


def test_nothing_is_written_when_an_argument_is_wrong(tmp_path):
    with pytest.raises(DataError, match=r"'force' is 'no'\. Give True or False\."):
        write_files(tmp_path, {"a": b"x"}, force="no")  # type: ignore[arg-type]  # wrong on purpose
    assert not list(tmp_path.iterdir())


def test_a_function_that_yields_is_checked_when_it_is_called():
    with pytest.raises(DataError, match=r"pair_limits: 'results' is 1\. Give a Results\."):
        pair_limits(1, {})  # type: ignore[arg-type]  # wrong on purpose


def test_types_that_only_type_checkers_import_are_known(package):
    with pytest.raises(DataError, match=r"halve: 'number' is 'x'\. Give a Fraction\."):
        package.halve("x", of="ab")


def test_a_path_that_does_not_exist_is_named(package, tmp_path):
    with pytest.raises(FileError, match=r"first\.txt: there is no such file or folder\. Correct"):
        package.read_first(tmp_path)


def test_an_error_of_our_own_stays_as_it_is(package):
    from fractions import Fraction

    with pytest.raises(ZeroDivisionError):
        package.halve(Fraction(1, 2))


def test_missing_and_unknown_arguments_are_told_by_python(package):
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'path'"):
        package.read_first()
    with pytest.raises(TypeError, match="unexpected keyword argument 'far'"):
        package.read_first(Path(), far=True)


def test_calls_inside_rejudge_are_compared_only_when_they_fail(package):
    inside = {"__name__": "rejudge.somewhere", "package": package}
    assert eval("package.longest('a', 'bc', least=0.5)", inside) == "bc"  # noqa: S307 - of this test
    with pytest.raises(DataError, match=r"longest: 'least' is 0\.5\. Give a whole number\."):
        package.longest("a", "bc", least=0.5)
    with pytest.raises(DataError, match=r"longest: 'words' is 5\. Give a text\."):
        eval("package.longest('a', 5)", inside)  # noqa: S307 - of this test


def test_only_functions_are_wrapped_and_only_once(package):
    once = package.halve
    explain_arguments("made_package")
    assert package.halve is once
    assert package.SIZE == 3


def test_lazy_names_are_loaded_when_they_are_used(package, monkeypatch):
    parts = ModuleType("made_package.parts")
    vars(parts)["half"] = halve
    monkeypatch.setitem(sys.modules, "made_package.parts", parts)
    get = lazy_names("made_package", {"half": "parts"})
    assert get("half") is package.half
    with pytest.raises(DataError, match="Give a Fraction"):
        package.half("x")
    with pytest.raises(AttributeError, match="made_package has no 'quarter'"):
        get("quarter")
