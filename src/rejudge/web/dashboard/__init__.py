"""The researcher's dashboard: what is happening now, and what can be done about it."""
