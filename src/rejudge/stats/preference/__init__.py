"""Preferences: pairwise comparisons, best–worst choices and rankings."""
