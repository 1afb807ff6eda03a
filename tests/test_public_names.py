"""What `import rejudge` offers, and when it is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rejudge


@pytest.mark.parametrize("name", [name for name in dir(rejudge) if name != "__version__"])
def test_every_public_name_can_be_imported_and_has_a_docstring(name):
    assert getattr(rejudge, name).__doc__


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(AttributeError, match="It has: Baselines"):
        _ = rejudge.pln


def test_importing_rejudge_loads_no_library():
    code = "import sys, rejudge; print({'numpy', 'pydantic', 'click'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
