"""The script and the style, as pages name them."""

from __future__ import annotations

import re

from participants import OpenSite, made_study
from rejudge.web.rendering import asset_path, assets

_IMPORT = re.compile(rb'from "\./([a-z]+\.js)"')


def test_every_module_of_the_script_is_named_by_the_page(tmp_path):
    """Otherwise a browser learns of one from another, and asks one after another."""
    site = OpenSite(made_study(), tmp_path)
    page = site.person().arrive().text
    site.close()
    told = set(re.findall(r'modulepreload" href="([^"]+)"', page))
    wanted = {
        name.decode() for asset in assets().values() for name in _IMPORT.findall(asset.content)
    }
    assert told == {asset_path(name) for name in wanted}
    assert len(wanted) == 6


def test_modules_stand_beside_each_other():
    folders = {asset_path(name).rpartition("/")[0] for name in assets()}
    assert len(folders) == 1
