"""Reports for people: sentences, tables and figures on one self-contained page."""
