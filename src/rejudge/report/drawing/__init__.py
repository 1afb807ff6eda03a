"""Figures as data, and as SVG, PDF and PNG: the same bytes for the same numbers."""
