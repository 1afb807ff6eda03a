"""How numbers and tables are written in every format: CSV, LaTeX, Markdown, HTML, plain text."""
