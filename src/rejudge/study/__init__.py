"""A study: what is asked about which items, all written before a plan is drawn."""
