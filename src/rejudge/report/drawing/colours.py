"""The colours of white paper, by role; a page around a drawing has its own by the same names."""

from __future__ import annotations

ON_PAPER = {
    "paper": "#ffffff",
    "ground": "#f5f6f8",
    "ink": "#1a1f26",
    "ink-2": "#4b5563",
    "line": "#858f9c",
    "hair": "#dde2e8",
    "accent": "#2b57c9",
    "s1": "#0072b2",
    "s2": "#d55e00",
    "s3": "#009e73",
    "s4": "#cc79a7",
    "s5": "#332288",
    "s6": "#999933",
    "s7": "#882255",
    "s8": "#44aa99",
}
