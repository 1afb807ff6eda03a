"""Means of systems and their differences, with intervals that allow for clusters."""
