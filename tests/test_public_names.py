"""What `import rejudge` offers."""

from __future__ import annotations

import importlib

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


@pytest.mark.parametrize(
    ("package", "name", "former"),
    [
        ("rejudge", "measure_balance", "measure"),
        ("rejudge.design", "changes_since_freeze", "changes"),
        ("rejudge.design", "estimate_duration", "estimate"),
        ("rejudge.design", "measure_balance", "measure"),
        ("rejudge.design", "quote_price", "quote"),
        ("rejudge.study", "segment_ends", "cut"),
        ("rejudge.stats", "clustered_estimate", "clustered"),
    ],
)
def test_former_names_that_were_documented_still_work(package, name, former):
    module = importlib.import_module(package)
    assert getattr(module, former).__name__ == name
    assert former not in module.__all__
