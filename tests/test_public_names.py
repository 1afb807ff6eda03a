"""What `import rejudge` offers."""

from __future__ import annotations

import pytest

import rejudge


@pytest.mark.parametrize("name", [name for name in rejudge.__all__ if name != "__version__"])
def test_every_public_name_can_be_had_and_has_a_docstring(name):
    assert getattr(rejudge, name).__doc__


def test_the_list_of_names_is_the_list_of_homes():
    assert sorted(rejudge._HOMES) == sorted(set(rejudge.__all__) - {"__version__"})
    assert dir(rejudge) == sorted(rejudge.__all__)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(AttributeError, match="It has: Comparison"):
        _ = rejudge.pln
