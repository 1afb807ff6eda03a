"""A published study as data."""
