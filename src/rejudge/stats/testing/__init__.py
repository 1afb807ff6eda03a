"""Hypothesis tests, effect sizes, equivalence and power."""
