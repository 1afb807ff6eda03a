"""Rehearsals: simulated participants go through the real pages of a study over HTTP."""
