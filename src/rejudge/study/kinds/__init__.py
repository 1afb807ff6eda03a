"""The kinds of question: one module each, and `registry`, the table of all of them."""
