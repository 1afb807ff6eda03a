"""Simulated participants: with known opinions, or with rules instead of opinions."""
