"""The version, in one place; every written file and every number names it."""

__version__ = "0.1.0"
