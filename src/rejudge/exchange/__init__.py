"""Files of other tools: read their answers, write studies for them.

`registry` knows the formats; docs/guide/extend.md tells how to add one.
"""
