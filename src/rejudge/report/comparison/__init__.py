"""The page, the tables and the figures of a comparison."""
