"""Qualtrics: the pages are there, and answers are imported from its export."""

from __future__ import annotations

from rejudge.platforms import Platform

PLATFORM = Platform(
    name="qualtrics",
    title="Qualtrics",
    recruited="with Qualtrics",
    id_columns=("response_id",),
)
