"""Files of other tools: read their answers, write studies for them.

`registry` knows the formats; docs/guide/write-an-adapter.md tells how to add one.
"""
