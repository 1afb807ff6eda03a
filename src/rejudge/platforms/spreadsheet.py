"""Spreadsheets: each participant fills in a workbook, which is imported."""

from __future__ import annotations

from rejudge.platforms import Platform

PLATFORM = Platform(name="spreadsheet", title="spreadsheet", recruited="with spreadsheets")
