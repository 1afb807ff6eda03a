"""Repeated studies and printed figures: CV*, meta-analysis, GRIM."""
