"""Results and comparisons as tables and sentences, for screens, pages, papers and programs."""
