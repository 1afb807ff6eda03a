"""Bundles: a study as one archive that another lab can check and run again."""
