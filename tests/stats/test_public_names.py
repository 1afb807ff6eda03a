"""What `rejudge.stats` offers, and when it is loaded."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from rejudge import stats


@pytest.mark.parametrize("module", sorted(stats._NAMES))
def test_a_module_offers_the_names_that_are_listed_for_it(module):
    offered = import_module(f"rejudge.stats.{module}").__all__
    assert sorted(stats._NAMES[module].split()) == sorted(offered)


@pytest.mark.parametrize("name", stats.__all__)
def test_every_name_can_be_imported_from_the_package(name):
    assert getattr(stats, name) is getattr(
        import_module(f"rejudge.stats.{stats._MODULES[name]}"), name
    )


def test_the_names_are_those_that_completion_shows():
    assert dir(stats) == stats.__all__


def test_an_unknown_name_is_an_error():
    with pytest.raises(AttributeError, match=r"rejudge\.stats has no 'krippendorf_alpha'"):
        _ = stats.krippendorf_alpha


def test_using_one_statistic_does_not_load_the_others():
    code = (
        "import sys; from rejudge.stats import krippendorff_alpha;"
        "print(sum(name.startswith('rejudge.stats.') for name in sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 15
